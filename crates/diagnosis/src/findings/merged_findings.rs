//! Merging of findings about the same event: the less specific one becomes a part of the other.

use widetui_core::ids::EventId;
use widetui_core::words::begins_a_word;
use widetui_definition::semantics::Severity;
use widetui_definition::words::WordsDef;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind, Relation};
use crate::findings::last_words;
use crate::findings::process_output;
use crate::findings::process_output::Output;

/// Maximum number of evidence events after a merge.
const EVIDENCE: usize = 8;

/// Merges findings about the same event.
pub(crate) fn merge(look: &mut Context<'_>, findings: &mut Vec<Finding>) {
    let peers: Vec<Option<usize>> = (0..findings.len())
        .map(|at| cause_of_lost_peer(look, findings, at))
        .collect();
    for finding in findings.iter_mut() {
        add_last_output(look, finding);
    }
    let look = &*look;
    fold(
        findings,
        |_, at| peers[at],
        |known, own| known.reason = Some(own.title.clone()),
    );
    fold(findings, |all, at| told_with(look, all, at), |_, _| {});
    fold(findings, taken_along, |_, _| {});
    fold(findings, same_records, |hint, carriers| {
        hint.text = format!("{} {}", hint.text, carriers.text);
        hint.subject = hint.subject.take().or(carriers.subject.take());
    });
    let output = Output::new(look);
    fold(
        findings,
        |all, at| output.known_by(look, all, at),
        |hint, carriers| {
            hint.text = format!("{} {}: {}", hint.text, carriers.title, carriers.text);
            hint.subject = hint.subject.take().or(carriers.subject.take());
            hint.severity = hint.severity.max(carriers.severity);
        },
    );
    fold(
        findings,
        |all, at| printed_before(look, all, at),
        |known, own| known.reason = Some(own.title.clone()),
    );
    fold(
        findings,
        |all, at| output.explains(look, all, at),
        |end, says| process_output::tell(look, end, says),
    );
    fold(
        findings,
        |all, at| outweighed(look, all, at),
        |failures, hint| {
            // Two hints may have the same text.
            if !failures.text.contains(&hint.text) {
                failures.text = format!("{} {}", failures.text, hint.text);
            }
            failures.take_advice(hint);
        },
    );
    fold(
        findings,
        |all, at| explained(look, all, at),
        |hint, failures| {
            hint.effects.push(Finding {
                relation: Some(Relation::Records),
                ..failures.clone()
            });
            if !look.other_work_succeeded() {
                hint.severity = hint.severity.max(failures.severity);
            }
            hint.subject = hint.subject.take().or(failures.subject.take());
        },
    );
}

/// Merges each finding for which `target` returns an index into the finding at that index.
fn fold(
    findings: &mut Vec<Finding>,
    target: impl Fn(&[Finding], usize) -> Option<usize>,
    into: impl Fn(&mut Finding, &mut Finding),
) {
    let targets: Vec<Option<usize>> = (0..findings.len()).map(|at| target(findings, at)).collect();
    for (at, to) in targets.iter().enumerate() {
        let Some(to) = *to else { continue };
        let mut from = findings[at].clone();
        let to = &mut findings[to];
        into(to, &mut from);
        for event in &from.evidence {
            if to.evidence.len() < EVIDENCE && !to.evidence.contains(event) {
                to.evidence.push(*event);
            }
        }
        to.events.append(&mut from.events);
        to.events.extend(from.evidence);
    }
    let mut kept = targets.iter().map(Option::is_none);
    findings.retain(|_| kept.next().unwrap_or(true));
}

/// Finding of the lost resources that took along exactly the failures of a finding.
fn taken_along(findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    if own.kind != FindingKind::Failures || own.severity < Severity::Error {
        return None;
    }
    let took_all = |lost: &Finding| own.events.iter().all(|event| lost.events.contains(event));
    let find = |f: &Finding| f.kind == FindingKind::Lost && took_all(f);
    findings.iter().position(find)
}

/// Finding that reports an exception as the reason of a failure, which is more specific than the exception alone.
fn told_with(look: &Context<'_>, findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    if own.kind != FindingKind::Exception {
        return None;
    }
    let line = look.reasons.get(own.evidence.first()?)?;
    let tells = |finding: &Finding| {
        let reason = |event: &EventId| look.reasons.get(event) == Some(line);
        finding.severity >= own.severity && finding.evidence.iter().any(reason)
    };
    let find = |kind: FindingKind| findings.iter().position(|f| f.kind == kind && tells(f));
    find(FindingKind::Failures).or_else(|| find(FindingKind::Hint))
}

/// Adds to a known message about the end of a command what the command printed last, below the record before.
fn add_last_output(look: &mut Context<'_>, finding: &mut Finding) {
    let words = &look.snapshot.catalog.words;
    let is_known = finding.kind == FindingKind::Hint
        && finding.severity == Severity::Error
        && names_end(words, &finding.title);
    let first = finding
        .events
        .first()
        .copied()
        .filter(|_| is_known && finding.reason.is_none());
    let Some((before, line)) = first.and_then(|id| last_words::printed_before(look, id)) else {
        return;
    };
    finding.evidence.push(before);
    finding.events.push(before);
    finding.reason = Some(line);
}

/// True if a title names the violent end of a process.
fn names_end(words: &WordsDef, title: &str) -> bool {
    let title = title.to_lowercase();
    let mut all = words.stop.iter();
    title.contains("core dumped") || all.any(|word| begins_a_word(&title, word))
}

/// Finding whose exception only reports that a peer process ended, for the exception of that process: its traceback stands
/// before the other one in the same output.
fn cause_of_lost_peer(look: &mut Context<'_>, findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    let id = *own.evidence.first()?;
    if own.kind != FindingKind::Exception || look.time(id).is_some() || is_lost_peer(&own.title) {
        return None;
    }
    let source = look.snapshot.event(id)?.source().id;
    let behind = (1..=BEHIND).map(|far| EventId(id.0.saturating_add(far)));
    let behind: Vec<EventId> = behind
        .take_while(|id| {
            look.snapshot
                .event(*id)
                .is_some_and(|e| e.source().id == source)
        })
        .collect();
    let lines: Vec<String> = behind.into_iter().map(|id| look.message(id)).collect();
    findings.iter().enumerate().position(|(other, f)| {
        let reason = f
            .reason
            .as_deref()
            .filter(|reason| other != at && is_lost_peer(reason));
        reason.is_some_and(|reason| {
            lines
                .iter()
                .flat_map(|m| m.lines())
                .any(|line| line.trim() == reason)
        })
    })
}

/// Maximum number of records behind a traceback that are read.
const BEHIND: u32 = 60;
/// Exceptions of a process whose peer process ended.
const LOST_PEER: [&str; 4] = [
    "EOFError",
    "BrokenPipeError",
    "ConnectionResetError",
    "ConnectionRefusedError",
];

/// True if an exception only reports that the peer process ended.
fn is_lost_peer(line: &str) -> bool {
    LOST_PEER.iter().any(|class| line.starts_with(class))
}

/// Known message in the output of a program, without times, for the error that stands directly before it: it says why.
fn printed_before(look: &Context<'_>, findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    let is_remark = matches!(own.kind, FindingKind::Errors | FindingKind::Exception);
    if !is_remark || own.severity < Severity::Error {
        return None;
    }
    let place = |id: EventId| {
        let event = look.snapshot.event(id)?;
        event.time().is_none().then_some(event.source().id)
    };
    let words = &look.snapshot.catalog.words;
    let is_before = |known: &Finding| {
        let mut events = own.events.iter();
        events.any(|id| {
            let next = EventId(id.0.saturating_add(1));
            known.events.contains(&next) && place(*id).is_some() && place(*id) == place(next)
        })
    };
    findings.iter().position(|known| {
        known.kind == FindingKind::Hint
            && known.severity == Severity::Error
            && known.reason.is_none()
            && names_end(words, &known.title)
            && is_before(known)
    })
}

/// Hint that matches all the records of failed resources.
fn same_records(findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    if own.kind != FindingKind::NeverCame || own.evidence.is_empty() {
        return None;
    }
    findings.iter().position(|f| {
        let is_told = |event: &EventId| f.events.contains(event);
        f.kind == FindingKind::Hint
            && f.severity >= own.severity
            && own.evidence.iter().all(is_told)
    })
}

/// Finding of failures, for a hint of lower severity that only concerns these.
fn outweighed(look: &Context<'_>, findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    if own.kind != FindingKind::Hint || own.events.is_empty() {
        return None;
    }
    findings.iter().position(|f| {
        let whys: Vec<&EventId> = f.events.iter().filter_map(|e| look.why_at.get(e)).collect();
        let is_graver = f.kind == FindingKind::Failures && f.severity > own.severity;
        is_graver && own.events.iter().all(|event| whys.contains(&event))
    })
}

/// Hint that explains the reason of all failures of a finding.
fn explained(look: &Context<'_>, findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    if own.kind != FindingKind::Failures || own.evidence.is_empty() {
        return None;
    }
    // If two runs write to the same logs, the failures of one may be shown by duplicates of the records that hints
    // show.
    let copies = &look.snapshot.duplicates;
    let told_once = |event: &EventId| EventId(copies.original_of(event.0).unwrap_or(event.0));
    let why = |event: &EventId| look.why_at.get(event).map(told_once);
    let whys: Vec<EventId> = own.events.iter().filter_map(why).collect();
    findings.iter().position(|f| {
        let holds = |event: &EventId| f.events.contains(event);
        let is_cause = f.kind == FindingKind::Hint && f.severity > Severity::Info;
        is_cause && !whys.is_empty() && whys.iter().all(holds)
    })
}
