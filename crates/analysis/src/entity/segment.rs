//! Instances of one entity in one segment: the instances of its rows, found by columns, and the
//! marks of its events.

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_query::bits::Bits;
use widetui_store::key_column::{
    CellPosition, KeyColumn, UNUSABLE, cells, cells_of_row, element_range, usable,
};

use crate::entity::ids::NO_INSTANCE;
use crate::entity::key_numbers::KeyNumbers;
use crate::entity::members::RowMembers;
use crate::entity::plan::{EntityPlan, InstanceMark};
use crate::entity::segment_instances::SegmentInstances;
use crate::entity::shared_columns::{KeyNumber, SegmentColumns};

/// Marks a cell that takes no part.
const SKIPPED: u32 = NO_INSTANCE - 1;

/// Marks a cell that may belong to one of several instances, which a shorter id would merge into
/// one.
const DISPUTED: u32 = NO_INSTANCE - 2;

/// Scans a segment for the instances of a plan.
pub(super) fn scan_segment(
    segment_columns: &SegmentColumns<'_>,
    plan: &EntityPlan,
    numbers: &KeyNumbers,
) -> SegmentInstances {
    let index = segment_columns.view.index;
    let mut scan = Scan {
        columns: segment_columns,
        numbers,
        condition: plan.condition.as_deref().map(|only| only.segment(index)),
        found: SegmentInstances::new(plan.ids.len()),
        members: RowMembers::default(),
    };
    for group in 0..segment_columns.key_columns.len() {
        scan.scan_group(group);
    }
    scan.add_condition_marks(plan);
    let names = (&numbers.labels[..], &numbers.places[..]);
    scan.found
        .completed((segment_columns, plan), names, scan.members)
}

/// Scan of one segment for the instances of one plan.
struct Scan<'a> {
    columns: &'a SegmentColumns<'a>,
    numbers: &'a KeyNumbers,
    /// Rows that may identify an instance, if there is a condition; `Some(None)` if no row fits.
    condition: Option<Option<&'a Bits>>,
    found: SegmentInstances,
    members: RowMembers,
}

impl Scan<'_> {
    /// True if a row may identify an instance.
    fn is_candidate(&self, row: usize) -> bool {
        let fits = |only: Option<&Bits>| only.is_some_and(|rows| rows.get(row));
        !self.columns.is_duplicate(row) && self.condition.is_none_or(fits)
    }

    /// Scans a group of rows: assigns instances to its cells and adds their marks.
    fn scan_group(&mut self, at: usize) {
        let segment_columns = self.columns;
        let key_columns = &segment_columns.key_columns[at];
        let rows = &segment_columns.view.segment.groups[at].rows;
        let is_complete =
            |id: &&Vec<KeyNumber>| !id.iter().any(|key| key_columns[*key].is_absent());
        let alternatives = self.numbers.ids.iter().zip(0u32..);
        let mut alternatives = alternatives.filter(|(id, _)| is_complete(id)).peekable();
        if alternatives.peek().is_none() {
            self.count_undecided(at);
            return;
        }
        let mut keys = self.numbers.ids.iter().flatten();
        let is_listed = keys.any(|key| matches!(key_columns[*key], KeyColumn::Elements(_)));
        let group = GroupCells {
            group: at,
            rows,
            ends: segment_columns.ends[at],
            is_listed,
        };
        let begin = |cell: CellPosition<'_>| match self.is_candidate(group.row(cell)) {
            true => NO_INSTANCE,
            false => SKIPPED,
        };
        let mut own: Vec<u32> = group.cells().map(begin).collect();
        for (id, alternative) in alternatives {
            self.mark_disputed(alternative as usize, group, &mut own);
            let columns = id.iter().map(|key| &key_columns[*key]);
            let (Some(last), inner) = (id.last(), columns.take(id.len().saturating_sub(1))) else {
                continue;
            };
            let ids = &mut self.found.ids;
            let free = group.cells().zip(&mut own);
            for (cell, own) in free.filter(|(_, own)| **own == NO_INSTANCE) {
                let from = inner.clone().try_fold(alternative, |from, column| {
                    Some(ids.inner_number(from, usable(column.at(cell))?))
                });
                let whole = from.zip(usable(key_columns[*last].at(cell)));
                if let Some((from, code)) = whole {
                    *own = ids.whole_number(from, code);
                }
            }
        }
        let unassigned = own.iter_mut().filter(|own| **own >= DISPUTED);
        unassigned.for_each(|own| *own = NO_INSTANCE);
        self.assign(group, &own);
        self.count_undecided(at);
        self.add_state_marks(group, &own);
        for (key, by) in &self.numbers.dependencies {
            self.add_dependency_marks(group, &own, *key, *by);
        }
    }

    /// Marks cells whose id is ambiguous: their records stand in several files whose paths differ
    /// in a key that only longer ids have.
    fn mark_disputed(&self, alternative: usize, group: GroupCells<'_>, own: &mut [u32]) {
        let (view, ids) = (self.columns.view, &self.numbers.ids);
        if view.disputed.is_empty() {
            return;
        }
        let id = &ids[alternative];
        let is_longer =
            |of: &&Vec<KeyNumber>| of.len() > id.len() && id.iter().all(|k| of.contains(k));
        let longer = ids[..alternative].iter().filter(is_longer).flatten();
        let missing: Vec<KeyId> = longer
            .filter(|key| !id.contains(key))
            .map(|key| self.columns.keys[*key])
            .collect();
        let free = group.cells().zip(own);
        for (cell, own) in free.filter(|(_, own)| **own == NO_INSTANCE) {
            let row = group.rows[cell.row];
            if missing.iter().any(|key| view.is_disputed(*key, row)) {
                *own = DISPUTED;
            }
        }
    }

    /// Stores the instances of the rows of a group; `own` are those of its cells.
    fn assign(&mut self, group: GroupCells<'_>, own: &[u32]) {
        let len = self.columns.view.segment.len();
        for (at, row) in group.rows.iter().enumerate() {
            let cells = cells_of_row(at, group.ends, group.is_listed);
            self.members.set((usize::from(*row), len), cells, own);
        }
    }

    /// Counts the rows of a group that have the last key of an id but no instance.
    fn count_undecided(&mut self, at: usize) {
        let segment_columns = self.columns;
        let last_keys = self.numbers.last_keys.iter();
        let key_columns: Vec<&KeyColumn> = last_keys
            .map(|key| &segment_columns.key_columns[at][*key])
            .filter(|key_column| !key_column.is_absent())
            .collect();
        let is_undecided = |(place, row): &(usize, &u16)| {
            let row = usize::from(**row);
            let names =
                |key_column: &&KeyColumn| key_column.row(*place, segment_columns.ends[at]) != NONE;
            self.members.is_free(row) && self.is_candidate(row) && key_columns.iter().any(names)
        };
        if !key_columns.is_empty() {
            let rows = segment_columns.view.segment.groups[at].rows.iter();
            self.found.undecided += rows.enumerate().filter(is_undecided).count() as u64;
        }
    }

    /// Adds marks for the states that the cells of a group name.
    fn add_state_marks(&mut self, group: GroupCells<'_>, own: &[u32]) {
        let Some(key) = self.numbers.state else {
            return;
        };
        let key_column = &self.columns.key_columns[group.group][key];
        if key_column.is_absent() {
            return;
        }
        for (cell, own) in group.assigned(own) {
            if let Some(code) = usable(key_column.at(cell)) {
                let event = self.columns.base + group.row(cell) as u32;
                let mark = InstanceMark::State(code);
                self.found.marks.push((event, own, mark));
            }
        }
    }

    /// Adds marks for the dependencies that the cells of a group name.
    fn add_dependency_marks(
        &mut self,
        group: GroupCells<'_>,
        own: &[u32],
        key: KeyNumber,
        by: Option<u8>,
    ) {
        let key_column = &self.columns.key_columns[group.group][key];
        if key_column.is_absent() {
            return;
        }
        for (cell, own) in group.assigned(own) {
            let event = self.columns.base + group.row(cell) as u32;
            let mut mark = |code: Code| {
                if code != NONE && code != UNUSABLE {
                    let mark = by.map_or(InstanceMark::AwaitedBy(code), |by| {
                        InstanceMark::DependsOn(by, code)
                    });
                    self.found.marks.push((event, own, mark));
                }
            };
            match key_column {
                KeyColumn::Elements(codes) => {
                    let list = codes.get(element_range(group.ends, cell.row));
                    list.unwrap_or_default().iter().for_each(|code| mark(*code));
                }
                key_column => mark(key_column.row(cell.row, group.ends)),
            }
        }
    }

    /// Adds marks for the rows that fit conditions: few as a rule.
    fn add_condition_marks(&mut self, plan: &EntityPlan) {
        if self.found.ids.len() == 0 {
            return;
        }
        let transitions = plan.transitions.iter().zip(0u16..);
        let transitions = transitions.map(|(of, at)| (InstanceMark::Transition(at), &of.events));
        let moments = plan.moments.iter().map(|(mark, events)| (*mark, events));
        let marks = &mut self.found.marks;
        for (mark, events) in transitions.chain(moments) {
            let Some(bits) = events.segment(self.columns.view.index) else {
                continue;
            };
            for row in bits.ones() {
                let event = self.columns.base + row as u32;
                self.members
                    .for_each(row, |_, own| marks.push((event, own, mark)));
            }
        }
    }
}

/// Cells of a group: its rows, or the elements of their lists if its ids are lists.
#[derive(Clone, Copy)]
struct GroupCells<'a> {
    /// Number of the group.
    group: usize,
    rows: &'a [u16],
    ends: Option<&'a [u32]>,
    is_listed: bool,
}

impl<'a> GroupCells<'a> {
    fn cells(self) -> impl Iterator<Item = CellPosition<'a>> {
        cells(self.rows.len(), self.ends, self.is_listed)
    }

    /// Row of a cell in the segment.
    fn row(self, cell: CellPosition<'_>) -> usize {
        usize::from(self.rows[cell.row])
    }

    /// Cells with an instance, given that of each cell.
    fn assigned(self, own: &[u32]) -> impl Iterator<Item = (CellPosition<'a>, u32)> {
        let all = self.cells().zip(own.iter().copied());
        all.filter(|(_, own)| *own != NO_INSTANCE)
    }
}
