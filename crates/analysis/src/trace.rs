//! Trace of an instance: all its events in time order.

use std::borrow::Cow;

use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::key_words;
use widetui_join::{Derivation, derivation_of, joining_key};
use widetui_store::Snapshot;

use crate::entity::{Instance, Instances};

/// Event of an instance, with the time since the previous event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Id of the event.
    pub event: EventId,
    /// Time since the previous event with a time, ns.
    pub delta: Option<i64>,
    /// Time since the first event with a time, ns.
    pub offset: Option<i64>,
    /// Derivation of the event's assignment to the instance, by the last key of the instance's id.
    pub derivation: Derivation,
    /// Key by which a join assigned the event.
    pub joining_key: Option<KeyId>,
}

impl TraceStep {
    /// Reason of the event's assignment, as words: `direct`, `by executor task`.
    pub fn reason(&self, snapshot: &Snapshot) -> Cow<'static, str> {
        match (self.derivation, self.joining_key) {
            (Derivation::Join, Some(key)) => {
                let key = key_words(snapshot.catalog.keys.name(key));
                Cow::Owned(format!("by {key}"))
            }
            (derivation, _) => Cow::Borrowed(derivation.name()),
        }
    }
}

/// Lists the events of an instance, without duplicate records.
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
            derivation: key
                .and_then(|k| derivation_of(&event, k))
                .unwrap_or(Derivation::Direct),
            joining_key: key.and_then(|key| joining_key(&event, key)),
        });
        first = first.or(time);
        last = time.or(last);
    }
    steps
}
