//! Unfinished work held up by the cause that a hint names. Of similar work in several runs, the part in affected runs is
//! split off.

use rustc_hash::FxHashMap;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::hints::Hint;
use crate::findings::{hanging_work, missed_peers};
use crate::unfinished::missed_peers::Silent;
use crate::unfinished::model::{UnfinishedItem, WaitState};
use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;

use crate::findings::causes::hint_of;

/// Distinct runs of some records, in order of appearance.
pub(crate) fn runs(look: &Context<'_>, events: &[EventId]) -> Vec<Option<usize>> {
    let mut out: Vec<Option<usize>> = Vec::new();
    for event in events.iter().filter_map(|id| look.snapshot.event(*id)) {
        let run = look.run_of(&event);
        if !out.contains(&run) {
            out.push(run);
        }
    }
    out
}

/// Unfinished work items of a finding.
pub(crate) fn stuck_of<'l>(look: &Context<'l>, finding: &Finding) -> Vec<&'l UnfinishedItem> {
    let stuck = look.hung.stuck.iter();
    let is_told = |s: &&UnfinishedItem| s.last_event.is_some_and(|e| finding.events.contains(&e));
    stuck.filter(is_told).collect()
}

/// Order of the silence of the peer that a hint reports missing.
pub(crate) fn silent(look: &Context<'_>, hint: &Hint, told: &Finding) -> Option<Silent> {
    Some(missed_peers::told(look, hint.whom(), *told.evidence.first()?)?.silent)
}

/// Whether all the unfinished work stopped in a run after a hint that blocks work was reported there. Work that had
/// begun continues without the component that distributes it, as long as its result can still be received.
pub(crate) fn holds(
    look: &Context<'_>,
    hints: &[Hint],
    that: &Finding,
    stuck: &[&UnfinishedItem],
) -> bool {
    let Some(hint) = hint_of(look, hints, that).filter(|hint| hint.holds_up) else {
        return false;
    };
    let last = last_of_runs(look, that);
    let is_before = |s: &UnfinishedItem| {
        let own = s.last_event.and_then(|e| look.time(e));
        last.get(&s.run).is_some_and(|last| own <= *last)
    };
    let silent = silent(look, hint, that);
    let is_gone = silent == Some(Silent::First);
    let is_begun = |s: &UnfinishedItem| s.begun_there.is_some() || s.finished_there.is_some();
    let is_left = |s: &UnfinishedItem| s.standing == WaitState::LeftBehind;
    !stuck.is_empty()
        // Both may have been ended because the work hung.
        && silent != Some(Silent::WithOwner)
        // Without a run the owner of the work is unknown.
        && stuck.iter().all(|s| s.run.is_some() && is_before(s))
        && (hint.severity == Severity::Error || !works(look) || stuck.iter().all(|s| is_left(s)))
        && (is_gone || stuck.iter().all(|s| is_left(s) || !is_begun(s)))
}

/// Time of the last record of a finding by run, UTC ns.
fn last_of_runs(look: &Context<'_>, finding: &Finding) -> FxHashMap<Option<usize>, Option<i64>> {
    let mut out: FxHashMap<Option<usize>, Option<i64>> = FxHashMap::default();
    let events = finding.events.iter().chain(&finding.evidence);
    for event in events.filter_map(|id| look.snapshot.event(*id)) {
        let last = out.entry(look.run_of(&event)).or_default();
        *last = (*last).max(event.time());
    }
    out
}

/// Whether any work item in the data ended.
fn works(look: &Context<'_>) -> bool {
    look.hung.goals.iter().any(|goals| goals.ended > 0)
}

/// Splits unfinished work of several runs by its cause in each run.
pub(crate) fn split(look: &Context<'_>, hints: &[Hint], findings: &mut Vec<Finding>) {
    let all = std::mem::take(findings);
    let split = all.iter().map(|finding| parts(look, hints, &all, finding));
    let split: Vec<Vec<Finding>> = split.collect();
    for (finding, parts) in all.into_iter().zip(split) {
        match parts.is_empty() {
            true => findings.push(finding),
            false => findings.extend(parts),
        }
    }
}

/// Parts of one finding; empty if it stays whole.
fn parts(look: &Context<'_>, hints: &[Hint], all: &[Finding], finding: &Finding) -> Vec<Finding> {
    if finding.kind != FindingKind::Hung {
        return Vec::new();
    }
    let mut of_run: Vec<(Option<usize>, Vec<&UnfinishedItem>)> = Vec::new();
    for stuck in stuck_of(look, finding) {
        match of_run.iter_mut().find(|known| known.0 == stuck.run) {
            Some(known) => known.1.push(stuck),
            None => of_run.push((stuck.run, vec![stuck])),
        }
    }
    let mut by_cause: Vec<(Option<usize>, Vec<&UnfinishedItem>)> = Vec::new();
    let is_single = |s: &UnfinishedItem| s.standing == WaitState::Root;
    if of_run.len() < 2 || !of_run.iter().flat_map(|r| &r.1).all(|s| is_single(s)) {
        return Vec::new();
    }
    for (_, stuck) in of_run {
        let cause = all.iter().position(|that| holds(look, hints, that, &stuck));
        match by_cause.iter_mut().find(|known| known.0 == cause) {
            Some(known) => known.1.extend(stuck),
            None => by_cause.push((cause, stuck)),
        }
    }
    if by_cause.len() < 2 {
        return Vec::new();
    }
    by_cause
        .iter()
        .map(|(_, stuck)| hanging_work::root(look, stuck))
        .collect()
}
