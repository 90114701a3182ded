//! Inference of the main entity of a run: the key that most messages name, the key of its states, and its places.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::ids::EventId;

use crate::instances::DraftInstances;
use crate::message::DraftMessage;
use crate::names;
use widetui_definition::words::WordsDef;

use crate::word_lists::{
    are_states, is_identifier, is_machine, is_resource, is_state, is_work_item, state_word,
};

/// Entity that most messages of a run are about.
#[derive(Clone, Debug, Default)]
pub(crate) struct MainEntity {
    /// Key that identifies it.
    pub(crate) key: String,
    /// Key of its states.
    pub(crate) state: Option<String>,
    /// States in their usual order.
    pub(crate) states: Vec<String>,
    /// States that seem to be final.
    pub(crate) final_states: Vec<String>,
    /// States with the name of a final state that other states follow.
    pub(crate) possibly_final: Vec<String>,
    /// Final states that sound like failures.
    pub(crate) failed: Vec<String>,
    /// Final states that other states followed in the run.
    pub(crate) continued: Vec<String>,
    /// States of being executed.
    pub(crate) executing: Vec<String>,
    /// States after execution that the owner may not know yet.
    pub(crate) executed: Vec<String>,
    /// Kinds of sources that report states, the owner first; empty if one kind reports all.
    pub(crate) reporters: Vec<String>,
    /// Keys of the place of execution.
    pub(crate) places: Vec<String>,
    /// Number of instances.
    pub(crate) count: usize,
}

/// Maximum number of states; a key with more values is free text, not a state.
pub(crate) const STATES: usize = 24;

/// Finds the entity that messages are mostly about: several messages name it, or it changes its state. Messages about a
/// transition get a constant key with the state, unless the log has one. `fields` are keys of records that are fields
/// of their own.
pub(crate) fn main_entity(
    words: &WordsDef,
    system: &str,
    messages: &mut [DraftMessage],
    fields: &[String],
    values: &[DraftInstances],
) -> Option<MainEntity> {
    let prefix = format!("{system}.");
    let state_fields = state_fields(words, fields, values);
    let mut best: Option<(i64, &DraftInstances)> = None;
    for one in values.iter().filter(|v| v.key.starts_with(system)) {
        let with: Vec<&DraftMessage> = messages_about(messages, &one.key).collect();
        let own = fields.contains(&one.key);
        let stated = with.iter().any(|m| m.keys().any(is_state))
            || own && { state_fields.iter() }.any(|f| has_most_events(values, &one.key, f));
        let kinds: Vec<&str> = with
            .iter()
            .flat_map(|m| m.fields())
            .filter(|f| f.0 == one.key)
            .map(|f| f.1)
            .collect();
        // A process or thread writes records, but the run is not about it.
        let is_writer = one.key.strip_prefix(&prefix).is_some_and(names::is_common);
        if is_writer
            || state_fields.contains(&&one.key)
            || !is_identifier(words, &one.key, &kinds)
            || one.events_by_value.len() < 2 && !stated
        {
            continue;
        }
        let sounds =
            i64::from(is_work_item(words, &one.key)) - i64::from(is_resource(words, &one.key));
        let reporting = with
            .iter()
            .filter(|m| state_word(words, m, &one.key).is_some());
        let reporting = reporting.count().min(6) as i64;
        let mut score = with.len().min(6) as i64 + reporting + 8 * sounds + 6 * i64::from(stated);
        score += i64::from(one.events_by_value.len() >= 4);
        if score > best.as_ref().map_or(2, |b| b.0) {
            best = Some((score, one));
        }
    }
    let (_, one) = best?;
    let key = one.key.clone();
    let state = messages_about(messages, &key)
        .flat_map(|m| m.keys().filter(|k| is_state(k)).map(str::to_owned))
        .next();
    let beside = |others: &[&String]| -> Vec<String> {
        let others = others.iter().filter(|f| ***f != key);
        let others = others.filter(|f| occur_together(values, &key, f));
        let others = others.filter(|_| fields.contains(&key));
        others.map(|f| (*f).clone()).collect()
    };
    let state = state.or_else(|| beside(&state_fields).into_iter().next());
    let state = match state {
        Some(state) => Some(state),
        None => assign_states(words, (system, &key), messages),
    };
    let of_resource = |key: &str| is_resource(words, key);
    let mut places: Vec<String> = Vec::new();
    let reporting = messages_about(messages, &key).flat_map(DraftMessage::keys);
    let reporting = reporting.filter(|k| of_resource(k) && **k != *key);
    let of_resources: Vec<&String> = fields.iter().filter(|f| of_resource(f)).collect();
    let beside = beside(&of_resources);
    for place in reporting.chain(beside.iter().map(String::as_str)) {
        if !places.iter().any(|p| p == place) {
            places.push(place.to_owned());
        }
    }
    // Outermost place first.
    places.sort_by_key(|place| !is_machine(place));
    Some(MainEntity {
        count: one.events_by_value.len(),
        key,
        state,
        places,
        ..MainEntity::default()
    })
}

/// Fields of records that hold states, by their name or by the words of their values; the most certain ones first.
fn state_fields<'f>(
    words: &WordsDef,
    fields: &'f [String],
    values: &[DraftInstances],
) -> Vec<&'f String> {
    let certainty = |field: &&String| {
        let of_field = values.iter().find(|v| v.key == **field);
        let count = of_field.map_or(0, |v| v.values().len());
        let are_states = || of_field.is_some_and(|v| are_states(words, v.values()));
        match is_state(field) {
            true if count > 1 => Some(2),
            _ if (2..=STATES).contains(&count) && are_states() => Some(1),
            named => named.then_some(0),
        }
    };
    let known = fields.iter().filter_map(|f| Some((certainty(&f)?, f)));
    let mut known: Vec<(u8, &String)> = known.collect();
    known.sort_by_key(|(certainty, _)| std::cmp::Reverse(*certainty));
    known.into_iter().map(|(_, field)| field).collect()
}

/// Whether at least half of the records with a state have the key, too.
fn has_most_events(values: &[DraftInstances], key: &str, state: &str) -> bool {
    let events = |key: &str| {
        let one = values.iter().find(|v| v.key == key);
        one.into_iter()
            .flat_map(|v| v.events_by_value.iter().flatten())
    };
    let of_key: FxHashSet<EventId> = events(key).copied().collect();
    let with_key = events(state).filter(|event| of_key.contains(event)).count();
    with_key > 0 && with_key * 2 >= events(state).count()
}

/// Whether some records have both keys.
fn occur_together(values: &[DraftInstances], key: &str, other: &str) -> bool {
    let events = |key: &str| {
        let one = values.iter().find(|v| v.key == key);
        one.into_iter()
            .flat_map(|v| v.events_by_value.iter().flatten())
    };
    let of_key: FxHashSet<EventId> = events(key).copied().collect();
    { events(other) }.any(|event| of_key.contains(event))
}

fn messages_about<'m>(
    messages: &'m [DraftMessage],
    key: &str,
) -> impl Iterator<Item = &'m DraftMessage> {
    messages.iter().filter(move |m| m.has_key(key))
}

/// Adds a constant state key to messages that report a transition of an instance. Returns the key; `None` with fewer
/// than two such messages.
fn assign_states(
    words: &WordsDef,
    (system, key): (&str, &str),
    messages: &mut [DraftMessage],
) -> Option<String> {
    let names_one = |m: &DraftMessage| {
        m.fields().any(|f| f.0 == key && f.1 != "list")
            || m.sibling_fields.iter().any(|b| b.0 == key)
    };
    let about = |m: &&mut DraftMessage| names_one(m);
    let reports_state = |m: &&DraftMessage| {
        names_one(m) && happens_once(m, key) && state_word(words, m, key).is_some()
    };
    if messages.iter().filter(reports_state).count() < 2 {
        return None;
    }
    let state = format!("{system}.state");
    for message in messages.iter_mut().filter(about) {
        if happens_once(message, key)
            && let Some(word) = state_word(words, message, key)
        {
            message.consts.push((state.clone(), word));
        }
    }
    Some(state)
}

/// Whether most instances have the message once. A repeated message reports progress, not a state; a failure may occur
/// several times with retries.
pub(crate) fn happens_once(message: &DraftMessage, key: &str) -> bool {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for value in message.values(key) {
        *counts.entry(value).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let once = counts.values().filter(|n| **n == 1).count();
    all * 2 <= counts.len() * 3 || once * 2 > counts.len()
}
