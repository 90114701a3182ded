//! Cause and effect between records of two hints: records that name other entities, or are of another time, are unrelated.
//! Records with several causes become several findings.

use crate::findings::context::Context;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_time::time::NS_PER_SECOND;

use crate::findings::hints::{Hint, code};

/// Records of two logs about one moment are no further apart, ns.
const MOMENT: i64 = NS_PER_SECOND;
/// What leads to something about another thing comes no longer before it, ns.
const LED_TO: i64 = 30 * NS_PER_SECOND;
/// Of more records it is not told which has which cause.
const MOST: usize = 2_000;

/// What a record says that tells whether another one is about the same.
struct Deed {
    run: Option<usize>,
    time: Option<i64>,
    names: Vec<(KeyId, Code)>,
}

/// The records of a hint, as far as they are looked at.
struct Deeds<'h> {
    hint: &'h Hint,
    all: Vec<Deed>,
}

impl<'h> Deeds<'h> {
    /// With the values of some keys.
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

    /// How long before or behind the nearest of those of another hint one of its records is that comes of them, ns. `None`:
    /// it comes of none.
    fn comes_of(&self, at: usize, cause: &Deeds<'_>) -> Option<i64> {
        let leads = self.hint.severity < cause.hint.severity;
        let own = self.all.get(at)?;
        let all = cause.all.iter();
        all.filter_map(|other| own.comes_of(other, leads)).min()
    }
}

impl Deed {
    /// How far it is from another one of which it comes, ns; `leads`: or to which it may have led, being less bad.
    fn comes_of(&self, cause: &Deed, leads: bool) -> Option<i64> {
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
            (false, true) => (LED_TO, MOMENT),
            (false, false) => (MOMENT, MOMENT),
        };
        let comes = self.run == cause.run
            && known.all(|is_same| is_same)
            && later.saturating_neg() <= before
            && later <= after;
        comes.then_some(later.saturating_abs())
    }
}

/// The keys by which records of either of two hints are told apart; none where one of them names nothing.
fn keys(look: &Context<'_>, own: &Hint, cause: &Hint) -> Option<Vec<KeyId>> {
    let is_told = !own.names.is_empty() && !cause.names.is_empty();
    let names = own.names.iter().chain(&cause.names);
    let keys = &look.snapshot.catalog.keys;
    is_told.then(|| names.filter_map(|name| keys.find(name)).collect())
}

/// Whether a record of a hint comes of one of another, and how far the nearest ones are from each other, ns: `Some(None)` where
/// none does, `None` where that cannot be told of single ones.
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

/// The records of each hint, apart by what they come of.
pub(crate) fn apart<'h>(
    look: &Context<'_>,
    told: &[(&'h Hint, Vec<EventId>)],
) -> Vec<(&'h Hint, Vec<EventId>)> {
    let mut parts: Vec<Option<Vec<Vec<EventId>>>> = vec![None; told.len()];
    // Those of the causes first; hints that name each other stay whole.
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

/// The records of one hint, apart by the part of another from which they come, in the order of the first ones.
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
        // Of those that the definition names first the nearest.
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
        assert!(deed(900, &[(1, 7)]).comes_of(&killed, false).is_some());
        // Under the same name there is another one by now.
        assert!(
            deed(900, &[(1, 7), (2, 71)])
                .comes_of(&killed, false)
                .is_none()
        );
        assert!(deed(50, &[(1, 7)]).comes_of(&killed, false).is_none());
        assert!(deed(50, &[(1, 7)]).comes_of(&killed, true).is_some());
        // Nothing tells whether it is about the same.
        assert!(deed(100, &[(3, 1)]).comes_of(&killed, false).is_some());
        assert!(deed(103, &[(3, 1)]).comes_of(&killed, false).is_none());
        assert!(deed(103, &[(3, 1)]).comes_of(&killed, true).is_none());
        assert!(deed(90, &[(3, 1)]).comes_of(&killed, true).is_some());
        assert!(deed(50, &[(3, 1)]).comes_of(&killed, true).is_none());
    }
}
