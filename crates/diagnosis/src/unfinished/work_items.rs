//! Work items that began and have not ended: their state, dependencies and waiters.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_analysis::entity::{
    IdIndex, Instance, InstanceEnd, Instances, Standing, has_begun, has_ended,
};
use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::cut;
use widetui_definition::semantics::EntityRole;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use crate::unfinished::absent_resources::Arrivals;
use crate::unfinished::coverage::ends_perhaps;
use crate::unfinished::ended_resources::Gone;
use crate::unfinished::last_records::{last_words, latest, told_last};
use crate::unfinished::model::Coverage;
use crate::unfinished::model::{
    FailedDependency, UnfinishedItem, UnfinishedWork, WaitState, WorkItemCounts,
};
use crate::unfinished::unfinished_item::Open;
use crate::unfinished::{attempts, nested_work, wait_graph};
use widetui_analysis::entity::AllInstances;
use widetui_analysis::runs::Run;
use widetui_analysis::runs::Runs;
use widetui_analysis::work_items::Unassigned;
use widetui_analysis::work_items::standings_and_unassigned;

/// Counts the work items of all entities and describes the unfinished ones. `None` when cancelled.
pub(crate) fn look(
    snapshot: &Snapshot,
    found: &AllInstances,
    runs: &mut Runs,
    now: Option<i64>,
    cancel: &Cancel,
    out: &mut UnfinishedWork,
) -> Option<()> {
    let mut counts: Vec<(usize, usize)> = vec![(0, 0); runs.list.len()];
    let mut failed_before: Vec<(&Instances, Vec<bool>)> = Vec::new();
    for instances in found.work_items() {
        let (standings, unplaced) = standings_and_unassigned(snapshot, instances, runs, cancel)?;
        if cancel.is_cancelled() {
            return None;
        }
        let Sorted {
            mut goals,
            open,
            peers,
        } = sort_out(instances, &standings, runs, &mut counts);
        goals.unplaced = unplaced;
        let all = instances.list.iter().zip(&standings);
        let failed: Vec<bool> = all.map(|(i, s)| instances.has_failed(i, s)).collect();
        let repeats = |(at, _): &(usize, &Instance)| {
            failed[*at]
                && failed_before
                    .iter()
                    .any(|of| is_repeated(instances, *at, of))
        };
        goals.repeated = instances.list.iter().enumerate().filter(repeats).count();
        failed_before.push((instances, failed));
        out.goals.push(goals);
        if open.is_empty() {
            continue;
        }
        let kind = WorkItemKind {
            snapshot,
            instances,
            standings: &standings,
            index: instances.index(),
            runs,
            now,
            peers,
            own_keys: own_keys(found, instances),
            comers: Arrivals::new(snapshot, found),
            gone: Gone::of(snapshot, found, instances),
            ends_perhaps: ends_perhaps(snapshot, instances, cancel),
        };
        let first = out.stuck.len();
        let mut waits = waits(instances, &kind.index, &open);
        nested_work::add(snapshot, instances, &open, &mut waits);
        for (goal, waits_for) in open.iter().zip(waits) {
            let waits_for = waits_for.into_iter().map(|at| first + at).collect();
            let stuck = kind.stuck(goal, waits_for, out.stuck.len());
            out.stuck.push(stuck);
        }
        attempts::look(snapshot, found, (instances, &open), &mut out.stuck[first..]);
    }
    for (run, count) in runs.list.iter_mut().zip(counts) {
        run.work_items = count;
    }
    for stuck in &out.stuck {
        let run = stuck.run.and_then(|run| runs.list.get_mut(run));
        if let Some(run) = run.filter(|_| stuck.lost_sight().is_some()) {
            run.executed_after_log += 1;
        }
    }
    sort(&mut out.stuck, &runs.list);
    wait_graph::connect(&mut out.stuck);
    out.mutual = nested_work::mutual(found, &out.stuck);
    Some(())
}

/// True if an instance has a record of one of `failed`, which marks the failed instances of another entity.
fn is_repeated(instances: &Instances, at: usize, failed: &(&Instances, Vec<bool>)) -> bool {
    let (others, failed) = failed;
    instances.events(&instances.list[at]).iter().any(|event| {
        let mut is_failed = false;
        others.for_each_of_event(EventId(*event), |other| is_failed |= failed[other]);
        is_failed
    })
}

/// Number of ended items by run and label.
type Peers = FxHashMap<(Option<usize>, Code), usize>;

/// A work item entity with unfinished instances, and the lookup data for these.
struct WorkItemKind<'a> {
    snapshot: &'a Snapshot,
    instances: &'a Instances,
    /// States of all its instances.
    standings: &'a [Standing],
    index: IdIndex,
    runs: &'a Runs,
    /// Current time, UTC ns, while the run is being written.
    now: Option<i64>,
    peers: Peers,
    own_keys: Vec<String>,
    comers: Arrivals<'a>,
    gone: Gone,
    ends_perhaps: Option<Selection>,
}

impl WorkItemKind<'_> {
    /// Describes an unfinished item; `at` is its index in `UnfinishedWork::stuck`.
    fn stuck(&self, goal: &Open, waits_for: Vec<usize>, at: usize) -> UnfinishedItem {
        let (snapshot, instances) = (self.snapshot, self.instances);
        let instance = &instances.list[goal.at];
        let run = goal.run.and_then(|run| self.runs.list.get(run));
        let entity = &instances.entity;
        let given = instances.assigned_event(instance);
        let given_at = given.and_then(|e| snapshot.event(e)?.time());
        let since = goal
            .standing
            .state_since
            .or(goal.standing.start)
            .or(given_at);
        let last = last_words(snapshot, instances.events(instance));
        let told_last = told_last(snapshot, entity, instances.events(instance), last);
        let state = goal.standing.state;
        let state = state.and_then(|s| instances.states.get(usize::from(s)).cloned());
        let state = state.or(given.map(|_| GIVEN.to_owned()));
        let is = |states: &[String]| state.as_ref().is_some_and(|s| states.contains(s));
        let (is_executing, is_waiting) = (is(&entity.executing_states), is(&entity.waiting_states));
        let place = instances.places(snapshot, instance);
        let id = instances.id(snapshot, instance);
        let mut known = Coverage::of(
            snapshot,
            instances,
            instance,
            (&place, &self.own_keys),
            (self.runs, goal.run),
        );
        // A truncated log shows nothing later.
        let last_change = instances.changes(instance).last().map(|c| c.event);
        known.may_be_over = is_waiting && waits_for.is_empty() && { self.ends_perhaps.as_ref() }
            .zip(last_change)
            .is_some_and(|(records, event)| records.contains(event));
        let end = match &known.cut {
            Some((_, cut)) => self.end(goal).map(|end| end.min(*cut)),
            None => self.end(goal),
        };
        let is_free = waits_for.is_empty() && !is_waiting && known.cut.is_none();
        let span = since.zip(end.filter(|_| is_free));
        known.nobody = span.and_then(|(since, end)| {
            let span = (since, end.saturating_sub(since).max(0));
            let runs = (self.runs, goal.run);
            self.comers.missed(snapshot, runs, &place, span)
        });
        let mut failed = self.failed_first(instance);
        if failed.is_empty() && !is_executing {
            failed.extend(self.gone.before(&place, &id, since));
        }
        let peers_ended = instance
            .label
            .and_then(|l| self.peers.get(&(goal.run, l.1)));
        let run_name = run.filter(|_| self.runs.list.len() > 1);
        UnfinishedItem {
            known,
            told_last,
            own_keys: self.own_keys.clone(),
            waits_unnamed: is_waiting && waits_for.is_empty(),
            waits_for_room: None,
            entity: entity.name.clone(),
            title: entity.title.clone(),
            id,
            number: instances.short_name(snapshot, instance),
            label: instances.label(snapshot, instance),
            because: match is_executing {
                true => None,
                false => because(snapshot, instances, instance, goal.standing.state_since),
            },
            is_executing,
            // Without states only the start can show execution.
            was_executing: self.was_executing(instance)
                || state.is_none() && entity.start.is_some(),
            state,
            since,
            age: end.zip(since).map(|(e, s)| e.saturating_sub(s).max(0)),
            last_event: latest(snapshot, instances.events(instance)),
            events: instances.event_count(instance),
            place,
            begun_there: None,
            longest_attempt: None,
            finished_there: None,
            is_over_there: false,
            retried: None,
            failed_try: None,
            standing: match waits_for.is_empty() {
                _ if run.is_some_and(|r| r.end_event.is_some()) => WaitState::LeftBehind,
                true => WaitState::Root,
                false => WaitState::Waiting,
            },
            root: at,
            waits_for,
            waiters: Vec::new(),
            all_waiters: None,
            run: goal.run,
            peers_ended: peers_ended.copied().unwrap_or(0),
            failed_first: failed,
            run_name: run_name
                .map(Run::short_name)
                .or_else(|| unnamed_run(snapshot, instances, instance)),
            instance: goal.at,
            is_told: true,
        }
    }

    /// Time to which the age of an unfinished item extends, UTC ns: the end of its own run, because other runs may be
    /// years later.
    fn end(&self, goal: &Open) -> Option<i64> {
        let run = goal.run.and_then(|run| self.runs.list.get(run));
        let quit = run.and_then(|r| self.snapshot.event(r.abnormal_end?)?.time());
        let of_all = || self.runs.ends.last.iter().flatten().map(|e| e.1).max();
        let last = run.and_then(|r| r.range).map(|r| r.1).or_else(of_all);
        let goes_on = || crate::unfinished::goes_on(&self.runs.list, goal.run);
        let now = self.now.filter(|_| goes_on());
        quit.or(now).or(last)
    }

    /// Whether an instance was in a state that means execution.
    fn was_executing(&self, instance: &Instance) -> bool {
        let is_execution = |state: u16| {
            let name = self.instances.states.get(usize::from(state));
            name.is_some_and(|name| self.instances.entity.executing_states.contains(name))
        };
        let mut changes = self.instances.changes(instance).iter();
        changes.any(|change| is_execution(change.state))
    }

    /// Failed dependencies of an unfinished item, which should have ended with them.
    fn failed_first(&self, waiter: &Instance) -> Vec<FailedDependency> {
        let instances = self.instances;
        let mut out = Vec::new();
        for at in instances.dependencies(&self.index, waiter) {
            let standing = &self.standings[at];
            let number = instances.short_name(self.snapshot, &instances.list[at]);
            let state = standing.state.map(usize::from);
            let state = state.and_then(|s| instances.states.get(s));
            if has_ended(standing) && standing.state.is_some_and(|s| instances.is_failure(s)) {
                out.push(FailedDependency {
                    name: format!("{} {number}", instances.entity.title),
                    state: state.cloned(),
                    is_failure: true,
                    time: standing.end.time().or(standing.state_since),
                });
            }
        }
        out.sort_by_key(|f| Reverse(f.time));
        out.truncate(FAILED_FIRST);
        out
    }
}

/// State of an item without a record of its begin.
const GIVEN: &str = "given out";

/// Keys that identify work items where they run, because a stand-in has its own numbers there.
fn own_keys(found: &AllInstances, goals: &Instances) -> Vec<String> {
    let stands_in = |of: &&Instances| {
        of.entity.role == EntityRole::StandIn && of.entity.system == goals.entity.system
    };
    let ids = found
        .occurring
        .iter()
        .filter(stands_in)
        .flat_map(|of| &of.entity.id);
    let ends: BTreeSet<&String> = ids.filter_map(|id| id.last()).collect();
    ends.into_iter().cloned().collect()
}

/// Counts of a work item entity, and its unfinished instances.
struct Sorted {
    goals: WorkItemCounts,
    open: Vec<Open>,
    peers: Peers,
}

/// Counts of the instances of a work item entity that have a record in a selection.
pub(crate) fn count_among(
    snapshot: &Snapshot,
    instances: &Instances,
    among: &[bool],
) -> WorkItemCounts {
    let mut goals = no_goals(instances);
    goals.title = format!("selected {}", goals.title);
    let all = instances.list.iter().zip(among);
    for (instance, _) in all.filter(|(_, is_meant)| **is_meant) {
        if !has_begun(instances, instance) {
            goals.unknown += 1;
            continue;
        }
        goals.begun += 1;
        let standing = instances.standing(snapshot, instance);
        if has_ended(&standing) {
            note_end(instances, (instance, &standing), &mut goals);
        }
    }
    goals
}

/// Zero counts for an entity.
fn no_goals(instances: &Instances) -> WorkItemCounts {
    WorkItemCounts {
        entity: instances.entity.name.clone(),
        title: instances.entity.title.clone(),
        begun: 0,
        ended: 0,
        failed: 0,
        unsure: 0,
        longest: None,
        unstated: 0,
        neutral: BTreeMap::new(),
        again: 0,
        repeated: 0,
        unknown: 0,
        absent: instances.absent_dependents,
        unplaced: Unassigned::default(),
    }
}

/// Counts an item that ended.
fn note_end(instances: &Instances, one: (&Instance, &Standing), goals: &mut WorkItemCounts) {
    let (instance, standing) = one;
    let entity = &instances.entity;
    if instances.is_open_again(standing) {
        goals.again += 1;
        return;
    }
    goals.ended += 1;
    let state = standing.state.map(usize::from);
    let state = state.and_then(|s| instances.states.get(s));
    let is = |states: &[String]| usize::from(state.is_some_and(|s| states.contains(s)));
    // Without states the result of an end is unknown, and a loss is a failure.
    let (lost, ended) = match (state, standing.end) {
        // The end of an item whose execution no log reports shows no result either.
        (None, InstanceEnd::Lost(_))
            if instances.assigned_event(instance).is_some() && instance.lost.is_none() =>
        {
            (0, 1)
        }
        (None, InstanceEnd::Lost(_)) => (1, 0),
        (None, _) => (0, 1),
        (Some(_), _) => (0, 0),
    };
    goals.failed += is(&entity.failed_states) + lost;
    goals.unsure += is(&entity.inconclusive_states);
    goals.unstated += ended;
    if let Some(state) = state.filter(|state| entity.neutral_states.contains(state)) {
        *goals.neutral.entry(state.clone()).or_default() += 1;
    }
}

/// Separates ended and unfinished items; `counts` holds the number of each by run.
fn sort_out(
    instances: &Instances,
    standings: &[Standing],
    runs: &mut Runs,
    counts: &mut [(usize, usize)],
) -> Sorted {
    let mut goals = no_goals(instances);
    let mut open = Vec::new();
    let mut peers = Peers::default();
    for (at, (instance, standing)) in instances.list.iter().zip(standings).enumerate() {
        if !has_begun(instances, instance) {
            goals.unknown += 1;
            continue;
        }
        goals.begun += 1;
        let run = runs.run_of_instance(instances, instance);
        if let Some(run) = run {
            counts[run].0 += 1;
        }
        if !has_ended(standing) {
            if let Some(run) = run {
                counts[run].1 += 1;
            }
            open.push(Open {
                at,
                standing: *standing,
                run,
            });
            continue;
        }
        note_end(instances, (instance, standing), &mut goals);
        goals.longest = goals.longest.max(standing.duration());
        if let Some(run) = run.and_then(|r| runs.list.get_mut(r)) {
            run.last_end = run.last_end.max(standing.end.time());
        }
        if let Some((_, label)) = instance.label {
            *peers.entry((run, label)).or_default() += 1;
        }
    }
    Sorted { goals, open, peers }
}

/// Maximum number of failed dependencies listed for an item.
const FAILED_FIRST: usize = 5;

/// Unfinished dependencies of each unfinished item.
fn waits(instances: &Instances, index: &IdIndex, open: &[Open]) -> Vec<Vec<usize>> {
    let place: FxHashMap<usize, usize> = open.iter().enumerate().map(|(n, o)| (o.at, n)).collect();
    let of = |goal: &Open| {
        let all = instances.dependencies(index, &instances.list[goal.at]);
        let others = all.into_iter().filter(|at| *at != goal.at);
        others.filter_map(|w| place.get(&w).copied()).collect()
    };
    open.par_iter().map(of).collect()
}

/// Sorts roots before waiters, later runs before earlier ones, and then by the last state transition.
fn sort(stuck: &mut Vec<UnfinishedItem>, runs: &[Run]) {
    let mut order: Vec<usize> = (0..stuck.len()).collect();
    order.sort_by_key(|at| {
        let s = &stuck[*at];
        let group = match s.standing {
            WaitState::Root if !s.waits_unnamed => 0,
            WaitState::Root | WaitState::Circle | WaitState::Waiting => 1,
            WaitState::LeftBehind => 2,
        };
        let begun = s.run.and_then(|r| runs.get(r)?.range).map(|r| r.0);
        let since = s.since.unwrap_or(i64::MAX);
        (group, Reverse(begun), since, *at)
    });
    let mut rank = vec![0; stuck.len()];
    for (number, at) in order.iter().enumerate() {
        rank[*at] = number;
    }
    for (at, s) in stuck.iter_mut().enumerate() {
        s.root = rank[at];
        s.waits_for.iter_mut().for_each(|w| *w = rank[*w]);
        s.waits_for.sort_unstable();
    }
    let mut sorted: Vec<Option<UnfinishedItem>> =
        std::mem::take(stuck).into_iter().map(Some).collect();
    stuck.extend(order.iter().filter_map(|at| sorted[*at].take()));
}

/// Maximum number of last records that are searched for the reason of a state.
const LOOKED_AT: usize = 64;

/// Reason of a state, from the last record after the transition that names the state.
fn because(
    snapshot: &Snapshot,
    instances: &Instances,
    instance: &Instance,
    since: Option<i64>,
) -> Option<String> {
    let keys = instances.entity.reason_keys.iter();
    let keys: Vec<KeyId> = keys.filter_map(|k| snapshot.catalog.keys.find(k)).collect();
    if keys.is_empty() {
        return None;
    }
    let state = instances.entity.state_key.as_ref();
    let state = state.and_then(|k| snapshot.catalog.keys.find(k))?;
    let said = |id: &u32| {
        let event = snapshot.event(EventId(*id))?;
        let is_before = event.time().zip(since).is_some_and(|(t, s)| t < s);
        // `None` as code: a long value that only the text holds.
        let mut found: Option<(usize, KeyId, Option<Code>)> = None;
        let mut names_state = false;
        if !is_before {
            event.for_each_code(|key, codes, _| {
                names_state |= key == state;
                let rank = keys.iter().position(|k| *k == key);
                if let Some(rank) = rank.filter(|r| found.is_none_or(|f| *r < f.0)) {
                    found = Some((rank, key, codes.first().copied()));
                }
            });
        }
        let (_, key, code) = found.filter(|_| names_state)?;
        let told = match code {
            Some(code) => snapshot.catalog.keys.get(key)?.spelling(code)?,
            None => cut(&TextReader::default().value(&event, key)?, 240),
        };
        Some(told.trim().to_owned()).filter(|told| !told.is_empty())
    };
    let events = instances.events(instance).iter().rev();
    events.take(LOOKED_AT).find_map(said)
}

/// Name of an instance's run if runs have no names and several were opened together.
fn unnamed_run(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> Option<String> {
    let within = instances.entity.run_key.as_ref()?;
    let mut id = instances.id(snapshot, instance).into_iter();
    id.find(|(key, _)| key == within).map(|(_, name)| name)
}
