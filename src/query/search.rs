//! The next and the previous hit, for the search that walks from event to event.

use rayon::prelude::*;

use crate::base::cancel::Cancel;
use crate::base::direction::Direction;
use crate::base::ids::{EventId, SourceId};
use crate::store::Snapshot;

use super::matcher::Matcher;
use super::program::TextLeaf;
use super::scan::{RecordSpan, blocks, candidates, readable};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchResult {
    /// The hit is at this place of the list.
    At(usize),
    /// There is no hit in this direction.
    Nothing,
    /// The search was cancelled.
    Cancelled,
}

/// Events looked at first; then twice as many each time, up to `MOST`.
const FIRST: usize = 256;
const MOST: usize = 1 << 17;

/// Looks through `ids` (events in the order in which they are shown), starting with the place `from` itself, for the next
/// event whose message is hit.
#[must_use]
pub fn search(
    snapshot: &Snapshot,
    matcher: &Matcher,
    ids: &[u32],
    from: usize,
    direction: Direction,
    cancel: &Cancel,
) -> SearchResult {
    let text = TextLeaf::new(snapshot, vec![matcher.clone()]);
    let mut size = FIRST;
    let (mut low, mut high) = match direction {
        Direction::Forward => (from.min(ids.len()), from.min(ids.len())),
        Direction::Backward => {
            let end = from.saturating_add(1).min(ids.len());
            (end, end)
        }
    };
    loop {
        match direction {
            Direction::Forward => {
                low = high;
                high = (high + size).min(ids.len());
            }
            Direction::Backward => {
                high = low;
                low = low.saturating_sub(size);
            }
        }
        if low == high {
            return SearchResult::Nothing;
        }
        let found = stretch(snapshot, &text, &ids[low..high], direction, cancel);
        if cancel.is_cancelled() {
            return SearchResult::Cancelled;
        }
        if let Some(at) = found {
            return SearchResult::At(low + at);
        }
        size = (size * 2).min(MOST);
    }
}

/// The first hit (in the direction of the search) among some events.
fn stretch(
    snapshot: &Snapshot,
    text: &TextLeaf,
    ids: &[u32],
    direction: Direction,
    cancel: &Cancel,
) -> Option<usize> {
    let count = ids.len();
    let at = |step: usize| match direction {
        Direction::Forward => step,
        Direction::Backward => count - 1 - step,
    };
    // Up to the first event that its template alone decides, all must be read.
    let mut wanted: Vec<(SourceId, RecordSpan, usize)> = Vec::new();
    let mut certain = None;
    for step in 0..count {
        let Some(event) = snapshot.event(EventId(ids[at(step)])) else {
            continue;
        };
        let shape = event.segment.group(event.row).0.shape;
        if text.certain.get(shape.index()) == Some(&true) {
            certain = Some(step);
            break;
        }
        let place = RecordSpan::of(snapshot, event.index, event.row);
        wanted.push((event.segment.part(event.row).source, place, step));
    }
    wanted.sort_unstable_by_key(|(source, place, _)| (*source, place.start));
    let best = wanted
        .par_chunk_by(|a, b| a.0 == b.0)
        .filter_map(|run| {
            let (source, reader) = readable(snapshot, run.first()?.0)?;
            let mut best: Option<usize> = None;
            let mut at = 0;
            blocks(snapshot, source, run.iter().map(|r| r.1), cancel, |block| {
                let hits = candidates(block, reader, text);
                for (index, hit) in hits.into_iter().enumerate() {
                    let step = run[at].2;
                    at += 1;
                    if hit
                        && best.is_none_or(|b| step < b)
                        && text.is_in(&reader.message(block.record(index)))
                    {
                        best = Some(step);
                    }
                }
            });
            best
        })
        .min();
    best.or(certain).map(at)
}
