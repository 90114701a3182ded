//! Search for the next record with a property, and the severe records among the rows.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use widetui_core::cancel::{Cancel, Cancelled};
use widetui_core::direction::Direction;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_query::{self as query, Expr, Field, Op};
use widetui_store::{IdList, Snapshot};

use super::rows::Rows;

/// Number of adjacent rows examined before all others.
const NEAR: usize = 1 << 12;

/// Property to search for.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchTarget {
    /// A record of at least this level.
    Level(Level),
    /// A record that matches an expression.
    Fits(Expr),
}

fn at_least(level: Level) -> Expr {
    Expr::compare(Field::Level, Op::Ge, level.name())
}

/// Returns the nearest row after or before `from` with the property, wrapping at the ends; `None` if there is none.
///
/// # Errors
/// The search was cancelled.
pub(crate) fn find(
    snapshot: &Snapshot,
    rows: &Rows,
    from: usize,
    direction: Direction,
    wanted: &SearchTarget,
    cancel: &Cancel,
) -> Result<Option<usize>, Cancelled> {
    let expr = match wanted {
        SearchTarget::Level(level) => at_least(*level),
        SearchTarget::Fits(expr) => expr.clone(),
    };
    let ids = rows.listed().unwrap_or(&snapshot.order);
    // The next record with an equal value is mostly nearby, so the rest of the run need not be examined.
    let near = match direction {
        Direction::Forward => from + 1..from + 1 + NEAR,
        Direction::Backward => from.saturating_sub(NEAR)..from,
    };
    let near = near.start.min(ids.len())..near.end.min(ids.len());
    if near.len() < ids.len() {
        let some = ids.range(near.clone());
        let some: Vec<u32> = some.flat_map(|id| snapshot.duplicates.group(*id)).collect();
        let fits = query::select_among(snapshot, &expr, Some(&some), cancel).ok_or(Cancelled)?;
        let has = |id: u32| fits.contains(EventId(id));
        let found = first_of(snapshot, ids, near, direction, &has);
        if found.is_some() {
            return Ok(found);
        }
    }
    let fits = query::select(snapshot, &expr, cancel).ok_or(Cancelled)?;
    if fits.is_empty() {
        return Ok(None);
    }
    let fits = fits.flat();
    let has = |id: u32| fits.get(id as usize) && !cancel.is_cancelled();
    let (ahead, round) = match direction {
        Direction::Forward => (from + 1..ids.len(), 0..from + 1),
        Direction::Backward => (0..from, from..ids.len()),
    };
    let of = |range| first_of(snapshot, ids, range, direction, &has);
    let found = of(ahead).or_else(|| of(round));
    match cancel.is_cancelled() {
        true => Err(Cancelled),
        false => Ok(found),
    }
}

/// Returns the first matching row in a direction. A record matches if any of its duplicates does.
fn first_of(
    snapshot: &Snapshot,
    ids: &IdList,
    rows: Range<usize>,
    direction: Direction,
    has: &(impl Fn(u32) -> bool + Sync),
) -> Option<usize> {
    let is_alone = snapshot.duplicates.is_empty();
    let fits = |id: u32| match is_alone {
        true => has(id),
        false => { snapshot.duplicates.group(id) }.any(has),
    };
    let within = |(start, chunk): &(usize, &Arc<[u32]>)| {
        let from = rows.start.saturating_sub(*start);
        let part = chunk.get(from..rows.end.saturating_sub(*start).min(chunk.len()))?;
        let at = match direction {
            Direction::Forward => part.iter().position(|id| fits(*id)),
            Direction::Backward => part.iter().rposition(|id| fits(*id)),
        };
        Some(start + from + at?)
    };
    let pieces = pieces(ids);
    match direction {
        Direction::Forward => pieces.par_iter().find_map_first(within),
        Direction::Backward => pieces.par_iter().find_map_last(within),
    }
}

/// Splits the ids into slices, each with the index of its first row.
fn pieces(ids: &IdList) -> Vec<(usize, &Arc<[u32]>)> {
    let starts = ids.slices().iter().scan(0, |next, chunk| {
        let first = *next;
        *next += chunk.len();
        Some((first, chunk))
    });
    starts.collect()
}

/// Rows with warnings or errors, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SevereRows {
    /// Warnings and worse.
    pub warnings: Arc<[u32]>,
    /// Errors and worse.
    pub errors: Arc<[u32]>,
}

impl SevereRows {
    /// Returns the rows of at least this level; `None` for levels that are not indexed.
    pub fn of(&self, level: Level) -> Option<&Arc<[u32]>> {
        match level {
            Level::Warning => Some(&self.warnings),
            Level::Error => Some(&self.errors),
            _ => None,
        }
    }
}

/// Returns the nearest of some ascending rows after or before `from`, wrapping at the ends.
pub fn nearest_row(rows: &[u32], from: usize, direction: Direction) -> Option<usize> {
    let found = match direction {
        Direction::Forward => {
            let after = rows.partition_point(|r| *r as usize <= from);
            rows.get(after).or(rows.first())
        }
        Direction::Backward => {
            let before = rows.partition_point(|r| (*r as usize) < from);
            before.checked_sub(1).map_or(rows.last(), |at| rows.get(at))
        }
    };
    found.map(|row| *row as usize)
}

/// Finds the rows with warnings or errors; `None` if cancelled.
pub(crate) fn severe(snapshot: &Snapshot, rows: &Rows, cancel: &Cancel) -> Option<SevereRows> {
    Some(SevereRows {
        errors: at_least_so(snapshot, rows, Level::Error, cancel)?,
        warnings: at_least_so(snapshot, rows, Level::Warning, cancel)?,
    })
}

fn at_least_so(
    snapshot: &Snapshot,
    rows: &Rows,
    level: Level,
    cancel: &Cancel,
) -> Option<Arc<[u32]>> {
    let fits = query::select(snapshot, &at_least(level), cancel)?;
    if fits.is_empty() {
        return Some(Arc::default());
    }
    let flat = fits.flat();
    let ids = rows.listed().unwrap_or(&snapshot.order);
    let pieces: Vec<Vec<u32>> = pieces(ids)
        .par_iter()
        .map(|(first, chunk)| {
            let rows = (*first as u32..).zip(chunk.iter());
            rows.filter(|(_, id)| flat.get(**id as usize))
                .map(|(row, _)| row)
                .collect()
        })
        .collect();
    Some(pieces.concat().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_row_is_that_which_one_comes_to(rows in prop::collection::btree_set(0u32..40, 0..8), from in 0usize..40) {
            let rows: Vec<u32> = rows.into_iter().collect();
            let walk = |step: usize| (1..=40).map(|n| (from + n * step) % 40).find(|r| rows.contains(&(*r as u32)));
            prop_assert_eq!(nearest_row(&rows, from, Direction::Forward), walk(1));
            prop_assert_eq!(nearest_row(&rows, from, Direction::Backward), walk(39));
        }
    }
}
