//! Step functions: a count over time.

use std::ops::Add;

use crate::scope::TimeWindow;

/// What can be counted in steps.
pub trait Amount: Copy + Default + PartialOrd + Add<Output = Self> {
    /// The float that is nearest.
    fn float(self) -> f64;
}

impl Amount for i64 {
    fn float(self) -> f64 {
        self as f64
    }
}

impl Amount for i128 {
    fn float(self) -> f64 {
        self as f64
    }
}

/// A number that changes at moments: `value` holds from `time` (UTC ns) until the next point. Before the first it is zero.
/// Times ascend and no two neighbours have the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps<V = i64> {
    /// Time and value.
    pub points: Vec<(i64, V)>,
}

impl<V> Default for Steps<V> {
    fn default() -> Self {
        Steps { points: Vec::new() }
    }
}

impl<V: Amount> Steps<V> {
    /// From changes: a time and by how much the number grows there. All changes of one moment are one, so that what ends
    /// at a moment never overlaps what starts there.
    pub fn of_changes(mut changes: Vec<(i64, V)>) -> Steps<V> {
        changes.sort_unstable_by_key(|c| c.0);
        let mut points: Vec<(i64, V)> = Vec::new();
        let mut value = V::default();
        for together in changes.chunk_by(|a, b| a.0 == b.0) {
            let before = value;
            value = together.iter().fold(value, |sum, c| sum + c.1);
            if value != before {
                points.push((together[0].0, value));
            }
        }
        Steps { points }
    }

    /// The number at a moment.
    pub fn at(&self, time: i64) -> V {
        let after = self.points.partition_point(|p| p.0 <= time);
        let point = after.checked_sub(1).and_then(|at| self.points.get(at));
        point.map_or(V::default(), |p| p.1)
    }

    /// The greatest number, and when it is first reached.
    pub fn max(&self) -> Option<(i64, V)> {
        let mut best: Option<(i64, V)> = None;
        for point in &self.points {
            if best.is_none_or(|b| point.1 > b.1) {
                best = Some(*point);
            }
        }
        best
    }

    /// The part in a window; what holds at its start becomes a point there.
    #[must_use]
    pub fn clipped(&self, window: TimeWindow) -> Steps<V> {
        let mut points: Vec<(i64, V)> = Vec::new();
        if let Some(since) = window.since {
            let value = self.at(since);
            if value != V::default() {
                points.push((since, value));
            }
        }
        let after = |t: i64| window.since.is_none_or(|s| t > s);
        let before = |t: i64| window.until.is_none_or(|u| t < u);
        let inside = self.points.iter().filter(|p| after(p.0) && before(p.0));
        points.extend(inside);
        Steps { points }
    }

    /// The integral between two moments, in number times ns.
    pub fn integral(&self, from: i64, to: i64) -> f64 {
        let mut total = 0.0;
        for (at, (time, value)) in self.points.iter().enumerate() {
            let next = self.points.get(at + 1).map_or(to, |p| p.0);
            let (start, end) = ((*time).max(from), next.min(to));
            if end > start {
                total += value.float() * end.saturating_sub(start) as f64;
            }
        }
        total
    }
}

/// The changes of intervals: each counts from its start to its end; without an end for ever. An end before the start, of
/// clocks that disagree, counts as none.
pub fn changes(intervals: impl IntoIterator<Item = (i64, Option<i64>)>) -> Vec<(i64, i64)> {
    let mut out = Vec::new();
    for (start, end) in intervals {
        match end {
            Some(end) if end <= start => {}
            end => {
                out.push((start, 1));
                out.extend(end.map(|t| (t, -1)));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How many intervals hold at a moment.
    fn naive(intervals: &[(i64, Option<i64>)], time: i64) -> i64 {
        let holds =
            |(start, end): &&(i64, Option<i64>)| *start <= time && end.is_none_or(|end| time < end);
        intervals.iter().filter(holds).count() as i64
    }

    fn intervals() -> impl Strategy<Value = Vec<(i64, Option<i64>)>> {
        let one = (0i64..40, proptest::option::of(-5i64..30));
        let one = one.prop_map(|(start, length)| (start, length.map(|l| start + l)));
        proptest::collection::vec(one, 0..30)
    }

    proptest! {
        #[test]
        fn steps_are_the_number_of_intervals_that_hold(intervals in intervals(), since in 0i64..60, length in 0i64..30) {
            let steps = Steps::of_changes(changes(intervals.clone()));
            let window = TimeWindow { since: Some(since), until: Some(since + length) };
            let clipped = steps.clipped(window);
            for time in -1..80 {
                let expected = naive(&intervals, time);
                prop_assert_eq!(steps.at(time), expected);
                if time >= since && time < since + length {
                    prop_assert_eq!(clipped.at(time), expected);
                }
            }
            let most = (-1..80).map(|t| naive(&intervals, t)).max().unwrap_or(0);
            prop_assert_eq!(steps.max().map_or(0, |m| m.1), most);
            let area: i64 = (since..since + length).map(|t| naive(&intervals, t)).sum();
            prop_assert_eq!(steps.integral(since, since + length), area as f64);
            prop_assert!(steps.points.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 != w[1].1));
        }
    }

    #[test]
    fn what_ends_at_a_moment_does_not_overlap_what_starts_there() {
        let steps = Steps::of_changes(changes([(0, Some(10)), (10, Some(20))]));
        assert_eq!(steps.max(), Some((0, 1)));
        assert_eq!(steps.points, [(0, 1), (20, 0)]);
    }
}
