//! What the entities of a run share while a segment is looked at: the lanes of all their keys, made once, and its rows in
//! time order.

use std::cell::OnceCell;

use crate::base::dict::{Code, NONE};
use crate::base::ids::KeyId;
use crate::base::time::NO_TIME;
use crate::query::bits::Bits;
use crate::store::lanes::{Lane, SegmentView, UNUSABLE};

/// See the module's text.
pub(super) struct Ground<'a> {
    pub view: &'a SegmentView<'a>,
    /// The event of row 0.
    pub base: u32,
    /// By group, by number of the key.
    pub lanes: Vec<Vec<Lane>>,
    /// By group: where the lists of its rows end.
    pub ends: Vec<Option<&'a [u32]>>,
    /// Rows that repeat another record, if there are some.
    pub copies: Option<Bits>,
    order: OnceCell<RowOrder>,
}

/// The rows of a segment in time order.
pub(super) struct RowOrder {
    /// Rows with a time, by it; of one time by number.
    pub timed: Vec<u16>,
    /// Rows without a time.
    pub timeless: Vec<u16>,
    /// By row: its place in its group.
    pub place: Vec<u16>,
}

impl<'a> Ground<'a> {
    /// Of a segment, for some keys.
    pub fn new(view: &'a SegmentView<'a>, keys: &[KeyId]) -> Ground<'a> {
        let snapshot = view.snapshot;
        let base = snapshot.bases[view.index];
        let groups = 0..view.segment.groups.len();
        let lanes = groups.clone().map(|at| {
            let group = view.group(at);
            keys.iter().map(|key| group.lane(*key)).collect()
        });
        let mut copies: Option<Bits> = None;
        let len = view.segment.len();
        for copy in snapshot.copies.among(base, base + len as u32) {
            let bits = copies.get_or_insert_with(|| Bits::none(len));
            bits.set((copy - base) as usize);
        }
        Ground {
            base,
            lanes: lanes.collect(),
            ends: groups.map(|at| view.group(at).ends).collect(),
            copies,
            order: OnceCell::new(),
            view,
        }
    }

    /// Whether a row repeats another record.
    #[inline]
    pub fn is_copy(&self, row: usize) -> bool {
        self.copies.as_ref().is_some_and(|c| c.get(row))
    }

    /// The rows in time order, sorted when first asked for.
    pub fn order(&self) -> &RowOrder {
        self.order.get_or_init(|| RowOrder::new(self.view))
    }
}

/// Shifts a row that insertion may cost on average: records of several threads step back a little; where whole files
/// lie one behind the other their runs are merged.
const SHIFTS: usize = 8;

impl RowOrder {
    fn new(view: &SegmentView<'_>) -> RowOrder {
        let segment = view.segment;
        let mut times = vec![NO_TIME; segment.len()];
        for part in &segment.parts {
            let Some(source) = view.snapshot.source(part.source) else {
                continue;
            };
            let first = part.first_row as usize;
            let end = first + part.rows as usize;
            for (row, time) in times.iter_mut().enumerate().take(end).skip(first) {
                *time = source.utc(segment.times.get(row));
            }
        }
        let mut place = vec![0u16; segment.len()];
        for group in &segment.groups {
            for (at, row) in group.rows.iter().enumerate() {
                place[usize::from(*row)] = at as u16;
            }
        }
        let is_timed = |row: &u16| times[usize::from(*row)] != NO_TIME;
        let rows = 0..segment.len();
        let (timed, timeless): (Vec<u16>, Vec<u16>) =
            rows.map(|row| row as u16).partition(is_timed);
        RowOrder {
            timed: sorted(timed, &times),
            timeless,
            place,
        }
    }
}

fn sorted(mut rows: Vec<u16>, times: &[i64]) -> Vec<u16> {
    let time = |row: u16| times[usize::from(row)];
    let mut left = SHIFTS * rows.len();
    for next in 1..rows.len() {
        let row = rows[next];
        let mut at = next;
        while at > 0 && time(rows[at - 1]) > time(row) {
            rows[at] = rows[at - 1];
            at -= 1;
        }
        rows[at] = row;
        left = left.saturating_sub(next - at);
        if left == 0 {
            rows.sort_unstable();
            rows.sort_by_key(|row| time(*row));
            break;
        }
    }
    rows
}

/// The values of a lane, one for each cell that is looked at: a row, or a place of its list.
pub(super) enum Codes<'l> {
    /// No cell has one.
    Absent,
    /// All cells have this one.
    Const(Code),
    /// By cell; `NONE` and `UNUSABLE` for none.
    Each(std::borrow::Cow<'l, [Code]>),
}

impl Codes<'_> {
    /// The value of a cell, `NONE` for none that can be used.
    #[inline]
    pub fn get(&self, cell: usize) -> Code {
        match self {
            Codes::Absent => NONE,
            Codes::Const(code) => *code,
            Codes::Each(codes) => match codes[cell] {
                UNUSABLE => NONE,
                code => code,
            },
        }
    }
}

/// What is looked at in a group, one by one: its rows, or the places of their lists when its ids are lists.
pub(super) struct GroupCells<'a> {
    rows: usize,
    ends: Option<&'a [u32]>,
    /// By place: its row; when places are looked at.
    row: Option<Vec<u32>>,
}

impl<'a> GroupCells<'a> {
    /// The rows, or all places of their lists.
    pub fn new(rows: usize, ends: Option<&'a [u32]>, is_listed: bool) -> GroupCells<'a> {
        let listed = ends.filter(|_| is_listed).map(|ends| {
            let mut row = Vec::with_capacity(ends.last().map_or(0, |e| *e as usize));
            for (at, end) in ends.iter().enumerate() {
                row.resize((*end as usize).max(row.len()), at as u32);
            }
            row
        });
        GroupCells {
            rows,
            ends,
            row: listed,
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.row.as_ref().map_or(self.rows, Vec::len)
    }

    /// Whether they are places of lists.
    pub fn is_listed(&self) -> bool {
        self.row.is_some()
    }

    /// The row (in the group) of a cell.
    #[inline]
    pub fn row(&self, cell: usize) -> usize {
        match &self.row {
            Some(row) => row[cell] as usize,
            None => cell,
        }
    }

    /// The values of a lane.
    pub fn codes<'l>(&self, lane: &'l Lane) -> Codes<'l> {
        match (lane, &self.row) {
            (Lane::Absent | Lane::Const(NONE | UNUSABLE), _) => Codes::Absent,
            (Lane::Const(code), _) => Codes::Const(*code),
            (Lane::Rows(codes), None) | (Lane::Slots(codes), Some(_)) => {
                Codes::Each(codes.as_slice().into())
            }
            (Lane::Rows(codes), Some(row)) => {
                let all = row.iter().map(|row| codes[*row as usize]);
                Codes::Each(all.collect::<Vec<Code>>().into())
            }
            (lane @ Lane::Slots(_), None) => {
                let all = (0..self.rows).map(|row| lane.row(row, self.ends));
                Codes::Each(all.collect::<Vec<Code>>().into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sorted;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_sorted_by_time_and_number(times in prop::collection::vec(0i64..50, 0..400)) {
            let rows: Vec<u16> = (0..times.len() as u16).collect();
            let mut want = rows.clone();
            want.sort_by_key(|row| (times[usize::from(*row)], *row));
            prop_assert_eq!(sorted(rows, &times), want);
        }
    }
}
