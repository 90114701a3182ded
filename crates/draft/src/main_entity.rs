//! What a run is about, guessed: the key that most messages name, what tells of its states, and where it runs.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::ids::EventId;

use crate::instances::DraftInstances;
use crate::message::DraftMessage;
use crate::names;
use crate::vocabulary::{GOALS, about, happened, is_carrier, is_identifier, is_machine, is_state};

/// The thing that a run is mostly about.
#[derive(Clone, Debug, Default)]
pub(crate) struct MainEntity {
    /// Its key.
    pub(crate) key: String,
    /// The key that names its states.
    pub(crate) state: Option<String>,
    /// Its states in their usual order.
    pub(crate) states: Vec<String>,
    /// Those that seem to end it.
    pub(crate) last: Vec<String>,
    /// Those that sound like it, and are followed by others.
    pub(crate) perhaps: Vec<String>,
    /// Final ones that sound like a failure.
    pub(crate) failed: Vec<String>,
    /// Final ones that others were seen to follow.
    pub(crate) goes_on: Vec<String>,
    /// States in which it is carried out.
    pub(crate) executing: Vec<String>,
    /// States in which the work on it is over, and whoever owns it may not know of it.
    pub(crate) executed: Vec<String>,
    /// Kinds of sources that tell its states, its owner first; none where one kind tells all.
    pub(crate) recorders: Vec<String>,
    /// Keys that say where it runs.
    pub(crate) places: Vec<String>,
    /// How many there are.
    pub(crate) count: usize,
}

/// The thing that the messages are mostly about: it is named by several, or changes its state. Messages that tell of a
/// change are given a key with the state, where the log itself has none. `fields` are the keys of records that name
/// them themselves.
pub(crate) fn main_entity(
    system: &str,
    messages: &mut [DraftMessage],
    fields: &[String],
    values: &[DraftInstances],
) -> Option<MainEntity> {
    let prefix = format!("{system}.");
    let mut best: Option<(i64, &DraftInstances)> = None;
    for one in values.iter().filter(|v| v.key.starts_with(system)) {
        let with: Vec<&DraftMessage> = having(messages, &one.key).collect();
        let own = fields.contains(&one.key);
        let stated = with.iter().any(|m| m.keys().any(is_state))
            || own && { fields.iter() }.any(|f| is_state(f) && are_together(values, &one.key, f));
        let kinds: Vec<&str> = with
            .iter()
            .flat_map(|m| m.fields())
            .filter(|f| f.0 == one.key)
            .map(|f| f.1)
            .collect();
        // A process or a thread is what writes, and not what a run is about.
        let is_writer = one.key.strip_prefix(&prefix).is_some_and(names::is_common);
        if is_writer || !is_identifier(&one.key, &kinds) || one.courses.len() < 2 && !stated {
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
        let others = others.filter(|f| are_together(values, &key, f));
        others.filter(|_| fields.contains(&key)).collect()
    };
    let state = state.or_else(|| beside(is_state).first().copied().cloned());
    let state = match state {
        Some(state) => Some(state),
        None => tell_states(system, &key, messages),
    };
    let mut places: Vec<String> = Vec::new();
    let told = having(messages, &key).flat_map(DraftMessage::keys);
    let told = told.filter(|k| is_carrier(k) && **k != *key);
    for place in told.chain(beside(is_carrier).into_iter().map(String::as_str)) {
        if !places.iter().any(|p| p == place) {
            places.push(place.to_owned());
        }
    }
    // From the outside in.
    places.sort_by_key(|place| !is_machine(place));
    Some(MainEntity {
        count: one.courses.len(),
        key,
        state,
        places,
        ..MainEntity::default()
    })
}

/// Whether records that name a key name another one too.
fn are_together(values: &[DraftInstances], key: &str, other: &str) -> bool {
    let events = |key: &str| {
        let one = values.iter().find(|v| v.key == key);
        one.into_iter().flat_map(|v| v.courses.iter().flatten())
    };
    let of_key: FxHashSet<EventId> = events(key).copied().collect();
    { events(other) }.any(|event| of_key.contains(event))
}

fn having<'m>(messages: &'m [DraftMessage], key: &str) -> impl Iterator<Item = &'m DraftMessage> {
    messages.iter().filter(move |m| m.is_about(key))
}

/// Gives messages about a key that tell of a change a constant key with the state. Gives the key; `None` where no two do.
fn tell_states(system: &str, key: &str, messages: &mut [DraftMessage]) -> Option<String> {
    let names_one = |m: &DraftMessage| {
        m.fields().any(|f| f.0 == key && f.1 != "list") || m.beside.iter().any(|b| b.0 == key)
    };
    let about = |m: &&mut DraftMessage| names_one(m);
    let telling =
        |m: &&DraftMessage| names_one(m) && happens_once(m, key) && happened(m, key).is_some();
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

/// Whether most things have a message once: progress is told again and again, and is no state. What is tried again may fail
/// several times.
pub(crate) fn happens_once(message: &DraftMessage, key: &str) -> bool {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for value in message.values(key) {
        *counts.entry(value).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let once = counts.values().filter(|n| **n == 1).count();
    all * 2 <= counts.len() * 3 || once * 2 > counts.len()
}
