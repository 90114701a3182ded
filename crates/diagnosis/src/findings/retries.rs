//! Findings of work items that failed once and succeeded on retry.

use widetui_analysis::entity::{Instance, InstanceEnd, Instances};
use widetui_core::ids::EventId;
use widetui_core::words::{cut, several};
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::failure_reasons::why_once;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Events around the transition of a work item back to an earlier state, that is a failed attempt.
fn went_back(look: &Context<'_>, goals: &Instances, goal: &Instance) -> Option<Vec<EventId>> {
    let recorder = goals.reporter_of(goal)?;
    let changes = goals.changes_by(goal, recorder);
    let known = goals.entity.states.len();
    // Reports of several processes may be out of order; only a new attempt enters a state twice.
    // So does an item whose first known state is the end of an attempt: such states follow the first final one.
    let states = &goals.entity.states;
    let first_final = states.iter().position(|s| goals.entity.is_final(s));
    let back = changes.windows(2).enumerate().position(|(at, w)| {
        let ends_try = at == 0 && first_final.is_some_and(|f| usize::from(w[0].state) > f);
        let was_there = || ends_try || changes[..at].iter().any(|c| c.state == w[1].state);
        usize::from(w[0].state) < known
            && w[1].state < w[0].state
            && was_there()
            && !look.snapshot.is_empty()
    })?;
    let around = &changes[back..];
    Some(around.iter().take(3).map(|c| c.event).collect())
}

/// Events around a failed attempt that was retried successfully before a time.
pub(crate) fn retried_before(
    look: &Context<'_>,
    goals: &Instances,
    before: Option<i64>,
) -> Option<(String, Vec<EventId>)> {
    let found = goals.list.iter().find_map(|goal| {
        let events = went_back(look, goals, goal)?;
        let first = events.first().and_then(|e| look.time(*e));
        (first <= before).then_some((goal, events))
    })?;
    Some((goals.short_name(look.snapshot, found.0), found.1))
}

/// Finding of work items that succeeded on retry. `failed` holds the indices of those that failed in the end.
pub(crate) fn retried(
    look: &mut Context<'_>,
    goals: &Instances,
    failed: &[usize],
    out: &mut Vec<Finding>,
) {
    let mut count = 0;
    let mut evidence = Vec::new();
    let mut all = Vec::new();
    let mut first = None;
    for (at, goal) in goals.list.iter().enumerate() {
        // An item whose retry is pending has not succeeded.
        let standing = goals.standing(look.snapshot, goal);
        let is_over = standing.is_final || standing.end != InstanceEnd::Unfinished;
        let is_good = is_over && failed.binary_search(&at).is_err();
        if let Some(events) = went_back(look, goals, goal).filter(|_| is_good) {
            count += 1;
            first = first.or(events.first().map(|event| (goal, *event)));
            all.extend(events.first().copied());
            if evidence.len() < EVIDENCE {
                evidence.extend(events.first().copied());
            }
        }
    }
    if count > 0 {
        let title = &goals.entity.title;
        let mut text = "Their retries succeeded.".to_owned();
        let mut heading = format!(
            "{} failed at first and succeeded on retry",
            several(count, title)
        );
        if let Some((goal, event)) = first
            && let Some(why) = why_once(look, goals, goal, event)
        {
            // The reason is shortened, because narrow screens cut the title of an informational finding.
            let why = cut(&why, 120);
            heading += &format!("; the first: {why}");
            text += &format!(" First failure: {why}.");
        }
        out.push(Finding {
            text,
            first: evidence.first().and_then(|e| look.time(*e)),
            evidence,
            events: all,
            count: count as u64,
            ..Finding::new(FindingKind::Failures, Severity::Info, heading)
        });
    }
}
