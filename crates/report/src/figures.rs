//! Results of analyses as figures: plot, range and title of each.

use widetui_analysis::Instances;
use widetui_analysis::colour;
use widetui_analysis::flow::Flow;
use widetui_analysis::histogram::bins;
use widetui_analysis::latency::Latency;
use widetui_analysis::overview::Curve;
use widetui_analysis::plot_curve::{PlotCurve, state_curves, throughput_curves};
use widetui_analysis::scope::TimeWindow;
use widetui_analysis::series::{AxisScale, Series, SeriesKind, SeriesSpec};
use widetui_analysis::spans::Spans;
use widetui_analysis::states::States;
use widetui_analysis::timeline::Timeline;
use widetui_analysis::utilisation::{RateUnit, Throughput};
use widetui_time::zone::Zone;

use super::svg::{Figure, Panel, Plot, StepSummary};

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
}

impl FigureRange {
    /// Selected time range; open ends are replaced by the range of the data.
    fn range(&self, (first, last): (i64, i64)) -> (i64, i64) {
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
