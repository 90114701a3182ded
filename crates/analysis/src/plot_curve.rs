//! Curves of plots, drawn in the terminal and as SVG.

use crate::colour::{Tone, stacking_order, state_tones};
use crate::entity::Instances;
use crate::series::{BinAggregate, SeriesKind, bins, borders, sum_gauges, value_at};
use crate::states::States;
use crate::step_function::StepFunction;
use crate::utilisation::Throughput;
use widetui_time::time::NS_PER_SECOND;
use widetui_time::timescale::round_parts;

/// Number over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotCurve {
    /// Name in the legend.
    pub name: String,
    /// (time in UTC ns, value) pairs, by time.
    pub points: Vec<(i64, f64)>,
    /// Meaning of its colour.
    pub tone: Tone,
    /// Course of the value between points.
    pub kind: SeriesKind,
    /// Time from which the last value no longer holds, UTC ns.
    pub end: Option<i64>,
}

impl PlotCurve {
    /// Value at a time; `None` before the first point and after the end of the last one.
    pub fn at(&self, time: i64) -> Option<f64> {
        let is_over = self.end.is_some_and(|over| time > over);
        value_at(&self.points, time).filter(|_| !is_over)
    }

    /// Aggregates in equal parts of a time range, as a gauge; of a counter its growth per second.
    #[must_use]
    pub fn binned(&self, range: (i64, i64), parts: usize, aggregate: BinAggregate) -> PlotCurve {
        let values = bins(&self.points, self.kind, aggregate, range, parts);
        let values = borders(range, parts).zip(values);
        PlotCurve {
            name: self.name.clone(),
            points: values
                .filter_map(|(at, value)| Some((at, value?)))
                .collect(),
            tone: self.tone,
            end: self.end.filter(|_| self.kind == SeriesKind::Gauge),
            ..PlotCurve::default()
        }
    }

    /// Maximum value within `from..to`.
    pub fn max_within(&self, from: i64, to: i64) -> Option<f64> {
        let first = self.points.partition_point(|p| p.0 <= from);
        let inside = self.points[first..].iter().take_while(|p| p.0 < to);
        let held = self.at(from);
        inside.map(|p| p.1).chain(held).reduce(f64::max)
    }

    /// Minimum value within `from..to`.
    pub fn min_within(&self, from: i64, to: i64) -> Option<f64> {
        let first = self.points.partition_point(|p| p.0 <= from);
        let inside = self.points[first..].iter().take_while(|p| p.0 < to);
        let held = self.at(from);
        inside.map(|p| p.1).chain(held).reduce(f64::min)
    }
}

/// Moments at which the sum of curves is highest in each interval (UTC ns), the middle if no moment exceeds it.
pub fn peak_moments(curves: &[PlotCurve], intervals: impl Iterator<Item = (i64, i64)>) -> Vec<i64> {
    let line = |curve: &PlotCurve| {
        let over = curve.end.map(|end| (end.saturating_add(1), 0.0));
        let positive = curve.points.iter().map(|(at, value)| (*at, value.max(0.0)));
        positive.chain(over).collect()
    };
    let lines: Vec<Vec<(i64, f64)>> = curves.iter().map(line).collect();
    let sum = PlotCurve {
        points: sum_gauges(lines.iter().map(Vec::as_slice)),
        ..PlotCurve::default()
    };
    let moment = |(from, to): (i64, i64)| {
        let middle = from.saturating_add(to.saturating_sub(from) / 2);
        let highest = sum.max_within(from, to);
        if highest.is_none_or(|highest| sum.at(middle).is_some_and(|sum| sum >= highest)) {
            return middle;
        }
        let first = sum.points.partition_point(|p| p.0 <= from);
        let inside = sum.points[first..].iter().take_while(|p| p.0 < to);
        let mut moments = std::iter::once(from).chain(inside.map(|p| p.0));
        { moments.find(|at| sum.at(*at) == highest) }.unwrap_or(middle)
    };
    intervals.map(moment).collect()
}

/// Values of a step function as points of a curve.
fn floats(steps: &StepFunction) -> Vec<(i64, f64)> {
    steps.points.iter().map(|p| (p.0, p.1 as f64)).collect()
}

/// Number of instances in each state over time, in the order of a stack, the lowest first.
pub fn state_curves(found: &Instances, states: &States) -> Vec<PlotCurve> {
    let tones = state_tones(found);
    let order = stacking_order(found, states).into_iter();
    let curve = |at: usize| PlotCurve {
        name: states.names[at].clone(),
        points: floats(&states.series[at]),
        tone: tones.get(at).copied().unwrap_or_default(),
        ..PlotCurve::default()
    };
    order.map(curve).collect()
}

/// Maximum number of groups with a curve of their own; all others share one.
const MAX_GROUPS: usize = 7;

/// Number of groups with a curve of their own; a single remaining group has one too.
pub fn drawn_groups(groups: usize) -> usize {
    match groups {
        n if n > MAX_GROUPS + 1 => MAX_GROUPS,
        n => n,
    }
}

/// Numbers of instances of the first groups over time; the others are drawn as one. `plural` names a group without a name.
pub fn group_curves(groups: &[(&str, &StepFunction)], plural: &str) -> Vec<PlotCurve> {
    let curve = |name: &str, points: Vec<(i64, f64)>| PlotCurve {
        name: name.to_owned(),
        points,
        ..PlotCurve::default()
    };
    let (own, rest) = groups.split_at(drawn_groups(groups.len()));
    let named = |(name, steps): &(&str, &StepFunction)| match *name {
        "" => curve(plural, floats(steps)),
        name => curve(name, floats(steps)),
    };
    let mut out: Vec<PlotCurve> = own.iter().map(named).collect();
    if !rest.is_empty() {
        let points: Vec<_> = rest.iter().map(|(_, steps)| floats(steps)).collect();
        let all = sum_gauges(points.iter().map(Vec::as_slice));
        out.push(curve(&format!("{} others", rest.len()), all));
    }
    out
}

/// Numbers of instances of the largest groups that finished in each part of `length` ns of a time range (UTC ns).
pub fn throughput_curves(data: &Throughput, range: (i64, i64), length: i64) -> Vec<PlotCurve> {
    let (range, parts) = round_parts(range, length);
    let curve = |curve: PlotCurve| {
        // The count is zero before the first end.
        let before = (range.0.saturating_sub(1), 0.0);
        let counter = PlotCurve {
            points: std::iter::once(before).chain(curve.points).collect(),
            kind: SeriesKind::Counter,
            ..curve
        };
        let mut counts = counter.binned(range, parts, BinAggregate::Max);
        let seconds = length as f64 / NS_PER_SECOND as f64;
        counts
            .points
            .iter_mut()
            .for_each(|p| p.1 = (p.1 * seconds).round());
        counts
    };
    let curves = group_curves(&data.largest_groups(), "finished").into_iter();
    curves.map(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_includes_the_value_before_it() {
        let course = PlotCurve {
            points: vec![(10, 4.0), (20, 1.0), (30, 9.0)],
            ..PlotCurve::default()
        };
        assert_eq!(course.max_within(0, 10), None);
        assert_eq!(course.max_within(0, 11), Some(4.0));
        assert_eq!(course.max_within(15, 25), Some(4.0));
        assert_eq!(course.min_within(15, 25), Some(1.0));
        assert_eq!(course.max_within(25, 30), Some(1.0));
        assert_eq!(course.max_within(99, 100), Some(9.0));
    }

    #[test]
    fn the_sum_of_curves_is_that_of_one_moment() {
        let curve = |points: &[(i64, f64)]| PlotCurve {
            points: points.to_vec(),
            ..PlotCurve::default()
        };
        // One curve falls as the other rises: both are never high at once.
        let both = [curve(&[(0, 9.0), (4, 0.0)]), curve(&[(6, 9.0), (7, 0.0)])];
        let ended = PlotCurve {
            end: Some(30),
            ..curve(&[(22, 1.0)])
        };
        let intervals = [(0, 10), (10, 20)].into_iter();
        assert_eq!(peak_moments(&both, intervals), [0, 15]);
        let intervals = [(5, 10), (20, 40)].into_iter();
        assert_eq!(peak_moments(&both, intervals), [6, 30]);
        assert_eq!(peak_moments(&[ended], [(24, 40)].into_iter()), [24]);
    }

    #[test]
    fn small_groups_share_a_curve() {
        let steps = |n: i64| StepFunction {
            points: (1..=n).map(|k| (k * 1_000_000_000, k)).collect(),
        };
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        let data = Throughput {
            groups: names.map(str::to_owned).to_vec(),
            finished: (1..=9).map(steps).collect(),
            times: Vec::new(),
        };
        let curves = throughput_curves(&data, (0, 9_000_000_000), 1_000_000_000);
        let names: Vec<&str> = curves.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["i", "h", "g", "f", "e", "d", "c", "2 others"]);
        assert_eq!(curves[7].points[1..4].iter().map(|p| p.1).sum::<f64>(), 3.0);
    }
}
