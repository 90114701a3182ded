//! Aggregation of points into columns of equal width.

use widetui_time::timescale::part_start;

use crate::series::SeriesKind;

/// Aggregate of the values in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinAggregate {
    /// Maximum: peaks stay visible.
    #[default]
    Max,
    /// Mean of the values over the time of the column.
    Mean,
    /// Value at the end of the column.
    Last,
}

/// Borders of `columns` equal parts of a time range: one more than columns.
pub fn borders(range: (i64, i64), columns: usize) -> impl Iterator<Item = i64> {
    (0..=columns as u128).map(move |at| part_start(range, at, columns as u128))
}

/// Aggregates points, ordered by time, into `columns` equal parts of a time range (UTC ns); the
/// last part includes its end.
///
/// A gauge holds until its next value, the last one forever; before the first there is none. A
/// counter is shown as growth per second, whatever `pick` is; where it falls it restarted at zero.
pub fn bins(
    points: &[(i64, f64)],
    kind: SeriesKind,
    pick: BinAggregate,
    range: (i64, i64),
    columns: usize,
) -> Vec<Option<f64>> {
    let borders: Vec<i64> = borders(range, columns).collect();
    let mut out = Vec::with_capacity(columns);
    let mut at = points.partition_point(|p| p.0 < range.0);
    for (column, border) in borders.windows(2).enumerate() {
        let (from, to) = (border[0], border[1]);
        let start = at;
        let is_last = column + 1 == columns;
        while points
            .get(at)
            .is_some_and(|p| p.0 < to || (is_last && p.0 <= to))
        {
            at += 1;
        }
        let before = start.checked_sub(1).and_then(|b| points.get(b));
        let inside = &points[start..at];
        out.push(match kind {
            SeriesKind::Counter => counter_bin(before, inside, to.saturating_sub(from)),
            SeriesKind::Gauge => gauge_bin(before, inside, (from, to), pick),
        });
    }
    out
}

/// Value of a gauge in one column, given the last point before it and the points inside.
fn gauge_bin(
    before: Option<&(i64, f64)>,
    inside: &[(i64, f64)],
    (from, to): (i64, i64),
    pick: BinAggregate,
) -> Option<f64> {
    // The previous value does not count if it is replaced at the start of the column.
    let before = before.filter(|_| inside.first().is_none_or(|p| p.0 > from));
    let values = before.into_iter().chain(inside).map(|p| p.1);
    match pick {
        BinAggregate::Max => values.reduce(f64::max),
        BinAggregate::Last => inside.last().or(before).map(|p| p.1),
        BinAggregate::Mean => {
            let held = before.map(|p| (from, p.1));
            let points: Vec<(i64, f64)> = held.into_iter().chain(inside.iter().copied()).collect();
            mean_over(&points, to)
        }
    }
}

/// Mean of a gauge over the time from its first point to `end`; the mean of the values if all
/// points are at `end`.
pub fn mean_over(points: &[(i64, f64)], end: i64) -> Option<f64> {
    let first = points.first()?.0;
    if end <= first {
        return Some(points.iter().map(|p| p.1).sum::<f64>() / points.len() as f64);
    }
    let mut sum = 0.0;
    for (at, (time, value)) in points.iter().enumerate() {
        let next = points.get(at + 1).map_or(end, |p| p.0.min(end));
        sum += value * next.saturating_sub(*time).max(0) as f64;
    }
    Some(sum / end.saturating_sub(first) as f64)
}

/// Growth per second of a counter in a column of `width` ns.
fn counter_bin(before: Option<&(i64, f64)>, inside: &[(i64, f64)], width: i64) -> Option<f64> {
    let mut last = before?.1;
    let mut grown = 0.0;
    for (_, value) in inside {
        grown += if *value >= last { value - last } else { *value };
        last = *value;
    }
    (width > 0).then(|| grown / (width as f64 / 1e9))
}

/// Value of a gauge at a time.
pub fn value_at(points: &[(i64, f64)], time: i64) -> Option<f64> {
    let after = points.partition_point(|p| p.0 <= time);
    Some(points.get(after.checked_sub(1)?)?.1)
}

/// Sum of several gauges at each time at which one of them changes. A gauge without a value yet
/// counts as 0.
pub fn sum_gauges<'p>(lines: impl Iterator<Item = &'p [(i64, f64)]>) -> Vec<(i64, f64)> {
    let mut changes: Vec<(i64, f64)> = Vec::new();
    for line in lines {
        let mut last = 0.0;
        for (time, value) in line {
            changes.push((*time, value - last));
            last = *value;
        }
    }
    changes.sort_by_key(|c| c.0);
    let mut out: Vec<(i64, f64)> = Vec::new();
    let mut sum = 0.0;
    for together in changes.chunk_by(|a, b| a.0 == b.0) {
        sum += together.iter().map(|c| c.1).sum::<f64>();
        out.push((together[0].0, sum));
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: i64 = 1_000_000_000;

    /// Values that hold at any time in [from, to), by brute force.
    fn naive(points: &[(i64, f64)], from: i64, to: i64) -> Vec<f64> {
        // All values at one time count.
        let mut seen = Vec::new();
        for t in from..to {
            let now: Vec<f64> = points.iter().filter(|p| p.0 == t).map(|p| p.1).collect();
            match now.is_empty() {
                false => seen.extend(now),
                true => seen.extend(points.iter().rfind(|p| p.0 < t).map(|p| p.1)),
            }
        }
        seen
    }

    fn points(most: usize) -> impl Strategy<Value = Vec<(i64, f64)>> {
        proptest::collection::vec((0i64..60, 0u8..9), 0..most).prop_map(|list| {
            let mut list: Vec<(i64, f64)> =
                list.into_iter().map(|(t, v)| (t, f64::from(v))).collect();
            list.sort_by_key(|p| p.0);
            list
        })
    }

    proptest! {
        #[test]
        fn columns_equal_brute_force(points in points(20), from in 0i64..30, width in 1i64..6, columns in 1usize..9) {
            let to = from + width * columns as i64;
            let most = bins(&points, SeriesKind::Gauge, BinAggregate::Max, (from, to), columns);
            let last = bins(&points, SeriesKind::Gauge, BinAggregate::Last, (from, to), columns);
            prop_assert_eq!(most.len(), columns);
            for column in 0..columns {
                let start = from + width * column as i64;
                // The last column includes its end.
                let end = start + width + i64::from(column + 1 == columns);
                let mut seen = naive(&points, start, end);
                prop_assert_eq!(last[column], seen.last().copied());
                if column + 1 == columns && !points.iter().any(|p| p.0 == end - 1) {
                    seen.pop();
                }
                prop_assert_eq!(most[column], seen.into_iter().reduce(f64::max));
            }
        }

        #[test]
        fn means_equal_brute_force(mut points in points(20), from in 0i64..30, width in 1i64..6, columns in 1usize..9) {
            points.dedup_by_key(|p| p.0);
            let to = from + width * columns as i64;
            // A point at the end has no width.
            points.retain(|p| p.0 != to);
            let means = bins(&points, SeriesKind::Gauge, BinAggregate::Mean, (from, to), columns);
            for (column, mean) in means.into_iter().enumerate() {
                let start = from + width * column as i64;
                let seen = naive(&points, start, start + width);
                prop_assert_eq!(mean.is_some(), !seen.is_empty());
                if let Some(mean) = mean {
                    let expected = seen.iter().sum::<f64>() / seen.len() as f64;
                    prop_assert!((mean - expected).abs() < 1e-9, "{} {}", mean, expected);
                }
            }
        }

        #[test]
        fn sums_equal_brute_force(a in points(12), b in points(12)) {
            let sum = sum_gauges([&a[..], &b[..]].into_iter());
            for t in 0..60 {
                let parts: Vec<f64> = [&a, &b].into_iter().filter_map(|p| value_at(p, t)).collect();
                let expected = (!parts.is_empty()).then(|| parts.iter().sum::<f64>());
                prop_assert_eq!(value_at(&sum, t), expected);
            }
        }
    }

    #[test]
    fn counter_growth_survives_a_reset() {
        let points = [
            (0, 10.0),
            (SECOND, 30.0),
            (2 * SECOND, 5.0),
            (3 * SECOND, 9.0),
        ];
        let range = (0, 4 * SECOND);
        let found = bins(&points, SeriesKind::Counter, BinAggregate::Max, range, 2);
        // The first value gives no growth, and nothing precedes it.
        assert_eq!(found, [None, Some(4.5)]);
        let later = bins(
            &points,
            SeriesKind::Counter,
            BinAggregate::Max,
            (1, 4 * SECOND + 1),
            2,
        );
        assert_eq!(later, [Some(12.5), Some(2.0)]);
    }

    #[test]
    fn extreme_times_do_not_overflow() {
        let points = [(i64::MIN + 1, 1.0), (i64::MAX, 2.0)];
        let range = (i64::MIN + 1, i64::MAX);
        let found = bins(&points, SeriesKind::Gauge, BinAggregate::Max, range, 3);
        assert_eq!(found, [Some(1.0), Some(1.0), Some(2.0)]);
    }
}
