//! Findings: the result of a diagnosis.

use widetui_analysis::entity::Id;
use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;
use widetui_query::Selection;
use widetui_store::Snapshot;

/// Kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// A truncated source: the reader must know first which events are missing.
    Cut,
    /// An interrupt by the user.
    Interrupted,
    /// A message that a definition explains.
    Hint,
    /// Lost resources, with the work that they took along.
    Lost,
    /// Resources that never joined, or failed.
    NeverCame,
    /// Unfinished work.
    Hung,
    /// Failed work items, traced to the first cause.
    Failures,
    /// An exception, with its last traceback line.
    Exception,
    /// A peer that comes and goes again and again.
    Flapping,
    /// Errors without a known cause.
    Errors,
    /// A run without a proper end.
    AbruptEnd,
    /// A silent writer.
    Silence,
    /// A number far out of the range of its template.
    Number,
    /// Resources on which the same work takes much longer, and long waits for locks.
    Slow,
}

impl FindingKind {
    /// Name in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Cut => "cut",
            FindingKind::Interrupted => "interrupted",
            FindingKind::Hint => "hint",
            FindingKind::Lost => "lost",
            FindingKind::NeverCame => "never_came",
            FindingKind::Hung => "hung",
            FindingKind::Failures => "failures",
            FindingKind::Exception => "exception",
            FindingKind::Flapping => "flapping",
            FindingKind::Errors => "errors",
            FindingKind::AbruptEnd => "abrupt_end",
            FindingKind::Silence => "silence",
            FindingKind::Number => "number",
            FindingKind::Slow => "slow",
        }
    }

    /// True if titles of this kind quote a record, or begin with the name of a source.
    pub(crate) fn quotes_records(self) -> bool {
        matches!(
            self,
            FindingKind::Cut | FindingKind::Errors | FindingKind::Exception | FindingKind::Silence
        )
    }
}

/// Relation by which a finding is known to be an effect of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// A definition names one message as the cause of the other, or the exception that it raises.
    Definition,
    /// The cause is an interrupt by the user, and the effect came after it in the same run.
    Interrupt,
    /// The effect is the end of the process that the cause reports as killed.
    Process,
    /// The effect concerns a resource that the cause reports as lost, its owner, or what it executed.
    Resource,
    /// Both are shown by the same records.
    Records,
    /// The message of the cause stands in the output of the failed work item or command.
    Output,
    /// Both report the same exception, or one quotes that of the other.
    Exception,
    /// The effect is a wait that timed out, for what the cause reports as lost meanwhile.
    TimeOut,
    /// The effect is that a program gave up after the attempt that the cause reports as failed.
    Attempt,
    /// Records of the effect always follow those of the cause at once.
    Time,
}

impl Relation {
    /// Name in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Definition => "definition",
            Relation::Interrupt => "interrupt",
            Relation::Process => "process",
            Relation::Resource => "resource",
            Relation::Records => "records",
            Relation::Output => "output",
            Relation::Exception => "exception",
            Relation::TimeOut => "time_out",
            Relation::Attempt => "attempt",
            Relation::Time => "time",
        }
    }

    /// True if the relation follows from names, ids or texts that both share, not only from their times.
    pub fn is_sure(self) -> bool {
        !matches!(self, Relation::TimeOut | Relation::Time)
    }
}

/// Work items that failed in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedWork {
    /// Title of one, such as `task`.
    pub title: String,
    /// Label that they share, such as the name of their function.
    pub label: Option<String>,
    /// Number of work items.
    pub count: usize,
}

/// Outcome of later attempts at failed work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Retry {
    /// It stands in the records of the work.
    #[default]
    Known,
    /// A successful attempt leaves no record in these logs.
    Unknown,
    /// No attempt succeeded: the exception surfaced in this source, given by its tag.
    Failed {
        /// Tag of the source.
        source: String,
    },
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Kind.
    pub kind: FindingKind,
    /// Severity.
    pub severity: Severity,
    /// Title, one line.
    pub title: String,
    /// Explanation, one or a few sentences.
    pub text: String,
    /// Evidence in time order; events without a time last.
    pub evidence: Vec<EventId>,
    /// All known events that it covers, the evidence included, in time order.
    pub events: Vec<EventId>,
    /// Entity name and id of the instance, if it is about a single one.
    pub subject: Option<(String, Id)>,
    /// Number of events or instances that it covers.
    pub count: u64,
    /// First time, UTC ns.
    pub first: Option<i64>,
    /// Last time, UTC ns.
    pub last: Option<i64>,
    /// Suggested next step; may be empty.
    pub next: String,
    /// Address of documentation; may be empty.
    pub url: String,
    /// Affected instances, which follow the title: `(3 times: a, b, c)`.
    pub(crate) affected: Option<String>,
    /// Exception that the records of a known message report, if its title does not quote it.
    pub(crate) reason: Option<String>,
    /// Class of the exception that it is about.
    pub(crate) exception: Option<String>,
    /// Last place of the user's own code in the traceback of the exception.
    pub(crate) caller: Option<String>,
    /// True if the next step is more than where to read.
    pub(crate) is_advised: bool,
    /// True if its records were written while their programs stopped as requested.
    pub(crate) is_of_stop: bool,
    /// True if its program had stood still before: an interrupt is then no cause.
    pub(crate) is_after_stall: bool,
    /// True if its first record is the first error of all.
    pub(crate) is_first_error: bool,
    /// Failed work.
    pub failed: Option<FailedWork>,
    /// Later attempts at the failed work.
    pub retry: Retry,
    /// Findings of which this one is the cause. Their records are among `events`.
    pub effects: Vec<Finding>,
    /// Relation to its cause, if this is an effect.
    pub relation: Option<Relation>,
    /// True if an exception or error ended its program.
    pub(crate) ended_program: bool,
}

impl Finding {
    /// Finding without explanation, evidence and effects.
    pub(crate) fn new(kind: FindingKind, severity: Severity, title: impl Into<String>) -> Finding {
        Finding {
            kind,
            severity,
            title: title.into(),
            text: String::new(),
            evidence: Vec::new(),
            events: Vec::new(),
            subject: None,
            count: 0,
            first: None,
            last: None,
            next: String::new(),
            url: String::new(),
            affected: None,
            reason: None,
            exception: None,
            caller: None,
            is_advised: false,
            is_of_stop: false,
            is_after_stall: false,
            is_first_error: false,
            failed: None,
            retry: Retry::Known,
            effects: Vec::new(),
            relation: None,
            ended_program: false,
        }
    }

    /// Moves the suggested next step of another finding, with its documentation, to this one.
    pub(crate) fn take_advice(&mut self, other: &mut Finding) {
        self.next = std::mem::take(&mut other.next);
        self.url = std::mem::take(&mut other.url);
    }

    /// True if failures in the finding may have been retried.
    pub(crate) fn is_retry_unknown(&self) -> bool {
        let mut retries = self.effects.iter().map(|effect| &effect.retry);
        self.retry == Retry::Unknown || retries.any(|retry| *retry == Retry::Unknown)
    }

    /// Records that no attempt succeeded at the failures that may have been retried, as the log with the tag `source` shows.
    pub(crate) fn set_retry_failed(&mut self, source: &str) {
        let effects = self.effects.iter_mut().map(|effect| &mut effect.retry);
        for retry in effects.chain([&mut self.retry]) {
            if *retry == Retry::Unknown {
                *retry = Retry::Failed {
                    source: source.to_owned(),
                };
            }
        }
    }

    /// Whether any of its records, or a duplicate of one, is among `rows`.
    pub fn is_about(&self, snapshot: &Snapshot, rows: &Selection) -> bool {
        // A finding without records concerns all of them.
        self.events.is_empty()
            || self.events.iter().any(|id| {
                let mut group = snapshot.duplicates.group(id.0);
                group.any(|id| rows.contains(EventId(id)))
            })
    }
}

/// Result of a diagnosis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Findings, ranked.
    pub findings: Vec<Finding>,
    /// Summary of the result and of the examined data.
    pub summary: String,
    /// Limits of the data, a sentence each.
    pub unknown: Vec<String>,
}

/// Maximum number of evidence events.
pub(crate) const EVIDENCE: usize = 5;
/// Maximum number of events of a finding.
pub(crate) const MOST_EVENTS: usize = 10_000;
