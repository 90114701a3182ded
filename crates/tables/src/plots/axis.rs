//! Horizontal axis of time, shared by all plots: maps times to terminal columns.

use widetui_time::timescale::{part_of, part_start};

/// Time range over a range of terminal columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeAxis {
    /// First and last time, UTC ns.
    pub range: (i64, i64),
    /// First terminal column.
    pub left: u16,
    /// Number of columns.
    pub columns: u16,
}

impl TimeAxis {
    /// Column of a time, relative to the first; times outside the range map to the outermost columns.
    pub fn column_of(&self, time: i64) -> u16 {
        part_of(self.range, time, u32::from(self.columns)) as u16
    }

    /// Time at which a column begins, UTC ns; the end of the range for the column after the last.
    pub(crate) fn time_of(&self, column: u16) -> i64 {
        self.time_at(u32::from(column), 1)
    }

    /// Time at which the `part`th of `parts` equal parts per column begins, UTC ns.
    pub fn time_at(&self, part: u32, parts: u32) -> i64 {
        let all = u128::from(self.columns.max(1)) * u128::from(parts.max(1));
        part_start(self.range, u128::from(part), all)
    }

    /// Whether a time is within the range.
    pub fn contains(&self, time: i64) -> bool {
        self.range.0 <= time && time <= self.range.1
    }

    /// Time interval of a column, UTC ns.
    pub fn interval_of(&self, column: u16) -> (i64, i64) {
        let from = self.time_of(column);
        (from, self.time_of(column + 1).max(from.saturating_add(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_session::overview::OverviewHistogram;

    proptest! {
        #[test]
            fn columns_and_times_correspond(from in -1000i64..1000, span in 1i64..5000, columns in 1u16..300, time in -2000i64..7000) {
            let range = (from, from + span);
            let axis = TimeAxis { range, left: 9, columns };
                let strip = OverviewHistogram { range, events: vec![0; usize::from(columns)], ..OverviewHistogram::default() };
            prop_assert_eq!(usize::from(axis.column_of(time)), strip.bin_of(time));
            let column = axis.column_of(time);
            prop_assert_eq!(axis.time_of(column), strip.time_of(usize::from(column)));
            if axis.contains(time) && time < range.1 {
                let (start, end) = axis.interval_of(column);
                prop_assert!(start <= time && time <= end);
            }
        }
    }
}
