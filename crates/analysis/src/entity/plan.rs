//! Scan plan of an entity in a snapshot: keys and conditions that occur in the data.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_query::{self as query, Expr, Selection};
use widetui_store::Snapshot;

use crate::entity::Entity;
use crate::entity::duration_key::FoundDurationKey;

/// Kind of a mark of an instance at an event, in the order for marks of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InstanceMark {
    State(Code),
    Transition(u16),
    Start,
    AlternativeStart,
    Begun,
    End,
    AlternativeEnd,
    Lost,
    Obsolete,
    Returned,
    /// Dependency: index of the key, and its value.
    DependsOn(u8, Code),
    AwaitedBy(Code),
}

/// Key that names other instances, with the codes of the id's last key by spelling.
pub(super) type InstanceKey = (KeyId, FxHashMap<String, Code>);

/// State transition by events that lack the key of the state.
#[derive(Debug)]
pub(super) struct PlannedTransition {
    /// Events of the transition.
    pub(crate) events: Arc<Selection>,
    /// State that the transition enters.
    pub(crate) state: String,
    /// Required previous states; empty for any.
    pub(crate) previous_states: Vec<String>,
    /// Key with the delay of the transition after the event.
    pub(crate) delay_key: Option<FoundDurationKey>,
    /// Key with the time from the transition to the event.
    pub(crate) lead_key: Option<FoundDurationKey>,
}

/// Keys and conditions of an entity in a snapshot.
#[derive(Debug, Default)]
pub(super) struct EntityPlan {
    /// Keys of each alternative id that occurs.
    pub(crate) ids: Vec<Vec<KeyId>>,
    /// Keys of ids that are scopes of the others: records that lack them are about instances of their own.
    scope_keys: Vec<KeyId>,
    /// Label keys that occur.
    pub(crate) labels: Vec<KeyId>,
    /// Place keys that occur, outermost first.
    pub(crate) places: Vec<KeyId>,
    /// Key that names the new state.
    pub(crate) state: Option<KeyId>,
    /// Key that names the previous state.
    pub(crate) previous_state: Option<KeyId>,
    /// State transitions by events that lack the key of the state.
    pub(crate) transitions: Vec<PlannedTransition>,
    /// Records stating that no instance is left in a state: the records, the key that names the
    /// state, and the state that such instances are in afterwards.
    pub(crate) state_counts: Option<(Arc<Selection>, KeyId, String)>,
    /// Events that identify an instance; `None` for all with the keys of an id.
    pub(crate) condition: Option<Arc<Selection>>,
    /// Events that begin, start or end an instance, each with its mark.
    pub(crate) moments: Vec<(InstanceMark, Arc<Selection>)>,
    /// Keys that name the dependencies of an instance.
    pub(crate) dependencies: Vec<InstanceKey>,
    /// Key that names the instance that waits for this one.
    pub(crate) awaited_by: Option<InstanceKey>,
    /// Keys that a record must state itself to begin its instance; empty if any record may be the
    /// first.
    pub(crate) stated_keys: Vec<KeyId>,
}

/// Cache of evaluated conditions: entities of one system often share them.
#[derive(Debug, Default)]
pub(super) struct ConditionCache<'e>(Vec<(&'e Expr, Arc<Selection>)>);

impl<'e> ConditionCache<'e> {
    /// Evaluates a condition or returns the cached result; `None` when cancelled.
    fn events(
        &mut self,
        snapshot: &Snapshot,
        expr: &'e Expr,
        cancel: &Cancel,
    ) -> Option<Arc<Selection>> {
        if let Some((_, known)) = self.0.iter().find(|(e, _)| *e == expr) {
            return Some(known.clone());
        }
        let found = Arc::new(query::select(snapshot, expr, cancel)?);
        self.0.push((expr, found.clone()));
        Some(found)
    }
}

impl EntityPlan {
    /// Creates the plan of an entity; without ids if no event can identify an instance. `None` when
    /// cancelled.
    pub(crate) fn new<'e>(
        snapshot: &Snapshot,
        entity: &'e Entity,
        conditions: &mut ConditionCache<'e>,
        cancel: &Cancel,
    ) -> Option<EntityPlan> {
        let find = |name: &String| snapshot.catalog.keys.find(name);
        let mut plan = EntityPlan::default();
        // A scope is part of an id where one value is the id of several instances.
        let is_split = |key: &KeyId| {
            let mut joins = snapshot.derived.joins.iter();
            joins.any(|join| join.is_split && *join.by == [*key])
        };
        plan.scope_keys = { entity.scope_keys.iter() }
            .filter(|key| Some(*key) != entity.run_key.as_ref())
            .filter_map(find)
            .collect();
        for id in &entity.id {
            let keys: Option<Vec<KeyId>> = id.iter().map(find).collect();
            let is_scoped =
                |k: &Vec<KeyId>| k.first().is_some_and(|key| plan.scope_keys.contains(key));
            let is_of_use = |k: &Vec<KeyId>| !is_scoped(k) || k.get(1).is_some_and(is_split);
            plan.ids
                .extend(keys.filter(|k| !k.is_empty() && is_of_use(k)));
        }
        if plan.ids.is_empty() {
            return Some(plan);
        }
        let mut events = |expr: &'e Expr| conditions.events(snapshot, expr, cancel);
        if let Some(only) = &entity.condition {
            plan.condition = Some(events(only)?);
        }
        let moments = [
            (InstanceMark::Begun, &entity.begun),
            (InstanceMark::Start, &entity.start),
            (InstanceMark::End, &entity.end),
            (InstanceMark::AlternativeStart, &entity.alternative_start),
            (InstanceMark::AlternativeEnd, &entity.alternative_end),
            (InstanceMark::Lost, &entity.lost),
            (InstanceMark::Obsolete, &entity.obsolete),
            (InstanceMark::Returned, &entity.returned),
        ];
        for (mark, expr) in moments {
            if let Some(expr) = expr {
                plan.moments.push((mark, events(expr)?));
            }
        }
        let is_idle = |(mark, events): &(InstanceMark, Arc<Selection>)| {
            *mark == InstanceMark::Begun && events.is_empty()
        };
        plan.moments.retain(|moment| !is_idle(moment));
        if entity.is_resource() {
            // Records of work precede the resource: they receive its id by a join once the resource
            // is known.
            plan.stated_keys = plan
                .ids
                .iter()
                .filter_map(|id| id.last().copied())
                .collect();
        }
        plan.state = entity.state_key.as_ref().and_then(find);
        plan.previous_state = entity.previous_state_key.as_ref().and_then(find);
        for one in &entity.transitions {
            plan.transitions.push(PlannedTransition {
                events: events(&one.condition)?,
                state: one.state.clone(),
                previous_states: one.previous_states.clone(),
                delay_key: one.delay_key.as_ref().and_then(|key| key.find(snapshot)),
                lead_key: one.lead_key.as_ref().and_then(|key| key.find(snapshot)),
            });
        }
        let names_states = |key: &KeyId| {
            let view = snapshot.catalog.keys.get(*key);
            view.is_some_and(|view| {
                let mut names = view.dict.iter().peekable();
                names.peek().is_some()
                    && names.all(|(_, name)| entity.states.iter().any(|s| s == name))
            })
        };
        for rule in &entity.state_counts {
            let key = find(&rule.state_key).filter(names_states);
            if let Some((key, next_state)) = key.zip(entity.neutral_states.first()) {
                plan.state_counts = Some((events(&rule.condition)?, key, next_state.clone()));
            }
        }
        plan.labels = entity.label_keys.iter().filter_map(find).collect();
        plan.places = entity.place_keys.iter().filter_map(find).collect();
        if let Some(id_key) = plan.ids[0].last() {
            let other_key = |key| (key, spellings(snapshot, *id_key, key));
            let waits = entity.dependency_keys.iter().filter_map(find);
            plan.dependencies = waits.map(other_key).collect();
            plan.awaited_by = entity.dependent_key.as_ref().and_then(find).map(other_key);
        }
        Some(plan)
    }

    /// Keys whose values are shown to the user.
    pub(crate) fn shown_keys(&self) -> impl Iterator<Item = &KeyId> {
        let ids = self.ids.iter().flatten();
        let others = self.labels.iter().chain(&self.places);
        ids.chain(others).chain(&self.state)
    }

    /// All keys that the scan reads.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyId> {
        let others = self.dependencies.iter().chain(&self.awaited_by);
        self.shown_keys().chain(others.map(|w| &w.0))
    }

    /// Whether the instances of each alternative id count, given which alternatives occur: an id
    /// that is part of a longer one does not count if the longer one occurs.
    pub(crate) fn counted_alternatives(&self, occurs: &[bool]) -> Vec<bool> {
        let counts = |(at, keys): (usize, &Vec<KeyId>)| {
            let mut longer = self.ids[..at].iter().enumerate();
            !longer.any(|(index, of)| {
                let is_part = of.len() > keys.len() && keys.iter().all(|k| of.contains(k));
                let is_scoped = of.first().is_some_and(|key| self.scope_keys.contains(key));
                is_part && !is_scoped && occurs.get(index).copied().unwrap_or(false)
            })
        };
        self.ids.iter().enumerate().map(counts).collect()
    }
}

/// Codes of `id_key` by canonical spelling, to translate values of `other_key`; empty if both keys share
/// their codes.
fn spellings(snapshot: &Snapshot, id_key: KeyId, other_key: KeyId) -> FxHashMap<String, Code> {
    let (Some(id_key), Some(other_key)) = (
        snapshot.catalog.keys.get(id_key),
        snapshot.catalog.keys.get(other_key),
    ) else {
        return FxHashMap::default();
    };
    if other_key.dict.is_empty() {
        return FxHashMap::default();
    }
    let form = |text: &str| {
        id_key
            .key
            .kind
            .canonical(text)
            .unwrap_or_else(|| text.to_owned())
    };
    id_key
        .dict
        .iter()
        .map(|(code, text)| (form(text), id_key.dict.canonical(code)))
        .collect()
}
