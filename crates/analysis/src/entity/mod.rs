//! Entities: the things that one can talk about, as instances found in the events.
//!
//! ```text
//! Entity (what a definition says) + Snapshot (with derived values) ──scan──> Instances: list, events of each, changes of state
//! ```

mod all_instances;
mod assemble;
mod cell_ids;
mod entity_name;
mod extent;
mod id_lookup;
mod id_tree;
mod ids;
mod instance_id;
mod instance_query;
mod instance_title;
mod key_numbers;
mod marks;
mod members;
mod membership;
mod named_values;
pub mod place;
mod plan;
mod scan;
mod segment;
mod segment_instances;
mod shared_columns;
mod spec;
mod standing;
mod state_counts;
mod state_names;
mod time_range;
mod transition_order;
mod waits;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::several;
use widetui_store::Snapshot;
use widetui_store::lanes::Usual;

use membership::Membership;

pub use all_instances::AllInstances;
pub use entity_name::{entity_named, present};
pub use ids::IdIndex;
pub use instance_id::InstanceId;
pub use instance_query::{InstanceQuery, InstanceQueryError};
pub use instance_title::{Fate, TellingParts, Varies};
pub use plan::Detail;
pub use scan::{scan, scan_all};
pub use spec::{Entity, of_definition};
pub use standing::{End, Standing, has_begun, has_ended, standings};
pub use state_names::OTHER;

/// Keys and values that identify an instance, spelled.
pub type Id = Vec<(String, String)>;

/// One thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Values of the keys that identify it: see `Instances::id_keys`.
    pub id: InstanceId,
    /// Which of the entity's alternative ids.
    pub alternative: u8,
    /// Time of its first and last event, UTC ns; `None` when none of them has a time, or it was not asked for.
    pub range: Option<(i64, i64)>,
    /// What it is: the first of the entity's label keys that its events name, and the value.
    pub label: Option<(KeyId, Code)>,
    /// Times of the first and the last event that name it themselves, UTC ns; only of carriers.
    pub own: Option<(i64, i64)>,
    /// The event at which it starts, by the entity's condition.
    pub start: Option<EventId>,
    /// The first event at which it ends, by the entity's condition.
    pub end: Option<EventId>,
    /// The first event by which its owner saw that it was lost; of one that was there again behind that, and lost again, the
    /// last such one.
    pub lost: Option<EventId>,
    /// The first event by which it is over, whatever became of it.
    pub over: Option<EventId>,
    /// Of its id, among those of the entity.
    number: u32,
    first: Option<EventId>,
    changes: (u32, u32),
    waits: (u32, u32),
}

/// A change of state, as one recorder tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateChange {
    /// When, UTC ns; `NO_TIME` for a fact.
    pub time: i64,
    /// The event.
    pub event: EventId,
    /// The new state: index into `Instances::states`.
    pub state: u16,
    /// Who tells it: index into `Instances::recorders`.
    pub recorder: u16,
}

/// All instances of an entity in a snapshot.
#[derive(Clone, Debug)]
pub struct Instances {
    /// The entity.
    pub entity: Arc<Entity>,
    /// In the order of their first event; those without a time last.
    pub list: Vec<Instance>,
    /// Names of the states, in the entity's order, then as met.
    pub states: Vec<String>,
    /// How many more there are: together they are the last one, `OTHER`.
    pub other_states: usize,
    /// Kinds of sources that tell states, most trusted first.
    pub recorders: Vec<String>,
    /// Keys that say where it runs, as far as they occur.
    pub place_keys: Vec<KeyId>,
    /// By number of an instance and place key, the last value.
    place_codes: Vec<Code>,
    /// Events that name the last key of the id, but of which it is not known whose it is.
    pub undecided: u64,
    /// How many are named as who waits for others, and have no event of their own.
    pub absent: usize,
    usual: Usual,
    keys: Vec<Vec<KeyId>>,
    membership: Arc<Membership>,
    changes: Vec<StateChange>,
    waits: Vec<Code>,
    /// By number of an instance: at what it was lost, and was there again behind that.
    regained: Vec<(u32, EventId)>,
    /// By number of an instance: the first event at which it was given out; only of those that stand in for goals.
    given: FxHashMap<u32, EventId>,
    index: IdIndex,
    telling: OnceLock<TellingParts>,
    /// By state.
    said: OnceLock<Vec<standing::StateSaid>>,
}

impl Instances {
    /// None found.
    pub fn none(entity: &Arc<Entity>) -> Instances {
        Instances {
            entity: entity.clone(),
            list: Vec::new(),
            states: Vec::new(),
            other_states: 0,
            recorders: Vec::new(),
            place_keys: Vec::new(),
            place_codes: Vec::new(),
            undecided: 0,
            absent: 0,
            usual: Usual::default(),
            keys: Vec::new(),
            membership: Arc::default(),
            changes: Vec::new(),
            waits: Vec::new(),
            regained: Vec::new(),
            given: FxHashMap::default(),
            index: IdIndex::default(),
            telling: OnceLock::new(),
            said: OnceLock::new(),
        }
    }

    /// That states are too many to be told apart, for people; empty when they are not.
    pub fn states_note(&self) -> String {
        match self.other_states {
            0 => String::new(),
            n => format!("{} more are counted as `{OTHER}`", several(n, "state")),
        }
    }

    /// The keys that identify an instance.
    pub fn id_keys(&self, instance: &Instance) -> &[KeyId] {
        self.keys
            .get(usize::from(instance.alternative))
            .map_or(&[], |k| k)
    }

    /// The keys of each alternative id, in the order of `Instance::alternative`.
    pub fn alternatives(&self) -> &[Vec<KeyId>] {
        &self.keys
    }

    /// The keys and values that identify an instance, spelled.
    pub fn id(&self, snapshot: &Snapshot, instance: &Instance) -> Id {
        let keys = self.id_keys(instance).iter();
        keys.zip(instance.id.iter())
            .map(|(key, code)| (name(snapshot, *key), self.usual.text(snapshot, *key, *code)))
            .collect()
    }

    /// What names an instance among those of its run: the last value of its id, or all of them.
    pub fn number(&self, snapshot: &Snapshot, instance: &Instance) -> String {
        let keys = self.id_keys(instance).iter().zip(instance.id.iter());
        let within = self.entity.within.as_deref();
        let own = keys.filter(|(key, _)| Some(name(snapshot, **key).as_str()) != within);
        let mut values = own.map(|(key, code)| self.usual.text(snapshot, *key, *code));
        let joined = &self.entity.joined;
        let between = joined.get(usize::from(instance.alternative));
        match between.or(joined.first()) {
            Some(between) => values.collect::<Vec<_>>().join(between),
            None => values.next_back().unwrap_or_default(),
        }
    }

    /// Its events, in time order; a record that stands in several sources once. Who asks first, of any instance, waits for
    /// the lists of all.
    pub fn events(&self, instance: &Instance) -> &[u32] {
        self.membership.events(instance.number)
    }

    /// Each loss of each instance: one that was there again may be lost again.
    pub fn losses(&self) -> Vec<(&Instance, EventId)> {
        let all = self.list.iter();
        let mut out: Vec<(&Instance, EventId)> =
            all.clone().filter_map(|i| Some((i, i.lost?))).collect();
        if !self.regained.is_empty() {
            let of: FxHashMap<u32, &Instance> = all.map(|i| (i.number, i)).collect();
            let regained = self.regained.iter();
            out.extend(regained.filter_map(|(number, lost)| Some((*of.get(number)?, *lost))));
        }
        out
    }

    /// Notes which of its instances were given out at some events, in time order.
    pub fn note_given(&mut self, events: impl Iterator<Item = EventId>) {
        let mut given = FxHashMap::default();
        for event in events {
            self.membership.of(event, |number| {
                given.entry(number).or_insert(event);
            });
        }
        self.given = given;
    }

    /// The event at which an instance was given out, of which nobody tells that it began.
    pub fn given(&self, instance: &Instance) -> Option<EventId> {
        let given = self.given.get(&instance.number).copied();
        given.filter(|_| instance.start.is_none())
    }

    /// Makes the lists of all events, which else the first question for one would wait for.
    pub fn list_events(&self) {
        self.membership.list();
    }

    /// The number of its events.
    pub fn count(&self, instance: &Instance) -> usize {
        self.membership.count(instance.number)
    }

    /// What `f` knows of the first of its events of which it knows something, in time order.
    pub fn find_event<T>(
        &self,
        instance: &Instance,
        mut f: impl FnMut(EventId) -> Option<T>,
    ) -> Option<T> {
        // The first one says it nearly always, and is known without the lists.
        let first = instance.first.and_then(&mut f);
        let events = || self.events(instance).iter();
        first.or_else(|| events().find_map(|id| f(EventId(*id))))
    }

    /// For each instance whether one of its events fits.
    pub fn with_events(&self, mut fits: impl FnMut(EventId) -> bool) -> Vec<bool> {
        let mut out = vec![false; self.list.len()];
        self.each_event(|event, at| out[at] = out[at] || fits(event));
        out
    }

    /// Whether an event is one of its events.
    pub fn has(&self, instance: &Instance, event: EventId) -> bool {
        let mut has = false;
        self.membership
            .of(event, |number| has |= number == instance.number);
        has
    }

    /// Calls `f` with each one that an event is about: index into `list`.
    pub fn of_event(&self, event: EventId, mut f: impl FnMut(usize)) {
        self.membership.of(event, |number| {
            if let Some(at) = self.index.place(number) {
                f(at);
            }
        });
    }

    /// Calls `f` with each event and each instance, by its index into `list`, that it is one of: in the order of the files.
    pub fn each_event(&self, mut f: impl FnMut(EventId, usize)) {
        self.membership.each(|event, number| {
            if let Some(at) = self.index.place(number) {
                f(EventId(event), at);
            }
        });
    }

    /// Its changes of state, in time order.
    pub fn changes(&self, instance: &Instance) -> &[StateChange] {
        slice(&self.changes, instance.changes)
    }

    /// What it is, spelled.
    pub fn label(&self, snapshot: &Snapshot, instance: &Instance) -> Option<String> {
        let (key, code) = instance.label?;
        Some(self.usual.text(snapshot, key, code))
    }

    /// The last value of each of the keys that say where it runs (`place_keys`), `NONE` when unknown.
    pub fn place_codes(&self, instance: &Instance) -> &[Code] {
        let (at, keys) = (instance.number as usize, self.place_keys.len());
        let own = self.place_codes.get(at * keys..(at + 1) * keys);
        own.unwrap_or_default()
    }

    /// Where it runs, as far as known: key and value, from the outside in.
    pub fn places(&self, snapshot: &Snapshot, instance: &Instance) -> Vec<(String, String)> {
        let places = self.place_keys.iter().zip(self.place_codes(instance));
        places
            .filter(|(_, code)| **code != NONE)
            .map(|(key, code)| (name(snapshot, *key), self.usual.text(snapshot, *key, *code)))
            .collect()
    }

    /// The instances that an instance waits for, or waited for: indices into `list`, ascending.
    pub fn waits_for(&self, index: &IdIndex, instance: &Instance) -> Vec<usize> {
        let mut id = instance.id.to_vec();
        let mut out: Vec<usize> = Vec::new();
        for code in slice(&self.waits, instance.waits) {
            if let Some(last) = id.last_mut() {
                *last = *code;
            }
            out.extend(index.get(instance.alternative, &id));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// For looking instances up by their ids.
    pub fn index(&self) -> IdIndex {
        self.index.clone()
    }
}

fn slice<T>(all: &[T], (from, to): (u32, u32)) -> &[T] {
    all.get(from as usize..to as usize).unwrap_or_default()
}

fn name(snapshot: &Snapshot, key: KeyId) -> String {
    snapshot.catalog.keys.name(key).to_owned()
}
