//! Left tuples of the rows of a group, and the join groups that they identify.

use widetui_core::dict::{Code, NONE};
use widetui_store::key_column::{KeyColumn, UNUSABLE};

use crate::compiled_join::CompiledJoin;
use crate::derived_values::GroupColumns;
use crate::table::{GroupIndex, JoinTable, MAX_LEFT_KEYS, Tuple};

/// Position in a key column: a row, or one element of the row's list.
#[derive(Clone, Copy)]
pub(crate) struct CellPosition<'e> {
    /// Row of the group.
    pub(crate) row: usize,
    /// Element among all list elements of the group; `None` for the whole row.
    pub(crate) element: Option<usize>,
    /// Ends of the lists of the rows, if the group has lists.
    pub(crate) ends: Option<&'e [u32]>,
}

/// Code of a key column at a position.
#[inline]
pub(crate) fn code_at(key_column: &KeyColumn, at: CellPosition<'_>) -> Code {
    match (key_column, at.element) {
        (KeyColumn::Rows(codes), _) => codes[at.row],
        (KeyColumn::Elements(codes), Some(place)) => codes.get(place).copied().unwrap_or(NONE),
        (key_column, _) => key_column.row(at.row, at.ends),
    }
}

/// Left tuples (values of the left keys) of the rows of a group.
pub(crate) struct LeftTuples<'l> {
    /// Values that all rows share.
    shared: Tuple,
    /// Columns of the other left keys, with their index in the tuple.
    varying: Vec<(usize, &'l KeyColumn)>,
    /// Scope of a left key, if some of its values occur in several scopes.
    scope: Option<ScopeColumns<'l>>,
}

/// Columns of the scope of a left key.
struct ScopeColumns<'l> {
    /// Index in the tuple of the left key, and of the first key of its scope.
    slots: (usize, usize),
    columns: Vec<&'l KeyColumn>,
    /// Number of columns, the last ones, that stand in for the others in records that lack those.
    stand_ins: usize,
    /// Scopes of the values.
    table: &'l JoinTable,
}

impl ScopeColumns<'_> {
    /// Adds the scope of the row at a position to its tuple; `None` if the value occurs in several scopes and the row is
    /// known to be in none of them.
    fn complete(&self, tuple: &mut Tuple, at: CellPosition<'_>) -> Option<()> {
        let mut value: Tuple = [NONE; MAX_LEFT_KEYS];
        value[0] = tuple[self.slots.0];
        let Some(group) = self.table.group(&value) else {
            return Some(());
        };
        let is_split = |right: &usize| self.table.has_conflict(group, *right);
        let mut state = |right: usize| {
            let code = code_at(self.columns[right], at);
            let is_stated = code != NONE && code != UNUSABLE;
            if is_stated {
                tuple[self.slots.1 + right] = code;
            }
            is_stated
        };
        let count = self.columns.len();
        let own = count.saturating_sub(self.stand_ins);
        let mut keys = (0..own).filter(is_split).peekable();
        let has_own = keys.peek().is_some();
        if has_own && keys.all(&mut state) {
            return Some(());
        }
        let mut stand_ins = (own..count).filter(is_split).peekable();
        let has_any = has_own || stand_ins.peek().is_some();
        let is_known = stand_ins.peek().is_some() && stand_ins.all(&mut state);
        (is_known || !has_any).then_some(())
    }
}

impl<'l> LeftTuples<'l> {
    /// Returns `None` if no row has values for all left keys.
    pub(crate) fn new(
        join: &CompiledJoin,
        tables: &'l [JoinTable],
        key_columns: &'l GroupColumns<'_>,
    ) -> Option<LeftTuples<'l>> {
        let scope = join
            .scope
            .as_ref()
            .filter(|scope| tables[scope.join].conflict_count() > 0);
        let mut left = LeftTuples {
            shared: [NONE; MAX_LEFT_KEYS],
            varying: Vec::new(),
            scope: scope.map(|scope| ScopeColumns {
                slots: (scope.slot, join.left_keys.len()),
                columns: { scope.keys.iter() }
                    .map(|key| key_columns.get(*key))
                    .collect(),
                stand_ins: scope.stand_ins,
                table: &tables[scope.join],
            }),
        };
        for (at, key) in join.left_keys.iter().enumerate() {
            match key_columns.get(*key) {
                KeyColumn::Absent | KeyColumn::Const(NONE | UNUSABLE) => return None,
                KeyColumn::Const(code) => left.shared[at] = *code,
                key_column => left.varying.push((at, key_column)),
            }
        }
        Some(left)
    }

    /// Whether a row may have several tuples, because a left key has lists.
    pub(crate) fn has_lists(&self) -> bool {
        self.varying
            .iter()
            .any(|l| matches!(l.1, KeyColumn::Elements(_)))
    }

    /// Tuple that all rows share, if they do.
    pub(crate) fn constant(&self) -> Option<&Tuple> {
        (self.varying.is_empty() && self.scope.is_none()).then_some(&self.shared)
    }

    /// Tuple at a position, unless a value is missing.
    pub(crate) fn tuple(&self, at: CellPosition<'_>) -> Option<Tuple> {
        let mut tuple = self.shared;
        for (slot, key_column) in &self.varying {
            let code = code_at(key_column, at);
            if code == NONE || code == UNUSABLE {
                return None;
            }
            tuple[*slot] = code;
        }
        if let Some(scope) = &self.scope {
            scope.complete(&mut tuple, at)?;
        }
        Some(tuple)
    }

    /// Creates a finder for the join groups of the rows.
    pub(crate) fn finder<'t>(&'t self, table: &'t JoinTable) -> GroupFinder<'l, 't> {
        let is_inner = |(slot, _): &&(usize, &KeyColumn)| *slot == table.inner();
        let inner = self
            .varying
            .iter()
            .find(is_inner)
            .map(|(_, key_column)| *key_column);
        let others = self.varying.iter().filter(|v| !is_inner(v));
        GroupFinder {
            inner: (inner, self.shared[table.inner()]),
            others: others.copied().collect(),
            tuple: self.shared,
            is_index_known: false,
            group_index: None,
            table,
            scoped: self.scope.is_some().then_some(self),
        }
    }
}

/// Result of the lookup of a row's tuple in the join table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupLookup {
    /// A value of the row is missing, so the row belongs to no group.
    Incomplete,
    /// The table does not contain the group.
    Unknown,
    /// Index of the group in the table.
    Group(u32),
}

/// Finder of the join groups of rows. If consecutive rows differ only in the key with the most
/// values, a lookup is an index into a vector.
pub(crate) struct GroupFinder<'l, 't> {
    /// Column of the key with the most values, or the value that all rows share.
    inner: (Option<&'l KeyColumn>, Code),
    others: Vec<(usize, &'l KeyColumn)>,
    /// Tuple of the last row.
    tuple: Tuple,
    is_index_known: bool,
    group_index: Option<&'t GroupIndex>,
    table: &'t JoinTable,
    /// Tuples of the rows, if they contain a scope.
    scoped: Option<&'t LeftTuples<'l>>,
}

impl GroupFinder<'_, '_> {
    /// Finds the group of a position.
    #[inline]
    pub(crate) fn find(&mut self, at: CellPosition<'_>) -> GroupLookup {
        if let Some(left) = self.scoped {
            let group = |tuple| {
                self.table
                    .group(&tuple)
                    .map_or(GroupLookup::Unknown, GroupLookup::Group)
            };
            return left.tuple(at).map_or(GroupLookup::Incomplete, group);
        }
        let inner = match self.inner {
            (Some(key_column), _) => code_at(key_column, at),
            (None, code) => code,
        };
        if inner == NONE || inner == UNUSABLE {
            return GroupLookup::Incomplete;
        }
        for (slot, key_column) in &self.others {
            let code = code_at(key_column, at);
            if code == NONE || code == UNUSABLE {
                return GroupLookup::Incomplete;
            }
            if self.tuple[*slot] != code {
                self.tuple[*slot] = code;
                self.is_index_known = false;
            }
        }
        if !self.is_index_known {
            self.group_index = self.table.group_index(&self.tuple);
            self.is_index_known = true;
        }
        match self.group_index.and_then(|level| level.get(inner)) {
            Some(group) => GroupLookup::Group(group),
            None => GroupLookup::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_core::ids::EventId;

    fn codes() -> impl Strategy<Value = Vec<Code>> {
        let code = prop_oneof![8 => 0u32..4, 1 => Just(NONE), 1 => Just(UNUSABLE)];
        prop::collection::vec(code, 12)
    }

    proptest! {
        /// A finder returns the same group as a lookup of the row's tuple in the table.
        #[test]
        fn the_finder_agrees_with_the_table(
            key_columns in prop::collection::vec(codes(), 3), fixed in 0u32..4, inner in 0usize..4,
            known in prop::collection::vec(prop::collection::vec(0u32..4, 4), 0..60),
        ) {
            let mut table = JoinTable::new(inner, 1, false);
            for codes in known {
                let mut tuple = [NONE; MAX_LEFT_KEYS];
                tuple[..4].copy_from_slice(&codes);
                table.add(&tuple, 0, 7, EventId(0));
            }
            let key_columns: Vec<KeyColumn> = key_columns.into_iter().map(KeyColumn::Rows).collect();
            let mut left = LeftTuples { shared: [NONE; MAX_LEFT_KEYS], varying: Vec::new(), scope: None };
            left.shared[0] = fixed;
            left.varying = key_columns.iter().enumerate().map(|(at, key_column)| (at + 1, key_column)).collect();
            let mut finder = left.finder(&table);
            for row in 0..12 {
                let at = CellPosition { row, element: None, ends: None };
                let want = match left.tuple(at) {
                    None => GroupLookup::Incomplete,
                    Some(tuple) => table.group(&tuple).map_or(GroupLookup::Unknown, GroupLookup::Group),
                };
                prop_assert_eq!(finder.find(at), want);
            }
        }
    }
}
