//! Diagnosis: ranked findings, each with its evidence and a suggested next step.
//!
//! ```text
//! hints of definitions ─> lost resources ─> failed work items ─> exceptions ─> other errors    each claims the events it explains
//! unfinished work, abrupt ends, silences, outliers                                           ──> ranked
//! ```
//!
//! Events that a definition knows to be harmless are claimed too, so no later step reports them. An event after the
//! end of
//! its run is never a cause in that run.

mod advice;
mod affected_work;
mod attached_exceptions;
mod causes;
mod context;
mod differing_peers;
mod effects;
mod ended_resources;
mod errors;
mod exceptions;
mod exit_status;
mod failed_attempts;
mod failure_groups;
mod failure_reasons;
mod failures;
mod finding;
mod flapping;
mod hanging_work;
mod hangs;
mod hints;
mod interrupts;
mod joint_failures;
mod json_exceptions;
mod last_words;
mod leftover_work;
mod lock_waits;
mod logged_interrupts;
mod loss_groups;
mod lost_resources;
mod lost_work;
mod merged_findings;
mod missed_peers;
mod missed_resources;
mod missing_logs;
mod object_repr;
mod other_side;
mod out_of_range;
mod paused_time;
mod printed_data;
mod process_output;
mod progress;
mod ranking;
mod reached_limits;
mod refused_ports;
mod repeated_text;
mod requested_stops;
mod retries;
mod same_object;
mod slow_periods;
mod slow_resources;
mod stack_traces;
mod stalls;
pub(crate) mod suspicious_words;
mod truncated_logs;
mod unfinished_steps;
mod unreceived;
mod version_differences;
pub mod words;

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use crate::unfinished::model::UnfinishedWork;
use crate::unfinished::words::capital;
use context::Context;
use finding::MOST_EVENTS;
use widetui_analysis::entity::AllInstances;

pub use finding::{Diagnosis, FailedWork, Finding, FindingKind, Relation, Retry};
pub use hints::{Hint, Reach, of_definition};
pub use missed_resources::gone;
pub use widetui_definition::semantics::Severity;

/// Progress of a running diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Description of the step.
    pub what: &'static str,
    /// Number of the step, from 1.
    pub number: usize,
    /// Total number of steps.
    pub of: usize,
}

/// Steps of a diagnosis, in order.
const STAGES: [&str; 7] = [
    "known messages",
    "lost resources",
    "failures",
    "exceptions",
    "other errors",
    "numbers out of range",
    "unfinished work",
];

/// Runs the whole diagnosis; `None` when cancelled. Reads the text only of records that may hold tracebacks: records
/// with continuation lines, and records whose template does not rule out a traceback. `tell` is called before each
/// step. With a selection in `among`, a group of failures reports only the work items with a record in it, if it has
/// any.
pub fn diagnose(
    snapshot: &Snapshot,
    found: &AllInstances,
    hung: &UnfinishedWork,
    hints: &[Hint],
    (zone, among): (&Zone, Option<&Selection>),
    cancel: &Cancel,
    tell: &mut dyn FnMut(Stage),
) -> Option<Diagnosis> {
    let mut look = Context::new(snapshot, (found, hung), (zone, among), cancel);
    let mut findings = look_at_all(&mut look, hints, tell)?;
    ranking::order(&mut look, &mut findings);
    for finding in &mut findings {
        advice::add(&mut look, finding);
        complete(snapshot, finding);
        let title = effects::title(finding);
        finding.text = capital(&effects::text(finding));
        for effect in &mut finding.effects {
            effect.title = effects::title(effect);
        }
        finding.title = match finding.kind.quotes_records() {
            true => title,
            false => capital(&title),
        };
    }
    let mut unknown = words::unknown(snapshot, found, hung);
    unknown.append(&mut look.untold);
    Some(Diagnosis {
        summary: summary(&look, &findings),
        unknown,
        findings,
    })
}

/// Runs all detectors in order: each claims the events that it explains, and the later ones skip these. `None` when
/// cancelled.
fn look_at_all(
    look: &mut Context<'_>,
    hints: &[Hint],
    tell: &mut dyn FnMut(Stage),
) -> Option<Vec<Finding>> {
    let mut stage = |at: usize| {
        tell(Stage {
            what: STAGES[at],
            number: at + 1,
            of: STAGES.len(),
        });
    };
    stage(0);
    // Documents describe possible events, not actual ones.
    look.claimed
        .extend(printed_data::of_documents(look.snapshot));
    let mut findings = hints::look(look, hints)?;
    stage(1);
    findings.extend(lost_resources::look(look));
    findings.extend(lost_resources::never_came(look));
    stage(2);
    findings.extend(failures::look(look)?);
    lost_work::tell_dependents(look, &mut findings);
    stage(3);
    findings.extend(exceptions::look(look)?);
    logged_interrupts::find(look, &mut findings)?;
    stage(4);
    findings.extend(flapping::find(look)?);
    findings.extend(errors::look(look)?);
    findings.extend(last_words::find(look));
    findings.extend(lock_waits::find(look)?);
    stage(5);
    findings.extend(out_of_range::look(look)?);
    findings.extend(slow_resources::look(look));
    stage(6);
    merged_findings::merge(look, &mut findings);
    failed_attempts::find(look, &mut findings);
    causes::interrupts::find_signals(look, &mut findings);
    findings.extend(hangs::look(look, &findings));
    findings.extend(unfinished_steps::find(look)?);
    findings.extend(truncated_logs::look(look));
    causes::fold(look, hints, &mut findings);
    stalls::find(look, &mut findings);
    let is_cause = |f: &Finding| f.severity > Severity::Info && !f.is_after_stall;
    if !findings.iter().any(is_cause) {
        findings.extend(errors::warnings(look)?);
        findings.extend(slow_periods::find(look)?);
        findings.extend(paused_time::find(look)?);
    }
    if !findings.iter().any(|f| f.severity == Severity::Error) {
        findings.extend(differing_peers::find(look));
        findings.extend(progress::find(look));
    }
    findings.extend(last_words::between(look, &findings));
    findings.extend(reached_limits::find(look, &findings)?);
    other_side::find(look, &mut findings);
    refused_ports::find(look, &mut findings)?;
    same_object::find(look, &mut findings);
    version_differences::find(look, &mut findings)?;
    Some(findings)
}

/// Summary of the findings, limited to the selection if there is one.
fn summary(look: &Context<'_>, findings: &[Finding]) -> String {
    let Context { snapshot, hung, .. } = look;
    let Some(rows) = look.among else {
        return words::summary(snapshot, hung, findings.iter());
    };
    let mut told = (*hung).clone();
    told.tell_only(snapshot, look.found, rows);
    let about = findings.iter().filter(|f| f.is_about(snapshot, rows));
    words::summary(snapshot, &told, about)
}

/// Merges evidence and events in time order, and sets the first and last time of a finding.
fn complete(snapshot: &Snapshot, finding: &mut Finding) {
    // A record without a time is usually a comment on the records with one.
    finding.evidence.sort_by_key(|id| {
        let time = snapshot.event(*id).and_then(|e| e.time());
        (time.is_none(), time)
    });
    let evidence = finding.evidence.iter().copied();
    let rest = std::mem::take(&mut finding.events);
    let mut seen = FxHashSet::default();
    let mut all: Vec<EventId> = evidence.chain(rest).filter(|e| seen.insert(*e)).collect();
    all.truncate(MOST_EVENTS);
    all.sort_by_key(|id| (snapshot.event(*id).map(|e| e.order_time()), id.0));
    let times = || all.iter().filter_map(|id| snapshot.event(*id)?.time());
    finding.first = finding.first.into_iter().chain(times().min()).min();
    finding.last = times().max().max(finding.first);
    finding.events = all;
}
