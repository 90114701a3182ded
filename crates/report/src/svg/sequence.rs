//! A sequence diagram: actors side by side, time going down.

use widetui_analysis::flow::Arrow;
use widetui_time::time::format_clock;

use super::canvas::{self, Canvas, TOP, TextAnchor, WIDTH, shortened};
use super::{Notes, Times};
use crate::figure::{ArrowClass, Sequence};

/// Maximum number of arrows; a note counts the others.
const ARROWS: usize = 300;

/// Maximum number of actors.
const ACTORS: usize = 24;

/// Width of times, pixels.
const LEFT: f64 = 90.0;

/// Distance between two moments, pixels.
const STEP: f64 = 13.0;

/// Draws the messages that leave or arrive within the range of the image.
pub(super) fn draw(canvas: &mut Canvas, times: &Times<'_>, sequence: &Sequence) -> Notes {
    let (from, to) = times.range;
    let inside = |a: &&Arrow| {
        let arrives = a.arrives.or(a.leaves).unwrap_or(a.time());
        arrives.max(a.time()) >= from && a.time() <= to
    };
    let all: Vec<&Arrow> = sequence.arrows.iter().filter(inside).collect();
    let shown = all.get(..ARROWS).unwrap_or(&all);
    let mut actors = sequence.chosen(shown.iter().copied(), ACTORS);
    actors.retain(|actor| shown.iter().any(|a| a.tail == *actor || a.head == *actor));
    let width = (WIDTH - LEFT - 40.0) / actors.len().max(1) as f64;
    let x = |actor: Option<u32>| {
        let at = actors.iter().position(|a| *a == actor)?;
        Some(LEFT + width * (at as f64 + 0.5))
    };
    // Moments are evenly spaced: the order is visible, times are in the text.
    let moments = shown.iter().flat_map(|a| [a.leaves, a.arrives]);
    let mut moments: Vec<i64> = moments.flatten().collect();
    moments.sort_unstable();
    moments.dedup();
    let top = TOP + 34.0;
    let y = |time: i64| {
        let at = moments.binary_search(&time).unwrap_or_else(|at| at);
        top + STEP * (at as f64 + 0.5)
    };
    let bottom = top + STEP * moments.len() as f64 + 8.0;
    let palette = canvas.theme.palette();
    let (ink, faint, grid) = (palette.text, palette.faint, palette.grid);
    let letters = ((width / 6.6) as usize).max(4);
    for (at, actor) in actors.iter().enumerate() {
        let x = LEFT + width * (at as f64 + 0.5);
        canvas.line((x, top - 8.0), (x, bottom), grid, r#" stroke-width="2""#);
        let name = shortened(sequence.flow.actor(*actor), letters);
        // Alternate heights make room for the names of adjacent actors.
        let name_y = TOP + if at % 2 == 0 { 4.0 } else { 18.0 };
        canvas.text((x, name_y), &name, (11.0, ink), TextAnchor::Middle);
    }
    let mut written = f64::MIN;
    for time in &moments {
        if y(*time) - written >= STEP * 2.0 {
            let text = format_clock(*time, times.zone.offset_at_utc(*time), 3);
            let at = (LEFT - 12.0, y(*time) + 4.0);
            canvas.text(at, &text, (10.0, faint), TextAnchor::End);
            written = y(*time);
        }
    }
    for arrow in shown {
        draw_arrow(canvas, sequence, arrow, (&x, &y));
    }
    canvas.ensure_height(bottom + 14.0);
    let mut notes = vec!["solid: message".to_owned(), "dashed: answer".to_owned()];
    notes.push("✕: lost".to_owned());
    if shown.len() < all.len() {
        let more = all.len() - shown.len();
        notes.push(format!("{more} more arrows are not shown"));
    }
    notes
}

type Places<'p> = (
    &'p dyn Fn(Option<u32>) -> Option<f64>,
    &'p dyn Fn(i64) -> f64,
);

fn draw_arrow(canvas: &mut Canvas, sequence: &Sequence, arrow: &Arrow, (x, y): Places<'_>) {
    let (Some(from), Some(to), Some(message)) =
        (x(arrow.tail), x(arrow.head), sequence.message(arrow))
    else {
        return;
    };
    let (Some(leaves), Some(arrives)) = (
        arrow.leaves.or(arrow.arrives).map(y),
        arrow.arrives.or(arrow.leaves).map(y),
    ) else {
        return;
    };
    let alarm = canvas.theme.palette().alarm;
    let class = Sequence::class(arrow, message);
    let is_lost = class == ArrowClass::Lost;
    let colour = match class {
        ArrowClass::Lost => alarm,
        ArrowClass::Answer => canvas.theme.palette().hues[2],
        ArrowClass::Message => canvas.theme.palette().hues[0],
    };
    let dash = match arrow.is_answer {
        true => r#" stroke-dasharray="5 3""#,
        false => "",
    };
    let end = match is_lost {
        true => ((from + to) / 2.0, leaves),
        false => (to, arrives),
    };
    if (from - to).abs() < 1.0 && !is_lost {
        // A message to its own sender.
        let path = format!("M{from:.1} {leaves:.1}h22V{arrives:.1}h-18");
        canvas.path(&path, &format!(r#"fill="none" stroke="{colour}""#));
    } else {
        canvas.line((from, leaves), end, colour, dash);
    }
    if is_lost {
        canvas.text((end.0, end.1 + 4.0), "✕", (13.0, alarm), TextAnchor::Middle);
    } else {
        // The head points along the arrow.
        let (dx, dy) = (end.0 - from, end.1 - leaves);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        let (ux, uy) = match (from - to).abs() < 1.0 {
            true => (-1.0, 0.0),
            false => (dx / length, dy / length),
        };
        let (bx, by) = (end.0 - 8.0 * ux, end.1 - 8.0 * uy);
        let (px, py) = (3.5 * uy, 3.5 * ux);
        let (tip, left, right) = (end, (bx - px, by + py), (bx + px, by - py));
        let path = canvas::triangle(tip, left, right);
        canvas.path(&path, &format!(r#"fill="{colour}""#));
    }
    let label = shortened(sequence.label(arrow, message), 28);
    if !label.is_empty() {
        let middle = ((from + end.0) / 2.0, (leaves + end.1) / 2.0 - 3.0);
        let ink = canvas.theme.palette().text;
        canvas.text(middle, &label, (10.0, ink), TextAnchor::Middle);
    }
}
