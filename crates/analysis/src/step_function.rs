//! Step functions: a count over time.

use std::ops::Add;

use crate::scope::TimeWindow;

/// Number that a step function can have as its value.
pub trait StepValue: Copy + Default + PartialOrd + Add<Output = Self> {
    /// Converts the value to the nearest float.
    fn to_f64(self) -> f64;
}

impl StepValue for i64 {
    fn to_f64(self) -> f64 {
        self as f64
    }
}

impl StepValue for i128 {
    fn to_f64(self) -> f64 {
        self as f64
    }
}

/// Step function over time: a value holds from its time (UTC ns) until the next point; before the
/// first it is zero. Times ascend and consecutive values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFunction<V = i64> {
    /// Time (UTC ns) and value.
    pub points: Vec<(i64, V)>,
}

impl StepFunction {
    /// Counts times since `start`, UTC ns.
    pub fn count_from(&mut self, start: i64) {
        for (time, _) in &mut self.points {
            *time = time.saturating_sub(start);
        }
    }
}

impl<V> Default for StepFunction<V> {
    fn default() -> Self {
        StepFunction { points: Vec::new() }
    }
}

impl<V: StepValue> StepFunction<V> {
    /// Creates a step function from changes (time and difference). Changes at one time are merged,
    /// so an interval that ends at a time does not overlap one that starts then.
    pub(crate) fn from_changes(mut changes: Vec<(i64, V)>) -> StepFunction<V> {
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
        StepFunction { points }
    }

    /// Value of the step function at a time (UTC ns).
    pub fn value_at(&self, time: i64) -> V {
        let after = self.points.partition_point(|p| p.0 <= time);
        let point = after.checked_sub(1).and_then(|at| self.points.get(at));
        point.map_or(V::default(), |p| p.1)
    }

    /// Maximum, with the time at which it is first reached.
    pub fn max(&self) -> Option<(i64, V)> {
        let mut best: Option<(i64, V)> = None;
        for point in &self.points {
            if best.is_none_or(|b| point.1 > b.1) {
                best = Some(*point);
            }
        }
        best
    }

    /// Clips to a time window; the value at its start becomes a point there.
    #[must_use]
    pub(crate) fn clipped(&self, window: TimeWindow) -> StepFunction<V> {
        let mut points: Vec<(i64, V)> = Vec::new();
        if let Some(since) = window.since {
            let value = self.value_at(since);
            if value != V::default() {
                points.push((since, value));
            }
        }
        let after = |t: i64| window.since.is_none_or(|s| t > s);
        let before = |t: i64| window.until.is_none_or(|u| t < u);
        let inside = self.points.iter().filter(|p| after(p.0) && before(p.0));
        points.extend(inside);
        StepFunction { points }
    }

    /// The function where it is less than a limit, else the limit.
    pub(crate) fn at_most(mut self, limit: V) -> StepFunction<V> {
        for (_, value) in &mut self.points {
            if *value > limit {
                *value = limit;
            }
        }
        self.points.dedup_by_key(|point| point.1);
        self
    }

    /// Integral between two times, in value times ns.
    pub fn integral(&self, from: i64, to: i64) -> f64 {
        let first = self.points.partition_point(|point| point.0 <= from);
        let points = &self.points[first.saturating_sub(1)..];
        let mut total = 0.0;
        for (at, (time, value)) in points.iter().enumerate() {
            let next = points.get(at + 1).map_or(to, |p| p.0);
            let (start, end) = ((*time).max(from), next.min(to));
            if end > start {
                total += value.to_f64() * end.saturating_sub(start) as f64;
            }
            if next >= to {
                break;
            }
        }
        total
    }
}

/// Changes of intervals: each counts 1 from its start to its end, or forever without an end. An
/// interval whose end precedes its start, because clocks disagree, counts 0.
pub(crate) fn interval_changes(
    intervals: impl IntoIterator<Item = (i64, Option<i64>)>,
) -> Vec<(i64, i64)> {
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

    /// Number of intervals that contain a time.
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
        fn steps_count_open_intervals(intervals in intervals(), since in 0i64..60, length in 0i64..30) {
            let steps = StepFunction::from_changes(interval_changes(intervals.clone()));
            let window = TimeWindow { since: Some(since), until: Some(since + length) };
            let clipped = steps.clipped(window);
            for time in -1..80 {
                let expected = naive(&intervals, time);
                prop_assert_eq!(steps.value_at(time), expected);
                if time >= since && time < since + length {
                    prop_assert_eq!(clipped.value_at(time), expected);
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
    fn an_end_and_a_start_at_one_time_do_not_overlap() {
        let steps = StepFunction::from_changes(interval_changes([(0, Some(10)), (10, Some(20))]));
        assert_eq!(steps.max(), Some((0, 1)));
        assert_eq!(steps.points, [(0, 1), (20, 0)]);
    }
}
