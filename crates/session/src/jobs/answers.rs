//! Dispatch of questions to the modules that answer them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_ingest::shifts;
use widetui_join::preview_extraction;
use widetui_join::suggest::suggest;
use widetui_query::{self as query, Expr};
use widetui_report::event::full_event;
use widetui_report::jsonl::event_line;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use super::{Answer, Question, tables};
use crate::context_lines::around;
use crate::incremental::carry_over;
use crate::meaning::{self, Meaning};
use crate::plots::PlotData;
use crate::rows::{self, Rows};
use crate::selection::SelectionStep;
use crate::unfinished_details::UnfinishedDetails;
use crate::{export_files, findings, overview, plots, problem_lines, record_search, recurrence};

/// Answers a question; `give` may be called several times. Stops early if cancelled.
pub(super) fn answer(
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
            let mut early = |rows, counts| give(Answer::Partial(rows, counts));
            let found = rows::select_early(snapshot, steps, *near, cancel, &mut early);
            if let Some((rows, counts)) = found
                && let Some(rows) = around(snapshot, rows, *context, cancel)
            {
                give(Answer::Selected(rows, counts));
            }
        }
        Question::Search(rows, expr, near) => {
            let mut early = |rows| give(Answer::Hits { rows, whole: false });
            let found = rows::search(snapshot, rows, expr, *near, cancel, &mut early);
            if let Some(rows) = found {
                give(Answer::Hits { rows, whole: true });
            }
        }
        Question::Instances(meaning, now) => look_for_things(snapshot, meaning, *now, cancel, give),
        Question::Findings(wish) => {
            let mut stage = |stage| give(Answer::Finding(stage));
            let found = findings::findings(snapshot, wish, cancel, &mut stage);
            if let Some(found) = found {
                give(Answer::Findings(Arc::new(found)));
            }
        }
        Question::Counts(lists, steps) => {
            for (among, list) in lists.iter().enumerate() {
                for (index, step) in steps.iter().enumerate() {
                    let Some(rows) = rows::count(snapshot, list, step, cancel) else {
                        return;
                    };
                    give(Answer::Count { among, index, rows });
                }
            }
        }
        question => {
            if let Some(answer) = only_answer(snapshot, question, cancel) {
                give(answer);
            }
        }
    }
}

/// Sends all instances first, then the unfinished ones, which take longer to find.
fn look_for_things(
    snapshot: &Arc<Snapshot>,
    meaning: &Meaning,
    now: Option<i64>,
    cancel: &Cancel,
    give: &mut dyn FnMut(Answer),
) {
    let Some(seen) = meaning.instance_cache.instances(snapshot, cancel) else {
        return;
    };
    seen.prefetch_event_lists();
    give(Answer::Instances(snapshot.clone(), seen));
    let cache = &meaning.instance_cache;
    let hung = findings::unfinished_work(snapshot, meaning, now, cancel);
    let read = |hung| UnfinishedDetails::read(snapshot, cache, hung, cancel);
    if let Some(details) = hung.and_then(read) {
        give(Answer::Unfinished(Arc::new(details)));
    }
}

/// Core time of a computation that began at `began`, at most: at most one thread works on a segment.
fn core_time(began: Instant, snapshot: &Snapshot) -> Duration {
    let threads = rayon::current_num_threads().min(snapshot.segments.len().max(1));
    began.elapsed() * threads as u32
}

/// Returns the answer to a question with at most one answer; `None` if cancelled or if there is nothing to report.
fn only_answer(snapshot: &Arc<Snapshot>, question: &Question, cancel: &Cancel) -> Option<Answer> {
    Some(match question {
        Question::CarryOver(known) => {
            Answer::CarriedOver(Box::new(carry_over(snapshot, known, cancel)?))
        }
        Question::Overview(wish) => {
            Answer::Overview(overview::overview_histogram(snapshot, wish, cancel)?)
        }
        Question::Find {
            rows,
            from,
            direction,
            wanted,
        } => {
            let found = record_search::find(snapshot, rows, *from, *direction, wanted, cancel);
            Answer::Found(found.ok()?)
        }
        Question::Severe(rows) => Answer::Severe(record_search::severe(snapshot, rows, cancel)?),
        Question::Recurrence(wish) => {
            Answer::Recurrence(recurrence::steps(snapshot, wish, cancel)?)
        }
        Question::Marked(rows, expr) => marked(snapshot, rows, expr, cancel)?,
        Question::KeyStats => Answer::KeyStats(query::key_stats(snapshot, cancel)?.into()),
        Question::Joins(joins) => {
            let began = Instant::now();
            let (snapshot, reports) = meaning::with_joined_values(snapshot, joins, cancel)?;
            let core_time = core_time(began, &snapshot);
            Answer::Joined {
                snapshot,
                reports,
                core_time,
            }
        }
        Question::Complete(line, at, stats) => {
            Answer::Completions(query::complete_with(line, *at, snapshot, stats, cancel))
        }
        Question::Shift(shifts) => Answer::Shifted(shifts::shifted(snapshot, shifts, cancel)?),
        Question::Preview(known, join) => {
            let joins = [&known[..], std::slice::from_ref(join)].concat();
            let (_, reports) = meaning::with_joined_values(snapshot, &joins, cancel)?;
            Answer::Preview(reports.iter().find(|r| r.join == join.name).cloned())
        }
        Question::Trial(rule) => Answer::Trial(preview_extraction(snapshot, rule, cancel)?),
        Question::Suggest(known) => Answer::Suggested(suggest(snapshot, known, cancel)?.into()),
        Question::Table(rows, of) => {
            let began = Instant::now();
            let data = tables::table(snapshot, rows, of, cancel)?;
            Answer::Table(data, core_time(began, snapshot))
        }
        Question::Problems(id) => {
            Answer::Problems(problem_lines::problem_spots(snapshot, *id, cancel)?)
        }
        Question::Line(id) => Answer::Line(line(snapshot, *id)),
        Question::InstanceNames(wish) => Answer::InstanceNames(wish.text.clone(), wish.find()),
        Question::Curves(rows, asked) => match plots::answer(snapshot, rows, asked, cancel)? {
            PlotData::Curves(found) => Answer::Curves(found.into()),
            _ => return None,
        },
        Question::Export(export) => {
            Answer::Exported(export_files::write(snapshot, export, cancel)?)
        }
        Question::UnfinishedInSelection(rows, meaning, known) => {
            let (instance_cache, known) = (&meaning.instance_cache, known.hung.clone());
            let rows = rows.part(snapshot);
            let hung =
                findings::unfinished_among(snapshot, instance_cache, known, rows.as_ref(), cancel)?;
            let details = UnfinishedDetails::read(snapshot, instance_cache, hung, cancel)?;
            Answer::UnfinishedInSelection(Arc::new(details))
        }
        Question::Numbers => Answer::Numbers(rows::number_keys(snapshot, cancel)?.into()),
        Question::Values => Answer::Values(rows::common_values(snapshot, cancel)?.into()),
        // These questions have several answers.
        Question::Select { .. }
        | Question::Search(..)
        | Question::Instances(..)
        | Question::Findings(_)
        | Question::Counts(..) => return None,
    })
}

fn marked(snapshot: &Snapshot, rows: &Rows, expr: &Expr, cancel: &Cancel) -> Option<Answer> {
    let fits = query::select(snapshot, expr, cancel)?;
    let step = SelectionStep::new("", expr.clone());
    let count = rows::count(snapshot, rows, &step, cancel)?;
    Some(Answer::Marked(Arc::new(fits), count))
}

/// Formats a record as a JSON line.
fn line(snapshot: &Snapshot, id: EventId) -> Option<String> {
    let event = snapshot.event(id)?;
    Some(event_line(&full_event(&event, &mut TextReader::default())))
}
