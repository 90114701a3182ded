//! Records that tell the same at the same time, in the words of two kinds: the console has a line, and the log of the program has the same
//! text as the values of a template. (What stands in two sources byte for byte is known as a copy before.)

use rustc_hash::FxHashMap;

use crate::base::ids::EventId;
use crate::base::time::NS_PER_SECOND;

use super::look::Look;

/// Records of one moment lie less than this apart, ns: most logs write milliseconds, some cut off what is finer.
const MOMENT: i64 = NS_PER_SECOND / 1000;
/// Records behind another one that may be of its moment, as far as they are looked at.
const NEAR: usize = 16;

/// A record that another one of its moment repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Again {
    pub id: EventId,
    /// Index of the group that it is in.
    pub group: usize,
    /// Index of the group of the other one, which comes before its own.
    pub told_in: usize,
}

/// Of the records of some groups those that tell what one of a group before theirs and of another source does, each once.
pub(super) fn find(look: &mut Look<'_>, groups: &[&[EventId]]) -> Vec<Again> {
    let snapshot = look.snapshot;
    let timed = groups.iter().enumerate().flat_map(|(group, events)| {
        let event = move |id: &EventId| {
            let event = snapshot.event(*id)?;
            let source = event.source();
            Some((
                event.time().filter(|_| !source.coarse)?,
                group,
                *id,
                source.id,
            ))
        };
        events.iter().filter_map(event)
    });
    let mut timed: Vec<_> = timed.collect();
    timed.sort_unstable();
    let mut texts: FxHashMap<EventId, String> = FxHashMap::default();
    let mut out: FxHashMap<EventId, Again> = FxHashMap::default();
    for (at, (time, group, id, source)) in timed.iter().enumerate() {
        let behind = timed[at + 1..].iter().take(NEAR);
        for (_, other_group, other, _) in behind
            .take_while(|later| later.0.saturating_sub(*time) < MOMENT)
            .filter(|later| later.1 != *group && later.3 != *source)
        {
            let mut text = |id: EventId| {
                let text = texts.entry(id);
                text.or_insert_with(|| look.message(id).trim().to_owned())
                    .clone()
            };
            if text(*id) != text(*other) {
                continue;
            }
            let (id, group, told_in) = match group > other_group {
                true => (*id, *group, *other_group),
                false => (*other, *other_group, *group),
            };
            let known = out.entry(id).or_insert(Again { id, group, told_in });
            known.told_in = known.told_in.min(told_in);
        }
    }
    let mut out: Vec<Again> = out.into_values().collect();
    out.sort_unstable_by_key(|again| again.id.0);
    out
}
