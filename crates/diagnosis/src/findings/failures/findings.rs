//! Title, text and evidence of a finding of failed work items.

use crate::findings::context::Context;
use crate::findings::exceptions;
use crate::findings::exit_status::ExitStatus;
use crate::findings::failure_groups::FailureGroup;
use crate::findings::failure_reasons::was_executed;
use crate::findings::finding::{EVIDENCE, FailedWork, Finding, FindingKind, Retry};
use crate::findings::process_output;
use crate::findings::retries::retried_before;
use crate::findings::suspicious_words;
use crate::findings::suspicious_words::Says;
use widetui_analysis::entity::{Instance, Instances};
use widetui_analysis::runs::Run;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::{cut, listed, plural, several};
use widetui_definition::semantics::Severity;
use widetui_query::select;

use crate::findings::failures::{Failed, READ};

/// One finding for the kinds of failures beyond the maximum.
pub(crate) fn others(
    goals: &Instances,
    failed: &[Failed],
    groups: &[FailureGroup],
) -> Option<Finding> {
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
        text: format!("Among them: {}.", whys.join("; ")),
        evidence: shown.map(|f| failed[*f].event).collect(),
        events: groups
            .iter()
            .flat_map(|g| &g.members)
            .map(|f| failed[*f].event)
            .collect(),
        count: count as u64,
        failed: Some(FailedWork {
            title: goals.entity.title.clone(),
            label: None,
            count,
        }),
        // Ranked after the kinds with a finding of their own.
        first: None,
        ..Finding::new(
            FindingKind::Failures,
            Severity::Error,
            format!(
                "{} failed in {}",
                several(count, &goals.entity.title),
                several(groups.len(), "other way")
            ),
        )
    })
}

/// Finding of work items that failed in the same way.
pub(crate) fn finding(
    look: &mut Context<'_>,
    goals: &Instances,
    failed: &[Failed],
    group: &FailureGroup,
) -> Finding {
    let FailureGroup {
        members,
        label,
        why,
        others,
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
        let whys = members.iter().map(|m| failed[*m].event);
        let whys: Vec<String> = whys.filter_map(|e| look.reasons.get(&e).cloned()).collect();
        look.unsure_whys.extend(whys);
    }
    if folded > 0 {
        text += &depended(folded, members.len(), title);
    }
    text += &in_other_words(look, goals, failed, (members, others));
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
    // Its own output is more specific than reports of the components that waited for it.
    let status = ExitStatus::find(why);
    let output = output(look, goals, first, status.is_some());
    let mut why = cut(why, 120);
    if let Some(Output {
        event,
        line,
        is_complaint,
    }) = output
    {
        evidence.push(event);
        let line = cut(&line, 160);
        match status {
            // A status only says that it failed.
            Some(status) if !why.contains(&line) => {
                why = format!("{} ({})", cut(&line, 100), status.name());
            }
            None if is_complaint && !why.contains(&line) => {
                let number = goals.short_name(look.snapshot, &goals.list[first.at]);
                text += &format!(" The error output of {title} {number} ends with \"{line}\".");
            }
            _ => {}
        }
    }
    if let Some(status @ ExitStatus::Signal(_)) = ExitStatus::find(&why)
        && !why.contains(&status.name())
    {
        why = format!("{} ({})", why.trim_end_matches('.'), status.name());
    }
    if failed_from_outside(look, goals, failed, first)
        && let Some((other, events)) = retried_before(look, goals, look.time(first.event))
    {
        text += &format!(
            " No record names what it depended on; {title} {other} failed and was retried before: what depends on a \
             {title} is given up when a try of it fails in some versions, even if a later try ends well."
        );
        evidence.extend(events);
    }
    // A failure that may have been retried successfully is only a warning until a record shows that it was final.
    let (severity, verb) = match is_unsure {
        true => (Severity::Warning, "raised an exception"),
        false => (Severity::Error, "failed"),
    };
    Finding {
        text,
        evidence,
        events: members
            .iter()
            .flat_map(|m| {
                std::iter::once(failed[*m].event).chain(failed[*m].folded.iter().copied())
            })
            .collect(),
        subject: match (members.len(), folded) {
            (1, 0) => {
                let goal = &goals.list[first.at];
                Some((goals.entity.name.clone(), goals.id(look.snapshot, goal)))
            }
            _ => None,
        },
        count: (members.len() + folded) as u64,
        first: look.time(first.event),
        next: format!("Read the records of {first_name} from its first to its last."),
        failed: Some(FailedWork {
            title: title.clone(),
            label: Some(label.clone()).filter(|label| !label.is_empty()),
            count: members.len(),
        }),
        retry: match is_unsure {
            true => Retry::Unknown,
            false => Retry::Known,
        },
        ..Finding::new(
            FindingKind::Failures,
            severity,
            format!("{}{of} {verb}: {why}", several(members.len(), title)),
        )
    }
}

/// Maximum number of variants of a reason in the text.
const WORDS: usize = 3;

/// Reasons of similar failures that differ from the first one: another exit code, another value.
fn in_other_words(
    look: &Context<'_>,
    goals: &Instances,
    failed: &[Failed],
    (members, others): (&[usize], &[(String, Vec<usize>)]),
) -> String {
    let title = &goals.entity.title;
    let told = others.iter().filter_map(|(why, all)| {
        let all: Vec<String> = { all.iter() }
            .filter(|m| members.contains(m))
            .map(|m| goals.short_name(look.snapshot, &goals.list[failed[*m].at]))
            .collect();
        let which = match all.len() {
            0 => return None,
            1 => format!("{title} {}", all[0]),
            _ => format!("{} {}", plural(title), listed(&all, WORDS)),
        };
        Some(format!("\"{}\" ({which})", cut(why, 120)))
    });
    let told: Vec<String> = told.collect();
    match told.is_empty() {
        true => String::new(),
        false => format!(" Others say {}.", listed(&told, WORDS)),
    }
}

/// Sentence on the dependents that failed with it.
fn depended(folded: usize, others: usize, title: &str) -> String {
    let they = if folded == 1 { "it" } else { "they" };
    let them = if others == 1 { "it" } else { "them" };
    let which = several(folded, title);
    format!(" {which} failed only because {they} depended on {them}.")
}

/// Whether the first failure has a cause outside its own records: these hold no error, and it was never executed. A
/// work item with an exception of its own needs no other reason, and if others failed before, it may have depended on
/// these.
fn failed_from_outside(
    look: &Context<'_>,
    goals: &Instances,
    failed: &[Failed],
    first: &Failed,
) -> bool {
    let goal = &goals.list[first.at];
    let event = look.snapshot.event(first.event);
    let is_quiet = event.is_some_and(|e| e.level() < Level::Error);
    let time = look.time(first.event);
    let was_before = |f: &Failed| f.event != first.event && look.time(f.event) <= time;
    is_quiet
        && goals.places(look.snapshot, goal).is_empty()
        && !look.reasons.contains_key(&first.event)
        && !failed.iter().any(was_before)
        && !was_executed(goals, goal)
}

/// Record with the traceback where the work item was executed, before its owner received it.
fn cause(
    look: &mut Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
) -> Option<EventId> {
    let told = look.time(event)?;
    let is_executed = |state: u16| {
        let name = goals.states.get(usize::from(state));
        name.is_some_and(|s| goals.entity.executed_states.contains(s))
    };
    let there = goals.changes(goal).iter().rev();
    let mut there = there.filter(|c| is_executed(c.state) && c.event != event && c.time <= told);
    let there = there.next()?.event;
    exceptions::read(&look.message(there)).map(|_| there)
}

/// Maximum number of runs whose failed work items are listed.
const RUNS: usize = 4;

/// Failed work items by run, with the label of the first one: `tasks 1, 2 of kernel 000; 5 of kernel 001.`
fn which(
    look: &Context<'_>,
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
        // The id decides, because the source of the record may belong to another run of the same process.
        let id = goals.id(look.snapshot, &goals.list[failed.at]);
        let owns = |run: &Run| run.id.iter().all(|part| id.contains(part));
        let event = look.snapshot.event(failed.event);
        let run = look.hung.runs.iter().position(owns);
        let run = run.or_else(|| event.and_then(|e| look.run_of(&e)));
        let number = goals.short_name(look.snapshot, &goals.list[failed.at]);
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

/// What the output of a failed work item says about the failure.
struct Output {
    event: EventId,
    line: String,
    /// Whether it is the end of the error output that a definition names.
    is_complaint: bool,
}

/// Output of a failed work item that states why it failed; with `is_status` also output that stands before the report of
/// its exit status.
fn output(
    look: &mut Context<'_>,
    goals: &Instances,
    failed: &Failed,
    is_status: bool,
) -> Option<Output> {
    let goal = &goals.list[failed.at];
    if let Some((event, line)) = complaint(look, goals, goal) {
        return Some(Output {
            event,
            line,
            is_complaint: true,
        });
    }
    let own = own_trouble(look, goals, goal);
    let event = own.or_else(|| {
        let why = look.why_at.get(&failed.event).copied();
        let records: Vec<EventId> = why.into_iter().chain([failed.event]).collect();
        let found = is_status.then(|| process_output::directly_before(look, &records));
        let found = found.flatten()?;
        // A definition may explain it: then the failure is an effect.
        look.claimed.insert(found.0);
        look.why_at.insert(failed.event, found);
        Some(found)
    })?;
    Some(Output {
        event,
        line: look.line(event),
        is_complaint: false,
    })
}

/// Last line that a failed work item wrote to its error output, if a definition names the records of that output.
fn complaint(
    look: &mut Context<'_>,
    goals: &Instances,
    goal: &Instance,
) -> Option<(EventId, String)> {
    let expr = goals.entity.error_output.as_ref()?;
    let output = select(look.snapshot, expr, look.cancel)?;
    let events = || goals.events(goal).iter().map(|id| EventId(*id));
    let source = |id: EventId| look.snapshot.event(id).map(|e| e.source().id);
    let last = events()
        .filter(|id| output.contains(*id))
        .max_by_key(|id| id.0)?;
    // Another last record means that it wrote nothing after the usual lines.
    let here = events().filter(|id| source(*id) == source(last));
    let last = here.max_by_key(|id| id.0).filter(|id| *id == last)?;
    let line = look.message(last);
    let line = line.lines().rev().find(|l| !l.trim().is_empty())?;
    Some((last, line.trim().to_owned()))
}

/// Last record without a level, usually the output of a failed work item, with suspicious words.
fn own_trouble(look: &mut Context<'_>, goals: &Instances, goal: &Instance) -> Option<EventId> {
    let words = &look.snapshot.catalog.words;
    let sounds = |id: &&u32| {
        let Some(event) = look.snapshot.event(EventId(**id)) else {
            return false;
        };
        let is_change = goals.changes(goal).iter().any(|c| c.event == event.id);
        let says = event
            .template()
            .is_some_and(|t| suspicious_words::template(words, &t.text) != Says::Well);
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
        .find(|id| suspicious_words::message(words, &look.message(*id)))
}
