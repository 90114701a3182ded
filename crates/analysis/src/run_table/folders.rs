//! Runs of systems that do not name their runs: what the logs of one system in one folder describe,
//! split at restarts of the owner of the work.
//!
//! Folders are grouped if their logs overlap in time and one contains the other, both describe a
//! common instance, or no work began in one of them: a scheduler and its workers on several
//! machines. If the definition has a key for the run (set from the paths of its logs), that
//! key decides.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Instances;
use crate::check::without_duplicates;
use crate::entity::{AllInstances, has_begun};
use crate::entity::{Entity, Instance};
use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::folders;
use widetui_core::ids::{EventId, SourceId};
use widetui_definition::semantics::EntityRole;
use widetui_query::{Comparison, Expr, Field, Op, select};
use widetui_store::{Snapshot, Source, SourceTrait};
use widetui_time::time::{NO_TIME, rfc3339_nanos};

use crate::run_table::folder_groups::{FolderGroup, FolderGroups};

/// Maximum number of sources listed in an expression; with more it matches the folder.
const MAX_LISTED_SOURCES: usize = 200;

/// Consecutive runs of one system in one folder.
#[derive(Debug)]
pub(super) struct FolderRuns {
    /// Name of the system definition.
    pub(crate) system: String,
    /// Folder; empty if paths have none.
    pub(crate) folder: String,
    /// Logs of the folder.
    sources: Vec<SourceId>,
    /// Start times of all runs but the first, UTC ns, ascending.
    restarts: Vec<i64>,
    /// Number of its first run among the runs of all folders.
    first_run: usize,
}

/// Run of a folder, without the counts of its instances.
#[derive(Debug)]
pub(super) struct FolderRun {
    /// Name of the system definition.
    pub(crate) system: String,
    /// Folder of the run; empty if paths have none.
    pub(crate) folder: String,
    /// Name of the run, from its folder.
    pub(crate) name: String,
    /// Times of the first and last record, UTC ns.
    pub(crate) range: Option<(i64, i64)>,
    /// Number of records.
    pub(crate) events: u64,
    /// Condition of the run's records.
    pub(crate) condition: Expr,
}

/// All runs of folders, and the assignment of instances to them.
#[derive(Debug, Default)]
pub(super) struct Folders {
    list: Vec<FolderRuns>,
    /// Index into `list` by source, for the system of the source.
    of_source: Vec<Option<usize>>,
    /// Index into `list` by folder, for the system with most logs there.
    of_folder: FxHashMap<String, usize>,
}

/// Instances without a named run: by entity, their indices.
pub(super) type UnassignedInstances<'a> = Vec<(&'a Instances, Vec<usize>)>;

/// Known named runs and systems with work.
pub(super) struct KnownRuns<'a> {
    /// Folders of named runs: there only started work makes another run.
    pub(crate) named: FxHashSet<String>,
    /// Systems with work items: entities that only serve other systems have no runs.
    pub(crate) working: FxHashSet<&'a str>,
}

impl Folders {
    /// Finds the runs of folders. `None` when cancelled.
    pub(crate) fn find(
        snapshot: &Snapshot,
        all: &AllInstances,
        unassigned: &UnassignedInstances<'_>,
        known_runs: &KnownRuns<'_>,
        cancel: &Cancel,
    ) -> Option<Folders> {
        let mut groups = FolderGroups::default();
        for (instances, which) in unassigned {
            let entity = &instances.entity;
            let is_work = entity.is_work_item() || entity.role == EntityRole::StandIn;
            let serves =
                entity.is_resource() && known_runs.working.contains(entity.system.as_str());
            if !is_work && !serves {
                continue;
            }
            if cancel.is_cancelled() {
                return None;
            }
            let mut is_relevant: Vec<bool> = vec![false; instances.list.len()];
            for at in which {
                let instance = &instances.list[*at];
                is_relevant[*at] = !entity.is_work_item() || has_begun(instances, instance);
            }
            let mut of: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
            instances.for_each_event(|event, at| {
                let event = snapshot.event(event);
                let event = event.filter(|e| is_work || e.time().is_some());
                let source = event.map(|e| e.source());
                let own = source.filter(|s| s.system.as_deref() == Some(entity.system.as_str()));
                let own =
                    own.filter(|s| s.is_log && !s.has_trait(SourceTrait::Facts) && is_relevant[at]);
                let Some(source) = own else { return };
                let folder = folders::folder(&source.path);
                let in_named = |run: &String| folders::is_at_or_in(folder, run);
                if is_work || !known_runs.named.iter().any(in_named) {
                    let run = path_run_name(snapshot, entity, source);
                    let group = groups.add_folder(&entity.system, folder, run, is_work);
                    of.entry(at).or_default().insert(group);
                }
            });
            groups.add_shared(of.into_values());
        }
        let mut out = Folders::from_groups(groups.group(snapshot), snapshot.sources.len());
        out.split_at_restarts(snapshot, all, cancel)?;
        Some(out)
    }

    /// Runs of groups of folders, not yet split.
    fn from_groups(places: Vec<FolderGroup>, sources: usize) -> Folders {
        let mut out = Folders {
            of_source: vec![None; sources],
            ..Folders::default()
        };
        for place in places {
            let number = out.list.len();
            for source in &place.sources {
                out.of_source[source.index()] = Some(number);
            }
            for path in place.folders.iter().chain([&place.folder]) {
                let known = out.of_folder.entry(path.clone()).or_insert(number);
                let most = out.list.get(*known).map_or(0, |g| g.sources.len());
                if most < place.sources.len() {
                    *known = number;
                }
            }
            out.list.push(FolderRuns {
                system: place.system,
                folder: place.folder,
                sources: place.sources,
                restarts: Vec::new(),
                first_run: 0,
            });
        }
        out
    }

    /// Whether there are no runs of folders.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number of runs in all folders.
    pub(crate) fn count(&self) -> usize {
        let last = self.list.last();
        last.map_or(0, |group| group.first_run + group.restarts.len() + 1)
    }

    /// Run of an instance that belongs to no named run.
    pub(crate) fn run_of_instance(
        &self,
        snapshot: &Snapshot,
        instances: &Instances,
        instance: &Instance,
    ) -> Option<usize> {
        let system = instances.entity.system.as_str();
        let own = |id: EventId| {
            let source = snapshot.event(id)?.source();
            let own = source.system.as_deref() == Some(system);
            let group = self.of_source.get(source.id.index()).copied().flatten();
            group.filter(|_| own)
        };
        // Only another system reports the instance: take the run of its folder.
        let by_folder = |id: EventId| {
            let source = snapshot.event(id)?.source();
            let mut folder = folders::folder(&source.path);
            loop {
                match self.of_folder.get(folder) {
                    Some(group) => return Some(*group),
                    None => folder = folder.rsplit_once('/')?.0,
                }
            }
        };
        let group = instances.find_event(instance, own);
        let group = group.or_else(|| instances.find_event(instance, by_folder))?;
        let group = self.list.get(group)?;
        let time = instances.find_event(instance, |id| snapshot.event(id)?.time());
        let after = time.map_or(0, |t| {
            group.restarts.partition_point(|restart| *restart <= t)
        });
        Some(group.first_run + after)
    }

    /// Lists the runs with name, time range and number of events. `None` when cancelled.
    pub(crate) fn runs(&self, snapshot: &Snapshot, cancel: &Cancel) -> Option<Vec<FolderRun>> {
        let mut out = Vec::new();
        for group in &self.list {
            for at in 0..=group.restarts.len() {
                let only = group.run_condition(snapshot, at);
                let events = without_duplicates(snapshot, select(snapshot, &only, cancel)?);
                let mut range: Option<(i64, i64)> = None;
                for time in events.ids().filter_map(|id| snapshot.event(id)?.time()) {
                    let (from, to) = range.get_or_insert((time, time));
                    (*from, *to) = ((*from).min(time), (*to).max(time));
                }
                out.push(FolderRun {
                    system: group.system.clone(),
                    folder: group.folder.clone(),
                    name: self.name(group, at),
                    range,
                    events: events.len() as u64,
                    condition: only,
                });
            }
        }
        Some(out)
    }

    /// Name of the folder, followed by the system if several have runs there, and a number for
    /// consecutive runs.
    fn name(&self, group: &FolderRuns, at: usize) -> String {
        let last = group.folder.rsplit('/').next().unwrap_or_default();
        let mut name = match last {
            "" | "." | ".." => group.system.clone(),
            last => last.to_owned(),
        };
        let is_other = |g: &&FolderRuns| g.folder == group.folder && g.system != group.system;
        if name != group.system && self.list.iter().any(|g| is_other(&g)) {
            name = format!("{name} {}", group.system);
        }
        match group.restarts.is_empty() {
            true => name,
            false => format!("{name} {}", at + 1),
        }
    }
}

impl FolderRuns {
    /// Condition of the records of one run.
    fn run_condition(&self, snapshot: &Snapshot, at: usize) -> Expr {
        let paths = self.sources.iter().filter_map(|s| snapshot.source(*s));
        let paths: Vec<String> = paths.map(|s| s.path.clone()).collect();
        let of = match paths.len() > MAX_LISTED_SOURCES {
            true => {
                let folder = format!("^{}/", regex::escape(&self.folder));
                Expr::compare(Field::Source, Op::Match, folder)
            }
            false => Expr::Compare(Comparison {
                field: Field::Source,
                op: Op::In,
                values: paths,
            }),
        };
        let moment = |op, t: &i64| Expr::compare(Field::Time, op, rfc3339_nanos(*t));
        let from = at.checked_sub(1).and_then(|at| self.restarts.get(at));
        let from_time = from.map(|t| moment(Op::Ge, t));
        let until = self.restarts.get(at).map(|t| moment(Op::Lt, t));
        Expr::all_of([Some(of), from_time, until].into_iter().flatten())
    }
}

/// Maximum difference between timestamps of one moment in two logs of a program, ns: some clocks
/// tick a hundred times per second.
const CLOCK_TICK: i64 = 50_000_000;

impl Folders {
    /// Splits runs at restarts of the owner of the work, if work of the system began before the
    /// restart.
    fn split_at_restarts(
        &mut self,
        snapshot: &Snapshot,
        all: &AllInstances,
        cancel: &Cancel,
    ) -> Option<()> {
        let mut anew: Vec<Vec<i64>> = vec![Vec::new(); self.list.len()];
        let mut systems: FxHashSet<&str> = FxHashSet::default();
        for instances in all.work_items() {
            let Some(expr) = &instances.entity.restart else {
                continue;
            };
            systems.insert(&instances.entity.system);
            for id in select(snapshot, expr, cancel)?.ids() {
                let Some(event) = snapshot.event(id) else {
                    continue;
                };
                let group = self.of_source.get(event.source().id.index());
                if let (Some(Some(group)), Some(time)) = (group, event.time()) {
                    anew[*group].push(time);
                }
            }
        }
        // First times of the work items by folder, UTC ns.
        let mut starts: Vec<Vec<i64>> = vec![Vec::new(); self.list.len()];
        for instances in all
            .work_items()
            .filter(|i| systems.contains(i.entity.system.as_str()))
        {
            for instance in instances.list.iter().filter(|i| has_begun(instances, i)) {
                let first = instances.find_event(instance, |id| {
                    let event = snapshot.event(id)?;
                    let group = self.of_source.get(event.source().id.index()).copied()??;
                    Some((group, event.time().unwrap_or(NO_TIME)))
                });
                if let Some((group, time)) = first {
                    starts[group].push(time);
                }
            }
        }
        let mut first = 0;
        for (group, (mut at, starts)) in self.list.iter_mut().zip(anew.into_iter().zip(starts)) {
            at.sort_unstable();
            at.dedup();
            let mut from = i64::MIN;
            for restart in at {
                let before = from..restart.saturating_sub(CLOCK_TICK);
                if starts.iter().any(|t| before.contains(t)) {
                    group.restarts.push(restart);
                    from = restart;
                }
            }
            group.first_run = first;
            first += group.restarts.len() + 1;
        }
        Some(())
    }
}

/// Name of the run of a source, if paths name the runs of its system.
fn path_run_name(snapshot: &Snapshot, entity: &Entity, source: &Source) -> Option<Code> {
    let key = snapshot.catalog.keys.find(entity.run_key.as_ref()?)?;
    let named = source.consts.iter().find(|(own, _)| *own == key);
    named.map(|(_, code)| *code)
}
