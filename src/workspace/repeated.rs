//! Finds records that stand in several sources, byte for byte.

use std::sync::Arc;

use rayon::prelude::*;

use crate::base::cancel::Cancel;
use crate::source::text::read_range;
use crate::store::copies::Copies;
use crate::store::{EventRef, Snapshot};

/// The snapshot with its copies marked. Copies have equal times, so they stand side by side in time order.
pub(super) fn mark_copies(snapshot: Snapshot, cancel: &Cancel) -> Snapshot {
    let pairs: Vec<(u32, u32)> = snapshot
        .ties
        .par_iter()
        .with_min_len(1024)
        .filter_map(|&place| {
            if cancel.is_cancelled() {
                None
            } else {
                original_of(&snapshot, place as usize)
            }
        })
        .collect();
    // What repeats a copy repeats what that one repeats.
    let copies = Copies::new(pairs);
    let pairs = copies
        .iter()
        .map(|(copy, original)| (copy, copies.of(original).unwrap_or(original)));
    let pairs = pairs.collect();
    let mut snapshot = snapshot;
    snapshot.copies = Arc::new(Copies::new(pairs));
    snapshot
}

/// How many records of one moment are compared with each other.
const WINDOW: usize = 64;

/// The event at `place` and the first one before it of the same moment that it repeats.
fn original_of(snapshot: &Snapshot, place: usize) -> Option<(u32, u32)> {
    let event = snapshot.at(place)?;
    let time = event.time()?;
    let before = (1..=WINDOW).map_while(|back| snapshot.at(place.checked_sub(back)?));
    let moment: Vec<EventRef<'_>> = before.take_while(|e| e.time() == Some(time)).collect();
    let original = moment.iter().rev().find(|other| is_copy(&event, other))?;
    Some((event.id.0, original.id.0))
}

/// Whether two records of different sources of one kind are the same bytes.
fn is_copy(a: &EventRef<'_>, b: &EventRef<'_>) -> bool {
    let (source_a, source_b) = (a.source(), b.source());
    if source_a.id == source_b.id
        || source_a.kind != source_b.kind
        || source_a.layout != source_b.layout
    {
        return false;
    }
    // Whole seconds say little: two workers print the same line in the same second.
    if source_a.coarse || a.template().map(|t| t.id) != b.template().map(|t| t.id) {
        return false;
    }
    let (context_a, context_b) = (a.segment.context(a.row), b.segment.context(b.row));
    let ((from_a, len_a), (from_b, len_b)) = (a.span(), b.span());
    if context_a != context_b || len_a != len_b {
        return false;
    }
    let bytes =
        |e: &EventRef<'_>, from| read_range(&*e.source().text, from, len_a.min(1 << 20)).ok();
    bytes(a, from_a).is_some_and(|x| Some(x) == bytes(b, from_b))
}
