//! What was asked about a snapshot, carried over to a later one of the same live run: only the stretch of the order that
//! changed is asked again, everything before and behind it is kept.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::query::{self, Expr};
use crate::store::grow::OrderKeys;
use crate::store::{Growth, IdList, Snapshot};

use super::ask::{self, Rows};
use super::context::{Context, around};
use super::fetch::Place;
use super::histogram::{Histogram, Histograms};
use super::selection::Step;
use super::strip::{self, Strip, StripWish};

/// What is known about a snapshot.
#[derive(Clone, Debug)]
pub struct Known {
    /// The snapshot.
    pub snapshot: Arc<Snapshot>,
    /// The rows that fit these steps.
    pub steps: Vec<Step>,
    /// The rows.
    pub rows: Rows,
    /// The neighbours that are shown with them.
    pub context: Option<Context>,
    /// How many rows are left after each step.
    pub counts: Vec<usize>,
    /// A search and the rows that it hits, ascending.
    pub search: Option<(String, Arc<[u32]>)>,
    /// How the rows lie over the time of the whole run, without marked ones.
    pub strip: Option<Strip>,
}

/// The same about a later snapshot.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The rows.
    pub rows: Rows,
    /// How many rows are left after each step.
    pub counts: Vec<usize>,
    /// Rows that the search hits.
    pub hits: Option<Arc<[u32]>>,
    /// How the rows lie over time.
    pub strip: Option<Strip>,
    /// The first row that is not what it was; those before it are.
    pub changed: usize,
    /// Records whose text is not what it was.
    pub stale: Vec<Place>,
}

/// The rows of one stretch of the order.
#[derive(Default)]
struct Stretch {
    /// With the copies.
    of: Vec<u32>,
    shown: Vec<u32>,
    counts: Vec<usize>,
}

/// What is known, carried over to a snapshot that extends it. `None` when cancelled, or when it does not extend it.
pub fn keep_up(newer: &Snapshot, known: &Known, cancel: &Cancel) -> Option<Kept> {
    let older = &*known.snapshot;
    let is_of_thing = known.steps.iter().any(|s| !s.is_expr());
    let has_copies = !newer.copies.is_empty() || !older.copies.is_empty();
    if known.context.is_some() || is_of_thing || has_copies || !has_same_overlay(newer, older) {
        // What joins gave to old records may have changed too; neighbours come and go, things get more records, and a
        // record that gets longer may be a copy no more.
        return all_anew(newer, known, cancel);
    }
    let growth = newer.growth_since(older)?;
    let (mut old, mut new) = (growth.old_places.clone(), growth.new_places.clone());
    if !newer.copies.is_empty() {
        // Copies have equal times: whole moments are looked at.
        whole_moments(older, newer, &mut old, &mut new);
    }
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
    let keys = OrderKeys::new(older);
    let rows_of = |list: &IdList| -> Range<usize> {
        let at = |place: usize| match older.order.get(place) {
            Some(first) => {
                let first = keys.of(*first);
                list.partition_point(|id| keys.of(*id) < first)
            }
            None => list.len(),
        };
        at(old.start)..at(old.end)
    };
    let spliced = |list: &IdList, rows: &Range<usize>, middle: &[u32]| {
        let rest = list.range(rows.end..list.len()).copied();
        list.with_tail(rows.start, middle.iter().copied().chain(rest))
    };
    // The list that is shown, and which of its rows changed.
    let is_folded = after.shown.len() != after.of.len();
    let whole = |of: &Rows| match of {
        Rows::Some(list) => Rows::Some(spliced(list, &rows_of(list), &after.of)),
        // All fitted so far.
        Rows::All if !known.steps.is_empty() => Rows::Some(spliced(&older.order, &old, &after.of)),
        _ => Rows::All,
    };
    let (rows, changed) = match &known.rows {
        Rows::Folded { shown, of } => {
            let changed = rows_of(shown);
            let shown = spliced(shown, &changed, &after.shown);
            let of = Box::new(whole(of));
            (Rows::Folded { shown, of }, changed)
        }
        rows => {
            let (list, changed) = match rows {
                Rows::Some(list) => (list, rows_of(list)),
                _ => (&older.order, old.clone()),
            };
            if is_folded {
                let shown = spliced(list, &changed, &after.shown);
                let of = Box::new(whole(rows));
                (Rows::Folded { shown, of }, changed)
            } else {
                (whole(rows), changed)
            }
        }
    };
    let hits = match &known.search {
        None => None,
        Some((line, hits)) => {
            let text = Expr::Text(line.clone());
            Some(kept_hits(
                newer,
                hits,
                &changed,
                &after.shown,
                &text,
                cancel,
            )?)
        }
    };
    let strip = match &known.strip {
        None => None,
        Some(strip) => {
            let mut both = match &strip.histograms {
                Some(histograms) => (**histograms).clone(),
                None => Histograms::of(older, &known.rows, cancel)?,
            };
            if both.all.is_none() && (is_folded || !known.steps.is_empty()) {
                both.all = Some(both.rows.clone());
            }
            let change = |histogram: &mut Histogram, gone: &[u32], come: &[u32]| {
                gone.iter().for_each(|id| histogram.take(older, *id));
                come.iter().for_each(|id| histogram.add(newer, *id));
            };
            change(&mut both.rows, &before.shown, &after.shown);
            if let Some(all) = &mut both.all {
                change(all, &old_ids, &new_ids);
            }
            Some(both.strip(newer.range(), strip.events.len()))
        }
    };
    Some(Kept {
        counts: counts.collect(),
        rows,
        hits,
        strip,
        changed: changed.start,
        stale: stale(older, &growth),
    })
}

/// Whether joins gave the same to all records of the older snapshot, and nothing yet to those that came.
fn has_same_overlay(newer: &Snapshot, older: &Snapshot) -> bool {
    let (new, old) = (&newer.derived.segments, &older.derived.segments);
    (0..new.len().max(old.len())).all(|at| match (new.get(at), old.get(at)) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b) || (a.bytes() == 0 && b.bytes() == 0),
        (Some(a), None) | (None, Some(a)) => a.bytes() == 0,
        (None, None) => true,
    })
}

/// Asks everything again.
fn all_anew(newer: &Snapshot, known: &Known, cancel: &Cancel) -> Option<Kept> {
    let (rows, counts) = ask::select(newer, &known.steps, cancel)?;
    let rows = around(newer, rows, known.context, cancel)?;
    let hits = match &known.search {
        Some((line, _)) => {
            let near = None;
            Some(ask::search(newer, &rows, line, near, cancel, &mut |_| {})?)
        }
        None => None,
    };
    let strip = match &known.strip {
        Some(strip) => {
            let wish = StripWish {
                rows: rows.clone(),
                bins: strip.events.len(),
                ..StripWish::default()
            };
            Some(strip::strip(newer, &wish, cancel)?)
        }
        None => None,
    };
    let growth = newer.growth_since(&known.snapshot)?;
    Some(Kept {
        rows,
        counts,
        hits,
        strip,
        changed: 0,
        stale: stale(&known.snapshot, &growth),
    })
}

/// Records of the older snapshot whose text is not what it was.
fn stale(older: &Snapshot, growth: &Growth) -> Vec<Place> {
    let ids = growth.lengthened.iter().copied();
    ids.chain(growth.dropped.clone())
        .filter_map(|id| older.event(EventId(id)).map(|e| Place::of(&e)))
        .collect()
}

/// Widens the stretches so that no moment is cut.
fn whole_moments(
    older: &Snapshot,
    newer: &Snapshot,
    old: &mut Range<usize>,
    new: &mut Range<usize>,
) {
    let time = |s: &Snapshot, place: usize| s.at(place).map(|e| e.order_time());
    let first = [time(older, old.start), time(newer, new.start)];
    while old.start > 0 && first.contains(&time(newer, new.start - 1)) {
        old.start -= 1;
        new.start -= 1;
    }
    let last = |s: &Snapshot, end: usize| end.checked_sub(1).and_then(|at| time(s, at));
    let last = [last(older, old.end), last(newer, new.end)];
    while new.end < newer.len() && last.contains(&time(newer, new.end)) {
        old.end += 1;
        new.end += 1;
    }
}

/// Which of some events, in time order, fit the steps.
fn stretch(snapshot: &Snapshot, ids: Vec<u32>, steps: &[Step], cancel: &Cancel) -> Option<Stretch> {
    let mut of = ids;
    let mut counts = Vec::with_capacity(steps.len());
    for step in steps {
        if !of.is_empty() {
            of = fitting(snapshot, of, &step.expr, cancel)?;
        }
        counts.push(folded(snapshot, &of).len());
    }
    Some(Stretch {
        shown: folded(snapshot, &of),
        of,
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

fn folded(snapshot: &Snapshot, ids: &[u32]) -> Vec<u32> {
    let copies = &snapshot.copies;
    if copies.is_empty() {
        return ids.to_vec();
    }
    let has: FxHashSet<u32> = ids.iter().copied().collect();
    copies.fold(ids.iter().copied(), |id| has.contains(&id))
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
