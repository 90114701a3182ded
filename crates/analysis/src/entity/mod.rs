//! Entities: kinds of objects of a system (task, worker, block), and their instances found in the
//! events.
//!
//! ```text
//! Entity (from a definition) + Snapshot (with derived values) ──scan──> Instances: list, events of each, state changes
//! ```

mod all_instances;
mod assemble;
mod duration_key;
mod extent;
mod ids;
mod key_numbers;
mod marks;
mod members;
mod membership;
mod named_values;
pub mod names;
mod outcome;
mod plan;
mod scan;
mod segment;
mod segment_instances;
mod shared_columns;
mod spec;
mod standing;
mod state_counts;
mod state_names;
mod transition_order;
mod waits;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::several;
use widetui_store::Snapshot;
use widetui_store::key_column::UsualSpellings;

use membership::{EventLists, Membership};
use names::DistinguishingParts;

pub use all_instances::{AllInstances, Earlier};
pub use ids::IdIndex;
pub use outcome::Outcome;
pub use scan::{scan, scan_all};
pub use spec::{Entity, LogKinds, from_definition};
pub(crate) use standing::Execution;
pub use standing::{InstanceEnd, Standing, has_begun, has_ended, standings};
pub use state_names::OTHER_STATES;

/// Keys and values that identify an instance, as text.
pub type Id = Vec<(String, String)>;

/// Instance of an entity, such as task 24.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Values of the identifying keys, see `Instances::id_keys`.
    pub id: Box<[Code]>,
    /// Index of the entity's alternative id.
    pub alternative: u8,
    /// Times of the first and last event, UTC ns; `None` if no event has a time, or the scan did
    /// not collect times.
    pub range: Option<(i64, i64)>,
    /// Key and value of the label: the first label key of the entity that the events state.
    pub label: Option<(KeyId, Code)>,
    /// Times of the first and last event that state the id themselves, UTC ns; only for resources.
    pub stated_range: Option<(i64, i64)>,
    /// Event of the start, by the entity's `start` condition.
    pub start: Option<EventId>,
    /// First event of the end, by the entity's `end` condition.
    pub end: Option<EventId>,
    /// First event by which the owner reports a loss; after a return (`Entity::returned`), the loss that
    /// followed it.
    pub lost: Option<EventId>,
    /// First event that makes the instance obsolete, whatever its outcome (the entity's `obsolete`
    /// condition).
    pub obsolete: Option<EventId>,
    /// Number of the id among those of the entity.
    number: u32,
    first: Option<EventId>,
    changes: (u32, u32),
    dependencies: (u32, u32),
}

/// State change of an instance as stated by one reporter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateChange {
    /// Time of the change, UTC ns; `NO_TIME` for a fact without a time.
    pub time: i64,
    /// Event that states the change.
    pub event: EventId,
    /// New state, as an index into `Instances::states`.
    pub state: u16,
    /// Reporter of the change, as an index into `Instances::reporters`.
    pub reporter: u16,
}

/// All instances of an entity in a snapshot.
#[derive(Clone, Debug, Default)]
pub struct Instances {
    /// Entity of the instances.
    pub entity: Arc<Entity>,
    /// Instances in the order of their first event; those without a time come last.
    pub list: Vec<Instance>,
    /// Names of the states: those of the definition in its order, then others as met.
    pub states: Vec<String>,
    /// Number of further states, which are merged into the last one, `OTHER_STATES`.
    pub other_states: usize,
    /// Kinds of sources that report states, most trusted first.
    pub reporters: Vec<String>,
    /// Keys of the places where instances run, outermost first; only keys that occur.
    pub place_keys: Vec<KeyId>,
    /// Last value of each place key, by instance number.
    place_codes: Vec<Code>,
    /// Number of events with the last key of the id whose instance cannot be decided.
    pub undecided_events: u64,
    /// Number of instances that others name as waiting and that have no event of their own.
    pub absent_dependents: usize,
    usual: UsualSpellings,
    keys: Vec<Vec<KeyId>>,
    membership: Arc<Membership>,
    changes: Vec<StateChange>,
    dependency_codes: Vec<Code>,
    /// Losses of instances that returned later, by instance number.
    returned_losses: Vec<(u32, EventId)>,
    /// First event at which an instance was assigned to an executor, by instance number; only for
    /// entities that stand in for work items.
    assigned_event: FxHashMap<u32, EventId>,
    index: IdIndex,
    cached_distinguishing_parts: OnceLock<DistinguishingParts>,
    /// Properties of each state, computed on first use.
    cached_state_properties: OnceLock<Vec<standing::StateProperties>>,
}

impl Instances {
    /// No instances.
    pub fn empty(entity: &Arc<Entity>) -> Instances {
        Instances {
            entity: entity.clone(),
            ..Instances::default()
        }
    }

    /// Note for the user that rare states are merged; empty if none are.
    pub fn states_note(&self) -> String {
        match self.other_states {
            0 => String::new(),
            n => format!(
                "{} counted as `{OTHER_STATES}`",
                several(n, "further state")
            ),
        }
    }

    /// Keys that identify an instance.
    pub fn id_keys(&self, instance: &Instance) -> &[KeyId] {
        self.keys
            .get(usize::from(instance.alternative))
            .map_or(&[], |k| k)
    }

    /// Keys of each alternative id, in the order of `Instance::alternative`.
    pub fn alternatives(&self) -> &[Vec<KeyId>] {
        &self.keys
    }

    /// Keys and values that identify an instance, as text.
    pub fn id(&self, snapshot: &Snapshot, instance: &Instance) -> Id {
        let keys = self.id_keys(instance).iter();
        keys.zip(instance.id.iter())
            .map(|(key, code)| {
                (
                    key_name(snapshot, *key),
                    self.value_text(snapshot, *key, *code),
                )
            })
            .collect()
    }

    /// Usual spelling of a value of an id.
    fn value_text(&self, snapshot: &Snapshot, key: KeyId, code: Code) -> String {
        self.usual.text(snapshot, key, code)
    }

    /// Events of an instance in time order, without duplicate records. The first call builds the
    /// lists of all instances.
    pub fn events(&self, instance: &Instance) -> &[u32] {
        self.membership.events(instance.number)
    }

    /// Last events of an instance, at most `most`, latest first.
    pub fn last_events(&self, instance: &Instance, most: usize) -> Vec<u32> {
        self.membership.last_events(instance.number, most)
    }

    /// Events of all instances for one pass over them. Unlike [`Instances::events`], it keeps no lists afterwards.
    pub fn temporary_events(&self) -> InstanceEvents<'_> {
        InstanceEvents {
            lists: self.membership.temporary_lists(),
        }
    }

    /// All losses of instances; an instance that returned may be lost several times.
    pub fn losses(&self) -> Vec<(&Instance, EventId)> {
        let all = self.list.iter();
        let mut out: Vec<(&Instance, EventId)> =
            all.clone().filter_map(|i| Some((i, i.lost?))).collect();
        if !self.returned_losses.is_empty() {
            let of: FxHashMap<u32, &Instance> = all.map(|i| (i.number, i)).collect();
            let regained = self.returned_losses.iter();
            out.extend(regained.filter_map(|(number, lost)| Some((*of.get(number)?, *lost))));
        }
        out
    }

    /// Stores the first event at which each instance was assigned, given events in time order.
    pub(crate) fn set_assigned(&mut self, events: impl Iterator<Item = EventId>) {
        let mut given = FxHashMap::default();
        for event in events {
            self.membership.for_each_instance(event, |number| {
                given.entry(number).or_insert(event);
            });
        }
        self.assigned_event = given;
    }

    /// Event at which an instance without a reported start was assigned.
    pub fn assigned_event(&self, instance: &Instance) -> Option<EventId> {
        let given = self.assigned_event.get(&instance.number).copied();
        given.filter(|_| instance.start.is_none())
    }

    /// Builds the lists of events of all instances ahead of the first call that needs them.
    pub fn build_event_lists(&self) {
        self.membership.event_lists();
    }

    /// Number of events of an instance.
    pub fn event_count(&self, instance: &Instance) -> usize {
        self.membership.count(instance.number)
    }

    /// First `Some` that `f` returns for the events of an instance in time order.
    pub fn find_event<T>(
        &self,
        instance: &Instance,
        mut f: impl FnMut(EventId) -> Option<T>,
    ) -> Option<T> {
        // The first event usually suffices, and needs no lists.
        let first = instance.first.and_then(&mut f);
        let events = || self.events(instance).iter();
        first.or_else(|| events().find_map(|id| f(EventId(*id))))
    }

    /// Whether each instance has an event that satisfies `fits`.
    pub fn having_event(&self, mut fits: impl FnMut(EventId) -> bool) -> Vec<bool> {
        let mut out = vec![false; self.list.len()];
        self.for_each_event(|event, at| out[at] = out[at] || fits(event));
        out
    }

    /// Whether an event belongs to an instance.
    pub fn has_event(&self, instance: &Instance, event: EventId) -> bool {
        self.membership.has_event(instance.number, event)
    }

    /// Calls `f` with each instance of an event, as an index into `list`.
    pub fn for_each_of_event(&self, event: EventId, mut f: impl FnMut(usize)) {
        self.membership.for_each_instance(event, |number| {
            if let Some(at) = self.index.list_index(number) {
                f(at);
            }
        });
    }

    /// Calls `f` with each event and each of its instances (index into `list`), in file order.
    pub fn for_each_event(&self, mut f: impl FnMut(EventId, usize)) {
        self.membership.for_each_pair(|event, number| {
            if let Some(at) = self.index.list_index(number) {
                f(EventId(event), at);
            }
        });
    }

    /// State changes of an instance in time order, from all reporters.
    pub fn changes(&self, instance: &Instance) -> &[StateChange] {
        slice(&self.changes, instance.changes)
    }

    /// Text of the label of an instance.
    pub fn label(&self, snapshot: &Snapshot, instance: &Instance) -> Option<String> {
        let (key, code) = instance.label?;
        Some(self.usual.text(snapshot, key, code))
    }

    /// Last value of each of `place_keys` for an instance; `NONE` if unknown.
    pub fn place_codes(&self, instance: &Instance) -> &[Code] {
        let (at, keys) = (instance.number as usize, self.place_keys.len());
        let own = self.place_codes.get(at * keys..(at + 1) * keys);
        own.unwrap_or_default()
    }

    /// Places where an instance runs, as far as known: keys and values, outermost first.
    pub fn places(&self, snapshot: &Snapshot, instance: &Instance) -> Vec<(String, String)> {
        let places = self.place_keys.iter().zip(self.place_codes(instance));
        places
            .filter(|(_, code)| **code != NONE)
            .map(|(key, code)| {
                (
                    key_name(snapshot, *key),
                    self.usual.text(snapshot, *key, *code),
                )
            })
            .collect()
    }

    /// Dependencies of an instance: indices into `list`, ascending.
    pub fn dependencies(&self, index: &IdIndex, instance: &Instance) -> Vec<usize> {
        let mut id = instance.id.to_vec();
        let mut out: Vec<usize> = Vec::new();
        for code in slice(&self.dependency_codes, instance.dependencies) {
            if let Some(last) = id.last_mut() {
                *last = *code;
            }
            out.extend(index.get(instance.alternative, &id));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Index of the instances by id.
    pub fn index(&self) -> IdIndex {
        self.index.clone()
    }
}

/// Events of the instances of an entity.
#[derive(Debug)]
pub struct InstanceEvents<'a> {
    lists: Cow<'a, EventLists>,
}

impl InstanceEvents<'_> {
    /// Events of an instance in time order, without duplicate records.
    pub fn of(&self, instance: &Instance) -> &[u32] {
        self.lists.events(instance.number)
    }
}

/// Subslice of a range, empty if out of bounds.
fn slice<T>(all: &[T], (from, to): (u32, u32)) -> &[T] {
    all.get(from as usize..to as usize).unwrap_or_default()
}

/// Name of a key.
fn key_name(snapshot: &Snapshot, key: KeyId) -> String {
    snapshot.catalog.keys.name(key).to_owned()
}
