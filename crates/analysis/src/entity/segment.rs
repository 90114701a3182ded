//! Instances of one entity in one segment: the instances of its rows, found by columns, and the
//! marks of its events.

use std::mem::{replace, take};
use std::ops::Range;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::lanes::{Lane, UNUSABLE, places};

use crate::entity::cell_ids::number;
use crate::entity::extent::Alone;
use crate::entity::ids::{IdMaps, NOBODY};
use crate::entity::key_numbers::KeyNumbers;
use crate::entity::members::{GroupMembers, Members, SEVERAL, Several, all};
use crate::entity::plan::EntityPlan;
use crate::entity::segment_instances::{FoundMark, InstanceMark, SegmentInstances};
use crate::entity::shared_columns::{Codes, Ground, GroupCells, KeyNumber};
use crate::entity::time_range::spot;

/// Instances of the cells of a group.
#[derive(Clone, Copy)]
enum Owners<'a> {
    /// All cells belong to this instance.
    One(u32),
    /// Instance of each cell, or `NOBODY`.
    Each(&'a [u32]),
}

impl Owners<'_> {
    /// Iterates over the cells with an instance, and the instance.
    fn all(self, cells: usize) -> impl Iterator<Item = (usize, u32)> {
        let of = move |cell: usize| match self {
            Owners::One(one) => one,
            Owners::Each(all) => all[cell],
        };
        let all = (0..cells).map(move |cell| (cell, of(cell)));
        all.filter(|(_, own)| *own != NOBODY)
    }
}

/// Marks a cell that takes no part.
const SKIPPED: u32 = NOBODY - 1;

/// Marks a cell that may belong to one of several instances, which a shorter id would merge into
/// one.
const DISPUTED: u32 = NOBODY - 2;

/// Buffers reused from segment to segment: allocation would be a large part of the cost.
#[derive(Default)]
pub(super) struct Scratch {
    of_row: Vec<u32>,
    own: Vec<u32>,
    several: Several,
    alone: Vec<Alone>,
    /// Lookup structures by plan.
    maps: Vec<IdMaps>,
    marks: Vec<FoundMark>,
}

/// Scans a segment for the instances of a plan with this index.
pub(super) fn of_segment(
    ground: &Ground<'_>,
    (at, plan): (usize, &EntityPlan),
    numbers: &KeyNumbers,
    scratch: &mut Scratch,
) -> SegmentInstances {
    if scratch.maps.len() <= at {
        scratch.maps.resize_with(at + 1, IdMaps::default);
    }
    scratch.of_row.clear();
    scratch.several.clear();
    scratch.alone.clear();
    let mut scan = Scan {
        ground,
        numbers,
        only: plan
            .only
            .as_deref()
            .map(|only| only.segment(ground.view.index)),
        found: SegmentInstances {
            marks: take(&mut scratch.marks),
            ..SegmentInstances::new(plan.ids.len(), take(&mut scratch.maps[at]))
        },
        several: take(&mut scratch.several),
        own: take(&mut scratch.own),
        of_row: take(&mut scratch.of_row),
        alone: take(&mut scratch.alone),
        of_group: vec![GroupMembers::None; ground.lanes.len()],
    };
    for group in 0..ground.lanes.len() {
        scan.group(group);
    }
    scan.close_rows();
    scan.conditions(plan);
    let Scan {
        mut found,
        several,
        mut alone,
        of_group,
        of_row,
        own,
        ..
    } = scan;
    let about = (&of_group[..], &of_row[..]);
    let names = (&numbers.labels[..], &numbers.places[..]);
    scratch.maps[at] = found.close((ground, plan), names, about, (&several, &mut alone));
    // Shrink the marks, which stay in memory.
    let marks = found.marks.as_slice().to_vec();
    scratch.marks = replace(&mut found.marks, marks);
    scratch.marks.clear();
    (scratch.of_row, scratch.own) = (of_row, own);
    (scratch.several, scratch.alone) = (several, alone);
    found
}

struct Scan<'a> {
    ground: &'a Ground<'a>,
    numbers: &'a KeyNumbers,
    /// Rows that may identify an instance, if there is a condition; `Some(None)` if no row fits.
    only: Option<Option<&'a Bits>>,
    found: SegmentInstances,
    several: Several,
    /// Instance of each cell of the current group.
    own: Vec<u32>,
    /// Instance by row; empty while all groups have one instance each.
    of_row: Vec<u32>,
    /// Extent of the rows that belong to one instance only, by instance, in groups with different
    /// instances.
    alone: Vec<Alone>,
    of_group: Vec<GroupMembers>,
}

impl Scan<'_> {
    /// Allocates the instances by row.
    fn open_rows(&mut self) {
        if self.of_row.is_empty() {
            let rows = self.ground.view.segment.len();
            self.of_row.resize(rows, NOBODY);
        }
    }

    /// Fills in the rows of groups with one instance, unless all groups have the same.
    fn close_rows(&mut self) {
        if all(&self.of_group).is_some() {
            return;
        }
        self.open_rows();
        for (group, about) in self.ground.view.segment.groups.iter().zip(&self.of_group) {
            if let GroupMembers::One(one) = about {
                for row in &group.rows {
                    self.of_row[usize::from(*row)] = *one;
                }
            }
        }
    }

    /// Whether a row may identify an instance.
    fn is_meant(&self, row: usize) -> bool {
        let Some(only) = self.only else {
            return true;
        };
        only.is_some_and(|rows| rows.get(row))
    }

    fn group(&mut self, at: usize) {
        let ground = self.ground;
        let (lanes, ends) = (&ground.lanes[at], ground.ends[at]);
        let rows = &ground.view.segment.groups[at].rows;
        let is_complete = |id: &&Vec<KeyNumber>| !id.iter().any(|key| lanes[*key].is_absent());
        if !self.numbers.ids.iter().any(|id| is_complete(&id)) {
            self.undecided(at, None);
            return;
        }
        if let Some(one) = self.whole_group(at) {
            self.of_group[at] = GroupMembers::One(one);
            let cells = GroupCells::new(rows.len(), ends, false);
            self.told(at, &cells, Owners::One(one));
            return;
        }
        let keys = self.numbers.ids.iter().flatten();
        let is_listed = { keys }.any(|key| matches!(lanes[*key], Lane::Slots(_)));
        let cells = GroupCells::new(rows.len(), ends, is_listed);
        let mut own = take(&mut self.own);
        own.clear();
        own.resize(cells.len(), NOBODY);
        if ground.copies.is_some() || self.only.is_some() {
            for (cell, own) in own.iter_mut().enumerate() {
                let row = usize::from(rows[cells.row(cell)]);
                if ground.is_copy(row) || !self.is_meant(row) {
                    *own = SKIPPED;
                }
            }
        }
        for (alternative, id) in self.numbers.ids.iter().enumerate() {
            if own.contains(&NOBODY) && is_complete(&id) {
                self.leave_disputed(alternative, rows, &cells, &mut own);
                let codes: Vec<Codes<'_>> = id.iter().map(|k| cells.codes(&lanes[*k])).collect();
                number(&mut self.found.ids, alternative as u32, &codes, &mut own);
            }
        }
        if ground.copies.is_some() || self.only.is_some() || !ground.view.copied.is_empty() {
            let is_nobodys = |own: &u32| [SKIPPED, DISPUTED].contains(own);
            for own in own.iter_mut().filter(|own| is_nobodys(own)) {
                *own = NOBODY;
            }
        }
        self.of_group[at] = match own.first() {
            _ if cells.is_listed() => GroupMembers::Lists,
            Some(first) if own.iter().all(|one| one == first) => match *first {
                NOBODY => GroupMembers::None,
                one => GroupMembers::One(one),
            },
            _ => GroupMembers::Each,
        };
        match self.of_group[at] {
            GroupMembers::None | GroupMembers::One(_) => {}
            GroupMembers::Each => self.place(rows, &own),
            GroupMembers::Lists => self.place_lists(rows, &own, ends),
        }
        if cells.is_listed() {
            let of_row = |row: &u16| self.of_row[usize::from(*row)];
            let own: Vec<u32> = rows.iter().map(of_row).collect();
            self.undecided(at, Some(&own));
        } else if own.contains(&NOBODY) {
            self.undecided(at, Some(&own));
        }
        self.told(at, &cells, Owners::Each(&own));
        self.own = own;
    }

    /// Marks cells whose id is ambiguous: their records stand in several files whose paths differ
    /// in a key that only longer ids have.
    fn leave_disputed(
        &self,
        alternative: usize,
        rows: &[u16],
        cells: &GroupCells<'_>,
        own: &mut [u32],
    ) {
        let (view, ids) = (self.ground.view, &self.numbers.ids);
        if view.copied.is_empty() {
            return;
        }
        let id = &ids[alternative];
        let is_longer =
            |of: &&Vec<KeyNumber>| of.len() > id.len() && id.iter().all(|k| of.contains(k));
        let longer = ids[..alternative].iter().filter(is_longer).flatten();
        let missing: Vec<KeyId> = longer
            .filter(|key| !id.contains(key))
            .map(|key| self.ground.keys[*key])
            .collect();
        for (cell, own) in own
            .iter_mut()
            .enumerate()
            .filter(|(_, own)| **own == NOBODY)
        {
            let row = rows[cells.row(cell)];
            if missing.iter().any(|key| view.disputes(*key, row)) {
                *own = DISPUTED;
            }
        }
    }

    /// Instance of all rows of a group, if constant columns decide it.
    fn whole_group(&mut self, at: usize) -> Option<u32> {
        let has_copies = self.ground.copies.is_some() || !self.ground.view.copied.is_empty();
        if has_copies || self.only.is_some() {
            return None;
        }
        let lanes = &self.ground.lanes[at];
        let mut ids = self.numbers.ids.iter().zip(0u32..);
        let is_known =
            |key: &KeyNumber| !matches!(lanes[*key], Lane::Absent | Lane::Const(NONE | UNUSABLE));
        let is_list = |key: &KeyNumber| matches!(lanes[*key], Lane::Slots(_));
        if self.numbers.ids.iter().flatten().any(is_list) {
            return None;
        }
        let (id, alternative) = ids.find(|(id, _)| id.iter().all(is_known))?;
        let of = |key: &KeyNumber| match lanes[*key] {
            Lane::Const(code) => Some(code),
            _ => None,
        };
        let codes: Option<Vec<Code>> = id.iter().map(of).collect();
        let codes = codes?;
        let (last, inner) = codes.split_last()?;
        let ids = &mut self.found.ids;
        let from = inner
            .iter()
            .fold(alternative, |from, code| ids.inner(from, *code));
        Some(ids.whole(from, *last))
    }

    /// Adds the marks of the cells of a group.
    fn told(&mut self, at: usize, cells: &GroupCells<'_>, own: Owners<'_>) {
        self.states(at, cells, own);
        for (key, by) in &self.numbers.others {
            self.others(at, cells, own, *key, *by);
        }
    }

    /// Stores the instance of each row, and extends the instances' extents while the rows are at
    /// hand.
    fn place(&mut self, rows: &[u16], own: &[u32]) {
        self.open_rows();
        let ground = self.ground;
        // With untimed rows the timed ones do not suffice: `extents` reads each row.
        let reaching = match ground.is_all_timed() {
            true => self.found.ids.len(),
            false => 0,
        };
        self.alone.resize(reaching, Alone::NOTHING);
        for (at, (row, own)) in rows.iter().zip(own).enumerate() {
            let row = usize::from(*row);
            self.of_row[row] = *own;
            if let Some(alone) = self.alone.get_mut(*own as usize) {
                alone.add(spot(ground.places[row], row, at));
            }
        }
    }

    /// Stores the instances of each row of a group whose rows may have several.
    fn place_lists(&mut self, rows: &[u16], own: &[u32], ends: Option<&[u32]>) {
        self.open_rows();
        for (at, row) in rows.iter().enumerate() {
            let list: Range<usize> = places(ends, at);
            let mut all = list.clone().filter(|place| own[*place] != NOBODY);
            self.of_row[usize::from(*row)] = match all.next() {
                None => NOBODY,
                Some(one) if list.len() == 1 => own[one],
                Some(one) => {
                    let all = std::iter::once(one).chain(all);
                    let pairs = all.map(|place| (place as u32, own[place]));
                    SEVERAL | self.several.push(pairs)
                }
            };
        }
    }

    /// Counts the rows of a group that have the last key of an id but no instance; `own` are the
    /// instances of the rows, if any row has one.
    fn undecided(&mut self, at: usize, own: Option<&[u32]>) {
        let ground = self.ground;
        let lanes: Vec<&Lane> = self
            .numbers
            .last
            .iter()
            .map(|key| &ground.lanes[at][*key])
            .filter(|lane| !lane.is_absent())
            .collect();
        if lanes.is_empty() {
            return;
        }
        if let ([Lane::Rows(codes)], None) = (&lanes[..], self.only)
            && ground.copies.is_none()
        {
            let names = |code: &Code| *code != NONE;
            self.found.undecided += match own {
                None => codes.iter().filter(|code| names(code)).count(),
                Some(own) => {
                    let all = codes.iter().zip(own);
                    all.filter(|(code, own)| names(code) && **own == NOBODY)
                        .count()
                }
            } as u64;
            return;
        }
        let is = |(place, row): &(usize, &u16)| {
            let row = usize::from(**row);
            let names = |lane: &&Lane| lane.row(*place, ground.ends[at]) != NONE;
            let is_free = own.is_none_or(|own| own[*place] == NOBODY);
            is_free && !ground.is_copy(row) && self.is_meant(row) && lanes.iter().any(names)
        };
        let rows = ground.view.segment.groups[at].rows.iter().enumerate();
        self.found.undecided += rows.filter(is).count() as u64;
    }

    fn states(&mut self, at: usize, cells: &GroupCells<'_>, own: Owners<'_>) {
        let Some(key) = self.numbers.state else {
            return;
        };
        let codes = cells.codes(&self.ground.lanes[at][key]);
        if matches!(codes, Codes::Absent) {
            return;
        }
        let rows = &self.ground.view.segment.groups[at].rows;
        for (cell, own) in own.all(cells.len()) {
            let code = codes.get(cell);
            if code != NONE {
                let event = self.ground.base + u32::from(rows[cells.row(cell)]);
                let mark = InstanceMark::State(code);
                self.found.marks.push((event, own, mark));
            }
        }
    }

    fn others(
        &mut self,
        at: usize,
        cells: &GroupCells<'_>,
        own: Owners<'_>,
        key: KeyNumber,
        by: Option<u8>,
    ) {
        let lane = &self.ground.lanes[at][key];
        if lane.is_absent() {
            return;
        }
        let rows = &self.ground.view.segment.groups[at].rows;
        for (cell, own) in own.all(cells.len()) {
            let row = cells.row(cell);
            let event = self.ground.base + u32::from(rows[row]);
            let mut mark = |code: Code| {
                if code != NONE && code != UNUSABLE {
                    let mark = by.map_or(InstanceMark::Awaited(code), |by| {
                        InstanceMark::Waits(by, code)
                    });
                    self.found.marks.push((event, own, mark));
                }
            };
            match lane {
                Lane::Slots(codes) => {
                    let list = codes.get(places(self.ground.ends[at], row));
                    list.unwrap_or_default().iter().for_each(|code| mark(*code));
                }
                lane => mark(lane.row(row, self.ground.ends[at])),
            }
        }
    }

    /// Adds marks for the rows that fit conditions: few as a rule.
    fn conditions(&mut self, plan: &EntityPlan) {
        if self.found.ids.len() == 0 {
            return;
        }
        let mut all: Vec<(&Selection, InstanceMark)> = Vec::new();
        for (number, turn) in plan.transitions.iter().enumerate() {
            all.push((&turn.events, InstanceMark::Transition(number as u16)));
        }
        let ends = [
            (&plan.begun, InstanceMark::Begun),
            (&plan.start, InstanceMark::Start),
            (&plan.end, InstanceMark::End),
            (&plan.start_else, InstanceMark::StartElse),
            (&plan.end_else, InstanceMark::EndElse),
            (&plan.lost, InstanceMark::Lost),
            (&plan.over, InstanceMark::Over),
            (&plan.back, InstanceMark::Back),
            (&plan.awaited_since, InstanceMark::Since),
        ];
        let ends = ends.into_iter();
        all.extend(ends.filter_map(|(events, mark)| Some((&**events.as_ref()?, mark))));
        let members = Members::new(&self.of_group, &self.of_row, &self.several);
        let marks = &mut self.found.marks;
        for (events, mark) in all {
            let Some(bits) = events.segment(self.ground.view.index) else {
                continue;
            };
            for row in bits.ones() {
                let event = self.ground.base + row as u32;
                members.each(row, |own, _| marks.push((event, own, mark)));
            }
        }
    }
}
