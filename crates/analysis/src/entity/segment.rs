//! Instances of one entity in one segment: the instances of its rows, found by columns, and the
//! marks of its events.

use std::mem::{replace, take};
use std::ops::Range;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::key_column::{KeyColumn, UNUSABLE, element_range};

use crate::entity::cell_ids::number_cells;
use crate::entity::extent::SingleExtent;
use crate::entity::ids::{IdBuffers, NO_INSTANCE};
use crate::entity::key_numbers::KeyNumbers;
use crate::entity::members::{
    GroupMembers, LIST_FLAG, ListedInstances, RowMembers, common_members,
};
use crate::entity::plan::EntityPlan;
use crate::entity::segment_instances::{FoundMark, InstanceMark, SegmentInstances};
use crate::entity::shared_columns::{CellCodes, GroupCells, KeyNumber, SegmentColumns};
use crate::entity::time_range::spot;

/// Instances of the cells of a group.
#[derive(Clone, Copy)]
enum Owners<'a> {
    /// All cells belong to this instance.
    Single(u32),
    /// Instance of each cell, or `NO_INSTANCE`.
    PerCell(&'a [u32]),
}

impl Owners<'_> {
    /// Iterates over the cells with an instance, and the instance.
    fn assigned_cells(self, cells: usize) -> impl Iterator<Item = (usize, u32)> {
        let of = move |cell: usize| match self {
            Owners::Single(one) => one,
            Owners::PerCell(all) => all[cell],
        };
        let all = (0..cells).map(move |cell| (cell, of(cell)));
        all.filter(|(_, own)| *own != NO_INSTANCE)
    }
}

/// Marks a cell that takes no part.
const SKIPPED: u32 = NO_INSTANCE - 1;

/// Marks a cell that may belong to one of several instances, which a shorter id would merge into
/// one.
const DISPUTED: u32 = NO_INSTANCE - 2;

/// Buffers reused from segment to segment: allocation would be a large part of the cost.
#[derive(Default)]
pub(super) struct ScanBuffers {
    row_instances: Vec<u32>,
    cell_instances: Vec<u32>,
    row_lists: ListedInstances,
    single_extents: Vec<SingleExtent>,
    /// Lookup structures by plan.
    id_buffers: Vec<IdBuffers>,
    marks: Vec<FoundMark>,
}

/// Scans a segment for the instances of a plan with this index.
pub(super) fn scan_segment(
    segment_columns: &SegmentColumns<'_>,
    (at, plan): (usize, &EntityPlan),
    numbers: &KeyNumbers,
    scratch: &mut ScanBuffers,
) -> SegmentInstances {
    if scratch.id_buffers.len() <= at {
        scratch.id_buffers.resize_with(at + 1, IdBuffers::default);
    }
    scratch.row_instances.clear();
    scratch.row_lists.clear();
    scratch.single_extents.clear();
    let mut scan = Scan {
        columns: segment_columns,
        numbers,
        condition: plan
            .condition
            .as_deref()
            .map(|only| only.segment(segment_columns.view.index)),
        found: SegmentInstances {
            marks: take(&mut scratch.marks),
            ..SegmentInstances::new(plan.ids.len(), take(&mut scratch.id_buffers[at]))
        },
        row_lists: take(&mut scratch.row_lists),
        cell_instances: take(&mut scratch.cell_instances),
        row_instances: take(&mut scratch.row_instances),
        single_extents: take(&mut scratch.single_extents),
        group_members: vec![GroupMembers::None; segment_columns.key_columns.len()],
    };
    for group in 0..segment_columns.key_columns.len() {
        scan.scan_group(group);
    }
    scan.fill_rows();
    scan.add_condition_marks(plan);
    let Scan {
        mut found,
        row_lists: several,
        single_extents: mut alone,
        group_members: of_group,
        row_instances: of_row,
        cell_instances: own,
        ..
    } = scan;
    let members = (&of_group[..], &of_row[..]);
    let names = (&numbers.labels[..], &numbers.places[..]);
    scratch.id_buffers[at] = found.complete(
        (segment_columns, plan),
        names,
        members,
        (&several, &mut alone),
    );
    // Shrink the marks, which stay in memory.
    let marks = found.marks.as_slice().to_vec();
    scratch.marks = replace(&mut found.marks, marks);
    scratch.marks.clear();
    (scratch.row_instances, scratch.cell_instances) = (of_row, own);
    (scratch.row_lists, scratch.single_extents) = (several, alone);
    found
}

/// Scan of one segment for the instances of one plan.
struct Scan<'a> {
    columns: &'a SegmentColumns<'a>,
    numbers: &'a KeyNumbers,
    /// Rows that may identify an instance, if there is a condition; `Some(None)` if no row fits.
    condition: Option<Option<&'a Bits>>,
    found: SegmentInstances,
    row_lists: ListedInstances,
    /// Instance of each cell of the current group.
    cell_instances: Vec<u32>,
    /// Instance by row; empty while all groups have one instance each.
    row_instances: Vec<u32>,
    /// Extent of the rows that belong to one instance only, by instance, in groups with different
    /// instances.
    single_extents: Vec<SingleExtent>,
    group_members: Vec<GroupMembers>,
}

impl Scan<'_> {
    /// Allocates the instances by row.
    fn allocate_rows(&mut self) {
        if self.row_instances.is_empty() {
            let rows = self.columns.view.segment.len();
            self.row_instances.resize(rows, NO_INSTANCE);
        }
    }

    /// Fills in the rows of groups with one instance, unless all groups have the same.
    fn fill_rows(&mut self) {
        if common_members(&self.group_members).is_some() {
            return;
        }
        self.allocate_rows();
        for (group, group_kind) in self
            .columns
            .view
            .segment
            .groups
            .iter()
            .zip(&self.group_members)
        {
            if let GroupMembers::Single(one) = group_kind {
                for row in &group.rows {
                    self.row_instances[usize::from(*row)] = *one;
                }
            }
        }
    }

    /// Whether a row may identify an instance.
    fn is_candidate(&self, row: usize) -> bool {
        let Some(only) = self.condition else {
            return true;
        };
        only.is_some_and(|rows| rows.get(row))
    }

    /// Scans a group of rows: assigns instances to its cells and adds their marks.
    fn scan_group(&mut self, at: usize) {
        let segment_columns = self.columns;
        let (key_columns, ends) = (&segment_columns.key_columns[at], segment_columns.ends[at]);
        let rows = &segment_columns.view.segment.groups[at].rows;
        let is_complete =
            |id: &&Vec<KeyNumber>| !id.iter().any(|key| key_columns[*key].is_absent());
        if !self.numbers.ids.iter().any(|id| is_complete(&id)) {
            self.count_undecided(at, None);
            return;
        }
        if let Some(one) = self.constant_instance(at) {
            self.group_members[at] = GroupMembers::Single(one);
            let cells = GroupCells::new(rows.len(), ends, false);
            self.add_marks(at, &cells, Owners::Single(one));
            return;
        }
        let keys = self.numbers.ids.iter().flatten();
        let is_listed = { keys }.any(|key| matches!(key_columns[*key], KeyColumn::Elements(_)));
        let cells = GroupCells::new(rows.len(), ends, is_listed);
        let mut own = take(&mut self.cell_instances);
        own.clear();
        own.resize(cells.len(), NO_INSTANCE);
        if segment_columns.duplicates.is_some() || self.condition.is_some() {
            for (cell, own) in own.iter_mut().enumerate() {
                let row = usize::from(rows[cells.row(cell)]);
                if segment_columns.is_duplicate(row) || !self.is_candidate(row) {
                    *own = SKIPPED;
                }
            }
        }
        for (alternative, id) in self.numbers.ids.iter().enumerate() {
            if own.contains(&NO_INSTANCE) && is_complete(&id) {
                self.mark_disputed(alternative, rows, &cells, &mut own);
                let codes: Vec<CellCodes<'_>> =
                    id.iter().map(|k| cells.codes(&key_columns[*k])).collect();
                number_cells(&mut self.found.ids, alternative as u32, &codes, &mut own);
            }
        }
        if segment_columns.duplicates.is_some()
            || self.condition.is_some()
            || !segment_columns.view.disputed.is_empty()
        {
            let is_unassigned = |own: &u32| [SKIPPED, DISPUTED].contains(own);
            for own in own.iter_mut().filter(|own| is_unassigned(own)) {
                *own = NO_INSTANCE;
            }
        }
        self.group_members[at] = match own.first() {
            _ if cells.is_listed() => GroupMembers::Lists,
            Some(first) if own.iter().all(|one| one == first) => match *first {
                NO_INSTANCE => GroupMembers::None,
                one => GroupMembers::Single(one),
            },
            _ => GroupMembers::PerRow,
        };
        match self.group_members[at] {
            GroupMembers::None | GroupMembers::Single(_) => {}
            GroupMembers::PerRow => self.assign_rows(rows, &own),
            GroupMembers::Lists => self.assign_lists(rows, &own, ends),
        }
        if cells.is_listed() {
            let of_row = |row: &u16| self.row_instances[usize::from(*row)];
            let own: Vec<u32> = rows.iter().map(of_row).collect();
            self.count_undecided(at, Some(&own));
        } else if own.contains(&NO_INSTANCE) {
            self.count_undecided(at, Some(&own));
        }
        self.add_marks(at, &cells, Owners::PerCell(&own));
        self.cell_instances = own;
    }

    /// Marks cells whose id is ambiguous: their records stand in several files whose paths differ
    /// in a key that only longer ids have.
    fn mark_disputed(
        &self,
        alternative: usize,
        rows: &[u16],
        cells: &GroupCells<'_>,
        own: &mut [u32],
    ) {
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
        for (cell, own) in own
            .iter_mut()
            .enumerate()
            .filter(|(_, own)| **own == NO_INSTANCE)
        {
            let row = rows[cells.row(cell)];
            if missing.iter().any(|key| view.is_disputed(*key, row)) {
                *own = DISPUTED;
            }
        }
    }

    /// Instance of all rows of a group, if constant columns decide it.
    fn constant_instance(&mut self, at: usize) -> Option<u32> {
        let has_duplicates =
            self.columns.duplicates.is_some() || !self.columns.view.disputed.is_empty();
        if has_duplicates || self.condition.is_some() {
            return None;
        }
        let key_columns = &self.columns.key_columns[at];
        let mut ids = self.numbers.ids.iter().zip(0u32..);
        let is_known = |key: &KeyNumber| {
            !matches!(
                key_columns[*key],
                KeyColumn::Absent | KeyColumn::Const(NONE | UNUSABLE)
            )
        };
        let is_list = |key: &KeyNumber| matches!(key_columns[*key], KeyColumn::Elements(_));
        if self.numbers.ids.iter().flatten().any(is_list) {
            return None;
        }
        let (id, alternative) = ids.find(|(id, _)| id.iter().all(is_known))?;
        let of = |key: &KeyNumber| match key_columns[*key] {
            KeyColumn::Const(code) => Some(code),
            _ => None,
        };
        let codes: Option<Vec<Code>> = id.iter().map(of).collect();
        let codes = codes?;
        let (last, inner) = codes.split_last()?;
        let ids = &mut self.found.ids;
        let from = inner
            .iter()
            .fold(alternative, |from, code| ids.inner_number(from, *code));
        Some(ids.whole_number(from, *last))
    }

    /// Adds the marks of the cells of a group.
    fn add_marks(&mut self, at: usize, cells: &GroupCells<'_>, own: Owners<'_>) {
        self.add_state_marks(at, cells, own);
        for (key, by) in &self.numbers.dependencies {
            self.add_dependency_marks(at, cells, own, *key, *by);
        }
    }

    /// Stores the instance of each row, and extends the instances' extents while the rows are at
    /// hand.
    fn assign_rows(&mut self, rows: &[u16], own: &[u32]) {
        self.allocate_rows();
        let segment_columns = self.columns;
        // With untimed rows the timed ones do not suffice: `extent::extents` reads each row.
        let reaching = match segment_columns.is_all_timed() {
            true => self.found.ids.len(),
            false => 0,
        };
        self.single_extents.resize(reaching, SingleExtent::EMPTY);
        for (at, (row, own)) in rows.iter().zip(own).enumerate() {
            let row = usize::from(*row);
            self.row_instances[row] = *own;
            if let Some(alone) = self.single_extents.get_mut(*own as usize) {
                alone.add(spot(segment_columns.positions[row], row, at));
            }
        }
    }

    /// Stores the instances of each row of a group whose rows may have several.
    fn assign_lists(&mut self, rows: &[u16], own: &[u32], ends: Option<&[u32]>) {
        self.allocate_rows();
        for (at, row) in rows.iter().enumerate() {
            let list: Range<usize> = element_range(ends, at);
            let mut all = list.clone().filter(|place| own[*place] != NO_INSTANCE);
            self.row_instances[usize::from(*row)] = match all.next() {
                None => NO_INSTANCE,
                Some(one) if list.len() == 1 => own[one],
                Some(one) => {
                    let all = std::iter::once(one).chain(all);
                    let pairs = all.map(|place| (place as u32, own[place]));
                    LIST_FLAG | self.row_lists.push(pairs)
                }
            };
        }
    }

    /// Counts the rows of a group that have the last key of an id but no instance; `own` are the
    /// instances of the rows, if any row has one.
    fn count_undecided(&mut self, at: usize, own: Option<&[u32]>) {
        let segment_columns = self.columns;
        let key_columns: Vec<&KeyColumn> = self
            .numbers
            .last_keys
            .iter()
            .map(|key| &segment_columns.key_columns[at][*key])
            .filter(|key_column| !key_column.is_absent())
            .collect();
        if key_columns.is_empty() {
            return;
        }
        if let ([KeyColumn::Rows(codes)], None) = (&key_columns[..], self.condition)
            && segment_columns.duplicates.is_none()
        {
            let names = |code: &Code| *code != NONE;
            self.found.undecided += match own {
                None => codes.iter().filter(|code| names(code)).count(),
                Some(own) => {
                    let all = codes.iter().zip(own);
                    all.filter(|(code, own)| names(code) && **own == NO_INSTANCE)
                        .count()
                }
            } as u64;
            return;
        }
        let is = |(place, row): &(usize, &u16)| {
            let row = usize::from(**row);
            let names =
                |key_column: &&KeyColumn| key_column.row(*place, segment_columns.ends[at]) != NONE;
            let is_free = own.is_none_or(|own| own[*place] == NO_INSTANCE);
            is_free
                && !segment_columns.is_duplicate(row)
                && self.is_candidate(row)
                && key_columns.iter().any(names)
        };
        let rows = segment_columns.view.segment.groups[at]
            .rows
            .iter()
            .enumerate();
        self.found.undecided += rows.filter(is).count() as u64;
    }

    /// Adds marks for the states that the cells of a group name.
    fn add_state_marks(&mut self, at: usize, cells: &GroupCells<'_>, own: Owners<'_>) {
        let Some(key) = self.numbers.state else {
            return;
        };
        let codes = cells.codes(&self.columns.key_columns[at][key]);
        if matches!(codes, CellCodes::Absent) {
            return;
        }
        let rows = &self.columns.view.segment.groups[at].rows;
        for (cell, own) in own.assigned_cells(cells.len()) {
            let code = codes.get(cell);
            if code != NONE {
                let event = self.columns.base + u32::from(rows[cells.row(cell)]);
                let mark = InstanceMark::State(code);
                self.found.marks.push((event, own, mark));
            }
        }
    }

    /// Adds marks for the dependencies that the cells of a group name.
    fn add_dependency_marks(
        &mut self,
        at: usize,
        cells: &GroupCells<'_>,
        own: Owners<'_>,
        key: KeyNumber,
        by: Option<u8>,
    ) {
        let key_column = &self.columns.key_columns[at][key];
        if key_column.is_absent() {
            return;
        }
        let rows = &self.columns.view.segment.groups[at].rows;
        for (cell, own) in own.assigned_cells(cells.len()) {
            let row = cells.row(cell);
            let event = self.columns.base + u32::from(rows[row]);
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
                    let list = codes.get(element_range(self.columns.ends[at], row));
                    list.unwrap_or_default().iter().for_each(|code| mark(*code));
                }
                key_column => mark(key_column.row(row, self.columns.ends[at])),
            }
        }
    }

    /// Adds marks for the rows that fit conditions: few as a rule.
    fn add_condition_marks(&mut self, plan: &EntityPlan) {
        if self.found.ids.len() == 0 {
            return;
        }
        let mut all: Vec<(&Selection, InstanceMark)> = Vec::new();
        for (number, transition) in plan.transitions.iter().enumerate() {
            all.push((&transition.events, InstanceMark::Transition(number as u16)));
        }
        let ends = [
            (&plan.begun, InstanceMark::Begun),
            (&plan.start, InstanceMark::Start),
            (&plan.end, InstanceMark::End),
            (&plan.alternative_start, InstanceMark::AlternativeStart),
            (&plan.alternative_end, InstanceMark::AlternativeEnd),
            (&plan.lost, InstanceMark::Lost),
            (&plan.obsolete, InstanceMark::Obsolete),
            (&plan.returned, InstanceMark::Returned),
        ];
        let ends = ends.into_iter();
        all.extend(ends.filter_map(|(events, mark)| Some((&**events.as_ref()?, mark))));
        let members = RowMembers::new(&self.group_members, &self.row_instances, &self.row_lists);
        let marks = &mut self.found.marks;
        for (events, mark) in all {
            let Some(bits) = events.segment(self.columns.view.index) else {
                continue;
            };
            for row in bits.ones() {
                let event = self.columns.base + row as u32;
                members.for_each(row, |own, _| marks.push((event, own, mark)));
            }
        }
    }
}
