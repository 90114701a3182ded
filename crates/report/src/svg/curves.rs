//! Lines and stacked areas, in panels below each other.

use std::fmt::Write;

use widetui_analysis::plot_curve::PlotCurve;
use widetui_analysis::series::{AxisScale, BinAggregate, SeriesKind, bins, borders};

use super::axes::{self, Frame};
use super::canvas::{Canvas, TOP, TextAnchor};
use super::{Notes, Times};
use crate::figure::{CurveStyle, Curves, tones};

/// Height of a plot and maximum number of its tick marks: of a single one, and of one among others.
const SINGLE: (f64, f64) = (340.0, 6.0);
const PANEL: (f64, f64) = (90.0, 3.0);

/// Margin left of the plot, pixels.
const LEFT: f64 = 70.0;

/// Number of points above which a line is drawn by its peaks.
const MANY: usize = 4000;

/// Maximum number of lines in a panel.
const LINES: usize = 40;

/// Marks of a panel with the values that they are drawn by.
enum Marks {
    /// Visible points of each line, and the end of its last value.
    Lines(Vec<Vec<(i64, f64)>>),
    /// Sums of the layers up to each, at the moments of the frame; the first are zeros.
    Areas(Vec<Vec<f64>>),
}

/// Draws curves.
pub(super) fn draw(canvas: &mut Canvas, times: &Times<'_>, curves: &Curves) -> Notes {
    let curves = &*curves.grown(times.range);
    let legend = curves.by_name();
    let (tones, theme) = (tones(&legend), canvas.theme);
    let is_single = curves.panels.len() == 1;
    let (height, most) = if is_single { SINGLE } else { PANEL };
    let mut top = if is_single { TOP } else { TOP + 22.0 };
    let wide = Frame::new(LEFT, height, times.range);
    let marks = curves.panels.iter().map(|panel| match curves.style {
        CurveStyle::Areas => Marks::Areas(stacked_sums(&wide, &panel.curves)),
        CurveStyle::Lines(_) => {
            let shown = panel.curves.iter().take(LINES);
            Marks::Lines(shown.map(|line| visible(line, times.range)).collect())
        }
    });
    let marks: Vec<Marks> = marks.collect();
    let highest = marks.iter().map(highest).fold(0.0, f64::max);
    let mut last = None;
    for (panel, marks) in curves.panels.iter().zip(&marks) {
        let frame = Frame {
            y: (top, top + height),
            ..wide
        };
        let ends = match (curves.style, marks) {
            (CurveStyle::Lines(scale), Marks::Lines(lines)) => line_ends(scale, lines),
            _ => (0.0, highest),
        };
        let (unit, name) = match (is_single, panel.unit.as_str()) {
            (true, "") => (&*panel.name, String::new()),
            (true, unit) => (unit, String::new()),
            (false, "") => ("", panel.name.clone()),
            (false, unit) => ("", format!("{} [{unit}]", panel.name)),
        };
        let ends = axes::vertical(canvas, &frame, ends, most, unit);
        let ink = theme.palette().text;
        canvas.text((LEFT, top - 10.0), &name, (12.0, ink), TextAnchor::Start);
        let colour = |curve: &PlotCurve| {
            let at = legend.iter().position(|known| known.name == curve.name);
            theme.tone(&tones, at.unwrap_or_default())
        };
        // Curves of one panel may have one name.
        let colours: Vec<String> = match (curves.style, is_single) {
            (_, true) => (0..tones.len()).map(|at| theme.tone(&tones, at)).collect(),
            (CurveStyle::Areas, false) => panel.curves.iter().map(colour).collect(),
            (CurveStyle::Lines(_), false) => {
                vec![theme.palette().hues[0].to_owned(); panel.curves.len()]
            }
        };
        axes::time_grid(canvas, times, &frame);
        match marks {
            Marks::Areas(sums) => areas(canvas, (&frame, ends), sums, &colours),
            Marks::Lines(lines) => {
                for ((points, curve), colour) in lines.iter().zip(&panel.curves).zip(&colours) {
                    let end = curve.end.unwrap_or(i64::MAX);
                    // A single line from zero is easier to see as an area.
                    let is_filled = lines.len() == 1 && ends.0 == 0.0;
                    line(canvas, &frame, ends, (points, end), (colour, is_filled));
                }
            }
        }
        top = frame.y.1 + 36.0;
        last = Some(frame);
    }
    let Some(frame) = last else {
        return Notes::new();
    };
    axes::times(canvas, times, &frame);
    let is_named = is_single || curves.style == CurveStyle::Areas;
    let names = legend
        .iter()
        .enumerate()
        .filter(|(_, c)| is_named && !c.name.is_empty());
    let names = names.map(|(at, c)| (theme.tone(&tones, at), c.name.as_str()));
    let end = canvas.legend(names, LEFT, frame.y.1 + 54.0);
    canvas.ensure_height(end);
    Notes::new()
}

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
    let (gauge, peak) = (SeriesKind::Gauge, BinAggregate::Max);
    let values = bins(&line.points, gauge, peak, range, columns);
    let all = borders(range, columns).zip(values);
    all.filter_map(|(at, v)| Some((at, v?))).collect()
}

/// Ends of the vertical axis of lines.
fn line_ends(scale: AxisScale, lines: &[Vec<(i64, f64)>]) -> (f64, f64) {
    let values = || lines.iter().flatten().map(|p| p.1);
    let (least, most) = (values().reduce(f64::min), values().reduce(f64::max));
    scale.axis_range(least.unwrap_or(0.0), most.unwrap_or(0.0))
}

/// Maximum of stacked sums.
fn highest(marks: &Marks) -> f64 {
    let Marks::Areas(sums) = marks else {
        return 0.0;
    };
    let highest = sums.last().into_iter().flatten().copied();
    highest.fold(0.0, f64::max)
}

/// Draws a line; its last value holds until `until`, UTC ns, or to the right edge.
fn line(
    canvas: &mut Canvas,
    frame: &Frame,
    ends: (f64, f64),
    (points, until): (&[(i64, f64)], i64),
    (colour, is_filled): (&str, bool),
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
        if is_filled {
            let start = points.first().map_or(frame.x.0, |p| frame.x_of(p.0));
            let area = format!("{path}V{:.1}H{start:.1}Z", frame.y.1);
            canvas.path(&area, &format!(r#"fill="{colour}" fill-opacity="0.2""#));
        }
        let stroke = format!(r#"fill="none" stroke="{colour}" stroke-width="1.6""#);
        canvas.path(&path, &stroke);
    }
}

/// Moments of the columns of a frame.
fn moments(frame: &Frame) -> Vec<i64> {
    let columns = ((frame.x.1 - frame.x.0) as usize).max(1);
    borders(frame.range, columns).collect()
}

/// Sums of the layers up to each, at the moments of the frame; the first are zeros. All layers have the same moments, so that they add up.
fn stacked_sums(frame: &Frame, layers: &[PlotCurve]) -> Vec<Vec<f64>> {
    let moments = moments(frame);
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

/// Draws stacked sums as areas.
fn areas(
    canvas: &mut Canvas,
    (frame, ends): (&Frame, (f64, f64)),
    sums: &[Vec<f64>],
    colours: &[String],
) {
    let moments = moments(frame);
    let columns = moments.len().saturating_sub(1);
    for (pair, colour) in sums.windows(2).zip(colours) {
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
        let _ = write!(path, "H{:.1}Z", frame.x.0);
        canvas.path(&path, &format!(r#"fill="{colour}" fill-opacity="0.85""#));
    }
}
