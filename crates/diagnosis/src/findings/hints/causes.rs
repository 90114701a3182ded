//! Cause and effect between records of two hints: records that name other entities, or are of another time, are unrelated.
//! Records with several causes become several findings.

use crate::findings::context::Context;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_time::time::NS_PER_SECOND;

use crate::findings::hints::{Hint, code};

/// Maximum distance of records in two logs about the same moment, ns.
const MOMENT: i64 = NS_PER_SECOND;
/// Maximum distance of a less severe event that led to one about another instance, ns.
const LED_TO: i64 = 30 * NS_PER_SECOND;
/// Above this number of records, causes are not assigned to single records.
const MOST: usize = 2_000;

/// Facts of a record that decide whether another one is about the same instance: its run, time and values of the
/// naming keys.
struct Deed {
    run: Option<usize>,
    time: Option<i64>,
    names: Vec<(KeyId, Code)>,
}

/// Examined records of a hint.
struct Deeds<'h> {
    hint: &'h Hint,
    all: Vec<Deed>,
}

impl<'h> Deeds<'h> {
    /// Reads the records `events` with their values of `keys`.
    fn of(look: &Context<'_>, hint: &'h Hint, events: &[EventId], keys: &[KeyId]) -> Deeds<'h> {
        let deed = |id: &EventId| {
            let event = look.snapshot.event(*id);
            let value = |key: &KeyId| Some((*key, code(event.as_ref()?, *key)?));
            Deed {
                run: event.as_ref().and_then(|e| look.run_of(e)),
                time: event.as_ref().and_then(|e| e.time()),
                names: keys.iter().filter_map(value).collect(),
            }
        };
        Deeds {
            hint,
            all: events.iter().map(deed).collect(),
        }
    }

    /// Distance, ns, from record `at` to the nearest record of the hint `cause` that may have caused it; `None` if no
    /// record may have.
    fn comes_of(&self, at: usize, cause: &Deeds<'_>) -> Option<i64> {
        let leads = self.hint.severity < cause.hint.severity;
        let own = self.all.get(at)?;
        let all = cause.all.iter();
        let delay = cause.hint.delay.unwrap_or(MOMENT);
        all.filter_map(|other| own.comes_of(other, leads, delay))
            .min()
    }
}

impl Deed {
    /// Distance to `cause`, ns, if that record may be its cause. With `leads` the cause is the more severe one, so
    /// this record may also have led to it. Effects on other instances follow within `delay`, ns.
    fn comes_of(&self, cause: &Deed, leads: bool, delay: i64) -> Option<i64> {
        let (Some(own), Some(other)) = (self.time, cause.time) else {
            return (self.run == cause.run).then_some(0);
        };
        let mut known = { cause.names.iter() }
            .filter_map(|(key, value)| {
                let own = self.names.iter().find(|name| name.0 == *key)?;
                Some(own.1 == *value)
            })
            .peekable();
        let is_of_same = known.peek().is_some();
        let later = own.saturating_sub(other);
        let (before, after) = match (is_of_same, leads) {
            (true, true) => (i64::MAX, i64::MAX),
            (true, false) => (MOMENT, i64::MAX),
            (false, true) => (LED_TO, delay),
            (false, false) => (MOMENT, delay),
        };
        let comes = self.run == cause.run
            && known.all(|is_same| is_same)
            && later.saturating_neg() <= before
            && later <= after;
        comes.then_some(later.saturating_abs())
    }
}

/// Keys that identify the instances of both hints; empty if one of them names none.
fn keys(look: &Context<'_>, own: &Hint, cause: &Hint) -> Option<Vec<KeyId>> {
    let is_told = !own.names.is_empty() && !cause.names.is_empty();
    let names = own.names.iter().chain(&cause.names);
    let keys = &look.snapshot.catalog.keys;
    is_told.then(|| names.filter_map(|name| keys.find(name)).collect())
}

/// Whether a record of a hint was caused by one of another, and the distance of the nearest such records, ns:
/// `Some(None)` if none was, `None` if single records cannot be compared.
pub(in crate::findings) fn comes_of(
    look: &Context<'_>,
    (own, events): (&Hint, &[EventId]),
    (cause, others): (&Hint, &[EventId]),
) -> Option<Option<i64>> {
    let keys = keys(look, own, cause)?;
    if events.len().max(others.len()) > MOST {
        return None;
    }
    let own = Deeds::of(look, own, events, &keys);
    let cause = Deeds::of(look, cause, others, &keys);
    let all = 0..own.all.len();
    Some(all.filter_map(|at| own.comes_of(at, &cause)).min())
}

/// Splits the records of each hint by cause.
pub(crate) fn apart<'h>(
    look: &Context<'_>,
    told: &[(&'h Hint, Vec<EventId>)],
) -> Vec<(&'h Hint, Vec<EventId>)> {
    let mut parts: Vec<Option<Vec<Vec<EventId>>>> = vec![None; told.len()];
    // Hints whose causes are split already come first; hints that name each other as cause are not split.
    for _ in 0..told.len() {
        let is_ready = |at: &usize| {
            let follows = |other: &usize| told[*at].0.follows.contains(&told[*other].0.name);
            let mut open = (0..told.len()).filter(|other| parts[*other].is_none());
            parts[*at].is_none() && !open.any(|other| other != *at && follows(&other))
        };
        let Some(at) = (0..told.len()).find(is_ready) else {
            break;
        };
        parts[at] = Some(parts_of(look, told, &parts, at));
    }
    let whole = |events: &Vec<EventId>| vec![events.clone()];
    let parts = parts.into_iter().zip(told);
    let parts =
        parts.map(|(parts, (hint, events))| (*hint, parts.unwrap_or_else(|| whole(events))));
    let each = parts.flat_map(|(hint, parts)| parts.into_iter().map(move |events| (hint, events)));
    each.collect()
}

/// Splits the records of one hint by the part of another hint that caused them, in the order of their first records.
fn parts_of(
    look: &Context<'_>,
    told: &[(&Hint, Vec<EventId>)],
    known: &[Option<Vec<Vec<EventId>>>],
    at: usize,
) -> Vec<Vec<EventId>> {
    let (hint, events) = &told[at];
    let mut causes: Vec<(usize, Deeds<'_>, Deeds<'_>)> = Vec::new();
    for (place, name) in hint.follows.iter().enumerate() {
        let named = { told.iter().zip(known) }.filter(|((other, _), _)| other.name == *name);
        for ((cause, _), parts) in named {
            let Some(keys) = keys(look, hint, cause) else {
                continue;
            };
            let parts = parts.iter().flatten().filter(|part| part.len() <= MOST);
            causes.extend(parts.map(|part| {
                let own = Deeds::of(look, hint, events, &keys);
                (place, own, Deeds::of(look, cause, part, &keys))
            }));
        }
    }
    if events.len() > MOST || causes.is_empty() {
        return vec![events.clone()];
    }
    let mut groups: Vec<(Option<usize>, Vec<EventId>)> = Vec::new();
    for (nth, event) in events.iter().enumerate() {
        // Prefers the cause that the definition lists first, then the nearest one.
        let near = |(at, (place, own, cause)): (usize, &(usize, Deeds<'_>, Deeds<'_>))| {
            Some((*place, own.comes_of(nth, cause)?, at))
        };
        let cause = causes.iter().enumerate().filter_map(near).min();
        let cause = cause.map(|(_, _, at)| at);
        match groups.iter_mut().find(|group| group.0 == cause) {
            Some(group) => group.1.push(*event),
            None => groups.push((cause, vec![*event])),
        }
    }
    groups.into_iter().map(|group| group.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deed(seconds: i64, names: &[(u16, u32)]) -> Deed {
        let name = |(key, value): &(u16, u32)| (KeyId(*key), *value);
        Deed {
            run: None,
            time: Some(seconds * NS_PER_SECOND),
            names: names.iter().map(name).collect(),
        }
    }

    #[test]
    fn what_is_about_another_thing_or_time_has_another_cause() {
        let killed = deed(100, &[(1, 7), (2, 70)]);
        assert!(
            deed(900, &[(1, 7)])
                .comes_of(&killed, false, MOMENT)
                .is_some()
        );
        // The name has been reused by another instance since.
        assert!(
            deed(900, &[(1, 7), (2, 71)])
                .comes_of(&killed, false, MOMENT)
                .is_none()
        );
        assert!(
            deed(50, &[(1, 7)])
                .comes_of(&killed, false, MOMENT)
                .is_none()
        );
        assert!(
            deed(50, &[(1, 7)])
                .comes_of(&killed, true, MOMENT)
                .is_some()
        );
        // No key decides whether it is about the same instance.
        assert!(
            deed(100, &[(3, 1)])
                .comes_of(&killed, false, MOMENT)
                .is_some()
        );
        assert!(
            deed(103, &[(3, 1)])
                .comes_of(&killed, false, MOMENT)
                .is_none()
        );
        assert!(
            deed(103, &[(3, 1)])
                .comes_of(&killed, false, 5 * NS_PER_SECOND)
                .is_some()
        );
        assert!(
            deed(103, &[(3, 1)])
                .comes_of(&killed, true, MOMENT)
                .is_none()
        );
        assert!(
            deed(90, &[(3, 1)])
                .comes_of(&killed, true, MOMENT)
                .is_some()
        );
        assert!(
            deed(50, &[(3, 1)])
                .comes_of(&killed, true, MOMENT)
                .is_none()
        );
    }
}
