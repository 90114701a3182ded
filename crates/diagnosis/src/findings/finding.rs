//! Findings: what a diagnosis consists of.

use widetui_analysis::entity::Id;
use widetui_core::ids::EventId;
use widetui_definition::meaning::Severity;
use widetui_query::Selection;
use widetui_store::Snapshot;

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
    pub(crate) caused: Vec<(String, String)>,
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
pub(crate) const EVIDENCE: usize = 5;
/// Events of a finding that are kept.
pub(crate) const MOST_EVENTS: usize = 10_000;
