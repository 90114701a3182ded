//! Goals that failed: those that failed because others did are folded under them; alike failures are told once.

use rustc_hash::FxHashMap;

use crate::analysis::entity::{Instance, Instances};
use crate::analysis::hung::HungRun;
use crate::base::ids::EventId;
use crate::base::level::Level;
use crate::base::words::{cut, plural, several};
use crate::format::meaning::Severity;
use crate::query::select;

use super::exceptions;
use super::hint::EVIDENCE;
use super::look::Look;
use super::one_cause::{FailureGroup, one_cause};
use super::retried::{retried, retried_before};
use super::together::Together;
use super::trouble::{self, Says};
use super::why::{codes, was_executed, why};
use super::{Finding, FindingKind};

/// Failed goals whose messages are read.
const READ: usize = 3_000;

/// Kinds of failures that get a finding each.
const TOLD: usize = 8;

/// From so many bytes on a name in a line of output is hardly something else.
const LONG: usize = 8;
/// From so many bytes on a whole value that is such a name is hardly something else.
const SHORT: usize = 4;
/// Names of failed goals that are kept.
const NAMES: usize = 10_000;

/// A failed goal that failed by itself.
struct Failed {
    at: usize,
    event: EventId,
    /// Those that failed because of it: where they did.
    folded: Vec<EventId>,
}

/// What became of goals, in titles.
const FAILED: &str = "failed";
const RAISED: &str = "raised an exception";

/// What failed, in the words of the title of a finding.
pub(super) fn what(title: &str) -> &str {
    let behind = [FAILED, RAISED].map(|word| format!(" {word}: "));
    let ends = behind.iter().filter_map(|b| title.find(b.as_str()));
    &title[..ends.min().unwrap_or(title.len())]
}

fn is_inconclusive(goals: &Instances, goal: &Instance) -> bool {
    let Some(recorder) = goals.recorder_of(goal) else {
        return false;
    };
    let changes = goals.changes_by(goal, recorder);
    let state = changes
        .last()
        .and_then(|c| goals.states.get(usize::from(c.state)));
    state.is_some_and(|s| goals.entity.inconclusive.contains(s))
}

/// All failed goals.
pub(super) fn look(look: &mut Look<'_>) -> Option<Vec<Finding>> {
    let mut out = Vec::new();
    for goals in look.found.goals() {
        if look.cancel.is_cancelled() {
            return None;
        }
        of_goals(look, goals, &mut out);
    }
    Some(out)
}

fn failing_event(goals: &Instances, goal: &Instance) -> Option<EventId> {
    let recorder = goals.recorder_of(goal)?;
    let changes = goals.changes_by(goal, recorder);
    let last = goals.last_change(&changes)?;
    let state = goals.states.get(usize::from(last.state))?;
    goals.entity.failed.contains(state).then_some(last.event)
}

fn of_goals(look: &mut Look<'_>, goals: &Instances, out: &mut Vec<Finding>) {
    let mut failed: Vec<Failed> = Vec::new();
    let mut number: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, goal) in goals.list.iter().enumerate() {
        if let Some(event) = failing_event(goals, goal) {
            number.insert(at, failed.len());
            let id = goals.id(look.snapshot, goal).pop();
            let name = id.map(|(_, name)| name);
            let is_name = |n: &&String| n.len() >= SHORT && !n.bytes().all(|b| b.is_ascii_digit());
            look.failed_ids
                .extend(name.iter().filter(is_name).take(NAMES).cloned());
            look.failed_names
                .extend(name.filter(|n| n.len() >= LONG && failed.len() < NAMES));
            failed.push(Failed {
                at,
                event,
                folded: Vec::new(),
            });
        }
    }
    if failed.is_empty() {
        retried(look, goals, out);
        return;
    }
    let index = goals.index();
    let together = Together::of(look, goals, failed.iter().map(|f| (f.at, f.event)));
    let cause = |at: usize| {
        let waits = goals.waits_for(&index, &goals.list[at]);
        let named = waits
            .into_iter()
            .find_map(|w| number.get(&w).copied().filter(|_| w != at));
        named.or_else(|| number.get(&together.cause(at)?).copied())
    };
    // Up the chain to the first one; a chain that bites its tail ends after as many steps as there are failures.
    let causes: Vec<Option<usize>> = failed.iter().map(|f| cause(f.at)).collect();
    let root = |mut one: usize| {
        for _ in 0..failed.len() {
            match causes[one] {
                Some(next) => one = next,
                None => break,
            }
        }
        one
    };
    let roots: Vec<usize> = (0..failed.len()).map(root).collect();
    for (one, root) in roots.iter().enumerate() {
        let event = failed[one].event;
        look.claimed.insert(event.0);
        if *root != one {
            failed[*root].folded.push(event);
            claim_errors(look, goals, &goals.list[failed[one].at]);
        }
    }
    let mut groups: Vec<FailureGroup> = Vec::new();
    let mut of: FxHashMap<(String, String, bool), usize> = FxHashMap::default();
    for (one, root) in roots.iter().enumerate().take(READ) {
        if *root != one {
            continue;
        }
        let goal = &goals.list[failed[one].at];
        let label = goals.label(look.snapshot, goal).unwrap_or_default();
        let why = why(look, goals, goal, failed[one].event);
        let taken_along = (goals.entity.name.clone(), failed[one].at);
        if let Some(loss) = look.taken_along.get(&taken_along).copied() {
            // It is told with the carrier that was lost; so are those that depended on it.
            let title = goals.entity.title.clone();
            let of = look.dependents.entry(loss);
            let (_, events) = of.or_insert_with(|| (title, Vec::new()));
            events.extend(&failed[one].folded);
            continue;
        }
        // Numbers in the message do not make it another one, but a code is what it means.
        let codes = codes(look, goals, goal, failed[one].event);
        let kind: String = why.chars().filter(|c| !c.is_ascii_digit()).collect();
        let kind = codes + &kind;
        let is_unsure = is_inconclusive(goals, goal);
        let at = *of
            .entry((label.clone(), cut(&kind, 60), is_unsure))
            .or_insert_with(|| {
                groups.push(FailureGroup {
                    members: Vec::new(),
                    label,
                    why,
                    is_unsure,
                });
                groups.len() - 1
            });
        groups[at].members.push(one);
    }
    let mut groups = one_cause(groups);
    groups.sort_by_key(|g| {
        let folded: usize = g.members.iter().map(|f| failed[*f].folded.len()).sum();
        std::cmp::Reverse(g.members.len() + folded)
    });
    tell_among(look, goals, &failed, &mut groups);
    let rest = groups.split_off(groups.len().min(TOLD));
    for mut group in groups {
        // The first in time is the one to look at.
        group.members.sort_by_key(|m| {
            let event = failed[*m].event;
            (look.time(event).unwrap_or(i64::MAX), *m)
        });
        out.push(finding(look, goals, &failed, &group));
    }
    out.extend(others(goals, &failed, &rest));
}

/// Of each group keeps those that have a record among those asked about, or from which another failed that has: as far as it
/// has any, as one that has none is left out as a whole, and counted.
fn tell_among(look: &Look<'_>, goals: &Instances, failed: &[Failed], groups: &mut [FailureGroup]) {
    let Some(among) = look.among else {
        return;
    };
    let is_meant = |event: EventId| {
        let mut copies = look.snapshot.copies.group(event.0);
        copies.any(|id| among.contains(EventId(id)))
    };
    let own = goals.with_events(is_meant);
    let is_told = |one: &usize| {
        let one = &failed[*one];
        own[one.at] || one.folded.iter().any(|event| is_meant(*event))
    };
    for group in groups {
        if group.members.iter().any(is_told) {
            group.members.retain(is_told);
        }
    }
}

/// What a goal that failed because of another says of that is told with the other.
fn claim_errors(look: &mut Look<'_>, goals: &Instances, goal: &Instance) {
    for id in goals.events(goal) {
        let level = look.snapshot.event(EventId(*id)).map(|e| e.level());
        if level >= Some(Level::Error) {
            look.claimed.insert(*id);
        }
    }
}

/// Failures that are too many kinds to be told one by one.
fn others(goals: &Instances, failed: &[Failed], groups: &[FailureGroup]) -> Option<Finding> {
    if groups.is_empty() {
        return None;
    }
    let count: usize = groups.iter().map(|g| g.members.len()).sum();
    let shown = groups
        .iter()
        .filter_map(|g| g.members.first())
        .take(EVIDENCE);
    let whys: Vec<String> = groups.iter().take(3).map(|g| cut(&g.why, 60)).collect();
    Some(Finding {
        caused: Vec::new(),
        kind: FindingKind::Failures,
        severity: Severity::Error,
        title: format!(
            "{} failed in {}",
            several(count, &goals.entity.title),
            several(groups.len(), "other way")
        ),
        text: format!("Among them: {}.", whys.join("; ")),
        evidence: shown.map(|f| failed[*f].event).collect(),
        events: groups
            .iter()
            .flat_map(|g| &g.members)
            .map(|f| failed[*f].event)
            .collect(),
        thing: None,
        last: None,
        count: count as u64,
        // Behind those that are told one by one.
        first: None,
        next: String::new(),
    })
}

fn finding(
    look: &mut Look<'_>,
    goals: &Instances,
    failed: &[Failed],
    group: &FailureGroup,
) -> Finding {
    let FailureGroup {
        members,
        label,
        why,
        is_unsure,
    } = group;
    let title = &goals.entity.title;
    let first = &failed[members[0]];
    let of = match label.as_str() {
        "" => String::new(),
        label => format!(" of {label}"),
    };
    let folded: usize = members.iter().map(|m| failed[*m].folded.len()).sum();
    let (mut text, first_name) = which(look, goals, failed, members);
    if *is_unsure {
        text += " Whether it was tried again, and how that ended, is not in these logs: a try that ends well leaves no record \
                 in them.";
    }
    if folded > 0 {
        let they = match folded {
            1 => "it",
            _ => "they",
        };
        let them = match members.len() {
            1 => "it",
            _ => "them",
        };
        text += &format!(
            " {} failed only because {they} depended on {them}.",
            several(folded, title)
        );
    }
    let mut evidence: Vec<EventId> = Vec::new();
    evidence.extend(cause(look, goals, &goals.list[first.at], first.event));
    evidence.push(first.event);
    evidence.extend(
        members[1..]
            .iter()
            .take(EVIDENCE - 2)
            .map(|m| failed[*m].event),
    );
    evidence.extend(members.iter().find_map(|m| failed[*m].folded.first()));
    // Its own output says more than those that waited for it.
    if let Some((event, line)) = complaint(look, goals, &goals.list[first.at]) {
        if !why.contains(&line) {
            let number = goals.number(look.snapshot, &goals.list[first.at]);
            let line = cut(&line, 160);
            text += &format!(" The error output of {title} {number} ends with \"{line}\".");
        }
        evidence.push(event);
    } else {
        evidence.extend(own_trouble(look, goals, &goals.list[first.at]));
    }
    // One whose own records hold no error failed because of something else.
    let is_quiet = look
        .snapshot
        .event(first.event)
        .is_some_and(|e| e.level() < Level::Error);
    let before = look.time(first.event);
    let was_nowhere = goals
        .places(look.snapshot, &goals.list[first.at])
        .is_empty();
    // What raised by itself needs no other reason; and where others failed before, it may as well have depended on those.
    let has_raised = look.reasons.contains_key(&first.event);
    let failed_before = failed
        .iter()
        .any(|f| f.event != first.event && look.time(f.event) <= before);
    if is_quiet
        && was_nowhere
        && !has_raised
        && !failed_before
        && !was_executed(goals, &goals.list[first.at])
        && let Some((other, events)) = retried_before(look, goals, before)
    {
        text += &format!(
            " No record names what it depended on; {title} {other} failed and was retried before: what depends on a \
             {title} is given up when a try of it fails in some versions, even if a later try ends well."
        );
        evidence.extend(events);
    }
    Finding {
        caused: Vec::new(),
        kind: FindingKind::Failures,
        severity: Severity::Error,
        title: format!(
            "{}{of} {}: {}",
            several(members.len(), title),
            if *is_unsure { RAISED } else { FAILED },
            cut(why, 120)
        ),
        text,
        evidence,
        events: members
            .iter()
            .flat_map(|m| {
                std::iter::once(failed[*m].event).chain(failed[*m].folded.iter().copied())
            })
            .collect(),
        thing: match (members.len(), folded) {
            (1, 0) => {
                let goal = &goals.list[first.at];
                Some((goals.entity.name.clone(), goals.id(look.snapshot, goal)))
            }
            _ => None,
        },
        count: (members.len() + folded) as u64,
        first: before,
        last: None,
        next: format!("Read the records of {first_name} from its first to its last."),
    }
}

/// Where it was carried out, the record with the traceback: before its owner heard of it.
fn cause(
    look: &mut Look<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
) -> Option<EventId> {
    let told = look.time(event)?;
    let is_executed = |state: u16| {
        let name = goals.states.get(usize::from(state));
        name.is_some_and(|s| goals.entity.executed.contains(s))
    };
    let there = goals.changes(goal).iter().rev();
    let mut there = there.filter(|c| is_executed(c.state) && c.event != event && c.time <= told);
    let there = there.next()?.event;
    exceptions::read(&look.message(there)).map(|_| there)
}

/// Runs that are told of with the numbers of their failed goals.
const RUNS: usize = 4;

/// Which ones failed, by run where there are several, and what the first one is called: `tasks 1, 2 of kernel 000; 5 of
/// kernel 001.`
fn which(
    look: &Look<'_>,
    goals: &Instances,
    failed: &[Failed],
    members: &[usize],
) -> (String, String) {
    let title = &goals.entity.title;
    let of_run = |run: Option<usize>| match run.and_then(|r| look.hung.runs.get(r)) {
        Some(run) if look.hung.runs.len() > 1 => format!(" of {}", run.name()),
        _ => String::new(),
    };
    let mut by_run: Vec<(Option<usize>, Vec<String>)> = Vec::new();
    let mut first_name = String::new();
    let mut in_order = members.to_vec();
    in_order.sort_unstable();
    for member in &in_order {
        let failed = &failed[*member];
        // Its id tells; the source of its record may be that of another run of the process.
        let id = goals.id(look.snapshot, &goals.list[failed.at]);
        let owns = |run: &HungRun| run.id.iter().all(|part| id.contains(part));
        let event = look.snapshot.event(failed.event);
        let run = look.hung.runs.iter().position(owns);
        let run = run.or_else(|| event.and_then(|e| look.run_of(&e)));
        let number = goals.number(look.snapshot, &goals.list[failed.at]);
        if Some(member) == members.first() {
            first_name = format!("{title} {number}{}", of_run(run));
        }
        match by_run.iter_mut().find(|(known, _)| *known == run) {
            Some((_, numbers)) => numbers.push(number),
            None => by_run.push((run, vec![number])),
        }
    }
    let parts: Vec<String> = by_run
        .iter()
        .take(RUNS)
        .map(|(run, numbers)| {
            let shown = &numbers[..numbers.len().min(8)];
            let more = if numbers.len() > shown.len() {
                " ..."
            } else {
                ""
            };
            format!("{}{more}{}", shown.join(", "), of_run(*run))
        })
        .collect();
    let what = match members.len() {
        1 => title.clone(),
        _ => plural(title),
    };
    let more = match by_run.len().saturating_sub(RUNS) {
        0 => String::new(),
        n => format!("; and of {n} more"),
    };
    (format!("{what} {}{more}.", parts.join("; ")), first_name)
}

/// The last line that a failed goal wrote to its error output, where a definition says which records these are.
fn complaint(look: &mut Look<'_>, goals: &Instances, goal: &Instance) -> Option<(EventId, String)> {
    let expr = goals.entity.complains.as_ref()?;
    let output = select(look.snapshot, expr, look.cancel)?;
    let events = || goals.events(goal).iter().map(|id| EventId(*id));
    let source = |id: EventId| look.snapshot.event(id).map(|e| e.source().id);
    let last = events()
        .filter(|id| output.contains(*id))
        .max_by_key(|id| id.0)?;
    // Where something else stands last, it wrote nothing behind what is always there.
    let here = events().filter(|id| source(*id) == source(last));
    let last = here.max_by_key(|id| id.0).filter(|id| *id == last)?;
    let line = look.message(last);
    let line = line.lines().rev().find(|l| !l.trim().is_empty())?;
    Some((last, line.trim().to_owned()))
}

/// The last record without a level, of the output of a failed goal as a rule, that sounds like trouble.
fn own_trouble(look: &mut Look<'_>, goals: &Instances, goal: &Instance) -> Option<EventId> {
    let sounds = |id: &&u32| {
        let Some(event) = look.snapshot.event(EventId(**id)) else {
            return false;
        };
        let is_change = goals.changes(goal).iter().any(|c| c.event == event.id);
        let says = event
            .template()
            .is_some_and(|t| trouble::template(&t.text) != Says::Well);
        event.level() == Level::Unknown && !is_change && says && event.time().is_none()
    };
    let events = goals.events(goal).iter();
    let found: Vec<EventId> = { events }
        .rev()
        .filter(sounds)
        .take(READ)
        .map(|id| EventId(*id))
        .collect();
    found
        .into_iter()
        .find(|id| trouble::message(&look.message(*id)))
}
