//! What hangs, runs that stopped without a word, silences: as findings.

use crate::analysis::hung::words::{clock, place, run_name, several, silence};
use crate::analysis::hung::{Channel, Pace, Stuck, Why};
use crate::base::ids::EventId;
use crate::base::time::format_span;
use crate::format::meaning::Severity;

use super::hint::EVIDENCE;
use super::look::Look;
use super::{Finding, Kind};

/// Kinds of hanging things that get a finding each.
const GROUPS: usize = 20;
/// Silences that get a finding each.
const SILENCES: usize = 5;
/// Records before a silence that are looked at for rare ones.
const BEFORE: usize = 200;

pub(super) fn look(look: &mut Look<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    out.extend(roots(look));
    out.extend(circle(look));
    out.extend(left_behind(look));
    out.extend(abrupt_ends(look));
    out.extend(silences(look));
    out
}

/// Unfinished roots that are alike are one finding.
fn roots(look: &Look<'_>) -> Vec<Finding> {
    let mut groups: Vec<Vec<&Stuck>> = Vec::new();
    for stuck in look.hung.hanging().filter(|s| s.standing == Pace::Root) {
        let alike = |g: &&mut Vec<&Stuck>| {
            let other = g[0];
            // What ran somewhere hangs there, and not with another that never got anywhere.
            (other.run, &other.entity, &other.label, &other.state)
                == (stuck.run, &stuck.entity, &stuck.label, &stuck.state)
                && other.begun_there.is_some() == stuck.begun_there.is_some()
        };
        let is_full = groups.len() >= GROUPS;
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(stuck),
            None if is_full => {}
            None => groups.push(vec![stuck]),
        }
    }
    groups.iter().map(|g| root(look, g)).collect()
}

fn root(look: &Look<'_>, group: &[&Stuck]) -> Finding {
    let first = group[0];
    let title = &first.title;
    let state = first.state.as_deref().unwrap_or("begun");
    let age = first.age.map(format_span).unwrap_or_default();
    let name = match group.len() {
        1 => first.name(),
        n => match &first.label {
            Some(label) => format!("{} ({label})", several(n, title)),
            None => several(n, title),
        },
    };
    let mut text = match &first.begun_there {
        Some((attempt, time, _)) => format!(
            "{title} {} was begun (its last {attempt}) at {} and never ended.",
            first.number(),
            clock(*time, look.zone)
        ),
        None => match &first.finished_there {
            Some((attempt, time, _)) => format!(
                "{title} {} was completed where it ran (its last {attempt}) at {}, but its result did not come back.",
                first.number(),
                clock(*time, look.zone)
            ),
            None => format!(
                "{title} {} is {state} for {age}; no record says that work on it began.",
                first.number()
            ),
        },
    };
    if !first.place.is_empty() {
        text += &format!(" It was last seen at {}.", place(&first.place));
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
    if first.peers_ended > 0 && first.label.is_some() {
        text += &format!(
            " {} of its kind ended.",
            several(first.peers_ended, "other")
        );
    }
    for idle in look.hung.idle.iter().filter(|i| !i.idle.is_empty()) {
        let all = several(idle.alive, &idle.title);
        text += &format!(" {} of {all} have nothing to do.", idle.idle.len());
    }
    let mut evidence: Vec<EventId> = Vec::new();
    for stuck in group.iter().take(EVIDENCE) {
        let there = stuck.begun_there.as_ref().or(stuck.finished_there.as_ref());
        evidence.extend(there.map(|b| b.2).or(stuck.last_event));
    }
    if group.len() == 1 {
        evidence.extend(first.last_event.filter(|e| !evidence.contains(e)));
    }
    Finding {
        kind: Kind::Hung,
        severity: match first.run.and_then(|r| look.hung.runs.get(r)) {
            // Nothing says that the run is over, and it may well go on.
            None => Severity::Warning,
            Some(_) => Severity::Error,
        },
        title: match group.len() {
            1 => format!("{name} began and never ended: {state} for {age}"),
            _ => format!("{name} began and never ended: {state} for up to {age}"),
        },
        text,
        evidence,
        count: group.len() as u64,
        first: first.since,
        next: match &first.begun_there {
            Some(_) => format!(
                "Look at the process that works on {title} {}: a stack of it (py-spy dump), its output, its node.",
                first.number()
            ),
            None => format!(
                "Follow {title} {} from its first record to its last.",
                first.number()
            ),
        },
    }
}

fn circle(look: &Look<'_>) -> Option<Finding> {
    let all: Vec<&Stuck> = look
        .hung
        .hanging()
        .filter(|s| s.standing == Pace::Circle)
        .collect();
    let first = all.first()?;
    let names: Vec<&str> = all.iter().take(8).map(|s| s.number()).collect();
    Some(Finding {
        kind: Kind::Hung,
        severity: Severity::Error,
        title: format!("{} wait for each other", several(all.len(), &first.title)),
        text: format!(
            "{} {}: none of them can begin.",
            first.title,
            names.join(", ")
        ),
        evidence: all
            .iter()
            .filter_map(|s| s.last_event)
            .take(EVIDENCE)
            .collect(),
        count: all.len() as u64,
        first: first.since,
        next: "Look at what made them depend on each other.".to_owned(),
    })
}

fn left_behind(look: &Look<'_>) -> Option<Finding> {
    let all: Vec<&Stuck> = look
        .hung
        .stuck
        .iter()
        .filter(|s| s.standing == Pace::LeftBehind)
        .collect();
    let first = all.first()?;
    let names: Vec<&str> = all.iter().take(8).map(|s| s.number()).collect();
    let more = if all.len() > names.len() { " ..." } else { "" };
    let run = first.run.and_then(|r| look.hung.runs.get(r));
    let mut evidence: Vec<EventId> = all.iter().filter_map(|s| s.last_event).take(3).collect();
    evidence.extend(run.and_then(|r| r.ended));
    let state = first.state.as_deref().unwrap_or("begun");
    Some(Finding {
        kind: Kind::Hung,
        severity: Severity::Warning,
        title: format!(
            "{} did not end before their run did",
            several(all.len(), &first.title)
        ),
        text: format!(
            "{} {}{more} (the first one was {state}). Their {} ended properly without them: the program did not wait for \
             their results, or was interrupted.",
            first.title,
            names.join(", "),
            run.map(run_name).unwrap_or_else(|| "run".to_owned())
        ),
        evidence,
        count: all.len() as u64,
        first: first.since,
        next: "Does the program wait for all that it starts?".to_owned(),
    })
}

fn abrupt_ends(look: &Look<'_>) -> Vec<Finding> {
    let snapshot = look.snapshot;
    let mut out = Vec::new();
    let goal = look.hung.goals.first().map_or("thing", |g| &g.title);
    for run in look.hung.runs.iter() {
        // With nothing unfinished it is only worth knowing, and short excerpts never show an end.
        if !run.has_end || run.ended.is_some() {
            continue;
        }
        let Some((source, last)) = run.own_source else {
            continue;
        };
        let (Some(time), Some(range)) = (look.time(last), run.range) else {
            continue;
        };
        let tag = snapshot.source(source).map(|s| s.tag.clone());
        let tag = tag.unwrap_or_default();
        let after = range.1.saturating_sub(time);
        let wrote_on = match after > 1_000_000_000 {
            true => format!(" Others of it wrote on for {}.", format_span(after)),
            false => " All of its logs end then.".to_owned(),
        };
        let (open, severity) = match run.goals.1 {
            0 => ("Nothing of it was unfinished.".to_owned(), Severity::Info),
            n => (
                format!("{n} of {} were unfinished.", several(run.goals.0, goal)),
                Severity::Warning,
            ),
        };
        out.push(Finding {
            kind: Kind::AbruptEnd,
            severity,
            title: format!("{} did not shut down", run_name(run)),
            text: format!(
                "Its own log ({tag}) ends at {} without the records of a shutdown.{wrote_on} {open} Either it was killed, \
                 or the logs were copied while it ran.",
                clock(time, look.zone)
            ),
            evidence: vec![last],
            count: 1,
            first: Some(time),
            next: "Ask the batch system and the node about that time: time limit, memory, a kill."
                .to_owned(),
        });
    }
    out
}

fn silences(look: &mut Look<'_>) -> Vec<Finding> {
    let silent: Vec<_> = look
        .hung
        .silent
        .iter()
        .filter(|s| s.why == Why::Unknown)
        .collect();
    let own: Vec<_> = look
        .hung
        .runs
        .iter()
        .filter(|r| r.has_end && r.ended.is_none())
        .filter_map(|r| r.own_source.map(|o| o.0))
        .collect();
    let mut out = Vec::new();
    for one in silent.iter().take(SILENCES) {
        // Told with its run.
        if one.channel == Channel::Source && own.contains(&one.source) {
            continue;
        }
        let rare = rare_before(look, one.last_event);
        let mut text = format!(
            "Until then it wrote {} records, 99 in 100 of them within {} of the one before; others wrote {} records since.",
            one.records,
            format_span(one.usual_gap),
            one.others
        );
        let mut evidence = vec![one.last_event];
        if let Some(event) = rare {
            let line = look.line(event);
            text +=
                &format!(" Just before it a record of a kind that occurs only once: \"{line}\".");
            evidence.push(event);
        }
        out.push(Finding {
            kind: Kind::Silence,
            // Whether it had anything left to say is not known.
            severity: match one.channel {
                Channel::Heartbeat(..) => Severity::Warning,
                _ if look.hung.hanging().next().is_some() => Severity::Warning,
                _ => Severity::Info,
            },
            title: silence(one, look.zone),
            text,
            evidence,
            count: 1,
            first: Some(one.last),
            next: "Look at its last records, and whether its process was alive after them."
                .to_owned(),
        });
    }
    out
}

/// A record before another in its source whose template occurs nowhere else.
fn rare_before(look: &Look<'_>, event: EventId) -> Option<EventId> {
    let snapshot = look.snapshot;
    let here = snapshot.event(event)?.source().id;
    let from = event.0.saturating_sub(BEFORE as u32 / 10);
    let near: Vec<EventId> = (from..=event.0)
        .rev()
        .map(EventId)
        .filter(|id| snapshot.event(*id).is_some_and(|e| e.source().id == here))
        .collect();
    let is_alone = |id: &&EventId| {
        let Some(template) = snapshot.event(**id).and_then(|e| e.template()) else {
            return false;
        };
        let count: usize = snapshot
            .segments
            .iter()
            .flat_map(|s| s.groups.iter())
            .filter(|g| {
                let shape = snapshot.catalog.shapes.get(g.shape.index());
                shape.is_some_and(|s| s.template == template.id)
            })
            .map(|g| g.rows.len())
            .sum();
        count == 1
    };
    near.iter().find(is_alone).copied()
}
