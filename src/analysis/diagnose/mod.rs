//! What is wrong? Ranked findings, each with its evidence and what to look at next.

use crate::base::ids::EventId;
pub use crate::format::meaning::Severity;

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
        self.findings
            .iter()
            .all(|f| f.severity == Severity::Info)
    }
}
