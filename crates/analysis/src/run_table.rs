//! One row for each run in the data, for trends over many runs. Runs are things of their own where a definition says so;
//! elsewhere they are what the logs of one system in one folder tell of.

mod folder_groups;
mod folders;
mod named_runs;
mod recorded_times;
mod tally;

use std::collections::BTreeMap;
use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_definition::meaning::EntityRole;
use widetui_query::{Expr, Selection};
use widetui_store::Snapshot;

use crate::Instances;
use crate::entity::AllInstances;
use crate::entity::{Detail, Entity, Instance};
use crate::scope::AnalysisScope;
use crate::summary::Summary;
use folders::{Folders, Known, Left};
use named_runs::Named;
use tally::Kind;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// Nothing that could end is told of.
    Unknown,
    /// All that began ended well.
    Done,
    /// All that began ended, so many not well.
    Failed(u64),
    /// All that began ended, of so many a try failed, and whether there was another one is not told.
    Unsure(u64),
    /// So many did not end.
    Unfinished(u64),
}

impl std::fmt::Display for RunStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunStatus::Unknown => f.write_str("unknown"),
            RunStatus::Done => f.write_str("done"),
            RunStatus::Failed(n) => write!(f, "{n} failed"),
            RunStatus::Unsure(n) => write!(f, "{n} may have failed"),
            RunStatus::Unfinished(n) => write!(f, "{n} unfinished"),
        }
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its name: what its label says, else its id, else that of its folder; empty when nothing tells runs apart.
    pub name: String,
    /// The entity that it is an instance of: dotted name; empty for a run that is no thing of its own.
    pub entity: String,
    /// The same for people: `kernel`.
    pub title: String,
    /// What its records fit, of a run that is no thing of its own.
    pub only: Option<Expr>,
    /// The folder of the log that tells of it first.
    pub folder: String,
    /// Its id: keys and values.
    pub id: Vec<(String, String)>,
    /// Time of its first event, UTC ns.
    pub start: Option<i64>,
    /// Time of its last event, UTC ns.
    pub end: Option<i64>,
    /// Number of its events.
    pub events: u64,
    /// How it stands.
    pub status: RunStatus,
    /// Its goals: how many began, how many of them ended without success, how many did not end.
    pub goals: RunGoals,
    /// Instances of each entity.
    pub entities: BTreeMap<String, u64>,
    /// Durations of the goals that ended, ns: of those of the run's own system, not of what another does for it.
    pub durations: Option<Summary>,
}

/// The goals of a run, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunGoals {
    /// How many began.
    pub begun: u64,
    /// How many of them ended without success.
    pub failed: u64,
    /// Of how many a try failed in logs that would not tell of another one.
    pub unsure: u64,
    /// How many of them did not end.
    pub open: u64,
}

impl Run {
    /// What it had of the entities of a role, in words: `49 tasks`, `4 workers, 1 block`.
    pub fn what(&self, entities: &[Arc<Entity>], role: EntityRole) -> String {
        let of = |e: &Arc<Entity>| {
            let n = *self.entities.get(&e.name)?;
            Some(several(usize::try_from(n).unwrap_or(usize::MAX), &e.title))
        };
        let all = entities.iter().filter(|e| e.role == role).filter_map(of);
        all.collect::<Vec<_>>().join(", ")
    }
}

/// The runs: instances of entities whose role is a run; of systems that have none what lies in one folder, cut where the
/// work began anew; all data as one where nothing is known to have been done. An instance belongs to the run of its first
/// event that has one. `None` when cancelled.
pub fn runs(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Vec<Run>> {
    let detail = |entity: &Entity| match entity.role {
        EntityRole::Run => Detail::Whole,
        _ if entity.is_goal() || entity.role == EntityRole::StandIn => Detail::Course,
        // Of others it is only told how many there are.
        _ => Detail::Events,
    };
    let found = AllInstances::scan_as(snapshot, entities, detail, cancel)?;
    runs_of(snapshot, entities, &found, scope, cancel)
}

/// As [`runs`], of instances that were found already.
pub fn runs_of(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    all: &AllInstances,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Vec<Run>> {
    let kinds = { all.all.iter() }.map(|i| Kind::of(snapshot, (all, i), scope, cancel));
    let kinds = kinds.collect::<Option<Vec<Kind<'_>>>>()?.into_iter();
    let (named, kinds) = kinds.partition(|kind| kind.instances.entity.role == EntityRole::Run);
    let named = Named::of(named);
    // Where none of them is selected there is none.
    let is_empty = |events: &Selection| events.is_empty();
    if named.names_none() && scope.events.as_ref().is_some_and(is_empty) {
        return Some(Vec::new());
    }
    let folders = unnamed(snapshot, entities, all, (&kinds, &named), cancel)?;
    if named.names_none() && folders.is_empty() {
        return Some(vec![whole(snapshot, &kinds, cancel)?]);
    }
    let run_of = |instances: &Instances, instance: &Instance| {
        let by_name = instances.find_event(instance, |event| named.run_of(event));
        by_name.or_else(|| {
            if named.covers(instances) {
                return None;
            }
            let run = folders.of(snapshot, instances, instance)?;
            Some(named.count() + run)
        })
    };
    let count = named.count() + folders.count();
    let mut tallies = tally::count(&kinds, count, run_of, cancel)?;
    let of_folders = tallies.split_off(named.count());
    let mut out = named.runs(snapshot, tallies, cancel)?;
    let known = folders.runs(snapshot, cancel)?;
    // All that there is belongs to the only run that there is.
    let is_only = out.is_empty() && known.len() == 1;
    for (run, tally) in known.into_iter().zip(of_folders) {
        if tally.is_empty() {
            continue;
        }
        out.push(match is_only {
            true => Run {
                events: snapshot.len() as u64,
                start: snapshot.range().map(|r| r.0),
                end: snapshot.range().map(|r| r.1),
                only: None,
                ..tally.in_folder(run)
            },
            false => tally.in_folder(run),
        });
    }
    out.sort_by(|a, b| (a.start, &a.name).cmp(&(b.start, &b.name)));
    Some(out)
}

/// The runs without names: of what no named one covers, by folder. `None` when cancelled.
fn unnamed(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    all: &AllInstances,
    (kinds, named): (&[Kind<'_>], &Named<'_>),
    cancel: &Cancel,
) -> Option<Folders> {
    let mut left: Left<'_> = Vec::new();
    for Kind {
        instances, kept, ..
    } in kinds.iter().filter(|k| !named.covers(k.instances))
    {
        let is_left = |at: &usize| {
            let run_of = |event| named.run_of(event);
            kept[*at] && instances.find_event(&instances.list[*at], run_of).is_none()
        };
        let which = (0..instances.list.len()).filter(is_left).collect();
        left.push((instances, which));
    }
    let is_work = |e: &&Arc<Entity>| e.is_goal() || e.role == EntityRole::StandIn;
    let working = entities.iter().filter(is_work).map(|e| e.system.as_str());
    let known = Known {
        named: named.folders(snapshot),
        working: working.collect(),
    };
    Folders::find(snapshot, all, &left, &known, cancel)
}

/// All data as one run. `None` when cancelled.
fn whole(snapshot: &Snapshot, kinds: &[Kind<'_>], cancel: &Cancel) -> Option<Run> {
    let tally = tally::count(kinds, 1, |_, _| Some(0), cancel)?.pop()?;
    let run = tally.finish("", Vec::new(), snapshot.range());
    Some(Run {
        events: snapshot.len() as u64,
        ..run
    })
}
