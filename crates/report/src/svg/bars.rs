//! Horizontal bars in groups below each other.

use super::Notes;
use super::axes::{self, Frame};
use super::canvas::{Canvas, TOP, TextAnchor, shortened, width};
use crate::figure::{BarMark, BarRow, Bars};

/// Greatest width of the names of bars in pixels, and in characters.
const LEFT: f64 = 420.0;
const NAME: usize = 62;

/// Height of a row, pixels.
const ROW: f64 = 18.0;

/// Maximum number of rows of a group; a note counts the others.
const ROWS: usize = 80;

/// Height of the title of a group, and of an axis, pixels.
const TITLE: f64 = 22.0;
const AXIS: f64 = 26.0;

/// Draws groups of bars.
pub(super) fn draw(canvas: &mut Canvas, groups: &[Bars]) -> Notes {
    let mut top = TOP;
    let mut notes = Notes::new();
    for group in groups.iter().filter(|group| !group.rows.is_empty()) {
        if !group.title.is_empty() {
            let at = (16.0, top + 10.0);
            let ink = canvas.theme.palette().text;
            canvas.text(at, &group.title, (12.0, ink), TextAnchor::Start);
            top += TITLE;
        }
        let rows = group.folded(ROWS);
        if rows.len() < group.rows.len() {
            notes.push(format!("the first {ROWS} of {}", group.rows.len()));
        }
        top = draw_group(canvas, group, &rows, top) + 16.0;
    }
    let is_spread = |row: &BarRow| matches!(row.mark, BarMark::Spread(_));
    if groups.iter().flat_map(|g| &g.rows).any(is_spread) {
        let spread =
            "thick: to the median; thin: to the 95th percentile; line: to the maximum; mark: mean";
        notes.push(spread.to_owned());
    }
    canvas.ensure_height(top + 4.0);
    notes
}

/// Draws rows from `top` down, and returns the bottom of their axis.
fn draw_group(canvas: &mut Canvas, group: &Bars, rows: &[BarRow], top: f64) -> f64 {
    let names = { rows.iter() }.map(|row| width(&shortened(&row.name, NAME), 11.0));
    let left = names.fold(60.0, f64::max).min(LEFT) + 24.0;
    let texts = rows.iter().map(|row| width(&row.text, 11.0));
    let texts = texts.fold(0.0, f64::max);
    let most = rows.iter().map(|row| match row.mark {
        BarMark::Length(length) => length,
        BarMark::Spread(_) => 1.0,
    });
    let most = most.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let longest = group.longest.unwrap_or(1).max(1);
    let bottom = top + ROW * rows.len() as f64;
    let mut frame = Frame::new(left, 0.0, (0, longest));
    frame.y = (top, bottom);
    frame.x.1 -= texts + 8.0;
    let theme = canvas.theme;
    let (ink, faint) = (theme.palette().text, theme.palette().faint);
    let room = frame.x.1 - frame.x.0;
    for (at, row) in rows.iter().enumerate() {
        let top = top + ROW * at as f64;
        let middle = top + ROW / 2.0 + 4.0;
        canvas.line((frame.x.0, top), (frame.x.1, top), theme.palette().grid, "");
        let name = shortened(&row.name, NAME);
        canvas.text((left - 8.0, middle), &name, (11.0, ink), TextAnchor::End);
        let tip = format!("{}: {}", row.name, row.text);
        let x = |share: f64| frame.x.0 + share.clamp(0.0, 1.0) * room;
        let mut bar = |to: f64, high: f64, colour: &str| {
            let size = ((x(to) - frame.x.0).max(0.5), high);
            canvas.rect((frame.x.0, top + (ROW - high) / 2.0), size, colour, &tip);
        };
        let end = match row.mark {
            BarMark::Length(length) if length <= 0.0 => 0.0,
            BarMark::Length(length) => {
                bar(length / most, 11.0, theme.palette().hues[0]);
                length / most
            }
            BarMark::Spread(s) => {
                bar(s.max, 2.0, faint);
                bar(s.p95, 6.0, theme.palette().pale);
                bar(s.p50, 10.0, theme.palette().hues[0]);
                let mean = x(s.mean);
                let (from, to) = ((mean, top + 3.0), (mean, top + ROW - 3.0));
                canvas.line(from, to, ink, r#" stroke-width="2""#);
                s.max
            }
        };
        let at = (x(end) + 8.0, middle);
        canvas.text(at, &row.text, (11.0, faint), TextAnchor::Start);
    }
    match group.longest {
        Some(_) => {
            axes::durations(canvas, &frame);
            bottom + AXIS
        }
        None => bottom,
    }
}
