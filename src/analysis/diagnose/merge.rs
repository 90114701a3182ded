//! One thing, one finding: what tells the same in other words goes into the finding that tells more.

use crate::base::ids::EventId;
use crate::format::meaning::Severity;

use super::failures;
use super::look::Look;
use super::{Finding, FindingKind};

/// Events that a finding shows when another one went into it.
const EVIDENCE: usize = 8;

/// Puts findings that are about one thing together.
pub(super) fn merge(look: &Look<'_>, findings: &mut Vec<Finding>) {
    fold(findings, |all, at| told_with(look, all, at), |_, _| {});
    fold(findings, taken_along, |_, _| {});
    fold(findings, same_records, |hint, carriers| {
        hint.text = format!("{} {}", hint.text, carriers.text);
        hint.thing = hint.thing.take().or(carriers.thing.take());
    });
    fold(
        findings,
        |all, at| outweighed(look, all, at),
        |failures, hint| {
            // Two hints may say the same of it.
            if !failures.text.contains(&hint.text) {
                failures.text = format!("{} {}", failures.text, hint.text);
            }
            failures.next = std::mem::take(&mut hint.next);
        },
    );
    fold(
        findings,
        |all, at| explained(look, all, at),
        |hint, failures| {
            let what = failures::what(&failures.title);
            hint.text = format!("{} It is why {what} failed: {}", hint.text, failures.text);
            hint.severity = hint.severity.max(failures.severity);
            hint.thing = hint.thing.take().or(failures.thing.take());
        },
    );
}

/// Takes out the findings for which `target` names another one, and puts them into that.
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

/// The finding of the carriers that took along what a finding of failures tells of, and nothing else.
fn taken_along(findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    if own.kind != FindingKind::Failures || own.severity < Severity::Error {
        return None;
    }
    let took_all = |lost: &Finding| own.events.iter().all(|event| lost.events.contains(event));
    let find = |f: &Finding| f.kind == FindingKind::Lost && took_all(f);
    findings.iter().position(find)
}

/// The finding that tells of an exception as what made something fail: it says more than that there was one.
fn told_with(look: &Look<'_>, findings: &[Finding], at: usize) -> Option<usize> {
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

/// The hint that tells of all the records by which carriers failed.
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

/// What failed, for a hint that is about nothing else, and thinks less of it.
fn outweighed(look: &Look<'_>, findings: &[Finding], at: usize) -> Option<usize> {
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

/// The hint that explains what made all of some goals fail.
fn explained(look: &Look<'_>, findings: &[Finding], at: usize) -> Option<usize> {
    let own = &findings[at];
    if own.kind != FindingKind::Failures || own.evidence.is_empty() {
        return None;
    }
    let why = |event: &EventId| look.why_at.get(event);
    let whys: Vec<&EventId> = own.events.iter().filter_map(why).collect();
    findings.iter().position(|f| {
        let holds = |event: &&EventId| f.events.contains(event);
        let is_cause = f.kind == FindingKind::Hint && f.severity > Severity::Info;
        is_cause && !whys.is_empty() && whys.iter().all(holds)
    })
}
