//! Sparkline: one row for one quantity over time, with title, value at the cursor and maximum.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::canvas::{glyph, put, put_right};
use crate::theme::Theme;
use widetui_tables::drawing::height;
use widetui_tables::role::Role;

use widetui_tables::plots::TimeAxis;
use widetui_tables::plots::number::short;

/// Data of a sparkline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SparkRow<'a> {
    /// Title on the left.
    pub(crate) title: &'a str,
    /// Value per column of the axis; `None` before the first value.
    pub(crate) columns: &'a [Option<f64>],
    /// Value at the time cursor.
    pub(crate) now: Option<f64>,
    /// Style.
    pub(crate) look: Style,
}

/// Draws a sparkline from column `left` to column `right`.
pub(crate) fn draw(
    row: SparkRow<'_>,
    axis: &TimeAxis,
    (left, right, y): (u16, u16, u16),
    theme: &Theme,
    buf: &mut Buffer,
) {
    let muted = theme.style(Role::Muted);
    let room = axis.left.saturating_sub(left + 1);
    put(buf, left, y, room, row.title, muted);
    let values = row.columns.iter().flatten();
    let most = values.copied().fold(0.0, f64::max);
    for (column, value) in (0..axis.columns).zip(row.columns) {
        let Some(value) = value.filter(|v| *v > 0.0) else {
            continue;
        };
        let bar = height(value / most.max(f64::MIN_POSITIVE));
        glyph(buf, axis.left + column, y, bar, row.look);
    }
    let from = axis.left + axis.columns + 1;
    let most = format!("max {}", short(most));
    let end = put_right(buf, from, right, y, &most, muted);
    let now = row.now.map_or("–".to_owned(), short);
    let strong = theme.style(Role::Text);
    put_right(buf, from, end.saturating_sub(1), y, &now, strong);
}
