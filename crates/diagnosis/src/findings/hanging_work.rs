//! Findings of unfinished work items that wait for no other one and may hold others up.

use rustc_hash::FxHashMap;

use crate::unfinished::model::{UnfinishedItem, WaitState};
use crate::unfinished::words::{age, came_back, capital, waits_for_failed, waits_unnamed};
use widetui_analysis::entity::names::format_places;
use widetui_core::ids::EventId;
use widetui_core::words::{listed, plural, several};
use widetui_definition::semantics::Severity;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Maximum number of groups of unfinished work with a finding each.
const GROUPS: usize = 20;
/// Minimum number of similar items with individual labels that share a finding.
const NAMED: usize = 3;
/// Maximum number of items listed by name in a finding.
const CALLED: usize = 8;
/// Age below which unfinished work says nothing: an excerpt, or a copy of the logs of a run, ends somewhere, ns.
const JUST: i64 = NS_PER_SECOND;

/// Findings of unfinished roots; similar ones share a finding, over all runs of the data.
pub(crate) fn roots(look: &Context<'_>) -> Vec<Finding> {
    let roots = look
        .hung
        .hanging()
        .filter(|s| s.standing == WaitState::Root);
    // Work that waits for a known reason that a hint explains is reported by the hint.
    let is_told = |s: &&UnfinishedItem| {
        let last = s.last_event.filter(|_| s.because.is_some());
        last.is_some_and(|e| look.explained.contains(&e.0))
    };
    let roots = roots.filter(|s| !is_told(s) && !look.hung.is_at_work(s));
    let groups = alike(roots);
    groups.iter().take(GROUPS).map(|g| root(look, g)).collect()
}

/// Kind of standstill: entity, state, reason; whether it was begun where it ran, completed there, or waits for a
/// failed dependency.
type How<'s> = (&'s str, Option<&'s str>, Option<&'s str>, [bool; 4]);

fn how(stuck: &UnfinishedItem) -> How<'_> {
    (
        &stuck.entity,
        stuck.state.as_deref(),
        stuck.because.as_deref(),
        // Work that had begun somewhere is not grouped with work that never did.
        [
            stuck.begun_there.is_some(),
            stuck.finished_there.is_some(),
            stuck.lost_sight().is_some() || stuck.known.cut.is_some(),
            !stuck.failed_first.is_empty(),
        ],
    )
}

/// Grouping key of similar items.
#[derive(PartialEq, Eq, Hash)]
enum Kind<'s> {
    /// Label.
    Of(Option<&'s str>),
    /// Place, where the label is irrelevant.
    At(Vec<&'s (String, String)>),
}

/// Whether no record shows that it began: then its label has no influence.
fn never_began(stuck: &UnfinishedItem) -> bool {
    stuck.begun_there.is_none()
        && stuck.finished_there.is_none()
        && !stuck.is_executing
        && !stuck.was_executing
        && stuck.because.is_none()
        && stuck.waits_for.is_empty()
        && stuck.failed_first.is_empty()
}

/// Groups of similar items in order of appearance.
fn alike<'s>(all: impl Iterator<Item = &'s UnfinishedItem>) -> Vec<Vec<&'s UnfinishedItem>> {
    let mut groups: Vec<Vec<&UnfinishedItem>> = Vec::new();
    let mut group_of: FxHashMap<(How<'s>, Kind<'s>), usize> = FxHashMap::default();
    for stuck in all {
        // Items that wait for the same reason are one group whatever their label; so are items that never began at one
        // place.
        let label = stuck.label.as_deref().filter(|_| stuck.because.is_none());
        let kind = match stuck.spot().next().filter(|_| never_began(stuck)) {
            Some(_) => Kind::At(stuck.spot().collect()),
            None => Kind::Of(label),
        };
        let at = *group_of.entry((how(stuck), kind)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(stuck),
            None => groups.push(vec![stuck]),
        }
    }
    by_name(groups)
}

/// Merges groups of one where many items have individual labels: such labels are names, not kinds.
fn by_name(groups: Vec<Vec<&UnfinishedItem>>) -> Vec<Vec<&UnfinishedItem>> {
    let mut alone: FxHashMap<How<'_>, usize> = FxHashMap::default();
    for group in groups.iter().filter(|g| g.len() == 1) {
        *alone.entry(how(group[0])).or_default() += 1;
    }
    let mut out: Vec<Vec<&UnfinishedItem>> = Vec::new();
    let mut named: FxHashMap<How<'_>, usize> = FxHashMap::default();
    for group in groups {
        let how = how(group[0]);
        if group.len() > 1 || alone.get(&how).is_none_or(|n| *n < NAMED) {
            out.push(group);
            continue;
        }
        let at = *named.entry(how).or_insert(out.len());
        match out.get_mut(at) {
            Some(known) => known.extend(group),
            None => out.push(group),
        }
    }
    out
}

/// Finding of similar unfinished items.
pub(crate) fn root(look: &Context<'_>, group: &[&UnfinishedItem]) -> Finding {
    let first = group[0];
    Finding {
        text: called(group) + &text(look, first),
        evidence: evidence(group),
        events: group.iter().filter_map(|s| s.last_event).collect(),
        subject: match group.len() {
            1 => Some((first.entity.clone(), first.id.clone())),
            _ => None,
        },
        count: group.len() as u64,
        first: first.since,
        next: match &first.begun_there {
            Some(_) => format!(
                "Look at the process that works on {}: its stack (gdb, or py-spy for Python), its output, its node.",
                first.called()
            ),
            None => format!(
                "Follow {} from its first record to its last.",
                first.called()
            ),
        },
        ..Finding::new(FindingKind::Hung, severity(look, group), title(look, group))
    }
}

fn severity(look: &Context<'_>, group: &[&UnfinishedItem]) -> Severity {
    let first = group[0];
    let is_held_up = |s: &UnfinishedItem| s.waits_unnamed;
    let is_new = |s: &&UnfinishedItem| s.age.is_some_and(|age| age < JUST);
    match first.run.and_then(|r| look.hung.runs.get(r)) {
        // The run may still be in progress.
        None => Severity::Warning,
        Some(_) if group.iter().all(|s| s.lost_sight().is_some()) => Severity::Warning,
        Some(_) if group.iter().all(|s| s.known.cut.is_some()) => Severity::Warning,
        Some(_) if group.iter().all(|s| s.known.may_be_over) => Severity::Warning,
        // The log of its owner is truncated.
        Some(run) if run.executed_after_log > 0 && first.begun_there.is_none() => Severity::Warning,
        // Waiting work is blocked by its dependency.
        Some(_) if is_held_up(first) && look.hung.hanging().any(|s| !is_held_up(s)) => {
            Severity::Warning
        }
        // The records end just after its begin.
        Some(run) if run.end_event.is_none() && group.iter().all(is_new) => Severity::Warning,
        Some(_) if group.iter().all(|s| was_cut_off(look, s)) => Severity::Warning,
        Some(_) if group.iter().all(|s| s.waits_for_room.is_some()) => Severity::Warning,
        Some(_) => Severity::Error,
    }
}

fn title(look: &Context<'_>, group: &[&UnfinishedItem]) -> String {
    let first = group[0];
    let state = state(first);
    let what = match (&first.begun_there, &first.finished_there, &first.because) {
        (None, Some(_), _) if first.lost_sight().is_some() => {
            "was executed, and it is not known whether its result was received"
        }
        (None, Some(_), _) => "was executed, but its result was not received",
        (None, None, Some(_)) => "did not end",
        _ if first.known.cut.is_some() => "was not seen to end",
        _ if first.known.may_be_over => "may not have ended",
        // No record shows that it began.
        (None, None, None) if !first.is_executing => "did not end",
        _ => "began and never ended",
    };
    let because = first.because.as_ref().map(|b| format!(", {b}"));
    let because = because.unwrap_or_default();
    if let [one] = group {
        return format!(
            "{} {what}: {state}{}{because}",
            one.name(),
            age(one, &look.clock) + &when_cut(one)
        );
    }
    let all = several(group.len(), &first.title);
    let is_one = group.iter().all(|s| s.label == first.label);
    let name = match first.label.as_ref().filter(|_| is_one) {
        Some(label) => format!("{all} ({label})"),
        None => all,
    };
    let oldest = group.iter().max_by_key(|s| s.age);
    let oldest = oldest.map_or_else(String::new, |s| age(s, &look.clock));
    let oldest = oldest.replacen("for", "for up to", 1) + &when_cut(first);
    format!(
        "{name}{} {}: {state}{oldest}{because}",
        in_runs(group),
        what.replacen("was", "were", 1).replacen("its", "their", 1)
    )
}

/// Names of the items, `Tasks 24 (wait) and 25 (fetch). `; empty for a single one.
fn called(group: &[&UnfinishedItem]) -> String {
    if group.len() < 2 {
        return String::new();
    }
    let first = group[0];
    let one_label = group.iter().all(|s| s.label == first.label);
    let one_run = group.iter().all(|s| s.run_name == first.run_name);
    let name = |stuck: &&UnfinishedItem| {
        let run = stuck.run_name.as_ref().filter(|_| !one_run);
        let label = stuck.label.as_ref().filter(|_| !one_label);
        let of = run.map(|r| format!(" of {r}")).unwrap_or_default();
        let kind = label.map(|l| format!(" ({l})")).unwrap_or_default();
        format!("{}{of}{kind}", stuck.number())
    };
    let names: Vec<String> = group.iter().map(name).collect();
    let things = capital(&plural(&first.title));
    format!("{things} {}. ", listed(&names, CALLED))
}

fn text(look: &Context<'_>, first: &UnfinishedItem) -> String {
    let title = &first.title;
    let mut text = how_far(look, first);
    let run = first.run.and_then(|r| look.hung.runs.get(r));
    if let Some((tag, last)) = &first.known.owner
        && run.is_some_and(|r| r.executed_after_log > 0)
        && first.finished_there.is_none()
        && first.known.cut.is_none()
    {
        let last = look.clock.text(*last);
        text += &format!(
            " {tag} ends at {last}, and work went on after that: what became of it is not known."
        );
    }
    if !first.place.is_empty() {
        text += &format!(" It was last seen at {}.", format_places(&first.place));
    }
    if let Some(n) = first.all_waiters.filter(|n| *n > 0) {
        text += &format!(
            " {} for it, directly or through others.",
            match n {
                1 => format!("1 {title} waits"),
                n => format!("{} wait", several(n, title)),
            }
        );
    }
    if let Some(who) = first
        .known
        .asked_by
        .as_ref()
        .filter(|_| first.finished_there.is_some())
    {
        text += &format!(" {who} requested it and has no answer.");
    }
    if let Some(files) = &first.known.unowned {
        text += &format!(" Only {files} would show what waits for it.");
    }
    if first.peers_ended > 0 && first.label.is_some() {
        text += &format!(
            " {} of its kind ended.",
            several(first.peers_ended, "other")
        );
    }
    let idle = look.hung.idle.iter().filter(|i| i.can_take(first));
    for idle in idle.filter(|i| !i.idle.is_empty()) {
        let all = several(idle.alive, &idle.title);
        text += &match (idle.idle.len(), idle.alive) {
            (1, 1) => format!(" The one {} has nothing to do.", idle.title),
            (n, _) => format!(" {n} of {all} have nothing to do."),
        };
    }
    text
}

/// Progress of an item: begun where it ran, completed there, or not begun.
fn how_far(look: &Context<'_>, stuck: &UnfinishedItem) -> String {
    let called = stuck.called();
    if let Some((attempt, time, _)) = &stuck.begun_there {
        let at = look.clock.text(*time);
        return match &stuck.known.cut {
            Some((tag, last)) => format!(
                "{called} was begun (its last {attempt}) at {at}, and whether it ended is not known: {tag} was cut at {}.",
                look.clock.text(*last)
            ),
            None => format!("{called} was begun (its last {attempt}) at {at} and never ended."),
        };
    }
    if let Some((attempt, time, _)) = &stuck.finished_there {
        let at = look.clock.text(*time);
        return format!(
            "{called} was {} where it ran (its last {attempt}) at {at}, but {}.",
            stuck.how_finished(),
            came_back(stuck, &look.clock)
        );
    }
    if let Some((tag, last)) = &stuck.known.cut {
        return format!(
            "{called} was {}{} when {tag} was cut, at {}: what became of it is not known.",
            state(stuck),
            age(stuck, &look.clock),
            look.clock.text(*last)
        );
    }
    let is = match (&stuck.state, stuck.age) {
        (Some(state), Some(_)) => format!(
            "{called} has been in state `{state}`{}",
            age(stuck, &look.clock)
        ),
        (Some(state), None) => format!("{called} is in state `{state}`"),
        (None, _) => format!("{called} was begun{}", age(stuck, &look.clock)),
    };
    if let Some(waits) = waits_for_failed(stuck, &look.clock) {
        format!("{is}: it {waits}, and was not ended for that.")
    } else if let Some(because) = &stuck.because {
        format!("{is} (reason: {because}).")
    } else if let Some(waits) = waits_unnamed(stuck) {
        format!("{is}: it {waits}.")
    } else if stuck.is_executing || stuck.was_executing {
        format!("{is}.")
    } else if let Some(files) = &stuck.known.unseen {
        format!(
            "{is}. It is not known whether work on it began: none of the logs that would show it ({files}) is here."
        )
    } else if let Some(waits) = stuck.waits_for_room() {
        format!("{is}: it {waits}.")
    } else if let Some(nobody) = &stuck.known.nobody {
        format!("{is}. {}", nobody.words())
    } else {
        format!("{is}; no record states that work on it began.")
    }
}

fn evidence(group: &[&UnfinishedItem]) -> Vec<EventId> {
    let mut evidence: Vec<EventId> = Vec::new();
    for stuck in group.iter().take(EVIDENCE) {
        let there = stuck.begun_there.as_ref().or(stuck.finished_there.as_ref());
        evidence.extend(there.map(|b| b.2).or(stuck.last_event));
    }
    if let [one] = group {
        evidence.extend(one.last_event.filter(|e| !evidence.contains(e)));
    }
    evidence
}

fn state(stuck: &UnfinishedItem) -> &str {
    stuck.state.as_deref().unwrap_or("begun")
}

/// ` when dfk was cut`, if the log of its owner is truncated.
fn when_cut(stuck: &UnfinishedItem) -> String {
    let cut = stuck.known.cut.as_ref();
    cut.map(|(tag, _)| format!(" when {tag} was cut"))
        .unwrap_or_default()
}

/// A run whose work items ended this shortly before it exited was making progress, ns.
const MOVING: i64 = 10_000_000_000;

/// Whether an item is unfinished because its run exited while making progress: then the exit is to be explained.
fn was_cut_off(look: &Context<'_>, stuck: &UnfinishedItem) -> bool {
    let run = stuck.run.and_then(|r| look.hung.runs.get(r));
    let quit = run.and_then(|r| Some((r, look.time(r.abnormal_end?)?)));
    quit.is_some_and(|(run, quit)| {
        let moved = run.last_end.max(stuck.since);
        moved.is_some_and(|t| quit.saturating_sub(t) < MOVING)
    })
}

/// ` in 12 runs (000, 001, 002 ...)`, if there are several.
fn in_runs(group: &[&UnfinishedItem]) -> String {
    let mut runs: Vec<&str> = Vec::new();
    for name in group.iter().filter_map(|s| s.run_name.as_deref()) {
        if !runs.contains(&name) {
            runs.push(name);
        }
    }
    if runs.len() < 2 {
        return String::new();
    }
    let shown = runs[..runs.len().min(4)].join(", ");
    let more = if runs.len() > 4 { " ..." } else { "" };
    format!(" in {} runs ({shown}{more})", runs.len())
}
