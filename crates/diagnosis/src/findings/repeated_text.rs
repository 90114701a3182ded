//! Records of two sources with the same text and time, or of several lines without a time: console output and the log of the
//! program. (Byte-identical records are duplicates and found earlier.)

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::ids::EventId;
use widetui_time::time::NO_TIME;

use crate::findings::context::Context;

/// Above this number of records their texts are not compared.
const COMPARED: usize = 5_000;
/// Maximum distance of records of one moment, ns: most logs write milliseconds, and some truncate.
const SAME: u64 = 1_000_000;
/// Minimum number of equal lines for records that only share a whole second, or have no time, where a single line may
/// repeat by chance.
const LINES: usize = 3;

/// A record that others may repeat.
struct First {
    source: u32,
    time: i64,
    /// Its index in the list.
    at: usize,
    /// Its continuation lines.
    further: String,
}

/// For each record the index of the first earlier one in another source with the same text and time.
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
        let is_exact = time.is_some() && !event.source().coarse;
        let further = further(look, *id);
        if !is_exact && further.lines().count() + 1 < LINES {
            continue;
        }
        let time = time.unwrap_or(NO_TIME);
        let line = look.line(*id);
        // Two equal moments may lie on both sides of a slot border.
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

/// Continuation lines of a record, without blank lines and indentation, which consoles change.
fn further(look: &mut Context<'_>, id: EventId) -> String {
    let message = look.message(id);
    let lines = message.lines().skip(1).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// Whether the continuation lines of two records are compatible: one source may omit or cut them. Records of two
/// workers may share the first line and differ later.
fn agree(a: &str, b: &str) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Repetitions of a record in other sources.
pub(crate) fn repetitions(look: &mut Context<'_>, id: EventId) -> Vec<EventId> {
    let snapshot = look.snapshot;
    let Some((event, shape)) = snapshot.event(id).and_then(|e| Some((e, e.shape()?))) else {
        return Vec::new();
    };
    let (source, time) = (event.source().id, event.time().unwrap_or(NO_TIME));
    let is_near = |id: &EventId| {
        let other = snapshot.event(*id);
        other.is_some_and(|other| {
            let at = other.time().unwrap_or(NO_TIME);
            other.source().id != source && at.abs_diff(time) <= SAME
        })
    };
    let mut all = vec![id];
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for group in &segment.groups {
            let other = snapshot.catalog.shapes.get(group.shape.index());
            if other.is_some_and(|other| other.template == shape.template) {
                let ids = group.rows.iter().map(|row| EventId(base + u32::from(*row)));
                all.extend(ids.filter(is_near));
            }
        }
    }
    let repeats = repeats(look, &all);
    let of_first = all
        .into_iter()
        .zip(repeats)
        .filter(|(_, of)| *of == Some(0));
    of_first.map(|(id, _)| id).collect()
}

/// Removes explained records and their repetitions.
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
    /// Records without their repetitions in other sources.
    pub(crate) fn once(&mut self, events: &[EventId]) -> Vec<EventId> {
        let repeats = repeats(self, events);
        let all = events.iter().zip(repeats);
        all.filter(|(_, of)| of.is_none())
            .map(|(e, _)| *e)
            .collect()
    }
}
