//! Records that tell the same at the same time, as two sources saw it: the console has a line, and the log of the program has the
//! same text, maybe as the values of a template. (What stands in two sources byte for byte is known as a copy before.)

use rustc_hash::FxHashMap;

use crate::base::ids::EventId;

use super::look::Look;

/// Of more records nobody compares the texts.
const COMPARED: usize = 5_000;
/// Records of one moment lie no more than this apart, ns: most logs write milliseconds, some cut off what is finer.
const SAME: u64 = 1_000_000;

/// A record that others may repeat.
struct First {
    source: u32,
    time: i64,
    /// Its place in the list.
    at: usize,
}

/// Of each record the one before it in the list that tells the same, in another source, in the same words at the same time; of all
/// that do the first.
pub(super) fn repeats(look: &mut Look<'_>, events: &[EventId]) -> Vec<Option<usize>> {
    let mut out = vec![None; events.len()];
    if events.len() > COMPARED {
        return out;
    }
    let mut known: FxHashMap<(u32, String), Vec<First>> = FxHashMap::default();
    for (at, id) in events.iter().enumerate() {
        let Some(event) = look.snapshot.event(*id) else {
            continue;
        };
        let (source, time) = (event.source().id.0, event.time());
        let Some(time) = time.filter(|_| !event.source().coarse) else {
            continue;
        };
        let line = look.line(*id);
        // Two moments may be on both sides of a border.
        let step = i64::try_from(SAME).unwrap_or(1).saturating_mul(4);
        let slot = |time: i64| (time.div_euclid(step) & i64::from(u32::MAX)) as u32;
        let near = [time.saturating_sub(step / 2), time.saturating_add(step / 2)];
        let same = near.iter().find_map(|t| {
            let mut of = known.get(&(slot(*t), line.clone()))?.iter();
            of.find(|k| k.source != source && k.time.abs_diff(time) <= SAME)
        });
        out[at] = same.map(|known| known.at);
        if out[at].is_none() {
            let of = known.entry((slot(time), line)).or_default();
            of.push(First { source, time, at });
        }
    }
    out
}

impl Look<'_> {
    /// Records of which none tells what another one of another source tells.
    pub fn once(&mut self, events: &[EventId]) -> Vec<EventId> {
        let repeats = repeats(self, events);
        let all = events.iter().zip(repeats);
        all.filter(|(_, of)| of.is_none())
            .map(|(e, _)| *e)
            .collect()
    }
}
