//! Durations of steps: bars to the median, the 95th percentile and the maximum.

use widetui_time::time::format_span;

use super::StepSummary;
use super::axes::{self, Frame};
use super::canvas::{Canvas, TOP, TextAnchor, shortened};

/// Width of the names of steps in pixels, and in characters.
const LEFT: f64 = 420.0;
const NAME: usize = 62;

/// Height of a row, pixels.
const ROW: f64 = 18.0;

/// Draws steps in their order.
pub(super) fn steps(canvas: &mut Canvas, steps: &[StepSummary]) {
    let longest = steps.iter().map(|s| s.took.max).fold(0.0, f64::max);
    let least = steps.iter().map(|s| s.took.p50).fold(0.0, f64::min);
    let frame = Frame::new(
        LEFT,
        ROW * steps.len() as f64,
        (least.floor() as i64, longest.ceil().max(1.0) as i64),
    );
    axes::durations(canvas, &frame);
    let theme = canvas.theme;
    let (ink, faint, grid) = (theme.text_colour(), theme.faint(), theme.grid());
    let say = |ns: f64| format_span(ns.round() as i64);
    for (at, step) in steps.iter().enumerate() {
        let top = TOP + ROW * at as f64;
        let middle = top + ROW / 2.0 + 4.0;
        canvas.line((frame.x.0, top), (frame.x.1, top), grid, "");
        let colour = if step.share < 0.05 { faint } else { ink };
        let name = shortened(&step.name, NAME);
        canvas.text((LEFT - 8.0, middle), &name, (11.0, colour), TextAnchor::End);
        let t = &step.took;
        let tip = format!(
            "{}: mean {}, p50 {}, p95 {}, max {}, n = {}",
            step.name,
            say(t.mean),
            say(t.p50),
            say(t.p95),
            say(t.max),
            t.count
        );
        let x = |ns: f64| frame.x_of(ns.round() as i64);
        let bars = [
            (t.max, 2.0, faint),
            (t.p95, 6.0, theme.pale()),
            (t.p50, 10.0, theme.plain()),
        ];
        for (to, high, colour) in bars {
            let (from, to) = (x(0.0).min(x(to)), x(0.0).max(x(to)));
            let y = top + (ROW - high) / 2.0;
            canvas.rect((from, y), ((to - from).max(0.5), high), colour, &tip);
        }
        let mean = x(t.mean);
        canvas.line(
            (mean, top + 3.0),
            (mean, top + ROW - 3.0),
            ink,
            r#" stroke-width="2""#,
        );
    }
    let note =
        "thick: to the median; thin: to the 95th percentile; line: to the maximum; mark: mean";
    let end = frame.y.1 + 42.0;
    canvas.text((16.0, end), note, (11.0, faint), TextAnchor::Start);
    canvas.ensure_height(end + 14.0);
}
