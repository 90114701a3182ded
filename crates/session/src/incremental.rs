//! Answers about a snapshot, carried over to a later snapshot of the same live run: only the part of the time order
//! that changed is evaluated again; rows before and after it are kept.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_query::{self as query, Expr};
use widetui_store::order_keys::OrderKeys;
use widetui_store::{IdList, Snapshot, SnapshotDiff};

use super::context_lines::{ContextWindow, around};
use super::histogram::{Histogram, Histograms};
use super::overview::{self, OverviewHistogram, OverviewRequest};
use super::record_texts::Place;
use super::rows::{self, Rows};
use super::selection::SelectionStep;

/// Known answers about a snapshot.
#[derive(Clone, Debug)]
pub struct KnownAnswers {
    /// The snapshot.
    pub snapshot: Arc<Snapshot>,
    /// Steps of the selection.
    pub steps: Vec<SelectionStep>,
    /// Selected rows.
    pub rows: Rows,
    /// Context lines shown with the rows.
    pub context: Option<ContextWindow>,
    /// Number of rows left after each step.
    pub counts: Vec<usize>,
    /// A search and the rows that match it, ascending.
    pub search: Option<(Expr, Arc<[u32]>)>,
    /// Histogram of the rows over the whole run, without marked records.
    pub overview: Option<OverviewHistogram>,
}

/// Answers for a later snapshot.
#[derive(Clone, Debug)]
pub struct CarriedAnswers {
    /// Selected rows.
    pub rows: Rows,
    /// Number of rows left after each step.
    pub counts: Vec<usize>,
    /// Rows that match the search.
    pub hits: Option<Arc<[u32]>>,
    /// Histogram of the rows.
    pub overview: Option<OverviewHistogram>,
    /// Index of the first row that differs; rows before it are unchanged.
    pub changed: usize,
    /// Records whose text has changed.
    pub stale: Vec<Place>,
}

/// Rows in one part of the time order.
#[derive(Default)]
struct RowRange {
    /// Rows that pass all steps.
    fitting: Vec<u32>,
    /// Number of rows left after each step.
    counts: Vec<usize>,
}

/// Carries answers over to a snapshot that extends the known one. `None` if cancelled, or if it is no extension.
pub fn carry_over(
    newer: &Snapshot,
    known: &KnownAnswers,
    cancel: &Cancel,
) -> Option<CarriedAnswers> {
    let older = &*known.snapshot;
    let is_of_thing = known.steps.iter().any(|s| !s.is_expr());
    let has_copies = !newer.duplicates.is_empty() || !older.duplicates.is_empty();
    let has_conditions = !known.steps.is_empty() || known.search.is_some();
    let may_differ = has_conditions && !has_same_overlay(newer, older);
    if known.context.is_some() || is_of_thing || has_copies || may_differ {
        // Incremental evaluation is invalid here: joined values of old records may have changed what a condition finds,
        // context lines depend on later records, instances may have received records, and a record that has grown may
        // no longer be a duplicate.
        return evaluate_all(newer, known, cancel);
    }
    let growth = newer.diff_since(older)?;
    let (old, new) = (growth.old_places.clone(), growth.new_places.clone());
    let ids = |s: &Snapshot, places: &Range<usize>| -> Vec<u32> {
        s.order.range(places.clone()).copied().collect()
    };
    let (old_ids, new_ids) = (ids(older, &old), ids(newer, &new));
    let before = stretch(older, old_ids.clone(), &known.steps, cancel)?;
    let after = stretch(newer, new_ids.clone(), &known.steps, cancel)?;
    let counts = known.counts.iter().enumerate().map(|(i, count)| {
        let gone = before.counts.get(i).copied().unwrap_or(0);
        count.saturating_sub(gone) + after.counts.get(i).copied().unwrap_or(0)
    });
    // The selected rows, and the range that changed. No row is hidden, as there are no duplicates.
    let (rows, changed) = match &known.rows {
        Rows::Some(list) => {
            let changed = rows_of(older, list, &old);
            let list = spliced(list, &changed, &after.fitting);
            (Rows::Some(list), changed)
        }
        // All rows passed the steps so far.
        _ if !known.steps.is_empty() => {
            let list = spliced(&older.order, &old, &after.fitting);
            (Rows::Some(list), old)
        }
        _ => (Rows::All, old),
    };
    let hits = match &known.search {
        None => None,
        Some((wanted, hits)) => {
            let middle = &after.fitting;
            Some(kept_hits(newer, hits, &changed, middle, wanted, cancel)?)
        }
    };
    let overview = match &known.overview {
        None => None,
        Some(overview) => {
            let mut both = match &overview.histograms {
                Some(histograms) => (**histograms).clone(),
                None => Histograms::compute(older, &known.rows, cancel)?,
            };
            if both.all.is_none() && !known.steps.is_empty() {
                both.all = Some(both.rows.clone());
            }
            let change = |histogram: &mut Histogram, gone: &[u32], come: &[u32]| {
                gone.iter().for_each(|id| histogram.take(older, *id));
                come.iter().for_each(|id| histogram.add(newer, *id));
            };
            change(&mut both.rows, &before.fitting, &after.fitting);
            if let Some(all) = &mut both.all {
                change(all, &old_ids, &new_ids);
            }
            Some(OverviewHistogram::from_histograms(
                both,
                newer.range(),
                overview.events.len(),
            ))
        }
    };
    Some(CarriedAnswers {
        counts: counts.collect(),
        rows,
        hits,
        overview,
        changed: changed.start,
        stale: stale(older, &growth),
    })
}

/// Returns the indices in a list of the rows in a range of the time order.
fn rows_of(snapshot: &Snapshot, list: &IdList, places: &Range<usize>) -> Range<usize> {
    let keys = OrderKeys::new(snapshot);
    let at = |place: usize| match snapshot.order.get(place) {
        Some(first) => {
            let first = keys.of(*first);
            list.partition_point(|id| keys.of(*id) < first)
        }
        None => list.len(),
    };
    at(places.start)..at(places.end)
}

/// Returns a list with a range of its rows replaced.
fn spliced(list: &IdList, rows: &Range<usize>, middle: &[u32]) -> IdList {
    let rest = list.range(rows.end..list.len()).copied();
    list.with_tail(rows.start, middle.iter().copied().chain(rest))
}

/// Whether the joined values of all older records are unchanged and newer records have none yet.
fn has_same_overlay(newer: &Snapshot, older: &Snapshot) -> bool {
    let (new, old) = (&newer.derived.segments, &older.derived.segments);
    (0..new.len().max(old.len())).all(|at| match (new.get(at), old.get(at)) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b) || (a.bytes() == 0 && b.bytes() == 0),
        (Some(a), None) | (None, Some(a)) => a.bytes() == 0,
        (None, None) => true,
    })
}

/// Evaluates everything again.
fn evaluate_all(newer: &Snapshot, known: &KnownAnswers, cancel: &Cancel) -> Option<CarriedAnswers> {
    let (rows, counts) = rows::select(newer, &known.steps, cancel)?;
    let rows = around(newer, rows, known.context, cancel)?;
    let hits = match &known.search {
        Some((wanted, _)) => {
            let near = None;
            Some(rows::search(
                newer,
                &rows,
                wanted,
                near,
                cancel,
                &mut |_| {},
            )?)
        }
        None => None,
    };
    let overview = match &known.overview {
        Some(overview) => {
            let wish = OverviewRequest {
                rows: rows.clone(),
                bins: overview.events.len(),
                ..OverviewRequest::default()
            };
            Some(overview::overview_histogram(newer, &wish, cancel)?)
        }
        None => None,
    };
    let growth = newer.diff_since(&known.snapshot)?;
    Some(CarriedAnswers {
        rows,
        counts,
        hits,
        overview,
        changed: 0,
        stale: stale(&known.snapshot, &growth),
    })
}

/// Returns the records of the older snapshot whose text has changed.
fn stale(older: &Snapshot, growth: &SnapshotDiff) -> Vec<Place> {
    let ids = growth.lengthened.iter().copied();
    ids.chain(growth.dropped.clone())
        .filter_map(|id| older.event(EventId(id)).map(|e| Place::from_event(&e)))
        .collect()
}

/// Returns the records, given in time order, that pass the steps.
fn stretch(
    snapshot: &Snapshot,
    ids: Vec<u32>,
    steps: &[SelectionStep],
    cancel: &Cancel,
) -> Option<RowRange> {
    let mut left = ids;
    let mut counts = Vec::with_capacity(steps.len());
    for step in steps {
        if !left.is_empty() {
            left = fitting(snapshot, left, &step.expr, cancel)?;
        }
        counts.push(left.len());
    }
    Some(RowRange {
        fitting: left,
        counts,
    })
}

fn fitting(snapshot: &Snapshot, ids: Vec<u32>, expr: &Expr, cancel: &Cancel) -> Option<Vec<u32>> {
    let excerpt = snapshot.excerpt(&ids);
    let fits = query::select(&excerpt, expr, cancel)?;
    let fitting = (0u32..)
        .zip(ids)
        .filter(|(i, _)| fits.contains(EventId(*i)));
    Some(fitting.map(|(_, id)| id).collect())
}

fn kept_hits(
    newer: &Snapshot,
    hits: &[u32],
    changed: &Range<usize>,
    middle: &[u32],
    text: &Expr,
    cancel: &Cancel,
) -> Option<Arc<[u32]>> {
    let fitting = fitting(newer, middle.to_vec(), text, cancel)?;
    let fitting: FxHashSet<u32> = fitting.into_iter().collect();
    let start = changed.start as u32;
    let new = (start..).zip(middle).filter(|(_, id)| fitting.contains(id));
    let before = hits.partition_point(|row| (*row as usize) < changed.start);
    let behind = hits.partition_point(|row| (*row as usize) < changed.end);
    let moved = changed.start + middle.len();
    let behind = hits[behind..]
        .iter()
        .map(|row| (*row as usize - changed.end + moved) as u32);
    let all = hits[..before].iter().copied();
    Some(all.chain(new.map(|(row, _)| row)).chain(behind).collect())
}
