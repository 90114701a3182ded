//! Where the next one of something is, and where among the rows all severe ones stand.

use std::sync::Arc;

use rayon::prelude::*;

use crate::base::cancel::{Cancel, Cancelled};
use crate::base::direction::Direction;
use crate::base::level::Level;
use crate::query::{self, Expr, Field, Op, Selection};
use crate::store::Snapshot;

use super::ask::{Rows, STRIDE};

/// What to look for from a row on.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchTarget {
    /// A record at least this severe.
    Level(Level),
    /// A record that fits this.
    Fits(Expr),
}

fn at_least(level: Level) -> Expr {
    Expr::compare(Field::Level, Op::Ge, level.name())
}

/// The nearest row beyond `from` with what is wanted, going round at the end; `None` when there is none.
///
/// # Errors
/// It was cancelled.
pub fn find(
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
    let fits = query::select(snapshot, &expr, cancel).ok_or(Cancelled)?;
    nearest(snapshot, rows, from, direction, &fits, cancel)
}

fn nearest(
    snapshot: &Snapshot,
    rows: &Rows,
    from: usize,
    direction: Direction,
    fits: &Selection,
    cancel: &Cancel,
) -> Result<Option<usize>, Cancelled> {
    if fits.is_empty() {
        return Ok(None);
    }
    let len = rows.len(snapshot);
    for step in 1..=len {
        if step.is_multiple_of(STRIDE) && cancel.is_cancelled() {
            return Err(Cancelled);
        }
        let row = match direction {
            Direction::Forward => (from + step) % len,
            Direction::Backward => (from + len - step % len) % len,
        };
        // A record that stands in several sources fits when it does so in any of them.
        let found = rows.get(snapshot, row).is_some_and(|id| {
            let mut group = snapshot.copies.group(id.0);
            fits.contains(id) || group.any(|id| fits.contains(crate::base::ids::EventId(id)))
        });
        if found {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// The rows with problems, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Severe {
    /// Warnings and worse.
    pub warnings: Arc<[u32]>,
    /// Errors and worse.
    pub errors: Arc<[u32]>,
}

impl Severe {
    /// The rows at least this severe, where they are known by now.
    pub fn of(&self, level: Level) -> Option<&Arc<[u32]>> {
        match level {
            Level::Warning => Some(&self.warnings),
            Level::Error => Some(&self.errors),
            _ => None,
        }
    }
}

/// The nearest of some ascending rows beyond `from`, going round at the end.
pub fn nearest_of(rows: &[u32], from: usize, direction: Direction) -> Option<usize> {
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

/// The rows with problems; `None` when cancelled.
pub fn severe(snapshot: &Snapshot, rows: &Rows, cancel: &Cancel) -> Option<Severe> {
    Some(Severe {
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
    // With the row at which each of them begins.
    let starts = ids.slices().iter().scan(0, |next, chunk| {
        let first = *next;
        *next += chunk.len() as u32;
        Some((first, chunk))
    });
    let starts: Vec<(u32, &Arc<[u32]>)> = starts.collect();
    let pieces: Vec<Vec<u32>> = starts
        .par_iter()
        .map(|(first, chunk)| {
            let rows = (*first..).zip(chunk.iter());
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
            prop_assert_eq!(nearest_of(&rows, from, Direction::Forward), walk(1));
            prop_assert_eq!(nearest_of(&rows, from, Direction::Backward), walk(39));
        }
    }
}
