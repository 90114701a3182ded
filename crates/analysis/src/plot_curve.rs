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
