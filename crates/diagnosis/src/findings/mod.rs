//! What is wrong? Ranked findings, each with its evidence and what to look at next.
//!
//! ```text
//! hints of definitions ─> lost carriers ─> failed goals ─> exceptions ─> other errors    each claims the events that it explains
//! what hangs, abrupt ends, silences, odd numbers                                        ──> ranked
//! ```
//!
//! What a definition knows to be noise is claimed, too, so nothing later raises it. What comes after a run has ended is
//! no cause of anything in it.

mod affected_work;
mod attached_exceptions;
mod causes;
mod context;
mod ended_resources;
mod errors;
mod exceptions;
mod failure_groups;
mod failure_reasons;
mod failures;
mod finding;
mod hanging_work;
mod hangs;
mod hints;
mod joint_failures;
mod json_exceptions;
mod leftover_work;
mod loss_groups;
mod lost_resources;
mod lost_work;
mod merged_findings;
mod missed_peers;
mod missed_resources;
mod missing_logs;
mod object_repr;
mod out_of_range;
mod printed_data;
mod process_output;
mod ranking;
mod repeated_text;
mod retries;
mod slow_resources;
mod suspicious_words;
mod truncated_logs;
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

pub use finding::{Diagnosis, Finding, FindingKind};
pub use hints::{Hint, Reach, of_definition};
pub use missed_resources::gone;
pub use widetui_definition::meaning::Severity;

/// A step of the work, while it goes on: what is looked at, which step it is, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What is looked at.
    pub what: &'static str,
    /// From 1.
    pub number: usize,
    /// Of so many.
    pub of: usize,
}

/// What is looked at, one after the other.
const STAGES: [&str; 7] = [
    "known messages",
    "lost resources",
    "failures",
    "exceptions",
    "other errors",
    "numbers out of range",
    "unfinished work",
];

/// Looks at everything; `None` when cancelled. Reads the text of records that may hold tracebacks: of those with further lines,
/// and where templates do not tell that a line holds none. Before each step
/// `tell` hears of it. Of what failed those are told that have a record `among` some, where any of its kind has.
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
    ranking::order(&look, &mut findings);
    for finding in &mut findings {
        complete(snapshot, finding);
        // Titles that are lines of a log, or begin with the name of a source, stay as they are.
        if !matches!(
            finding.kind,
            FindingKind::Cut | FindingKind::Errors | FindingKind::Exception | FindingKind::Silence
        ) {
            finding.title = capital(&finding.title);
        }
        finding.text = capital(&finding.text);
    }
    let mut unknown = words::unknown(snapshot, found, hung);
    unknown.append(&mut look.untold);
    Some(Diagnosis {
        summary: summary(&look, &findings),
        unknown,
        findings,
    })
}

/// Asks all who find something, one after the other: each claims what it explains, and the next ones leave that alone.
/// `None` when cancelled.
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
    // Documents speak of what may happen, and nothing did.
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
    stage(4);
    findings.extend(errors::look(look)?);
    stage(5);
    findings.extend(out_of_range::look(look)?);
    findings.extend(slow_resources::look(look));
    stage(6);
    merged_findings::merge(look, &mut findings);
    findings.extend(hangs::look(look));
    findings.extend(truncated_logs::look(look));
    causes::fold(look, hints, &mut findings);
    Some(findings)
}

/// What it comes to, of what is asked about.
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

/// Brings the events of a finding in order, and says when they were.
fn complete(snapshot: &Snapshot, finding: &mut Finding) {
    // What has no time has as a rule its own words on what the others tell.
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
