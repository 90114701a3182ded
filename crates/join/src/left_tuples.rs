//! Left tuples of the rows of a group, which identify join groups.

use widetui_core::dict::NONE;
use widetui_store::key_column::{CellPosition, KeyColumn, UNUSABLE, usable};

use crate::compiled_join::CompiledJoin;
use crate::derived_values::GroupColumns;
use crate::table::{JoinTable, MAX_LEFT_KEYS, Tuple};

/// Left tuples (values of the left keys) of the rows of a group.
pub(crate) struct LeftTuples<'l> {
    /// Columns of the left keys.
    columns: Vec<&'l KeyColumn>,
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
            let code = usable(self.columns[right].at(at));
            code.map(|code| tuple[self.slots.1 + right] = code)
                .is_some()
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
        let columns = join
            .left_keys
            .iter()
            .map(|key| match key_columns.get(*key) {
                KeyColumn::Absent | KeyColumn::Const(NONE | UNUSABLE) => None,
                column => Some(column),
            });
        Some(LeftTuples {
            columns: columns.collect::<Option<_>>()?,
            scope: scope.map(|scope| ScopeColumns {
                slots: (scope.slot, join.left_keys.len()),
                columns: { scope.keys.iter() }
                    .map(|key| key_columns.get(*key))
                    .collect(),
                stand_ins: scope.stand_ins,
                table: &tables[scope.join],
            }),
        })
    }

    /// True if a row may have several tuples, because a left key has lists.
    pub(crate) fn has_lists(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| matches!(column, KeyColumn::Elements(_)))
    }

    /// Tuple that all rows share, if they do.
    pub(crate) fn constant(&self) -> Option<Tuple> {
        let mut columns = self.columns.iter();
        let is_constant = columns.all(|column| matches!(column, KeyColumn::Const(_)));
        if !is_constant || self.scope.is_some() {
            return None;
        }
        self.tuple(CellPosition {
            row: 0,
            element: None,
            ends: None,
        })
    }

    /// Tuple at a position, unless a value is missing.
    #[inline]
    pub(crate) fn tuple(&self, at: CellPosition<'_>) -> Option<Tuple> {
        let mut tuple = [NONE; MAX_LEFT_KEYS];
        for (slot, column) in tuple.iter_mut().zip(&self.columns) {
            *slot = usable(column.at(at))?;
        }
        if let Some(scope) = &self.scope {
            scope.complete(&mut tuple, at)?;
        }
        Some(tuple)
    }
}
