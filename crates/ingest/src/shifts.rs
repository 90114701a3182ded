//! Moves the times of sources: a clock that was wrong is put right without reading anything again.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_store::{Snapshot, Source};

use crate::provenance::duplicates::mark_copies;

/// The snapshot with these shifts (ns, in place of those it has); time order and copies are found anew. `None` when
/// cancelled.
pub fn shifted(
    snapshot: &Snapshot,
    shifts: &[(SourceId, i64)],
    cancel: &Cancel,
) -> Option<Arc<Snapshot>> {
    let shift = |source: &Source| {
        let own = shifts.iter().find(|(id, _)| *id == source.id);
        Source {
            shift: own.map_or(source.shift, |(_, ns)| *ns),
            ..source.clone()
        }
    };
    let sources = snapshot.sources.iter().map(|s| shift(s)).collect();
    let segments = snapshot.segments.to_vec();
    let tables = snapshot.tables.clone();
    let built = Snapshot::build(sources, segments, tables, snapshot.complete, cancel)?;
    // What joins gave stays: events keep their numbers.
    let built = Snapshot {
        derived: snapshot.derived.clone(),
        ..built
    };
    let marked = mark_copies(built, cancel);
    (!cancel.is_cancelled()).then(|| Arc::new(marked))
}

/// Whether a snapshot has these shifts.
pub fn has(snapshot: &Snapshot, shifts: &[(SourceId, i64)]) -> bool {
    shifts.iter().all(|(id, ns)| {
        let source = snapshot.source(*id);
        source.is_none_or(|s| s.shift == *ns)
    })
}
