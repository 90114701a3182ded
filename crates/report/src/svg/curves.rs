//! Lines, stacked areas and histograms.

use std::fmt::Write;

use widetui_analysis::colour::Tone;
use widetui_analysis::histogram::Bin;
use widetui_analysis::plot_curve::PlotCurve;
use widetui_analysis::series::{AxisScale, BinAggregate, SeriesKind, bins, borders};

use super::axes::{self, Frame};
use super::canvas::{Canvas, TOP, TextAnchor};
use super::{Figure, Panel, StackedPanel};

/// Height of the plot, pixels.
const HEIGHT: f64 = 340.0;

/// Height of a panel, pixels, and maximum number of its tick marks.
const PANEL: f64 = 90.0;
const PANEL_MARKS: f64 = 3.0;

/// Margin left of the plot, pixels.
const LEFT: f64 = 70.0;

/// Number of points above which a line is drawn by its peaks.
const MANY: usize = 4000;

/// Visible points of a line: the value at the left edge, and about one point per pixel.
fn visible(line: &PlotCurve, range: (i64, i64)) -> Vec<(i64, f64)> {
    let from = line.points.partition_point(|p| p.0 <= range.0);
    let to = line.points.partition_point(|p| p.0 <= range.1);
    let held = from.checked_sub(1).and_then(|at| line.points.get(at));
    let inside = line.points.get(from..to.max(from)).unwrap_or_default();
    if inside.len() <= MANY {
        let held = held.map(|p| (range.0, p.1));
        return held.into_iter().chain(inside.iter().copied()).collect();
    }
    let columns = MANY / 4;
    let values = bins(
        &line.points,
        SeriesKind::Gauge,
        BinAggregate::Max,
        range,
        columns,
    );
    let all = borders(range, columns).zip(values);
    all.filter_map(|(at, v)| Some((at, v?))).collect()
}

/// Numbers over time.
pub(super) fn lines(
    canvas: &mut Canvas,
    figure: &Figure<'_>,
    lines: &[PlotCurve],
    scale: AxisScale,
) {
    let frame = Frame::new(LEFT, HEIGHT, figure.range);
    let shown: Vec<Vec<(i64, f64)>> = lines.iter().map(|l| visible(l, figure.range)).collect();
    let values = || shown.iter().flatten().map(|p| p.1);
    let (least, most) = (values().reduce(f64::min), values().reduce(f64::max));
    let ends = scale.axis_range(least.unwrap_or(0.0), most.unwrap_or(0.0));
    let ends = axes::vertical(canvas, &frame, ends, &figure.unit);
    axes::times(canvas, figure, &frame);
    let colours = colours(canvas, lines);
    for (at, points) in shown.iter().enumerate() {
        let end = lines[at].end.unwrap_or(i64::MAX);
        line(canvas, &frame, ends, (points, end), &colours[at]);
    }
    let names = colours
        .into_iter()
        .zip(lines.iter().map(|l| l.name.as_str()));
    let end = canvas.legend(names.filter(|n| !n.1.is_empty()), LEFT, frame.y.1 + 54.0);
    canvas.ensure_height(end);
}

/// Colours of lines.
fn colours(canvas: &Canvas, curves: &[PlotCurve]) -> Vec<String> {
    let tones: Vec<Tone> = curves.iter().map(|c| c.tone).collect();
    (0..curves.len())
        .map(|at| canvas.theme.tone(&tones, at))
        .collect()
}

/// Draws a line; its last value holds until `until`, UTC ns, or to the right edge.
fn line(
    canvas: &mut Canvas,
    frame: &Frame,
    ends: (f64, f64),
    (points, until): (&[(i64, f64)], i64),
    colour: &str,
) {
    let mut path = String::new();
    for (n, (time, value)) in points.iter().enumerate() {
        let (x, y) = (frame.x_of(*time), frame.y_of(*value, ends));
        let _ = match n {
            0 => write!(path, "M{x:.1} {y:.1}"),
            _ => write!(path, "H{x:.1}V{y:.1}"),
        };
    }
    if !path.is_empty() {
        let last = points.last().map_or(until, |p| until.max(p.0));
        let _ = write!(path, "H{:.1}", frame.x_of(last));
        canvas.path(
            &path,
            &format!(r#"fill="none" stroke="{colour}" stroke-width="1.6""#),
        );
    }
}

/// Numbers over time in panels below each other.
pub(super) fn panels(canvas: &mut Canvas, figure: &Figure<'_>, panels: &[Panel]) {
    let (ink, mut top) = (canvas.theme.text_colour(), TOP + 8.0);
    let mut last = None;
    for panel in panels {
        let frame = Frame {
            y: (top + 14.0, top + 14.0 + PANEL),
            ..Frame::new(LEFT, PANEL, figure.range)
        };
        let points = visible(&panel.line, figure.range);
        let values = || points.iter().map(|p| p.1);
        let ends = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        let ends = axes::vertical_with(canvas, &frame, ends, PANEL_MARKS, "");
        let name = match panel.unit.as_str() {
            "" => panel.line.name.clone(),
            unit => format!("{} [{unit}]", panel.line.name),
        };
        canvas.text((LEFT, top + 4.0), &name, (12.0, ink), TextAnchor::Start);
        let colour = canvas.theme.plain();
        let end = panel.line.end.unwrap_or(i64::MAX);
        line(canvas, &frame, ends, (&points, end), colour);
        top = frame.y.1 + 22.0;
        last = Some(frame);
    }
    if let Some(frame) = last {
        axes::times(canvas, figure, &frame);
        canvas.ensure_height(frame.y.1 + 44.0);
    }
}

/// Counts over time as stacked areas.
pub(super) fn stacked(canvas: &mut Canvas, figure: &Figure<'_>, layers: &[PlotCurve]) {
    let frame = Frame::new(LEFT, HEIGHT, figure.range);
    let sums = stacked_sums(&frame, figure.range, layers);
    let ends = axes::vertical(canvas, &frame, (0.0, top(&sums)), &figure.unit);
    axes::times(canvas, figure, &frame);
    let colours = colours(canvas, layers);
    areas(canvas, (&frame, ends), (figure.range, &sums), &colours);
    let names = colours
        .into_iter()
        .zip(layers.iter().map(|l| l.name.as_str()));
    let end = canvas.legend(names, LEFT, frame.y.1 + 54.0);
    canvas.ensure_height(end);
}

/// Counts over time as stacked areas in panels below each other, on one scale; a name has one colour in all of them.
pub(super) fn stacked_panels(canvas: &mut Canvas, figure: &Figure<'_>, panels: &[StackedPanel]) {
    let mut names: Vec<&PlotCurve> = Vec::new();
    for layer in panels.iter().flat_map(|panel| &panel.layers) {
        if names.iter().all(|known| known.name != layer.name) {
            names.push(layer);
        }
    }
    let tones: Vec<Tone> = names.iter().map(|c| c.tone).collect();
    let theme = canvas.theme;
    let colour = |name: &str| {
        let at = names.iter().position(|known| known.name == name);
        theme.tone(&tones, at.unwrap_or_default())
    };
    let width = Frame::new(LEFT, PANEL, figure.range);
    let sums = panels.iter();
    let sums: Vec<_> = { sums }
        .map(|panel| stacked_sums(&width, figure.range, &panel.layers))
        .collect();
    let highest = sums.iter().map(|s| top(s)).fold(0.0, f64::max);
    let (ink, mut y, mut last) = (theme.text_colour(), TOP + 8.0, None);
    for (panel, sums) in panels.iter().zip(&sums) {
        let frame = Frame {
            y: (y + 14.0, y + 14.0 + PANEL),
            ..width
        };
        let ends = axes::vertical_with(canvas, &frame, (0.0, highest), PANEL_MARKS, "");
        canvas.text((LEFT, y + 4.0), &panel.name, (12.0, ink), TextAnchor::Start);
        let colours: Vec<String> = panel.layers.iter().map(|l| colour(&l.name)).collect();
        areas(canvas, (&frame, ends), (figure.range, sums), &colours);
        y = frame.y.1 + 22.0;
        last = Some(frame);
    }
    if let Some(frame) = last {
        axes::times(canvas, figure, &frame);
        let legend = names.iter().map(|c| (colour(&c.name), c.name.as_str()));
        let end = canvas.legend(legend, LEFT, frame.y.1 + 54.0);
        canvas.ensure_height(end);
    }
}

/// Moments of the columns of a frame.
fn moments(frame: &Frame, range: (i64, i64)) -> Vec<i64> {
    let columns = ((frame.x.1 - frame.x.0) as usize).max(1);
    borders(range, columns).collect()
}

/// Sums of the layers up to each, at the moments of the frame; the first are zeros. All layers have the same moments, so that they add up.
fn stacked_sums(frame: &Frame, range: (i64, i64), layers: &[PlotCurve]) -> Vec<Vec<f64>> {
    let moments = moments(frame, range);
    let mut sums: Vec<Vec<f64>> = vec![vec![0.0; moments.len()]];
    for layer in layers {
        let below = &sums[sums.len() - 1];
        let value = |at: &i64| layer.at(*at).unwrap_or_default().max(0.0);
        let above = below.iter().zip(&moments).map(|(b, at)| b + value(at));
        let above = above.collect();
        sums.push(above);
    }
    sums
}

/// Maximum of stacked sums.
fn top(sums: &[Vec<f64>]) -> f64 {
    let highest = sums.last().into_iter().flatten().copied();
    highest.fold(0.0, f64::max)
}

/// Draws stacked sums as areas.
fn areas(
    canvas: &mut Canvas,
    (frame, ends): (&Frame, (f64, f64)),
    (range, sums): ((i64, i64), &[Vec<f64>]),
    colours: &[String],
) {
    let moments = moments(frame, range);
    let columns = moments.len().saturating_sub(1);
    for (at, pair) in sums.windows(2).enumerate() {
        let mut path = String::new();
        let mut last = None;
        for (c, sum) in pair[1].iter().enumerate() {
            let (x, y) = (frame.x_of(moments[c]), frame.y_of(*sum, ends));
            let _ = match c {
                0 => write!(path, "M{x:.1} {y:.1}"),
                _ if last == Some(*sum) && c < columns => continue,
                _ => write!(path, "H{x:.1}V{y:.1}"),
            };
            last = Some(*sum);
        }
        let mut last = None;
        for (c, sum) in pair[0].iter().enumerate().rev() {
            if last == Some(*sum) {
                continue;
            }
            // Backwards the horizontal line comes before the step: a value holds up to the next one.
            let right = frame.x_of(moments[(c + 1).min(columns)]);
            let _ = write!(path, "H{right:.1}V{:.1}", frame.y_of(*sum, ends));
            last = Some(*sum);
        }
        let _ = write!(path, "H{:.1}", frame.x.0);
        let colour = &colours[at];
        canvas.path(
            &format!("{path}Z"),
            &format!(r#"fill="{colour}" fill-opacity="0.85""#),
        );
    }
}

/// Histogram of durations.
pub(super) fn histogram(canvas: &mut Canvas, figure: &Figure<'_>, bins: &[Bin]) {
    let first = bins.first().map_or(0, |b| b.lower);
    let last = bins.last().map_or(1, |b| b.upper);
    let frame = Frame::new(LEFT, HEIGHT, (first, last));
    let top = bins.iter().map(|b| b.count).max().unwrap_or(1) as f64;
    let ends = axes::vertical(canvas, &frame, (0.0, top), &figure.unit);
    axes::durations(canvas, &frame);
    let colour = canvas.theme.plain();
    for bin in bins.iter().filter(|b| b.count > 0) {
        let (left, right) = (frame.x_of(bin.lower), frame.x_of(bin.upper));
        let y = frame.y_of(bin.count as f64, ends);
        let tip = format!(
            "{} to {}: {}",
            widetui_time::time::format_span(bin.lower),
            widetui_time::time::format_span(bin.upper),
            bin.count
        );
        let width = (right - left - 1.0).max(0.5);
        canvas.rect((left, y), (width, frame.y.1 - y), colour, &tip);
    }
    canvas.ensure_height(frame.y.1 + 40.0);
}
