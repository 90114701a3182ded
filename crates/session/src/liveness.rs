//! Liveness of a run: whether records still arrive, as its newest record and the growth of its files show. Times of change of
//! files prove nothing, since a copy of an old run has new ones.
//!
//! The present on the clock of the logs, to which the ages of unfinished work in a live run extend, is the time of the newest
//! record plus the time since it arrived, so neither an assumed zone nor the clock of another machine makes ages wrong. Nothing
//! here reads the clock: it is a parameter.

use widetui_diagnosis::unfinished::{UnfinishedItem, UnfinishedWork, goes_on};
use widetui_store::{Snapshot, Source};

/// Silence after which a run is not live any more, ns: at least, and at most for a source with rare records.
const SILENCE: (i64, i64) = (60_000_000_000, 900_000_000_000);
/// Mean intervals between the records of a source after which it is silent.
const INTERVALS: i64 = 5;

/// Whether records of a run still arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// Records arrive.
    Live {
        /// Time since the newest record arrived, ns.
        quiet: i64,
        /// Present time on the clock of the logs, UTC ns; `None` if no record has a time.
        now: Option<i64>,
    },
    /// No records arrive; time of the newest one, UTC ns.
    Ended(i64),
    /// Unknown: the newest record is after the present of the local clock by this time, ns.
    Ahead(i64),
    /// Unknown: no record has a time.
    Undated,
}

impl Liveness {
    /// Liveness of a run when the local clock is `clock`, and one of its files was last seen to grow at `grew` by that clock, all
    /// UTC ns.
    pub fn judge(snapshot: &Snapshot, clock: i64, grew: Option<i64>) -> Liveness {
        let logs = snapshot.sources.iter().filter(|s| s.is_log);
        // The last record of a file is not its latest where the order is reversed, or one stamp is wrong.
        let times = logs.flat_map(|s| [s.last(), s.range().map(|r| r.1)].map(|t| Some((t?, s))));
        let times = times.flatten();
        let is_present = |time: i64| time.saturating_sub(SILENCE.0) <= clock;
        let newest = times
            .clone()
            .filter(|t| is_present(t.0))
            .max_by_key(|t| t.0);
        let limit = newest.map_or(SILENCE.0, |(_, source)| silence(source));
        let last = newest.or_else(|| times.max_by_key(|t| t.0));
        let last = last.map(|(time, _)| time);
        let since = |time: i64| clock.saturating_sub(time).max(0);
        let by_clock = newest.map(|(time, _)| since(time));
        // Growth that was seen is better evidence than the clocks of two machines.
        let quiet = [grew.map(since), by_clock].into_iter().flatten();
        match (quiet.clone().find(|quiet| *quiet <= limit), last) {
            (Some(quiet), last) => Liveness::Live {
                quiet,
                now: last.map(|time| time.saturating_add(quiet)),
            },
            (None, None) => Liveness::Undated,
            (None, Some(last)) if newest.is_none() => Liveness::Ahead(last.saturating_sub(clock)),
            (None, Some(last)) => Liveness::Ended(last),
        }
    }

    /// Whether records arrive.
    pub fn is_live(self) -> bool {
        matches!(self, Liveness::Live { .. })
    }

    /// Present time on the clock of the logs, UTC ns, if records arrive.
    pub fn now(self) -> Option<i64> {
        match self {
            Liveness::Live { now, .. } => now,
            Liveness::Ended(_) | Liveness::Ahead(_) | Liveness::Undated => None,
        }
    }
}

/// Time without a record after which a source is silent, ns.
fn silence(source: &Source) -> i64 {
    let span = source
        .range()
        .map_or(0, |(from, to)| to.saturating_sub(from));
    let records = i64::try_from(source.stats.records()).unwrap_or(i64::MAX);
    let interval = span / records.saturating_sub(1).max(1);
    let usual = interval.saturating_mul(INTERVALS);
    usual.clamp(SILENCE.0, SILENCE.1)
}

/// Returns the age of an unfinished item, ns: to the present (on the clock of the logs) if its run may continue, else
/// to the end of its run.
pub fn age(stuck: &UnfinishedItem, hung: &UnfinishedWork, now: Option<i64>) -> Option<i64> {
    let now = now.filter(|_| goes_on(&hung.runs, stuck.run));
    let until_now = now.zip(stuck.since).map(|(n, s)| n.saturating_sub(s));
    stuck.age.max(until_now)
}
