//! Depth of the instance that an event is about, as a property of the event.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_store::Snapshot;
use widetui_store::key_column::UNUSABLE;

use super::Dag;
use crate::columns::EventLabels;
use crate::entity::{Entity, scan_all};

/// Depth of the instance of each event: the length of the longest chain of dependencies before it, so that parts of an
/// instance (tries of a task) have its depth. Only work items of which a definition names dependencies count. `None` when
/// cancelled.
pub fn depth_labels(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    cancel: &Cancel,
) -> Option<EventLabels> {
    let has_dependencies = |e: &&Arc<Entity>| e.is_work_item() && e.has_dependencies();
    let wanted = entities.iter().filter(has_dependencies);
    let wanted: Vec<Arc<Entity>> = wanted.cloned().collect();
    let mut out = EventLabels {
        name: "depth",
        codes: vec![NONE; snapshot.len()],
        names: Vec::new(),
    };
    for found in scan_all(snapshot, &wanted, &[], cancel)? {
        let depths = Dag::before(&found).depths;
        found.for_each_event(|event, at| {
            let depth: Code = depths[at];
            if let Some(code) = out.codes.get_mut(event.index()) {
                *code = match *code {
                    NONE => depth,
                    known if known == depth => depth,
                    _ => UNUSABLE,
                };
            }
        });
        let deepest = depths.iter().max().map_or(0, |d| *d as usize + 1);
        let known = out.names.len();
        out.names
            .extend((known..deepest).map(|depth| depth.to_string()));
    }
    Some(out)
}
