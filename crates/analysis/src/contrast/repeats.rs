//! Equivalent values of a contrast: a second key of the same records, or the same value in some of
//! these records.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_query::{Expr, Field, Op, Selection, select};
use widetui_store::Snapshot;

use crate::check::without_duplicates;
use crate::contrast::DistinguishingValue;

/// Maximum number of values compared, best scores first.
const MAX_COMPARED: usize = 200;
/// Maximum number of selections evaluated for the comparison.
const MAX_SELECTIONS: usize = 120;

/// Moves values into `equivalents` of the value that they repeat among some records (`None`: all). `None`
/// when cancelled.
pub(super) fn merge_equivalents(
    snapshot: &Snapshot,
    values: Vec<DistinguishingValue>,
    within: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Vec<DistinguishingValue>> {
    let compared = &values[..values.len().min(MAX_COMPARED)];
    let pairs: Vec<(usize, usize)> = candidate_pairs(snapshot, compared);
    let mut wanted: Vec<usize> = pairs.iter().flat_map(|p| [p.0, p.1]).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted.truncate(MAX_SELECTIONS);
    let of = |at: &usize| {
        let mut own = records_with(snapshot, &compared[*at], cancel)?;
        if let Some(within) = within {
            own.and(within);
        }
        Some((*at, own))
    };
    let sets: Option<FxHashMap<usize, Selection>> = wanted.par_iter().map(of).collect();
    let sets = sets?;
    // Repeated value to the value that is kept; a kept value stays.
    let mut merged_into: FxHashMap<usize, usize> = FxHashMap::default();
    for (kept, repeats) in pairs {
        let (Some(all), Some(own)) = (sets.get(&kept), sets.get(&repeats)) else {
            continue;
        };
        let is_free = !merged_into.contains_key(&kept)
            && !merged_into.contains_key(&repeats)
            && !merged_into.values().any(|k| *k == repeats);
        if is_free && is_subset(own, all) {
            merged_into.insert(repeats, kept);
        }
    }
    let mut equivalents: FxHashMap<usize, Vec<DistinguishingValue>> = FxHashMap::default();
    let mut kept = Vec::new();
    for (at, value) in values.into_iter().enumerate() {
        match merged_into.get(&at) {
            Some(by) => equivalents.entry(*by).or_default().push(value),
            None => kept.push((at, value)),
        }
    }
    let with = |(at, value): (usize, DistinguishingValue)| DistinguishingValue {
        equivalents: equivalents.remove(&at).unwrap_or_default(),
        ..value
    };
    Some(kept.into_iter().map(with).collect())
}

/// Pairs of values of which the second may repeat the first: equal counts on both sides, or lower
/// counts with the same text.
fn candidate_pairs(snapshot: &Snapshot, values: &[DistinguishingValue]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|at| display_rank(snapshot, &values[*at].key));
    let mut pairs = Vec::new();
    for (nth, kept) in order.iter().enumerate() {
        let a = &values[*kept];
        for repeats in order.iter().skip(nth + 1) {
            let b = &values[*repeats];
            let is_same = (a.inside, a.outside) == (b.inside, b.outside);
            let is_part = a.value == b.value && b.inside <= a.inside && b.outside <= a.outside;
            if a.key != b.key && (is_same || is_part) {
                pairs.push((*kept, *repeats));
            }
        }
    }
    pairs
}

/// Preference for display among equivalent values: templates and levels first, then identifiers of
/// systems, then other keys.
fn display_rank(snapshot: &Snapshot, key: &str) -> u8 {
    let keys = &snapshot.catalog.keys;
    let view = keys.find(key).and_then(|id| keys.get(id));
    let is_identifier = view.is_some_and(|v| v.key.identifier);
    match (Field::named(key), key.contains('.')) {
        (Field::Template, _) => 0,
        (Field::Level, _) => 1,
        (Field::Key(_), true) if is_identifier => 2,
        (Field::Key(_), true) => 3,
        (Field::Key(_), false) if is_identifier => 5,
        (Field::Key(_), false) => 6,
        _ => 4,
    }
}

/// Records with a value, without duplicates.
fn records_with(
    snapshot: &Snapshot,
    value: &DistinguishingValue,
    cancel: &Cancel,
) -> Option<Selection> {
    let expr = Expr::compare(Field::named(&value.key), Op::Eq, value.value.clone());
    Some(without_duplicates(
        snapshot,
        select(snapshot, &expr, cancel)?,
    ))
}

/// Whether `some` is a subset of `others`. An empty set does not count: its value could not be
/// queried.
fn is_subset(subset: &Selection, others: &Selection) -> bool {
    let mut rest = subset.clone();
    rest.and_not(others);
    rest.is_empty() && !subset.is_empty()
}
