//! One row for each run in the data, for trends over many runs. Runs are things of their own where a definition says so;
//! elsewhere they are what the logs of one system in one folder tell of.

mod folders;
mod told;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::base::words::several;
use crate::format::meaning::EntityRole;
use crate::query::{Expr, Selection};
use crate::store::Snapshot;

use super::Instances;
use super::entity::{Detail, End, Entity, Instance};
use super::hung::{AllInstances, has_begun};
use super::scope::AnalysisScope;
use super::summary::Summary;
use folders::{FolderRun, Folders, Known, Left};

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

#[derive(Default)]
struct Tally {
    entities: BTreeMap<String, u64>,
    /// Instances of the entity that is looked at.
    counted: u64,
    /// By entity.
    durations: BTreeMap<String, Vec<i64>>,
    goals: RunGoals,
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
    let is_run = |i: &&Instances| i.entity.role == EntityRole::Run;
    let found: Vec<(&Instances, Vec<bool>)> = all
        .all
        .iter()
        .filter(is_run)
        .map(|i| (i, scope.instances(i)))
        .collect();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    // By kind and instance its number among the runs.
    let mut numbers: Vec<Vec<Option<usize>>> = Vec::new();
    for (kind, (instances, kept)) in found.iter().enumerate() {
        let mut of_kind = vec![None; instances.list.len()];
        for (at, number) in of_kind.iter_mut().enumerate().filter(|(at, _)| kept[*at]) {
            *number = Some(runs.len());
            runs.push((kind, at));
        }
        numbers.push(of_kind);
    }
    // Of several that an event is about it is the last one's.
    let run_of = |event: EventId| {
        let mut last = None;
        for ((instances, _), numbers) in found.iter().zip(&numbers) {
            instances.of_event(event, |at| last = last.max(numbers[at]));
        }
        last
    };
    // Where none of them is selected there is none.
    let single = found.iter().all(|(instances, _)| instances.list.is_empty());
    let is_empty = |events: &Selection| events.is_empty();
    if single && scope.events.as_ref().is_some_and(is_empty) {
        return Some(Vec::new());
    }
    let kept: Vec<(&Instances, Vec<bool>)> = all
        .all
        .iter()
        .filter(|i| !is_run(i))
        .map(|i| (i, scope.instances(i)))
        .collect();
    let names_runs: FxHashSet<&str> = found.iter().map(|f| f.0.entity.system.as_str()).collect();
    let mut left: Left<'_> = Vec::new();
    for (instances, kept) in &kept {
        if !single && names_runs.contains(instances.entity.system.as_str()) {
            continue;
        }
        let is_left =
            |at: &usize| kept[*at] && instances.find_event(&instances.list[*at], run_of).is_none();
        let which = (0..instances.list.len()).filter(is_left).collect();
        left.push((instances, which));
    }
    let of_named = runs.iter().map(|(kind, at)| {
        let instances = found[*kind].0;
        folder(snapshot, instances, &instances.list[*at])
    });
    let known = Known {
        named: of_named.collect(),
        working: { entities.iter() }
            .filter(|e| e.is_goal() || e.role == EntityRole::StandIn)
            .map(|e| e.system.as_str())
            .collect(),
    };
    let folders = Folders::find(snapshot, all, &left, &known, cancel)?;
    let whole = single && folders.is_empty();
    let mut tallies: Vec<Tally> = Vec::new();
    tallies.resize_with((runs.len() + folders.count()).max(1), Tally::default);
    for (instances, kept) in &kept {
        if cancel.is_cancelled() {
            return None;
        }
        let is_left = left.iter().any(|(of, _)| std::ptr::eq(*of, *instances));
        let all = instances.list.iter().zip(kept);
        for (instance, _) in all.filter(|(_, kept)| **kept) {
            let named = || instances.find_event(instance, run_of);
            let of_folder = || {
                let run = folders
                    .of(snapshot, instances, instance)
                    .filter(|_| is_left);
                run.map(|run| runs.len() + run)
            };
            let run = match whole {
                true => Some(0),
                false => named().or_else(of_folder),
            };
            if let Some(tally) = run.and_then(|run| tallies.get_mut(run)) {
                tally.take(snapshot, instances, instance);
            }
        }
        let counted = tallies.iter_mut().filter(|t| t.counted > 0);
        counted.for_each(|tally| tally.close(&instances.entity));
    }
    if whole {
        let tally = tallies.swap_remove(0);
        let mut run = tally.finish("", Vec::new(), snapshot.range());
        run.events = snapshot.len() as u64;
        return Some(vec![run]);
    }
    let of_folders = tallies.split_off(runs.len());
    let mut out: Vec<Run> = Vec::with_capacity(runs.len() + of_folders.len());
    let times = found.iter().map(|f| told::told(snapshot, f.0, cancel));
    let times: Vec<_> = times.collect::<Option<_>>()?;
    for ((kind, at), tally) in runs.iter().zip(tallies) {
        let instances = found[*kind].0;
        let instance = &instances.list[*at];
        let id = instances.id(snapshot, instance);
        let label = instances.label(snapshot, instance);
        let name = label.unwrap_or_else(|| instances.number(snapshot, instance));
        let range = match (instance.range, times[*kind].get(at).copied()) {
            (Some(seen), Some(told)) => Some((seen.0.min(told.0), seen.1.max(told.1))),
            (seen, told) => seen.or(told),
        };
        let run = tally.finish(&instances.entity.name, id, range);
        out.push(Run {
            name,
            entity: instances.entity.name.clone(),
            title: instances.entity.title.clone(),
            folder: folder(snapshot, instances, instance),
            events: instances.count(instance) as u64,
            ..run
        });
    }
    leave_out_vague(&found, &mut out);
    let known = folders.runs(snapshot, cancel)?;
    // All that there is belongs to the only run that there is.
    let is_only = out.is_empty() && known.len() == 1;
    for (run, tally) in known.into_iter().zip(of_folders) {
        if tally.entities.is_empty() {
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

/// Takes out what is no run: records that name a run in a way that several have (the number of its folder), and not which
/// of them, so that no work in it was seen to begin.
fn leave_out_vague(found: &[(&Instances, Vec<bool>)], runs: &mut Vec<Run>) {
    let is_exact = |run: &Run| {
        let of = found.iter().find(|(i, _)| i.entity.name == run.entity);
        let keys = of.and_then(|(i, _)| i.entity.id.first());
        keys.is_some_and(|keys| keys.iter().eq(run.id.iter().map(|p| &p.0)))
    };
    let exact = runs.iter().filter(|r| is_exact(r));
    let exact: FxHashSet<(String, String)> =
        exact.map(|r| (r.entity.clone(), r.name.clone())).collect();
    runs.retain(|run| {
        let has_exact_twin = || exact.contains(&(run.entity.clone(), run.name.clone()));
        run.goals.begun > 0 || is_exact(run) || !has_exact_twin()
    });
}

/// The folder of the first log among the sources of its events, else of the first source. Where a record stands in several
/// logs it is the one that begins last: a process that works on two runs goes on writing to the log of the first.
fn folder(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> String {
    let source = |id| Some(snapshot.event(id)?.source());
    let latest = |id: EventId| {
        let group = snapshot.copies.group(id.0).map(EventId);
        let logs = group.filter_map(source).filter(|s| !s.is_table);
        logs.max_by_key(|s| s.first())
    };
    let log = instances.find_event(instance, latest);
    let any = log.or_else(|| instances.find_event(instance, source));
    let path = any.map(|s| s.path.clone()).unwrap_or_default();
    path.rsplit_once('/')
        .map_or(String::new(), |(folder, _)| folder.to_owned())
}

impl Tally {
    fn take(&mut self, snapshot: &Snapshot, instances: &Instances, instance: &Instance) {
        let entity = &instances.entity;
        // What others only name is not of this run.
        if entity.is_goal() && !has_begun(instances, instance) {
            return;
        }
        self.counted += 1;
        if !entity.is_goal() {
            return;
        }
        let standing = instances.standing(snapshot, instance);
        self.goals.begun += 1;
        self.goals.open += u64::from(!standing.is_final && standing.end == End::Open);
        // What is told of at its end alone took a time that nobody knows.
        let is_final = |state: u16| {
            let state = instances.states.get(usize::from(state));
            state.is_some_and(|s| entity.is_final(s))
        };
        let mut changes = instances.changes(instance).iter();
        let begin_is_told = entity.start.is_some() || changes.any(|c| !is_final(c.state));
        if let Some(took) = standing.duration().filter(|t| *t > 0 || begin_is_told) {
            let known = self.durations.entry(entity.name.clone());
            known.or_default().push(took);
        }
        let state = standing
            .state
            .and_then(|s| instances.states.get(usize::from(s)));
        let is_unsure = state.is_some_and(|s| entity.inconclusive.contains(s));
        let is_failed = state.is_some_and(|s| entity.failed.contains(s));
        self.goals.unsure += u64::from(is_failed && is_unsure);
        self.goals.failed += u64::from(is_failed && !is_unsure);
    }

    /// All instances of an entity were taken.
    fn close(&mut self, entity: &Entity) {
        let counted = std::mem::take(&mut self.counted);
        *self.entities.entry(entity.name.clone()).or_default() += counted;
    }

    /// The run of a folder.
    fn in_folder(self, run: FolderRun) -> Run {
        let id = vec![("folder".to_owned(), run.folder.clone())];
        Run {
            name: run.name,
            folder: run.folder,
            events: run.events,
            only: Some(run.only),
            ..self.finish(&run.system, id, run.range)
        }
    }

    /// The run of this entity, or system.
    fn finish(mut self, entity: &str, id: Vec<(String, String)>, range: Option<(i64, i64)>) -> Run {
        let mut durations = self.own_durations(entity);
        let RunGoals {
            begun,
            failed,
            unsure,
            open,
        } = self.goals;
        let status = match (begun, open, failed) {
            (0, ..) => RunStatus::Unknown,
            (_, 0, 0) if unsure > 0 => RunStatus::Unsure(unsure),
            (_, 0, 0) => RunStatus::Done,
            (_, 0, failed) => RunStatus::Failed(failed),
            (_, open, _) => RunStatus::Unfinished(open),
        };
        Run {
            name: String::new(),
            entity: String::new(),
            title: String::new(),
            only: None,
            folder: String::new(),
            events: 0,
            goals: self.goals,
            id,
            start: range.map(|r| r.0),
            end: range.map(|r| r.1),
            status,
            entities: self.entities,
            durations: Summary::of(&mut durations),
        }
    }

    /// What the goals took of the system whose entity the run is, else those of which most ended.
    fn own_durations(&mut self, run: &str) -> Vec<i64> {
        let system = |name: &str| name.split('.').next().map(str::to_owned);
        let rank = |(name, all): &(&String, &Vec<i64>)| (system(name) == system(run), all.len());
        let own = self
            .durations
            .iter()
            .max_by_key(rank)
            .map(|(name, _)| name.clone());
        let own = own.and_then(|name| self.durations.remove(&name));
        own.unwrap_or_default()
    }
}
