//! Scan plan of an entity in a snapshot: the keys and conditions that the data has.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_query::{self as query, Expr, Selection};
use widetui_store::Snapshot;

use crate::entity::Entity;

/// What is to be known of instances, each more than the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// That there are such, and which events are about them.
    Events,
    /// From when to when, their states, how they start and end.
    Course,
    /// What they are called, where they run and whom they wait for.
    #[default]
    Whole,
}

/// A key that names other instances, and their own codes by spelling.
pub(super) type Other = (KeyId, FxHashMap<String, Code>);

/// Events that change the state of an entity without the key of its state.
#[derive(Debug)]
pub(super) struct Turn {
    pub events: Arc<Selection>,
    pub state: String,
    /// Only in these states; none: in all.
    pub from: Vec<String>,
    /// The key with the seconds after which it does so.
    pub after: Option<KeyId>,
    /// The key with the seconds before which it did so.
    pub before: Option<KeyId>,
}

/// Keys and conditions of an entity in a snapshot.
#[derive(Debug, Default)]
pub(super) struct EntityPlan {
    pub detail: Detail,
    /// The keys of each alternative id that the data has.
    pub ids: Vec<Vec<KeyId>>,
    pub labels: Vec<KeyId>,
    pub places: Vec<KeyId>,
    pub state: Option<KeyId>,
    /// Names the state that is left.
    pub left: Option<KeyId>,
    pub transitions: Vec<Turn>,
    /// Records that say that none is in a state any more, the key that names it, and what became of those that were.
    pub census: Option<(Arc<Selection>, KeyId, String)>,
    /// The events that name it; none: all that have the keys.
    pub only: Option<Arc<Selection>>,
    /// Each instance has one of these events; what has none was only announced.
    pub begun: Option<Arc<Selection>>,
    pub start: Option<Arc<Selection>>,
    pub start_else: Option<Arc<Selection>>,
    pub end_else: Option<Arc<Selection>>,
    pub end: Option<Arc<Selection>>,
    pub lost: Option<Arc<Selection>>,
    pub over: Option<Arc<Selection>>,
    pub back: Option<Arc<Selection>>,
    pub waits: Vec<Other>,
    pub awaited: Option<Other>,
    pub awaited_since: Option<Arc<Selection>>,
    /// Keys that must be a record's own for its instance to begin with it; none: any record may be the first.
    pub own: Vec<KeyId>,
}

/// Conditions that were evaluated: entities of one system often share them.
#[derive(Debug, Default)]
pub(super) struct Conditions<'e>(Vec<(&'e Expr, Arc<Selection>)>);

impl<'e> Conditions<'e> {
    /// `None` when cancelled.
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
    /// Of an entity; without ids when no event can name one. `None` when cancelled.
    pub fn new<'e>(
        snapshot: &Snapshot,
        entity: &'e Entity,
        detail: Detail,
        conditions: &mut Conditions<'e>,
        cancel: &Cancel,
    ) -> Option<EntityPlan> {
        let find = |name: &String| snapshot.catalog.keys.find(name);
        let mut plan = EntityPlan {
            detail,
            ..EntityPlan::default()
        };
        for id in &entity.id {
            let keys: Option<Vec<KeyId>> = id.iter().map(find).collect();
            plan.ids.extend(keys.filter(|k| !k.is_empty()));
        }
        if plan.ids.is_empty() {
            return Some(plan);
        }
        let mut events = |expr: &'e Expr| conditions.events(snapshot, expr, cancel);
        let mut optional = |expr: &'e Option<Expr>| match expr {
            None => Some(None),
            Some(expr) => events(expr).map(Some),
        };
        plan.only = optional(&entity.only)?;
        plan.begun = optional(&entity.begun)?.filter(|events| !events.is_empty());
        if detail == Detail::Events {
            return Some(plan);
        }
        if entity.is_carrier() {
            // What it carries out was there before: only later was it known where it would run.
            plan.own = plan
                .ids
                .iter()
                .filter_map(|id| id.last().copied())
                .collect();
        }
        plan.state = entity.state.as_ref().and_then(find);
        plan.left = entity.left.as_ref().and_then(find);
        plan.start = optional(&entity.start)?;
        plan.start_else = optional(&entity.start_else)?;
        plan.end_else = optional(&entity.end_else)?;
        plan.end = optional(&entity.end)?;
        plan.lost = optional(&entity.lost)?;
        plan.over = optional(&entity.over)?;
        plan.back = optional(&entity.back)?;
        for one in &entity.transitions {
            plan.transitions.push(Turn {
                events: events(&one.only)?,
                state: one.state.clone(),
                from: one.from.clone(),
                after: one.after.as_ref().and_then(find),
                before: one.before.as_ref().and_then(find),
            });
        }
        if let Some(rule) = &entity.census
            && let Some(state) = find(&rule.state)
        {
            plan.census = Some((events(&rule.only)?, state, rule.then.clone()));
        }
        if detail == Detail::Course {
            return Some(plan);
        }
        plan.awaited_since = match &entity.awaited_since {
            None => None,
            Some(expr) => Some(events(expr)?),
        };
        plan.labels = entity.label.iter().filter_map(find).collect();
        plan.places = entity.runs_in.iter().filter_map(find).collect();
        if let Some(own) = plan.ids[0].last() {
            let other = |key| (key, spellings(snapshot, *own, key));
            let waits = entity.waits_for.iter().filter_map(find);
            plan.waits = waits.map(other).collect();
            plan.awaited = entity.awaited_by.as_ref().and_then(find).map(other);
        }
        Some(plan)
    }

    /// Keys whose values are shown.
    pub fn named(&self) -> impl Iterator<Item = &KeyId> {
        let ids = self.ids.iter().flatten();
        let others = self.labels.iter().chain(&self.places);
        ids.chain(others).chain(&self.state)
    }

    /// All keys that are looked at.
    pub fn keys(&self) -> impl Iterator<Item = &KeyId> {
        let others = self.waits.iter().chain(&self.awaited);
        self.named().chain(others.map(|w| &w.0))
    }

    /// For each alternative whether its instances count, when these alternatives occur: an id that is only part of a
    /// longer one says nothing where the longer one is known.
    pub fn counting(&self, occurs: &[bool]) -> Vec<bool> {
        let counts = |(at, keys): (usize, &Vec<KeyId>)| {
            let mut longer = self.ids[..at].iter().enumerate();
            !longer.any(|(other, of)| {
                let is_part = of.len() > keys.len() && keys.iter().all(|k| of.contains(k));
                is_part && occurs.get(other).copied().unwrap_or(false)
            })
        };
        self.ids.iter().enumerate().map(counts).collect()
    }
}

/// Codes of one key by the canonical spelling, for the values of another; only where the codes themselves differ.
fn spellings(snapshot: &Snapshot, own: KeyId, other: KeyId) -> FxHashMap<String, Code> {
    let (Some(own), Some(other)) = (
        snapshot.catalog.keys.get(own),
        snapshot.catalog.keys.get(other),
    ) else {
        return FxHashMap::default();
    };
    if other.dict.is_empty() {
        return FxHashMap::default();
    }
    let form = |text: &str| {
        own.key
            .kind
            .canonical(text)
            .unwrap_or_else(|| text.to_owned())
    };
    own.dict
        .iter()
        .map(|(code, text)| (form(text), own.dict.canonical(code)))
        .collect()
}
