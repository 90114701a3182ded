//! Work items that records are about, and how these ended: a failure is reported once, with the work item that failed.

use rustc_hash::FxHashSet;

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::ids::EventId;
use widetui_core::words::several;

use crate::findings::context::Context;
use crate::findings::object_repr::of_repr;

/// Outcome of a work item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GoalFate {
    /// Ended, and its last state is no failure.
    Well,
    /// Failed; reported with the work item.
    Failed,
    /// Not ended, or failed in an attempt without a known final result.
    Open,
}

impl Context<'_> {
    /// Finds the work items of some events in one pass over all items; one work item per event.
    pub(crate) fn note_goals(&mut self, events: impl Iterator<Item = u32>) {
        let events: FxHashSet<u32> = events.filter(|e| !self.goal_of.contains_key(e)).collect();
        if events.is_empty() {
            return;
        }
        for (kind, goals) in self.found.work_items().enumerate() {
            for (at, goal) in goals.list.iter().enumerate() {
                let own = goals.events(goal).iter().filter(|id| events.contains(id));
                own.for_each(|id| {
                    self.goal_of.entry(*id).or_insert((kind, at));
                });
            }
        }
    }

    /// Work item by entity number and index.
    pub(crate) fn goal(&self, (kind, at): (usize, usize)) -> Option<(&Instances, &Instance)> {
        let goals = self.found.work_items().nth(kind)?;
        Some((goals, goals.list.get(at)?))
    }

    /// Outcome of a work item.
    pub(crate) fn fate(&self, number: (usize, usize)) -> GoalFate {
        let Some((goals, goal)) = self.goal(number) else {
            return GoalFate::Open;
        };
        let standing = goals.standing(self.snapshot, goal);
        let state = standing.state.map(usize::from);
        let state = state.and_then(|s| goals.states.get(s));
        let is = |states: &[String]| state.is_some_and(|s| states.contains(s));
        match standing.is_final {
            // It ended and began again later.
            false if standing.end.time().is_some() => {
                let last = goals.changes(goal).iter().rev();
                let mut last = last.filter_map(|c| goals.states.get(usize::from(c.state)));
                match last.find(|s| goals.entity.is_final(s)) {
                    Some(s) if goals.entity.failed_states.contains(s) => GoalFate::Open,
                    Some(_) => GoalFate::Well,
                    None => GoalFate::Open,
                }
            }
            true if is(&goals.entity.inconclusive_states) => GoalFate::Open,
            true if is(&goals.entity.failed_states) => GoalFate::Failed,
            true if is(&goals.entity.neutral_states) => GoalFate::Open,
            true => GoalFate::Well,
            false => GoalFate::Open,
        }
    }
}

/// Outcome of all work items that some records are about, if each record is about one that ended. Requires
/// [`Context::note_goals`].
pub(crate) fn all_ended(look: &Context<'_>, events: &[EventId]) -> Option<String> {
    let goal = |event: &EventId| look.goal_of.get(&event.0).copied();
    let goals: Option<FxHashSet<(usize, usize)>> = events.iter().map(goal).collect();
    let goals = goals?;
    let (mut well, mut failed) = (0, 0);
    for goal in &goals {
        match look.fate(*goal) {
            GoalFate::Well => well += 1,
            GoalFate::Failed => failed += 1,
            GoalFate::Open => return None,
        }
    }
    let (entity, _) = look.goal(*goals.iter().next()?)?;
    let all = several(goals.len(), &entity.entity.title);
    Some(match (well, failed) {
        (1, 0) => format!("The {} that it is about succeeded.", entity.entity.title),
        (_, 0) => format!("The {all} that they are about succeeded."),
        (0, 1) => format!("The {} that it is about failed.", entity.entity.title),
        (0, _) => format!("The {all} that they are about failed."),
        _ => format!("Of the {all} that they are about {well} succeeded."),
    })
}

/// Reason keys of a record about a work item, if its first line does not contain them.
pub(crate) fn said(look: &mut Context<'_>, event: EventId, line: &str) -> Option<String> {
    let of = *look.goal_of.get(&event.0)?;
    let why = look.goal(of)?.0.entity.failure_keys.clone();
    let keys = &look.snapshot.catalog.keys;
    let event = look.snapshot.event(event)?;
    let mut said = why.iter().filter_map(|name| {
        let text = look.texts.value(&event, keys.find(name)?)?;
        let text = of_repr(&text)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        (!text.is_empty() && !line.contains(&text)).then_some(text)
    });
    said.next()
}
