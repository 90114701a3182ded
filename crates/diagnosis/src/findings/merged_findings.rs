//! Merging of findings about the same event: the less specific one becomes a part of the other.

use widetui_core::ids::EventId;
use widetui_core::words::{plural, several};
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::failures;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::process_output;
use crate::findings::process_output::Output;

/// Maximum number of evidence events after a merge.
const EVIDENCE: usize = 8;

/// Merges findings about the same event.
pub(crate) fn merge(look: &Context<'_>, findings: &mut Vec<Finding>) {
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
            let what = failures::what(&failures.title).to_owned();
            hint.caused.push((what, failures.text.clone()));
            if !look.other_work_succeeded() {
                hint.severity = hint.severity.max(failures.severity);
            }
            hint.subject = hint.subject.take().or(failures.subject.take());
        },
    );
}

/// Adds the effects of a finding to its text, a sentence for each kind; runs after all effects are known.
pub(crate) fn tell_caused(finding: &mut Finding) {
    let mut kinds: Vec<(String, usize, Vec<String>)> = Vec::new();
    for (what, text) in finding.caused.drain(..) {
        let (kind, number) = kind_of(&what);
        let text = text.strip_suffix('.').unwrap_or(&text).to_owned();
        match kinds.iter_mut().find(|known| known.0 == kind) {
            Some(known) => {
                known.1 += number;
                known.2.push(text);
            }
            None => kinds.push((kind, number, vec![text])),
        }
    }
    for (nth, (kind, number, texts)) in kinds.iter().enumerate() {
        let also = if nth > 0 { " also" } else { "" };
        let what = match kind.split_once(" of ") {
            Some((thing, of)) => several(*number, &format!("`{of}` {thing}")),
            None => several(*number, kind),
        };
        finding.text += &format!(" This{also} caused {what} to fail: {}.", texts.join("; "));
    }
}

/// Number and singular kind in a phrase such as `2 actions of divide`.
fn kind_of(what: &str) -> (String, usize) {
    let (number, kind) = what.split_once(' ').unwrap_or(("1", what));
    let Ok(number) = number.replace(',', "").parse() else {
        return (what.to_owned(), 1);
    };
    let (thing, of) = match kind.split_once(" of ") {
        Some((thing, of)) => (thing, format!(" of {of}")),
        None => (kind, String::new()),
    };
    let one = |end: &str, to: &str| Some(format!("{}{to}", thing.strip_suffix(end)?));
    let is_one = |single: &String| plural(single) == thing;
    let all = [one("s", ""), one("es", ""), one("ies", "y")];
    let single = all.into_iter().flatten().find(is_one);
    let single = single.filter(|_| number != 1).unwrap_or(thing.to_owned());
    (format!("{single}{of}"), number)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_of_one_kind_are_one_sentence() {
        let caused = [
            ("1 action of divide", "action a."),
            ("2 tasks of hog", "tasks 1, 2."),
            ("3 actions of divide", "actions b, c, d."),
        ];
        let mut finding = Finding {
            kind: FindingKind::Hint,
            severity: Severity::Error,
            title: String::new(),
            text: "It broke.".to_owned(),
            evidence: Vec::new(),
            events: Vec::new(),
            subject: None,
            count: 1,
            first: None,
            last: None,
            next: String::new(),
            url: String::new(),
            caused: caused
                .map(|(what, text)| (what.to_owned(), text.to_owned()))
                .into(),
        };
        tell_caused(&mut finding);
        assert_eq!(
            finding.text,
            "It broke. This caused 4 `divide` actions to fail: action a; actions b, c, d. This also caused 2 `hog` tasks to fail: \
             tasks 1, 2."
        );
    }
}
