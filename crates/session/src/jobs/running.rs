//! Questions under way: one of each kind, on threads of their own.

use std::sync::Arc;

use crossbeam_channel::Sender;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::thread::{self, NoThread};
use widetui_store::Snapshot;

use super::{Answer, JobKind, Question, answer};

/// The number of the last question of each kind: an answer to an earlier one comes too late.
#[derive(Clone, Debug, Default)]
pub struct Generations(FxHashMap<JobKind, u64>);

impl Generations {
    /// The number of the next question of a kind. What was asked before is out of date.
    pub fn next(&mut self, slot: JobKind) -> u64 {
        let last = self.0.entry(slot).or_default();
        *last += 1;
        *last
    }

    /// Whether a question is the last one of its kind.
    pub fn is_last(&self, slot: JobKind, generation: u64) -> bool {
        self.0.get(&slot).copied().unwrap_or_default() == generation
    }
}

type Work = Arc<dyn Fn() + Send + Sync>;

/// The running questions.
#[derive(Default)]
pub struct Jobs {
    running: FxHashMap<JobKind, Cancel>,
    /// Questions for which there was no thread. Who asked waits for an answer, so they are not given up.
    waiting: FxHashMap<JobKind, Work>,
}

impl Jobs {
    /// Asks on a new thread, and cancels the last question of this kind. Answers go to `send`, made into messages by
    /// `wrap`, which gets the generation too.
    ///
    /// # Errors
    /// The system gives no thread: the question waits for [`retry`](Jobs::retry).
    pub fn ask<M: Send + 'static>(
        &mut self,
        snapshot: Arc<Snapshot>,
        question: Question,
        generation: u64,
        send: Sender<M>,
        wrap: impl Fn(JobKind, u64, Answer) -> M + Send + Sync + 'static,
    ) -> Result<(), NoThread> {
        let slot = question.slot();
        let cancel = Cancel::default();
        if let Some(before) = self.running.insert(slot, cancel.clone()) {
            before.cancel();
        }
        let work = move || {
            answer(&snapshot, &question, &cancel, &mut |a| {
                if !cancel.is_cancelled() {
                    let _ = send.send(wrap(slot, generation, a));
                }
            });
        };
        self.begin(slot, Arc::new(work), start)
    }

    /// Begins, or lets wait, in place of what waited before.
    pub(super) fn begin(
        &mut self,
        slot: JobKind,
        work: Work,
        start: impl FnOnce(JobKind, Work) -> Result<(), NoThread>,
    ) -> Result<(), NoThread> {
        self.waiting.remove(&slot);
        let begun = start(slot, work.clone());
        if begun.is_err() {
            self.waiting.insert(slot, work);
        }
        begun
    }

    /// Whether there are questions for which there was no thread.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Begins with those for which there is a thread now.
    pub fn retry(&mut self) {
        self.waiting
            .retain(|slot, work| start(*slot, work.clone()).is_err());
    }

    /// Cancels the question of a kind.
    pub fn cancel(&mut self, slot: JobKind) {
        self.waiting.remove(&slot);
        if let Some(running) = self.running.get(&slot) {
            running.cancel();
        }
    }

    /// Cancels all questions.
    pub fn cancel_all(&mut self) {
        self.waiting.clear();
        self.running.values().for_each(Cancel::cancel);
    }
}

fn start(slot: JobKind, work: Work) -> Result<(), NoThread> {
    thread::start(&format!("{slot:?}"), move || work()).map(|_| ())
}
