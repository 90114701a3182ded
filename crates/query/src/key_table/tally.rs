//! Counts the keys of segments.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_format::catalog::encode::DEFER;
use widetui_format::catalog::keys::KeyView;
use widetui_store::Snapshot;
use widetui_store::column::{Cell, Column};
use widetui_store::segment::{Group, Segment};

use crate::bits::Bits;
use crate::row_values::for_each_row;
use crate::time_histogram::{BinCounts, RowTimes};

/// Counts of one key.
#[derive(Debug)]
pub(super) struct Tally {
    pub(crate) events: u64,
    pub(crate) codes: FxHashMap<Code, u64>,
    pub(crate) over_time: Box<BinCounts>,
    pub(crate) only_path: bool,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            events: 0,
            codes: FxHashMap::default(),
            over_time: crate::key_table::empty_bins(),
            only_path: true,
        }
    }
}

impl Tally {
    fn add(&mut self, code: Code, n: u64) {
        *self.codes.entry(code).or_default() += n;
    }

    /// Adds rows that all have the key.
    fn add_all(&mut self, rows: &Rows<'_>) {
        self.events += rows.len() as u64;
        for (a, b) in self.over_time.iter_mut().zip(rows.over_time.iter()) {
            *a += b;
        }
    }

    fn merge(&mut self, mut other: Tally) {
        if self.codes.len() < other.codes.len() {
            std::mem::swap(&mut self.codes, &mut other.codes);
        }
        for (code, n) in other.codes {
            *self.codes.entry(code).or_default() += n;
        }
        self.events += other.events;
        for (a, b) in self.over_time.iter_mut().zip(other.over_time.iter()) {
            *a += b;
        }
        self.only_path &= other.only_path;
    }
}

/// The selected rows of a group: their indices in the group, and their distribution over time.
struct Rows<'a> {
    group: &'a Group,
    /// `None` for all rows.
    places: Option<Vec<u32>>,
    over_time: Box<BinCounts>,
}

impl<'a> Rows<'a> {
    fn of(group: &'a Group, chosen: Option<&Bits>, row_times: &RowTimes) -> Rows<'a> {
        let places = chosen.map(|chosen| {
            let rows = (0u32..).zip(group.rows.iter());
            let inside = rows.filter(|(_, row)| chosen.get(usize::from(**row)));
            inside.map(|(place, _)| place).collect::<Vec<u32>>()
        });
        let mut rows = Rows {
            group,
            places,
            over_time: crate::key_table::empty_bins(),
        };
        let mut over_time = crate::key_table::empty_bins();
        rows.each(|place| {
            if let Some(bin) = row_times.bin(usize::from(group.rows[place])) {
                over_time[bin] += 1;
            }
        });
        rows.over_time = over_time;
        rows
    }

    fn len(&self) -> usize {
        self.places.as_ref().map_or(self.group.rows.len(), Vec::len)
    }

    #[inline]
    fn each(&self, mut f: impl FnMut(usize)) {
        match &self.places {
            Some(places) => places.iter().for_each(|p| f(*p as usize)),
            None => (0..self.group.rows.len()).for_each(f),
        }
    }
}

/// Counts of all keys.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    keys: FxHashMap<KeyId, Tally>,
}

impl Tallies {
    pub(crate) fn into_keys(self) -> Vec<(KeyId, Tally)> {
        self.keys.into_iter().collect()
    }

    pub(crate) fn merged(mut self, other: Tallies) -> Tallies {
        for (key, tally) in other.keys {
            match self.keys.get_mut(&key) {
                Some(known) => known.merge(tally),
                None => {
                    self.keys.insert(key, tally);
                }
            }
        }
        self
    }

    /// Counts the selected rows of the segment with this index.
    pub(crate) fn segment(
        &mut self,
        snapshot: &Snapshot,
        index: usize,
        chosen: Option<&Bits>,
        range: (i64, i64),
    ) {
        let segment = &*snapshot.segments[index];
        let row_times = RowTimes::read(snapshot, segment, range);
        let slow = in_several_places(snapshot, index);
        let is_fast = |key: &KeyId| !slow.contains(key);
        for (number, group) in segment.groups.iter().enumerate() {
            let rows = Rows::of(group, chosen, &row_times);
            if rows.len() == 0 {
                continue;
            }
            let derived = snapshot.derived.columns(index, number).iter();
            let columns = group.columns.iter().map(|(k, c)| (k, c));
            let columns = columns.chain(derived.map(|c| (&c.key, &c.cells)));
            for (key, column) in columns.filter(|(k, _)| is_fast(k)) {
                let Some(view) = snapshot.catalog.keys.get(*key) else {
                    continue;
                };
                let tally = self.keys.entry(*key).or_default();
                tally.only_path = false;
                count_column(tally, view, column, &rows, &row_times);
            }
            let shape = snapshot.catalog.shapes.get(group.shape.index());
            let consts = shape.map_or(&[][..], |s| &s.consts);
            for (key, code) in consts.iter().filter(|(k, c)| is_fast(k) && *c != NONE) {
                let tally = self.keys.entry(*key).or_default();
                tally.only_path = false;
                tally.add(*code, rows.len() as u64);
                tally.add_all(&rows);
            }
        }
        self.contexts(snapshot, segment, chosen, &row_times, &is_fast);
        self.paths(snapshot, segment, chosen, &row_times, &is_fast);
        for key in &slow {
            let Some(view) = snapshot.catalog.keys.get(*key) else {
                continue;
            };
            let tally = self.keys.entry(*key).or_default();
            tally.only_path = false;
            for_each_row(snapshot, index, view, chosen, |row, codes| {
                tally.events += 1;
                codes.iter().for_each(|code| tally.add(*code, 1));
                if let Some(bin) = row_times.bin(row) {
                    tally.over_time[bin] += 1;
                }
            });
        }
    }

    fn contexts(
        &mut self,
        snapshot: &Snapshot,
        segment: &Segment,
        chosen: Option<&Bits>,
        row_times: &RowTimes,
        is_fast: &impl Fn(&KeyId) -> bool,
    ) {
        let mut counted: FxHashMap<usize, (u64, Box<BinCounts>)> = FxHashMap::default();
        for row in (0..segment.len()).filter(|r| chosen.is_none_or(|c| c.get(*r))) {
            let Some(context) = segment.context(row) else {
                continue;
            };
            let entry = counted
                .entry(context.index())
                .or_insert_with(|| (0, crate::key_table::empty_bins()));
            entry.0 += 1;
            if let Some(bin) = row_times.bin(row) {
                entry.1[bin] += 1;
            }
        }
        for (context, (rows, over_time)) in counted {
            let values = snapshot.catalog.contexts.get(context);
            let values = values.map_or(&[][..], |v| v);
            for (key, code) in values.iter().filter(|(k, c)| is_fast(k) && *c != NONE) {
                let tally = self.keys.entry(*key).or_default();
                tally.only_path = false;
                tally.add(*code, rows);
                tally.events += rows;
                for (a, b) in tally.over_time.iter_mut().zip(over_time.iter()) {
                    *a += b;
                }
            }
        }
    }

    fn paths(
        &mut self,
        snapshot: &Snapshot,
        segment: &Segment,
        chosen: Option<&Bits>,
        row_times: &RowTimes,
        is_fast: &impl Fn(&KeyId) -> bool,
    ) {
        for part in &segment.parts {
            let Some(source) = snapshot
                .source(part.source)
                .filter(|s| !s.consts.is_empty())
            else {
                continue;
            };
            let (mut rows, mut over_time) = (0, crate::key_table::empty_bins());
            let first = part.first_row as usize;
            for row in first..first + part.rows as usize {
                if chosen.is_none_or(|c| c.get(row)) {
                    rows += 1;
                    if let Some(bin) = row_times.bin(row) {
                        over_time[bin] += 1;
                    }
                }
            }
            if rows == 0 {
                continue;
            }
            for (key, code) in source
                .consts
                .iter()
                .filter(|(k, c)| is_fast(k) && *c != NONE)
            {
                let tally = self.keys.entry(*key).or_default();
                tally.add(*code, rows);
                tally.events += rows;
                for (a, b) in tally.over_time.iter_mut().zip(over_time.iter()) {
                    *a += b;
                }
            }
        }
    }
}

/// Returns the keys that a record of this segment may have from more than one place.
fn in_several_places(snapshot: &Snapshot, index: usize) -> Vec<KeyId> {
    let segment = &*snapshot.segments[index];
    let mut several: FxHashSet<KeyId> = FxHashSet::default();
    let mut in_groups: FxHashSet<KeyId> = FxHashSet::default();
    let mut own: Vec<KeyId> = Vec::new();
    let note_twice = |keys: &[KeyId], several: &mut FxHashSet<KeyId>| {
        for (at, key) in keys.iter().enumerate() {
            if keys[..at].contains(key) {
                several.insert(*key);
            }
        }
    };
    for (number, group) in segment.groups.iter().enumerate() {
        own.clear();
        own.extend(group.columns.iter().map(|(k, _)| *k));
        let derived = snapshot.derived.columns(index, number).iter();
        own.extend(derived.map(|c| c.key));
        if let Some(shape) = snapshot.catalog.shapes.get(group.shape.index()) {
            own.extend(shape.consts.iter().map(|(k, _)| *k));
        }
        note_twice(&own, &mut several);
        in_groups.extend(own.iter().copied());
    }
    let mut in_contexts: FxHashSet<KeyId> = FxHashSet::default();
    for context in segment.contexts.distinct() {
        if let Some(values) = snapshot.catalog.contexts.get(context as usize) {
            own.clear();
            own.extend(values.iter().map(|(k, _)| *k));
            note_twice(&own, &mut several);
            in_contexts.extend(own.iter().copied());
        }
    }
    let mut in_paths: FxHashSet<KeyId> = FxHashSet::default();
    for part in &segment.parts {
        if let Some(source) = snapshot.source(part.source) {
            own.clear();
            own.extend(source.consts.iter().map(|(k, _)| *k));
            note_twice(&own, &mut several);
            in_paths.extend(own.iter().copied());
        }
    }
    several.extend(in_groups.intersection(&in_contexts));
    several.extend(in_groups.intersection(&in_paths));
    several.extend(in_contexts.intersection(&in_paths));
    several.into_iter().collect()
}

/// Number of rows from which a table of all codes of a one-byte column is worthwhile.
const MANY: usize = 4096;

fn count_column(
    tally: &mut Tally,
    view: &KeyView,
    column: &Column,
    rows: &Rows<'_>,
    row_times: &RowTimes,
) {
    // (code, number of rows) pairs.
    let counted: Vec<(Code, u64)> = match column {
        Column::Const(code) => vec![(*code, rows.len() as u64)],
        Column::Byte { base, offsets } => {
            let counts = counts(256, rows, |place| {
                offsets.get(place).map(|o| usize::from(*o))
            });
            let codes = (0u32..).map(|offset| base.saturating_add(offset));
            codes.zip(counts).filter(|(_, n)| *n > 0).collect()
        }
        Column::Dict { codes, index } => {
            let counts = counts(codes.len(), rows, |p| index.get(p).map(|i| usize::from(*i)));
            codes.iter().copied().zip(counts).collect()
        }
        Column::Short { base, offsets } if rows.len() > MANY => {
            let counts = counts(1 << 16, rows, |p| offsets.get(p).map(|o| usize::from(*o)));
            let codes = (0u32..).map(|offset| base.saturating_add(offset));
            codes.zip(counts).filter(|(_, n)| *n > 0).collect()
        }
        Column::Short { .. } | Column::Wide(_) => {
            let mut codes: Vec<Code> = Vec::with_capacity(rows.len());
            rows.each(|place| match column.cell(place) {
                Cell::One(code) => codes.push(code),
                Cell::Deferred => codes.push(DEFER),
                Cell::Absent | Cell::Many(_) => codes.push(NONE),
            });
            codes.sort_unstable();
            let runs = codes.chunk_by(|a, b| a == b);
            runs.map(|run| (run[0], run.len() as u64)).collect()
        }
        Column::Lists { .. } => return count_lists(tally, view, column, rows, row_times),
    };
    let absent: u64 = counted
        .iter()
        .filter(|(c, _)| *c == NONE)
        .map(|(_, n)| n)
        .sum();
    tally.codes.reserve(counted.len());
    for (code, n) in counted.into_iter().filter(|(c, n)| *c != NONE && *n > 0) {
        tally.add(code, n);
    }
    if absent == 0 {
        return tally.add_all(rows);
    }
    tally.events += rows.len() as u64 - absent;
    rows.each(|place| {
        let row = usize::from(rows.group.rows[place]);
        if column.cell(place) != Cell::Absent
            && let Some(bin) = row_times.bin(row)
        {
            tally.over_time[bin] += 1;
        }
    });
}

/// Number of rows for each value of `number` below `len`.
fn counts(len: usize, rows: &Rows<'_>, number: impl Fn(usize) -> Option<usize>) -> Vec<u64> {
    let mut counts = vec![0u64; len];
    rows.each(|place| {
        if let Some(count) = number(place).and_then(|n| counts.get_mut(n)) {
            *count += 1;
        }
    });
    counts
}

fn count_lists(
    tally: &mut Tally,
    view: &KeyView,
    column: &Column,
    rows: &Rows<'_>,
    row_times: &RowTimes,
) {
    let mut seen: Vec<Code> = Vec::new();
    rows.each(|place| {
        match column.cell(place) {
            Cell::Absent => return,
            Cell::One(code) => tally.add(code, 1),
            Cell::Deferred => tally.add(DEFER, 1),
            Cell::Many(codes) => {
                // Equal values of a record count once. A join may leave single values of a list unknown (`NONE`).
                seen.clear();
                for code in codes.iter().filter(|c| **c != NONE) {
                    let canonical = view.dict.canonical(*code);
                    if !seen.contains(&canonical) {
                        seen.push(canonical);
                        tally.add(*code, 1);
                    }
                }
            }
        }
        tally.events += 1;
        if let Some(bin) = row_times.bin(usize::from(rows.group.rows[place])) {
            tally.over_time[bin] += 1;
        }
    });
}
