//! Stops that programs carry out as requested: what they report then is no cause.

use widetui_core::ids::{EventId, SourceId};
use widetui_core::level::Level;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::context::Context;

/// Longest time in which a program reports what its requested stop interrupts, ns.
const STOP: i64 = 10 * NS_PER_SECOND;

/// Sources and times, UTC ns, at which programs report that they were asked to stop.
pub(crate) struct RequestedStops(Vec<(SourceId, i64)>);

impl RequestedStops {
    /// Finds all of them; `None` when cancelled.
    pub(crate) fn find(look: &Context<'_>) -> Option<RequestedStops> {
        let words = &look.snapshot.catalog.words;
        let requests = look.records_with(|level, text| {
            let text = text.to_lowercase();
            level < Level::Error && { words.stop_requests.iter() }
                .any(|word| text.contains(word.as_str()))
        })?;
        let requests = requests.into_iter().filter_map(|id| place(look, id));
        Some(RequestedStops(requests.collect()))
    }

    /// True if all records were written while their programs stopped as requested.
    pub(crate) fn cover(&self, look: &Context<'_>, events: &[EventId]) -> bool {
        !self.0.is_empty()
            && events.iter().all(|id| {
                place(look, *id).is_some_and(|(source, time)| {
                    let mut own = self.0.iter().filter(|request| request.0 == source);
                    own.any(|(_, begin)| (*begin..=begin.saturating_add(STOP)).contains(&time))
                })
            })
    }
}

fn place(look: &Context<'_>, id: EventId) -> Option<(SourceId, i64)> {
    let event = look.snapshot.event(id)?;
    Some((event.source().id, event.time()?))
}
