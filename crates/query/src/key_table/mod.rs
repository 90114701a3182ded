//! Keys of selected records: number of records, frequent values, statistics of numbers, distribution over time.
//!
//! One pass over the columns of each segment. A key with a single place in a group (a column, a constant of the shape,
//! the context, the path) is counted by whole columns; a key in several places is counted row by row.

use std::cmp::Ordering;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{self, Code, NONE};
use widetui_core::ids::KeyId;
use widetui_core::quantity;
use widetui_format::catalog::encode::DEFER;
use widetui_format::catalog::keys::KeyView;
use widetui_store::Snapshot;

use crate::number_summary::NumberSummary;
use crate::selection::Selection;
use crate::time_histogram::{BINS, BinCounts};

mod tally;

use tally::{Tallies, Tally};

/// Number of frequent values per key.
const TOP: usize = 8;
/// Maximum number of equally frequent values of which the first by their text are chosen.
const MAX_TIES: usize = 4096;

/// Order of two values: numbers by size, before all others by text.
fn by_value(a: &str, b: &str) -> Ordering {
    match (quantity::number(a), quantity::number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// One key among selected records.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRow {
    /// Name of the key.
    pub key: String,
    /// Short label of the key.
    pub(crate) label: String,
    /// Name of the key's type.
    pub kind: &'static str,
    /// Whether a definition declares the key as an identifier of entities.
    pub identifier: bool,
    /// Whether the key occurs in paths only.
    pub only_path: bool,
    /// Number of records that have the key.
    pub events: u64,
    /// Number of distinct values; `None` if some are only in the text.
    pub distinct: Option<u64>,
    /// Most frequent values in columns, with the number of records of each.
    pub top: Vec<(String, u64)>,
    /// Shannon entropy of the values, in bits per record that has the key.
    pub bits: f64,
    /// Statistics of the values; `None` unless all are numbers and the key is no identifier.
    pub numbers: Option<NumberSummary>,
    /// Records that have the key, per bin of the run.
    pub over_time: Box<BinCounts>,
}

/// Keys of selected records, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct KeyTable {
    /// Number of records counted.
    pub total: u64,
    /// Rows, one per key that any record has.
    pub rows: Vec<KeyRow>,
}

/// Counts the keys of all records or of a selection. `None` if cancelled.
#[must_use]
pub fn key_table(
    snapshot: &Snapshot,
    selection: Option<&Selection>,
    cancel: &Cancel,
) -> Option<KeyTable> {
    let range = snapshot.range().unwrap_or_default();
    let tallies = snapshot
        .segments
        .par_iter()
        .enumerate()
        .fold(Tallies::default, |mut tallies, (index, _)| {
            let chosen = selection.map(|s| s.segment(index));
            if !cancel.is_cancelled() && chosen.is_none_or(|c| c.is_some_and(|c| c.any())) {
                tallies.segment(snapshot, index, chosen.flatten(), range);
            }
            tallies
        })
        .reduce(Tallies::default, Tallies::merged);
    if cancel.is_cancelled() {
        return None;
    }
    let keys: Vec<(KeyId, Tally)> = tallies.into_keys();
    let rows = keys.into_par_iter().filter(|(_, t)| t.events > 0);
    let rows = rows.filter_map(|(id, tally)| {
        let view = snapshot.catalog.keys.get(id)?;
        Some(row(view, tally))
    });
    let mut rows: Vec<KeyRow> = rows.collect();
    rows.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    Some(KeyTable {
        total: selection.map_or(snapshot.len(), Selection::len) as u64,
        rows,
    })
}

fn row(view: &KeyView, tally: Tally) -> KeyRow {
    let is_whole = !tally.codes.contains_key(&DEFER);
    // Equal values are merged under their most frequent spelling.
    let mut values: FxHashMap<Code, (u64, Code, u64)> = FxHashMap::default();
    values.reserve(tally.codes.len());
    for (code, n) in tally
        .codes
        .into_iter()
        .filter(|(c, _)| *c != DEFER && *c != NONE)
    {
        let value = values
            .entry(view.dict.canonical(code))
            .or_insert((0, code, 0));
        value.0 += n;
        // Equally frequent spellings: the lexically first one, as in the table of values.
        let is_first = || view.spelling(code) < view.spelling(value.1);
        if n > value.2 || (n == value.2 && is_first()) {
            (value.1, value.2) = (code, n);
        }
    }
    let distinct = values.len() as u64;
    let total: u64 = values.values().map(|v| v.0).sum();
    let share = |n: u64| n as f64 / total.max(1) as f64;
    let bits: f64 = values
        .values()
        .map(|v| -share(v.0) * share(v.0).log2())
        .sum();
    let numbers = (is_whole && view.key.can_measure())
        .then(|| numbers(view, values.iter().map(|(code, v)| (*code, v.0))))
        .flatten();
    let mut top: Vec<(u64, Code)> = values.into_values().map(|v| (v.0, v.1)).collect();
    let order = |v: &(u64, Code)| (std::cmp::Reverse(v.0), v.1);
    if top.len() > TOP {
        let least = top.select_nth_unstable_by_key(TOP - 1, order).1.0;
        let ties = top.iter().filter(|v| v.0 == least).count();
        match ties <= MAX_TIES {
            true => top.retain(|v| v.0 >= least),
            false => top.truncate(TOP),
        }
    }
    let top = top.into_iter();
    let mut top: Vec<(String, u64)> = top
        .filter_map(|(n, code)| Some((view.spelling(code)?, n)))
        .collect();
    // Codes depend on the order of loading.
    top.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| by_value(&a.0, &b.0)));
    top.truncate(TOP);
    KeyRow {
        key: view.key.name.to_string(),
        label: view.key.label.to_string(),
        kind: view.key.kind.name(),
        identifier: view.key.identifier,
        only_path: tally.only_path,
        events: tally.events,
        distinct: is_whole.then_some(distinct),
        top,
        bits: bits.max(0.0),
        numbers,
        over_time: tally.over_time,
    }
}

/// Computes statistics of the values, if all are numbers.
fn numbers(view: &KeyView, values: impl Iterator<Item = (Code, u64)>) -> Option<NumberSummary> {
    let number = |(code, n): (Code, u64)| {
        if code < dict::ENTRY {
            return Some((f64::from(code), n));
        }
        let value: f64 = view.dict.entry(code)?.trim().parse().ok()?;
        value.is_finite().then_some((value, n))
    };
    let counted: Option<Vec<(f64, u64)>> = values.map(number).collect();
    NumberSummary::compute(counted?)
}

/// Empty histogram.
fn empty_bins() -> Box<BinCounts> {
    Box::new([0; BINS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_ordered_by_size_and_then_by_text() {
        let mut values = ["b", "1a", "10", "9", "a", "nan", "-2", "9.0"];
        values.sort_unstable_by(|a, b| by_value(a, b));
        assert_eq!(values, ["-2", "9", "9.0", "10", "1a", "a", "b", "nan"]);
    }
}
