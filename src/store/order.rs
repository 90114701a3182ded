//! Time order of all records.
//!
//! Each part of each segment is nearly sorted already, so the order is a merge of parts. A part is unpacked (its times
//! made UTC and sorted) only while the merge is inside its time range, so that little memory is needed beside the
//! result; the range of time is cut into stretches that are merged in parallel. Ties keep the order (source, place in
//! source), so the result does not depend on which thread read what.
//!
//! A record without a time stays behind the record before it in its source; the records before the first time of a
//! source stand with that time; a source without any time stands last.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::base::cancel::Cancel;
use crate::base::time::NO_TIME;

use super::segment::Segment;
use super::source::Source;

/// Stands for "after all times".
const LAST: i64 = i64::MAX;

/// One part, in the order of its source.
#[derive(Clone, Copy, Debug)]
struct Run {
    segment: u32,
    part: u32,
    /// Time that leading records without one take.
    carry: i64,
    /// What the parts before it hand on; `LAST` when they have no time.
    handed: i64,
    min: i64,
    max: i64,
}

/// The order of all rows.
#[derive(Debug, Default)]
pub struct TimeOrder {
    /// Event ids (rows counted through all segments) by time.
    pub ids: Vec<u32>,
    /// Places whose event has the same time as the one before it, and not all events of that moment are of one source:
    /// only there can a record of one source repeat another's.
    pub ties: Vec<u32>,
    /// For each part of each segment, the time that the parts before it in its source hand on to it, UTC ns; the end of
    /// time when they have none.
    pub carries: Arc<[Arc<[i64]>]>,
}

/// The order of all rows by time. `None` when cancelled.
pub fn time_order(
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
    let input = Input {
        segments,
        bases,
        sources,
        runs: &runs,
    };
    let counts: Vec<usize> = cuts
        .par_windows(2)
        .map(|w| input.count(w[0], w[1]))
        .collect();
    let mut order = vec![0u32; total];
    let mut slices = Vec::new();
    let mut rest = order.as_mut_slice();
    for count in counts {
        let (head, tail) = rest.split_at_mut(count.min(rest.len()));
        slices.push(head);
        rest = tail;
    }
    let mut from = 0;
    let starts: Vec<usize> = slices
        .iter()
        .map(|s| {
            from += s.len();
            from - s.len()
        })
        .collect();
    let done: Vec<Option<Vec<u32>>> = slices
        .into_par_iter()
        .zip(starts)
        .zip(cuts.par_windows(2))
        .map(|((out, start), w)| input.merge((w[0], w[1]), out, start, cancel))
        .collect();
    let ties: Option<Vec<Vec<u32>>> = done.into_iter().collect();
    Some(TimeOrder {
        ids: order,
        ties: ties?.concat(),
        carries: carries(&runs, segments),
    })
}

/// All parts by (source, place in source), with what the parts before hand on to them.
fn runs(segments: &[Arc<Segment>], sources: &[Arc<Source>]) -> Vec<Run> {
    let mut all: Vec<(u32, u32, u32, u32)> = Vec::new();
    for (s, segment) in segments.iter().enumerate() {
        for (p, part) in segment.parts.iter().enumerate() {
            all.push((part.source.0, part.seq, s as u32, p as u32));
        }
    }
    all.sort_unstable();
    let mut bounds: Vec<(i64, i64, i64)> = Vec::with_capacity(all.len());
    bounds.par_extend(all.par_iter().map(|&(source, _, s, p)| {
        let segment = &segments[s as usize];
        let part = &segment.parts[p as usize];
        let source = &sources[source as usize];
        let (mut min, mut max, mut last) = (LAST, NO_TIME, NO_TIME);
        for row in part.first_row..part.first_row + part.rows {
            let t = segment.utc(source, row as usize);
            if t != NO_TIME {
                min = min.min(t);
                max = max.max(t);
                last = t;
            }
        }
        (min, max, last)
    }));
    let mut runs = Vec::with_capacity(all.len());
    let (mut carry, mut handed) = (LAST, LAST);
    for (i, (&(source, _, segment, part), &(min, max, last))) in all.iter().zip(&bounds).enumerate()
    {
        if i == 0 || all[i - 1].0 != source {
            let first = sources[source as usize].first();
            carry = first.unwrap_or(LAST);
            handed = LAST;
        }
        let coarse = sources[source as usize].coarse;
        // Wider than need be where the carry is not used, which costs nothing but an early opening.
        runs.push(Run {
            segment,
            part,
            carry,
            handed,
            min: min.min(carry),
            max: if max == NO_TIME {
                carry
            } else {
                max.max(carry)
            },
        });
        if coarse && max != NO_TIME {
            carry = if carry == LAST { max } else { carry.max(max) };
        } else if last != NO_TIME {
            carry = last;
        }
        if last != NO_TIME {
            handed = carry;
        }
    }
    runs
}

fn carries(runs: &[Run], segments: &[Arc<Segment>]) -> Arc<[Arc<[i64]>]> {
    let mut out: Vec<Vec<i64>> = segments.iter().map(|s| vec![LAST; s.parts.len()]).collect();
    for run in runs {
        out[run.segment as usize][run.part as usize] = run.handed;
    }
    out.into_iter().map(Arc::from).collect()
}

/// Times that cut the rows into stretches of about equal size; first and last are the ends of time.
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

struct Input<'a> {
    segments: &'a [Arc<Segment>],
    bases: &'a [u32],
    sources: &'a [Arc<Source>],
    runs: &'a [Run],
}

impl Input<'_> {
    /// Calls `f` with the effective time of every row of a run, in file order.
    #[inline]
    fn times(&self, run: &Run, mut f: impl FnMut(i64, u32)) {
        let segment = &self.segments[run.segment as usize];
        let part = &segment.parts[run.part as usize];
        let source = &self.sources[part.source.index()];
        let mut carry = run.carry;
        for row in part.first_row..part.first_row + part.rows {
            let t = segment.utc(source, row as usize);
            if t != NO_TIME {
                carry = if source.coarse && carry != LAST {
                    carry.max(t)
                } else {
                    t
                };
            }
            f(carry, row);
        }
    }

    fn inside(t: i64, from: i64, to: i64) -> bool {
        t >= from && (t < to || to == LAST)
    }

    fn touches(run: &Run, from: i64, to: i64) -> bool {
        (run.min < to || to == LAST) && run.max >= from
    }

    fn count(&self, from: i64, to: i64) -> usize {
        self.runs
            .iter()
            .filter(|r| Self::touches(r, from, to))
            .map(|run| {
                if Self::inside(run.min, from, to) && Self::inside(run.max, from, to) {
                    return self.segments[run.segment as usize].parts[run.part as usize].rows
                        as usize;
                }
                let mut n = 0;
                self.times(run, |t, _| n += usize::from(Self::inside(t, from, to)));
                n
            })
            .sum()
    }

    /// Merges the rows of one stretch into `out`, which starts at place `start`; gives the ties.
    fn merge(
        &self,
        (from, to): (i64, i64),
        out: &mut [u32],
        start: usize,
        cancel: &Cancel,
    ) -> Option<Vec<u32>> {
        let mut ties = Vec::new();
        let mut moment = Moment::default();
        let mut waiting: Vec<u32> = (0..self.runs.len() as u32)
            .filter(|r| Self::touches(&self.runs[*r as usize], from, to))
            .collect();
        // The last one is the next to open.
        waiting.sort_unstable_by_key(|r| Reverse((self.runs[*r as usize].min, *r)));
        let mut heads: BinaryHeap<Reverse<(i64, u32, u32)>> = BinaryHeap::new();
        let mut open: Vec<Vec<(i64, u32)>> = Vec::new();
        let mut free: Vec<usize> = Vec::new();
        let mut slot_of_run: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
        let mut n = 0;
        loop {
            while let Some(&next) = waiting.last() {
                let run = &self.runs[next as usize];
                if heads.peek().is_some_and(|Reverse((t, ..))| *t < run.min) {
                    break;
                }
                waiting.pop();
                let slot = free.pop().unwrap_or_else(|| {
                    open.push(Vec::new());
                    open.len() - 1
                });
                let base = self.bases[run.segment as usize];
                let rows = &mut open[slot];
                rows.clear();
                let mut sorted = true;
                self.times(run, |t, row| {
                    if Self::inside(t, from, to) {
                        sorted &= rows.last().is_none_or(|l| l.0 <= t);
                        rows.push((t, base + row));
                    }
                });
                if !sorted {
                    rows.sort_by_key(|r| r.0);
                }
                match rows.first() {
                    Some((t, _)) => {
                        heads.push(Reverse((*t, next, 0)));
                        slot_of_run.insert(next, slot);
                    }
                    None => free.push(slot),
                }
            }
            let Some(Reverse((_, run, mut at))) = heads.pop() else {
                break;
            };
            let Some(&slot) = slot_of_run.get(&run) else {
                break;
            };
            let rows = &open[slot];
            let spec = &self.runs[run as usize];
            let source = self.segments[spec.segment as usize].parts[spec.part as usize]
                .source
                .0;
            // Up to the next head, and never past a part that is not open yet.
            let limit = heads.peek().map(|Reverse((t, r, _))| (*t, *r));
            let unopened = waiting.last().map(|r| (self.runs[*r as usize].min, *r));
            let limit = match (limit, unopened) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            while let Some((t, id)) = rows.get(at as usize) {
                if limit.is_some_and(|l| (*t, run) >= l) {
                    break;
                }
                if moment.is_tie(*t, source) {
                    ties.push((start + n) as u32);
                }
                if let Some(place) = out.get_mut(n) {
                    *place = *id;
                }
                n += 1;
                at += 1;
            }
            match rows.get(at as usize) {
                Some((t, _)) => heads.push(Reverse((*t, run, at))),
                None => {
                    slot_of_run.remove(&run);
                    open[slot] = Vec::new();
                    free.push(slot);
                }
            }
            if cancel.is_cancelled() {
                return None;
            }
        }
        (n == out.len()).then_some(ties)
    }
}

/// Watches for records of several sources at one moment.
#[derive(Default)]
struct Moment {
    last: Option<(i64, u32)>,
    /// Moment at which the source changed.
    mixed: Option<i64>,
}

impl Moment {
    #[inline]
    fn is_tie(&mut self, time: i64, source: u32) -> bool {
        let Some((last_time, last_source)) = self.last.replace((time, source)) else {
            return false;
        };
        if last_time != time {
            return false;
        }
        if last_source != source {
            self.mixed = Some(time);
        }
        self.mixed == Some(time)
    }
}
