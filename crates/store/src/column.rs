//! Columns: values of one key for the rows of one group, packed as narrowly as possible.

use widetui_core::dict::{Code, NONE};
use widetui_format::catalog::encode::DEFER;

/// Codes of one key, one cell per row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// One code for every row.
    Const(Code),
    /// `base` plus one byte per row.
    Byte {
        /// Smallest code.
        base: Code,
        /// Difference to `base`, per row.
        offsets: Box<[u8]>,
    },
    /// `base` plus two bytes per row.
    Short {
        /// Smallest code.
        base: Code,
        /// Difference to `base`, per row.
        offsets: Box<[u16]>,
    },
    /// At most 256 distinct codes.
    Dict {
        /// Distinct codes.
        codes: Box<[Code]>,
        /// Index into `codes`, per row.
        index: Box<[u8]>,
    },
    /// Unpacked codes.
    Wide(Box<[Code]>),
    /// Lists of values, one list per row.
    Lists {
        /// End of each row's values in `codes`.
        ends: Box<[u32]>,
        /// Values of all rows.
        codes: Box<[Code]>,
    },
}

/// Value of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    /// No value.
    Absent,
    /// One value.
    One(Code),
    /// Several values, in the order of the record.
    Many(&'a [Code]),
    /// A value that was not stored and must be read from the text.
    Deferred,
}

impl Cell<'_> {
    fn of(code: Code) -> Cell<'static> {
        match code {
            NONE => Cell::Absent,
            DEFER => Cell::Deferred,
            code => Cell::One(code),
        }
    }
}

impl Column {
    /// Packs codes as narrowly as possible.
    pub fn pack(codes: &[Code]) -> Column {
        let Some(&first) = codes.first() else {
            return Column::Const(NONE);
        };
        let (mut min, mut max) = (first, first);
        for &code in codes {
            min = min.min(code);
            max = max.max(code);
        }
        if min == max {
            return Column::Const(first);
        }
        let span = max - min;
        if span <= u32::from(u8::MAX) {
            return Column::Byte {
                base: min,
                offsets: codes.iter().map(|c| (c - min) as u8).collect(),
            };
        }
        // Few different codes far from each other: entries of a dictionary, or some rows without a value.
        let mut distinct: Vec<Code> = Vec::with_capacity(256);
        let mut index = Vec::with_capacity(codes.len());
        let mut last = (NONE, usize::MAX);
        for &code in codes {
            if last.0 != code || last.1 == usize::MAX {
                let at = match distinct.iter().position(|d| *d == code) {
                    Some(at) => at,
                    None if distinct.len() < 64 => {
                        distinct.push(code);
                        distinct.len() - 1
                    }
                    None => break,
                };
                last = (code, at);
            }
            index.push(last.1 as u8);
        }
        if index.len() == codes.len() && codes.len() > 4 * distinct.len() {
            return Column::Dict {
                codes: distinct.into(),
                index: index.into(),
            };
        }
        if span <= u32::from(u16::MAX) {
            return Column::Short {
                base: min,
                offsets: codes.iter().map(|c| (c - min) as u16).collect(),
            };
        }
        Column::Wide(codes.into())
    }

    /// Cell of a row of the group (not of the segment).
    #[inline]
    pub fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Column::Const(code) => Cell::of(*code),
            Column::Byte { base, offsets } => offsets
                .get(row)
                .map_or(Cell::Absent, |o| Cell::of(base + u32::from(*o))),
            Column::Short { base, offsets } => offsets
                .get(row)
                .map_or(Cell::Absent, |o| Cell::of(base + u32::from(*o))),
            Column::Dict { codes, index } => index
                .get(row)
                .and_then(|i| codes.get(*i as usize))
                .map_or(Cell::Absent, |c| Cell::of(*c)),
            Column::Wide(codes) => codes.get(row).map_or(Cell::Absent, |c| Cell::of(*c)),
            Column::Lists { ends, codes } => {
                let Some(end) = ends.get(row).map(|e| *e as usize) else {
                    return Cell::Absent;
                };
                let start = if row == 0 { 0 } else { ends[row - 1] as usize };
                match codes.get(start..end) {
                    None | Some([]) => Cell::Absent,
                    Some([one]) => Cell::of(*one),
                    Some(many) if many.iter().all(|c| *c == NONE) => Cell::Absent,
                    Some(many) => Cell::Many(many),
                }
            }
        }
    }

    /// Number of rows; `None` for a constant, which has the rows of its group.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Column::Const(_) => None,
            Column::Byte { offsets, .. } => Some(offsets.len()),
            Column::Short { offsets, .. } => Some(offsets.len()),
            Column::Dict { index, .. } => Some(index.len()),
            Column::Wide(codes) => Some(codes.len()),
            Column::Lists { ends, .. } => Some(ends.len()),
        }
    }

    /// Heap size, bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Column::Const(_) => 0,
            Column::Byte { offsets, .. } => offsets.len(),
            Column::Short { offsets, .. } => 2 * offsets.len(),
            Column::Dict { codes, index } => 4 * codes.len() + index.len(),
            Column::Wide(codes) => 4 * codes.len(),
            Column::Lists { ends, codes } => 4 * (ends.len() + codes.len()),
        }
    }

    /// All distinct codes, including `NONE` and `DEFER` where they occur, each at least once; cheap for packed columns.
    pub fn distinct(&self) -> Vec<Code> {
        let mut codes: Vec<Code> = match self {
            Column::Const(code) => vec![*code],
            Column::Byte { base, offsets } => {
                offsets.iter().map(|o| base + u32::from(*o)).collect()
            }
            Column::Short { base, offsets } => {
                offsets.iter().map(|o| base + u32::from(*o)).collect()
            }
            Column::Dict { codes, .. } | Column::Wide(codes) | Column::Lists { codes, .. } => {
                codes.to_vec()
            }
        };
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// Calls `f` with each row and each of its stored values.
    pub fn for_each(&self, rows: usize, mut f: impl FnMut(usize, Code)) {
        let mut one = |(row, code): (usize, Code)| {
            if let Cell::One(code) = Cell::of(code) {
                f(row, code);
            }
        };
        // The variant is matched once, not once per row.
        match self {
            Column::Const(code) => (0..rows).for_each(|row| one((row, *code))),
            Column::Byte { base, offsets } => {
                let codes = offsets.iter().map(|o| base + u32::from(*o));
                codes.take(rows).enumerate().for_each(one);
            }
            Column::Short { base, offsets } => {
                let codes = offsets.iter().map(|o| base + u32::from(*o));
                codes.take(rows).enumerate().for_each(one);
            }
            Column::Dict { codes, index } => {
                let code = |at: &u8| codes.get(usize::from(*at)).copied().unwrap_or(NONE);
                index.iter().map(code).take(rows).enumerate().for_each(one);
            }
            Column::Wide(codes) => codes.iter().copied().take(rows).enumerate().for_each(one),
            Column::Lists { .. } => {
                for row in 0..rows {
                    match self.cell(row) {
                        Cell::One(code) => f(row, code),
                        Cell::Many(codes) => codes.iter().for_each(|c| f(row, *c)),
                        Cell::Absent | Cell::Deferred => {}
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packing_is_lossless(codes in prop_oneof![
            proptest::collection::vec(0u32..300, 0..400),
            proptest::collection::vec(0u32..70_000, 0..400),
            proptest::collection::vec(prop_oneof![Just(5u32), Just(NONE), Just(DEFER), 1u32<<31..(1u32<<31)+9], 0..400),
            proptest::collection::vec(any::<u32>(), 0..400),
        ]) {
            let column = Column::pack(&codes);
            for (row, code) in codes.iter().enumerate() {
                prop_assert_eq!(column.cell(row), Cell::of(*code));
            }
            let mut distinct = codes.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if !codes.is_empty() { prop_assert_eq!(column.distinct(), distinct); }
        }
    }
}
