//! Keys of a run with the number of records and of distinct values of each.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_format::catalog::encode::DEFER;
use widetui_store::Snapshot;
use widetui_store::column::{Cell, Column};
use widetui_store::segment::Segment;

use crate::columns::states;
use crate::program::KeyLeaf;

/// Statistics of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyStat {
    /// Name of the key.
    pub key: String,
    /// Name of the key's type.
    pub kind: &'static str,
    /// Number of records that have the key, in the record or the path.
    pub events: u64,
    /// Number of distinct values; `None` if some are only in the text.
    pub distinct: Option<u64>,
}

/// Counts of a key in one segment.
#[derive(Debug, Default)]
struct Tally {
    events: u64,
    codes: FxHashSet<Code>,
}

type Tallies = FxHashMap<KeyId, Tally>;

/// Returns the keys that any record has, sorted by name. A value in a path counts as occurring even if every record of
/// the source has a value of its own. `None` if cancelled.
#[must_use]
pub fn key_stats(snapshot: &Snapshot, cancel: &Cancel) -> Option<Vec<KeyStat>> {
    let tallies = snapshot
        .segments
        .par_iter()
        .enumerate()
        .map(|(segment, _)| {
            if cancel.is_cancelled() {
                return Tallies::default();
            }
            tally(snapshot, segment)
        })
        .reduce(Tallies::default, |mut a, b| {
            for (key, tally) in b {
                let known = a.entry(key).or_default();
                known.events += tally.events;
                if known.codes.is_empty() {
                    known.codes = tally.codes;
                } else {
                    known.codes.extend(tally.codes);
                }
            }
            a
        });
    if cancel.is_cancelled() {
        return None;
    }
    let mut out: Vec<KeyStat> = tallies
        .into_iter()
        .filter(|(_, tally)| tally.events > 0)
        .filter_map(|(key, tally)| {
            let view = snapshot.catalog.keys.get(key)?;
            let complete = !tally.codes.contains(&DEFER);
            let canonical = tally.codes.iter().map(|code| view.dict.canonical(*code));
            let distinct: FxHashSet<Code> = canonical.collect();
            Some(KeyStat {
                key: view.key.name.to_string(),
                kind: view.key.kind.name(),
                events: tally.events,
                distinct: complete.then_some(distinct.len() as u64),
            })
        })
        .collect();
    out.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    Some(out)
}

/// Where a segment stores the values of a key. Rows are counted one by one only if there are several such places.
#[derive(Debug, Default)]
struct Found {
    places: FxHashSet<Place>,
    events: u64,
    codes: FxHashSet<Code>,
    doubled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Group,
    Context,
    Path,
}

fn tally(snapshot: &Snapshot, index: usize) -> Tallies {
    let segment = &*snapshot.segments[index];
    let catalog = &snapshot.catalog;
    let mut found: FxHashMap<KeyId, Found> = FxHashMap::default();
    let mut note = |key: KeyId, place: Place, events: u64, codes: &[Code]| {
        let known = found.entry(key).or_default();
        known.places.insert(place);
        known.events += events;
        known.codes.extend(codes.iter().filter(|c| **c != NONE));
    };
    let mut doubled: Vec<KeyId> = Vec::new();
    for (number, group) in segment.groups.iter().enumerate() {
        let mut seen: Vec<KeyId> = Vec::new();
        let mut twice = |key: KeyId| {
            if seen.contains(&key) {
                doubled.push(key);
            }
            seen.push(key);
        };
        let rows = group.rows.len();
        for (key, column) in &group.columns {
            let present = present(column, rows);
            if present > 0 {
                twice(*key);
                note(*key, Place::Group, present, &column.distinct());
            }
        }
        for column in snapshot.derived.columns(index, number) {
            let present = present(&column.cells, rows);
            if present > 0 {
                twice(column.key);
                note(column.key, Place::Group, present, &column.cells.distinct());
            }
        }
        if let Some(shape) = catalog.shapes.get(group.shape.index()) {
            for (key, code) in &shape.consts {
                twice(*key);
                note(*key, Place::Group, rows as u64, &[*code]);
            }
        }
    }
    for (context, rows) in contexts(segment) {
        let Some(values) = catalog.contexts.get(context) else {
            continue;
        };
        for (at, (key, code)) in values.iter().enumerate() {
            if values[..at].iter().any(|(k, _)| k == key) {
                doubled.push(*key);
            }
            note(*key, Place::Context, rows, &[*code]);
        }
    }
    for part in &segment.parts {
        let consts = snapshot.source(part.source).map(|s| s.consts.clone());
        for (key, code) in consts.iter().flat_map(|c| c.iter()) {
            note(*key, Place::Path, u64::from(part.rows), &[*code]);
        }
    }
    for key in doubled {
        found.entry(key).or_default().doubled = true;
    }
    let count = |(key, found): (KeyId, Found)| {
        let events = if found.places.len() > 1 || found.doubled {
            let leaf = KeyLeaf::new(snapshot, key, None);
            let states = leaf.and_then(|leaf| states(snapshot, index, &leaf));
            states.map_or(0, |s| s.iter().filter(|s| **s != 0).count() as u64)
        } else {
            found.events
        };
        let codes = found.codes;
        (key, Tally { events, codes })
    };
    found.into_iter().map(count).collect()
}

/// Number of rows with a value.
fn present(column: &Column, rows: usize) -> u64 {
    match column {
        Column::Const(NONE) => 0,
        Column::Const(_) => rows as u64,
        Column::Byte { base, .. } if NONE - base > 255 => rows as u64,
        Column::Short { base, .. } if NONE - base > 0xffff => rows as u64,
        column => (0..rows)
            .filter(|row| column.cell(*row) != Cell::Absent)
            .count() as u64,
    }
}

/// Contexts of a segment with the number of rows of each.
fn contexts(segment: &Segment) -> FxHashMap<usize, u64> {
    let mut rows = FxHashMap::default();
    if let Column::Const(code) = &segment.contexts {
        if *code != NONE {
            rows.insert(*code as usize, segment.len() as u64);
        }
        return rows;
    }
    for row in 0..segment.len() {
        if let Some(context) = segment.context(row) {
            *rows.entry(context.index()).or_default() += 1;
        }
    }
    rows
}
