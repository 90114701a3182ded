//! Inference of initial and final states for messages that name no state.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_store::Snapshot;

use crate::instances::{DraftInstances, stored};
use crate::main_entity::happens_once;
use crate::message::{DraftMessage, Literals};
use crate::vocabulary::happened;

/// State assigned by an initial message without a verb.
const FIRST: &str = "first seen";

/// State assigned by a final error without a verb.
const BROKEN: &str = "failed";

/// Event of an instance: index of its message, and whether the log itself names the state.
struct Step {
    message: Option<usize>,
    is_told: bool,
    is_error: bool,
}

/// Assigns states to messages that name none: to the messages that most instances begin with, because an instance
/// without any state would not be recognised or reported as unfinished; and to errors that no event follows.
pub(crate) fn tell_edges(
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
        let is_mined = || mined.is_some_and(|key| stored(snapshot, *id, key).is_some());
        Some(Step {
            message,
            is_told: message.is_some_and(|n| messages[n].is_about(state)) || is_mined(),
            is_error: event.level() >= Level::Error,
        })
    };
    let mut firsts: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut last, mut followed) = (BTreeSet::new(), BTreeSet::new());
    for events in &one.courses {
        let course: Vec<Step> = events.iter().filter_map(step).collect();
        if let Some(number) = { course.first() }.and_then(|s| s.message.filter(|_| !s.is_told)) {
            *firsts.entry(number).or_default() += 1;
        }
        let Some((end, before)) = course.split_last() else {
            continue;
        };
        followed.extend(before.iter().filter_map(|s| s.message));
        last.extend(end.message.filter(|_| end.is_error && !end.is_told));
    }
    let all = one.courses.len();
    let is_usual = firsts.values().sum::<usize>() * 2 > all;
    for (number, count) in firsts.into_iter().filter(|_| is_usual) {
        let message = &mut messages[number];
        if count * 5 >= all && happens_once(message, &one.key) {
            message.consts.push((state.to_owned(), FIRST.to_owned()));
        }
    }
    for number in last.difference(&followed) {
        let message = &mut messages[*number];
        if !message.is_about(state) {
            let word = happened(message, &one.key).unwrap_or_else(|| BROKEN.to_owned());
            message.consts.push((state.to_owned(), word));
        }
    }
}
