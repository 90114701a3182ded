//! Time order of all records.
//!
//! Each part of each segment is nearly sorted already, so the order is a merge of parts. A part is unpacked (its times
//! made UTC and sorted) only while the merge is inside its time range, which bounds the memory; the time range is cut
//! into intervals that are merged in parallel. Ties are ordered by (source, position in source), so the result does not
//! depend on the order in which threads read files.
//!
//! A record without a time follows the record before it in its source; records before the first time of a source have
//! that time; the records of a source without any time come last. Records of a source with lines without a time keep the
//! order of the file over steps back of a few milliseconds, those of a source with coarse times over any.

use std::sync::Arc;

use rayon::prelude::*;

use widetui_core::cancel::Cancel;

use super::id_list::IdList;
use super::merge::{Input, TimeInterval};
use super::segment::Segment;
use super::sorted_runs::{LAST, Run, carries, runs};
use super::source::Source;

/// Time order of all rows.
#[derive(Debug, Default)]
pub(crate) struct TimeOrder {
    /// Event ids (rows counted through all segments) in time order.
    pub(crate) ids: IdList,
    /// Positions whose event has the same time as the event before it, if the events of that time belong to several
    /// sources. Only such events can be duplicates of each other.
    pub(crate) ties: Vec<u32>,
    /// Time that each part takes over from earlier parts of its source, UTC ns, by segment and part; `LAST` if they
    /// have none.
    pub(crate) carries: Arc<[Arc<[i64]>]>,
}

/// Sorts all rows by time. `None` if cancelled.
pub(crate) fn time_order(
    segments: &[Arc<Segment>],
    bases: &[u32],
    sources: &[Arc<Source>],
    cancel: &Cancel,
) -> Option<TimeOrder> {
    let runs = runs(segments, sources);
    let total: usize = segments.iter().map(|s| s.len()).sum();
    let pieces = if total < 100_000 {
        1
    } else {
        rayon::current_num_threads().clamp(1, 16)
    };
    let cuts = cuts(&runs, segments, pieces);
    let pairs = cuts.windows(2);
    let stretches: Vec<TimeInterval> = pairs
        .map(|pair| TimeInterval {
            from: pair[0],
            to: pair[1],
        })
        .collect();
    let input = Input {
        segments,
        bases,
        sources,
        runs: &runs,
    };
    let counts: Vec<usize> = stretches
        .par_iter()
        .map(|stretch| input.count(*stretch))
        .collect();
    let mut from = 0;
    let starts: Vec<usize> = counts
        .iter()
        .map(|count| {
            from += count;
            from - count
        })
        .collect();
    let places = starts.into_par_iter().zip(counts);
    let done: Option<Vec<_>> = places
        .zip(&stretches)
        .map(|(place, stretch)| input.merge(*stretch, place, cancel))
        .collect();
    let (pieces, ties): (Vec<_>, Vec<_>) = done?.into_iter().unzip();
    Some(TimeOrder {
        ids: IdList::of_pieces(pieces.concat()),
        ties: ties.concat(),
        carries: carries(&runs, segments),
    })
}

/// Times that divide the rows into intervals of about equal size; the first and last are the ends of time.
fn cuts(runs: &[Run], segments: &[Arc<Segment>], pieces: usize) -> Vec<i64> {
    let mut cuts = vec![i64::MIN];
    if pieces > 1 {
        let mut points: Vec<(i64, u64)> = Vec::new();
        for run in runs.iter().filter(|r| r.min != LAST) {
            let rows = u64::from(segments[run.segment as usize].parts[run.part as usize].rows);
            for step in 0..8i64 {
                let at = run
                    .min
                    .saturating_add((run.max.saturating_sub(run.min) / 8).saturating_mul(step));
                points.push((at, rows / 8));
            }
        }
        points.sort_unstable();
        let total: u64 = points.iter().map(|p| p.1).sum();
        let mut sum = 0;
        for (at, rows) in points {
            sum += rows;
            if cuts.len() < pieces
                && sum * pieces as u64 >= total * cuts.len() as u64
                && cuts.last() != Some(&at)
            {
                cuts.push(at);
            }
        }
    }
    cuts.push(LAST);
    cuts
}
