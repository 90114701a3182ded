//! The merge of sorted runs over one stretch of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::cancel::Cancel;
use crate::base::time::NO_TIME;

use super::segment::{Part, Segment};
use super::sortedruns::{LAST, Run};
use super::source::Source;

/// What is merged.
pub struct Input<'a> {
    /// All segments.
    pub segments: &'a [Arc<Segment>],
    /// First event id of each.
    pub bases: &'a [u32],
    /// All sources.
    pub sources: &'a [Arc<Source>],
    /// All parts, in the order of sources.
    pub runs: &'a [Run],
}

/// A stretch of time; one that ends at `LAST` has that too.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Its first time, UTC ns.
    pub from: i64,
    /// The first time behind it.
    pub to: i64,
}

impl Stretch {
    fn has(self, t: i64) -> bool {
        t >= self.from && (t < self.to || self.to == LAST)
    }

    fn touches(self, run: &Run) -> bool {
        (run.min < self.to || self.to == LAST) && run.max >= self.from
    }
}

impl Input<'_> {
    fn part(&self, run: &Run) -> &Part {
        &self.segments[run.segment as usize].parts[run.part as usize]
    }

    /// Calls `f` with the effective time of every row of a run, in file order.
    #[inline]
    fn times(&self, run: &Run, mut f: impl FnMut(i64, u32)) {
        let segment = &self.segments[run.segment as usize];
        let part = self.part(run);
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

    /// How many rows lie in a stretch.
    pub fn count(&self, stretch: Stretch) -> usize {
        let touching = self.runs.iter().filter(|run| stretch.touches(run));
        touching
            .map(|run| {
                if stretch.has(run.min) && stretch.has(run.max) {
                    return self.part(run).rows as usize;
                }
                let mut n = 0;
                self.times(run, |t, _| n += usize::from(stretch.has(t)));
                n
            })
            .sum()
    }

    /// Merges the rows of one stretch into `out`, which starts at place `start` of the whole order; gives the ties. `None`
    /// when cancelled.
    pub fn merge(
        &self,
        stretch: Stretch,
        out: &mut [u32],
        start: usize,
        cancel: &Cancel,
    ) -> Option<Vec<u32>> {
        let mut merge = Merge::new(self, stretch);
        let mut merged = Merged {
            ids: out,
            count: 0,
            start,
            moment: Moment::default(),
            ties: Vec::new(),
        };
        loop {
            merge.open_due();
            let Some(head) = merge.heads.pop() else {
                break;
            };
            merge.take(head.0, &mut merged)?;
            if cancel.is_cancelled() {
                return None;
            }
        }
        (merged.count == merged.ids.len()).then_some(merged.ties)
    }
}

/// A row of an open run: its time and its event.
type Row = (i64, u32);

/// The next row of an open run. Heads are ordered by time, then by the order of sources.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RunHead {
    time: i64,
    run: u32,
    /// Its place among the rows of the run.
    at: u32,
}

/// The runs of a stretch while they are merged.
struct Merge<'a> {
    input: &'a Input<'a>,
    stretch: Stretch,
    /// Runs that are not open yet; the last one is the next to open.
    waiting: Vec<u32>,
    heads: BinaryHeap<Reverse<RunHead>>,
    /// The rows of open runs, sorted, in slots that are used again.
    slots: Vec<Vec<Row>>,
    free: Vec<usize>,
    slot_of_run: FxHashMap<u32, usize>,
}

impl<'a> Merge<'a> {
    fn new(input: &'a Input<'a>, stretch: Stretch) -> Merge<'a> {
        let mut waiting: Vec<u32> = (0..input.runs.len() as u32)
            .filter(|run| stretch.touches(&input.runs[*run as usize]))
            .collect();
        waiting.sort_unstable_by_key(|run| Reverse((input.runs[*run as usize].min, *run)));
        Merge {
            input,
            stretch,
            waiting,
            heads: BinaryHeap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            slot_of_run: FxHashMap::default(),
        }
    }

    /// Opens the runs that may have the next row.
    fn open_due(&mut self) {
        while let Some(&next) = self.waiting.last() {
            let min = self.input.runs[next as usize].min;
            if self.heads.peek().is_some_and(|head| head.0.time < min) {
                break;
            }
            self.waiting.pop();
            self.open(next);
        }
    }

    fn open(&mut self, number: u32) {
        let run = &self.input.runs[number as usize];
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Vec::new());
            self.slots.len() - 1
        });
        let base = self.input.bases[run.segment as usize];
        let stretch = self.stretch;
        let rows = &mut self.slots[slot];
        rows.clear();
        let mut is_sorted = true;
        self.input.times(run, |t, row| {
            if stretch.has(t) {
                is_sorted &= rows.last().is_none_or(|last| last.0 <= t);
                rows.push((t, base + row));
            }
        });
        if !is_sorted {
            rows.sort_by_key(|row| row.0);
        }
        match rows.first() {
            Some((time, _)) => {
                let (time, run, at) = (*time, number, 0);
                self.heads.push(Reverse(RunHead { time, run, at }));
                self.slot_of_run.insert(number, slot);
            }
            None => self.free.push(slot),
        }
    }

    /// The time and the run up to which the rows of a run may be taken: the next head, and never past a run that is not
    /// open yet.
    fn limit(&self) -> Option<(i64, u32)> {
        let head = self.heads.peek().map(|head| (head.0.time, head.0.run));
        let unopened = (self.waiting.last()).map(|run| (self.input.runs[*run as usize].min, *run));
        match (head, unopened) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Takes the rows of a run as far as it has the next ones.
    #[inline]
    fn take(&mut self, head: RunHead, merged: &mut Merged<'_>) -> Option<()> {
        let RunHead { run, mut at, .. } = head;
        let slot = *self.slot_of_run.get(&run)?;
        let source = self.input.part(&self.input.runs[run as usize]).source.0;
        let limit = self.limit();
        let rows = &self.slots[slot];
        while let Some(row) = rows.get(at as usize) {
            if limit.is_some_and(|limit| (row.0, run) >= limit) {
                break;
            }
            merged.push(*row, source);
            at += 1;
        }
        match rows.get(at as usize) {
            Some((time, _)) => {
                let time = *time;
                self.heads.push(Reverse(RunHead { time, run, at }));
            }
            None => {
                self.slot_of_run.remove(&run);
                self.slots[slot] = Vec::new();
                self.free.push(slot);
            }
        }
        Some(())
    }
}

/// The rows in order so far.
struct Merged<'o> {
    ids: &'o mut [u32],
    count: usize,
    /// Place of the first one in the whole order.
    start: usize,
    moment: Moment,
    /// Places as in `TimeOrder::ties`.
    ties: Vec<u32>,
}

impl Merged<'_> {
    #[inline]
    fn push(&mut self, (time, id): Row, source: u32) {
        if self.moment.is_tie(time, source) {
            self.ties.push((self.start + self.count) as u32);
        }
        if let Some(place) = self.ids.get_mut(self.count) {
            *place = id;
        }
        self.count += 1;
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
