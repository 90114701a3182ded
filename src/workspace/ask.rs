//! Questions about a snapshot: which records are selected, where the next error is, how records lie over time.
//!
//! All of them look at many records, so all take a `Cancel` and give `None` when it was used.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::base::level::Level;
use crate::base::time::NO_TIME;
use crate::query::{self, Expr, Selection};
use crate::store::{EventRef, Snapshot};

use super::fetch::Place;
use super::selection::{Sense, Step};

/// The selected records in time order.
#[derive(Clone, Debug, Default)]
pub enum Rows {
    /// All of them.
    #[default]
    All,
    /// These event ids.
    Some(Arc<[u32]>),
    /// Records that stand in several sources, once each.
    Folded {
        /// The event ids that are shown.
        shown: Arc<[u32]>,
        /// All that fit, with the copies: what the next step of a selection is asked about.
        of: Box<Rows>,
    },
}

impl Rows {
    /// Number of rows.
    pub fn len(&self, snapshot: &Snapshot) -> usize {
        match self {
            Rows::All => snapshot.len(),
            Rows::Some(ids) | Rows::Folded { shown: ids, .. } => ids.len(),
        }
    }

    /// Number of records that are not shown because another row shows the same.
    pub fn folded(&self, snapshot: &Snapshot) -> usize {
        match self {
            Rows::All | Rows::Some(_) => 0,
            Rows::Folded { shown, of } => of.len(snapshot).saturating_sub(shown.len()),
        }
    }

    /// The rows as a set; `None` for all of a snapshot. What stands in several sources is in it once.
    pub fn selection(&self, snapshot: &Snapshot) -> Option<Selection> {
        match self {
            Rows::All => None,
            Rows::Some(ids) | Rows::Folded { shown: ids, .. } => {
                let ids = ids.iter().copied().map(EventId);
                Some(Selection::of(snapshot, ids))
            }
        }
    }

    /// The rows with the copies that are not shown.
    fn with_copies(&self) -> &Rows {
        match self {
            Rows::Folded { of, .. } => of,
            rows => rows,
        }
    }

    /// The event of a row.
    pub fn get(&self, snapshot: &Snapshot, row: usize) -> Option<EventId> {
        match self {
            Rows::All => snapshot.order.get(row).copied().map(EventId),
            Rows::Some(ids) | Rows::Folded { shown: ids, .. } => ids.get(row).copied().map(EventId),
        }
    }

    /// The row of an event, or of the one that is shown for it.
    pub fn row_of(&self, snapshot: &Snapshot, id: EventId) -> Option<usize> {
        match self {
            Rows::All => snapshot.place_of(id),
            Rows::Some(ids) => ids.iter().position(|i| *i == id.0),
            Rows::Folded { shown, .. } => {
                let group: Vec<u32> = snapshot.copies.group(id.0).collect();
                shown.iter().position(|i| group.contains(i))
            }
        }
    }

    /// The first row at or after a time (UTC ns).
    pub fn row_at_time(&self, snapshot: &Snapshot, time: i64) -> usize {
        match self {
            Rows::All => snapshot.place_of_time(time),
            Rows::Some(ids) | Rows::Folded { shown: ids, .. } => ids.partition_point(|id| {
                snapshot
                    .event(EventId(*id))
                    .is_some_and(|e| e.order_time() < time)
            }),
        }
    }
}

/// What to look for from a row on.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// A record at least this severe.
    Level(Level),
    /// One of these records.
    Places(Vec<Place>),
}

impl Wanted {
    fn fits(&self, event: &EventRef<'_>) -> bool {
        match self {
            Wanted::Level(level) => event.level() >= *level,
            Wanted::Places(places) => places.contains(&Place::of(event)),
        }
    }
}

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Later rows.
    Forward,
    /// Earlier rows.
    Backward,
}

/// Rows looked at between two looks at the cancel flag.
const STRIDE: usize = 4096;

/// The nearest row beyond `from` with what is wanted, going round at the end; `Some(None)` when there is none.
pub fn find(
    snapshot: &Snapshot,
    rows: &Rows,
    from: usize,
    direction: Direction,
    wanted: &Wanted,
    cancel: &Cancel,
) -> Option<Option<usize>> {
    let len = rows.len(snapshot);
    for step in 1..=len {
        if step.is_multiple_of(STRIDE) && cancel.is_cancelled() {
            return None;
        }
        let row = match direction {
            Direction::Forward => (from + step) % len,
            Direction::Backward => (from + len - step % len) % len,
        };
        let event = rows.get(snapshot, row).and_then(|id| snapshot.event(id));
        if event.is_some_and(|e| wanted.fits(&e)) {
            return Some(Some(row));
        }
    }
    Some(None)
}

/// How records lie over time: counts per stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// First and last time of the whole run, UTC ns.
    pub range: (i64, i64),
    /// Selected records per stretch.
    pub events: Vec<u32>,
    /// Warnings among them.
    pub warnings: Vec<u32>,
    /// Errors and worse among them.
    pub errors: Vec<u32>,
}

impl Strip {
    /// The stretch that a time falls into.
    pub fn bin_of(&self, time: i64) -> usize {
        bin(self.range, self.events.len(), time)
    }

    /// The time at which a stretch begins.
    pub fn time_of(&self, bin: usize) -> i64 {
        let (from, to) = self.range;
        let span = i128::from(to) - i128::from(from);
        let at = i128::from(from) + span * bin as i128 / self.events.len().max(1) as i128;
        i64::try_from(at).unwrap_or(to)
    }
}

fn bin((from, to): (i64, i64), bins: usize, time: i64) -> usize {
    let span = (i128::from(to) - i128::from(from)).max(1);
    let at = (i128::from(time) - i128::from(from)).clamp(0, span);
    ((at * bins as i128 / span) as usize).min(bins.saturating_sub(1))
}

/// Counts the selected records in `bins` stretches of the whole run's time.
pub fn strip(snapshot: &Snapshot, rows: &Rows, bins: usize, cancel: &Cancel) -> Option<Strip> {
    let mut out = Strip {
        range: snapshot.range().unwrap_or_default(),
        events: vec![0; bins],
        warnings: vec![0; bins],
        errors: vec![0; bins],
    };
    if bins == 0 || snapshot.range().is_none() {
        return Some(out);
    }
    let range = out.range;
    let mut count = |time: i64, level: Level| {
        let bin = bin(range, bins, time);
        out.events[bin] += 1;
        match level {
            Level::Warning => out.warnings[bin] += 1,
            Level::Error | Level::Critical => out.errors[bin] += 1,
            _ => {}
        }
    };
    match rows {
        // By segment, so that nothing is looked up per record but its time.
        Rows::All => {
            for segment in snapshot.segments.iter() {
                if cancel.is_cancelled() {
                    return None;
                }
                let mut levels = vec![Level::Unknown; segment.len()];
                for group in &segment.groups {
                    let shape = snapshot.catalog.shapes.get(group.shape.index());
                    let level = shape.map_or(Level::Unknown, |s| s.level);
                    if level >= Level::Warning {
                        group
                            .rows
                            .iter()
                            .for_each(|r| levels[usize::from(*r)] = level);
                    }
                }
                for part in &segment.parts {
                    let source = &snapshot.sources[part.source.index()];
                    let first = part.first_row as usize;
                    for (row, level) in (first..first + part.rows as usize).zip(&levels[first..]) {
                        let time = source.utc(segment.times.get(row));
                        if time != NO_TIME {
                            count(time, *level);
                        }
                    }
                }
            }
        }
        Rows::Some(ids) | Rows::Folded { shown: ids, .. } => {
            for chunk in ids.chunks(STRIDE) {
                if cancel.is_cancelled() {
                    return None;
                }
                for event in chunk.iter().filter_map(|id| snapshot.event(EventId(*id))) {
                    if let Some(time) = event.time() {
                        count(time, event.level());
                    }
                }
            }
        }
    }
    Some(out)
}

/// The rows that fit all steps, and how many are left after each. What stands in several sources counts once.
pub fn select(snapshot: &Snapshot, steps: &[Step], cancel: &Cancel) -> Option<(Rows, Vec<usize>)> {
    let mut rows = Rows::All;
    let mut counts = Vec::with_capacity(steps.len());
    for step in steps {
        rows = by_step(snapshot, &rows, step, cancel)?;
        counts.push(rows.len(snapshot));
    }
    if steps.is_empty() {
        rows = folded(snapshot, rows);
    }
    Some((rows, counts))
}

/// Those of some rows that fit a step.
pub fn by_step(snapshot: &Snapshot, rows: &Rows, step: &Step, cancel: &Cancel) -> Option<Rows> {
    let Some((thing, sense)) = &step.thing else {
        return narrowed(snapshot, rows, &step.expr, cancel);
    };
    let events = thing.events(snapshot, cancel)?;
    // Records that stand in several sources: all of them, as in a selection by expression.
    let of_group = |id: &u32| snapshot.copies.group(*id).collect::<Vec<u32>>();
    let mut fits = Selection::of(snapshot, events.iter().flat_map(of_group).map(EventId));
    if *sense == Sense::Out {
        fits.invert();
    }
    Some(among(snapshot, rows, &fits))
}

/// Those of some rows that fit an expression. A record fits when it does so in any of the sources where it stands.
pub fn narrowed(snapshot: &Snapshot, rows: &Rows, expr: &Expr, cancel: &Cancel) -> Option<Rows> {
    let fits = query::select(snapshot, expr, cancel)?;
    Some(among(snapshot, rows, &fits))
}

fn among(snapshot: &Snapshot, rows: &Rows, fits: &Selection) -> Rows {
    let ids: Arc<[u32]> = match rows.with_copies() {
        Rows::Some(ids) => ids
            .iter()
            .copied()
            .filter(|id| fits.contains(EventId(*id)))
            .collect(),
        _ => fits.ordered(snapshot).into(),
    };
    folded(snapshot, Rows::Some(ids))
}

/// Each record that stands in several sources once; the rows themselves when there is none.
fn folded(snapshot: &Snapshot, rows: Rows) -> Rows {
    let copies = &snapshot.copies;
    let shown = match &rows {
        _ if copies.is_empty() => return rows,
        Rows::All => copies.fold(&snapshot.order, |_| true),
        Rows::Folded { .. } => return rows,
        Rows::Some(ids) => {
            // Only the repeated ones are asked for, and they are few.
            let has: FxHashSet<u32> = ids.iter().copied().collect();
            copies.fold(ids, |id| has.contains(&id))
        }
    };
    if shown.len() == rows.len(snapshot) {
        return rows;
    }
    Rows::Folded {
        shown: shown.into(),
        of: Box::new(rows),
    }
}

/// How many of some rows fit a step.
pub fn count(snapshot: &Snapshot, rows: &Rows, step: &Step, cancel: &Cancel) -> Option<usize> {
    let expr = &step.expr;
    if step.thing.is_some() {
        return Some(by_step(snapshot, rows, step, cancel)?.len(snapshot));
    }
    if !snapshot.copies.is_empty() {
        return Some(narrowed(snapshot, rows, expr, cancel)?.len(snapshot));
    }
    let fits = query::select(snapshot, expr, cancel)?;
    Some(match rows.with_copies() {
        Rows::Some(ids) => ids.iter().filter(|id| fits.contains(EventId(**id))).count(),
        _ => fits.len(),
    })
}

/// Rows whose message contains a text, ascending; a text without capitals ignores case.
pub fn search(snapshot: &Snapshot, rows: &Rows, text: &str, cancel: &Cancel) -> Option<Arc<[u32]>> {
    let hits = narrowed(snapshot, rows, &Expr::Text(text.to_owned()), cancel)?;
    // Both are in the same order: one walk gives the places.
    let mut places = Vec::with_capacity(hits.len(snapshot));
    let mut row = 0;
    for hit in (0..hits.len(snapshot)).map_while(|at| hits.get(snapshot, at)) {
        while rows.get(snapshot, row).is_some_and(|id| id != hit) {
            row += 1;
        }
        places.push(row as u32);
    }
    Some(places.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::copies::Copies;

    #[test]
    fn a_copy_stands_for_a_record_that_is_not_selected() {
        let snapshot = Snapshot {
            copies: Arc::new(Copies::new(vec![(5, 2), (7, 2), (6, 3)])),
            ..Snapshot::default()
        };
        let rows = folded(&snapshot, Rows::Some([1, 3, 5, 6, 7].into()));
        let Rows::Folded { shown, .. } = &rows else {
            panic!("{rows:?}");
        };
        assert_eq!(shown[..], [1, 3, 5]);
        assert_eq!((rows.len(&snapshot), rows.folded(&snapshot)), (3, 2));
        // The row of an event that is not shown is the one that is shown for it.
        assert_eq!(rows.row_of(&snapshot, EventId(2)), Some(2));
        assert_eq!(rows.row_of(&snapshot, EventId(6)), Some(1));
        assert_eq!(rows.row_of(&snapshot, EventId(9)), None);
    }
}
