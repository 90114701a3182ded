//! Attempts of unfinished work items: whether one is executing where it runs, and how many there were.

use rustc_hash::FxHashMap;

use widetui_analysis::entity::{InstanceEnd, Instances};
use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use crate::unfinished::model::{Retried, UnfinishedItem};
use crate::unfinished::unfinished_item::Open;
use widetui_analysis::entity::AllInstances;

/// Looks at what goals of a kind that did not end tell themselves, and at their attempts.
pub(crate) fn look(
    snapshot: &Snapshot,
    found: &AllInstances,
    (goals, open): (&Instances, &[Open]),
    stuck: &mut [UnfinishedItem],
) {
    carried_out(snapshot, goals, open, stuck);
    attempts(snapshot, found, (goals, open), stuck);
}

/// What carries an open goal out, for people: its own states tell of it.
const EXECUTION: &str = "execution";

/// Open goals whose states say that they are, or were, carried out where they run. Records of two processes may come in any
/// order, so it is not their last state alone that counts.
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
        // Nothing is carried out any more after a state that comes behind it in the usual order: it is to be tried again.
        let goes_on = |at: &usize| {
            let after = changes[at + 1..].iter();
            let mut behind = after.filter(|c| c.state > changes[*at].state);
            behind.all(|c| is_one(&entity.executed_states, c.state))
        };
        // What another recorder tells of again began when it was told first.
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
        // Whoever owns it knew of that end where it came to a later state: it is to be tried again.
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
            // Carried out again.
            (Some(begun), Some(finished)) if begun.1 > finished.1 => {
                stuck.begun_there = Some(begun)
            }
            (_, Some(finished)) => stuck.finished_there = Some(finished),
            (begun, None) => stuck.begun_there = begun,
        }
    }
}

/// Attempts at open goals: entities whose id is a goal's with something added. What is still at work, what was completed, and how
/// often it was tried.
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
                // Whoever carried it out does not tell of its end, and others took it off their lists.
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
        for (stuck, made) in stuck.iter_mut().zip(made) {
            retried(stuck, &tries.entity.title, made);
        }
    }
}

/// Notes how often something was tried, given the first and the last time of each try. What is told again in the state of the
/// try before is in that state since its own try.
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
