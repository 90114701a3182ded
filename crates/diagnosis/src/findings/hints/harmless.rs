//! Conditions that make the message of a hint harmless: an earlier record, or other evidence in the data.

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_store::EventRef;

use crate::findings::context::Context;

/// Without a run: a record this long after an end belongs to a new execution, ns.
const ANEW: i64 = 600_000_000_000;

/// Events after which the message of a hint is no cause any more in their run or source, with their times, UTC ns.
#[derive(Default)]
pub(crate) struct Noise {
    of_run: FxHashMap<usize, i64>,
    /// Times by source without a run. Such a source may hold several executions, so each keeps all of its ends.
    of_source: FxHashMap<u32, Vec<i64>>,
    of_rest: Vec<i64>,
}

impl Noise {
    /// Collects `events`; the first one per run counts.
    pub(crate) fn new(look: &Context<'_>, events: impl Iterator<Item = EventId>) -> Noise {
        let mut out = Noise::default();
        for event in events.filter_map(|id| look.snapshot.event(id)) {
            // Its presence counts even if it has no time.
            let time = event.time();
            if let Some(run) = look.run_of(&event) {
                let first = out.of_run.entry(run).or_insert(i64::MAX);
                *first = (*first).min(time.unwrap_or(i64::MAX));
            } else {
                out.of_rest.extend(time);
                let source = event.source().id.0;
                out.of_source.entry(source).or_default().extend(time);
            }
        }
        out
    }

    fn covers(&self, look: &Context<'_>, event: &EventRef<'_>, at: i64) -> bool {
        if let Some(run) = look.run_of(event) {
            // Equal times count too: the clocks of some logs are coarse.
            return self.of_run.get(&run).is_some_and(|from| at >= *from);
        }
        let own = self.of_source.get(&event.source().id.0);
        let own = own.filter(|ends| !ends.is_empty());
        let mut ends = own.unwrap_or(&self.of_rest).iter();
        ends.any(|end| at >= *end && at.saturating_sub(*end) < ANEW)
    }
}

/// Whether the run of an event, or its source if it has no run, has one of the events in `met`.
pub(crate) fn is_met(look: &Context<'_>, met: &Noise, id: EventId) -> bool {
    let Some(event) = look.snapshot.event(id) else {
        return false;
    };
    match look.run_of(&event) {
        Some(run) => met.of_run.contains_key(&run),
        None => met.of_source.contains_key(&event.source().id.0),
    }
}

/// Whether an event came after the point from which its message is no cause.
pub(crate) fn is_noise(look: &Context<'_>, noise: &Noise, id: EventId) -> bool {
    let Some(event) = look.snapshot.event(id) else {
        return false;
    };
    if look.is_after_end(&event) {
        return true;
    }
    // A record without a time takes the time of the last one before it.
    let time = event.time().unwrap_or_else(|| event.order_time());
    time != i64::MAX && noise.covers(look, &event, time)
}
