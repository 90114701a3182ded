//! Selected rows of a snapshot: evaluation of steps, counts, searches.
//!
//! These functions examine many records, so they take a `Cancel` and return `None` if it is set.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_query::bits::Bits;
use widetui_query::{self as query, Expr, Field, Selection};
use widetui_store::{IdList, Snapshot};

use super::record_texts::Place;
use super::selection::{SelectionStep, StepEffect};

/// Selected records in time order.
#[derive(Clone, Debug, Default)]
pub enum Rows {
    /// All records.
    #[default]
    All,
    /// Records with these ids.
    Some(IdList),
    /// Records with context lines.
    WithContext {
        /// Ids of all records shown.
        shown: IdList,
        /// Which of these rows are context lines only.
        neighbours: Arc<Bits>,
        /// The selected rows without context; other questions refer to these.
        of: Box<Rows>,
    },
    /// Records without hidden duplicates.
    Deduplicated {
        /// Ids of the records shown.
        shown: IdList,
        /// All matching records with duplicates, the input of a next step.
        of: Box<Rows>,
    },
}

impl Rows {
    /// Ids of the records shown, in their order; `None` for all of a snapshot in its order.
    pub(crate) fn listed(&self) -> Option<&IdList> {
        match self {
            Rows::All => None,
            Rows::Some(ids)
            | Rows::Deduplicated { shown: ids, .. }
            | Rows::WithContext { shown: ids, .. } => Some(ids),
        }
    }

    /// Number of rows.
    pub fn len(&self, snapshot: &Snapshot) -> usize {
        self.listed().map_or(snapshot.len(), IdList::len)
    }

    /// Number of hidden duplicates.
    pub fn hidden_duplicates(&self, snapshot: &Snapshot) -> usize {
        match self {
            Rows::All | Rows::Some(_) => 0,
            Rows::WithContext { of, .. } => of.hidden_duplicates(snapshot),
            Rows::Deduplicated { shown, of } => of.len(snapshot).saturating_sub(shown.len()),
        }
    }

    /// Returns the rows as a set, without hidden duplicates; `None` for all of a snapshot.
    pub(crate) fn selection(&self, snapshot: &Snapshot) -> Option<Selection> {
        match self {
            Rows::All => None,
            Rows::Some(ids) | Rows::Deduplicated { shown: ids, .. } => {
                let ids = ids.iter().copied().map(EventId);
                Some(Selection::from_events(snapshot, ids))
            }
            Rows::WithContext { of, .. } => of.selection(snapshot),
        }
    }

    /// Returns the rows as a set; `None` if they are all records of the run, apart from hidden duplicates.
    pub fn part(&self, snapshot: &Snapshot) -> Option<Selection> {
        match self.is_whole() {
            true => None,
            false => self.selection(snapshot),
        }
    }

    /// Whether the rows are all records of the run, apart from hidden duplicates.
    pub(crate) fn is_whole(&self) -> bool {
        match self.own() {
            Rows::All => true,
            Rows::Deduplicated { of, .. } => matches!(**of, Rows::All),
            _ => false,
        }
    }

    /// Returns the selected rows without context lines.
    pub fn own(&self) -> &Rows {
        match self {
            Rows::WithContext { of, .. } => of,
            rows => rows,
        }
    }

    /// Whether a row is a context line only.
    pub fn is_context_line(&self, row: usize) -> bool {
        matches!(self, Rows::WithContext { neighbours, .. } if neighbours.get(row))
    }

    /// Returns the rows with hidden duplicates.
    pub(super) fn with_duplicates(&self) -> &Rows {
        match self.own() {
            Rows::Deduplicated { of, .. } => of,
            rows => rows,
        }
    }

    /// Record of a row.
    pub fn get(&self, snapshot: &Snapshot, row: usize) -> Option<EventId> {
        let ids = self.listed().unwrap_or(&snapshot.order);
        ids.get(row).copied().map(EventId)
    }

    /// Row of a record, or of the record shown in its place.
    pub fn row_of(&self, snapshot: &Snapshot, id: EventId) -> Option<usize> {
        match self {
            Rows::All => snapshot.place_of(id),
            Rows::Some(ids) | Rows::WithContext { shown: ids, .. } => {
                self.listed_at(snapshot, ids, id)
            }
            Rows::Deduplicated { shown, .. } => {
                let mut group = snapshot.duplicates.group(id.0);
                group.find_map(|id| self.listed_at(snapshot, shown, EventId(id)))
            }
        }
    }

    /// Row of a record in the displayed list. Rows are in time order, so those of its time are searched first, then all
    /// others.
    fn listed_at(&self, snapshot: &Snapshot, ids: &IdList, id: EventId) -> Option<usize> {
        let near = snapshot.event(id).and_then(|event| {
            let from = self.row_at_time(snapshot, event.order_time());
            let near = ids.range(from..ids.len().min(from + STRIDE));
            let at = { near }.position(|i| *i == id.0)?;
            Some(from + at)
        });
        near.or_else(|| ids.position(id.0))
    }

    /// First row at or after a time (UTC ns).
    pub fn row_at_time(&self, snapshot: &Snapshot, time: i64) -> usize {
        let Some(ids) = self.listed() else {
            return snapshot.place_of_time(time);
        };
        ids.partition_point(|id| {
            let event = snapshot.event(EventId(*id));
            event.is_some_and(|e| e.order_time() < time)
        })
    }
}

/// Number of rows between two checks of the cancel flag.
pub(super) const STRIDE: usize = 4096;

/// Returns the rows that pass all steps, and the number left after each. Duplicate records count once.
pub fn select(
    snapshot: &Snapshot,
    steps: &[SelectionStep],
    cancel: &Cancel,
) -> Option<(Rows, Vec<usize>)> {
    select_early(snapshot, steps, None, cancel, &mut |_, _| {})
}

/// As [`select`]. While the last step reads texts, partial results go to `give`: rows near the record `near` first,
/// then growing parts of the rest.
pub(crate) fn select_early(
    snapshot: &Snapshot,
    steps: &[SelectionStep],
    near: Option<EventId>,
    cancel: &Cancel,
    give: &mut dyn FnMut(Rows, Vec<usize>),
) -> Option<(Rows, Vec<usize>)> {
    let mut rows = Rows::All;
    let mut counts = Vec::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        rows = if at + 1 == steps.len() && step.is_expr() {
            let mut early = |found: Rows| {
                let mut counts = counts.clone();
                counts.push(found.len(snapshot));
                give(found, counts);
            };
            narrowed_early(snapshot, &rows, &step.expr, near, cancel, &mut early)?
        } else {
            by_step(snapshot, &rows, step, cancel)?
        };
        counts.push(rows.len(snapshot));
    }
    if steps.is_empty() {
        rows = deduplicated(snapshot, rows);
    }
    Some((rows, counts))
}

/// Returns the records at these places that still exist.
fn places_of(snapshot: &Snapshot, records: &[Place]) -> Vec<u32> {
    let ids = records
        .iter()
        .filter_map(|p| snapshot.event_at(p.source, p.offset));
    ids.map(|id| id.0).collect()
}

/// Returns the rows that pass a step.
pub(crate) fn by_step(
    snapshot: &Snapshot,
    rows: &Rows,
    step: &SelectionStep,
    cancel: &Cancel,
) -> Option<Rows> {
    let (events, sense) = match (&step.instance, &step.records) {
        (Some((handle, sense)), _) => (handle.events(snapshot, cancel)?, *sense),
        (None, Some(records)) => (places_of(snapshot, records), StepEffect::Keep),
        (None, None) => return narrowed(snapshot, rows, &step.expr, cancel),
    };
    // All duplicates of a listed record pass, as in a selection by expression.
    let of_group = |id: &u32| snapshot.duplicates.group(*id).collect::<Vec<u32>>();
    let mut fits = Selection::from_events(snapshot, events.iter().flat_map(of_group).map(EventId));
    if sense == StepEffect::Exclude {
        fits.invert();
    }
    let among = match rows.with_duplicates() {
        Rows::Some(ids) => fits.of_list(ids),
        _ => fits.ordered_list(snapshot),
    };
    Some(deduplicated(snapshot, Rows::Some(among)))
}

/// Number of rows from which a text search is evaluated in parts.
const MANY: usize = 1 << 18;
/// Rows of the first part, and the factor base of the following parts.
const FIRST: usize = 1 << 16;
const GROWTH: usize = 8;
/// Number of rows examined for the first screen if columns suffice.
const PAGE: usize = 1 << 13;

/// As [`narrowed`]; if the texts of many rows must be read, `give` receives partial results.
fn narrowed_early(
    snapshot: &Snapshot,
    rows: &Rows,
    expr: &Expr,
    near: Option<EventId>,
    cancel: &Cancel,
    give: &mut dyn FnMut(Rows),
) -> Option<Rows> {
    let all = rows.with_duplicates();
    if all.len(snapshot) < MANY {
        return narrowed(snapshot, rows, expr, cancel);
    }
    let near = near.and_then(|id| snapshot.event(id));
    let centre = near.map_or(0, |e| all.row_at_time(snapshot, e.order_time()));
    if !reads_text(expr) {
        // A column scan is fast, but slower than one limited to the first screen.
        let page = page(snapshot, all, expr, centre, cancel)?;
        if !page.is_empty() {
            give(deduplicated(snapshot, Rows::Some(page)));
        }
        return narrowed(snapshot, rows, expr, cancel);
    }
    let ids = match all {
        Rows::Some(ids) => ids.to_vec(),
        _ => snapshot.order.to_vec(),
    };
    let mut found: Vec<u32> = Vec::new();
    let (mut low, mut high, mut size) = (centre, centre, FIRST);
    loop {
        let from = centre.saturating_sub(size / 2);
        let to = (centre + size / 2).min(ids.len());
        let among = [&ids[from..low], &ids[high..to]].concat();
        let fits = query::select_among(snapshot, expr, Some(&among), cancel)?;
        let (before, after) = among.split_at(low - from);
        let fits = fits.flat();
        let hits = |ids: &[u32]| -> Vec<u32> {
            let hits = ids.iter().copied();
            hits.filter(|id| fits.get(*id as usize)).collect()
        };
        found = [hits(before), found, hits(after)].concat();
        (low, high, size) = (from, to, size.saturating_mul(GROWTH));
        if low == 0 && high == ids.len() {
            return Some(deduplicated(snapshot, Rows::Some(found.into())));
        }
        give(deduplicated(snapshot, Rows::Some(found.clone().into())));
    }
}

/// Returns the matching rows around the row `centre`, for the first screen.
fn page(
    snapshot: &Snapshot,
    rows: &Rows,
    expr: &Expr,
    centre: usize,
    cancel: &Cancel,
) -> Option<IdList> {
    let ids = match rows {
        Rows::Some(ids) => ids,
        _ => &snapshot.order,
    };
    let from = centre.saturating_sub(PAGE / 2);
    let near: Vec<u32> = ids
        .range(from..ids.len().min(from + PAGE))
        .copied()
        .collect();
    let fits = query::select_among(snapshot, expr, Some(&near), cancel)?;
    Some(fits.of_list(&near.into()))
}

/// Whether evaluation may have to read texts.
fn reads_text(expr: &Expr) -> bool {
    match expr {
        Expr::Text(_) => true,
        Expr::Compare(c) => c.field == Field::Message,
        Expr::Not(inner) => reads_text(inner),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().any(reads_text),
        Expr::All | Expr::Has(_) => false,
    }
}

/// Returns the rows that match an expression. A record matches if any of its duplicates does.
pub(crate) fn narrowed(
    snapshot: &Snapshot,
    rows: &Rows,
    expr: &Expr,
    cancel: &Cancel,
) -> Option<Rows> {
    let ids: IdList = match rows.with_duplicates() {
        Rows::Some(ids) => {
            let fits = query::select_among(snapshot, expr, Some(&ids.to_vec()), cancel)?;
            fits.of_list(ids)
        }
        _ => {
            let fits = query::select(snapshot, expr, cancel)?;
            if fits.len() == snapshot.len() {
                return Some(deduplicated(snapshot, Rows::All));
            }
            fits.ordered_list(snapshot)
        }
    };
    Some(deduplicated(snapshot, Rows::Some(ids)))
}

/// Hides duplicates; returns the rows unchanged if there are none.
pub(super) fn deduplicated(snapshot: &Snapshot, rows: Rows) -> Rows {
    let copies = &snapshot.duplicates;
    let shown = match &rows {
        _ if copies.is_empty() => return rows,
        Rows::All => copies.representatives(snapshot.order.iter().copied(), |_| true),
        Rows::Deduplicated { .. } | Rows::WithContext { .. } => return rows,
        Rows::Some(ids) => {
            // Only duplicates are looked up in the set, and they are few.
            let has: FxHashSet<u32> = ids.iter().copied().collect();
            copies.representatives(ids.iter().copied(), |id| has.contains(&id))
        }
    };
    if shown.len() == rows.len(snapshot) {
        return rows;
    }
    Rows::Deduplicated {
        shown: shown.into(),
        of: Box::new(rows),
    }
}

/// Number of rows that pass a step.
pub(crate) fn count(
    snapshot: &Snapshot,
    rows: &Rows,
    step: &SelectionStep,
    cancel: &Cancel,
) -> Option<usize> {
    let expr = &step.expr;
    if !step.is_expr() {
        return Some(by_step(snapshot, rows, step, cancel)?.len(snapshot));
    }
    if !snapshot.duplicates.is_empty() {
        return Some(narrowed(snapshot, rows, expr, cancel)?.len(snapshot));
    }
    Some(match rows.with_duplicates() {
        Rows::Some(ids) => {
            let fits = query::select_among(snapshot, expr, Some(&ids.to_vec()), cancel)?;
            fits.of_list(ids).len()
        }
        _ => query::count(snapshot, expr, cancel)?,
    })
}

mod common;
mod numbers;

pub use common::{ValueStat, common_values};
pub use numbers::{NumberKey, number_keys};

/// Returns the rows whose message contains a text, ascending; a text without capital letters ignores case. Partial
/// results go to `give`, matches near the record `near` first.
pub fn search(
    snapshot: &Snapshot,
    rows: &Rows,
    expr: &Expr,
    near: Option<EventId>,
    cancel: &Cancel,
    give: &mut dyn FnMut(Arc<[u32]>),
) -> Option<Arc<[u32]>> {
    let mut early = |hits: Rows| give(places(snapshot, rows, &hits));
    let hits = narrowed_early(snapshot, rows, expr, near, cancel, &mut early)?;
    Some(places(snapshot, rows, &hits))
}

/// Returns the indices in `rows` of the records that are also in `some`. Both have the same order, so one pass
/// suffices.
pub(super) fn places(snapshot: &Snapshot, rows: &Rows, some: &Rows) -> Arc<[u32]> {
    let mut places = Vec::with_capacity(some.len(snapshot));
    let mut row = 0;
    for hit in (0..some.len(snapshot)).map_while(|at| some.get(snapshot, at)) {
        while rows.get(snapshot, row).is_some_and(|id| id != hit) {
            row += 1;
        }
        places.push(row as u32);
    }
    places.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_store::duplicates::Duplicates;

    #[test]
    fn a_copy_stands_for_a_record_that_is_not_selected() {
        let snapshot = Snapshot {
            duplicates: Arc::new(Duplicates::new(vec![(5, 2), (7, 2), (6, 3)])),
            ..Snapshot::default()
        };
        let rows = deduplicated(&snapshot, Rows::Some([1, 3, 5, 6, 7].into()));
        let Rows::Deduplicated { shown, .. } = &rows else {
            panic!("{rows:?}");
        };
        assert_eq!(shown.to_vec(), [1, 3, 5]);
        assert_eq!(
            (rows.len(&snapshot), rows.hidden_duplicates(&snapshot)),
            (3, 2)
        );
        // The row of a hidden duplicate is that of the record shown.
        assert_eq!(rows.row_of(&snapshot, EventId(2)), Some(2));
        assert_eq!(rows.row_of(&snapshot, EventId(6)), Some(1));
        assert_eq!(rows.row_of(&snapshot, EventId(9)), None);
    }
}
