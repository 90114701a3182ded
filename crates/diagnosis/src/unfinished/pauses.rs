//! Pauses: a run whose logs were all silent for most of its time, and were written again after it.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use widetui_ingest::clocks;
use widetui_store::{Snapshot, Source, SourceTrait};
use widetui_time::time::NO_TIME;

use crate::unfinished::model::{Pause, UnfinishedWork};

/// Shortest pause, ns.
const SHORTEST: i64 = 60_000_000_000;
/// Smallest share of the time of a run that is a pause, %.
const SHARE: i64 = 80;
/// Smallest number of records of a run with a pause.
const RECORDS: u64 = 4;
/// Number of intervals into which the time of a run is divided.
const INTERVALS: usize = 2_048;
/// Maximum number of records of other runs that are passed over beside a pause.
const PASSED: usize = 10_000;

/// Finds the pause of each run that did not end properly; of all logs if no run is recognised. Logs whose clocks
/// disagree lie apart without a pause.
pub(crate) fn find(snapshot: &Snapshot, out: &mut UnfinishedWork) {
    let sources = snapshot.sources.iter().map(AsRef::as_ref);
    if !clocks::find_offsets(sources).is_empty() {
        return;
    }
    let is_open = |run: &usize| out.runs.get(*run).is_some_and(|r| r.end_event.is_none());
    let open = (0..out.runs.len()).filter(is_open).map(Some);
    let all = out.runs.is_empty().then_some(None);
    let pauses = open.chain(all).filter_map(|run| of_run(snapshot, out, run));
    out.pauses = pauses.collect();
}

fn of_run(snapshot: &Snapshot, out: &UnfinishedWork, run: Option<usize>) -> Option<Pause> {
    let is_own = |source: &Source| {
        let of_source = out.of_source.get(source.id.index()).copied().flatten();
        of_source == run
            && source.is_log
            && !source.has_trait(SourceTrait::Table)
            && !source.has_trait(SourceTrait::Dump)
    };
    let own = || snapshot.sources.iter().filter(|source| is_own(source));
    if own().map(|source| source.stats.records()).sum::<u64>() < RECORDS {
        return None;
    }
    let ranges = own().filter_map(|source| source.range());
    let (first, last) = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let span = last.checked_sub(first)?;
    if span < SHORTEST {
        return None;
    }
    let step = span / INTERVALS as i64 + 1;
    let (from, to) = longest_gap(&intervals(snapshot, (first, step), &is_own))?;
    let time_at = |interval: usize| first.saturating_add(step.saturating_mul(interval as i64));
    if time_at(to).saturating_sub(time_at(from)) < span / 100 * (SHARE - 1) {
        return None;
    }
    let place = snapshot.place_of_time(time_at(from).saturating_add(1));
    let event = |place: usize| {
        let event = snapshot.at(place)?;
        (is_own(event.source()) && event.time().is_some()).then_some((event.id, event.time()?))
    };
    let middle = time_at(from + (to - from) / 2);
    let is_before = |time: i64| time < middle;
    let after = (place..)
        .take(PASSED)
        .find_map(|p| event(p).filter(|e| !is_before(e.1)))?;
    let last_place = snapshot.place_of_time(after.1);
    let before = (last_place.saturating_sub(PASSED)..last_place).rev();
    let before = before.filter_map(event).find(|e| is_before(e.1))?;
    let gap = after.1.saturating_sub(before.1);
    (gap >= SHORTEST && gap >= span / 100 * SHARE).then_some(Pause {
        before: before.0,
        after: after.0,
        since: before.1,
        gap,
    })
}

/// Intervals of `step` ns after `first`, UTC ns, each with whether a run has a record in it.
fn intervals(
    snapshot: &Snapshot,
    (first, step): (i64, i64),
    is_own: &(impl Fn(&Source) -> bool + Sync),
) -> Vec<bool> {
    let marked: Vec<AtomicU64> = (0..INTERVALS.div_ceil(64))
        .map(|_| AtomicU64::new(0))
        .collect();
    snapshot.segments.par_iter().for_each(|segment| {
        for part in &segment.parts {
            let Some(source) = snapshot
                .sources
                .get(part.source.index())
                .filter(|s| is_own(s))
            else {
                continue;
            };
            for row in part.first_row..part.first_row + part.rows {
                let time = segment.utc(source, row as usize);
                if time == NO_TIME || time < first {
                    continue;
                }
                let interval = (time.saturating_sub(first) / step) as usize;
                if let Some(bits) = marked.get(interval / 64) {
                    let bit = 1 << (interval % 64);
                    if bits.load(Ordering::Relaxed) & bit == 0 {
                        bits.fetch_or(bit, Ordering::Relaxed);
                    }
                }
            }
        }
    });
    let is_marked = |interval: usize| {
        let bits = marked
            .get(interval / 64)
            .map_or(0, |bits| bits.load(Ordering::Relaxed));
        bits >> (interval % 64) & 1 == 1
    };
    (0..INTERVALS).map(is_marked).collect()
}

/// First interval of the longest stretch without a record, and the interval after it.
fn longest_gap(has_record: &[bool]) -> Option<(usize, usize)> {
    let mut longest: Option<(usize, usize)> = None;
    let mut from = None;
    for (at, has_record) in has_record.iter().enumerate() {
        match (has_record, from) {
            (false, None) => from = Some(at),
            (true, Some(start)) => {
                if longest.is_none_or(|(a, b)| at - start > b - a) {
                    longest = Some((start, at));
                }
                from = None;
            }
            _ => {}
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_gap_lies_between_records() {
        let bits = |text: &str| -> Vec<bool> { text.chars().map(|c| c == '1').collect() };
        assert_eq!(longest_gap(&bits("1100010011")), Some((2, 5)));
        assert_eq!(longest_gap(&bits("1110000")), None);
        assert_eq!(longest_gap(&bits("1")), None);
    }
}
