//! Conditions that make the message of a hint harmless: an earlier record, or other evidence in the data.

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_store::EventRef;

use crate::findings::context::Context;

/// An end without a run: what comes so long after it is of something that began anew, ns.
const ANEW: i64 = 600_000_000_000;

/// Events that say of their run, or of their source, that what a hint knows is no cause: from when on, UTC ns.
#[derive(Default)]
pub(crate) struct Noise {
    of_run: FxHashMap<usize, i64>,
    /// Of sources that belong to no run: nothing tells apart what the data holds, so each has its own ends.
    of_source: FxHashMap<u32, Vec<i64>>,
    of_rest: Vec<i64>,
}

impl Noise {
    /// From the first of some events on.
    pub(crate) fn new(look: &Context<'_>, events: impl Iterator<Item = EventId>) -> Noise {
        let mut out = Noise::default();
        for event in events.filter_map(|id| look.snapshot.event(id)) {
            // That it is there at all is known without its time, too.
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
            // Clocks of some logs tick so slowly that both have one time.
            return self.of_run.get(&run).is_some_and(|from| at >= *from);
        }
        let own = self.of_source.get(&event.source().id.0);
        let own = own.filter(|ends| !ends.is_empty());
        let mut ends = own.unwrap_or(&self.of_rest).iter();
        ends.any(|end| at >= *end && at.saturating_sub(*end) < ANEW)
    }
}

/// Whether the run of an event, or its source when it has none, has one of the events of `met`.
pub(crate) fn is_met(look: &Context<'_>, met: &Noise, id: EventId) -> bool {
    let Some(event) = look.snapshot.event(id) else {
        return false;
    };
    match look.run_of(&event) {
        Some(run) => met.of_run.contains_key(&run),
        None => met.of_source.contains_key(&event.source().id.0),
    }
}

/// Whether an event came when what it shows was no cause any more.
pub(crate) fn is_noise(look: &Context<'_>, noise: &Noise, id: EventId) -> bool {
    let Some(event) = look.snapshot.event(id) else {
        return false;
    };
    if look.is_after_end(&event) {
        return true;
    }
    // A record without a time is as late as the last one before it.
    let time = event.time().unwrap_or_else(|| event.order_time());
    time != i64::MAX && noise.covers(look, &event, time)
}
