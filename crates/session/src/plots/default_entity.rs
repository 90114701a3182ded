//! Choice of the entity for a view if the user named none, and names of its instances.

use std::ops::Deref;
use std::sync::Arc;

use crate::instances::{InstanceCache, InstanceHandle, InstancePosition, SnapshotInstances};
use crate::selection::{SelectionStep, StepEffect};
use widetui_analysis::entity::{Id, Instance};
use widetui_analysis::{Entity, Instances};
use widetui_core::ids::EventId;
use widetui_definition::semantics::EntityRole;
use widetui_query::{Expr, Field};
use widetui_store::Snapshot;

/// Instances of one entity in a snapshot.
#[derive(Clone, Debug)]
pub struct EntityInstances {
    snapshot: Arc<Snapshot>,
    instance_cache: InstanceCache,
    seen: Arc<SnapshotInstances>,
    at: usize,
}

impl PartialEq for EntityInstances {
    fn eq(&self, other: &EntityInstances) -> bool {
        Arc::ptr_eq(&self.seen, &other.seen) && self.at == other.at
    }
}

impl Eq for EntityInstances {}

impl Deref for EntityInstances {
    type Target = Instances;

    fn deref(&self) -> &Instances {
        &self.seen.found.occurring[self.at]
    }
}

impl EntityInstances {
    /// Returns the instances of the named entity, or of the first suitable one in the order of `wanted`: entities with
    /// the wanted data for at least half of their instances precede those with data for some, which precede all others.
    /// `None` if there are none.
    pub(super) fn find(
        snapshot: &Snapshot,
        (instance_cache, seen): (&InstanceCache, &Arc<SnapshotInstances>),
        name: Option<&str>,
        wanted: Aspect,
    ) -> Option<EntityInstances> {
        let entity = match name {
            Some(name) => seen.of_entity(name)?.0,
            None => {
                let all = seen.found.occurring.iter().enumerate();
                let ranked = all.map(|(at, i)| (wanted.rank(&i.entity), at));
                let mut ranked: Vec<(u8, usize)> = ranked.filter(|r| r.0 > 0).collect();
                ranked.sort_unstable();
                let all = &seen.found.occurring;
                let share = |r: &(u8, usize)| wanted.share_with_data(snapshot, &all[r.1]);
                let most = |r: &&(u8, usize)| share(r) >= 0.5;
                let some = |r: &&(u8, usize)| share(r) > 0.0;
                let (most, some) = (ranked.iter().find(most), ranked.iter().find(some));
                most.or(some).or(ranked.first())?.1
            }
        };
        Some(EntityInstances {
            snapshot: Arc::new(snapshot.clone()),
            instance_cache: instance_cache.clone(),
            seen: seen.clone(),
            at: entity,
        })
    }

    /// Snapshot of the instances.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns the display name of an instance: `task 24`, `task 24 try 0`; with its run if another run has one of the same
    /// name: `task 24 of 001`.
    pub fn title(&self, instance: &Instance) -> String {
        let found: &Instances = self;
        let title = found.title(&self.snapshot, instance);
        if !self.seen.has_namesake(self.at, instance) {
            return title;
        }
        match self.outer_name(instance) {
            Some(run) => format!("{title} of {run}"),
            None => title,
        }
    }

    /// Returns the name of the run, or of another enclosing instance, that an id begins with: its label, else its value.
    pub fn outer_name(&self, instance: &Instance) -> Option<String> {
        let (key, value) = self.id(&self.snapshot, instance).into_iter().next()?;
        let label = self.seen.label_of(&self.snapshot, &key, &value);
        label.or(Some(value))
    }

    /// Returns the instance with an index into `Instances::list`.
    pub fn handle(&self, instance: usize) -> Option<InstanceHandle> {
        let at = InstancePosition {
            entity: self.at,
            instance,
        };
        InstanceHandle::new(&self.instance_cache, &self.snapshot, &self.seen, at)
    }

    /// True if the instance with an index into `Instances::list` is one of `ids`, or a part of one, as a try of a task.
    pub fn is_part_of(&self, instance: usize, ids: &[&Id]) -> bool {
        let own = self.handle(instance).map(|handle| handle.id);
        let has = |id: &&Id| {
            own.iter()
                .any(|own| id.iter().all(|pair| own.contains(pair)))
        };
        ids.iter().any(has)
    }

    /// Returns the step that selects the records of an instance: index into `Instances::list`.
    pub fn step(&self, instance: usize) -> Option<SelectionStep> {
        let handle = self.handle(instance)?;
        Some(SelectionStep {
            label: self.title(self.list.get(instance)?),
            expr: handle.expr(),
            instance: Some((handle, StepEffect::Keep)),
            records: None,
        })
    }
}

/// Several instances of one entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceSet {
    /// All instances of the entity.
    pub of: EntityInstances,
    /// Indices into `Instances::list`.
    pub members: Vec<usize>,
    /// Label of the step that selects their records.
    pub label: String,
}

impl InstanceSet {
    /// Returns the step that selects the records of the instances.
    pub fn step(&self) -> SelectionStep {
        if let [one] = self.members[..]
            && let Some(step) = self.of.step(one)
        {
            return step;
        }
        let instances = self.members.iter().filter_map(|at| self.of.list.get(*at));
        let events = instances.flat_map(|one| self.of.events(one));
        let events: Vec<EventId> = events.copied().map(EventId).collect();
        SelectionStep::of_records(&*self.label, &self.of.snapshot, &events)
    }
}

/// Data of instances that a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aspect {
    /// States.
    States,
    /// Starts and ends.
    Lengths,
    /// Records.
    Steps,
    /// Dependencies on other instances.
    Dependencies,
}

impl Aspect {
    /// Rank of an entity, lowest first; 0 excludes it.
    fn rank(self, entity: &Entity) -> u8 {
        match self {
            Aspect::States => with_states(entity),
            Aspect::Lengths => with_length(entity),
            Aspect::Steps => goals(entity),
            Aspect::Dependencies => match (entity.is_work_item(), entity.has_dependencies()) {
                (true, true) => 1,
                (true, false) => 2,
                (false, _) => 0,
            },
        }
    }

    /// Share of the instances for which the data exists.
    fn share_with_data(self, snapshot: &Snapshot, found: &Instances) -> f64 {
        let index = (self == Aspect::Dependencies).then(|| found.index());
        let is_told = |i: &&Instance| match self {
            Aspect::States => !found.changes(i).is_empty(),
            Aspect::Lengths => found.standing(snapshot, i).start.is_some(),
            Aspect::Steps => true,
            Aspect::Dependencies => {
                { index.as_ref() }.is_some_and(|index| !found.dependencies(index, i).is_empty())
            }
        };
        let told = found.list.iter().filter(is_told).count();
        told as f64 / found.list.len().max(1) as f64
    }
}

/// Ranks work items first.
fn goals(entity: &Entity) -> u8 {
    match (entity.is_work_item(), entity.can_end()) {
        (true, true) => 1,
        (true, false) => 2,
        (false, true) => 3,
        (false, false) => 4,
    }
}

/// Ranks entities with states.
fn with_states(entity: &Entity) -> u8 {
    let has = entity.state_key.is_some() || !entity.transitions.is_empty();
    if has { goals(entity) } else { 0 }
}

/// Ranks entities with a declared start, end and place first, such as the executions of tasks, then others that can end.
fn with_length(entity: &Entity) -> u8 {
    let is_execution = entity.role == EntityRole::Plain && entity.can_end();
    let is_said = entity.start.is_some() && (entity.end.is_some() || is_execution);
    match (is_said && !entity.place_keys.is_empty(), entity.can_end()) {
        (true, _) => 1,
        (false, true) => 1 + goals(entity),
        (false, false) => 0,
    }
}

/// Creates a step that selects records with these keys and values.
pub fn ids_step(label: String, id: &[(String, String)]) -> SelectionStep {
    let equals = id
        .iter()
        .map(|(key, value)| Expr::equals(Field::Key(key.clone()), value.as_str()));
    SelectionStep {
        label,
        expr: Expr::all_of(equals),
        instance: None,
        records: None,
    }
}
