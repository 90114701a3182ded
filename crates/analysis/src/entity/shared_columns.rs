//! Data that the entities of a run share per segment: the columns of all their keys, and the order of its rows in time.

use std::cell::OnceCell;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_query::bits::Bits;
use widetui_store::key_column::{KeyColumn, SegmentView, UNUSABLE};
use widetui_time::time::NO_TIME;

use crate::entity::time_range::{EventPositions, SpotRange, spot};

/// Number of a key among the keys of a scan.
pub(super) type KeyNumber = usize;

/// Columns and time order of a segment, shared by the scans of all entities.
pub(super) struct SegmentColumns<'a> {
    /// Segment that is scanned.
    pub(crate) view: &'a SegmentView<'a>,
    /// Keys of the scan by number.
    pub(crate) keys: &'a [KeyId],
    /// Event of row 0.
    pub(crate) base: u32,
    /// Key columns by group and key number.
    pub(crate) key_columns: Vec<Vec<KeyColumn>>,
    /// Ends of the lists of the rows, by group.
    pub(crate) ends: Vec<Option<&'a [u32]>>,
    /// Rows with duplicate records, if any.
    pub(crate) duplicates: Option<Bits>,
    /// Position of each row among all events in time order.
    pub(crate) positions: &'a [u32],
    has_untimed: bool,
    /// Extent of the rows by group, computed on first use.
    group_ranges: Vec<OnceCell<SpotRange>>,
}

impl<'a> SegmentColumns<'a> {
    /// Reads the columns of some keys of a segment.
    pub(crate) fn new(
        view: &'a SegmentView<'a>,
        keys: &'a [KeyId],
        places: &'a EventPositions,
    ) -> SegmentColumns<'a> {
        let snapshot = view.snapshot;
        let base = snapshot.bases[view.index];
        let groups = 0..view.segment.groups.len();
        let key_columns = groups.clone().map(|at| {
            let group = view.group(at);
            keys.iter().map(|key| group.key_column(*key)).collect()
        });
        let mut duplicates: Option<Bits> = None;
        let len = view.segment.len();
        for copy in snapshot.duplicates.among(base, base + len as u32) {
            let bits = duplicates.get_or_insert_with(|| Bits::none(len));
            bits.set((copy - base) as usize);
        }
        SegmentColumns {
            base,
            keys,
            key_columns: key_columns.collect(),
            ends: groups.map(|at| view.group(at).ends).collect(),
            duplicates,
            positions: &places.by_event[base as usize..][..len],
            has_untimed: places.has_untimed[view.index],
            group_ranges: vec![OnceCell::new(); view.segment.groups.len()],
            view,
        }
    }

    /// Whether a row is a duplicate of another record.
    #[inline]
    pub(crate) fn is_duplicate(&self, row: usize) -> bool {
        self.duplicates.as_ref().is_some_and(|c| c.get(row))
    }

    /// Whether a row has a time.
    #[inline]
    pub(crate) fn is_timed(&self, row: usize) -> bool {
        !self.has_untimed || self.view.segment.times.get(row) != NO_TIME
    }

    /// Extent of the rows of a group.
    pub(crate) fn group_range(&self, group: usize) -> &SpotRange {
        let rows = &self.view.segment.groups[group].rows;
        self.group_ranges[group].get_or_init(|| self.range_of(rows.iter().copied().enumerate()))
    }

    /// Extent of some rows of a group, each given with its index in the group.
    pub(crate) fn range_of(&self, rows: impl Iterator<Item = (usize, u16)>) -> SpotRange {
        let mut range = SpotRange::EMPTY;
        for (in_group, row) in rows {
            let row = usize::from(row);
            let spot = spot(self.positions[row], row, in_group);
            range.add(spot, self.is_timed(row));
        }
        range
    }

    /// Whether all rows have a time.
    pub(crate) fn is_all_timed(&self) -> bool {
        !self.has_untimed
    }
}

/// Codes of a key column by cell: a row or a list element.
pub(super) enum CellCodes<'l> {
    /// No cell has a value.
    Absent,
    /// All cells have this value.
    Const(Code),
    /// Code by cell; `NONE` or `UNUSABLE` without a usable value.
    Each(std::borrow::Cow<'l, [Code]>),
}

impl CellCodes<'_> {
    /// Code of a cell; `NONE` without a usable value.
    #[inline]
    pub fn get(&self, cell: usize) -> Code {
        match self {
            CellCodes::Absent => NONE,
            CellCodes::Const(code) => *code,
            CellCodes::Each(codes) => usable_or_none(codes[cell]),
        }
    }
}

/// Replaces `UNUSABLE` by `NONE`.
#[inline]
pub(super) fn usable_or_none(code: Code) -> Code {
    match code {
        UNUSABLE => NONE,
        code => code,
    }
}

/// Cells of a group: its rows, or the elements of their lists if the ids are lists.
pub(super) struct GroupCells<'a> {
    rows: usize,
    ends: Option<&'a [u32]>,
    /// Row of each list element, if cells are list elements.
    row: Option<Vec<u32>>,
}

impl<'a> GroupCells<'a> {
    /// Cells of a group: the rows, or with `is_listed` the elements of their lists.
    pub(crate) fn new(rows: usize, ends: Option<&'a [u32]>, is_listed: bool) -> GroupCells<'a> {
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

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.row.as_ref().map_or(self.rows, Vec::len)
    }

    /// Whether cells are list elements.
    pub(crate) fn is_listed(&self) -> bool {
        self.row.is_some()
    }

    /// Row of a cell, as an index into the group.
    #[inline]
    pub(crate) fn row(&self, cell: usize) -> usize {
        match &self.row {
            Some(row) => row[cell] as usize,
            None => cell,
        }
    }

    /// Codes of a key column by cell.
    pub(crate) fn codes<'l>(&self, key_column: &'l KeyColumn) -> CellCodes<'l> {
        match (key_column, &self.row) {
            (KeyColumn::Absent | KeyColumn::Const(NONE | UNUSABLE), _) => CellCodes::Absent,
            (KeyColumn::Const(code), _) => CellCodes::Const(*code),
            (KeyColumn::Rows(codes), None) | (KeyColumn::Elements(codes), Some(_)) => {
                CellCodes::Each(codes.as_slice().into())
            }
            (KeyColumn::Rows(codes), Some(row)) => {
                let all = row.iter().map(|row| codes[*row as usize]);
                CellCodes::Each(all.collect::<Vec<Code>>().into())
            }
            (key_column @ KeyColumn::Elements(_), None) => {
                let all = (0..self.rows).map(|row| key_column.row(row, self.ends));
                CellCodes::Each(all.collect::<Vec<Code>>().into())
            }
        }
    }
}
