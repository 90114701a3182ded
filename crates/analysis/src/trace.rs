//! "About task 358": all events of one instance of an entity, in time order.

use widetui_core::ids::EventId;
use widetui_join::{Derivation, via};
use widetui_store::Snapshot;

use crate::entity::{Instance, Instances};

/// One event of the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The event.
    pub event: EventId,
    /// From the event with a time before it, ns.
    pub delta: Option<i64>,
    /// From the first event with a time, ns.
    pub offset: Option<i64>,
    /// How it is known to be about the instance: the least certain of the keys that identify it.
    pub via: Derivation,
}

/// The events of an instance. A record that stands in several sources is one event.
pub fn trace(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> Vec<TraceStep> {
    let mut first: Option<i64> = None;
    let mut last: Option<i64> = None;
    let key = instances.id_keys(instance).last().copied();
    let mut steps = Vec::new();
    for id in instances.events(instance) {
        let Some(event) = snapshot.event(EventId(*id)) else {
            continue;
        };
        let time = event.time();
        let from = |t: Option<i64>| Some(time?.saturating_sub(t?));
        steps.push(TraceStep {
            event: event.id,
            delta: from(last),
            offset: from(first.or(time)),
            via: key
                .and_then(|k| via(&event, k))
                .unwrap_or(Derivation::Direct),
        });
        first = first.or(time);
        last = time.or(last);
    }
    steps
}
