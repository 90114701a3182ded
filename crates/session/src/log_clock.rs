//! Present time on the clock of the logs, for the age of unfinished work in a run that is silent.
//!
//! The present is computed as the time of the last record plus the time since a file was last written, so neither an
//! assumed zone nor the clock of another machine makes ages wrong. Nothing here reads the clock: it is a parameter.

use widetui_diagnosis::unfinished::{UnfinishedItem, UnfinishedWork, goes_on};
use widetui_store::Snapshot;

/// Returns the present time on the clock of the logs, UTC ns, when the local clock is `clock` (UTC ns); `None` if no
/// file is followed, as in an archive.
pub fn log_time(snapshot: &Snapshot, clock: i64) -> Option<i64> {
    let logs = snapshot.sources.iter().filter(|s| s.is_log);
    let written = logs.map(|s| s.modified).max().filter(|t| *t > 0)?;
    let (_, last) = snapshot.range()?;
    Some(last.saturating_add(clock.saturating_sub(written).max(0)))
}

/// Returns the age of an unfinished item, ns: to the present (on the clock of the logs) if its run may continue, else
/// to the end of its run.
pub fn age(stuck: &UnfinishedItem, hung: &UnfinishedWork, now: Option<i64>) -> Option<i64> {
    let now = now.filter(|_| goes_on(&hung.runs, stuck.run));
    let until_now = now.zip(stuck.since).map(|(n, s)| n.saturating_sub(s));
    stuck.age.max(until_now)
}
