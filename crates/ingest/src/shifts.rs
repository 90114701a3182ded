//! Clock corrections: shifts the times of sources without reading them again.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_store::{Snapshot, Source};

use crate::provenance::duplicates::mark_duplicates;

/// Applies shifts (ns, replacing existing ones), and finds time order and duplicates anew. `None` if cancelled.
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
    // Joined values stay valid, as event ids do not change.
    let built = Snapshot {
        derived: snapshot.derived.clone(),
        ..built
    };
    let marked = mark_duplicates(built, cancel);
    (!cancel.is_cancelled()).then(|| Arc::new(marked))
}

/// Whether a snapshot has these shifts already.
pub fn has(snapshot: &Snapshot, shifts: &[(SourceId, i64)]) -> bool {
    shifts.iter().all(|(id, ns)| {
        let source = snapshot.source(*id);
        source.is_none_or(|s| s.shift == *ns)
    })
}
