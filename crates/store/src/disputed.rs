//! Records whose path is no evidence: duplicates in sources whose paths state different values, and records that joins found
//! doubtful.

use rustc_hash::FxHashSet;

use widetui_core::ids::EventId;

use super::snapshot::Snapshot;

/// Returns, for each segment, the rows of duplicate records whose sources state different values in their paths, and of
/// doubtful records, ascending. Which path holds is unknown. A run next to its own archive has equal values and no such
/// rows.
pub fn disputed_rows(snapshot: &Snapshot) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new(); snapshot.segments.len()];
    let path_values = |id: u32| snapshot.event(EventId(id)).map(|e| &e.source().consts);
    let pairs = || snapshot.duplicates.iter();
    let mut disputed = FxHashSet::default();
    disputed.extend(
        pairs()
            .filter(|(copy, of)| path_values(*copy) != path_values(*of))
            .map(|(_, of)| of),
    );
    let ids = pairs().filter(|(_, of)| disputed.contains(of));
    for id in ids.flat_map(|(copy, of)| [copy, of]) {
        let index = snapshot.bases.partition_point(|b| *b <= id).max(1) - 1;
        if let (Some(rows), Some(base)) = (out.get_mut(index), snapshot.bases.get(index)) {
            rows.push(id - base);
        }
    }
    for (rows, derived) in out.iter_mut().zip(&snapshot.derived.segments) {
        rows.extend(derived.doubtful());
    }
    for rows in &mut out {
        rows.sort_unstable();
        rows.dedup();
    }
    out
}
