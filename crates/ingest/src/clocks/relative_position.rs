//! Offset between two time ranges that a time zone could explain.

use crate::clocks::Range;

const SECOND: i64 = 1_000_000_000;
/// Granularity of zone offsets, ns.
const QUARTER: i64 = 900 * SECOND;
const HOUR: i64 = 4 * QUARTER;
/// Zone offsets that exist, ns ahead of UTC: from Baker Island to Kiribati.
const ZONES: std::ops::RangeInclusive<i64> = -12 * HOUR..=14 * HOUR;
/// Maximum difference between two zones, ns.
const MOST: i64 = 26 * HOUR;
/// Tolerance between begins or ends of logs of one run, ns, in addition to a twentieth of their
/// length.
const ALIKE: u64 = 30_000_000_000;

/// Position of a time range relative to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelativePosition {
    /// Overlapping or less than an hour apart: one may follow the other.
    Together,
    /// Offset in ns that makes the ranges overlap: whole hours if possible, the one that aligns the
    /// ends best.
    Offset(i64),
    /// No zone offset makes the ranges overlap.
    Unrelated,
}

/// Position of `own` relative to `other`. `assumed` is the assumed zone of `own`, ns ahead of UTC.
pub(super) fn relative_position(own: Range, other: Range, assumed: i64) -> RelativePosition {
    let gap = (own.0.saturating_sub(other.1)).max(other.0.saturating_sub(own.1));
    if gap <= HOUR {
        return near_by(own, other, assumed);
    }
    let near = |correction: &i64| meet(own, other, *correction);
    let distance = |correction: &i64| {
        let off = |a: i64, b: i64| a.saturating_add(*correction).abs_diff(b);
        off(own.0, other.0).saturating_add(off(own.1, other.1))
    };
    let steps = |step: i64| {
        (-MOST / step..=MOST / step)
            .map(move |n| n * step)
            .filter(near)
            .filter(|correction| ZONES.contains(&(assumed - correction)))
    };
    let hours = steps(HOUR).min_by_key(distance);
    let correction = hours.or_else(|| steps(QUARTER).min_by_key(distance));
    correction.map_or(RelativePosition::Unrelated, RelativePosition::Offset)
}

/// Position of `own` relative to `other` with a gap of less than an hour. One may follow the other;
/// but if they do not overlap, and begin and end together after a shift by an hour, the zone is an
/// hour off.
fn near_by(own: Range, other: Range, assumed: i64) -> RelativePosition {
    let hour = match own.0 > other.1 {
        true => -HOUR,
        false => HOUR,
    };
    let is_hour_off =
        !meet(own, other, 0) && ZONES.contains(&(assumed - hour)) && are_alike(own, other, hour);
    match is_hour_off {
        true => RelativePosition::Offset(hour),
        false => RelativePosition::Together,
    }
}

/// Whether two ranges overlap after the first is shifted by `correction` ns.
pub(super) fn meet(own: Range, other: Range, correction: i64) -> bool {
    own.0.saturating_add(correction) <= other.1 && other.0 <= own.1.saturating_add(correction)
}

/// True if two ranges begin together or end together, to the second, after the first is shifted by `correction` ns.
pub(super) fn are_aligned(own: Range, other: Range, correction: i64) -> bool {
    let near = |a: i64, b: i64| a.saturating_add(correction).abs_diff(b) <= SECOND.unsigned_abs();
    near(own.0, other.0) || near(own.1, other.1)
}

/// Whether two ranges begin and end together after the first is shifted by `correction` ns, which is
/// unlikely by chance.
pub(super) fn are_alike(own: Range, other: Range, correction: i64) -> bool {
    let longer = own.1.abs_diff(own.0).max(other.1.abs_diff(other.0));
    let near = |a: i64, b: i64| a.saturating_add(correction).abs_diff(b) <= ALIKE + longer / 20;
    near(own.0, other.0) && near(own.1, other.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = QUARTER / 15;

    #[test]
    fn what_lies_hours_apart_is_brought_together() {
        let own = (0, 3 * MINUTE);
        let later = |by: i64| (by + MINUTE, by + 4 * MINUTE);
        assert_eq!(
            relative_position(own, later(6 * HOUR), 0),
            RelativePosition::Offset(6 * HOUR)
        );
        assert_eq!(
            relative_position(own, later(-8 * HOUR), 0),
            RelativePosition::Offset(-8 * HOUR)
        );
        assert_eq!(
            relative_position(own, later(5 * HOUR + 2 * QUARTER), 0),
            RelativePosition::Offset(5 * HOUR + 2 * QUARTER)
        );
    }

    #[test]
    fn what_is_together_is_left_as_it_is() {
        let own = (0, 3 * MINUTE);
        for by in [0, HOUR, -HOUR, 2 * MINUTE] {
            assert_eq!(
                relative_position(own, (by, by + MINUTE), 0),
                RelativePosition::Together,
                "{by}"
            );
        }
        // No zone offset explains these.
        assert_eq!(
            relative_position(own, (6 * HOUR + 7 * MINUTE, 6 * HOUR + 9 * MINUTE), 0),
            RelativePosition::Unrelated
        );
        assert_eq!(
            relative_position(own, (40 * HOUR, 41 * HOUR), 0),
            RelativePosition::Unrelated
        );
    }

    #[test]
    fn an_hour_off_is_a_zone_where_both_begin_and_end_together() {
        let own = (0, 3 * MINUTE);
        let near = |by: i64| (by + MINUTE / 6, by + 3 * MINUTE + MINUTE / 6);
        assert_eq!(
            relative_position(own, near(HOUR), 0),
            RelativePosition::Offset(HOUR)
        );
        assert_eq!(
            relative_position(own, near(-HOUR), 0),
            RelativePosition::Offset(-HOUR)
        );
        assert_eq!(
            relative_position(own, near(HOUR / 2), 0),
            RelativePosition::Together
        );
        // Overlapping ranges, or different lengths: one may follow the other.
        let long = (0, HOUR + MINUTE);
        assert_eq!(
            relative_position(long, (HOUR, 2 * HOUR + MINUTE), 0),
            RelativePosition::Together
        );
        assert_eq!(
            relative_position(own, (HOUR, HOUR + 9 * MINUTE), 0),
            RelativePosition::Together
        );
    }

    #[test]
    fn there_must_be_such_a_zone() {
        let (own, later) = ((0, MINUTE), (20 * HOUR, 20 * HOUR + MINUTE));
        // UTC-20 is not a zone; a log assumed to be at UTC+9 may be at UTC-11.
        assert_eq!(
            relative_position(own, later, 0),
            RelativePosition::Unrelated
        );
        assert_eq!(
            relative_position(own, later, 9 * HOUR),
            RelativePosition::Offset(20 * HOUR)
        );
    }

    #[test]
    fn only_what_begins_and_ends_together_is_sure() {
        let own = (0, 3 * MINUTE);
        let at = |from: i64, to: i64| are_alike(own, (6 * HOUR + from, 6 * HOUR + to), 6 * HOUR);
        assert!(at(MINUTE / 3, 3 * MINUTE + MINUTE / 3));
        assert!(!at(MINUTE, 3 * MINUTE));
        assert!(!at(0, 9 * MINUTE));
    }

    #[test]
    fn long_runs_are_laid_over_each_other() {
        let own = (0, 10 * HOUR);
        assert_eq!(
            relative_position(own, (12 * HOUR + MINUTE, 22 * HOUR), 0),
            RelativePosition::Offset(12 * HOUR)
        );
    }
}
