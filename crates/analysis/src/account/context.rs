//! Surroundings of the instances of an entity: their parts, and the resources that run them.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Instances;
use crate::entity::{Entity, IdIndex, Instance, InstanceEnd, Standing, scan_all};
use crate::resources::{Resources, resources_of};
use crate::runs::RunEnds;
use crate::states::ReporterChoice;
use crate::step_function::{StepFunction, interval_changes};
use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

/// Parts, dependencies and resources of the instances of an entity, as needed for time accounts.
#[derive(Debug)]
pub struct AccountContext {
    /// Spans of the parts of each instance, ordered by start.
    pub(super) part_spans: Vec<Vec<PartSpan>>,
    /// Instances of each entity whose instances are parts.
    pub(super) parts: Vec<Instances>,
    /// Resources that run the instances, outermost first.
    pub(super) resources: Vec<Resources>,
    /// States of each resource by kind: (time in UTC ns, index of the state).
    pub(super) resource_states: Vec<Vec<Vec<(i64, u16)>>>,
    /// Times in which the innermost resources run an instance: 1, else 0.
    pub(super) busy_times: FxHashMap<usize, StepFunction>,
    /// Index of the instances by id.
    pub(super) index: IdIndex,
    /// End of each instance, or of the data of its run, UTC ns.
    ends: Vec<i64>,
    /// True for each instance that failed.
    failed: Vec<bool>,
    /// Instances without an end of their own that ended with the whole that they are a part of.
    ended_parts: FxHashSet<usize>,
}

/// Span of a part of an instance: kind (index into `AccountContext::parts`) and index into its
/// instances; times in UTC ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartSpan {
    pub start: i64,
    pub end: i64,
    pub kind: usize,
    pub index: usize,
}

impl AccountContext {
    /// Finds the parts and resources of the instances of an entity. `None` when cancelled.
    pub fn new(
        snapshot: &Snapshot,
        instances: &Instances,
        entities: &[Arc<Entity>],
        cancel: &Cancel,
    ) -> Option<AccountContext> {
        // One pass over the data finds resources and parts.
        let resource_entities = resources_of(&instances.entity, entities);
        let first_part = resource_entities.len();
        let parts: Vec<&Arc<Entity>> = { entities.iter() }
            .filter(|e| is_part(e, &instances.entity))
            .collect();
        let first_whole = parts.len();
        let wholes = entities.iter().filter(|e| is_part(&instances.entity, e));
        let wanted = resource_entities.into_iter().chain(parts).chain(wholes);
        let wanted: Vec<Arc<Entity>> = wanted.cloned().collect();
        let mut found = scan_all(snapshot, &wanted, &[], cancel)?;
        let mut parts = found.split_off(first_part);
        let wholes = parts.split_off(first_whole);
        let mut out = AccountContext {
            part_spans: vec![Vec::new(); instances.list.len()],
            parts: Vec::new(),
            resources: Resources::from_kinds(snapshot, found),
            resource_states: Vec::new(),
            busy_times: FxHashMap::default(),
            index: instances.index(),
            ends: Vec::new(),
            failed: Vec::new(),
            ended_parts: FxHashSet::default(),
        };
        for resources in &out.resources {
            let found = &resources.instances;
            let states = found.list.iter().map(|i| timed_states(found, i));
            out.resource_states.push(states.collect());
        }
        let entities = parts.iter().map(|part| &part.entity);
        let run_ends = RunEnds::of(snapshot, entities.chain([&instances.entity]), cancel)?;
        let end = |i: &Instance| {
            let standing = instances.standing(snapshot, i);
            let end = instances.end_time(&standing);
            let end = end.unwrap_or_else(|| run_ends.end_for_instance(snapshot, instances, i));
            (end, instances.has_failed(i, &standing))
        };
        (out.ends, out.failed) = instances.list.iter().map(end).unzip();
        for whole in &wholes {
            out.end_with(snapshot, instances, whole);
        }
        let mut keys: FxHashMap<u8, Vec<KeyId>> = FxHashMap::default();
        for instance in &instances.list {
            let known = keys.entry(instance.alternative);
            known.or_insert_with(|| instances.id_keys(instance).to_vec());
        }
        for found in parts {
            out.add_parts(snapshot, found, &keys, &run_ends);
        }
        out.part_spans
            .iter_mut()
            .for_each(|p| p.sort_by_key(|p| (p.start, p.end)));
        Some(out)
    }

    /// End of an instance, or of the data of its run if it has not ended, UTC ns.
    pub(crate) fn end_of(&self, at: usize) -> i64 {
        self.ends.get(at).copied().unwrap_or_default()
    }

    /// True if an instance failed.
    pub(super) fn has_failed(&self, at: usize) -> bool {
        self.failed.get(at).copied().unwrap_or_default()
    }

    /// True if an instance has an end, or is a part of one that has.
    pub(crate) fn has_ended(&self, instances: &Instances, standing: &Standing, at: usize) -> bool {
        !instances.is_unfinished(standing) || self.ended_parts.contains(&at)
    }

    /// Ends instances without an end of their own with the whole that they are a part of.
    fn end_with(&mut self, snapshot: &Snapshot, instances: &Instances, whole: &Instances) {
        let index = whole.index();
        let mut ids: FxHashMap<u8, Vec<KeyId>> = FxHashMap::default();
        for one in &whole.list {
            let known = ids.entry(one.alternative);
            known.or_insert_with(|| whole.id_keys(one).to_vec());
        }
        for (at, instance) in instances.list.iter().enumerate() {
            if instances.standing(snapshot, instance).end != InstanceEnd::Unfinished {
                continue;
            }
            let owner = owner_of(instances, instance, &ids, &index);
            let owner = owner.and_then(|owner| whole.list.get(owner));
            let over = owner.and_then(|owner| whole.standing(snapshot, owner).end.time());
            if let Some((over, end)) = over.zip(self.ends.get_mut(at)) {
                *end = over.min(*end);
                self.ended_parts.insert(at);
            }
        }
    }

    /// Adds the instances of an entity as parts of those that own them, and as busy times of their
    /// resources.
    fn add_parts(
        &mut self,
        snapshot: &Snapshot,
        found: Instances,
        keys: &FxHashMap<u8, Vec<KeyId>>,
        run_ends: &RunEnds,
    ) {
        let kind = self.parts.len();
        let mut running: FxHashMap<usize, Vec<(i64, Option<i64>)>> = FxHashMap::default();
        for (at, instance) in found.list.iter().enumerate() {
            let standing = found.standing(snapshot, instance);
            let Some(start) = standing.start else {
                continue;
            };
            let unfinished_end = || {
                run_ends
                    .end_for_instance(snapshot, &found, instance)
                    .max(start)
            };
            let end = standing.end.time().unwrap_or_else(unfinished_end);
            if let Some(inner) = self.resources.last()
                && let Some(resource) = inner.resource_of_instance(&found, instance)
            {
                running
                    .entry(resource)
                    .or_default()
                    .push((start, Some(end)));
            }
            let owner = owner_of(&found, instance, keys, &self.index);
            if let Some(parts) = owner.and_then(|owner| self.part_spans.get_mut(owner)) {
                parts.push(PartSpan {
                    start,
                    end,
                    kind,
                    index: at,
                });
            }
        }
        for (resource, intervals) in running {
            let busy = || StepFunction::from_changes(interval_changes(intervals)).at_most(1);
            self.busy_times.entry(resource).or_insert_with(busy);
        }
        self.parts.push(found);
    }
}

/// State changes of an instance with a time: (time in UTC ns, index of the state).
pub(super) fn timed_states(found: &Instances, instance: &Instance) -> Vec<(i64, u16)> {
    let changes = ReporterChoice::MostTrusted.state_changes(found, instance);
    let timed = changes.iter().filter(|c| c.time != NO_TIME);
    timed.map(|c| (c.time, c.state)).collect()
}

/// Index of the instance that an instance is a part of: `keys` are the keys of its id by alternative.
fn owner_of(
    found: &Instances,
    instance: &Instance,
    keys: &FxHashMap<u8, Vec<KeyId>>,
    index: &IdIndex,
) -> Option<usize> {
    let own = found.id_keys(instance);
    keys.iter().find_map(|(alternative, keys)| {
        let place = |key| own.iter().position(|k| *k == key);
        let id: Option<Vec<u32>> = keys
            .iter()
            .map(|key| instance.id.get(place(*key)?).copied())
            .collect();
        index.get(*alternative, &id?)
    })
}

/// Whether instances of `part` are parts of instances of `whole`: their ids extend those of
/// `whole`, and they have a start condition.
fn is_part(part: &Entity, whole: &Entity) -> bool {
    let extends = |id: &Vec<String>| {
        let longer = |w: &Vec<String>| id.len() > w.len() && w.iter().all(|k| id.contains(k));
        whole.id.iter().any(longer)
    };
    part.start.is_some() && part.id.iter().any(extends)
}
