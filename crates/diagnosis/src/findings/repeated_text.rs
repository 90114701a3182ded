//! Records of two sources with the same text and time: a console line and the log of the program. (Byte-identical records are
//! duplicates and found earlier.)

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::ids::EventId;

use crate::findings::context::Context;

/// Of more records nobody compares the texts.
const COMPARED: usize = 5_000;
/// Records of one moment lie no more than this apart, ns: most logs write milliseconds, some cut off what is finer.
const SAME: u64 = 1_000_000;
/// In a whole second much may be told in one line; what is told in so many lines, all of them the same, is one thing.
const LINES: usize = 3;

/// A record that others may repeat.
struct First {
    source: u32,
    time: i64,
    /// Its place in the list.
    at: usize,
    /// Its lines behind the first.
    further: String,
}

/// Of each record the one before it in the list that tells the same, in another source, in the same words at the same time; of all
/// that do the first.
pub(crate) fn repeats(look: &mut Context<'_>, events: &[EventId]) -> Vec<Option<usize>> {
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
        let Some(time) = time else { continue };
        let further = further(look, *id);
        if event.source().coarse && further.lines().count() + 1 < LINES {
            continue;
        }
        let line = look.line(*id);
        // Two moments may be on both sides of a border.
        let step = i64::try_from(SAME).unwrap_or(1).saturating_mul(4);
        let slot = |time: i64| (time.div_euclid(step) & i64::from(u32::MAX)) as u32;
        let near = [time.saturating_sub(step / 2), time.saturating_add(step / 2)];
        let same = near.iter().find_map(|t| {
            let mut of = known.get(&(slot(*t), line.clone()))?.iter();
            of.find(|k| {
                k.source != source && k.time.abs_diff(time) <= SAME && agree(&k.further, &further)
            })
        });
        out[at] = same.map(|known| known.at);
        if out[at].is_none() {
            let of = known.entry((slot(time), line)).or_default();
            of.push(First {
                source,
                time,
                at,
                further,
            });
        }
    }
    out
}

/// The lines of a record behind its first. A console has blank ones of its own, and sets others in.
fn further(look: &mut Context<'_>, id: EventId) -> String {
    let message = look.message(id);
    let lines = message.lines().skip(1).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// Whether what stands behind the first lines of two records may be the same: one of two sources may leave it out, or cut it.
/// Two workers begin alike, and go on with what each was at.
fn agree(a: &str, b: &str) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Leaves out of some records those that are explained, and what tells the same as one of these.
pub(crate) fn unexplained(look: &mut Context<'_>, events: &mut Vec<EventId>) {
    let is_known: Vec<bool> = { events.iter() }
        .map(|id| look.claimed.contains(&id.0))
        .collect();
    let repeats = match is_known.contains(&true) && is_known.contains(&false) {
        true => repeats(look, events),
        false => vec![None; events.len()],
    };
    let first = |at: usize| repeats[at].unwrap_or(at);
    let known: FxHashSet<usize> = { is_known.iter().enumerate() }
        .filter(|(_, known)| **known)
        .map(|(at, _)| first(at))
        .collect();
    let mut at = 0..events.len();
    events.retain(|_| {
        at.next()
            .is_some_and(|at| !is_known[at] && !known.contains(&first(at)))
    });
}

impl Context<'_> {
    /// Records of which none tells what another one of another source tells.
    pub(crate) fn once(&mut self, events: &[EventId]) -> Vec<EventId> {
        let repeats = repeats(self, events);
        let all = events.iter().zip(repeats);
        all.filter(|(_, of)| of.is_none())
            .map(|(e, _)| *e)
            .collect()
    }
}
