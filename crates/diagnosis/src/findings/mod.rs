//! What is wrong? Ranked findings, each with its evidence and what to look at next.
//!
//! ```text
//! hints of definitions ─> lost carriers ─> failed goals ─> exceptions ─> other errors    each claims the events that it explains
//! what hangs, abrupt ends, silences, odd numbers                                        ──> ranked
//! ```
//!
//! What a definition knows to be noise is claimed, too, so nothing later raises it. What comes after a run has ended is
//! no cause of anything in it.

mod about;
mod attached;
mod below;
mod broken;
mod errors;
mod exceptions;
mod failures;
mod gone;
mod hangs;
mod hint;
mod left;
mod look;
mod losses;
mod lost;
mod merge;
mod missing;
mod noise;
mod numbers;
mod one_cause;
mod order;
mod output;
mod over;
mod printed;
mod repr;
mod retried;
mod roots;
mod slow;
mod structured;
mod taken;
mod together;
mod told_twice;
mod trouble;
mod why;
mod witness;
pub mod words;

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use crate::unfinished::Hung;
use crate::unfinished::words::capital;
use look::Look;
use widetui_analysis::entity::AllInstances;
use widetui_analysis::entity::Id;

pub use gone::gone;
pub use hint::{Hint, Reach, of_definition};
pub use widetui_format::meaning::Severity;

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// What could not be read to its end: what it does not tell must be known before anything else.
    Cut,
    /// A message that a definition explains.
    Hint,
    /// Carriers that were lost, with what they took along.
    Lost,
    /// Carriers that never came to work, or failed.
    NeverCame,
    /// What hangs.
    Hung,
    /// Goals that failed, traced to the first cause.
    Failures,
    /// An exception, with its last traceback line.
    Exception,
    /// Errors that nobody explains.
    Errors,
    /// The run stopped without a word.
    AbruptEnd,
    /// Somebody fell silent.
    Silence,
    /// A number far out of the range of its template.
    Number,
    /// Carriers on which the same work takes much longer.
    Slow,
}

impl FindingKind {
    /// For JSON lines.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Cut => "cut",
            FindingKind::Hint => "hint",
            FindingKind::Lost => "lost",
            FindingKind::NeverCame => "never_came",
            FindingKind::Hung => "hung",
            FindingKind::Failures => "failures",
            FindingKind::Exception => "exception",
            FindingKind::Errors => "errors",
            FindingKind::AbruptEnd => "abrupt_end",
            FindingKind::Silence => "silence",
            FindingKind::Number => "number",
            FindingKind::Slow => "slow",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What kind it is.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// In plain words, one or a few sentences.
    pub text: String,
    /// Events that show it, in time order; those without a time behind them.
    pub evidence: Vec<EventId>,
    /// All events that it stands for as far as they are known, the evidence among them; in time order.
    pub events: Vec<EventId>,
    /// When it is about one thing alone: the dotted name of its entity, and what identifies it.
    pub thing: Option<(String, Id)>,
    /// How many events or things it stands for.
    pub count: u64,
    /// When it was first seen, UTC ns.
    pub first: Option<i64>,
    /// When it was last seen, UTC ns.
    pub last: Option<i64>,
    /// Where to look next; may be empty.
    pub next: String,
    /// While findings are put together: what this one is the reason of, and what is told of that.
    caused: Vec<(String, String)>,
}

impl Finding {
    /// Whether any record of it, or a copy of one, is among some.
    pub fn is_about(&self, snapshot: &Snapshot, rows: &Selection) -> bool {
        // What has no records is about all of them.
        self.events.is_empty()
            || self.events.iter().any(|id| {
                let mut group = snapshot.copies.group(id.0);
                group.any(|id| rows.contains(EventId(id)))
            })
    }
}

/// All findings, the most telling first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Ranked.
    pub findings: Vec<Finding>,
    /// In plain words: what it comes to, and what was looked at.
    pub summary: String,
    /// What the data does not tell, a sentence each.
    pub unknown: Vec<String>,
}

/// Events that a finding shows.
const EVIDENCE: usize = 5;
/// Events of a finding that are kept.
const MOST_EVENTS: usize = 10_000;

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
    "what is known of such logs",
    "what was lost",
    "what failed",
    "exceptions",
    "other errors",
    "numbers",
    "what hangs",
];

/// Looks at everything; `None` when cancelled. Reads the text of records that may hold tracebacks: of those with further lines,
/// and where templates do not tell that a line holds none. Before each step
/// `tell` hears of it. Of what failed those are told that have a record `among` some, where any of its kind has.
pub fn diagnose(
    snapshot: &Snapshot,
    found: &AllInstances,
    hung: &Hung,
    hints: &[Hint],
    (zone, among): (&Zone, Option<&Selection>),
    cancel: &Cancel,
    tell: &mut dyn FnMut(Stage),
) -> Option<Diagnosis> {
    let mut look = Look::new(snapshot, (found, hung), (zone, among), cancel);
    let mut findings = look_at_all(&mut look, hints, tell)?;
    order::order(&look, &mut findings);
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
    look: &mut Look<'_>,
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
    look.claimed.extend(printed::of_documents(look.snapshot));
    let mut findings = hint::look(look, hints)?;
    stage(1);
    findings.extend(lost::look(look));
    findings.extend(lost::never_came(look));
    stage(2);
    findings.extend(failures::look(look)?);
    taken::tell_dependents(look, &mut findings);
    stage(3);
    findings.extend(exceptions::look(look)?);
    stage(4);
    findings.extend(errors::look(look)?);
    stage(5);
    findings.extend(numbers::look(look)?);
    findings.extend(slow::look(look));
    stage(6);
    merge::merge(look, &mut findings);
    findings.extend(hangs::look(look));
    findings.extend(broken::look(look));
    below::fold(look, hints, &mut findings);
    Some(findings)
}

/// What it comes to, of what is asked about.
fn summary(look: &Look<'_>, findings: &[Finding]) -> String {
    let Look { snapshot, hung, .. } = look;
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
