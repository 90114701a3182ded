//! Ranking of findings.

use std::cmp::Reverse;

use crate::unfinished::model::{UnfinishedItem, UnfinishedWork};
use widetui_definition::meaning::Severity;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// Brings findings in the order in which they are told: the most telling first.
pub(crate) fn order(look: &Context<'_>, findings: &mut [Finding]) {
    let never_began = never_began(look.hung);
    findings.sort_by_key(|f| {
        // What is known and what was lost: the first of them is the cause. The output of a program has no times, and
        // nobody is nearer to the cause than who broke.
        let (kind, no_time) = match f.kind {
            FindingKind::Lost | FindingKind::Hint => (FindingKind::Hint, i64::MIN),
            // Where no work was ever begun, what was raised again and again is why, and that nothing ended follows from it.
            FindingKind::Exception if never_began && f.count >= AGAIN => {
                (FindingKind::NeverCame, i64::MAX)
            }
            kind => (kind, i64::MAX),
        };
        let first = match says_output(look, f) {
            true => no_time,
            false => f.first.unwrap_or(no_time),
        };
        (
            // What everything else is to be read with.
            kind != FindingKind::Cut,
            Reverse(severity(look, f)),
            kind,
            first,
            f.evidence.first().map_or(0, |e| e.0),
        )
    });
}

/// Whether a loss is told by what somebody printed: that something was lost was seen later than it broke.
fn says_output(look: &Context<'_>, finding: &Finding) -> bool {
    let has_no_time = || finding.evidence.iter().any(|e| look.time(*e).is_none());
    finding.kind == FindingKind::Lost && has_no_time()
}

/// How bad it is beside others: what hangs in a run that did not end is told before what failed in it, though nothing may
/// say that it is over.
fn severity(look: &Context<'_>, finding: &Finding) -> Severity {
    let still_hangs = || {
        let mut evidence = finding.evidence.iter();
        evidence.any(|e| look.still_hangs.contains(e))
    };
    match finding.kind {
        FindingKind::Hung if still_hangs() => Severity::Error,
        _ => finding.severity,
    }
}

/// An exception that was raised so often was not got over.
const AGAIN: u64 = 3;

/// Whether something hangs, and nothing of its kind was ever seen to be carried out.
fn never_began(hung: &UnfinishedWork) -> bool {
    let was_begun = |s: &UnfinishedItem| {
        s.begun_there.is_some() || s.finished_there.is_some() || s.is_executing || s.was_executing
    };
    let mut hanging = hung.hanging().peekable();
    hanging.peek().is_some() && hung.goals.iter().all(|g| g.ended == 0) && !hanging.any(was_begun)
}
