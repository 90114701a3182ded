//! Partial replicas of logs in the same run: their end is no silence of the program.

use widetui_core::ids::EventId;
use widetui_store::{Snapshot, SourceTrait};

use crate::runs::strays::SourceEnds;

/// Whether each source is a partial replica: its last record is duplicated in a source of the same
/// run that continues, or it is a known replica.
pub fn partial_replicas(
    snapshot: &Snapshot,
    of_source: &[Option<usize>],
    ends: &SourceEnds,
) -> Vec<bool> {
    let run = |at: usize| of_source.get(at).copied().flatten();
    let is_part = |at: usize| {
        if snapshot.sources.get(at)?.has_trait(SourceTrait::Replica) {
            return Some(true);
        }
        let (last, end) = ends.last.get(at).copied().flatten()?;
        let others = snapshot.duplicates.group(last.0);
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
