//! What a run is about, guessed: the key that most messages name, the states it goes through, and where it runs.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::base::dict::Code;
use crate::base::ids::EventId;
use crate::store::{Snapshot, Value};

use super::message::DraftMessage;
use super::vocabulary::{ENDS, GOALS, about, happened, is_carrier, is_identifier, is_state};

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
        let told = with.iter().filter(|m| happened(m, &one.key).is_some());
        let told = told.count().min(6) as i64;
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
        m.fields().any(|f| f.0 == key && f.1 != "list")
            && happens_once(m, key)
            && happened(m, key).is_some()
    };
    if messages.iter().filter(telling).count() < 2 {
        return None;
    }
    let state = format!("{system}.state");
    for message in messages.iter_mut().filter(about) {
        if happens_once(message, key)
            && let Some(word) = happened(message, key)
        {
            message.consts.push((state.clone(), word));
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

/// How a state was seen.
#[derive(Default)]
struct StateSeen {
    /// The sum of its places among the states of each thing.
    places: usize,
    /// Things that had it.
    things: usize,
    /// How often another one followed.
    followed: usize,
    /// Things of which it was the last one.
    last: usize,
    /// Things to which it happened as an error.
    errors: usize,
}

/// Finds the states of a thing, their order and those that end it. `said` tells of an event which state it names, and whether
/// it is an error.
pub(super) fn find_states(
    thing: &mut MainThing,
    one: &DraftInstances,
    said: impl Fn(EventId) -> Option<(String, bool)>,
) {
    let mut known: BTreeMap<String, StateSeen> = BTreeMap::new();
    for events in one.courses.values() {
        let mut course: Vec<(String, bool)> = Vec::new();
        for (state, is_error) in events.iter().filter_map(|id| said(*id)) {
            if course.last().is_none_or(|last| last.0 != state) {
                course.push((state, is_error));
            }
        }
        for (at, (state, is_error)) in course.iter().enumerate() {
            let seen = known.entry(state.clone()).or_default();
            let is_last = at + 1 == course.len();
            seen.followed += usize::from(!is_last);
            seen.last += usize::from(is_last);
            if course.iter().position(|s| s.0 == *state) == Some(at) {
                seen.places += at;
                seen.things += 1;
                seen.errors += usize::from(*is_error);
            }
        }
    }
    let mut states: Vec<(&String, &StateSeen)> = known.iter().collect();
    states.sort_by(|a, b| (a.1.places * b.1.things).cmp(&(b.1.places * a.1.things)));
    thing.states = states.iter().map(|s| s.0.clone()).collect();
    let things = one.courses.len();
    for (state, seen) in states {
        let lower = state.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        let sound = words.find_map(|w| ENDS.iter().find(|(end, _)| w.starts_with(end)));
        // A thing may be tried again; a state that nothing follows, and in which many stay or which is an error, is an end
        // whatever it is called.
        let is_error = seen.errors == seen.things;
        let sounds_open = lower.ends_with("ing") || lower.starts_with("start");
        let ends = seen.followed * 2 <= seen.things && sound.is_some()
            || seen.followed == 0
                && (seen.last * 2 > things || is_error)
                && things > 2
                && !sounds_open
                && known.len() > 1;
        if ends {
            thing.last.push(state.clone());
            if is_error || sound.is_some_and(|s| s.1) {
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
