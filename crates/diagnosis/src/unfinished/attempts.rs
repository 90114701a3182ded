//! Attempts of unfinished work items: whether one is executing where it runs, and how many there were.

use rustc_hash::FxHashMap;

use widetui_analysis::entity::{Instance, InstanceEnd, Instances};
use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use crate::unfinished::model::{Retried, UnfinishedItem};
use crate::unfinished::unfinished_item::Open;
use widetui_analysis::entity::AllInstances;

/// Adds the begin, end and number of attempts to the unfinished work items of an entity, from their own states and
/// from attempt entities.
pub(crate) fn look(
    snapshot: &Snapshot,
    found: &AllInstances,
    (goals, open): (&Instances, &[Open]),
    stuck: &mut [UnfinishedItem],
) {
    carried_out(snapshot, goals, open, stuck);
    attempts(snapshot, found, (goals, open), stuck);
}

/// Title of an attempt that only shows in the states of the work item itself.
const EXECUTION: &str = "execution";

/// Adds begin and end of execution from the states of the work items. Records of two processes may be in any order, so
/// the last state alone does not decide.
fn carried_out(
    snapshot: &Snapshot,
    goals: &Instances,
    open: &[Open],
    stuck: &mut [UnfinishedItem],
) {
    let entity = &goals.entity;
    if entity.executing_states.is_empty() && entity.executed_states.is_empty() {
        return;
    }
    for (goal, stuck) in open.iter().zip(stuck) {
        let changes = goals.changes(&goals.list[goal.at]);
        let is_one = |which: &[String], state: u16| {
            let name = goals.states.get(usize::from(state));
            name.is_some_and(|name| which.contains(name))
        };
        let last = |which: &[String]| changes.iter().rposition(|c| is_one(which, c.state));
        let told = |at: usize| {
            let event = changes[at].event;
            let time = snapshot.event(event)?.time()?;
            Some((EXECUTION.to_owned(), time, event))
        };
        // An execution is over after a later state in the usual order: the next attempt is pending.
        let goes_on = |at: &usize| {
            let after = changes[at + 1..].iter();
            let mut behind = after.filter(|c| c.state > changes[*at].state);
            behind.all(|c| is_one(&entity.executed_states, c.state))
        };
        // A state that another reporter repeats began with the first report.
        let first = |mut at: usize| {
            while let Some(before) = at.checked_sub(1)
                && changes[before].reporter != changes[at].reporter
                && is_one(&entity.executing_states, changes[before].state)
            {
                at = before;
            }
            at
        };
        let begun = last(&entity.executing_states).filter(goes_on);
        let begun = begun.map(first).and_then(told);
        // If a later state follows, the owner knew of that end, and the next attempt is pending.
        let began = changes
            .iter()
            .filter(|c| is_one(&entity.executing_states, c.state));
        let began = began.map(|c| c.state).min();
        let is_unheard = |at: &usize| {
            let after = changes[at + 1..].iter();
            let mut behind = after.filter(|c| began.is_some_and(|began| c.state > began));
            behind.all(|c| is_one(&entity.executed_states, c.state))
        };
        let finished = last(&entity.executed_states)
            .filter(is_unheard)
            .and_then(told);
        match (begun, finished) {
            // Executing again.
            (Some(begun), Some(finished)) if begun.1 > finished.1 => {
                stuck.begun_there = Some(begun)
            }
            (_, Some(finished)) => stuck.finished_there = Some(finished),
            (begun, None) => stuck.begun_there = begun,
        }
    }
}

/// Adds attempts of unfinished work items: entities whose id extends the id of the work item. Notes which are
/// executing, which were completed, and their number.
fn attempts(
    snapshot: &Snapshot,
    found: &AllInstances,
    (goals, open): (&Instances, &[Open]),
    stuck: &mut [UnfinishedItem],
) {
    if open.is_empty() {
        return;
    }
    let mut of_goal = FxHashMap::default();
    for (number, goal) in open.iter().enumerate() {
        let goal = &goals.list[goal.at];
        of_goal.insert((goals.id_keys(goal).to_vec(), goal.id.to_vec()), number);
    }
    let is_attempt = |i: &&Instances| {
        let extends = |id: &Vec<String>| {
            let is_part = |g: &Vec<String>| g.len() < id.len() && id.starts_with(g);
            goals.entity.id.iter().any(is_part)
        };
        i.entity.start.is_some() && !i.entity.is_work_item() && i.entity.id.iter().any(extends)
    };
    for tries in found.occurring.iter().filter(is_attempt) {
        let mut made: Vec<Vec<(i64, i64)>> = vec![Vec::new(); stuck.len()];
        for instance in &tries.list {
            let keys = tries.id_keys(instance);
            let n = keys.len().saturating_sub(1);
            let id = (keys[..n].to_vec(), instance.id[..n].to_vec());
            let Some(number) = of_goal.get(&id) else {
                continue;
            };
            made[*number].extend(instance.range);
            let stuck = &mut stuck[*number];
            let time = |event: EventId| snapshot.event(event).and_then(|e| e.time());
            let known = stuck.failed_try.and_then(time);
            stuck.failed_try = match instance.lost {
                Some(lost) if time(lost) >= known => Some(lost),
                _ => stuck.failed_try,
            };
            let Some(event) = instance.start else {
                continue;
            };
            let (slot, event) = match tries.standing(snapshot, instance).end {
                InstanceEnd::Unfinished => (&mut stuck.begun_there, event),
                InstanceEnd::Ended(_) if instance.lost.is_none() => match instance.end {
                    Some(end) => (&mut stuck.finished_there, end),
                    None => continue,
                },
                // Its resource reports no end of it, but others removed it from their lists.
                InstanceEnd::Lost(_) if instance.lost.is_none() => match instance.obsolete {
                    Some(over) => (&mut stuck.finished_there, over),
                    None => continue,
                },
                _ => continue,
            };
            let Some(time) = time(event) else {
                continue;
            };
            if slot.as_ref().is_none_or(|known| known.1 < time) {
                *slot = Some((tries.entity.title.clone(), time, event));
                stuck.is_over_there = instance.obsolete == Some(event);
            }
        }
        let longest = longest_attempt(snapshot, tries);
        for (stuck, made) in stuck.iter_mut().zip(made) {
            stuck.longest_attempt = stuck.longest_attempt.max(longest);
            retried(stuck, &tries.entity.title, made);
        }
    }
}

/// Number of attempts whose durations are examined.
const EXAMINED: usize = 10_000;

/// Longest duration of the ended attempts, ns.
fn longest_attempt(snapshot: &Snapshot, tries: &Instances) -> Option<i64> {
    let time = |event: EventId| snapshot.event(event)?.time();
    let duration = |attempt: &Instance| match tries.standing(snapshot, attempt).end {
        InstanceEnd::Ended(_) => Some(time(attempt.end?)? - time(attempt.start?)?),
        _ => None,
    };
    let step = tries.list.len() / EXAMINED + 1;
    tries.list.iter().step_by(step).filter_map(duration).max()
}

/// Notes the number of attempts, given the first and last time of each. A state entered before the last attempt began
/// counts from the begin of that attempt.
fn retried(stuck: &mut UnfinishedItem, title: &str, mut made: Vec<(i64, i64)>) {
    made.sort_unstable();
    let ([(first, _), .., last], count) = (&made[..], made.len()) else {
        return;
    };
    let before = made[..count - 1].iter().map(|m| m.1).max();
    if let (Some(since), Some(age)) = (stuck.since, stuck.age)
        && before.is_some_and(|before| since <= before)
        && last.0 > since
    {
        let end = since.saturating_add(age);
        stuck.since = Some(last.0);
        stuck.age = Some(end.saturating_sub(last.0).max(0));
    }
    if stuck
        .retried
        .as_ref()
        .is_none_or(|known| known.count < count)
    {
        stuck.retried = Some(Retried {
            title: title.to_owned(),
            count,
            first: *first,
        });
    }
}
