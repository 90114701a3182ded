//! Finds records that stand in several sources, byte for byte.

use std::sync::Arc;

use rayon::prelude::*;

use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::source::text::read_range;
use crate::store::copies::Copies;
use crate::store::{EventRef, Snapshot};

/// The snapshot with its copies marked. Copies have equal times, so they stand side by side in time order.
pub(super) fn mark_copies(snapshot: Snapshot, cancel: &Cancel) -> Snapshot {
    let places: Vec<(usize, usize)> = {
        let n = snapshot.order.len();
        let piece = 1 << 16;
        (0..n.div_ceil(piece))
            .map(|i| (i * piece, ((i + 1) * piece).min(n)))
            .collect()
    };
    let pairs: Vec<(u32, u32)> = places
        .par_iter()
        .flat_map_iter(|&(from, to)| {
            let mut found = Vec::new();
            if !cancel.is_cancelled() {
                copies_between(&snapshot, from, to, &mut found);
            }
            found
        })
        .collect();
    let mut snapshot = snapshot;
    snapshot.copies = Arc::new(Copies::new(pairs));
    snapshot
}

/// How many records of one moment are compared with each other.
const WINDOW: usize = 64;

fn copies_between(snapshot: &Snapshot, from: usize, to: usize, found: &mut Vec<(u32, u32)>) {
    let mut moment: Vec<(EventRef<'_>, i64)> = Vec::new();
    // Records of one moment may lie across the start of the stretch.
    let mut start = from;
    while start > 0 && from - start < WINDOW && same_time(snapshot, start - 1, start) {
        start -= 1;
    }
    for place in start..to {
        let Some(event) = snapshot.at(place) else {
            continue;
        };
        let Some(time) = event.time() else {
            moment.clear();
            continue;
        };
        if moment.first().is_some_and(|m| m.1 != time) {
            moment.clear();
        }
        if place >= from
            && let Some((original, _)) = moment.iter().find(|(other, _)| is_copy(&event, other))
        {
            found.push((event.id.0, original.id.0));
            continue;
        }
        if place < from && moment.iter().any(|(other, _)| is_copy(&event, other)) {
            continue;
        }
        if moment.len() < WINDOW {
            moment.push((event, time));
        }
    }
}

fn same_time(snapshot: &Snapshot, a: usize, b: usize) -> bool {
    let time = |place| snapshot.at(place).and_then(|e: EventRef<'_>| e.time());
    time(a).is_some() && time(a) == time(b)
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

/// The events that repeat one event, and itself.
pub fn all_of(snapshot: &Snapshot, id: EventId) -> Vec<EventId> {
    let original = snapshot.copies.of(id.0).unwrap_or(id.0);
    let copies = snapshot
        .copies
        .iter()
        .filter(|(_, o)| *o == original)
        .map(|(c, _)| EventId(c));
    std::iter::once(EventId(original)).chain(copies).collect()
}
