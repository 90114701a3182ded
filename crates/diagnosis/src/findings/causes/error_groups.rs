//! Errors that share a template and have several causes: those whose cause another finding knows are split off.

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use widetui_core::ids::EventId;

use crate::findings::causes::exceptions::Reasons;
use crate::findings::causes::{rank, tells_reason};

/// Above this number of records, errors are not split by cause.
const MOST: usize = 64;

/// Splits groups of errors by the findings that caused their records, so that each part has one cause or none.
pub(crate) fn split(look: &mut Context<'_>, findings: &mut Vec<Finding>) {
    let is_asked =
        |f: &Finding| f.kind == FindingKind::Errors && (2..=MOST).contains(&f.events.len());
    if !findings.iter().any(is_asked) {
        return;
    }
    let causes: Vec<Reasons> = { findings.iter() }
        .filter(|f| tells_reason(f.kind) && rank(f.kind) < rank(FindingKind::Errors))
        .map(|f| Reasons::of(look, f))
        .collect();
    let mut out = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        match is_asked(&finding) {
            true => out.extend(parts(look, &causes, finding)),
            false => out.push(finding),
        }
    }
    *findings = out;
}

/// Parts of one finding, in the order of their first records.
fn parts(look: &mut Context<'_>, causes: &[Reasons], finding: Finding) -> Vec<Finding> {
    let mut by_cause: Vec<(Option<usize>, Vec<EventId>)> = Vec::new();
    for id in &finding.events {
        let own = Reasons::of_error(look, *id);
        let cause = causes.iter().position(|cause| own.come_of(cause));
        match by_cause.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, events)) => events.push(*id),
            None => by_cause.push((cause, vec![*id])),
        }
    }
    if by_cause.len() < 2 {
        return vec![finding];
    }
    let part = |(_, events): (Option<usize>, Vec<EventId>)| Finding {
        // The part with the first record keeps the title.
        title: match events.first() == finding.events.first() {
            true => finding.title.clone(),
            false => events.first().map_or_else(String::new, |e| look.line(*e)),
        },
        is_first_error: finding.is_first_error && events.first() == finding.events.first(),
        evidence: events.iter().take(EVIDENCE).copied().collect(),
        count: look.once(&events).len() as u64,
        first: events.first().and_then(|e| look.time(*e)),
        events,
        ..finding.clone()
    };
    by_cause.into_iter().map(part).collect()
}
