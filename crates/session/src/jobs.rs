//! Questions answered on threads: the latest of a kind wins, the ones before it are cancelled.
//!
//! Every question carries the generation of its kind. Whoever asked drops answers of an old generation, so an answer
//! that was on its way when the question changed does no harm.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use widetui_analysis::overview::Curve;
use widetui_core::cancel::Cancel;
use widetui_core::direction::Direction;
use widetui_core::ids::{EventId, SourceId};
use widetui_diagnosis::findings::Stage;
use widetui_join::{ExtractionPreview, ExtractionRule, Join, Report};
use widetui_query::{Completion, Expr, KeyStat, Selection};
use widetui_store::Snapshot;
use widetui_store::unread::Lost;

use super::context_lines::ContextWindow;
use super::export_files::Export;
use super::findings::Findings;
use super::incremental::{KeptAnswers, Known};
use super::instances::{Seen, StuckThings};
use super::meaning::Meaning;
use super::names::{Called, Wish as CalledWish};
use super::overview::{Strip, StripWish};
use super::plots::CurvesAsked;
use super::problem_lines::ProblemSpot;
use super::record_search::{SearchTarget, Severe};
use super::recurrence::{Recurrences, SameWish};
use super::rows::{NumberKey, Rows, ValueStat};
use super::selection::SelectionStep;

mod answers;
mod running;
mod tables;

pub use running::{Generations, Jobs};
pub use tables::{RunGrowth, TableData, TableOf};

/// Kinds of questions; a new one cancels the last of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// Which rows are selected.
    Select,
    /// How they lie over time.
    Strip,
    /// Where the next one of something is.
    Find,
    /// Which rows a search hits.
    Search,
    /// How many records share a value.
    Counts,
    /// Which keys there are.
    KeyStats,
    /// What can come next in a filter.
    Complete,
    /// What joins give.
    Widen,
    /// What stands in the table that is shown.
    Table,
    /// The run with other times of some sources.
    Shift,
    /// What the run is about, and what is stuck.
    Things,
    /// What a join would do.
    Preview,
    /// Which joins would hold.
    Suggest,
    /// A record as a line of JSON.
    Line,
    /// The most frequent values of all keys.
    Values,
    /// Which keys hold numbers.
    Numbers,
    /// Which rows are warnings or errors.
    Severe,
    /// How long ago there was a record with the same value.
    Same,
    /// Which records have a value that is marked.
    Marked,
    /// Small curves under the strip.
    Curves,
    /// What is wrong.
    Findings,
    /// What of it that is stuck is selected.
    Told,
    /// Files for the user.
    Export,
    /// Where the problems of a source begin.
    Problems,
    /// Which things are called as somebody writes.
    Called,
}

/// A question.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "few exist at a time, and none is kept"
)]
pub enum Question {
    /// Which rows fit these steps.
    Select {
        /// The steps.
        steps: Vec<SelectionStep>,
        /// What the user looks at: found first where finding takes long.
        near: Option<EventId>,
        /// Neighbours to be shown with them.
        context: Option<ContextWindow>,
    },
    /// The same as is known of an earlier snapshot.
    KeepUp(Arc<Known>),
    /// How rows lie over time.
    Strip(StripWish),
    /// The nearest of these rows with what is wanted.
    Find {
        /// Among these.
        rows: Rows,
        /// From this one.
        from: usize,
        /// This way.
        direction: Direction,
        /// What.
        wanted: SearchTarget,
    },
    /// Which of these rows a search hits, those near an event first.
    Search(Rows, Expr, Option<EventId>),
    /// How many of each of these lists of rows fit each of these steps.
    Counts(Vec<Rows>, Vec<SelectionStep>),
    /// Which keys the records have, in numbers.
    KeyStats,
    /// What can stand in a filter line at a byte of it, with the numbers of the keys.
    Complete(String, usize, Arc<[KeyStat]>),
    /// What these joins give.
    Widen(Arc<[Join]>),
    /// What stands in a table, of these rows.
    Table(Rows, TableOf),
    /// The run with the times of these sources shifted, ns.
    Shift(Vec<(SourceId, i64)>),
    /// What the run is about, and what of it is stuck at a time (UTC ns; `None`: at the end of the logs).
    Things(Arc<Meaning>, Option<i64>),
    /// What the second would do beside the first ones.
    Preview(Arc<[Join]>, Join),
    /// What a second reading would give.
    Trial(Box<ExtractionRule>),
    /// Which joins would hold beside these.
    Suggest(Arc<[Join]>),
    /// A record as a line of JSON.
    Line(EventId),
    /// The most frequent values of all keys.
    Values,
    /// Which keys hold numbers, and which.
    Numbers,
    /// Which of these rows are warnings or errors.
    Severe(Rows),
    /// How long before some rows there was one with the same value.
    Same(SameWish),
    /// Which records fit this.
    Marked(Rows, Expr),
    /// What is wrong.
    Findings(Box<super::findings::Wish>),
    /// What of it that is stuck has a record among these rows.
    Told(Rows, Arc<Meaning>, Arc<StuckThings>),
    /// These curves of these rows.
    Curves(Rows, CurvesAsked),
    /// What is shown as files for the user.
    Export(Box<Export>),
    /// Where the problems of this source begin.
    Problems(SourceId),
    /// Which things are called so.
    Called(CalledWish),
}

impl Question {
    /// Its kind.
    pub fn slot(&self) -> JobKind {
        match self {
            Question::Select { .. } | Question::KeepUp(_) => JobKind::Select,
            Question::Strip(..) => JobKind::Strip,
            Question::Find { .. } => JobKind::Find,
            Question::Search(..) => JobKind::Search,
            Question::Counts(..) => JobKind::Counts,
            Question::KeyStats => JobKind::KeyStats,
            Question::Complete(..) => JobKind::Complete,
            Question::Widen(_) => JobKind::Widen,
            Question::Table(..) => JobKind::Table,
            Question::Shift(_) => JobKind::Shift,
            Question::Things(..) => JobKind::Things,
            Question::Preview(..) | Question::Trial(_) => JobKind::Preview,
            Question::Suggest(_) => JobKind::Suggest,
            Question::Line(_) => JobKind::Line,
            Question::Values => JobKind::Values,
            Question::Numbers => JobKind::Numbers,
            Question::Severe(_) => JobKind::Severe,
            Question::Same(_) => JobKind::Same,
            Question::Marked(..) => JobKind::Marked,
            Question::Curves(..) => JobKind::Curves,
            Question::Export(_) => JobKind::Export,
            Question::Problems(_) => JobKind::Problems,
            Question::Called(_) => JobKind::Called,
            Question::Findings(_) => JobKind::Findings,
            Question::Told(..) => JobKind::Told,
        }
    }
}

/// An answer, or a part of one.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The selected rows, and how many are left after each step.
    Selected(Rows, Vec<usize>),
    /// What was found of them so far.
    Early(Rows, Vec<usize>),
    /// What was known of an earlier snapshot.
    Kept(Box<KeptAnswers>),
    /// How they lie over time.
    Strip(Strip),
    /// The row found.
    Found(Option<usize>),
    /// Rows that the search hit, ascending.
    Hits {
        /// The rows.
        rows: Arc<[u32]>,
        /// Whether these are all of them.
        whole: bool,
    },
    /// Number of rows of one of the lists that fit one of the steps.
    Count {
        /// Which list.
        among: usize,
        /// Which step.
        index: usize,
        /// How many rows.
        rows: usize,
    },
    /// The keys of the records, in numbers.
    KeyStats(Arc<[KeyStat]>),
    /// What can come next in a filter.
    Completions(Vec<Completion>),
    /// What joins give.
    Widened {
        /// The snapshot with it.
        snapshot: Arc<Snapshot>,
        /// What each of them did.
        reports: Arc<[Report]>,
        /// How long that took.
        took: Duration,
    },
    /// What stands in a table.
    Table(TableData),
    /// The run with other times of some sources.
    Shifted(Arc<Snapshot>),
    /// The things of a snapshot.
    Seen(Arc<Snapshot>, Arc<Seen>),
    /// What of them is stuck.
    Stuck(Arc<StuckThings>),
    /// What of that is selected.
    Told(Arc<StuckThings>),
    /// What a join would do; `None` when its keys are unknown.
    Preview(Option<Report>),
    /// What a second reading would give.
    Trial(ExtractionPreview),
    /// Joins that would hold, and what each would do.
    Suggested(Arc<[(Join, Report)]>),
    /// A record as a line of JSON; `None` when there is no such record.
    Line(Option<String>),
    /// The most frequent values of all keys.
    Values(Arc<[ValueStat]>),
    /// The keys that hold numbers.
    Numbers(Arc<[NumberKey]>),
    /// Rows that are warnings or errors.
    Severe(Severe),
    /// How long before some records there was one with the same value.
    Same(Recurrences),
    /// The records that fit, and how many of the rows they are.
    Marked(Arc<Selection>, usize),
    /// Small curves.
    Curves(Arc<[Curve]>),
    /// The files that were written, or why they were not.
    Exported(Result<Vec<PathBuf>, String>),
    /// Where the problems of a source begin.
    Problems(Vec<ProblemSpot>),
    /// The things that are called as this text says, what is looked for first.
    Called(String, Vec<Called>),
    /// What is looked at now, in the search for what is wrong.
    Finding(Stage),
    /// What is wrong.
    Findings(Arc<Findings>),
    /// Sources that could not be read again: what was answered does not go by their texts. Comes last.
    Unread(Vec<Lost>),
}

/// Answers a question here and now; `give` may be called several times. Stops early when cancelled.
pub fn answer(
    snapshot: &Arc<Snapshot>,
    question: &Question,
    cancel: &Cancel,
    give: &mut dyn FnMut(Answer),
) {
    answers::answer(snapshot, question, cancel, give);
    // Nobody would hear of it now: it is left for the next answer.
    if !cancel.is_cancelled() {
        let lost = snapshot.unread.take();
        if !lost.is_empty() {
            give(Answer::Unread(lost));
        }
    }
}

#[cfg(test)]
mod tests;
