//! A segment: up to 65,536 records in columns, immutable once sealed.
//!
//! ```text
//! parts      rows 0..812 source 3 from byte 0, rows 812..4100 source 4 ...      (small files share a segment)
//! times      4 or 8 bytes a row        offsets  4 bytes a row        contexts  0-4 bytes a row
//! row_group  1-2 bytes a row: which group the row belongs to
//! groups     per shape: which rows (2 bytes a row), and one packed column per key
//! further    rows whose records have several lines (2 bytes each)
//! ```

use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, KeyId, ShapeId, SourceId};
use widetui_time::time::NO_TIME;

use super::column::{Cell, Column};
use super::source::Source;

/// Maximum number of rows of a segment.
pub const MAX_ROWS: usize = 1 << 16;

/// Consecutive rows of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Source of the rows.
    pub source: SourceId,
    /// First row of the part in the segment.
    pub first_row: u32,
    /// Number of rows.
    pub rows: u32,
    /// Byte offset in the source at which row offsets start.
    pub base: u64,
    /// Byte offset in the source at which the last record ends.
    pub end: u64,
    /// Position among the parts of the same source.
    pub seq: u32,
}

/// Times of the rows as read, ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Times {
    /// `base + unit * value`; `u32::MAX` is no time.
    Narrow {
        /// Smallest time, ns.
        base: i64,
        /// Length of a step, ns.
        unit: i64,
        /// Number of steps, per row.
        steps: Box<[u32]>,
    },
    /// Unpacked times.
    Wide(Box<[i64]>),
}

impl Times {
    /// Packs times, including `NO_TIME`.
    pub(crate) fn pack(times: &[i64]) -> Times {
        let known = times.iter().copied().filter(|t| *t != NO_TIME);
        let (base, max) = known.fold((i64::MAX, NO_TIME), |(min, max), t| {
            (t.min(min), t.max(max))
        });
        if max == NO_TIME {
            return Times::Narrow {
                base: 0,
                // Without times there are no fractions of a second either.
                unit: 1_000_000_000,
                steps: vec![u32::MAX; times.len()].into(),
            };
        }
        let Some(span) = max.checked_sub(base) else {
            return Times::Wide(times.into());
        };
        // Constant units let the compiler replace divisions by multiplications.
        steps::<1_000_000_000>(times, base, span)
            .or_else(|| steps::<1_000_000>(times, base, span))
            .or_else(|| steps::<1_000>(times, base, span))
            .or_else(|| steps::<1>(times, base, span))
            .unwrap_or_else(|| Times::Wide(times.into()))
    }

    /// Resolution of the times, ns: a second if none has a fraction.
    pub(crate) fn unit(&self) -> i64 {
        match self {
            // Steps are relative to `base`, which may have a fraction itself.
            Times::Narrow { base, unit, .. } => [1_000_000_000, 1_000_000, 1_000]
                .into_iter()
                .find(|step| unit % step == 0 && base % step == 0)
                .unwrap_or(1),
            Times::Wide(_) => 1,
        }
    }

    /// Time of a row, or `NO_TIME`.
    #[inline]
    pub fn get(&self, row: usize) -> i64 {
        match self {
            Times::Narrow { base, unit, steps } => match steps.get(row) {
                None | Some(&u32::MAX) => NO_TIME,
                Some(step) => base + unit * i64::from(*step),
            },
            Times::Wide(times) => times.get(row).copied().unwrap_or(NO_TIME),
        }
    }

    /// Whether some rows have no time.
    pub fn has_gaps(&self) -> bool {
        match self {
            Times::Narrow { steps, .. } => steps.contains(&u32::MAX),
            Times::Wide(times) => times.contains(&NO_TIME),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Times::Narrow { steps, .. } => 4 * steps.len(),
            Times::Wide(times) => 8 * times.len(),
        }
    }
}

/// Times as steps of `UNIT` ns from the smallest, `base`; `None` if they are no whole steps, or too many for 4 bytes.
fn steps<const UNIT: i64>(times: &[i64], base: i64, span: i64) -> Option<Times> {
    if span / UNIT >= i64::from(u32::MAX) {
        return None;
    }
    let step = |time: &i64| match *time {
        NO_TIME => Some(u32::MAX),
        time => {
            let step = (time - base) / UNIT;
            (step * UNIT == time - base).then_some(step as u32)
        }
    };
    // For most wrong units, one of the first times is already no multiple.
    let first = times.iter().take(64);
    if !first.into_iter().all(|time| step(time).is_some()) {
        return None;
    }
    let mut steps = Vec::with_capacity(times.len());
    for time in times {
        steps.push(step(time)?);
    }
    Some(Times::Narrow {
        base,
        unit: UNIT,
        steps: steps.into(),
    })
}

/// Rows of one shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Shape of the rows.
    pub shape: ShapeId,
    /// Rows of the segment, ascending.
    pub rows: Box<[u16]>,
    /// Columns, one per key, in the order of the shape.
    pub columns: Box<[(KeyId, Column)]>,
}

/// Group of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GroupOfRow {
    /// At most 256 groups.
    Byte(Box<[u8]>),
    /// More than 256 groups.
    Short(Box<[u16]>),
}

/// Records in columns, shared by all snapshots that hold them.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Row ranges by source, ascending.
    pub parts: Box<[Part]>,
    /// Times as read.
    pub times: Times,
    /// Offsets of the rows from the base of their part, bytes.
    pub offsets: Box<[u32]>,
    /// Rows by shape.
    pub groups: Box<[Group]>,
    /// Group of each row.
    pub(crate) group_of_row: GroupOfRow,
    /// `ContextId` of each row; `NONE` without one.
    pub contexts: Column,
    /// Rows whose records have continuation lines, ascending. The last row of each part may have more: its continuation
    /// lines may be in another part, or not read yet.
    pub continued_rows: Box<[u16]>,
}

impl Segment {
    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether the segment has no rows.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Part that contains a row.
    #[inline]
    pub fn part(&self, row: usize) -> &Part {
        &self.parts[self.part_index(row)]
    }

    /// Index of the part that contains a row.
    #[inline]
    pub fn part_index(&self, row: usize) -> usize {
        self.parts
            .partition_point(|p| p.first_row as usize <= row)
            .max(1)
            - 1
    }

    /// Byte offset in the source at which the record of a row starts.
    #[inline]
    pub(crate) fn start(&self, row: usize) -> u64 {
        self.part(row).base + u64::from(self.offsets[row])
    }

    /// Time of a row, UTC ns, or `NO_TIME`; `source` is the source of the row.
    #[inline]
    pub fn utc(&self, source: &Source, row: usize) -> i64 {
        source.utc_at(self.times.get(row), || self.start(row))
    }

    /// Calls `f` with the rows of a part and their times, UTC ns or `NO_TIME`; `source` is the source of the part.
    #[inline]
    pub(crate) fn for_each_utc(&self, part: &Part, source: &Source, mut f: impl FnMut(u32, i64)) {
        let rows = part.first_row..part.first_row + part.rows;
        if let Times::Narrow { base, unit, steps } = &self.times
            && source.is_utc()
            && let Some(steps) = steps.get(rows.start as usize..rows.end as usize)
        {
            // Properties of all rows are looked up once, outside the loop.
            for (row, step) in rows.zip(steps) {
                let time = base + unit * i64::from(*step);
                f(row, if *step == u32::MAX { NO_TIME } else { time });
            }
            return;
        }
        for row in rows {
            f(row, self.utc(source, row as usize));
        }
    }

    /// Number of the group of a row.
    #[inline]
    pub fn group_number(&self, row: usize) -> usize {
        match &self.group_of_row {
            GroupOfRow::Byte(v) => v[row] as usize,
            GroupOfRow::Short(v) => v[row] as usize,
        }
    }

    /// Group of a row, and the position of the row in the group.
    #[inline]
    pub(crate) fn group(&self, row: usize) -> (&Group, usize) {
        let index = self.group_number(row);
        let group = &self.groups[index];
        let place = group.rows.binary_search(&(row as u16)).unwrap_or(0);
        (group, place)
    }

    /// Whether the record of a row may have continuation lines.
    pub(crate) fn may_have_continuation(&self, row: usize) -> bool {
        let part = self.part(row);
        let is_last = part.first_row + part.rows == row as u32 + 1;
        is_last || self.continued_rows.binary_search(&(row as u16)).is_ok()
    }

    /// Context of a row.
    pub fn context(&self, row: usize) -> Option<ContextId> {
        match self.contexts.cell(row) {
            Cell::One(code) => Some(ContextId(code)),
            _ => None,
        }
    }

    /// Start and end of the record of a row, byte offsets in its source; the last record of a part ends at `part_end`.
    pub fn span(&self, row: usize, part_end: Option<u64>) -> (u64, u64) {
        let part = self.part(row);
        let start = part.base + u64::from(self.offsets[row]);
        let last = part.first_row + part.rows == row as u32 + 1;
        let end = if last {
            part_end.unwrap_or(part.end)
        } else {
            part.base + u64::from(self.offsets[row + 1])
        };
        (start, end.max(start))
    }

    /// Heap size, bytes.
    pub(crate) fn bytes(&self) -> usize {
        let groups: usize = self
            .groups
            .iter()
            .map(|g| {
                2 * g.rows.len()
                    + size_of::<Group>()
                    + g.columns
                        .iter()
                        .map(|(_, c)| c.bytes() + size_of::<(KeyId, Column)>())
                        .sum::<usize>()
            })
            .sum();
        let of_row = match &self.group_of_row {
            GroupOfRow::Byte(v) => v.len(),
            GroupOfRow::Short(v) => 2 * v.len(),
        };
        size_of::<Segment>()
            + self.parts.len() * size_of::<Part>()
            + self.times.bytes()
            + 4 * self.offsets.len()
            + groups
            + of_row
            + self.contexts.bytes()
            + 2 * self.continued_rows.len()
    }
}

/// Code as a context id.
pub(crate) fn context_code(context: Option<ContextId>) -> Code {
    context.map_or(widetui_core::dict::NONE, |c| c.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packed_times_are_the_times(base in -1_000_000_000_000i64..2_000_000_000_000_000_000, steps in
            proptest::collection::vec(prop_oneof![Just(None), (0i64..5_000_000_000).prop_map(Some), any::<i64>().prop_map(Some)], 0..50)) {
            let times: Vec<i64> = steps.iter().map(|s| s.map_or(NO_TIME, |s| base.saturating_add(s))).collect();
            let packed = Times::pack(&times);
            for (row, t) in times.iter().enumerate() { prop_assert_eq!(packed.get(row), *t); }
            // All times are multiples of the unit, including the first.
            prop_assert!(times.iter().filter(|t| **t != NO_TIME).all(|t| t % packed.unit() == 0));
        }
    }

    #[test]
    fn the_unit_is_no_finer_than_the_times() {
        const S: i64 = 1_000_000_000;
        let unit = |times: &[i64]| Times::pack(times).unit();
        assert_eq!(unit(&[5 * S, 7 * S]), S);
        assert_eq!(unit(&[5 * S + 123_000_000]), 1_000_000);
        assert_eq!(unit(&[5 * S + 123_000_000, 6 * S + 123_000_000]), 1_000_000);
        assert_eq!(unit(&[5 * S, 6 * S + 1_000]), 1_000);
        // Without times there are no fractions.
        assert_eq!(unit(&[NO_TIME, NO_TIME]), S);
    }
}
