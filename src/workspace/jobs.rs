//! Questions answered on threads: the latest of a kind wins, the ones before it are cancelled.
//!
//! Every question carries the generation of its kind. Whoever asked drops answers of an old generation, so an answer
//! that was on its way when the question changed does no harm.

use std::path::PathBuf;
use std::sync::Arc;

use crate::analysis::diagnose::Stage;
use crate::analysis::hung;
use crate::analysis::overview::Curve;
use crate::base::cancel::Cancel;
use crate::base::direction::Direction;
use crate::base::ids::{EventId, SourceId};
use crate::export::event::full_event;
use crate::export::jsonl::event_line;
use crate::join::suggest::suggest;
use crate::join::{Join, Report};
use crate::query::{self, Completion, Expr, KeyStat, Selection};
use crate::store::Snapshot;
use crate::store::texts::TextReader;
use crate::store::unread::Lost;

use super::ask::{self, Rows, ValueStat};
use super::context::{ContextWindow, around};
use super::findings::{self, Findings};
use super::incremental::{KeptAnswers, Known, keep_up};
use super::meaning::{self, Meaning};
use super::near::{self, SearchTarget, Severe};
use super::plots::{self, CurvesAsked};
use super::same::{self, Recurrences, SameWish};
use super::selection::SelectionStep;
use super::strip::{self, Strip, StripWish};
use super::things::{self, Seen, StuckThings};
use super::written::{self, Export};

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
    /// Files for the user.
    Export,
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
    /// Which of these rows a search line hits, those near an event first.
    Search(Rows, String, Option<EventId>),
    /// How many of these rows fit each of these steps.
    Counts(Rows, Vec<SelectionStep>),
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
    /// Which joins would hold beside these.
    Suggest(Arc<[Join]>),
    /// A record as a line of JSON.
    Line(EventId),
    /// The most frequent values of all keys.
    Values,
    /// Which of these rows are warnings or errors.
    Severe(Rows),
    /// How long before some rows there was one with the same value.
    Same(SameWish),
    /// Which records fit this.
    Marked(Rows, Expr),
    /// What is wrong.
    Findings(Box<findings::Wish>),
    /// These curves of these rows.
    Curves(Rows, CurvesAsked),
    /// What is shown as files for the user.
    Export(Box<Export>),
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
            Question::Preview(..) => JobKind::Preview,
            Question::Suggest(_) => JobKind::Suggest,
            Question::Line(_) => JobKind::Line,
            Question::Values => JobKind::Values,
            Question::Severe(_) => JobKind::Severe,
            Question::Same(_) => JobKind::Same,
            Question::Marked(..) => JobKind::Marked,
            Question::Curves(..) => JobKind::Curves,
            Question::Export(_) => JobKind::Export,
            Question::Findings(_) => JobKind::Findings,
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
    /// Number of rows that fit one of the expressions.
    Count {
        /// Which expression.
        index: usize,
        /// How many rows.
        rows: usize,
    },
    /// The keys of the records, in numbers.
    KeyStats(Arc<[KeyStat]>),
    /// What can come next in a filter.
    Completions(Vec<Completion>),
    /// The snapshot with what joins give, and what each of them did.
    Widened(Arc<Snapshot>, Arc<[Report]>),
    /// What stands in a table.
    Table(TableData),
    /// The run with other times of some sources.
    Shifted(Arc<Snapshot>),
    /// The things of a snapshot.
    Seen(Arc<Snapshot>, Arc<Seen>),
    /// What of them is stuck.
    Stuck(Arc<StuckThings>),
    /// What a join would do; `None` when its keys are unknown.
    Preview(Option<Report>),
    /// Joins that would hold, and what each would do.
    Suggested(Arc<[(Join, Report)]>),
    /// A record as a line of JSON; `None` when there is no such record.
    Line(Option<String>),
    /// The most frequent values of all keys.
    Values(Arc<[ValueStat]>),
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
    answer_all(snapshot, question, cancel, give);
    // Nobody would hear of it now: it is left for the next answer.
    if !cancel.is_cancelled() {
        let lost = snapshot.unread.take();
        if !lost.is_empty() {
            give(Answer::Unread(lost));
        }
    }
}

fn answer_all(
    snapshot: &Arc<Snapshot>,
    question: &Question,
    cancel: &Cancel,
    give: &mut dyn FnMut(Answer),
) {
    match question {
        Question::Select {
            steps,
            near,
            context,
        } => {
            let mut early = |rows, counts| give(Answer::Early(rows, counts));
            let found = ask::select_early(snapshot, steps, *near, cancel, &mut early);
            if let Some((rows, counts)) = found
                && let Some(rows) = around(snapshot, rows, *context, cancel)
            {
                give(Answer::Selected(rows, counts));
            }
        }
        Question::KeepUp(known) => {
            if let Some(kept) = keep_up(snapshot, known, cancel) {
                give(Answer::Kept(Box::new(kept)));
            }
        }
        Question::Strip(wish) => {
            if let Some(strip) = strip::strip(snapshot, wish, cancel) {
                give(Answer::Strip(strip));
            }
        }
        Question::Find {
            rows,
            from,
            direction,
            wanted,
        } => {
            if let Some(row) = near::find(snapshot, rows, *from, *direction, wanted, cancel) {
                give(Answer::Found(row));
            }
        }
        Question::Search(rows, line, near) => {
            let mut early = |rows| give(Answer::Hits { rows, whole: false });
            let found = ask::search(snapshot, rows, line, *near, cancel, &mut early);
            if let Some(rows) = found {
                give(Answer::Hits { rows, whole: true });
            }
        }
        Question::Severe(rows) => {
            if let Some(severe) = near::severe(snapshot, rows, cancel) {
                give(Answer::Severe(severe));
            }
        }
        Question::Same(wish) => {
            if let Some(steps) = same::steps(snapshot, wish, cancel) {
                give(Answer::Same(steps));
            }
        }
        Question::Marked(rows, expr) => {
            if let Some(fits) = query::select(snapshot, expr, cancel)
                && let Some(count) = ask::count(
                    snapshot,
                    rows,
                    &SelectionStep::new("", expr.clone()),
                    cancel,
                )
            {
                give(Answer::Marked(Arc::new(fits), count));
            }
        }
        Question::KeyStats => {
            if let Some(stats) = query::key_stats(snapshot, cancel) {
                give(Answer::KeyStats(stats.into()));
            }
        }
        Question::Widen(joins) => {
            if let Some((snapshot, reports)) = meaning::widened(snapshot, joins, cancel) {
                give(Answer::Widened(snapshot, reports));
            }
        }
        Question::Complete(line, at, stats) => {
            give(Answer::Completions(query::complete_with(
                line, *at, snapshot, stats, cancel,
            )));
        }
        Question::Shift(shifts) => {
            if let Some(snapshot) = super::shift::shifted(snapshot, shifts, cancel) {
                give(Answer::Shifted(snapshot));
            }
        }
        Question::Preview(known, join) => {
            let joins = [&known[..], std::slice::from_ref(join)].concat();
            if let Some((_, reports)) = meaning::widened(snapshot, &joins, cancel) {
                let report = reports.iter().find(|r| r.join == join.name);
                give(Answer::Preview(report.cloned()));
            }
        }
        Question::Suggest(known) => {
            if let Some(found) = suggest(snapshot, known, cancel) {
                give(Answer::Suggested(found.into()));
            }
        }
        Question::Things(meaning, now) => {
            if let Some(seen) = meaning.things.seen(snapshot, cancel) {
                give(Answer::Seen(snapshot.clone(), seen.clone()));
                let asked = hung::HungOptions {
                    now: *now,
                    ..meaning.asked()
                };
                if let Some(stuck) = things::stuck(snapshot, &seen, &asked, cancel) {
                    give(Answer::Stuck(Arc::new(stuck)));
                }
            }
        }
        Question::Table(rows, of) => {
            if let Some(data) = tables::table(snapshot, rows, of, cancel) {
                give(Answer::Table(data));
            }
        }
        Question::Line(id) => {
            let event = snapshot.event(*id);
            let line = event.map(|e| event_line(&full_event(&e, &mut TextReader::default())));
            give(Answer::Line(line));
        }
        Question::Curves(rows, asked) => {
            if let Some((curves, _)) = plots::curves(snapshot, rows, asked, cancel) {
                give(Answer::Curves(curves.into()));
            }
        }
        Question::Export(export) => {
            if let Some(written) = written::write(snapshot, export, cancel) {
                give(Answer::Exported(written));
            }
        }
        Question::Findings(wish) => {
            let found = findings::findings(snapshot, wish, cancel, &mut |stage| {
                give(Answer::Finding(stage));
            });
            if let Some(found) = found {
                give(Answer::Findings(Arc::new(found)));
            }
        }
        Question::Values => {
            if let Some(values) = ask::common_values(snapshot, cancel) {
                give(Answer::Values(values.into()));
            }
        }
        Question::Counts(rows, steps) => {
            for (index, step) in steps.iter().enumerate() {
                match ask::count(snapshot, rows, step, cancel) {
                    Some(rows) => give(Answer::Count { index, rows }),
                    None => return,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
