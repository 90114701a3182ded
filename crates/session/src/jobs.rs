//! Questions answered on threads; a new question cancels the previous one of its kind.
//!
//! Each question has a generation number within its kind. The receiver drops answers of earlier generations, so an
//! answer that was in flight when the question changed does no harm.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use widetui_analysis::overview::Curve;
use widetui_core::cancel::Cancel;
use widetui_core::direction::Direction;
use widetui_core::ids::{EventId, SourceId};
use widetui_diagnosis::Stage;
use widetui_join::{ExtractionPreview, ExtractionRule, Join, Report};
use widetui_query::{Completion, Expr, KeyStat, Selection};
use widetui_store::Snapshot;
use widetui_store::read_failures::ReadFailure;

use super::context_lines::ContextWindow;
use super::export_files::Export;
use super::findings::Findings;
use super::incremental::{CarriedAnswers, KnownAnswers};
use super::instances::SnapshotInstances;
use super::meaning::Meaning;
use super::names::{NameMatch, NameQuery};
use super::overview::{OverviewHistogram, OverviewRequest};
use super::plots::PlotQuestion;
use super::problem_lines::ProblemSpot;
use super::record_search::{SearchTarget, SevereRows};
use super::recurrence::{RecurrenceRequest, Recurrences};
use super::rows::{NumberKey, Rows, ValueStat};
use super::selection::SelectionStep;
use super::unfinished_details::UnfinishedDetails;

mod answers;
mod running;
mod tables;

pub use running::{Generations, Jobs};
pub use tables::{RunGrowth, TableData, TableRequest, table};

/// Kinds of questions; a new question cancels the previous one of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// Selected rows.
    Select,
    /// Histogram of the overview.
    Overview,
    /// Next record with a property.
    Find,
    /// Rows that match a search.
    Search,
    /// Numbers of records that share a value.
    Counts,
    /// Statistics of keys.
    KeyStats,
    /// Completions of a filter expression.
    Complete,
    /// Values from joins.
    Joins,
    /// Rows of the displayed table.
    Table,
    /// The run with time shifts of some sources.
    Shift,
    /// Instances of entities, and unfinished ones among them.
    Instances,
    /// Preview of a join.
    Preview,
    /// Suggested joins.
    Suggest,
    /// A record as a JSON line.
    Line,
    /// Most frequent values of all keys.
    Values,
    /// Keys with numeric values.
    Numbers,
    /// Rows that are warnings or errors.
    Severe,
    /// Time since the previous record with the same value.
    Recurrence,
    /// Records with a marked value.
    Marked,
    /// Curves below the overview.
    Curves,
    /// Findings of the diagnosis.
    Findings,
    /// Unfinished work in the selection.
    UnfinishedInSelection,
    /// Files to export.
    Export,
    /// Lines where the problems of a source begin.
    Problems,
    /// Instances that match a typed name.
    InstanceNames,
}

impl JobKind {
    /// True if the answer takes memory in proportion to the records, beyond a few bytes each.
    pub(super) fn is_large(self) -> bool {
        match self {
            JobKind::KeyStats
            | JobKind::Joins
            | JobKind::Table
            | JobKind::Shift
            | JobKind::Instances
            | JobKind::Preview
            | JobKind::Suggest
            | JobKind::Values
            | JobKind::Numbers
            | JobKind::Curves
            | JobKind::Findings
            | JobKind::UnfinishedInSelection => true,
            // An export of a large run takes long, and writes piece by piece.
            JobKind::Export
            | JobKind::Select
            | JobKind::Overview
            | JobKind::Find
            | JobKind::Search
            | JobKind::Counts
            | JobKind::Complete
            | JobKind::Line
            | JobKind::Severe
            | JobKind::Recurrence
            | JobKind::Marked
            | JobKind::Problems
            | JobKind::InstanceNames => false,
        }
    }
}

/// A question.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "few exist at a time, and none is kept"
)]
pub enum Question {
    /// Rows that pass these steps.
    Select {
        /// Steps of the selection.
        steps: Vec<SelectionStep>,
        /// Record under the cursor; rows around it are found first if the evaluation takes long.
        near: Option<EventId>,
        /// Context lines to show with the rows.
        context: Option<ContextWindow>,
    },
    /// Carries known answers over from an earlier snapshot.
    CarryOver(Arc<KnownAnswers>),
    /// Histogram of rows.
    Overview(OverviewRequest),
    /// Nearest of these rows with a property.
    Find {
        /// Rows to search.
        rows: Rows,
        /// Row to start from.
        from: usize,
        /// Direction of the search.
        direction: Direction,
        /// Property to find.
        wanted: SearchTarget,
    },
    /// Rows that match a search, with matches near a record first.
    Search(Rows, Expr, Option<EventId>),
    /// Number of rows in each of these lists that pass each of these steps.
    Counts(Vec<Rows>, Vec<SelectionStep>),
    /// Statistics of all keys.
    KeyStats,
    /// Completions at a byte of a filter expression, with the statistics of keys.
    Complete(String, usize, Arc<[KeyStat]>),
    /// Values from these joins.
    Joins(Arc<[Join]>),
    /// A table of these rows.
    Table(Rows, TableRequest),
    /// The run with the times of these sources shifted, ns.
    Shift(Vec<(SourceId, i64)>),
    /// Instances of entities, and those unfinished at a time (UTC ns; `None`: at the end of the logs).
    Instances(Arc<Meaning>, Option<i64>),
    /// Effect of adding the second argument to the joins of the first.
    Preview(Arc<[Join]>, Join),
    /// Preview of an extraction rule.
    Trial(Box<ExtractionRule>),
    /// Joins that would work in addition to these.
    Suggest(Arc<[Join]>),
    /// A record as a JSON line.
    Line(EventId),
    /// Most frequent values of all keys.
    Values,
    /// Keys with numeric values, and their statistics.
    Numbers,
    /// Which of these rows are warnings or errors.
    Severe(Rows),
    /// Time since the previous record with the same value, for some rows.
    Recurrence(RecurrenceRequest),
    /// Records that match an expression.
    Marked(Rows, Expr),
    /// Findings of the diagnosis.
    Findings(Box<super::findings::DiagnosisRequest>),
    /// Unfinished work with a record among these rows.
    UnfinishedInSelection(Rows, Arc<Meaning>, Arc<UnfinishedDetails>),
    /// Curves of these rows.
    Curves(Rows, PlotQuestion),
    /// Export of a view to files.
    Export(Box<Export>),
    /// Lines where the problems of this source begin.
    Problems(SourceId),
    /// Instances that match a typed name.
    InstanceNames(NameQuery),
}

impl Question {
    /// Kind of the question.
    pub fn slot(&self) -> JobKind {
        match self {
            Question::Select { .. } | Question::CarryOver(_) => JobKind::Select,
            Question::Overview(..) => JobKind::Overview,
            Question::Find { .. } => JobKind::Find,
            Question::Search(..) => JobKind::Search,
            Question::Counts(..) => JobKind::Counts,
            Question::KeyStats => JobKind::KeyStats,
            Question::Complete(..) => JobKind::Complete,
            Question::Joins(_) => JobKind::Joins,
            Question::Table(..) => JobKind::Table,
            Question::Shift(_) => JobKind::Shift,
            Question::Instances(..) => JobKind::Instances,
            Question::Preview(..) | Question::Trial(_) => JobKind::Preview,
            Question::Suggest(_) => JobKind::Suggest,
            Question::Line(_) => JobKind::Line,
            Question::Values => JobKind::Values,
            Question::Numbers => JobKind::Numbers,
            Question::Severe(_) => JobKind::Severe,
            Question::Recurrence(_) => JobKind::Recurrence,
            Question::Marked(..) => JobKind::Marked,
            Question::Curves(..) => JobKind::Curves,
            Question::Export(_) => JobKind::Export,
            Question::Problems(_) => JobKind::Problems,
            Question::InstanceNames(_) => JobKind::InstanceNames,
            Question::Findings(_) => JobKind::Findings,
            Question::UnfinishedInSelection(..) => JobKind::UnfinishedInSelection,
        }
    }
}

/// An answer, or a part of one.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Selected rows, and the number of rows left after each step.
    Selected(Rows, Vec<usize>),
    /// Part of the selected rows found so far, and the numbers after each step.
    Partial(Rows, Vec<usize>),
    /// Answers carried over from an earlier snapshot.
    CarriedOver(Box<CarriedAnswers>),
    /// Histogram of rows.
    Overview(OverviewHistogram),
    /// Index of the row found.
    Found(Option<usize>),
    /// Rows that match the search, ascending.
    Hits {
        /// The rows.
        rows: Arc<[u32]>,
        /// Whether the search is complete.
        whole: bool,
    },
    /// Number of rows in one of the lists that pass one of the steps.
    Count {
        /// Index of the list.
        among: usize,
        /// Index of the step.
        index: usize,
        /// Number of rows.
        rows: usize,
    },
    /// Statistics of keys.
    KeyStats(Arc<[KeyStat]>),
    /// Completions of a filter expression.
    Completions(Vec<Completion>),
    /// Result of the joins.
    Joined {
        /// Snapshot with the joined values.
        snapshot: Arc<Snapshot>,
        /// Report of each join.
        reports: Arc<[Report]>,
        /// Core time of the computation, at most.
        core_time: Duration,
    },
    /// Rows of a table, and the core time of the computation, at most.
    Table(TableData, Duration),
    /// The run with time shifts.
    Shifted(Arc<Snapshot>),
    /// Instances of a snapshot.
    Instances(Arc<Snapshot>, Arc<SnapshotInstances>),
    /// Unfinished work of the whole run.
    Unfinished(Arc<UnfinishedDetails>),
    /// Unfinished work in the selection.
    UnfinishedInSelection(Arc<UnfinishedDetails>),
    /// Effect of a join; `None` if its keys are unknown.
    Preview(Option<Report>),
    /// Preview of an extraction rule.
    Trial(ExtractionPreview),
    /// Joins that would work, each with its effect.
    Suggested(Arc<[(Join, Report)]>),
    /// A record as a JSON line; `None` if there is no such record.
    Line(Option<String>),
    /// Most frequent values of all keys.
    Values(Arc<[ValueStat]>),
    /// Keys with numeric values.
    Numbers(Arc<[NumberKey]>),
    /// Rows that are warnings or errors.
    Severe(SevereRows),
    /// Time since the previous record with the same value.
    Recurrence(Recurrences),
    /// Records that match, and the number of them among the rows.
    Marked(Arc<Selection>, usize),
    /// Curves below the overview.
    Curves(Arc<[Curve]>),
    /// Files written, or the error.
    Exported(Result<Vec<PathBuf>, String>),
    /// Lines where the problems of a source begin.
    Problems(Vec<ProblemSpot>),
    /// Instances that match this text, best matches first.
    InstanceNames(String, Vec<NameMatch>),
    /// Current stage of the diagnosis.
    Finding(Stage),
    /// Findings of the diagnosis.
    Findings(Arc<Findings>),
    /// Sources that could not be re-read, so that the answer lacks their texts. Sent last.
    Unread(Vec<ReadFailure>),
}

/// Answers a question on the current thread; `give` may be called several times. Stops early if cancelled.
pub fn answer(
    snapshot: &Arc<Snapshot>,
    question: &Question,
    cancel: &Cancel,
    give: &mut dyn FnMut(Answer),
) {
    answers::answer(snapshot, question, cancel, give);
    // After a cancellation, unreadable sources are left for the next answer to report.
    if !cancel.is_cancelled() {
        let lost = snapshot.read_failures.take();
        if !lost.is_empty() {
            give(Answer::Unread(lost));
        }
    }
}

#[cfg(test)]
mod tests;
