//! One row for each run in the data, for trends over many runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::cancel::Cancel;
use crate::format::meaning::EntityRole;
use crate::store::Snapshot;

use super::Instances;
use super::entity::{End, Entity, Instance, scan_all};
use super::scope::Scope;
use super::summary::Summary;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing that could end is told of.
    Unknown,
    /// All that began ended well.
    Done,
    /// All that began ended, so many not well.
    Failed(u64),
    /// So many did not end.
    Unfinished(u64),
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Status::Unknown => f.write_str("unknown"),
            Status::Done => f.write_str("done"),
            Status::Failed(n) => write!(f, "{n} failed"),
            Status::Unfinished(n) => write!(f, "{n} unfinished"),
        }
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its name: what its label says, else its id; empty when nothing tells runs apart.
    pub name: String,
    /// Its id: keys and values.
    pub id: Vec<(String, String)>,
    /// Time of its first event, UTC ns.
    pub start: Option<i64>,
    /// Time of its last event, UTC ns.
    pub end: Option<i64>,
    /// How it stands.
    pub status: Status,
    /// Instances of each entity.
    pub entities: BTreeMap<String, u64>,
    /// Durations of the goals that ended, ns.
    pub durations: Option<Summary>,
}

#[derive(Default)]
struct Tally {
    entities: BTreeMap<String, u64>,
    durations: Vec<i64>,
    goals: u64,
    open: u64,
    failed: u64,
}

/// The runs: instances of entities whose role is a run; all data as one where there are none. An instance belongs to the
/// run of its first event that has one. `None` when cancelled.
pub fn runs(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    scope: &Scope,
    cancel: &Cancel,
) -> Option<Vec<Run>> {
    let with_kept = |instances: Instances| {
        let kept = scope.instances(&instances);
        (instances, kept)
    };
    let all = scan_all(snapshot, entities, cancel)?.into_iter();
    let is_run = |i: &Instances| i.entity.role == EntityRole::Run;
    let (found, others): (Vec<Instances>, Vec<Instances>) = all.partition(is_run);
    let found: Vec<(Instances, Vec<bool>)> = found.into_iter().map(with_kept).collect();
    let mut of_event: Vec<u32> = vec![u32::MAX; snapshot.len()];
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (kind, (instances, kept)) in found.iter().enumerate() {
        for (at, instance) in instances.list.iter().enumerate() {
            if !kept[at] {
                continue;
            }
            for event in instances.events(instance) {
                of_event[*event as usize] = runs.len() as u32;
            }
            runs.push((kind, at));
        }
    }
    // Without runs all is one.
    let single = runs.is_empty();
    let mut tallies: Vec<Tally> = Vec::new();
    tallies.resize_with(runs.len().max(1), Tally::default);
    for (instances, kept) in others.into_iter().map(with_kept) {
        if cancel.is_cancelled() {
            return None;
        }
        let all = instances.list.iter().zip(&kept).filter(|(_, kept)| **kept);
        for (instance, _) in all {
            let events = instances.events(instance).iter();
            let mut of = events.map(|e| of_event[*e as usize] as usize);
            let run = match single {
                true => Some(0),
                false => of.find(|run| *run < runs.len()),
            };
            if let Some(tally) = run.and_then(|run| tallies.get_mut(run)) {
                tally.take(snapshot, &instances, instance);
            }
        }
    }
    if single {
        let range = snapshot.range();
        let tally = tallies.swap_remove(0);
        return Some(vec![tally.finish(String::new(), Vec::new(), range)]);
    }
    let mut out: Vec<Run> = Vec::with_capacity(runs.len());
    for ((kind, at), tally) in runs.iter().zip(tallies) {
        let instances = &found[*kind].0;
        let instance = &instances.list[*at];
        let id = instances.id(snapshot, instance);
        let label = instances.label(snapshot, instance);
        let name = label.unwrap_or_else(|| instances.number(snapshot, instance));
        out.push(tally.finish(name, id, instance.range));
    }
    out.sort_by(|a, b| (a.start, &a.name).cmp(&(b.start, &b.name)));
    Some(out)
}

impl Tally {
    fn take(&mut self, snapshot: &Snapshot, instances: &Instances, instance: &Instance) {
        let entity = &instances.entity;
        *self.entities.entry(entity.name.clone()).or_default() += 1;
        if !entity.is_goal() {
            return;
        }
        let standing = instances.standing(snapshot, instance);
        self.goals += 1;
        self.open += u64::from(!standing.is_final && standing.end == End::Open);
        self.durations.extend(standing.duration());
        let state = standing
            .state
            .and_then(|s| instances.states.get(usize::from(s)));
        self.failed += u64::from(state.is_some_and(|s| entity.failed.contains(s)));
    }

    fn finish(mut self, name: String, id: Vec<(String, String)>, range: Option<(i64, i64)>) -> Run {
        let status = match (self.goals, self.open, self.failed) {
            (0, ..) => Status::Unknown,
            (_, 0, 0) => Status::Done,
            (_, 0, failed) => Status::Failed(failed),
            (_, open, _) => Status::Unfinished(open),
        };
        Run {
            name,
            id,
            start: range.map(|r| r.0),
            end: range.map(|r| r.1),
            status,
            entities: self.entities,
            durations: Summary::of(&mut self.durations),
        }
    }
}
