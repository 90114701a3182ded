//! The present, as the clocks of the logs have it: how long something that is stuck has been so while nobody writes.
//!
//! The present is counted from the last record on, by the time that has passed since a file was written: so neither a zone
//! that was assumed nor the clock of another machine makes ages wrong. Nothing here reads the clock: it is given.

use widetui_diagnosis::unfinished::{UnfinishedItem, UnfinishedWork, goes_on};
use widetui_store::Snapshot;

/// The present in the time of the logs, UTC ns, when it is `clock` (UTC ns); `None` where no file is followed, as in an
/// archive.
pub fn in_logs(snapshot: &Snapshot, clock: i64) -> Option<i64> {
    let logs = snapshot.sources.iter().filter(|s| s.is_log);
    let written = logs.map(|s| s.modified).max().filter(|t| *t > 0)?;
    let (_, last) = snapshot.range()?;
    Some(last.saturating_add(clock.saturating_sub(written).max(0)))
}

/// How long something is what it is, ns: to the present (in the time of the logs) where its run may go on, else to the end
/// of its run.
pub fn age(stuck: &UnfinishedItem, hung: &UnfinishedWork, now: Option<i64>) -> Option<i64> {
    let now = now.filter(|_| goes_on(&hung.runs, stuck.run));
    let until_now = now.zip(stuck.since).map(|(n, s)| n.saturating_sub(s));
    stuck.age.max(until_now)
}
