//! Runs that are still being written: a work item that has not ended yet is news only when it takes longer than others of
//! its kind.

use crate::unfinished::model::{UnfinishedItem, UnfinishedWork};
use widetui_analysis::runs::Run;

/// Nothing that is at work for less than this takes long, ns.
const SHORT: i64 = 30_000_000_000;
/// A run from which nobody heard for less than this is not silent, ns.
const QUIET: i64 = 60_000_000_000;
/// So many times as long as it was ever seen before is odd.
const ODD: i64 = 5;

impl UnfinishedWork {
    /// Whether a run is being written (`None`: what belongs to no run), and was heard of lately.
    pub(crate) fn is_alive(&self, run: Option<usize>) -> bool {
        let Some(now) = self.now.filter(|_| goes_on(&self.runs, run)) else {
            return false;
        };
        let run = run.and_then(|at| self.runs.get(at));
        let range = run.map_or(self.range, |r| r.range);
        let gap = run.and_then(|r| r.longest_gap).unwrap_or(0);
        range.is_some_and(|r| now.saturating_sub(r.1) < QUIET.max(gap.saturating_mul(ODD)))
    }

    /// Whether something that has not ended is at work as others of its kind were: of a run that is being written.
    pub(crate) fn is_at_work(&self, stuck: &UnfinishedItem) -> bool {
        self.now.is_some() && goes_on(&self.runs, stuck.run) && !self.takes_long(stuck)
    }

    /// Whether something is unfinished for much longer than any other of its kind took. What has no known age does not.
    pub(crate) fn takes_long(&self, stuck: &UnfinishedItem) -> bool {
        let mut goals = self.goals.iter();
        let goals = goals.find(|g| g.entity == stuck.entity);
        let longest = goals.and_then(|g| g.longest).unwrap_or(0);
        let limit = SHORT.max(longest.saturating_mul(ODD));
        stuck.age.is_some_and(|age| age >= limit)
    }
}

/// Whether a run may go on after its last record: it did not tell that it ends, and none began after it. Times reach to the
/// present for these alone.
pub fn goes_on(runs: &[Run], run: Option<usize>) -> bool {
    let Some(run) = run.and_then(|at| runs.get(at)) else {
        return true;
    };
    let last = run.range.map_or(i64::MAX, |r| r.1);
    let is_later = |other: &Run| other.range.is_some_and(|r| r.0 > last);
    run.abnormal_end.is_none() && run.end_event.is_none() && !runs.iter().any(is_later)
}
