//! Interrupts by the user (Ctrl-C, `SIGINT`) are causes in themselves. What stops, fails or is lost in the same run afterwards
//! is an effect, and no error.

use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::causes::exceptions::Reasons;
use crate::findings::causes::held_work;
use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::interrupts::SIGNAL;
use crate::unfinished::run_stops::stop;

/// Longest time between an interrupt and its effects in other processes of the same terminal, which may report it
/// first, ns.
const AT_ONCE: i64 = NS_PER_SECOND;
/// Longest shut-down before the last record of an interrupted run, if the interrupt itself has no time, ns.
const SHUT_DOWN: i64 = 5 * NS_PER_SECOND;

/// Makes failures with no other reason than `SIGINT` an interrupt.
pub(crate) fn find_signals(look: &mut Context<'_>, findings: &mut [Finding]) {
    for finding in findings {
        let is_signal = finding.kind == FindingKind::Failures
            && Reasons::of(look, finding).are_of(&[SIGNAL.to_owned()]);
        if is_signal {
            finding.kind = FindingKind::Interrupted;
            finding.severity = Severity::Warning;
            finding.title = format!("Interrupted by the user ({SIGNAL}): {}", finding.title);
        }
    }
}

/// Runs that an interrupt stopped; `None` for records without a run.
pub(crate) fn runs(look: &Context<'_>, interrupt: &Finding) -> Vec<Option<usize>> {
    let mut runs = held_work::runs(look, &interrupt.events);
    // The output of a program belongs to no run; the program is that of the last run that began before.
    if runs.contains(&None) {
        runs.extend(last_run(look, interrupt.first).map(Some));
    }
    runs
}

/// Whether a finding is an effect of an interrupt.
pub(crate) fn is_effect(look: &Context<'_>, own: &Finding, interrupt: &Finding) -> bool {
    if interrupt.kind != FindingKind::Interrupted || own.kind == FindingKind::Interrupted {
        return false;
    }
    let interrupted = runs(look, interrupt);
    let runs = held_work::runs(look, &own.events);
    if runs.is_empty() || !runs.iter().all(|run| interrupted.contains(run)) {
        return false;
    }
    // An interrupt in a log may be the end of a service after a failure.
    let is_logged = interrupt.severity == Severity::Info;
    let at_once = if is_logged { 0 } else { AT_ONCE };
    let since = |run: &Option<usize>| match interrupt.first {
        Some(time) => Some(time.saturating_sub(at_once)),
        None => {
            let run = run.and_then(|run| look.hung.runs.get(run));
            let stop = run.and_then(|run| stop(look.snapshot, look.hung, run));
            let last = match stop {
                Some(stop) => Some(stop.time),
                None => run
                    .map_or(look.hung.range, |run| run.range)
                    .map(|range| range.1),
            };
            last.map(|last| last.saturating_sub(SHUT_DOWN))
        }
    };
    match own.kind {
        FindingKind::AbruptEnd => true,
        // Work that takes too long may be the reason for the interrupt.
        FindingKind::Hung => {
            let stuck = held_work::stuck_of(look, own);
            !stuck.is_empty() && stuck.iter().all(|stuck| !look.hung.takes_long(stuck))
        }
        FindingKind::Cut | FindingKind::Number | FindingKind::Slow | FindingKind::Interrupted => {
            false
        }
        _ => match own.first {
            Some(first) => runs
                .iter()
                .all(|run| since(run).is_some_and(|since| since <= first)),
            // Later lines of the same output.
            None => is_behind(look, own, interrupt),
        },
    }
}

/// Last run that began before a time, UTC ns, or the last one of all.
fn last_run(look: &Context<'_>, before: Option<i64>) -> Option<usize> {
    let begun = look.hung.runs.iter().enumerate().filter_map(|(at, run)| {
        let begin = run.range?.0;
        before
            .is_none_or(|before| begin <= before)
            .then_some((begin, at))
    });
    begun.max().map(|(_, at)| at)
}

/// Whether all records of a finding follow those of another one in the same source.
fn is_behind(look: &Context<'_>, own: &Finding, other: &Finding) -> bool {
    let source = |id: &EventId| look.snapshot.event(*id).map(|event| event.source().id);
    let last = other.events.iter().max();
    last.is_some_and(|last| {
        let mut events = own.events.iter();
        events.all(|id| id > last && source(id) == source(last))
    })
}
