//! Surroundings of the instances of an entity: their parts, and the resources that run them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Instances;
use crate::entity::{Detail, Entity, IdIndex, Instance, scan_all};
use crate::resources::{Resources, carriers_of};
use crate::runs::RunEnds;
use crate::states::Recorder;
use crate::step_function::{Steps, changes};
use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

/// Parts, dependencies and resources of the instances of an entity, as needed for time accounts.
#[derive(Debug)]
pub struct Surroundings {
    /// Spans of the parts of each instance, ordered by start.
    pub(super) of: Vec<Vec<PartSpan>>,
    pub(super) parts: Vec<Instances>,
    /// Resources that run the instances, outermost first.
    pub(super) carriers: Vec<Resources>,
    /// States of each resource by kind: (time in UTC ns, index of the state).
    pub(super) states: Vec<Vec<Vec<(i64, u16)>>>,
    /// Busy times of the innermost resources.
    pub(super) busy: FxHashMap<usize, Busy>,
    pub(super) index: IdIndex,
    /// End of each instance, or of the data of its run, UTC ns.
    ends: Vec<i64>,
}

/// Span of a part of an instance: kind (index into `Surroundings::parts`) and index into its
/// instances; times in UTC ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartSpan {
    pub start: i64,
    pub end: i64,
    pub kind: usize,
    pub at: usize,
}

impl Surroundings {
    /// Finds the parts and resources of the instances of an entity. `None` when cancelled.
    pub fn new(
        snapshot: &Snapshot,
        instances: &Instances,
        entities: &[Arc<Entity>],
        cancel: &Cancel,
    ) -> Option<Surroundings> {
        // One pass over the data finds resources and parts.
        let carriers = carriers_of(&instances.entity, entities);
        let first_part = carriers.len();
        let parts = entities.iter().filter(|e| is_part(e, &instances.entity));
        let wanted = carriers.into_iter().chain(parts);
        let wanted: Vec<(Arc<Entity>, Detail)> =
            wanted.map(|e| (e.clone(), Detail::Course)).collect();
        let mut found = scan_all(snapshot, &wanted, cancel)?;
        let parts = found.split_off(first_part);
        let mut out = Surroundings {
            of: vec![Vec::new(); instances.list.len()],
            parts: Vec::new(),
            carriers: Resources::of_all(snapshot, found),
            states: Vec::new(),
            busy: FxHashMap::default(),
            index: instances.index(),
            ends: Vec::new(),
        };
        for carriers in &out.carriers {
            let found = &carriers.instances;
            let states = found.list.iter().map(|i| timed_states(found, i));
            out.states.push(states.collect());
        }
        let entities = parts.iter().map(|part| &part.entity);
        let reach = RunEnds::of_each(snapshot, entities.chain([&instances.entity]), cancel)?;
        let end = |i: &Instance| {
            let end = instances.standing(snapshot, i).end.time();
            end.unwrap_or_else(|| reach.of_instance(snapshot, instances, i))
        };
        out.ends = instances.list.iter().map(end).collect();
        let mut keys: FxHashMap<u8, Vec<KeyId>> = FxHashMap::default();
        for instance in &instances.list {
            let known = keys.entry(instance.alternative);
            known.or_insert_with(|| instances.id_keys(instance).to_vec());
        }
        for found in parts {
            out.add_parts(snapshot, found, &keys, &reach);
        }
        out.of
            .iter_mut()
            .for_each(|p| p.sort_by_key(|p| (p.start, p.end)));
        Some(out)
    }

    /// End of an instance, or of the data of its run if it has not ended, UTC ns.
    pub(super) fn reach(&self, at: usize) -> i64 {
        self.ends.get(at).copied().unwrap_or_default()
    }

    fn add_parts(
        &mut self,
        snapshot: &Snapshot,
        found: Instances,
        keys: &FxHashMap<u8, Vec<KeyId>>,
        reach: &RunEnds,
    ) {
        let kind = self.parts.len();
        let mut running: FxHashMap<usize, Vec<(i64, Option<i64>)>> = FxHashMap::default();
        for (at, instance) in found.list.iter().enumerate() {
            let standing = found.standing(snapshot, instance);
            let Some(start) = standing.start else {
                continue;
            };
            let open = || reach.of_instance(snapshot, &found, instance).max(start);
            let end = standing.end.time().unwrap_or_else(open);
            if let Some(inner) = self.carriers.last()
                && let Some(carrier) = inner.of(&found, instance)
            {
                running.entry(carrier).or_default().push((start, Some(end)));
            }
            let own = found.id_keys(instance);
            let owner = keys.iter().find_map(|(alternative, keys)| {
                let place = |key| own.iter().position(|k| *k == key);
                let id: Option<Vec<u32>> = keys
                    .iter()
                    .map(|key| instance.id.get(place(*key)?).copied())
                    .collect();
                self.index.get(*alternative, &id?)
            });
            if let Some(parts) = owner.and_then(|owner| self.of.get_mut(owner)) {
                parts.push(PartSpan {
                    start,
                    end,
                    kind,
                    at,
                });
            }
        }
        for (carrier, intervals) in running {
            let steps = Steps::of_changes(changes(intervals));
            self.busy
                .entry(carrier)
                .or_insert_with(|| Busy::new(&steps));
        }
        self.parts.push(found);
    }
}

/// State changes of an instance with a time: (time in UTC ns, index of the state).
pub(super) fn timed_states(found: &Instances, instance: &Instance) -> Vec<(i64, u16)> {
    let changes = Recorder::Usual.changes(found, instance);
    let timed = changes.iter().filter(|c| c.time != NO_TIME);
    timed.map(|c| (c.time, c.state)).collect()
}

/// Busy times of a resource, with cumulative durations.
#[derive(Debug)]
pub(super) struct Busy {
    /// Time (UTC ns), whether the resource is busy from that time on, and cumulative busy time
    /// before it (ns).
    points: Vec<(i64, bool, i64)>,
}

impl Busy {
    fn new(steps: &Steps) -> Busy {
        let mut points: Vec<(i64, bool, i64)> = Vec::new();
        for (time, number) in &steps.points {
            let ran = points.last().map_or(0, |p| ran(p, *time));
            points.push((*time, *number > 0, ran));
        }
        Busy { points }
    }

    /// Cumulative busy time before `time`, ns.
    pub fn until(&self, time: i64) -> i64 {
        let after = self.points.partition_point(|p| p.0 <= time);
        let point = after.checked_sub(1).and_then(|at| self.points.get(at));
        point.map_or(0, |p| ran(p, time))
    }
}

fn ran((from, runs, before): &(i64, bool, i64), time: i64) -> i64 {
    match runs {
        true => before.saturating_add(time.saturating_sub(*from)),
        false => *before,
    }
}

/// Whether instances of `part` are parts of instances of `whole`: their ids extend those of
/// `whole`, and they have a start condition.
fn is_part(part: &Entity, whole: &Entity) -> bool {
    let says_more = |id: &Vec<String>| {
        let longer = |w: &Vec<String>| id.len() > w.len() && w.iter().all(|k| id.contains(k));
        whole.id.iter().any(longer)
    };
    part.start.is_some() && part.id.iter().any(says_more)
}
