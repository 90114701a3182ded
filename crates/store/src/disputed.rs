//! Records whose path is no evidence: they stand in several sources, and the paths of these say different things.

use rustc_hash::FxHashSet;

use widetui_core::ids::EventId;

use super::snapshot::Snapshot;

/// For each segment its rows that stand in several sources whose paths say different things, ascending: nobody knows which
/// of them holds. Of a run beside its own archive both say the same.
pub fn copied_rows(snapshot: &Snapshot) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new(); snapshot.segments.len()];
    let said = |id: u32| snapshot.event(EventId(id)).map(|e| &e.source().consts);
    let pairs = || snapshot.copies.iter();
    let mut disputed = FxHashSet::default();
    disputed.extend(
        pairs()
            .filter(|(copy, of)| said(*copy) != said(*of))
            .map(|(_, of)| of),
    );
    let ids = pairs().filter(|(_, of)| disputed.contains(of));
    for id in ids.flat_map(|(copy, of)| [copy, of]) {
        let index = snapshot.bases.partition_point(|b| *b <= id).max(1) - 1;
        if let (Some(rows), Some(base)) = (out.get_mut(index), snapshot.bases.get(index)) {
            rows.push(id - base);
        }
    }
    for rows in &mut out {
        rows.sort_unstable();
        rows.dedup();
    }
    out
}
