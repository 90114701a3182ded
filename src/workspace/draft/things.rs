//! What a run is about, guessed: the key that most messages name, the states it goes through, and where it runs.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::base::dict::Code;
use crate::base::ids::EventId;
use crate::store::{Snapshot, Value};

use super::message::DraftMessage;
use super::vocabulary::{ENDS, GOALS, about, is_carrier, is_identifier, is_state, verb};

/// Events that are looked at for the order of states.
const EVENTS: usize = 1_000_000;

/// The thing that a run is mostly about.
#[derive(Clone, Debug)]
pub(super) struct MainThing {
    /// Its key.
    pub key: String,
    /// The key that names its states.
    pub state: Option<String>,
    /// Its states in their usual order.
    pub states: Vec<String>,
    /// Those that seem to end it.
    pub last: Vec<String>,
    /// Those that sound like it, and are followed by others.
    pub perhaps: Vec<String>,
    /// Final ones that sound like a failure.
    pub failed: Vec<String>,
    /// Keys that say where it runs.
    pub places: Vec<String>,
    /// How many there are.
    pub count: usize,
}

/// The thing that the messages are mostly about: it is named by several, or changes its state. Messages that tell of a
/// change are given a key with the state, where the log itself has none. `fields` are the keys of records that name
/// them themselves.
pub(super) fn thing(
    system: &str,
    messages: &mut [DraftMessage],
    fields: &[String],
    values: &[DraftInstances],
) -> Option<MainThing> {
    let mut best: Option<(i64, &DraftInstances)> = None;
    for one in values.iter().filter(|v| v.key.starts_with(system)) {
        let with: Vec<&DraftMessage> = having(messages, &one.key).collect();
        let own = fields.contains(&one.key);
        let stated = with.iter().any(|m| m.keys().any(is_state))
            || own && fields.iter().any(|f| is_state(f));
        let kinds: Vec<&str> = with
            .iter()
            .flat_map(|m| m.fields())
            .filter(|f| f.0 == one.key)
            .map(|f| f.1)
            .collect();
        if !is_identifier(&one.key, &kinds) || one.courses.len() < 2 && !stated {
            continue;
        }
        let sounds = i64::from(GOALS.contains(&about(&one.key))) - i64::from(is_carrier(&one.key));
        let told = with.iter().filter(|m| verb(m).is_some()).count().min(6) as i64;
        let mut score = with.len().min(6) as i64 + told + 8 * sounds + 6 * i64::from(stated);
        score += i64::from(one.courses.len() >= 4);
        if score > best.as_ref().map_or(2, |b| b.0) {
            best = Some((score, one));
        }
    }
    let (_, one) = best?;
    let key = one.key.clone();
    let state = having(messages, &key)
        .flat_map(|m| m.keys().filter(|k| is_state(k)).map(str::to_owned))
        .next();
    let beside = |test: fn(&str) -> bool| -> Vec<&String> {
        let others = fields.iter().filter(|f| test(f) && **f != key);
        others.filter(|_| fields.contains(&key)).collect()
    };
    let state = state.or_else(|| beside(is_state).first().copied().cloned());
    let state = match state {
        Some(state) => Some(state),
        None => tell_states(system, &key, messages),
    };
    let mut places: Vec<String> = Vec::new();
    for place in having(messages, &key)
        .flat_map(DraftMessage::keys)
        .filter(|k| is_carrier(k) && **k != *key)
    {
        if !places.iter().any(|p| p == place) {
            places.push(place.to_owned());
        }
    }
    for place in beside(is_carrier) {
        if !places.contains(place) {
            places.push(place.clone());
        }
    }
    Some(MainThing {
        count: one.courses.len(),
        key,
        state,
        states: Vec::new(),
        last: Vec::new(),
        perhaps: Vec::new(),
        failed: Vec::new(),
        places,
    })
}

fn having<'m>(messages: &'m [DraftMessage], key: &str) -> impl Iterator<Item = &'m DraftMessage> {
    messages.iter().filter(move |m| m.keys().any(|k| k == key))
}

/// Gives messages about a key that tell of a change a constant key with the state. Gives the key; `None` where no two do.
fn tell_states(system: &str, key: &str, messages: &mut [DraftMessage]) -> Option<String> {
    let about = |m: &&mut DraftMessage| m.fields().any(|f| f.0 == key && f.1 != "list");
    let telling = |m: &&DraftMessage| {
        m.fields().any(|f| f.0 == key && f.1 != "list") && happens_once(m, key) && verb(m).is_some()
    };
    if messages.iter().filter(telling).count() < 2 {
        return None;
    }
    let state = format!("{system}.state");
    for message in messages.iter_mut().filter(about) {
        if happens_once(message, key)
            && let Some(verb) = verb(message)
        {
            message.consts.push((state.clone(), verb));
        }
    }
    Some(state)
}

/// Whether most things have a message once: progress is told again and again, and is no state.
fn happens_once(message: &DraftMessage, key: &str) -> bool {
    let mut values = message.values(key);
    let all = values.len();
    values.sort_unstable();
    values.dedup();
    all * 2 <= values.len() * 3
}

/// The values of a key, and what is told of each in the order of time.
#[derive(Debug)]
pub(super) struct DraftInstances {
    /// The key, as the draft calls it.
    pub key: String,
    /// Of each value the events, by number.
    pub courses: FxHashMap<Code, Vec<EventId>>,
}

/// The values of some keys of a run: (its name there, that of the draft).
pub(super) fn instances(snapshot: &Snapshot, keys: &[(String, String)]) -> Vec<DraftInstances> {
    let known = keys
        .iter()
        .filter_map(|(mined, key)| Some((snapshot.catalog.keys.find(mined)?, key)));
    let ids: Vec<_> = known.collect();
    let mut out: Vec<DraftInstances> = ids
        .iter()
        .map(|(_, key)| DraftInstances {
            key: (*key).clone(),
            courses: FxHashMap::default(),
        })
        .collect();
    for id in snapshot.order.iter().take(EVENTS) {
        let Some(event) = snapshot.event(EventId(*id)) else {
            continue;
        };
        event.for_each_code(|key, codes, _| {
            if let ([code], Some(at)) = (codes, ids.iter().position(|k| k.0 == key)) {
                let view = snapshot.catalog.keys.get(key);
                let code = view.map_or(*code, |k| k.dict.canonical(*code));
                out[at].courses.entry(code).or_default().push(event.id);
            }
        });
    }
    out
}

/// Finds the states of a thing, their order and those that end it. `said` tells of an event which state it names.
pub(super) fn find_states(
    thing: &mut MainThing,
    one: &DraftInstances,
    said: impl Fn(EventId) -> Option<String>,
) {
    // State: sum of places among the states of each thing, things, and how often another state follows.
    let mut known: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    let mut courses: Vec<&Vec<EventId>> = one.courses.values().collect();
    courses.sort_unstable();
    let mut lasts: BTreeMap<String, usize> = BTreeMap::new();
    for events in courses {
        let mut course: Vec<String> = Vec::new();
        for state in events.iter().filter_map(|id| said(*id)) {
            if course.last() != Some(&state) {
                course.push(state);
            }
        }
        for (at, state) in course.iter().enumerate() {
            let entry = known.entry(state.clone()).or_default();
            let first = course.iter().position(|s| s == state) == Some(at);
            entry.0 += if first { at } else { 0 };
            entry.1 += usize::from(first);
            entry.2 += usize::from(at + 1 < course.len());
        }
        if let Some(last) = course.last() {
            *lasts.entry(last.clone()).or_default() += 1;
        }
    }
    let mut states: Vec<(&String, &(usize, usize, usize))> = known.iter().collect();
    states.sort_by(|a, b| (a.1.0 * b.1.1).cmp(&(b.1.0 * a.1.1)));
    thing.states = states.iter().map(|s| s.0.clone()).collect();
    let things = one.courses.len();
    for (state, (_, count, followed)) in states {
        let lower = state.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        let sound = words.find_map(|w| ENDS.iter().find(|(end, _)| w.starts_with(end)));
        // A thing may be tried again; a state that nothing follows, and in which many stay, is an end whatever it is called.
        let stays = lasts.get(state).copied().unwrap_or(0);
        let sounds_open = lower.ends_with("ing") || lower.starts_with("start");
        let ends = followed * 2 <= *count && sound.is_some()
            || *followed == 0
                && stays * 2 > things
                && things > 2
                && !sounds_open
                && known.len() > 1;
        if ends {
            thing.last.push(state.clone());
            if sound.is_some_and(|s| s.1) {
                thing.failed.push(state.clone());
            }
        } else if sound.is_some() {
            thing.perhaps.push(state.clone());
        }
    }
}

/// What a stored key of an event is, as text.
pub(super) fn stored(snapshot: &Snapshot, id: EventId, mined: &str) -> Option<String> {
    let key = snapshot.catalog.keys.find(mined)?;
    let stored = snapshot.event(id)?.stored();
    match stored.into_iter().find(|(k, ..)| *k == key)?.1 {
        Value::One(text) => Some(text),
        Value::Many(_) => None,
    }
}
