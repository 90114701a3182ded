//! Finds records that stand in several sources, byte for byte.

use std::sync::Arc;

use rayon::prelude::*;

use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::source::text::read_range;
use crate::store::copies::Copies;
use crate::store::{EventRef, Snapshot};

use super::twins;

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
    let copies = Copies::new(pairs.collect());
    let pairs = copies
        .iter()
        .chain(twins::untimed(&snapshot, &copies, cancel))
        .collect();
    let mut snapshot = snapshot;
    snapshot.copies = Arc::new(Copies::new(pairs));
    snapshot
}

/// A snapshot that has grown, with the copies among the events from `from` on marked. What was found before stays: where
/// the repeated record is read after its copy, it becomes the copy.
pub(super) fn mark_more(mut snapshot: Snapshot, from: u32, cancel: &Cancel) -> Snapshot {
    let last = |id: u32| snapshot.event(EventId(id));
    let sources = snapshot.sources.iter().filter(|s| s.is_log);
    if sources.take(2).count() < 2 || last(from).is_none() {
        return snapshot;
    }
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for id in from..snapshot.len() as u32 {
        if cancel.is_cancelled() {
            break;
        }
        // Looking for its place would be in vain.
        if snapshot
            .event(EventId(id))
            .is_none_or(|e| e.source().coarse)
        {
            continue;
        }
        let place = snapshot.place_of(EventId(id));
        let Some((place, event)) = place.and_then(|p| Some((p, snapshot.at(p)?))) else {
            continue;
        };
        let Some(time) = event.time() else { continue };
        let is_now = |e: &EventRef<'_>| e.time() == Some(time);
        let before = (1..=WINDOW).map_while(|back| snapshot.at(place.checked_sub(back)?));
        let before: Vec<EventRef<'_>> = before.take_while(is_now).collect();
        let after = (1..=WINDOW).map_while(|on| snapshot.at(place + on));
        // Those behind it that are new as well look back at it themselves.
        let after = after.take_while(is_now).filter(|e| e.id.0 < from);
        let mut others = before.into_iter().rev().chain(after);
        if let Some(other) = others.find(|other| is_copy(&event, other)) {
            pairs.push((id, other.id.0));
        }
    }
    if !pairs.is_empty() {
        // What repeats a copy repeats what that one repeats; new ones may do so in two steps.
        let mut all = snapshot.copies.iter().chain(pairs).collect();
        for _ in 0..2 {
            let copies = Copies::new(all);
            let first = |of| copies.of(of).unwrap_or(of);
            all = copies.iter().map(|(copy, of)| (copy, first(of))).collect();
        }
        snapshot.copies = Arc::new(Copies::new(all));
    }
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
