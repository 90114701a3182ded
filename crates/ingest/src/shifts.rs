//! Clock corrections: shifts the times of sources without reading them again.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_store::{Snapshot, Source};

use crate::finish::rebuilt;

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
    let shifted = Snapshot {
        sources: { snapshot.sources.iter() }
            .map(|s| Arc::new(shift(s)))
            .collect(),
        ..snapshot.clone()
    };
    let built = rebuilt(shifted, cancel).filter(|_| !cancel.is_cancelled())?;
    // Joined values stay valid, as event ids do not change.
    Some(Arc::new(Snapshot {
        derived: snapshot.derived.clone(),
        ..built
    }))
}

/// Whether a snapshot has these shifts already.
pub fn has(snapshot: &Snapshot, shifts: &[(SourceId, i64)]) -> bool {
    shifts.iter().all(|(id, ns)| {
        let source = snapshot.source(*id);
        source.is_none_or(|s| s.shift == *ns)
    })
}
