//! Second half of a round: events receive the values of their join groups.

use rayon::prelude::*;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_store::key_column::{KeyColumn, SegmentView, element_range};

use crate::compiled_join::CompiledJoin;
use crate::derived_values::{
    CellValues, DerivedCells, DerivedKeyColumn, GroupColumns, GroupDerivations, JoinIndex, NO_JOIN,
};
use crate::left_tuples::{CellPosition, GroupLookup, LeftTuples, code_at};
use crate::rounds::{BlockedCells, RoundInput};
use crate::table::{CONFLICT, JoinTable};

/// Values derived by a round in a segment: new columns by group, and cells for which joins derive
/// different values.
pub(crate) type SegmentDerivation = (Vec<Vec<DerivedKeyColumn>>, BlockedCells);

/// Derives values for the events of all segments from the join tables. `changed` states which
/// tables changed since the last round.
pub(crate) fn derive_values(
    input: &RoundInput<'_>,
    work: &[Vec<GroupDerivations>],
    tables: &[JoinTable],
    changed: &[bool],
    blocked: &[BlockedCells],
) -> Vec<SegmentDerivation> {
    work.par_iter()
        .enumerate()
        .map(|(segment, groups)| {
            if input.cancel.is_cancelled() {
                return SegmentDerivation::default();
            }
            let view = SegmentView::new(input.snapshot, segment, &input.doubt.rows[segment]);
            let mut columns = Vec::with_capacity(groups.len());
            let mut disagreements = BlockedCells::default();
            for (at, group) in groups.iter().enumerate() {
                let is_concerned = |j: &&CompiledJoin| {
                    changed[usize::from(j.index)] || j.is_concerned_by(group, CompiledJoin::is_by)
                };
                let mut receiver = Receiver {
                    key_columns: GroupColumns::new(
                        view.group(at),
                        segment,
                        group,
                        input.virtual_keys,
                    ),
                    derived: group,
                    base: input.snapshot.bases[segment],
                    blocked: &blocked[segment],
                    new_columns: Vec::new(),
                    disagreements: BlockedCells::default(),
                };
                for join in input.joins.iter().filter(is_concerned) {
                    receiver.receive_join(input, join, tables, segment);
                }
                columns.push(receiver.new_columns);
                disagreements.extend(receiver.disagreements);
            }
            (columns, disagreements)
        })
        .collect()
}

/// Group of rows that receives values from joins.
struct Receiver<'a> {
    key_columns: GroupColumns<'a>,
    derived: &'a GroupDerivations,
    base: u32,
    blocked: &'a BlockedCells,
    new_columns: Vec<DerivedKeyColumn>,
    disagreements: BlockedCells,
}

/// Right key of a join in a group that receives values.
struct RightKey<'a> {
    /// Index among the right keys of the join.
    index: usize,
    key: KeyId,
    /// Values stated by the records.
    stated: &'a KeyColumn,
    /// Values derived in earlier rounds.
    derived: Option<&'a DerivedKeyColumn>,
    /// Right key whose scope the key is: its index among the right keys of the join, and its values.
    instance: Option<(usize, &'a KeyColumn)>,
    /// Values that the join derives now.
    new_values: Option<CellValues>,
}

impl RightKey<'_> {
    /// Value derived in earlier rounds, and the join that derived it.
    #[inline]
    fn derived_before(&self, at: CellPosition<'_>) -> (Code, JoinIndex) {
        match self.derived {
            Some(column) => column.cells.get(at.row, at.element),
            None => (NONE, NO_JOIN),
        }
    }
}

impl Receiver<'_> {
    /// Derives the values of a join for the group.
    fn receive_join(
        &mut self,
        input: &RoundInput<'_>,
        join: &CompiledJoin,
        tables: &[JoinTable],
        segment: usize,
    ) {
        if join.only_duplicates && input.doubt.rows[segment].is_empty() {
            return;
        }
        if !join.build_left(&mut self.key_columns) {
            return;
        }
        for key in &join.right_keys {
            self.key_columns.build(*key);
        }
        for column in self.derive_columns(input, join, tables, segment) {
            self.merge_column(column);
        }
    }

    /// Columns that a join derives, ordered by right key.
    fn derive_columns(
        &mut self,
        input: &RoundInput<'_>,
        join: &CompiledJoin,
        tables: &[JoinTable],
        segment: usize,
    ) -> Vec<DerivedKeyColumn> {
        let table = &tables[usize::from(join.index)];
        let Some(left) = LeftTuples::new(join, tables, &self.key_columns) else {
            return Vec::new();
        };
        let excluded = input.excluded_rows(join, segment);
        let takes_all =
            join.participants.is_none() && excluded.is_none() && self.blocked.is_empty();
        // All rows belong to one group: the usual case for keys of the path.
        let same = left.constant().map(|tuple| table.group(tuple));
        if matches!(same, Some(None)) {
            return Vec::new();
        }
        let group_value = |right: usize| Some(table.value(same??, right));
        let rights = join
            .right_keys
            .iter()
            .enumerate()
            .map(|(at, key)| RightKey {
                index: at,
                key: *key,
                stated: self.key_columns.get(*key),
                derived: self.derived.column(*key),
                instance: { join.scopes.get(&at) }
                    .map(|at| (*at, self.key_columns.get(join.right_keys[*at]))),
                new_values: None,
            });
        let mut derived_columns: Vec<(usize, DerivedKeyColumn)> = Vec::new();
        let mut open_keys: Vec<RightKey<'_>> = Vec::new();
        for right in rights {
            let group_value = group_value(right.index).filter(|_| !join.only_duplicates);
            let is_value = group_value.is_some_and(|code| code != NONE && code != CONFLICT);
            match (group_value, right.derived.map(|column| &column.cells)) {
                (Some(_), None) if !is_value => {}
                (Some(code), Some(DerivedCells::Uniform(derived, by)))
                    if is_value && derived == &code || !is_value && *by != join.index => {}
                (Some(code), None)
                    if takes_all
                        && right.stated.is_absent()
                        && right.instance.is_none_or(|(_, known)| known.is_absent()) =>
                {
                    let (key, cells) = (right.key, DerivedCells::Uniform(code, join.index));
                    derived_columns.push((right.index, DerivedKeyColumn { key, cells }));
                }
                (_, None) if right.stated.is_everywhere() => {}
                _ => open_keys.push(right),
            }
        }
        if !open_keys.is_empty() {
            let disagreements =
                self.derive_rows(input, join, table, (segment, &left), &mut open_keys);
            let ends = self.key_columns.view().ends.filter(|_| left.has_lists());
            derived_columns.extend(open_keys.into_iter().filter_map(|right| {
                let (key, cells) = (right.key, DerivedCells::from_list(right.new_values?, ends));
                Some((right.index, DerivedKeyColumn { key, cells }))
            }));
            self.disagreements.extend(disagreements);
        }
        derived_columns.sort_unstable_by_key(|(at, _)| *at);
        derived_columns
            .into_iter()
            .map(|(_, column)| column)
            .collect()
    }

    /// Derives the values of a join row by row. Returns the cells for which joins derive different
    /// values.
    fn derive_rows<'l>(
        &self,
        input: &RoundInput<'_>,
        join: &CompiledJoin,
        table: &JoinTable,
        (segment, left): (usize, &LeftTuples<'l>),
        open_keys: &mut [RightKey<'l>],
    ) -> BlockedCells {
        let mut disagreements = BlockedCells::default();
        let view = *self.key_columns.view();
        let only = join.participating_rows(segment);
        let excluded = input.excluded_rows(join, segment);
        let listed = left.has_lists();
        let rows = view.group.rows.len();
        let cells = match view.ends {
            Some(ends) if listed => ends.last().map_or(0, |e| *e as usize),
            _ => rows,
        };
        let mut finder = left.finder(table);
        // The records that are evidence may lie beside the log that an instance lacks.
        let lacks_evidence = |code: &Code| join.evidence.is_some() && !table.states(*code);
        let unknown: Vec<Code> = input.doubt.absent().filter(lacks_evidence).collect();
        let doubtful = &input.doubt.rows[segment];
        let is_doubtful = |row: usize| doubtful.binary_search(&(row as u32)).is_ok();
        for row in 0..rows {
            let segment_row = usize::from(view.group.rows[row]);
            if only.is_some_and(|bits| !bits.get(segment_row))
                || excluded.is_some_and(|bits| bits.get(segment_row))
            {
                continue;
            }
            let event = EventId(self.base + segment_row as u32);
            let range = if listed {
                element_range(view.ends, row)
            } else {
                row..row + 1
            };
            for cell in range {
                let at = CellPosition {
                    row,
                    element: listed.then_some(cell),
                    ends: view.ends,
                };
                let mut place = None;
                for right in &mut *open_keys {
                    let derived = right.derived_before(at);
                    if derived.0 == NONE && code_at(right.stated, at) != NONE {
                        continue;
                    }
                    let GroupLookup::Group(group) = *place.get_or_insert_with(|| finder.find(at))
                    else {
                        break;
                    };
                    let is_of_another = right.instance.is_some_and(|(index, known)| {
                        let known = code_at(known, at);
                        known != NONE && known != table.value(group, index)
                    });
                    if is_of_another {
                        continue;
                    }
                    let code = if join.only_duplicates {
                        if !is_doubtful(segment_row) {
                            continue;
                        }
                        let values = table.values_of(group, right.index);
                        let mut fit = input.doubt.candidates(input.snapshot, event, right.key);
                        fit.retain(|code| values.contains(code) || unknown.contains(code));
                        match fit[..] {
                            [one] => one,
                            _ => NONE,
                        }
                    } else {
                        table.value(group, right.index)
                    };
                    let is_value = code != NONE && code != CONFLICT;
                    if derived.0 != NONE {
                        let is_withdrawn = !is_value && derived.1 == join.index;
                        if is_withdrawn || (is_value && derived.0 != code) {
                            let values = [derived, (code, join.index)];
                            disagreements.insert((event, right.key), values);
                        }
                        continue;
                    }
                    if !is_value
                        || (!self.blocked.is_empty()
                            && self.blocked.contains_key(&(event, right.key)))
                    {
                        continue;
                    }
                    let found = right
                        .new_values
                        .get_or_insert_with(|| CellValues::empty(cells));
                    found.set(cell, (code, join.index));
                }
            }
        }
        disagreements
    }

    /// Merges a column into those that other joins derived in the same round.
    fn merge_column(&mut self, column: DerivedKeyColumn) {
        let view = *self.key_columns.view();
        let key = column.key;
        let Some(other) = self.new_columns.iter_mut().find(|c| c.key == key) else {
            self.new_columns.push(column);
            return;
        };
        if let (DerivedCells::Uniform(a, _), DerivedCells::Uniform(b, _)) =
            (&other.cells, &column.cells)
            && a == b
        {
            return;
        }
        let rows = view.group.rows.len();
        let is_slots = other.cells.is_per_element() || column.cells.is_per_element();
        let ends = view.ends.filter(|_| is_slots);
        let new = column.cells.into_list(rows, ends);
        let no_cells = DerivedCells::Rows(CellValues::empty(0));
        let mut list = std::mem::replace(&mut other.cells, no_cells).into_list(rows, ends);
        for row in 0..rows {
            for cell in element_range(ends, row) {
                match (list.codes[cell], new.codes[cell]) {
                    (_, NONE) => {}
                    (NONE, _) => list.set(cell, new.get(cell)),
                    (a, b) if a == b => {}
                    _ => {
                        let event = EventId(self.base + u32::from(view.group.rows[row]));
                        let values = [list.get(cell), new.get(cell)];
                        self.disagreements.insert((event, key), values);
                    }
                }
            }
        }
        other.cells = DerivedCells::from_list(list, ends);
    }
}
