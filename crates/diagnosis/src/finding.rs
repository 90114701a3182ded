//! Findings: the result of a diagnosis.

use widetui_analysis::entity::Id;
use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;
use widetui_query::Selection;
use widetui_store::Snapshot;

/// Fact that another one explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Kind of the fact, as in the data of the evidence.
    pub kind: &'static str,
    /// Title, one line.
    pub title: String,
    /// Number of events or instances that it covers.
    pub count: u64,
    /// Entity name and id of the instance, if it is about a single one.
    pub subject: Option<(String, Id)>,
    /// Kind of the relation to the cause.
    pub relation: &'static str,
    /// Probability of the relation.
    pub probability: f64,
}

/// Probable cause: a root of the graph of causes with the facts that it explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Kind of the fact, as in the data of the evidence.
    pub kind: &'static str,
    /// True if something waits, or stopped on its way.
    pub is_standstill: bool,
    /// Severity.
    pub severity: Severity,
    /// Title, one line.
    pub title: String,
    /// Explanation, one or a few sentences.
    pub text: String,
    /// Evidence, the most telling event first.
    pub evidence: Vec<EventId>,
    /// All known events that it covers, the evidence and the effects included, in time order.
    pub events: Vec<EventId>,
    /// Class or entity name, and id, of the instance that it is about.
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
    /// Facts that it explains, the surest first.
    pub effects: Vec<Effect>,
}

impl Finding {
    /// True if the title contains the number of affected instances; a count of records would be a different number.
    pub fn counts_itself(&self) -> bool {
        matches!(self.kind, "failed" | "lost" | "unfinished")
    }

    /// True if any of its records, or a duplicate of one, is among `rows`.
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
