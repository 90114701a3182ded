//! Runs that are still being written: a work item that has not ended yet is news only when it takes longer than others of
//! its kind.

use crate::unfinished::model::{UnfinishedItem, UnfinishedWork, WaitState};
use widetui_analysis::runs::Run;

/// Maximum age of work that is never regarded as slow, ns.
const SHORT: i64 = 30_000_000_000;
/// Age from which on work is slow of whose kind nothing has ended, ns.
const INCOMPARABLE: i64 = 120_000_000_000;
/// Maximum age of the last record of an active run, ns.
const QUIET: i64 = 60_000_000_000;
/// Minimum ratio to the longest known duration for work to be slow.
const ODD: i64 = 5;

impl UnfinishedWork {
    /// Whether a run is being written and has recent records; `None` stands for sources without a run.
    pub(crate) fn is_alive(&self, run: Option<usize>) -> bool {
        let Some(now) = self.now.filter(|_| goes_on(&self.runs, run)) else {
            return false;
        };
        let run = run.and_then(|at| self.runs.get(at));
        let range = run.map_or(self.range, |r| r.range);
        let gap = run.and_then(|r| r.longest_gap).unwrap_or(0);
        range.is_some_and(|r| now.saturating_sub(r.1) < QUIET.max(gap.saturating_mul(ODD)))
    }

    /// Unfinished work items that block others or nothing, rather than wait for work or for a free worker.
    pub fn unblocked(&self) -> impl Iterator<Item = &UnfinishedItem> {
        let is_root =
            |s: &&UnfinishedItem| s.standing != WaitState::Waiting && s.waits_for_room.is_none();
        self.hanging().filter(is_root)
    }

    /// True if an item is stuck: its run has ended, or it takes much longer than the others of its kind.
    pub fn is_stuck(&self, item: &UnfinishedItem) -> bool {
        let is_at_work = self.now.is_some() && goes_on(&self.runs, item.run);
        !is_at_work || self.takes_long(item)
    }

    /// True if an item is unfinished for much longer than any other of its kind took; false if its age is unknown.
    fn takes_long(&self, stuck: &UnfinishedItem) -> bool {
        let mut goals = self.goals.iter();
        let goals = goals.find(|g| g.entity == stuck.entity);
        // Since the begin of its execution, the time that it waited before does not count.
        let (age, longest) = match stuck.begun_there.as_ref().zip(self.now) {
            Some((begun, now)) => (Some(now.saturating_sub(begun.1)), stuck.longest_attempt),
            None => (stuck.age, goals.and_then(|g| g.longest)),
        };
        let longest = longest.or_else(|| goals.and_then(|g| g.longest));
        let limit = longest.map_or(INCOMPARABLE, |longest| {
            SHORT.max(longest.saturating_mul(ODD))
        });
        age.is_some_and(|age| age >= limit)
    }
}

/// Whether a run may continue after its last record: it reported no end, and no run began after it. Only the times of
/// such runs extend to the present.
pub fn goes_on(runs: &[Run], run: Option<usize>) -> bool {
    let Some(run) = run.and_then(|at| runs.get(at)) else {
        return true;
    };
    let last = run.range.map_or(i64::MAX, |r| r.1);
    let is_later = |other: &Run| other.range.is_some_and(|r| r.0 > last);
    run.abnormal_end.is_none() && run.end_event.is_none() && !runs.iter().any(is_later)
}
