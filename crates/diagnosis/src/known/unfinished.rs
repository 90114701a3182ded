//! Unfinished work: items that hold up others or themselves, one fact for those that stand alike.

use widetui_core::ids::EventId;
use widetui_evidence::actors::{InstanceIndex, RecordIndex};
use widetui_evidence::facts::{Fact, Statement};

use super::Context;
use crate::unfinished::alike;
use crate::unfinished::model::{UnfinishedItem, WaitState};

/// Most groups of items with a fact each.
const MOST: usize = 8;

/// Facts of all unfinished work that waits for no other.
pub(super) fn find(context: &Context<'_>) -> Vec<Fact> {
    let roots = context.hung.roots().map(|(_, item)| item);
    // In a run that is being written only work that takes longer than usual is news.
    let roots = roots.filter(|item| context.hung.is_stuck(item));
    let roots: Vec<&UnfinishedItem> = roots.collect();
    let groups = alike(&roots);
    let facts = groups.iter().take(MOST);
    facts.filter_map(|group| fact(context, group)).collect()
}

/// Last event of an item, and the begin of its last attempt.
pub(super) fn events(item: &UnfinishedItem) -> impl Iterator<Item = EventId> {
    let there = item.begun_there.as_ref().map(|b| b.2);
    item.last_event.into_iter().chain(there)
}

fn fact(context: &Context<'_>, group: &[&UnfinishedItem]) -> Option<Fact> {
    let instance = |item: &UnfinishedItem| context.instance(&item.entity, &item.id);
    let first = *group.first()?;
    let item = context
        .hung
        .stuck
        .iter()
        .position(|s| s.id == first.id && s.entity == first.entity)?;
    let last = group.iter().take(10).flat_map(|item| events(item));
    let records: Vec<RecordIndex> = last.filter_map(|e| context.record(e)).collect();
    let waiters = group.iter().flat_map(|i| &i.waiters);
    let waiters = waiters.filter_map(|at| instance(context.hung.stuck.get(*at)?));
    let waiters: Vec<InstanceIndex> = waiters.collect();
    // Those that wait for workers are held up by the work on these.
    let is_busy = first.is_executing && first.waits_for_room.is_none();
    let waiting = context
        .hung
        .stuck
        .iter()
        .filter(|s| is_busy && s.waits_for_room.is_some());
    let waiters: Vec<InstanceIndex> = waiters
        .into_iter()
        .chain(waiting.filter_map(instance))
        .collect();
    let statement = match first.standing {
        WaitState::Circle => Statement::Cycle,
        _ => Statement::Unfinished { item },
    };
    let fact = Fact::new(statement, strength(context, first))
        .about(group.iter().filter_map(|i| instance(i)));
    let mut fact = context.shown(fact, &records).affecting(waiters);
    fact.count = u32::try_from(group.len()).unwrap_or(u32::MAX);
    fact.is_bad = first.standing != WaitState::LeftBehind;
    (!fact.records.is_empty()).then_some(fact)
}

/// Strength by the age against the longest duration of an item of the same kind that ended.
fn strength(context: &Context<'_>, item: &UnfinishedItem) -> f64 {
    match item.standing {
        WaitState::LeftBehind => return 0.4,
        WaitState::Circle => return 0.9,
        WaitState::Root | WaitState::Waiting => {}
    }
    let usual = context.hung.goals.iter().find(|g| g.entity == item.entity);
    let usual = usual.and_then(|g| g.longest).filter(|l| *l > 0);
    match (item.age, usual) {
        (Some(age), Some(usual)) => {
            let times = age as f64 / usual as f64;
            0.9 * times / (times + 1.0)
        }
        _ => 0.6,
    }
}
