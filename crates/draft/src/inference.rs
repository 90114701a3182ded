//! Inference of keys, messages, entities and joins of a draft from the records of a run.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_core::level::Level;
use widetui_core::words::{grouped, several};
use widetui_join::suggest::suggest;
use widetui_store::{Snapshot, Value};

use crate::instances::{self, DraftInstances};
use crate::layouts::Layouts;
use crate::main_entity::{self, MainEntity, STATES};
use crate::message::{DraftMessage, Literals};
use crate::message_choice::ChosenMessages;
use crate::sections::{Draft, EntitySection, KeySection, MessageEntry, ScopeSection};
use crate::source_kinds::{COMMON, SourceKind};
use crate::state_inference::{self, ReportedState, StateSequences};
use crate::{begin_end_states, names, variables, word_lists};

/// Maximum number of suggested joins.
const JOINS: usize = 4;

/// Maximum number of example values of a key.
const EXAMPLES: usize = 3;

/// Maximum number of values examined for the type of a field.
const MAX_TYPE_SAMPLES: usize = 50;

/// Input of the inference.
pub(crate) struct Inference<'a> {
    /// The run.
    pub(crate) snapshot: &'a Snapshot,
    /// Kinds of sources of the run.
    pub(crate) kinds: &'a [SourceKind],
    /// Layouts and dialects of these kinds.
    pub(crate) layouts: &'a Layouts,
    /// Whether definitions describe these logs already: then keys have other names in the run, and entities are known.
    pub(crate) is_known: bool,
}

impl Inference<'_> {
    /// Fills all sections of a draft except sources and samples.
    pub(crate) fn fill(&self, draft: &mut Draft, chosen: ChosenMessages, cancel: &Cancel) {
        let ChosenMessages {
            mut messages,
            unkeyed,
            omitted: left,
        } = chosen;
        let names = self.names(&draft.name, &messages);
        let instances = match self.is_known {
            true => Vec::new(),
            false => instances::instances(self.snapshot, &names, &messages),
        };
        let words = &self.snapshot.catalog.words;
        let mut main = Vec::new();
        let fields = self.layouts.dialects.iter().flat_map(|d| d.rename.values());
        let fields: Vec<String> = fields.cloned().collect();
        self.set_sibling_fields(&mut messages, &names, &fields);
        if let Some(mut entity) =
            main_entity::main_entity(words, &draft.name, &mut messages, &fields, &instances)
        {
            self.states(&mut entity, &mut messages, &instances, &names);
            self.places(&draft.name, &mut entity, &messages);
            main.push(entity.key.clone());
            main.extend(entity.state.clone());
            main.extend(entity.places.iter().cloned());
            draft.entities.push(entity_section(&draft.name, &entity));
            for place in entity.places.iter().filter(|p| p.starts_with(&draft.name)) {
                draft.entities.push(EntitySection {
                    key: place.clone(),
                    title: word_lists::entity_word(place).to_owned(),
                    role: "resource",
                    note: "Resource that executes them; its silence alone is not reported."
                        .to_owned(),
                    ..EntitySection::default()
                });
            }
        }
        messages.retain(|m| !m.is_constant());
        let states = draft.entities.iter().filter_map(|e| e.state.clone());
        let states: Vec<String> = states.collect();
        draft.keys = self.keys(&draft.name, &messages, &names, &instances, &states);
        let place = |k: &KeySection| main.iter().position(|m| *m == k.name).unwrap_or(main.len());
        draft.keys.sort_by_key(place);
        draft.scopes = self.scopes(&messages, &unkeyed);
        if left > 0 {
            let more = format!(
                "{} with names in them are left out: --max N takes more.",
                several(left, "rarer message")
            );
            draft.notes.push(more);
        }
        self.joins(draft, &names, cancel);
    }

    /// Pairs of a key's name in the run and in the draft: keys of messages, then keys of fields.
    fn names(&self, system: &str, messages: &[DraftMessage]) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = Vec::new();
        let prefix = format!("{system}.");
        let of_messages = messages.iter().flat_map(DraftMessage::keys);
        let mined = of_messages
            .filter_map(|k| Some((names::mined(k.strip_prefix(&prefix)?), k.to_owned())));
        let renamed = self.layouts.dialects.iter().flat_map(|d| &d.rename);
        let fields = renamed.map(|(a, b)| (a.clone(), b.clone()));
        for pair in mined.chain(fields.filter(|f| f.1.starts_with(&prefix))) {
            if !out.contains(&pair) {
                out.push(pair);
            }
        }
        out
    }

    /// Sets the fields that all records of each message have.
    fn set_sibling_fields(
        &self,
        messages: &mut [DraftMessage],
        names: &[(String, String)],
        fields: &[String],
    ) {
        let catalog = &self.snapshot.catalog;
        let known = names.iter().filter(|n| fields.contains(&n.1));
        let known = known.filter_map(|(field, key)| Some((catalog.keys.find(field)?, key)));
        let known: FxHashMap<KeyId, &String> = known.collect();
        for message in messages.iter_mut().filter(|_| !known.is_empty()) {
            let mut beside: BTreeMap<&String, Vec<String>> = BTreeMap::new();
            for sample in &message.samples {
                let Some(event) = self.snapshot.event(sample.event) else {
                    continue;
                };
                for (key, value, _) in event.stored() {
                    if let (Some(key), Value::One(text)) = (known.get(&key), value) {
                        beside.entry(*key).or_default().push(text);
                    }
                }
            }
            let own: Vec<&str> = message.keys().collect();
            let all = message.samples.len();
            let beside = { beside.into_iter() }
                .filter(|(key, values)| values.len() == all && !own.contains(&key.as_str()))
                .map(|(key, values)| (key.clone(), values))
                .collect();
            message.sibling_fields = beside;
        }
    }

    fn keys(
        &self,
        system: &str,
        messages: &[DraftMessage],
        names: &[(String, String)],
        instances: &[DraftInstances],
        states: &[String],
    ) -> Vec<KeySection> {
        let prefix = format!("{system}.");
        let mut all: Vec<&str> = names.iter().map(|n| n.1.as_str()).collect();
        let of_messages = messages
            .iter()
            .flat_map(DraftMessage::keys)
            .filter(|k| k.starts_with(&prefix));
        all.extend(of_messages);
        let captures = self.kinds.iter().filter_map(|k| k.captures.as_ref());
        let captures: Vec<String> = captures.map(|c| format!("{prefix}{c}")).collect();
        all.extend(captures.iter().map(String::as_str));
        let mut seen = BTreeSet::new();
        all.retain(|k| seen.insert(*k));
        let one = |key: &str| {
            let fields = messages
                .iter()
                .flat_map(|m| m.fields().map(move |f| (m, f)));
            let fields: Vec<(&DraftMessage, &str)> = fields
                .filter(|(_, f)| f.0 == key)
                .map(|(m, f)| (m, f.1))
                .collect();
            let mut kinds: Vec<&str> = fields.iter().map(|f| f.1).collect();
            let is_constant = messages.iter().any(|m| m.consts.iter().any(|c| c.0 == key));
            if is_constant {
                kinds.push("state");
            }
            if kinds.is_empty() && captures.iter().any(|c| c == key) {
                kinds.push("int");
            }
            let of_run = self.stored(key, names, instances);
            if fields.is_empty() && !of_run.is_empty() && !is_constant {
                let values: Vec<&str> = of_run.iter().map(String::as_str).collect();
                kinds.push(variables::kind_of(&values));
            }
            if states.iter().any(|state| state == key) {
                kinds.push("state");
            }
            let of_messages = fields
                .iter()
                .flat_map(|f| f.0.values(key))
                .map(str::to_owned);
            let mut examples: Vec<String> = Vec::new();
            for value in of_messages.chain(of_run) {
                if examples.len() < EXAMPLES && !examples.contains(&value) {
                    examples.push(value);
                }
            }
            KeySection {
                kind: type_of(&kinds),
                identifier: word_lists::is_identifier(&self.snapshot.catalog.words, key, &kinds)
                    && varies(key, instances),
                name: key.to_owned(),
                examples,
            }
        };
        all.into_iter().map(one).collect()
    }

    /// Values of a key in the run, at most [`MAX_TYPE_SAMPLES`].
    fn stored(
        &self,
        key: &str,
        names: &[(String, String)],
        instances: &[DraftInstances],
    ) -> Vec<String> {
        let Some((mined, _)) = names.iter().find(|n| n.1 == key) else {
            return Vec::new();
        };
        let Some(one) = instances.iter().find(|i| i.key == key) else {
            return Vec::new();
        };
        let mut firsts: Vec<EventId> = one
            .events_by_value
            .iter()
            .filter_map(|c| c.first().copied())
            .collect();
        firsts.sort_unstable();
        let values = firsts.iter().take(MAX_TYPE_SAMPLES);
        values
            .filter_map(|id| instances::stored_text(self.snapshot, *id, mined))
            .collect()
    }

    fn scopes(&self, messages: &[DraftMessage], unkeyed: &[DraftMessage]) -> Vec<ScopeSection> {
        let all: u64 = self.kinds.iter().map(|k| k.records).sum();
        let note = |m: &DraftMessage| {
            let share = (m.records * 1000).checked_div(all).unwrap_or(0);
            let share = match share {
                0 => "< 0.1 %".to_owned(),
                n if n < 100 => format!("{}.{} %", n / 10, n % 10),
                n => format!("{} %", n / 10),
            };
            format!("{}, {share}", several(m.records as usize, "record"))
        };
        let name = |m: &DraftMessage| match &m.kinds[..] {
            [one] => self.kinds.get(*one).map_or(COMMON, |k| &k.name),
            _ => COMMON,
        };
        let names = self.kinds.iter().map(|k| k.name.as_str()).chain([COMMON]);
        let scope = |scope: &str| ScopeSection {
            name: scope.to_owned(),
            messages: messages
                .iter()
                .filter(|m| name(m) == scope)
                .map(|m| MessageEntry {
                    pattern: m.pattern(),
                    consts: m.consts.clone(),
                    note: note(m),
                })
                .collect(),
            unkeyed: unkeyed
                .iter()
                .filter(|m| name(m) == scope)
                .map(|m| (m.pattern(), note(m)))
                .collect(),
        };
        let scopes = names.map(scope);
        scopes
            .filter(|s| !s.messages.is_empty() || !s.unkeyed.is_empty())
            .collect()
    }

    /// Finds the states of the main entity in the run.
    fn states(
        &self,
        entity: &mut MainEntity,
        messages: &mut [DraftMessage],
        instances: &[DraftInstances],
        names: &[(String, String)],
    ) {
        let Some(state) = entity.state.clone() else {
            return;
        };
        let Some(one) = instances.iter().find(|i| i.key == entity.key) else {
            return;
        };
        let mined = names.iter().find(|n| n.1 == state).map(|n| n.0.as_str());
        let kinds: Vec<&str> = self.kinds.iter().map(|k| k.name.as_str()).collect();
        begin_end_states::assign_edge_states(self.snapshot, one, (&state, mined), messages);
        let mut sequences = self.state_sequences(one, (&state, mined), messages);
        if let Some(owner) = state_inference::owner(&sequences)
            && state_inference::qualify_by_reporter(messages, &state, owner, &kinds)
        {
            sequences = self.state_sequences(one, (&state, mined), messages);
        }
        if state_inference::qualify_final_states(messages, &state, &sequences) {
            sequences = self.state_sequences(one, (&state, mined), messages);
        }
        state_inference::find_states(&self.snapshot.catalog.words, entity, &sequences, &kinds);
        if entity.states.len() > STATES {
            entity.state = None;
        }
    }

    /// State sequence of each instance, from the log or from the states assigned to messages.
    fn state_sequences(
        &self,
        one: &DraftInstances,
        (state, mined): (&str, Option<&str>),
        messages: &[DraftMessage],
    ) -> StateSequences {
        // One message may stand for several templates.
        let mut states: FxHashMap<Literals, (usize, String)> = FxHashMap::default();
        for (number, message) in messages.iter().enumerate() {
            let Some((_, value)) = message.consts.iter().find(|c| c.0 == state) else {
                continue;
            };
            for literals in message.literals(self.snapshot) {
                states.insert(literals, (number, value.clone()));
            }
        }
        let mut kind_of: FxHashMap<SourceId, usize> = FxHashMap::default();
        for (number, kind) in self.kinds.iter().enumerate() {
            kind_of.extend(kind.sources.iter().map(|id| (*id, number)));
        }
        let report = |id: EventId| {
            let event = self.snapshot.event(id)?;
            let (message, state) = match states.get(&event.shape()?.literals) {
                Some((message, state)) => (Some(*message), Some(state.clone())),
                None => (None, None),
            };
            Some(ReportedState {
                message,
                state: state.or_else(|| instances::stored_text(self.snapshot, id, mined?))?,
                is_error: event.level() >= Level::Error,
                reporter: kind_of.get(&event.source().id).copied()?,
            })
        };
        let sequences = one.events_by_value.iter();
        sequences
            .map(|events| events.iter().filter_map(|id| report(*id)).collect())
            .collect()
    }

    /// Adds keys of the paths of files that report the entity.
    fn places(&self, system: &str, entity: &mut MainEntity, messages: &[DraftMessage]) {
        let words = &self.snapshot.catalog.words;
        let about = messages.iter().filter(|m| m.has_key(&entity.key));
        let reporters: BTreeSet<usize> = about.flat_map(|m| m.kinds.iter().copied()).collect();
        for kind in reporters.iter().filter_map(|k| self.kinds.get(*k)) {
            let place = kind.captures.as_ref().map(|c| format!("{system}.{c}"));
            // Places that records state take precedence over places in their path.
            let is_known = |p: &String| {
                let mut places = entity.places.iter();
                places.any(|known| word_lists::entity_word(known) == word_lists::entity_word(p))
            };
            if let Some(place) = place.filter(|p| word_lists::is_resource(words, p))
                && !is_known(&place)
                && entity.key != place
            {
                entity.places.insert(0, place);
            }
        }
        entity
            .places
            .sort_by_key(|place| !word_lists::is_machine(place));
    }

    fn joins(&self, draft: &mut Draft, names: &[(String, String)], cancel: &Cancel) {
        if self.is_known {
            return;
        }
        let renamed = |keys: &[String]| -> Vec<String> {
            let name = |k: &String| names.iter().find(|n| n.0 == *k).map_or(k, |n| &n.1).clone();
            keys.iter().map(name).collect()
        };
        let is_identifier =
            |name: &String| draft.keys.iter().any(|k| k.name == *name && k.identifier);
        for (join, report) in suggest(self.snapshot, &[], cancel).unwrap_or_default() {
            let (by, gives) = (renamed(join.left_keys()), renamed(join.right_keys()));
            // Keys that identify no instances imply others by chance.
            let mut all = by.iter().chain(&gives);
            if draft.joins.len() < JOINS && all.all(is_identifier) {
                let note = format!(
                    "{} of {}: {} would receive it.",
                    grouped(report.groups as u64),
                    by.join(", "),
                    several(report.receiving_events, "event")
                );
                draft.joins.push((by, gives, note));
            }
        }
    }
}

/// Whether a key has more than one value in the run; true if unknown.
fn varies(key: &str, instances: &[DraftInstances]) -> bool {
    let one = instances.iter().find(|i| i.key == key);
    one.is_none_or(|i| i.events_by_value.len() != 1)
}

/// Type of a key, from the kinds of its fields.
fn type_of(kinds: &[&str]) -> &'static str {
    let all = |of: &[&str]| !kinds.is_empty() && kinds.iter().all(|k| of.contains(k));
    if all(&["int", "list"]) {
        "int"
    } else if all(&["int", "float"]) {
        "float"
    } else if all(&["uuid"]) {
        "uuid"
    } else if all(&["word", "state", "text"]) {
        "text"
    } else {
        ""
    }
}

fn entity_section(system: &str, entity: &MainEntity) -> EntitySection {
    let title = word_lists::entity_word(&entity.key).to_owned();
    let mut note = format!("{} in these logs.", several(entity.count, &title));
    if entity.state.as_deref() == Some(&format!("{system}.state")) {
        note.push_str(" Its states are words of the messages above, in the order seen.");
    }
    EntitySection {
        key: entity.key.clone(),
        title,
        role: "work_item",
        state: entity.state.clone().filter(|_| !entity.states.is_empty()),
        states: entity.states.clone(),
        last: entity.final_states.clone(),
        possibly_final: entity.possibly_final.clone(),
        failed: entity.failed.clone(),
        goes_on: entity.continued.clone(),
        executing: entity.executing.clone(),
        executed: entity.executed.clone(),
        recorders: entity.reporters.clone(),
        places: entity.places.clone(),
        note,
    }
}
