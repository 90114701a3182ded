//! Hints of one moment that describe the same event: the more specific one reports it.

use widetui_core::ids::EventId;

use crate::findings::context::Context;
use crate::findings::hints::Hint;

/// Maximum distance of records in two logs about the same event, ns.
const MOMENT: u64 = 1_000_000_000;

/// Moves the events of a hint to the hint that reports more details of them.
pub(crate) fn told_once(look: &Context<'_>, told: &mut [(&Hint, Vec<EventId>)]) {
    for own in 0..told.len() {
        let hint = told[own].0;
        for name in &hint.told_with {
            let is_other = |t: &(&Hint, Vec<EventId>)| t.0.name == *name;
            let Some(other) = told.iter().position(is_other) else {
                continue;
            };
            let moments: Vec<_> = told[other].1.iter().map(|id| moment(look, *id)).collect();
            let is_known = |id: &EventId| {
                let (run, time) = moment(look, *id);
                let near = |t: i64| time.is_some_and(|own| own.abs_diff(t) <= MOMENT);
                let mut all = moments.iter();
                all.any(|(other, t)| *other == run && t.is_some_and(near))
            };
            let (gone, kept): (Vec<EventId>, Vec<EventId>) = std::mem::take(&mut told[own].1)
                .into_iter()
                .partition(is_known);
            told[own].1 = kept;
            // Its own records come first, because they hold the names.
            told[other].1.extend(gone);
        }
    }
}

/// Run and time of an event, UTC ns.
fn moment(look: &Context<'_>, id: EventId) -> (Option<usize>, Option<i64>) {
    let event = look.snapshot.event(id);
    let run = event.as_ref().and_then(|e| look.run_of(e));
    (run, event.and_then(|e| e.time()))
}
