//! Partial replicas of logs in the same run: they end where they were cut, which is no silence.

use widetui_core::ids::EventId;
use widetui_store::{Nature, Snapshot};

use crate::runs::strays::SourceEnds;

/// By source: whether its last record stands in another source of its run, which goes on, or it is known to be one once more.
pub fn partial_replicas(
    snapshot: &Snapshot,
    of_source: &[Option<usize>],
    ends: &SourceEnds,
) -> Vec<bool> {
    let run = |at: usize| of_source.get(at).copied().flatten();
    let is_part = |at: usize| {
        if snapshot.sources.get(at)?.is(Nature::Again) {
            return Some(true);
        }
        let (last, end) = ends.last.get(at).copied().flatten()?;
        let others = snapshot.copies.group(last.0);
        let others = others.filter_map(|id| Some(snapshot.event(EventId(id))?.source().id.index()));
        let mut others = others.filter(|other| *other != at && run(*other) == run(at));
        let goes_on = |other: usize| {
            let known = ends.last.get(other).copied().flatten();
            known.is_some_and(|(_, time)| time > end)
        };
        Some(others.any(goes_on))
    };
    let all = 0..snapshot.sources.len();
    all.map(|at| is_part(at) == Some(true)).collect()
}
