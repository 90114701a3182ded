//! Axes: round tick marks, and pixels of values.

use widetui_core::words::{grouped, several};
use widetui_time::timescale::{TimeTick, duration_ticks};

use super::canvas::{Canvas, Palette, TOP, TextAnchor, WIDTH};
use super::{TimeOrigin, Times};

/// Margin right of the plot, pixels.
const RIGHT: f64 = 20.0;

/// Area of a plot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Left and right edge, pixels.
    pub(crate) x: (f64, f64),
    /// Top and bottom edge, pixels.
    pub(crate) y: (f64, f64),
    /// Values at the left and right edge.
    pub(crate) range: (i64, i64),
}

impl Frame {
    /// Frame with a height, and a margin at the left.
    pub(super) fn new(left: f64, height: f64, range: (i64, i64)) -> Frame {
        Frame {
            x: (left, WIDTH - RIGHT),
            y: (TOP, TOP + height),
            range,
        }
    }

    /// Pixel of a moment, or of another number on the horizontal axis.
    pub(super) fn x_of(&self, at: i64) -> f64 {
        let width = self.range.1 as f64 - self.range.0 as f64;
        let part = match width > 0.0 {
            true => (at as f64 - self.range.0 as f64) / width,
            false => 0.0,
        };
        self.x.0 + part.clamp(0.0, 1.0) * (self.x.1 - self.x.0)
    }

    /// Pixel of a value between zero (or `low` if that is below) and `high`.
    pub(super) fn y_of(&self, value: f64, (low, high): (f64, f64)) -> f64 {
        let height = (high - low).max(f64::MIN_POSITIVE);
        self.y.1 - (value - low) / height * (self.y.1 - self.y.0)
    }
}

/// Step of 1, 2 or 5 times a power of ten, of which `span` has at most `most`.
fn round_step(span: f64, most: f64) -> f64 {
    if !(span > 0.0 && span.is_finite()) {
        return 1.0;
    }
    let raw = span / most;
    let tens = 10f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|f| f * tens >= raw * 0.999);
    factor.unwrap_or(10.0) * tens
}

/// Tick marks of the vertical axis, at most `most`, with grid lines; returns the values at its ends.
pub(super) fn vertical(
    canvas: &mut Canvas,
    frame: &Frame,
    (low, top): (f64, f64),
    most: f64,
    unit: &str,
) -> (f64, f64) {
    let step = round_step(top - low, most);
    let ends = (
        (low / step).floor() * step,
        (top / step).ceil().max((low / step).floor() + 1.0) * step,
    );
    let Palette { grid, faint, .. } = *canvas.theme.palette();
    // Numbers near the limit of floats have no round tick marks.
    let ends = (ends.0.max(f64::MIN / 4.0), ends.1.min(f64::MAX / 4.0));
    let number = (((ends.1 - ends.0) / step).round() as i64).clamp(0, 20);
    for at in 0..=number {
        let value = ends.0 + at as f64 * step;
        let y = frame.y_of(value, ends);
        canvas.line((frame.x.0, y), (frame.x.1, y), grid, "");
        let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
        let text = match step >= 1.0 {
            true => {
                let sign = if value <= -0.5 { "-" } else { "" };
                format!("{sign}{}", grouped(value.round().abs() as u64))
            }
            false => format!("{value:.digits$}"),
        };
        let at = (frame.x.0 - 8.0, y + 4.0);
        canvas.text(at, &text, (11.0, faint), TextAnchor::End);
    }
    let at = (frame.x.0 - 44.0, frame.y.0 - 8.0);
    canvas.text(at, unit, (11.0, faint), TextAnchor::Start);
    ends
}

/// Maximum number of steps between tick marks of a horizontal axis.
const TICKS: i64 = 9;

/// Grid lines of times within a plot.
pub(super) fn time_grid(canvas: &mut Canvas, times: &Times<'_>, frame: &Frame) {
    let grid = canvas.theme.palette().grid;
    for tick in times.ticks(frame) {
        let x = frame.x_of(tick.time);
        canvas.line((x, frame.y.0), (x, frame.y.1), grid, "");
    }
}

/// Tick marks of time below the plot, the date where it changes, and the origin of the times above it.
pub(super) fn times(canvas: &mut Canvas, times: &Times<'_>, frame: &Frame) {
    let faint = canvas.theme.palette().faint;
    let mut last = None;
    let mut below = |x: f64, y: f64, text: &str| {
        let at = (x, frame.y.1 + y);
        canvas.text(at, text, (11.0, faint), TextAnchor::Middle);
    };
    for tick in times.ticks(frame) {
        let x = frame.x_of(tick.time);
        below(x, 16.0, &tick.label);
        if let Some(date) = tick.date.filter(|date| last.as_ref() != Some(date)) {
            below(x, 30.0, &date);
            last = Some(date);
        }
    }
    let origin = match times.origin {
        TimeOrigin::Clock => times.zone.to_string(),
        TimeOrigin::RunStart { left_out: 0 } => "since the start of each run".to_owned(),
        TimeOrigin::RunStart { left_out } => format!(
            "since the start of each run; of no run: {}",
            several(left_out, "group")
        ),
    };
    let at = (frame.x.1, TOP - 8.0);
    canvas.text(at, &origin, (11.0, faint), TextAnchor::End);
}

impl Times<'_> {
    /// Tick marks, round in the zone of the image.
    fn ticks(&self, frame: &Frame) -> Vec<TimeTick> {
        let offset = |at| self.zone.offset_at_utc(at);
        self.origin.ticks(frame.range, TICKS, offset)
    }
}

/// Tick marks of durations below the plot, ns.
pub(super) fn durations(canvas: &mut Canvas, frame: &Frame) {
    let faint = canvas.theme.palette().faint;
    for tick in duration_ticks(frame.range, TICKS) {
        let x = frame.x_of(tick.time);
        canvas.line((x, frame.y.1), (x, frame.y.1 + 4.0), faint, "");
        let at = (x, frame.y.1 + 18.0);
        canvas.text(at, &tick.label, (11.0, faint), TextAnchor::Middle);
    }
}
