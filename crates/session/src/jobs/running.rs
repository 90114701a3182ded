//! Running jobs: at most one of each kind, each on its own thread.

use std::sync::{Arc, Mutex};

use crossbeam_channel::Sender;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::lock;
use widetui_core::memory::MemoryLimit;
use widetui_core::thread::{self, NoThread};
use widetui_store::Snapshot;

use super::{Answer, JobKind, Question, answer};

/// Number of the latest question of each kind; answers to earlier ones are stale.
#[derive(Clone, Debug, Default)]
pub struct Generations(FxHashMap<JobKind, u64>);

impl Generations {
    /// Returns the number for a new question of a kind, which makes earlier ones stale.
    pub fn next(&mut self, slot: JobKind) -> u64 {
        let last = self.0.entry(slot).or_default();
        *last += 1;
        *last
    }

    /// Whether a question is the latest of its kind.
    pub fn is_last(&self, slot: JobKind, generation: u64) -> bool {
        self.0.get(&slot).copied().unwrap_or_default() == generation
    }
}

type Work = Arc<dyn Fn() + Send + Sync>;

/// Running jobs.
pub struct Jobs {
    limit: MemoryLimit,
    /// Held by the job that computes something large while the process is near its limit of memory.
    turn: Arc<Mutex<()>>,
    running: FxHashMap<JobKind, Cancel>,
    /// Jobs that found no free thread. Their answers are expected, so they are kept for a retry.
    waiting: FxHashMap<JobKind, Work>,
}

impl Jobs {
    /// Jobs of a process with a limit of memory. Near the limit, answers that take much memory are computed one after
    /// another, and freed memory is given back after each.
    pub fn new(limit: MemoryLimit) -> Jobs {
        Jobs {
            limit,
            turn: Arc::default(),
            running: FxHashMap::default(),
            waiting: FxHashMap::default(),
        }
    }

    /// Answers a question on a new thread, and cancels the previous one of its kind. Answers go to `send` as messages
    /// made by `wrap`, which also receives the generation.
    ///
    /// # Errors
    /// The system provides no thread; the job then waits for [`retry`](Jobs::retry).
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
        let (limit, turn) = (self.limit, self.turn.clone());
        let work = move || {
            let turn = (slot.is_large() && limit.is_near()).then(|| lock::hold(&turn));
            if cancel.is_cancelled() {
                return;
            }
            answer(&snapshot, &question, &cancel, &mut |a| {
                if !cancel.is_cancelled() {
                    let _ = send.send(wrap(slot, generation, a));
                }
            });
            if turn.is_some() {
                thread::trim_heap();
            }
        };
        self.begin(slot, Arc::new(work), start)
    }

    /// Lock of the job that computes something large.
    #[cfg(test)]
    pub(super) fn turn(&self) -> Arc<Mutex<()>> {
        self.turn.clone()
    }

    /// Starts a job, or lets it wait in place of an earlier one of its kind.
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

    /// Whether jobs wait for a thread.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Starts waiting jobs for which there is a thread now.
    pub fn retry(&mut self) {
        self.waiting
            .retain(|slot, work| start(*slot, work.clone()).is_err());
    }

    /// Cancels the job of a kind.
    pub fn cancel(&mut self, slot: JobKind) {
        self.waiting.remove(&slot);
        if let Some(running) = self.running.get(&slot) {
            running.cancel();
        }
    }

    /// Cancels all jobs.
    pub fn cancel_all(&mut self) {
        self.waiting.clear();
        self.running.values().for_each(Cancel::cancel);
    }
}

fn start(slot: JobKind, work: Work) -> Result<(), NoThread> {
    thread::start(&format!("{slot:?}"), move || work()).map(|_| ())
}
