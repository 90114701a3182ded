//! Merge of sorted runs within one time interval.

use std::cmp::Reverse;
use std::sync::Arc;

use widetui_core::cancel::Cancel;

use super::heads::{Head, Heads};
use super::id_list::CHUNK as PIECE;
use super::segment::{Part, Segment};
use super::sorted_runs::{LAST, Run};
use super::source::{Source, effective_time};

/// Input of a merge.
pub(crate) struct Input<'a> {
    /// All segments.
    pub(crate) segments: &'a [Arc<Segment>],
    /// First event id of each segment.
    pub(crate) bases: &'a [u32],
    /// All sources.
    pub(crate) sources: &'a [Arc<Source>],
    /// All runs, in the order of sources.
    pub(crate) runs: &'a [Run],
}

/// Half-open time interval; closed if it ends at `LAST`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeInterval {
    /// First time, UTC ns.
    pub(crate) from: i64,
    /// First time after the interval, UTC ns.
    pub(crate) to: i64,
}

impl TimeInterval {
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
        let kept = source.kept_step_back();
        segment.for_each_utc(part, source, |row, t| {
            carry = effective_time(carry, t, kept);
            f(carry, row);
        });
    }

    /// Number of rows in a time interval.
    pub(crate) fn count(&self, stretch: TimeInterval) -> usize {
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

    /// Merges the `rows` rows of a time interval, the first of which is at position `start` of the whole order. Returns
    /// their ids in pieces of a list, and the ties. `None` if cancelled.
    pub(crate) fn merge(
        &self,
        stretch: TimeInterval,
        (start, rows): (usize, usize),
        cancel: &Cancel,
    ) -> Option<(Pieces, Vec<u32>)> {
        let mut merge = Merge::new(self, stretch);
        let mut merged = Merged {
            pieces: Vec::new(),
            ids: Vec::with_capacity(rows.min(PIECE)),
            count: start,
            moment: Moment::default(),
            ties: Vec::new(),
        };
        loop {
            merge.open_due();
            let Some(head) = merge.heads.first() else {
                break;
            };
            merge.take(head, &mut merged);
            if cancel.is_cancelled() {
                return None;
            }
        }
        merged.end_piece();
        Some((merged.pieces, merged.ties))
    }
}

/// Ids of a list, in the pieces that it is built from.
pub(crate) type Pieces = Vec<Arc<[u32]>>;

/// Row of an open run: time and event id.
type Row = (i64, u32);

/// Sorted rows of an open run.
#[derive(Default)]
struct OpenRun {
    rows: Vec<Row>,
    /// Number of rows taken so far.
    taken: usize,
    source: u32,
}

/// Mean number of positions per row that an insertion sort may move rows before a full sort is cheaper.
const BACK: usize = 8;

/// Sorts rows by time, stably. In logs few rows are out of order, and by few positions, so an insertion sort comes
/// first.
fn sort(rows: &mut [Row]) {
    let mut left = BACK * rows.len();
    for at in 1..rows.len() {
        let row = rows[at];
        let mut to = at;
        while to > 0 && rows[to - 1].0 > row.0 {
            rows[to] = rows[to - 1];
            to -= 1;
        }
        if to == at {
            continue;
        }
        rows[to] = row;
        left = left.saturating_sub(at - to);
        if left == 0 {
            return rows.sort_by_key(|row| row.0);
        }
    }
}

/// State of the merge of a time interval.
struct Merge<'a> {
    input: &'a Input<'a>,
    stretch: TimeInterval,
    /// Runs that are not open yet; the last one is opened next.
    waiting: Vec<u32>,
    heads: Heads,
    /// Open runs, in slots that are reused.
    slots: Vec<OpenRun>,
    free: Vec<usize>,
}

impl<'a> Merge<'a> {
    fn new(input: &'a Input<'a>, stretch: TimeInterval) -> Merge<'a> {
        let mut waiting: Vec<u32> = (0..input.runs.len() as u32)
            .filter(|run| stretch.touches(&input.runs[*run as usize]))
            .collect();
        waiting.sort_unstable_by_key(|run| Reverse((input.runs[*run as usize].min, *run)));
        Merge {
            input,
            stretch,
            waiting,
            heads: Heads::default(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Opens the runs that may have the next row.
    fn open_due(&mut self) {
        while let Some(&next) = self.waiting.last() {
            let min = self.input.runs[next as usize].min;
            if self.heads.first().is_some_and(|head| head.time() < min) {
                break;
            }
            self.waiting.pop();
            self.open(next);
        }
    }

    fn open(&mut self, number: u32) {
        let run = &self.input.runs[number as usize];
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(OpenRun::default());
            self.slots.len() - 1
        });
        let base = self.input.bases[run.segment as usize];
        let part = self.input.part(run);
        let stretch = self.stretch;
        let is_whole = stretch.has(run.min) && stretch.has(run.max);
        // The buffer of a finished run is reused.
        let mut rows = std::mem::take(&mut self.slots[slot].rows);
        rows.reserve(if is_whole { part.rows as usize } else { 0 });
        self.input.times(run, |t, row| {
            if is_whole || stretch.has(t) {
                rows.push((t, base + row));
            }
        });
        sort(&mut rows);
        let Some(&(time, _)) = rows.first() else {
            self.free.push(slot);
            return;
        };
        let source = part.source.0;
        self.slots[slot] = OpenRun {
            rows,
            taken: 0,
            source,
        };
        self.heads.push(Head::new(time, number, slot as u32));
    }

    /// Time and run before which rows of the first run may be taken: the second head, or the minimum of the next
    /// unopened run.
    #[inline]
    fn limit(&self) -> (i64, u32) {
        let head = self.heads.second().map(|head| (head.time(), head.run()));
        let unopened = (self.waiting.last()).map(|run| (self.input.runs[*run as usize].min, *run));
        let none = (i64::MAX, u32::MAX);
        head.unwrap_or(none).min(unopened.unwrap_or(none))
    }

    /// Takes rows of the first run, whose head is `head`, as far as they come next.
    #[inline]
    fn take(&mut self, head: Head, merged: &mut Merged) {
        let limit = self.limit();
        let (slot, run) = (head.slot(), head.run());
        let open = &mut self.slots[slot];
        let rest = open.rows.get(open.taken..).unwrap_or_default();
        let own = rest.iter().take_while(|row| (row.0, run) < limit);
        let count = own.map(|row| merged.push(*row, open.source)).count();
        open.taken += count;
        match open.rows.get(open.taken) {
            Some(&(time, _)) => self.heads.replace_first(Head::new(time, run, slot as u32)),
            None => {
                self.heads.remove_first();
                open.rows.clear();
                self.free.push(slot);
            }
        }
    }
}

/// Rows in time order so far.
struct Merged {
    pieces: Pieces,
    /// Ids of the piece under construction.
    ids: Vec<u32>,
    /// Position of the next row in the whole order.
    count: usize,
    moment: Moment,
    /// Positions, as in `TimeOrder::ties`.
    ties: Vec<u32>,
}

impl Merged {
    #[inline]
    fn push(&mut self, (time, id): Row, source: u32) {
        if self.moment.is_tie(time, source) {
            self.ties.push(self.count as u32);
        }
        if self.ids.len() == PIECE {
            self.end_piece();
        }
        self.ids.push(id);
        self.count += 1;
    }

    #[cold]
    fn end_piece(&mut self) {
        self.pieces.push(self.ids.as_slice().into());
        self.ids.clear();
    }
}

/// Detector of records of several sources at one time.
#[derive(Default)]
struct Moment {
    last: Option<(i64, u32)>,
    /// Time at which the source changed.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sort_is_stable(times in prop_oneof![
            proptest::collection::vec(0i64..9, 0..40),
            proptest::collection::vec(0i64..300, 0..400),
        ]) {
            let mut rows: Vec<Row> = times.into_iter().zip(0..).collect();
            let mut sorted = rows.clone();
            sorted.sort_by_key(|row| row.0);
            sort(&mut rows);
            prop_assert_eq!(rows, sorted);
        }
    }
}
