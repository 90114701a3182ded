//! Keys that exist only inside joins: the bracket or the process lifetime to which a record
//! belongs.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView};
use widetui_store::segment::{Group, Segment};
use widetui_time::time::{NO_TIME, NS_PER_SECOND as SECOND};

use crate::derived_values::VirtualKeys;
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
    applies: impl Fn(SourceId) -> bool,
    (opening, closing): (&Selection, Option<&Selection>),
    stays: bool,
) -> Vec<Option<Box<[Code]>>> {
    let mut sources = parts_by_source(snapshot);
    sources.retain(|(source, _)| applies(*source));
    let mut all: Vec<Option<Box<[Code]>>> = vec![None; snapshot.segments.len()];
    let mut next = 0;
    for (_, parts) in sources {
        let mut inside: FxHashMap<u32, Code> = FxHashMap::default();
        for PartRows {
            segment,
            first,
            end,
        } in parts
        {
            let Some(opens) = opening.segment(segment) else {
                continue;
            };
            let closes = closing.and_then(|c| c.segment(segment));
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
                    let rows = snapshot.segments[segment].len();
                    let codes = all[segment].get_or_insert_with(|| vec![NONE; rows].into());
                    codes[row] = number;
                    if closes.is_some_and(|b| b.get(row)) {
                        inside.remove(&writer);
                    }
                }
                row += 1;
            }
        }
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
    let mut numbers: FxHashMap<Tuple, u32> = FxHashMap::default();
    let of_segment = |(index, segment): (usize, &Arc<Segment>)| {
        // A header names its writer by a context ...
        let mut rows: Vec<u32> = vec![0; segment.len()];
        let contexts = &segment.contexts;
        contexts.for_each(segment.len(), |row, context| rows[row] = context + 1);
        let view = SegmentView::new(snapshot, index, &[]);
        // ... a structured record by fields of its own.
        let is_named = |group: &Group| group.columns.iter().any(|(k, _)| keys.contains(k));
        let groups = segment.groups.iter().enumerate();
        for (at, group) in groups.filter(|(_, group)| is_named(group)) {
            let view = view.group(at);
            let columns = keys.iter().map(|key| view.key_column_with(*key, None));
            let columns: Vec<KeyColumn> = columns.collect();
            for (place, row) in group.rows.iter().enumerate() {
                let mut tuple = [NONE; MAX_LEFT_KEYS];
                for (slot, column) in tuple.iter_mut().zip(&columns) {
                    *slot = column.row(place, view.ends);
                }
                let next = base + numbers.len() as u32;
                rows[usize::from(*row)] = *numbers.entry(tuple).or_insert(next);
            }
        }
        rows
    };
    snapshot
        .segments
        .iter()
        .enumerate()
        .map(of_segment)
        .collect()
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
    counts: impl Fn(SourceId, usize, usize) -> bool,
    sections: &Sections,
    key: KeyId,
) -> FirstValues {
    // Path constants are not values of records; they are ignored for duplicated rows, so all rows are taken as such.
    let segments = snapshot.segments.iter();
    let every: Vec<Vec<u32>> = segments.map(|s| (0..s.len() as u32).collect()).collect();
    let mut first: FxHashMap<(SourceId, usize), (u32, u32, Code)> = FxHashMap::default();
    for_each_row_with(snapshot, &every, &[key], |segment, row, tuple, _| {
        let part = snapshot.segments[segment].part(row);
        if applies(part.source) && counts(part.source, segment, row) {
            let section = (part.source, sections.section_at(part, row));
            let own = (part.seq, row as u32, tuple[0]);
            let known = first.entry(section).or_insert(own);
            *known = own.min(*known);
        }
    });
    let values = first.into_iter();
    values
        .map(|(section, (_, _, code))| (section, code))
        .collect()
}
