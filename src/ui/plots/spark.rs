//! One row for one number over time: its name to the left, the picture, the number at the cursor and the greatest.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::ui::text::{glyph, put, put_right};
use crate::ui::theme::{Role, Theme};

use super::axis::TimeAxis;
use super::look::short;

const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// A row to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its name.
    pub title: &'a str,
    /// Its numbers by time; each holds until the next.
    pub points: &'a [(i64, f64)],
    /// The greatest of them.
    pub max: f64,
    /// Its look.
    pub look: Style,
}

/// Draws a row from column `left` to column `right`.
pub fn draw(
    row: Row<'_>,
    axis: &TimeAxis,
    cursor: Option<i64>,
    (left, right, y): (u16, u16, u16),
    theme: &Theme,
    buf: &mut Buffer,
) {
    let muted = theme.style(Role::Muted);
    let room = axis.left.saturating_sub(left + 1);
    put(buf, left, y, room, row.title, muted);
    let mut next = 0;
    let mut held: Option<f64> = None;
    for column in 0..axis.columns {
        let (_, to) = axis.stretch(column);
        let mut most = held;
        while let Some((time, value)) = row.points.get(next).copied() {
            if time >= to && column + 1 < axis.columns {
                break;
            }
            most = Some(most.map_or(value, |m: f64| m.max(value)));
            held = Some(value);
            next += 1;
        }
        let Some(value) = most.filter(|v| *v > 0.0) else {
            continue;
        };
        let level = (value / row.max.max(f64::MIN_POSITIVE) * 8.0).ceil();
        let level = (level as usize).clamp(1, 8) - 1;
        glyph(buf, axis.left + column, y, BARS[level], row.look);
    }
    let from = axis.left + axis.columns + 1;
    let most = format!("max {}", short(row.max));
    let end = put_right(buf, from, right, y, &most, muted);
    if let Some(time) = cursor {
        let after = row.points.partition_point(|p| p.0 <= time);
        let at = after.checked_sub(1).and_then(|at| row.points.get(at));
        let text = at.map_or("–".to_owned(), |p| short(p.1));
        let strong = theme.style(Role::Text);
        put_right(buf, from, end.saturating_sub(1), y, &text, strong);
    }
}
