//! Questions under way: one of each kind, on threads of their own.

use std::sync::Arc;

use crossbeam_channel::Sender;
use rustc_hash::FxHashMap;

use crate::base::cancel::Cancel;
use crate::store::Snapshot;

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

/// The running questions.
#[derive(Debug, Default)]
pub struct Jobs {
    running: FxHashMap<JobKind, Cancel>,
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
        wrap: impl Fn(JobKind, u64, Answer) -> M + Send + 'static,
    ) {
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
        // Without a thread there is no answer, as if it took for ever.
        let _ = std::thread::Builder::new()
            .name(format!("{slot:?}"))
            .spawn(work);
    }

    /// Cancels the question of a kind.
    pub fn cancel(&mut self, slot: JobKind) {
        if let Some(running) = self.running.get(&slot) {
            running.cancel();
        }
    }

    /// Cancels all questions.
    pub fn cancel_all(&mut self) {
        self.running.values().for_each(Cancel::cancel);
    }
}
