//! Questions answered on threads: the latest of a kind wins, the ones before it are cancelled.
//!
//! Every question carries the generation of its kind. Whoever asked drops answers of an old generation, so an answer
//! that was on its way when the question changed does no harm.

use std::sync::Arc;

use crossbeam_channel::Sender;

use crate::base::cancel::Cancel;
use crate::join::{Join, Report};
use crate::query::{self, Completion, Expr, KeyStat};
use crate::store::Snapshot;

use super::ask::{self, Direction, Rows, Strip, Wanted};
use super::keep_up::{Kept, Known, keep_up};
use super::meaning;
use super::selection::Step;

/// Kinds of questions; a new one cancels the last of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Slot {
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
}

/// Number of kinds.
pub const SLOTS: usize = 8;

/// A question.
#[derive(Clone, Debug)]
pub enum Question {
    /// Which rows fit these steps.
    Select(Vec<Step>),
    /// The same as is known of an earlier snapshot.
    KeepUp(Arc<Known>),
    /// How these rows lie over time, in so many stretches.
    Strip(Rows, usize),
    /// The nearest of these rows with what is wanted.
    Find {
        /// Among these.
        rows: Rows,
        /// From this one.
        from: usize,
        /// This way.
        direction: Direction,
        /// What.
        wanted: Wanted,
    },
    /// Which of these rows a search line hits.
    Search(Rows, String),
    /// How many of these rows fit each of these expressions.
    Counts(Rows, Vec<Expr>),
    /// Which keys the records have, in numbers.
    KeyStats,
    /// What can stand in a filter line at a byte of it, with the numbers of the keys.
    Complete(String, usize, Arc<[KeyStat]>),
    /// What these joins give.
    Widen(Arc<[Join]>),
}

impl Question {
    /// Its kind.
    pub fn slot(&self) -> Slot {
        match self {
            Question::Select(_) | Question::KeepUp(_) => Slot::Select,
            Question::Strip(..) => Slot::Strip,
            Question::Find { .. } => Slot::Find,
            Question::Search(..) => Slot::Search,
            Question::Counts(..) => Slot::Counts,
            Question::KeyStats => Slot::KeyStats,
            Question::Complete(..) => Slot::Complete,
            Question::Widen(_) => Slot::Widen,
        }
    }
}

/// An answer, or a part of one.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The selected rows, and how many are left after each step.
    Selected(Rows, Vec<usize>),
    /// What was known of an earlier snapshot.
    Kept(Box<Kept>),
    /// How they lie over time.
    Strip(Strip),
    /// The row found.
    Found(Option<usize>),
    /// Rows that the search hit, ascending.
    Hits(Arc<[u32]>),
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
}

/// Answers a question here and now; `give` may be called several times. Stops early when cancelled.
pub fn answer(
    snapshot: &Arc<Snapshot>,
    question: &Question,
    cancel: &Cancel,
    give: &mut dyn FnMut(Answer),
) {
    match question {
        Question::Select(steps) => {
            if let Some((rows, counts)) = ask::select(snapshot, steps, cancel) {
                give(Answer::Selected(rows, counts));
            }
        }
        Question::KeepUp(known) => {
            if let Some(kept) = keep_up(snapshot, known, cancel) {
                give(Answer::Kept(Box::new(kept)));
            }
        }
        Question::Strip(rows, bins) => {
            if let Some(strip) = ask::strip(snapshot, rows, *bins, cancel) {
                give(Answer::Strip(strip));
            }
        }
        Question::Find {
            rows,
            from,
            direction,
            wanted,
        } => {
            if let Some(row) = ask::find(snapshot, rows, *from, *direction, wanted, cancel) {
                give(Answer::Found(row));
            }
        }
        Question::Search(rows, line) => {
            if let Some(hits) = ask::search(snapshot, rows, line, cancel) {
                give(Answer::Hits(hits));
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
        Question::Counts(rows, expressions) => {
            for (index, expr) in expressions.iter().enumerate() {
                match ask::count(snapshot, rows, expr, cancel) {
                    Some(rows) => give(Answer::Count { index, rows }),
                    None => return,
                }
            }
        }
    }
}

/// The running questions.
#[derive(Debug)]
pub struct Jobs {
    running: [Cancel; SLOTS],
}

impl Default for Jobs {
    fn default() -> Self {
        Jobs {
            running: std::array::from_fn(|_| Cancel::default()),
        }
    }
}

impl Jobs {
    /// Asks on a new thread, and cancels the last question of this kind. Answers go to `send`, made into messages by
    /// `wrap`, which gets the generation too.
    pub fn ask<M: Send + 'static>(
        &mut self,
        snapshot: Arc<Snapshot>,
        question: Question,
        generation: u64,
        send: Sender<M>,
        wrap: impl Fn(Slot, u64, Answer) -> M + Send + 'static,
    ) {
        let slot = question.slot();
        let cancel = Cancel::default();
        std::mem::replace(&mut self.running[slot as usize], cancel.clone()).cancel();
        let work = move || {
            answer(&snapshot, &question, &cancel, &mut |a| {
                if !cancel.is_cancelled() {
                    let _ = send.send(wrap(slot, generation, a));
                }
            });
        };
        // Without a thread there is no answer, as if it took for ever.
        let _ = std::thread::Builder::new()
            .name(format!("{slot:?}"))
            .spawn(work);
    }

    /// Cancels all questions.
    pub fn cancel_all(&mut self) {
        self.running.iter().for_each(Cancel::cancel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_carries_its_generation() {
        let (send, receive) = crossbeam_channel::unbounded();
        let mut jobs = Jobs::default();
        let snapshot = Arc::new(Snapshot::default());
        let question = Question::Select(Vec::new());
        jobs.ask(snapshot, question, 7, send, |slot, generation, answer| {
            (
                slot,
                generation,
                matches!(answer, Answer::Selected(Rows::All, _)),
            )
        });
        let limit = std::time::Duration::from_secs(20);
        assert_eq!(
            receive.recv_timeout(limit).unwrap(),
            (Slot::Select, 7, true)
        );
    }
}
