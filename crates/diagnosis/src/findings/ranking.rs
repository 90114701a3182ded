//! Ranking of findings.

use std::cmp::Reverse;

use widetui_core::ids::SourceId;
use widetui_core::level::Level;

use crate::unfinished::model::{UnfinishedItem, UnfinishedWork, WaitState};
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::suspicious_words;

/// Sorts findings, the most important first.
pub(crate) fn order(look: &mut Context<'_>, findings: &mut [Finding]) {
    let never_began = never_began(look.hung);
    let exceptions = { findings.iter() }
        .filter(|f| f.kind == FindingKind::Exception && f.severity == Severity::Error)
        .filter_map(|f| Some((source(look, f), f.first?)));
    let exceptions: Vec<(Option<SourceId>, i64)> = exceptions.collect();
    findings.sort_by_cached_key(|f| {
        let ended = ended_at(look, f);
        let is_coded = f.kind == FindingKind::Errors && names_code(look, f);
        // Known messages and losses rank by time: the first is the cause. Program output has no times and comes first,
        // because it is closest to the cause.
        let (kind, no_time) = match f.kind {
            FindingKind::Lost | FindingKind::Hint => (FindingKind::Hint, i64::MIN),
            // A code names its error as exactly as a known message.
            FindingKind::Errors if is_coded => (FindingKind::Hint, i64::MIN),
            // What another program reported before may be the reason.
            FindingKind::Errors if is_before(look, f, &exceptions) => {
                (FindingKind::Exception, i64::MAX)
            }
            // If no work ever began, a repeated exception is the cause of that.
            FindingKind::Exception if never_began && f.count >= AGAIN => {
                (FindingKind::NeverCame, i64::MAX)
            }
            // The end of the program is the cause of later messages of other programs.
            FindingKind::Exception if ended.is_some() => (FindingKind::Hint, i64::MAX),
            // A time-out or a refusal of the other side is an effect of an earlier problem.
            FindingKind::Exception if is_of_other_side(look, f) => (FindingKind::Errors, i64::MAX),
            // The program did not wait for work after the failures.
            FindingKind::Hung if is_left_behind(look.hung, f) => (FindingKind::AbruptEnd, i64::MAX),
            // What stood still was interrupted for a reason.
            FindingKind::Interrupted if f.is_after_stall => (FindingKind::Errors, i64::MAX),
            // A long wait may be the reason for later messages.
            FindingKind::Slow => (FindingKind::Errors, i64::MAX),
            kind => (kind, i64::MAX),
        };
        let first = match says_output(look, f) {
            true => no_time,
            false => f.first.or(ended).unwrap_or(no_time),
        };
        (
            // Needed for the interpretation of all other findings.
            kind != FindingKind::Cut,
            Reverse(severity(look, f)),
            f.is_of_stop,
            kind,
            first,
            // At the same time, or without one, records of level error come first.
            !is_coded && !is_error(look, f),
            f.evidence.first().map_or(0, |e| e.0),
        )
    });
}

/// Source of the first record of a finding.
fn source(look: &Context<'_>, finding: &Finding) -> Option<SourceId> {
    let event = look.snapshot.event(*finding.evidence.first()?);
    event.map(|event| event.source().id)
}

/// True if an error came before all exceptions, in another log.
fn is_before(
    look: &Context<'_>,
    finding: &Finding,
    exceptions: &[(Option<SourceId>, i64)],
) -> bool {
    let own = source(look, finding);
    let first = finding
        .first
        .filter(|_| finding.severity == Severity::Error);
    let mut others = exceptions.iter();
    !exceptions.is_empty()
        && first.is_some_and(|first| others.all(|(other, time)| *other != own && first < *time))
}

/// True if the first record of a finding names its error by a code.
fn names_code(look: &mut Context<'_>, finding: &Finding) -> bool {
    let first = finding.evidence.first();
    first.is_some_and(|id| suspicious_words::names_code(&look.line(*id)))
}

/// True if the first record of a finding has level error, or a line below it that begins so.
fn is_error(look: &Context<'_>, finding: &Finding) -> bool {
    let is_below = finding.kind == FindingKind::Errors && finding.severity == Severity::Error;
    if is_below && finding.first.is_some() {
        return true;
    }
    let first = finding.evidence.first();
    let event = first.and_then(|id| look.snapshot.event(*id));
    event.is_some_and(|e| e.level() >= Level::Error)
}

/// Whether the unfinished work of a finding was left behind by a run that ended.
fn is_left_behind(hung: &UnfinishedWork, finding: &Finding) -> bool {
    let first = finding.events.first().copied();
    let mut stuck = hung.stuck.iter();
    let first = stuck.find(|s| first.is_some() && s.last_event == first);
    first.is_some_and(|s| s.standing == WaitState::LeftBehind)
}

/// Whether a loss is shown by program output: then it happened before it was detected.
fn says_output(look: &Context<'_>, finding: &Finding) -> bool {
    let has_no_time = || finding.evidence.iter().any(|e| look.time(*e).is_none());
    finding.kind == FindingKind::Lost && has_no_time()
}

/// Severity for ranking: unfinished work in a run without an end ranks above failures in it, even if the run may
/// continue.
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

/// Time at which an exception ended its program, UTC ns, if another record of it has a time.
fn ended_at(look: &Context<'_>, finding: &Finding) -> Option<i64> {
    let is_end = finding.kind == FindingKind::Exception && finding.ended_program;
    let events = finding.events.iter().filter(|_| is_end);
    events.filter_map(|id| look.time(*id)).min()
}

/// True if the exception or message of a finding reports a failure of the other side, such as a time-out.
pub(crate) fn is_of_other_side(look: &Context<'_>, finding: &Finding) -> bool {
    let words = &look.snapshot.catalog.words;
    let line = finding.title.to_lowercase();
    let class = finding.exception.as_deref().unwrap_or_default();
    let mut all = words.other_side.iter().chain(&words.broken);
    class.contains("Timeout") || all.any(|word| line.contains(word.as_str()))
}

/// Minimum number of occurrences of an exception that was not recovered from.
const AGAIN: u64 = 3;

/// Whether work is unfinished, and none of its kind was ever executed.
fn never_began(hung: &UnfinishedWork) -> bool {
    let was_begun = |s: &UnfinishedItem| {
        s.begun_there.is_some() || s.finished_there.is_some() || s.is_executing || s.was_executing
    };
    let mut hanging = hung.hanging().peekable();
    hanging.peek().is_some() && hung.goals.iter().all(|g| g.ended == 0) && !hanging.any(was_begun)
}
