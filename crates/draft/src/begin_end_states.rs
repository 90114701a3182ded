//! Inference of initial and final states for messages that name no state.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_store::Snapshot;

use crate::instances::{DraftInstances, stored_text};
use crate::main_entity::happens_once;
use crate::message::{DraftMessage, Literals};
use crate::word_lists::state_word;

/// State assigned by an initial message without a verb.
const INITIAL_STATE: &str = "first seen";

/// State assigned by a final error without a verb.
const FAILED_STATE: &str = "failed";

/// Event of an instance: index of its message, and whether the log itself names the state.
struct Step {
    message: Option<usize>,
    names_state: bool,
    is_error: bool,
}

/// Assigns states to messages that name none: to the messages that most instances begin with, because an instance
/// without any state would not be recognised or reported as unfinished; and to errors that no event follows.
pub(crate) fn assign_edge_states(
    snapshot: &Snapshot,
    one: &DraftInstances,
    (state, mined): (&str, Option<&str>),
    messages: &mut [DraftMessage],
) {
    let mut numbers: FxHashMap<Literals, usize> = FxHashMap::default();
    for (number, message) in messages.iter().enumerate() {
        for literals in message.literals(snapshot) {
            numbers.insert(literals, number);
        }
    }
    let step = |id: &EventId| {
        let event = snapshot.event(*id)?;
        let message = numbers.get(&event.shape()?.literals).copied();
        let is_mined = || mined.is_some_and(|key| stored_text(snapshot, *id, key).is_some());
        Some(Step {
            message,
            names_state: message.is_some_and(|n| messages[n].has_key(state)) || is_mined(),
            is_error: event.level() >= Level::Error,
        })
    };
    let mut firsts: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut last, mut followed) = (BTreeSet::new(), BTreeSet::new());
    for events in &one.events_by_value {
        let steps: Vec<Step> = events.iter().filter_map(step).collect();
        if let Some(number) = { steps.first() }.and_then(|s| s.message.filter(|_| !s.names_state)) {
            *firsts.entry(number).or_default() += 1;
        }
        let Some((end, before)) = steps.split_last() else {
            continue;
        };
        followed.extend(before.iter().filter_map(|s| s.message));
        last.extend(end.message.filter(|_| end.is_error && !end.names_state));
    }
    let all = one.events_by_value.len();
    let is_usual = firsts.values().sum::<usize>() * 2 > all;
    for (number, count) in firsts.into_iter().filter(|_| is_usual) {
        let message = &mut messages[number];
        if count * 5 >= all && happens_once(message, &one.key) {
            message
                .consts
                .push((state.to_owned(), INITIAL_STATE.to_owned()));
        }
    }
    for number in last.difference(&followed) {
        let message = &mut messages[*number];
        if !message.has_key(state) {
            let word = state_word(&snapshot.catalog.words, message, &one.key)
                .unwrap_or_else(|| FAILED_STATE.to_owned());
            message.consts.push((state.to_owned(), word));
        }
    }
}
