//! Results of analyses as figures: plot, range and title of each.

use widetui_analysis::Instances;
use widetui_analysis::colour;
use widetui_analysis::dag::DrawnDag;
use widetui_analysis::flow::Flow;
use widetui_analysis::histogram::bins;
use widetui_analysis::latency::Latency;
use widetui_analysis::overview::Curve;
use widetui_analysis::plot_curve::{PlotCurve, group_curves, state_curves, throughput_curves};
use widetui_analysis::scope::TimeWindow;
use widetui_analysis::series::{AxisScale, Series, SeriesKind, SeriesSpec};
use widetui_analysis::spans::Spans;
use widetui_analysis::states::{StateGroup, States};
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::timeline::Timeline;
use widetui_analysis::utilisation::{RateUnit, Throughput};
use widetui_time::zone::Zone;

use super::dot;
use super::svg::{DagStates, Figure, Panel, Plot, StackedPanel, StepSummary, Theme, TimeOrigin};

/// Maximum number of lines of a series in a figure; the lines with most points are drawn.
const LINES: usize = 40;

/// Maximum number of bins of a histogram.
const BINS: usize = 60;

/// Maximum number of steps in a figure.
const STEPS: usize = 80;

/// Time range of a figure, and the zone of its times.
#[derive(Clone, Debug)]
pub struct FigureRange {
    /// Selected time range.
    pub window: TimeWindow,
    /// Zone.
    pub zone: Zone,
    /// Name of the run in titles; may be empty.
    pub run: String,
    /// Origin of the times.
    pub origin: TimeOrigin,
}

impl FigureRange {
    /// Selected time range; open ends are replaced by the range of the data.
    fn range(&self, (first, last): (i64, i64)) -> (i64, i64) {
        if self.origin == TimeOrigin::RunStart {
            return (0, last);
        }
        let TimeWindow { since, until } = self.window;
        (since.unwrap_or(first), until.unwrap_or(last))
    }

    fn figure<'a>(
        &self,
        title: String,
        unit: &str,
        plot: Plot<'a>,
        range: (i64, i64),
    ) -> Figure<'a> {
        Figure {
            title,
            run: self.run.clone(),
            unit: unit.to_owned(),
            plot,
            range,
            zone: self.zone.clone(),
            origin: self.origin,
        }
    }
}

/// Curve to draw: a counter as its growth.
fn in_range(curve: PlotCurve, range: (i64, i64)) -> PlotCurve {
    match curve.kind {
        SeriesKind::Gauge => curve,
        SeriesKind::Counter => curve.rate(range),
    }
}

/// Number over time, or `None` without points.
pub fn series(found: &Series, spec: &SeriesSpec, when: &FigureRange) -> Option<Figure<'static>> {
    let range = when.range(found.range()?);
    let lines: Vec<PlotCurve> = found
        .lines_by_maximum()
        .into_iter()
        .take(LINES)
        .map(|line| {
            let curve = PlotCurve {
                name: line.name(),
                points: line.point_pairs(),
                kind: spec.kind,
                end: line.run_end,
                ..PlotCurve::default()
            };
            in_range(curve, range)
        })
        .collect();
    let unit = match spec.kind {
        SeriesKind::Gauge => spec.unit.clone(),
        SeriesKind::Counter => format!("{}/s", spec.unit),
    };
    let mut title = spec.title.clone();
    if title != spec.key {
        title = format!("{title} ({})", spec.key);
    }
    if found.lines.len() > LINES {
        title.push_str(&format!(", {LINES} of {} lines", found.lines.len()));
    }
    Some(when.figure(
        title,
        &unit,
        Plot::Lines(lines, AxisScale::for_series(found, spec)),
        range,
    ))
}

/// Number of instances in each state over time; `end` is the end of the data, UTC ns. `None` without reported states.
pub fn states(
    found: &Instances,
    result: &States,
    end: Option<i64>,
    when: &FigureRange,
) -> Option<Figure<'static>> {
    let starts = result.series.iter().filter_map(|s| s.points.first());
    let first = starts.map(|p| p.0).min()?;
    let range = when.range((first, end.unwrap_or(first)));
    let entity = &found.entity;
    let layers = state_curves(found, result);
    let title = format!("{} by state", entity.plural());
    Some(when.figure(title, &entity.plural(), Plot::Stacked(layers), range))
}

/// Number of instances in each state over time, a panel for each group; `starts` are the starts of runs (UTC ns) if times count
/// from there. `None` without reported states.
pub fn states_by(
    found: &Instances,
    groups: &[StateGroup],
    (end, starts): (Option<i64>, impl Fn(&str) -> Option<i64>),
    when: &FigureRange,
) -> Option<Figure<'static>> {
    let panel = |group: &StateGroup| StackedPanel {
        name: match group.name.as_str() {
            "" => "(none)".to_owned(),
            name => name.to_owned(),
        },
        layers: { state_curves(found, &group.states).into_iter() }
            .map(|curve| match starts(&group.name) {
                Some(start) => curve.from_start(start),
                None => curve,
            })
            .collect(),
    };
    let panels: Vec<StackedPanel> = groups.iter().map(panel).collect();
    let curves = || panels.iter().flat_map(|panel| &panel.layers);
    let range = curve_range(curves(), end, when)?;
    let title = format!("{} by state", found.entity.plural());
    Some(when.figure(title, "", Plot::StackedPanels(panels), range))
}

/// Range of curves, to the end of the data (UTC ns) or, from the starts of runs, to their last point; `None` without points.
fn curve_range<'c>(
    curves: impl Iterator<Item = &'c PlotCurve> + Clone,
    end: Option<i64>,
    when: &FigureRange,
) -> Option<(i64, i64)> {
    let first = curves.clone().filter_map(|c| c.points.first());
    let first = first.map(|p| p.0).min()?;
    let last = curves.filter_map(|c| c.points.last());
    let last = last.map(|p| p.0).max()?;
    Some(when.range((first, end.unwrap_or(last).max(last))))
}

/// Numbers of instances of a group over time.
#[derive(Clone, Copy, Debug)]
pub struct GroupCounts<'a> {
    /// Name; may be empty.
    pub name: &'a str,
    /// Start of the run, UTC ns, if times count from there.
    pub start: Option<i64>,
    /// Numbers.
    pub steps: &'a StepFunction,
}

/// Numbers of instances of groups over time: how many run at once as areas on one another, or from the starts of runs as
/// lines. `None` without points.
pub fn counts(
    (title, plural): (&str, &str),
    groups: &[GroupCounts<'_>],
    end: Option<i64>,
    when: &FigureRange,
) -> Option<Figure<'static>> {
    let curves = match when.origin {
        TimeOrigin::Clock => {
            let groups: Vec<(&str, &StepFunction)> =
                groups.iter().map(|g| (g.name, g.steps)).collect();
            group_curves(&groups, plural)
        }
        TimeOrigin::RunStart => {
            let each = groups.iter().filter_map(|group| {
                let curve = group_curves(&[(group.name, group.steps)], plural).pop()?;
                Some(curve.from_start(group.start?))
            });
            each.collect()
        }
    };
    let end = end.filter(|_| when.origin == TimeOrigin::Clock);
    let range = curve_range(curves.iter(), end, when)?;
    let plot = match when.origin {
        TimeOrigin::Clock => Plot::Stacked(curves),
        TimeOrigin::RunStart => Plot::Lines(curves, AxisScale::default()),
    };
    Some(when.figure(title.to_owned(), plural, plot, range))
}

/// States of the instances of a graph and their colours.
fn dag_states(found: &Instances) -> DagStates {
    DagStates {
        names: found.states.clone(),
        tones: colour::state_tones(found),
    }
}

/// Graph of dependencies.
pub fn dag<'a>(found: &Instances, drawn: &'a DrawnDag, when: &FigureRange) -> Figure<'a> {
    let title = dag_title(found, drawn);
    when.figure(title, "", Plot::Dag(drawn, dag_states(found)), (0, 1))
}

/// Graph of dependencies for GraphViz.
pub fn dag_as_dot(found: &Instances, drawn: &DrawnDag, theme: Theme) -> String {
    let (title, states) = (dag_title(found, drawn), dag_states(found));
    dot::render(&title, drawn, &states, theme)
}

/// Title of a graph of dependencies.
fn dag_title(found: &Instances, drawn: &DrawnDag) -> String {
    let (n, plural) = (drawn.instances, found.entity.plural());
    format!("Dependencies of {n} {plural}, {} levels", drawn.levels)
}

/// Timeline: bars in rows, grouped by `by`. `None` without bars.
pub fn timeline<'a>(
    found: &Instances,
    data: &'a Timeline,
    by: Option<&str>,
    when: &FigureRange,
) -> Option<Figure<'a>> {
    let range = when.range(data.range?);
    let title = match by {
        None => found.entity.plural(),
        Some(by) => format!("{} by {by}", found.entity.plural()),
    };
    Some(when.figure(
        title,
        "",
        Plot::Gantt(data, colour::timeline_tones(found, data)),
        range,
    ))
}

/// Number of finished instances per second, or per longer unit of time; `end` is the end of the data, UTC ns. `None` if none
/// finished.
pub fn throughput(
    plural: &str,
    data: &Throughput,
    end: Option<i64>,
    when: &FigureRange,
) -> Option<Figure<'static>> {
    let (first, last) = (*data.times.first()?, *data.times.last()?);
    let range = when.range((first, end.unwrap_or(last)));
    let pace = RateUnit::for_rate(data.times.len(), last.saturating_sub(first));
    // A growing count starts at zero.
    let layers = throughput_curves(data, range.0.saturating_sub(1), pace).into_iter();
    let layers = layers.map(|curve| in_range(curve, range)).collect();
    let unit = format!("{plural} per {}", pace.name);
    Some(when.figure(
        format!("{plural} finished per {}", pace.name),
        &unit,
        Plot::Stacked(layers),
        range,
    ))
}

/// Histogram of durations, or `None` without ends.
pub fn durations(plural: &str, spans: &Spans, when: &FigureRange) -> Option<Figure<'static>> {
    let durations = spans.durations();
    if durations.is_empty() {
        return None;
    }
    let title = format!("Durations of {} {plural}", durations.len());
    let plot = Plot::Histogram(bins(&durations, BINS));
    Some(when.figure(title, plural, plot, (0, 1)))
}

/// Durations of steps, or `None` without steps.
pub fn latency(found: &Instances, data: &Latency, when: &FigureRange) -> Option<Figure<'static>> {
    let step = |row: &widetui_analysis::latency::StepLatency| {
        let name = match row.occurrence {
            1 => row.template.clone(),
            n => format!("{} ({n})", row.template),
        };
        Some(StepSummary {
            name,
            share: row.share,
            took: row.step?,
        })
    };
    let steps: Vec<StepSummary> = data.rows.iter().filter_map(step).collect();
    if steps.is_empty() {
        return None;
    }
    let plural = found.entity.plural();
    let mut title = format!("Steps of {} {plural}", data.instances);
    if steps.len() > STEPS {
        title.push_str(&format!(": the first {STEPS} of {}", steps.len()));
    }
    let steps = steps.into_iter().take(STEPS).collect();
    Some(when.figure(title, "", Plot::Steps(steps), (0, 1)))
}

/// Sequence diagram of messages, or `None` without messages.
pub fn flow<'a>(found: &'a Flow, when: &FigureRange) -> Option<Figure<'a>> {
    let arrows = found.arrows();
    let times = arrows.iter().flat_map(|a| [a.leaves, a.arrives]).flatten();
    let (first, last) = (times.clone().min()?, times.max()?);
    let n = found.messages.len();
    let title = match found.kinds.as_slice() {
        [one] => format!("{one}: {n} messages"),
        _ => format!("{n} messages"),
    };
    let range = when.range((first, last));
    Some(when.figure(title, "", Plot::Sequence(found), range))
}

/// Curves in panels below each other; `data` is the range of the data. `None` without curves.
pub fn curves(curves: &[Curve], data: (i64, i64), when: &FigureRange) -> Option<Figure<'static>> {
    let range = when.range(data);
    let panel = |curve: &Curve| {
        let line = PlotCurve {
            name: curve.label(),
            points: curve.points.to_vec(),
            kind: curve.kind,
            ..PlotCurve::default()
        };
        let unit = match (curve.kind, curve.unit.as_str()) {
            (SeriesKind::Counter, unit) => format!("{unit}/s"),
            (SeriesKind::Gauge, unit) => unit.to_owned(),
        };
        Panel {
            unit,
            line: in_range(line, range),
        }
    };
    let panels: Vec<Panel> = curves.iter().map(panel).collect();
    let title = match panels.as_slice() {
        [] => return None,
        [one] => one.line.name.clone(),
        _ => "Over time".to_owned(),
    };
    Some(when.figure(title, "", Plot::Panels(panels), range))
}
