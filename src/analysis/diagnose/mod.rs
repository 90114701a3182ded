//! What is wrong? Ranked findings, each with its evidence and what to look at next.
//!
//! ```text
//! hints of definitions ─> lost carriers ─> failed goals ─> exceptions ─> other errors    each claims the events that it explains
//! what hangs, abrupt ends, silences, odd numbers                                        ──> ranked
//! ```
//!
//! What a definition knows to be noise is claimed, too, so nothing later raises it. What comes after a run has ended is
//! no cause of anything in it.

mod errors;
mod exceptions;
mod failures;
mod hangs;
mod hint;
mod look;
mod lost;
mod numbers;

use rustc_hash::FxHashSet;

use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::base::zone::Zone;
use crate::store::Snapshot;
use crate::store::texts::Texts;

use super::hung::words::{capital, several};
use super::hung::{Found, Hung};

pub use crate::format::meaning::Severity;
pub use hint::{Hint, of_definition};

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
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
}

impl Kind {
    /// For JSON lines.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Hint => "hint",
            Kind::Lost => "lost",
            Kind::NeverCame => "never_came",
            Kind::Hung => "hung",
            Kind::Failures => "failures",
            Kind::Exception => "exception",
            Kind::Errors => "errors",
            Kind::AbruptEnd => "abrupt_end",
            Kind::Silence => "silence",
            Kind::Number => "number",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What kind it is.
    pub kind: Kind,
    /// How bad it is.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// In plain words, one or a few sentences.
    pub text: String,
    /// Events that show it, the most telling first.
    pub evidence: Vec<EventId>,
    /// How many events or things it stands for.
    pub count: u64,
    /// When it was first seen, UTC ns.
    pub first: Option<i64>,
    /// Where to look next; may be empty.
    pub next: String,
}

/// All findings, the most telling first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Ranked.
    pub findings: Vec<Finding>,
    /// In plain words: what was looked at, what it comes to, what could not be known.
    pub summary: String,
}

impl Diagnosis {
    /// Whether nothing is worse than worth knowing.
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|f| f.severity == Severity::Info)
    }
}

/// Looks at everything; `None` when cancelled. Reads the text of the run once, to find tracebacks.
pub fn diagnose(
    snapshot: &Snapshot,
    found: &Found,
    hung: &Hung,
    hints: &[Hint],
    zone: &Zone,
    cancel: &Cancel,
) -> Option<Diagnosis> {
    let mut look = look::Look {
        snapshot,
        found,
        hung,
        zone,
        cancel,
        claimed: FxHashSet::default(),
        told: FxHashSet::default(),
        whys: FxHashSet::default(),
        texts: Texts::default(),
    };
    let mut findings = hint::look(&mut look, hints)?;
    findings.extend(lost::look(&mut look));
    findings.extend(lost::never_came(&mut look));
    findings.extend(failures::look(&mut look)?);
    findings.extend(exceptions::look(&mut look)?);
    findings.extend(errors::look(&mut look)?);
    findings.extend(numbers::look(&look)?);
    findings.extend(hangs::look(&mut look));
    findings.sort_by_key(|f| {
        // What is known and what was lost: the first of them is the cause. The output of a program has no times, and
        // nobody is nearer to the cause than who broke.
        let (kind, no_time) = match f.kind {
            Kind::Lost | Kind::Hint => (Kind::Hint, i64::MIN),
            kind => (kind, i64::MAX),
        };
        (
            std::cmp::Reverse(f.severity),
            kind,
            f.first.unwrap_or(no_time),
            f.evidence.first().map_or(0, |e| e.0),
        )
    });
    for finding in &mut findings {
        // Titles that are lines of a log stay as they are.
        if !matches!(finding.kind, Kind::Errors | Kind::Exception) {
            finding.title = capital(&finding.title);
        }
        finding.text = capital(&finding.text);
    }
    let summary = summary(snapshot, hung, &findings);
    Some(Diagnosis { findings, summary })
}

/// What it comes to.
fn summary(snapshot: &Snapshot, hung: &Hung, findings: &[Finding]) -> String {
    let of = |severity| findings.iter().filter(|f| f.severity == severity).count();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let sources = snapshot.sources.iter().filter(|s| s.is_log).count();
    let mut out = match (errors, warnings) {
        (0, 0) => "Nothing is wrong, as far as these logs tell.".to_owned(),
        (0, n) => format!(
            "No error; {}.",
            match n {
                1 => "1 thing that may deserve a look".to_owned(),
                n => format!("{n} things that may deserve a look"),
            }
        ),
        (n, 0) => format!("{}.", several(n, "error")),
        (n, m) => format!("{} and {}.", several(n, "error"), several(m, "warning")),
    };
    for goals in hung.goals.iter().filter(|g| g.begun > 0) {
        let open = goals.begun - goals.ended;
        let all = several(goals.begun, &goals.title);
        let well = goals.ended - goals.failed;
        out += &match (goals.failed, open) {
            (0, 0) if goals.begun == 1 => format!(" The one {} ended well.", goals.title),
            (0, 0) => format!(" All {all} ended well."),
            (n, 0) => format!(" Of {all} {well} ended well, {n} failed."),
            (0, n) => format!(" Of {all} {well} ended well, {n} did not end."),
            (n, m) => format!(" Of {all} {well} ended well, {n} failed, {m} did not end."),
        };
    }
    out += &format!(
        " Looked at {} of {}.",
        several(snapshot.len(), "record"),
        several(sources, "log")
    );
    if !hung.knows_goals {
        out +=
            " No definition says what begins and ends in them, so unfinished work cannot be told.";
    }
    out
}
