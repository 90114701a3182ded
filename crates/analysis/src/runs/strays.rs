//! Stray records: far later than all others because of a wrong clock or timestamp. They do not
//! extend a run.

use std::collections::BTreeMap;

use widetui_core::ids::{EventId, SourceId};
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

/// Minimum gap before stray records, ns.
const MIN_GAP: i64 = 3_600_000_000_000;
/// Maximum number of stray records.
const MAX_STRAYS: usize = 16;
/// Stray records are at most one in this many.
const RECORDS_PER_STRAY: u64 = 10;
/// Maximum number of records examined from the end of a run backwards.
const MAX_EXAMINED: usize = 20_000;

/// Records that follow all others after a gap longer than the time range of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StrayRecords {
    /// Stray records with their times (UTC ns), latest first.
    pub events: Vec<(EventId, i64)>,
    /// Time of the last regular record for each stray record, UTC ns.
    pub last_regular: Vec<i64>,
}

/// End of each source, without stray records.
#[derive(Debug)]
pub struct SourceEnds {
    /// Last record in file order and latest time (UTC ns) of each source.
    pub last: Vec<Option<(EventId, i64)>>,
    /// Time after which records of each source are stray, UTC ns.
    pub limits: Vec<i64>,
    /// Stray records that were ignored.
    pub strays: StrayRecords,
}

impl SourceEnds {
    /// Determines the ends of all sources; `of_source` is the run of each.
    pub(crate) fn new(
        snapshot: &Snapshot,
        of_source: &[Option<usize>],
        last_events: &[Option<EventId>],
    ) -> SourceEnds {
        let mut groups: BTreeMap<Option<usize>, (u64, i64, i64)> = BTreeMap::new();
        let run = |source: SourceId| of_source.get(source.index()).copied().flatten();
        for source in snapshot.sources.iter() {
            if let Some((first, last)) = source.stats.range {
                let records: u64 = source.stats.levels.iter().sum();
                let group = groups
                    .entry(run(source.id))
                    .or_insert((0, i64::MAX, i64::MIN));
                group.0 += records.saturating_sub(source.stats.timeless);
                group.1 = group.1.min(source.utc(first));
                group.2 = group.2.max(source.utc(last));
            }
        }
        let mut out = SourceEnds {
            last: Vec::new(),
            limits: vec![i64::MAX; snapshot.sources.len()],
            strays: StrayRecords::default(),
        };
        for (group, (records, first, last)) in groups {
            let tail = last_records(snapshot, last, |source| run(source) == group);
            let most = MAX_STRAYS.min((records / RECORDS_PER_STRAY) as usize);
            let Some(count) = count_strays(&tail, first, most) else {
                continue;
            };
            let limit = tail[count].1;
            out.strays.events.extend(&tail[..count]);
            out.strays
                .last_regular
                .extend(std::iter::repeat_n(limit, count));
            for (at, limit_slot) in out.limits.iter_mut().enumerate() {
                if run(SourceId(at as u32)) == group {
                    *limit_slot = limit;
                }
            }
        }
        let sources = snapshot.sources.iter().zip(last_events);
        let ends = sources.map(|(source, last)| {
            let latest = source.utc(source.stats.range?.1);
            match latest > out.limits[source.id.index()] {
                true => last_until(snapshot, source.id, out.limits[source.id.index()]),
                false => Some(((*last)?, latest)),
            }
        });
        out.last = ends.collect();
        out
    }
}

/// Last records of some sources, latest first.
fn last_records(
    snapshot: &Snapshot,
    last: i64,
    is_own: impl Fn(SourceId) -> bool,
) -> Vec<(EventId, i64)> {
    let end = snapshot.place_of_time(last.saturating_add(1));
    let places = (0..end).rev().take(MAX_EXAMINED);
    let records = places.filter_map(|place| {
        let event = snapshot.at(place)?;
        let time = event.time()?;
        is_own(event.source().id).then_some((event.id, time))
    });
    records.take(MAX_STRAYS + 1).collect()
}

/// Number of stray records at the end, at most `most`.
fn count_strays(tail: &[(EventId, i64)], first: i64, most: usize) -> Option<usize> {
    let is_gap = |count: &usize| {
        let (Some(after), Some(before)) = (tail.get(*count - 1), tail.get(*count)) else {
            return false;
        };
        let rest = before.1.saturating_sub(first);
        after.1.saturating_sub(before.1) > rest.max(MIN_GAP)
    };
    (1..=most).rev().find(is_gap)
}

/// Last record of a source in file order and its latest time, among records up to `limit`.
fn last_until(snapshot: &Snapshot, source: SourceId, limit: i64) -> Option<(EventId, i64)> {
    let of = snapshot.source(source)?;
    let mut found: Option<((u32, u32), i64)> = None;
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in segment.parts.iter().filter(|p| p.source == source) {
            let first = part.first_row as usize;
            for row in first..first + part.rows as usize {
                let time = of.utc(segment.times.get(row));
                if time == NO_TIME || time > limit {
                    continue;
                }
                let place = (part.seq, base + row as u32);
                found = Some(found.map_or((place, time), |f| (f.0.max(place), f.1.max(time))));
            }
        }
    }
    found.map(|((_, event), time)| (EventId(event), time))
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    fn tail(times: &[i64]) -> Vec<(EventId, i64)> {
        let ids = (0..).map(EventId);
        ids.zip(times.iter().map(|t| t * S)).collect()
    }

    #[test]
    fn records_after_a_gap_longer_than_the_run_are_stray() {
        // A run of 100 s, a record a year later, and one a month after that.
        let year = 365 * 86_400;
        let all = tail(&[year + 30 * 86_400, year, 100, 99, 98]);
        assert_eq!(count_strays(&all, 0, 16), Some(2));
        assert_eq!(count_strays(&all, 0, 1), None);
        // A record one hour after a run of a day is not stray.
        assert_eq!(count_strays(&tail(&[90_000, 86_400, 86_399]), 0, 16), None);
        // Neither is a record soon after a short run.
        assert_eq!(count_strays(&tail(&[1_000, 10, 9]), 0, 16), None);
        assert_eq!(count_strays(&tail(&[4_000, 10, 9]), 0, 16), Some(1));
    }
}
