//! Context lines: records before and after the selected ones.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_query::bits::Bits;
use widetui_store::{IdList, Snapshot};

use super::rows::{Rows, STRIDE, deduplicated};

/// Which records count as neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextScope {
    /// Records of the same source.
    Source,
    /// Records of all sources.
    All,
}

/// Which context lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextWindow {
    /// Which records count as neighbours.
    pub of: ContextScope,
    /// Number of records before and after each selected one.
    pub lines: usize,
}

/// Number of context lines on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextSize {
    /// Number of records before each selected one.
    pub before: usize,
    /// Number of records after each selected one.
    pub after: usize,
}

impl ContextSize {
    /// Creates a symmetric reach.
    #[must_use]
    pub(crate) fn both(lines: usize) -> ContextSize {
        ContextSize {
            before: lines,
            after: lines,
        }
    }

    /// Whether there are no context lines.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == ContextSize::default()
    }
}

/// Adds context lines to rows; returns the rows unchanged if they are all records already. `None` if cancelled.
pub fn around(
    snapshot: &Snapshot,
    rows: Rows,
    context: Option<ContextWindow>,
    cancel: &Cancel,
) -> Option<Rows> {
    let Some(context) = context.filter(|c| c.lines > 0) else {
        return Some(rows);
    };
    let Some(own) = rows.listed().map(IdList::to_vec) else {
        return Some(rows);
    };
    let mut chosen = Bits::none(snapshot.len());
    own.iter().for_each(|id| chosen.set(*id as usize));
    // Duplicates are hidden in the context.
    let every = deduplicated(snapshot, Rows::All);
    let order = every.listed().unwrap_or(&snapshot.order).to_vec();
    let reach = ContextSize::both(context.lines);
    let wanted = match context.of {
        ContextScope::All => neighbours(&order, &chosen, reach, cancel)?,
        ContextScope::Source => {
            records_in_source_context(snapshot, &order, &chosen, reach, cancel)?
        }
    };
    let is_shown = |id: &u32| {
        let at = *id as usize;
        chosen.get(at) || wanted.get(at)
    };
    // A selected record that has since become a hidden duplicate is shown all the same.
    let order = if own
        .iter()
        .all(|id| snapshot.duplicates.original_of(*id).is_none())
    {
        order
    } else {
        snapshot.order.to_vec()
    };
    let shown: Vec<u32> = order.iter().copied().filter(is_shown).collect();
    let neighbours = Bits::from_items(&shown, |id| !chosen.get(*id as usize));
    Some(Rows::WithContext {
        shown: shown.into(),
        neighbours: Arc::new(neighbours),
        of: Box::new(rows),
    })
}

/// Returns the records within `reach` of a selected one in this order, including the selected ones. `None` if
/// cancelled.
pub fn neighbours(
    order: &[u32],
    chosen: &Bits,
    reach: ContextSize,
    cancel: &Cancel,
) -> Option<Bits> {
    let mut wanted = Bits::none(chosen.len());
    // Records before this index are done.
    let mut done = 0;
    for (place, id) in order.iter().enumerate() {
        if place.is_multiple_of(16 * STRIDE) && cancel.is_cancelled() {
            return None;
        }
        if chosen.get(*id as usize) {
            let from = place.saturating_sub(reach.before).max(done);
            let to = place.saturating_add(reach.after).saturating_add(1);
            done = to.min(order.len());
            order[from.min(done)..done]
                .iter()
                .for_each(|id| wanted.set(*id as usize));
        }
    }
    Some(wanted)
}

/// The last records of a source, and the number of its following records still to be included.
#[derive(Clone, Default)]
struct Lately {
    before: std::collections::VecDeque<u32>,
    after: usize,
}

/// As [`neighbours`], but counted among the records of the selected one's source. `None` if cancelled.
pub fn records_in_source_context(
    snapshot: &Snapshot,
    order: &[u32],
    chosen: &Bits,
    reach: ContextSize,
    cancel: &Cancel,
) -> Option<Bits> {
    let mut wanted = Bits::none(chosen.len());
    let mut sources = vec![Lately::default(); snapshot.sources.len()];
    for (place, id) in order.iter().enumerate() {
        if place.is_multiple_of(STRIDE) && cancel.is_cancelled() {
            return None;
        }
        let Some(event) = snapshot.event(EventId(*id)) else {
            continue;
        };
        let source = event.segment.part(event.row).source.index();
        let Some(lately) = sources.get_mut(source) else {
            continue;
        };
        if chosen.get(*id as usize) {
            wanted.set(*id as usize);
            lately
                .before
                .drain(..)
                .for_each(|id| wanted.set(id as usize));
            lately.after = reach.after;
        } else if lately.after > 0 {
            wanted.set(*id as usize);
            lately.after -= 1;
        } else if reach.before > 0 {
            if lately.before.len() == reach.before {
                lately.before.pop_front();
            }
            lately.before.push_back(*id);
        }
    }
    Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn neighbours_of_all_sources_are_at_most_so_far_away(
            order in (1usize..60).prop_flat_map(|n| Just((0..n as u32).collect::<Vec<_>>()).prop_shuffle()),
            picks in prop::collection::vec(0usize..60, 0..6), before in 0usize..5, after in 0usize..5,
        ) {
            let mut chosen = Bits::none(order.len());
            picks.iter().for_each(|p| chosen.set(*p));
            let reach = ContextSize { before, after };
            let wanted = neighbours(&order, &chosen, reach, &Cancel::default()).unwrap();
            for (place, id) in order.iter().enumerate() {
                let near = order.iter().enumerate().any(|(at, other)| chosen.get(*other as usize) && place + before >= at && place <= at + after);
                prop_assert_eq!(wanted.get(*id as usize), near);
            }
        }
    }
}
