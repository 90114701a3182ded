//! Goals that began and did not end: what they are at, what they wait for, what waits for them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::analysis::entity::{End, IdIndex, Instance, Instances, Standing};
use crate::base::cancel::Cancel;
use crate::base::dict::Code;
use crate::base::ids::{EventId, KeyId};
use crate::base::words::cut;
use crate::format::meaning::EntityRole;
use crate::store::Snapshot;
use crate::store::texts::TextReader;

use super::gone::Gone;
use super::known::Known;
use super::nobody::Comers;
use super::runs::Runs;
use super::words::called;
use super::{AllInstances, FailedFirst, Goals, Hung, HungOptions, HungRun, Pace, Stuck};
use super::{asking, attempts, waiters};

/// How all instances of a goal stand.
pub(crate) fn standings(snapshot: &Snapshot, instances: &Instances) -> Vec<Standing> {
    let of = |i: &Instance| instances.standing(snapshot, i);
    instances.list.par_iter().map(of).collect()
}

/// Whether an instance was begun, and not only named by others.
pub(crate) fn has_begun(instances: &Instances, instance: &Instance) -> bool {
    match &instances.entity.start {
        Some(_) => instance.start.is_some(),
        None if instances.entity.state.is_some() => !instances.changes(instance).is_empty(),
        None => instance.range.is_some(),
    }
}

/// Whether an instance ended.
pub(crate) fn has_ended(standing: &Standing) -> bool {
    standing.is_final || standing.end != End::Open
}

pub(super) fn look(
    snapshot: &Snapshot,
    found: &AllInstances,
    runs: &mut Runs,
    asked: &HungOptions,
    cancel: &Cancel,
    out: &mut Hung,
) -> Option<()> {
    let mut counts: Vec<(usize, usize)> = vec![(0, 0); runs.list.len()];
    for instances in found.goals() {
        let standings = standings(snapshot, instances);
        if cancel.is_cancelled() {
            return None;
        }
        let Sorted { goals, open, peers } = sort_out(instances, &standings, runs, &mut counts);
        out.knows_goals |= goals.begun > 0;
        out.goals.push(goals);
        let peers_ended = |i: &Instance| i.label.and_then(|l| peers.get(&l.1)).copied();
        if open.is_empty() {
            continue;
        }
        let first = out.stuck.len();
        let index = instances.index();
        let mut waits = waits(instances, &index, &open);
        asking::add(snapshot, instances, &open, &mut waits);
        let own_keys = own_keys(found, instances);
        let comers = Comers::new(snapshot, found);
        let gone = Gone::of(snapshot, found, instances);
        for ((at, standing, run), waits_for) in open.iter().zip(&waits) {
            let instance = &instances.list[*at];
            let run_of = run.and_then(|r| runs.list.get(r));
            // To the end of its own run: other runs of the data may come years later.
            let quit = run_of.and_then(|r| snapshot.event(r.quit?)?.time());
            let last = run_of.and_then(|r| r.range).map(|r| r.1);
            let last = last.or(runs.ends.last.iter().flatten().map(|e| e.1).max());
            let now = asked.now.filter(|_| super::goes_on(&runs.list, *run));
            let end = quit.or(now).or(last);
            let since = standing.since.or(standing.start);
            let has_left = run_of.is_some_and(|r| r.ended.is_some());
            let last = last_words(snapshot, instances.events(instance));
            let state = standing.state.and_then(|s| {
                let name = instances.states.get(usize::from(s));
                name.cloned()
            });
            let is = |states: &[String]| state.as_ref().is_some_and(|s| states.contains(s));
            let is_executing = is(&instances.entity.executing);
            let is_waiting = is(&instances.entity.waiting);
            let executed = |state: u16| {
                let name = instances.states.get(usize::from(state));
                name.is_some_and(|name| instances.entity.executing.contains(name))
            };
            let mut changes = instances.changes(instance).iter();
            let place = instances.places(snapshot, instance);
            let mut known = Known::of(snapshot, instances, instance, &place, (runs, *run));
            // Of what was cut nothing is known after that.
            let end = match &known.cut {
                Some((_, cut)) => end.map(|end| end.min(*cut)),
                None => end,
            };
            let is_free = waits_for.is_empty() && !is_waiting && known.cut.is_none();
            let span = since.zip(end.filter(|_| is_free));
            known.nobody = span.and_then(|(since, end)| {
                let span = (since, end.saturating_sub(since).max(0));
                comers.missed(snapshot, (runs, *run), &place, span)
            });
            let id = instances.id(snapshot, instance);
            let mut failed = failed_first(snapshot, instances, &index, &standings, instance);
            if failed.is_empty() && !is_executing {
                failed.extend(gone.before(&place, &id, since));
            }
            let template = last.and_then(|e| snapshot.event(e)?.template());
            out.stuck.push(Stuck {
                known,
                last_template: template.map(|t| t.hash),
                own_keys: own_keys.clone(),
                waits_unnamed: is_waiting && waits_for.is_empty(),
                waits_for_room: None,
                entity: instances.entity.name.clone(),
                title: instances.entity.title.clone(),
                id,
                number: instances.number(snapshot, instance),
                label: instances.label(snapshot, instance),
                because: match is_executing {
                    true => None,
                    false => because(snapshot, instances, instance, standing.since),
                },
                is_executing,
                // Of one without states, its start is all that could say so.
                was_executing: changes.any(|c| executed(c.state))
                    || state.is_none() && instances.entity.start.is_some(),
                state,
                since,
                age: end.zip(since).map(|(e, s)| e.saturating_sub(s).max(0)),
                last_event: last,
                events: instances.count(instance),
                place,
                begun_there: None,
                finished_there: None,
                retried: None,
                standing: match waits_for.is_empty() {
                    _ if has_left => Pace::LeftBehind,
                    true => Pace::Root,
                    false => Pace::Waiting,
                },
                root: out.stuck.len(),
                waits_for: waits_for.iter().map(|w| first + w).collect(),
                waiters: Vec::new(),
                all_waiters: None,
                run: *run,
                peers_ended: peers_ended(instance).unwrap_or(0),
                failed_first: failed,
                run_name: run_of
                    .filter(|_| runs.list.len() > 1)
                    .map(called)
                    .or_else(|| unnamed_run(snapshot, instances, instance)),
                instance: *at,
                is_told: true,
            });
        }
        attempts::look(snapshot, found, (instances, &open), &mut out.stuck[first..]);
    }
    for (run, count) in runs.list.iter_mut().zip(counts) {
        run.goals = count;
    }
    for stuck in &out.stuck {
        let run = stuck.run.and_then(|run| runs.list.get_mut(run));
        if let Some(run) = run.filter(|_| stuck.lost_sight().is_some()) {
            run.outlived += 1;
        }
    }
    sort(&mut out.stuck, &runs.list);
    waiters::connect(&mut out.stuck);
    out.mutual = asking::mutual(found, &out.stuck);
    Some(())
}

/// The keys by which goals are called where they run: what stands in for them has its own numbers there.
fn own_keys(found: &AllInstances, goals: &Instances) -> Vec<String> {
    let stands_in = |of: &&Instances| {
        of.entity.role == EntityRole::StandIn && of.entity.system == goals.entity.system
    };
    let ids = found
        .all
        .iter()
        .filter(stands_in)
        .flat_map(|of| &of.entity.id);
    let ends: BTreeSet<&String> = ids.filter_map(|id| id.last()).collect();
    ends.into_iter().cloned().collect()
}

/// A goal that did not end: its place in the list of its kind, how it stands, its run.
pub(super) type Open = (usize, Standing, Option<usize>);

/// The goals of a kind, counted, and those of them that did not end.
struct Sorted {
    goals: Goals,
    open: Vec<Open>,
    /// By label: how many with it ended.
    peers: FxHashMap<Code, usize>,
}

/// The instances of a goal that are among some, counted.
pub(super) fn count_among(snapshot: &Snapshot, instances: &Instances, among: &[bool]) -> Goals {
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
            note_end(instances, &standing, &mut goals);
        }
    }
    goals
}

/// None of them counted yet.
fn no_goals(instances: &Instances) -> Goals {
    Goals {
        entity: instances.entity.name.clone(),
        title: instances.entity.title.clone(),
        begun: 0,
        ended: 0,
        failed: 0,
        unsure: 0,
        neutral: 0,
        again: 0,
        unknown: 0,
        absent: instances.absent,
    }
}

/// Counts one that ended.
fn note_end(instances: &Instances, standing: &Standing, goals: &mut Goals) {
    let entity = &instances.entity;
    goals.ended += 1;
    let state = standing.state.map(usize::from);
    let state = state.and_then(|s| instances.states.get(s));
    let is = |states: &[String]| usize::from(state.is_some_and(|s| states.contains(s)));
    // Without states an end does not say how it went, and what was lost did not go well.
    let (lost, ended) = match (state, standing.end) {
        (None, End::Lost(_)) => (1, 0),
        (None, _) => (0, 1),
        (Some(_), _) => (0, 0),
    };
    goals.failed += is(&entity.failed) + lost;
    goals.unsure += is(&entity.inconclusive);
    goals.neutral += is(&entity.neutral) + ended;
    goals.again += usize::from(!standing.is_final && !entity.goes_on.is_empty());
}

/// Tells those that ended from those that did not; `counts` has how many there are of either in each run.
fn sort_out(
    instances: &Instances,
    standings: &[Standing],
    runs: &mut Runs,
    counts: &mut [(usize, usize)],
) -> Sorted {
    let mut goals = no_goals(instances);
    let mut open = Vec::new();
    let mut peers: FxHashMap<Code, usize> = FxHashMap::default();
    for (at, (instance, standing)) in instances.list.iter().zip(standings).enumerate() {
        if !has_begun(instances, instance) {
            goals.unknown += 1;
            continue;
        }
        goals.begun += 1;
        let run = runs.of(instances, instance);
        if let Some(run) = run {
            counts[run].0 += 1;
        }
        if !has_ended(standing) {
            if let Some(run) = run {
                counts[run].1 += 1;
            }
            open.push((at, *standing, run));
            continue;
        }
        note_end(instances, standing, &mut goals);
        if let Some(run) = run.and_then(|r| runs.list.get_mut(r)) {
            run.last_end = run.last_end.max(standing.end.time());
        }
        if let Some((_, label)) = instance.label {
            *peers.entry(label).or_default() += 1;
        }
    }
    Sorted { goals, open, peers }
}

/// What waited for failed ones is told of at most so many of them.
const FAILED_FIRST: usize = 5;

/// What an open instance waits for and that failed: it should have ended with that.
fn failed_first(
    snapshot: &Snapshot,
    instances: &Instances,
    index: &IdIndex,
    standings: &[Standing],
    waiter: &Instance,
) -> Vec<FailedFirst> {
    let mut out = Vec::new();
    for at in instances.waits_for(index, waiter) {
        let standing = &standings[at];
        let number = instances.number(snapshot, &instances.list[at]);
        let state = standing.state.map(usize::from);
        let state = state.and_then(|s| instances.states.get(s));
        if has_ended(standing) && state.is_some_and(|s| instances.entity.failed.contains(s)) {
            out.push(FailedFirst {
                name: format!("{} {number}", instances.entity.title),
                state: state.cloned(),
                is_failure: true,
                time: standing.end.time().or(standing.since),
            });
        }
    }
    out.sort_by_key(|f| std::cmp::Reverse(f.time));
    out.truncate(FAILED_FIRST);
    out
}

/// For each open instance the open ones that it waits for.
fn waits(instances: &Instances, index: &IdIndex, open: &[Open]) -> Vec<Vec<usize>> {
    let place: FxHashMap<usize, usize> = open.iter().enumerate().map(|(n, o)| (o.0, n)).collect();
    let of = |(at, ..): &Open| {
        let all = instances.waits_for(index, &instances.list[*at]);
        let others = all.into_iter().filter(|w| w != at);
        others.filter_map(|w| place.get(&w).copied()).collect()
    };
    open.par_iter().map(of).collect()
}

/// Roots first, then what waits; what belongs to the latest run first, since that is the one that people ask about;
/// each by its last change of state.
fn sort(stuck: &mut Vec<Stuck>, runs: &[HungRun]) {
    let mut order: Vec<usize> = (0..stuck.len()).collect();
    order.sort_by_key(|at| {
        let s = &stuck[*at];
        let group = match s.standing {
            Pace::Root if !s.waits_unnamed => 0,
            Pace::Root | Pace::Circle | Pace::Waiting => 1,
            Pace::LeftBehind => 2,
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
    let mut sorted: Vec<Option<Stuck>> = std::mem::take(stuck).into_iter().map(Some).collect();
    stuck.extend(order.iter().filter_map(|at| sorted[*at].take()));
}

/// Records from the last one on in which it is looked for why something is in its state.
const LOOKED_AT: usize = 64;

/// Why something is in its state, as the last record says that came after it and names the state.
fn because(
    snapshot: &Snapshot,
    instances: &Instances,
    instance: &Instance,
    since: Option<i64>,
) -> Option<String> {
    let keys = instances.entity.because.iter();
    let keys: Vec<KeyId> = keys.filter_map(|k| snapshot.catalog.keys.find(k)).collect();
    if keys.is_empty() {
        return None;
    }
    let state = instances.entity.state.as_ref();
    let state = state.and_then(|k| snapshot.catalog.keys.find(k))?;
    let said = |id: &u32| {
        let event = snapshot.event(EventId(*id))?;
        let is_before = event.time().zip(since).is_some_and(|(t, s)| t < s);
        // Without a code: a long one, which only the text has.
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

/// The last thing that a log says; rows of databases are what others noted of it, and count only when there is nothing else.
fn last_words(snapshot: &Snapshot, events: &[u32]) -> Option<EventId> {
    let is_said = |id: &&u32| {
        let event = snapshot.event(EventId(**id));
        event.is_some_and(|e| e.time().is_some() && !e.source().is_table)
    };
    let said = events.iter().rev().find(is_said);
    said.or(events.last()).copied().map(EventId)
}

/// What the run of an instance is called where runs have no names and several were opened together.
fn unnamed_run(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> Option<String> {
    let within = instances.entity.within.as_ref()?;
    let mut id = instances.id(snapshot, instance).into_iter();
    id.find(|(key, _)| key == within).map(|(_, name)| name)
}
