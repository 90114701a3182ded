//! Keys that exist only inside joins: the bracket or the process lifetime to which a record
//! belongs.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView, UNUSABLE};
use widetui_store::segment::Segment;
use widetui_time::time::{NO_TIME, NS_PER_SECOND as SECOND};

use crate::derived_values::{GroupColumns, GroupDerivations, VirtualKeys};
use crate::file_sections::Sections;
use crate::row_walk::{PartRows, for_each_row_with, for_each_row_with_virtual, parts_by_source};
use crate::table::{MAX_LEFT_KEYS, Tuple};

/// Keys that identify the thread and process that wrote a record, in any layout.
const WRITER_KEYS: [&str; 6] = [
    "host",
    "process",
    "pid",
    "thread",
    "thread_id",
    "asyncio_task",
];

/// Assigns bracket numbers: a bracket contains the records of one thread of one process (see
/// `writers`) from an opening to a closing record.
pub(crate) fn brackets(
    snapshot: &Snapshot,
    writers: &[Vec<u32>],
    applies: impl Fn(SourceId) -> bool + Sync,
    opening: &Selection,
    closing: Option<&Selection>,
    stays: bool,
) -> Vec<Option<Box<[Code]>>> {
    let mut sources = parts_by_source(snapshot);
    sources.retain(|(source, _)| applies(*source));
    // Parts with brackets and the bracket numbers of their rows; number of brackets.
    type Numbered = (Vec<(PartRows, Vec<Code>)>, Code);
    let of_source = |(_, parts): &(SourceId, Vec<PartRows>)| -> Numbered {
        let mut next = 0;
        let mut inside: FxHashMap<u32, Code> = FxHashMap::default();
        let mut out = Vec::new();
        for part in parts {
            let PartRows {
                segment,
                first,
                end,
            } = *part;
            let Some(opens) = opening.segment(segment) else {
                continue;
            };
            let closes = closing.and_then(|c| c.segment(segment));
            let mut codes: Vec<Code> = Vec::new();
            let mut row = first;
            while row < end {
                if inside.is_empty() {
                    // Without an open bracket, skip to the next opening record.
                    row = opens.ones_in(row, end).next().unwrap_or(end);
                    if row == end {
                        break;
                    }
                }
                let writer = writers[segment].get(row).copied().unwrap_or(0);
                let mut number = inside.get(&writer).copied();
                if (number.is_none() || !stays) && opens.get(row) {
                    inside.insert(writer, next);
                    number = Some(next);
                    next += 1;
                }
                if let Some(number) = number {
                    if codes.is_empty() {
                        codes = vec![NONE; end - first];
                    }
                    codes[row - first] = number;
                    if closes.is_some_and(|b| b.get(row)) {
                        inside.remove(&writer);
                    }
                }
                row += 1;
            }
            if !codes.is_empty() {
                out.push((*part, codes));
            }
        }
        (out, next)
    };
    let found: Vec<Numbered> = sources.par_iter().map(of_source).collect();
    let mut all: Vec<Option<Box<[Code]>>> = vec![None; snapshot.segments.len()];
    let mut base = 0;
    for (parts, numbers) in found {
        for (part, codes) in parts {
            let rows = snapshot.segments[part.segment].len();
            let all = all[part.segment].get_or_insert_with(|| vec![NONE; rows].into());
            for (slot, code) in all[part.first..part.end].iter_mut().zip(codes) {
                *slot = if code == NONE { NONE } else { base + code };
            }
        }
        base += numbers;
    }
    all
}

/// Gives duplicates of a bracket in several sources the number of the first one.
pub(crate) fn merge_duplicates(snapshot: &Snapshot, all: &mut [Option<Box<[Code]>>]) {
    let of = |all: &[Option<Box<[Code]>>], id: u32| {
        let event = snapshot.event(EventId(id))?;
        let codes = all.get(event.index)?.as_ref()?;
        codes.get(event.row).copied().filter(|code| *code != NONE)
    };
    let mut same: FxHashMap<Code, Code> = FxHashMap::default();
    for (copy, original) in snapshot.duplicates.iter() {
        if let (Some(number), Some(first)) = (of(all, copy), of(all, original)) {
            let known = same.entry(number).or_insert(first);
            *known = (*known).min(first);
        }
    }
    for code in all.iter_mut().flatten().flat_map(|codes| codes.iter_mut()) {
        *code = same.get(code).copied().unwrap_or(*code);
    }
}

/// Number of the writer (process and thread) of each row, by segment.
pub(crate) fn writers(snapshot: &Snapshot) -> Vec<Vec<u32>> {
    let keys: Vec<KeyId> = WRITER_KEYS
        .iter()
        .filter_map(|name| snapshot.catalog.keys.find(name))
        .collect();
    let base = snapshot.catalog.contexts.len() as u32 + 1;
    let segments = snapshot.segments.par_iter().enumerate();
    let own =
        segments.map(|(index, segment)| segment_writers(snapshot, (index, segment), base, &keys));
    let own: Vec<(Vec<u32>, Vec<Tuple>)> = own.collect();
    // Each segment has numbered the writers named by its records; merge equal ones.
    let mut numbers: FxHashMap<Tuple, u32> = FxHashMap::default();
    let number = |(rows, named_writers): (Vec<u32>, Vec<Tuple>)| {
        let of = named_writers.into_iter().map(|tuple| {
            let next = base + numbers.len() as u32;
            *numbers.entry(tuple).or_insert(next)
        });
        (rows, of.collect::<Vec<u32>>())
    };
    let numbered: Vec<(Vec<u32>, Vec<u32>)> = own.into_iter().map(number).collect();
    let rows = numbered.into_par_iter().map(|(mut rows, numbers)| {
        let is_named_writer = |row: &&mut u32| **row >= base;
        if !numbers.is_empty() {
            let named_writers = rows.iter_mut().filter(is_named_writer);
            named_writers.for_each(|row| *row = numbers[(*row - base) as usize]);
        }
        rows
    });
    rows.collect()
}

/// Number of the writer of each row of a segment: below `base` if the record's header names it;
/// otherwise `base` plus an index into the returned list of writers named by records.
fn segment_writers(
    snapshot: &Snapshot,
    (index, segment): (usize, &Segment),
    base: u32,
    keys: &[KeyId],
) -> (Vec<u32>, Vec<Tuple>) {
    let mut numbers: FxHashMap<Tuple, u32> = FxHashMap::default();
    let mut named_writers: Vec<Tuple> = Vec::new();
    let none = GroupDerivations::default();
    let pseudo = VirtualKeys::default();
    // A header names its writer by a context ...
    let mut rows: Vec<u32> = vec![0; segment.len()];
    let contexts = &segment.contexts;
    contexts.for_each(segment.len(), |row, context| rows[row] = context + 1);
    let view = SegmentView::new(snapshot, index, &[]);
    for (at, group) in segment.groups.iter().enumerate() {
        // ... a structured record by fields of its own.
        if !group.columns.iter().any(|(k, _)| keys.contains(k)) {
            continue;
        }
        let mut key_columns = GroupColumns::new(view.group(at), index, &none, &pseudo);
        keys.iter().for_each(|k| {
            key_columns.build(*k);
        });
        let columns: Vec<&KeyColumn> = keys.iter().map(|k| key_columns.get(*k)).collect();
        let mut last = ([NONE; MAX_LEFT_KEYS], None);
        for (place, row) in group.rows.iter().enumerate() {
            let mut tuple = [NONE; MAX_LEFT_KEYS];
            for (slot, key_column) in tuple.iter_mut().zip(&columns) {
                *slot = key_column.row(place, key_columns.view().ends);
            }
            if last.1.is_none() || last.0 != tuple {
                let number = numbers.entry(tuple).or_insert_with(|| {
                    named_writers.push(tuple);
                    base + named_writers.len() as u32 - 1
                });
                last = (tuple, Some(*number));
            }
            rows[usize::from(*row)] = last.1.unwrap_or(0);
        }
    }
    (rows, named_writers)
}

/// Numbers the lifetimes of the instances that the keys `left_keys` identify: the number of starts up to
/// the time of a record. A record after an end and before the next start belongs to no lifetime. Records may name an
/// instance by other keys, too, each of which stands for the only left key.
pub(crate) fn lifetimes(
    snapshot: &Snapshot,
    duplicated_rows: &[Vec<u32>],
    (left_keys, other_keys, virtual_keys): (&[KeyId], &[KeyId], &VirtualKeys),
    opening: &Selection,
    closing: Option<&Selection>,
) -> Vec<Option<Box<[Code]>>> {
    // Time in UTC ns, whether it is a start, number of starts so far.
    let mut changes: FxHashMap<Tuple, Vec<(i64, bool, Code)>> = FxHashMap::default();
    for_each_row_with(
        snapshot,
        duplicated_rows,
        left_keys,
        |segment, row, tuple, time| {
            let is = |s: &Selection| s.segment(segment).is_some_and(|b| b.get(row));
            if is(opening) {
                changes.entry(tuple).or_default().push((time, true, 0));
            } else if closing.is_some_and(is) {
                changes.entry(tuple).or_default().push((time, false, 0));
            }
        },
    );
    // At equal times an end comes before a start.
    for changes in changes.values_mut() {
        changes.sort_unstable();
        let mut opened = 0;
        for (_, opens, count) in changes {
            opened += Code::from(*opens);
            *count = opened;
        }
    }
    let mut out: Vec<Option<Box<[Code]>>> = vec![None; snapshot.segments.len()];
    for keys in std::iter::once(left_keys).chain(other_keys.chunks(1)) {
        let add = |segment: usize, row: usize, tuple: Tuple, time: i64| {
            let Some(changes) = changes.get(&tuple).filter(|_| time != NO_TIME) else {
                return;
            };
            let before = changes.partition_point(|t| t.0 <= time);
            let Some((last, opens, opened)) = before.checked_sub(1).map(|at| changes[at]) else {
                return;
            };
            // A time in whole seconds is not on a side of a change within that second.
            let is_within = |change: &(i64, bool, Code)| change.0 < time.saturating_add(SECOND);
            if time % SECOND == 0
                && changes.get(before).is_some_and(is_within)
                && snapshot
                    .source(snapshot.segments[segment].part(row).source)
                    .is_some_and(|source| source.coarse)
            {
                return;
            }
            if opened > 0 && (opens || last == time) {
                let rows = snapshot.segments[segment].len();
                let codes = out[segment].get_or_insert_with(|| vec![NONE; rows].into());
                if codes[row] == NONE {
                    codes[row] = opened;
                }
            }
        };
        for_each_row_with_virtual(snapshot, duplicated_rows, (keys, virtual_keys), add);
    }
    out
}

/// First value of a key in each section of a file.
pub(crate) type FirstValues = FxHashMap<(SourceId, usize), Code>;

/// First value of a key stated by the records of each section, in file order, among those that count
/// by source, segment and row.
pub(crate) fn first_values(
    snapshot: &Snapshot,
    applies: impl Fn(SourceId) -> bool,
    counts: impl Fn(SourceId, usize, usize) -> bool + Sync,
    sections: &Sections,
    key: KeyId,
) -> FirstValues {
    // Source, section; part, row, value.
    type First = ((SourceId, usize), (u32, u32, Code));
    let found: Vec<Vec<First>> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| {
            // Path constants are not values of records; they are ignored for duplicated rows, so
            // mark all rows as such.
            let segment = &snapshot.segments[index];
            let rows: Vec<u32> = (0..segment.len() as u32).collect();
            let view = SegmentView::new(snapshot, index, &rows);
            let mut first: FxHashMap<(SourceId, usize), (u32, u32, Code)> = FxHashMap::default();
            for at in 0..segment.groups.len() {
                let key_column = view.group(at).key_column_with(key, None);
                if key_column.is_absent() {
                    continue;
                }
                let ends = view.group(at).ends;
                for (place, row) in segment.groups[at].rows.iter().enumerate() {
                    let code = key_column.row(place, ends);
                    if code == NONE || code == UNUSABLE {
                        continue;
                    }
                    let part = segment.part(usize::from(*row));
                    if !counts(part.source, index, usize::from(*row)) {
                        continue;
                    }
                    let section = (part.source, sections.section_at(part, usize::from(*row)));
                    let own = (part.seq, u32::from(*row), code);
                    let known = first.entry(section).or_insert(own);
                    *known = (*known).min(own);
                }
            }
            first.into_iter().collect()
        })
        .collect();
    let mut all: Vec<First> = found.into_iter().flatten().collect();
    all.retain(|(section, _)| applies(section.0));
    all.sort_unstable();
    let mut out = FirstValues::default();
    for (section, (_, _, code)) in all {
        out.entry(section).or_insert(code);
    }
    out
}
