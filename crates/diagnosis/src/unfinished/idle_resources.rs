//! Idle resources while work is unfinished: they show whether anything else blocks the run.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_analysis::entity::{Entity, Instance, Instances};
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{KeyId, SourceId};
use widetui_store::{Snapshot, Source};

use crate::unfinished::abandoned_work;
use crate::unfinished::model::{IdleResources, UnfinishedItem, UnfinishedWork, WaitState};
use crate::unfinished::pools;
use crate::unfinished::unassigned_work;
use crate::unfinished::unassigned_work::{Spot, UnassignedWork, run_of};
use widetui_analysis::entity::AllInstances;
use widetui_analysis::entity::Id;
use widetui_analysis::entity::has_ended;

/// Innermost resources of a work item entity by its place keys. Resources that only group others (an executor, a site)
/// show nothing unless the places inside them are known.
fn nearest<'f>(found: &'f AllInstances, goal: &Entity) -> Option<&'f Instances> {
    let depth = |i: &Instances| -> Option<usize> {
        let place = |key: &String| goal.place_keys.iter().position(|p| p == key);
        let of = |id: &Vec<String>| {
            let places: Option<Vec<usize>> = id.iter().map(place).collect();
            places?.into_iter().max()
        };
        i.entity.id.iter().filter_map(of).max()
    };
    let only_groups = |i: &Instances, depth: usize| {
        i.entity.place_keys.is_empty() && depth + 1 < goal.place_keys.len()
    };
    let carriers = found.resources();
    carriers
        .filter_map(|i| depth(i).map(|d| (d, i)))
        .filter(|(d, i)| !only_groups(i, *d))
        .max_by_key(|(d, _)| *d)
        .map(|(_, i)| i)
}

/// Whether any record assigns work to one of these resources. Otherwise only their own logs show which of them are
/// busy.
fn shows_work(snapshot: &Snapshot, found: &AllInstances, carriers: &Instances) -> bool {
    let ends: Vec<KeyId> = carriers
        .alternatives()
        .iter()
        .filter_map(|k| k.last().copied())
        .collect();
    let work = found.occurring.iter().filter(|i| !i.entity.is_resource());
    let is_placed = |work: &Instances| {
        let keys = work.place_keys.iter().enumerate();
        let at: Vec<usize> = keys.filter(|k| ends.contains(k.1)).map(|k| k.0).collect();
        let is_there = |i: &Instance| {
            let codes = work.place_codes(i);
            at.iter().any(|at| codes.get(*at) != Some(&NONE))
        };
        !at.is_empty() && work.list.iter().any(is_there)
    };
    let write = |s: &Arc<Source>| s.is_log && s.consts.iter().any(|c| ends.contains(&c.0));
    work.into_iter().any(is_placed) || snapshot.sources.iter().any(write)
}

fn has_all(place: &Id, of: &Id) -> bool {
    !of.is_empty() && of.iter().all(|p| place.contains(p))
}

/// Last record and loss of resources, UTC ns, by the keys and values of their ids.
struct Seen {
    keys: Vec<Vec<KeyId>>,
    last: FxHashMap<(Vec<KeyId>, Vec<Code>), i64>,
    gone: FxHashMap<(Vec<KeyId>, Vec<Code>), i64>,
}

impl Seen {
    fn new(snapshot: &Snapshot, found: &AllInstances) -> Seen {
        let mut seen = Seen {
            keys: Vec::new(),
            last: FxHashMap::default(),
            gone: FxHashMap::default(),
        };
        for carriers in found.resources() {
            for carrier in &carriers.list {
                let keys = carriers.id_keys(carrier);
                if !seen.keys.iter().any(|k| k == keys) {
                    seen.keys.push(keys.to_vec());
                }
                let id = (keys.to_vec(), carrier.id.to_vec());
                if let Some(end) = carriers.standing(snapshot, carrier).end.time() {
                    seen.gone.insert(id.clone(), end);
                }
                if let Some((_, last)) = carrier.range {
                    let known = seen.last.entry(id).or_insert(last);
                    *known = (*known).max(last);
                }
            }
        }
        seen
    }

    /// Enclosing resources, such as the manager of a worker.
    fn bearers(
        &self,
        keys: &[KeyId],
        id: &[Code],
    ) -> impl Iterator<Item = (Vec<KeyId>, Vec<Code>)> {
        let of = |part: &Vec<KeyId>| {
            let code = |key| Some(*id.get(keys.iter().position(|k| k == key)?)?);
            let codes: Vec<Code> = part.iter().map(code).collect::<Option<_>>()?;
            Some((part.clone(), codes))
        };
        let parts = self.keys.iter().filter(move |p| p.len() < keys.len());
        parts.filter_map(of)
    }

    /// Last record of any enclosing resource.
    fn bearer(&self, keys: &[KeyId], id: &[Code]) -> Option<i64> {
        let all = self.bearers(keys, id);
        all.filter_map(|of| self.last.get(&of).copied()).max()
    }

    /// Time of the first loss of an enclosing resource.
    fn bearer_gone(&self, keys: &[KeyId], id: &[Code]) -> Option<i64> {
        let all = self.bearers(keys, id);
        all.filter_map(|of| self.gone.get(&of).copied()).min()
    }
}

/// Whether its work was completed where it ran and not begun again, so the resource is free although the owner has no
/// result.
fn is_done_there(stuck: &UnfinishedItem) -> bool {
    stuck.finished_there.is_some() && stuck.begun_there.is_none()
}

/// Resources that execute unfinished work, identified by the keys of a resource's id.
fn busy(stuck: &[&UnfinishedItem], keys: &[String]) -> FxHashSet<Spot> {
    let on = |s: &&UnfinishedItem| -> Option<Spot> {
        let pair = |key: &String| s.place.iter().find(|p| p.0 == *key).cloned();
        Some((s.run, keys.iter().map(pair).collect::<Option<_>>()?))
    };
    let open = stuck.iter().filter(|s| !is_done_there(s));
    open.filter_map(on).collect()
}

/// Whether no record shows that a resource registered although the logs of its run that report this are present: then
/// it was given no work.
fn never_came(
    snapshot: &Snapshot,
    hung: &UnfinishedWork,
    carriers: &Instances,
    carrier: &Instance,
    run: Option<usize>,
) -> bool {
    let entity = &carriers.entity;
    let Some(arrival_logs) = entity
        .executor_logs
        .as_ref()
        .filter(|_| entity.start.is_some())
    else {
        return false;
    };
    let of_run = |s: &SourceId| hung.of_source.get(s.index()).copied().flatten() == run;
    let mut sources = snapshot.sources.iter();
    carrier.start.is_none()
        && sources.any(|s| arrival_logs.kinds.contains(&s.kind) && of_run(&s.id))
}

/// Finds idle resources for each kind of unfinished work item.
pub(crate) fn look(snapshot: &Snapshot, found: &AllInstances, out: &mut UnfinishedWork) {
    for goal in found.work_items() {
        let (idle, resting) = idle(snapshot, found, out, goal).unwrap_or_default();
        out.idle.extend(idle);
        out.resting.extend(resting);
    }
    pools::call(out);
}

/// Resources that could take unfinished work, by run and place, with the time since which such work is unfinished, UTC
/// ns. `None` if it is unknown which are busy.
type Pools = FxHashMap<(Option<usize>, Id), Option<(i64, IdleResources)>>;

/// Idle resources of a kind of work item, and those that could take none of the unfinished work; `None` if none is
/// unfinished.
fn idle(
    snapshot: &Snapshot,
    found: &AllInstances,
    hung: &UnfinishedWork,
    goal: &Instances,
) -> Option<(Vec<IdleResources>, Vec<Id>)> {
    let stuck: Vec<&UnfinishedItem> = hung
        .stuck
        .iter()
        .filter(|s| s.entity == goal.entity.name && s.standing != WaitState::LeftBehind)
        // Work blocked by a failed dependency waits for no resource.
        .filter(|s| s.failed_first.is_empty())
        .collect();
    let hangs = Since::of(&stuck)?;
    let carriers = nearest(found, &goal.entity)?;
    if !shows_work(snapshot, found, carriers) {
        return None;
    }
    let place_keys = pools::keys(found, &goal.entity, carriers);
    let seen = Seen::new(snapshot, found);
    let given_up = abandoned_work::look(snapshot, goal);
    let mut alive: FxHashSet<(Option<usize>, Id)> = FxHashSet::default();
    let mut on: FxHashMap<Vec<String>, FxHashSet<Spot>> = FxHashMap::default();
    let mut unknown: FxHashMap<Vec<String>, FxHashMap<Spot, UnassignedWork>> = FxHashMap::default();
    let mut pools = Pools::default();
    let mut resting = Vec::new();
    for carrier in &carriers.list {
        let run = run_of(snapshot, hung, carriers, carrier);
        let Some(first) = hangs.in_run(run) else {
            continue;
        };
        let id = carriers.id(snapshot, carrier);
        let place = pools::place(snapshot, carriers, carrier, &place_keys);
        let whose = || {
            stuck
                .iter()
                .copied()
                .filter(|s| pools::fits(s, run, &place))
        };
        let pool = pools
            .entry((run, place.clone()))
            .or_insert_with(|| pool(carriers, goal, (run, &place), &whose().collect::<Vec<_>>()));
        let own = carrier.range.map(|r| r.1);
        let keys = carriers.id_keys(carrier);
        let since = pool.as_ref().map_or(first, |pool| pool.0);
        let is_over = has_ended(&carriers.standing(snapshot, carrier));
        if is_over || never_came(snapshot, hung, carriers, carrier, run) {
            continue;
        }
        let is_alive = own.max(seen.bearer(keys, &carrier.id)) >= Some(since);
        let Some((_, idle)) = pool else {
            if is_alive && whose().next().is_none() {
                resting.push(id);
            }
            continue;
        };
        let gone = seen.bearer_gone(keys, &carrier.id);
        let placed = id.iter().filter(|p| goal.entity.place_keys.contains(&p.0));
        let spot: Spot = (run, placed.cloned().collect());
        let placed: Vec<String> = spot.1.iter().map(|p| p.0.clone()).collect();
        let on = on
            .entry(placed.clone())
            .or_insert_with_key(|keys| busy(&stuck, keys));
        // A resource executing such work writes nothing while it waits for others.
        if !on.contains(&spot) && !is_alive {
            continue;
        }
        if is_alive {
            alive.insert((run, place));
        }
        let unknown = unknown
            .entry(placed)
            .or_insert_with_key(|keys| unassigned_work::look(snapshot, found, hung, keys));
        if on.contains(&spot) {
            idle.busy += 1;
        } else if let Some(work) = given_up.iter().find(|g| has_all(&g.place, &spot.1)) {
            idle.busy += 1;
            idle.given_up.push((work.name.clone(), id, work.event));
        } else if let Some(work) = unknown.get(&spot) {
            idle.busy += 1;
            idle.nameless.push(work.clone());
        } else if gone.is_none_or(|gone| own < Some(gone)) {
            // It was busy until its manager was gone.
            idle.idle.push((id, own));
        }
    }
    // The number of resources that write nothing is unknown.
    pools.retain(|pool, _| alive.contains(pool));
    let pools = pools.into_values().flatten().map(|(_, mut idle)| {
        idle.alive = idle.busy + idle.idle.len();
        idle.idle.sort_by_key(|(_, last)| *last);
        idle.since = idle.idle.iter().filter_map(|i| i.1).max();
        idle
    });
    let mut pools: Vec<IdleResources> = pools.filter(|idle| idle.alive > 0).collect();
    pools.sort_by(|a, b| (a.run, &a.place).cmp(&(b.run, &b.place)));
    Some((pools, resting))
}

/// Empty pool of the resources that could take these work items, and the time since which one of them is unfinished,
/// UTC ns. `None` if it is unknown whether the resources execute some of them.
fn pool(
    carriers: &Instances,
    goal: &Instances,
    (run, place): (Option<usize>, &Id),
    stuck: &[&UnfinishedItem],
) -> Option<(i64, IdleResources)> {
    let since = stuck.iter().filter_map(|s| s.since).min()?;
    // Work that began at an unknown place may be on any of them.
    let ends = |key: &String| carriers.entity.id.iter().any(|id| id.last() == Some(key));
    let is_placed = |s: &UnfinishedItem| s.place.iter().any(|p| ends(&p.0));
    let is_anywhere = |s: &&UnfinishedItem| s.begun_there.is_some() && !is_placed(s);
    // A log without an end that other logs report was truncated, and may have begun other work.
    let is_told = |s: &&UnfinishedItem| !is_anywhere(s) && !s.is_over_there;
    if !stuck.iter().all(is_told) || stuck.iter().all(|s| s.known.unseen.is_some()) {
        return None;
    }
    let idle = IdleResources {
        entity: carriers.entity.name.clone(),
        title: carriers.entity.title.clone(),
        goal: goal.entity.name.clone(),
        run,
        place: place.clone(),
        whose: String::new(),
        alive: 0,
        busy: 0,
        idle: Vec::new(),
        since: None,
        nameless: Vec::new(),
        given_up: Vec::new(),
    };
    Some((since, idle))
}

/// Times since which work is unfinished, UTC ns: only resources of the same runs, and only from then on, are relevant.
struct Since {
    of_run: FxHashMap<Option<usize>, i64>,
    earliest: i64,
}

impl Since {
    /// `None` if no time is known.
    fn of(stuck: &[&UnfinishedItem]) -> Option<Since> {
        let mut of_run: FxHashMap<Option<usize>, i64> = FxHashMap::default();
        for (run, since) in stuck.iter().filter_map(|s| Some((s.run, s.since?))) {
            let first = of_run.entry(run).or_insert(since);
            *first = since.min(*first);
        }
        let earliest = of_run.values().min().copied()?;
        Some(Since { of_run, earliest })
    }

    /// Time for resources of this run; `None` if no work is unfinished in it.
    fn in_run(&self, run: Option<usize>) -> Option<i64> {
        let of_run = self.of_run.get(&run).copied();
        of_run.or(run.is_none().then_some(self.earliest))
    }
}
