//! Time axis shared by all plots over time: ticks, labels, cursor and time selection.

use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, put, put_right, restyle};
use crate::theme::Theme;
use widetui_report::figure::TimeOrigin;
use widetui_tables::plots::TimeAxis;
use widetui_tables::plots::number::distinct_pair;
use widetui_tables::role::Role;
use widetui_tables::text::width;

/// Width of a label including blanks, in columns.
const LABEL: u16 = 13;

/// Draws ticks and labels below a plot. `offset` returns the UTC offset at a time, in seconds.
pub(crate) fn draw(
    axis: &TimeAxis,
    origin: TimeOrigin,
    y: u16,
    theme: &Theme,
    offset: impl Fn(i64) -> i64,
    buf: &mut Buffer,
) {
    if axis.columns == 0 {
        return;
    }
    let style = theme.style(Role::Axis);
    let most = i64::from((axis.columns / LABEL).max(1));
    let end = axis.left + axis.columns;
    let mut free = axis.left;
    let mut mark = |at: i64, text: &str| {
        let x = axis.left + axis.column_of(at);
        if x >= free && x + (width(text) as u16) < end {
            glyph(buf, x, y, "╵", style);
            free = put(buf, x + 1, y, end - x - 1, text, style) + 2;
        }
    };
    let mut date = None;
    for tick in origin.ticks(axis.range, most, offset) {
        // The first mark of another day has its date; at midnight, the time goes without saying.
        let is_other_day = date.is_some() && tick.date.is_some() && tick.date != date;
        let label = match tick.date.as_ref().filter(|_| is_other_day) {
            Some(date) if tick.label.trim_start_matches(['0', ':', '.']).is_empty() => date.clone(),
            Some(date) => format!("{} {}", date.get(5..).unwrap_or(date), tick.label),
            None => tick.label,
        };
        date = tick.date;
        mark(tick.time, &label);
    }
}

/// Draws the time selection on the axis.
pub(crate) fn draw_brush(
    axis: &TimeAxis,
    brush: (i64, i64),
    y: u16,
    theme: &Theme,
    buf: &mut Buffer,
) {
    let (from, to) = (axis.column_of(brush.0), axis.column_of(brush.1));
    let style = theme.style(Role::View);
    for x in axis.left + from.min(to)..=axis.left + from.max(to) {
        let is_free = buf
            .cell((x, y))
            .is_none_or(|c| matches!(c.symbol(), " " | "╵" | "·" | "─" | "━"));
        // Labels stay, in the style of the selection.
        match is_free {
            true => glyph(buf, x, y, "━", style),
            false => restyle(buf, x, y, style),
        }
    }
}

/// Draws the time cursor on the axis.
pub(crate) fn draw_cursor(axis: &TimeAxis, time: i64, y: u16, theme: &Theme, buf: &mut Buffer) {
    if axis.columns > 0 && axis.contains(time) {
        let x = axis.left + axis.column_of(time);
        // Labels stay legible.
        let is_free = buf
            .cell((x, y))
            .is_some_and(|c| matches!(c.symbol(), " " | "─" | "╵" | "━"));
        if is_free {
            glyph(buf, x, y, "▲", theme.style(Role::Marker));
        }
    }
}

/// Height from which on a scale has a label in its middle, rows.
const WITH_MIDDLE: u16 = 9;

/// Draws the value scale of a plot: minimum at the bottom, maximum at the top, and a line.
pub(crate) fn draw_scale(
    area: Rect,
    left: u16,
    (low, high): (f64, f64),
    theme: &Theme,
    buf: &mut Buffer,
) {
    let style = theme.style(Role::Axis);
    if area.height == 0 || left <= area.x {
        return;
    }
    for y in area.top()..area.bottom() {
        glyph(buf, left - 1, y, "│", style);
    }
    let end = left - 1;
    let mut label = |y: u16, text: &str| {
        if put_right(buf, area.x, end, y, text, style) < end {
            glyph(buf, left - 1, y, "┤", style);
        }
    };
    let (bottom, top) = distinct_pair(low, high);
    label(area.y, &top);
    if area.height >= WITH_MIDDLE && high > low {
        // At the upper edge of its row, as the top.
        let middle = distinct_pair(low, (low + high) / 2.0).1;
        label(area.y + area.height / 2, &middle);
    }
    if area.height > 1 {
        label(area.bottom() - 1, &bottom);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::to_ratatui;
    use widetui_time::time::NS_PER_SECOND;

    #[test]
    fn an_axis_may_end_with_the_last_time_there_is() {
        let theme = Theme::named("dark", crate::colour::Depth::True).unwrap();
        let area = Rect::new(0, 0, 60, 1);
        let mut buf = Buffer::empty(to_ratatui(area));
        let range = (i64::MAX - 7 * NS_PER_SECOND, i64::MAX);
        let axis = TimeAxis {
            range,
            left: 0,
            columns: 60,
        };
        draw(&axis, TimeOrigin::Clock, 0, &theme, |_| 0, &mut buf);
        let text: String = buf.content.iter().map(|c| c.symbol()).collect();
        assert!(text.contains("23:47:12"), "{text}");
    }

    #[test]
    fn what_is_written_on_an_axis_is_read_under_a_brush() {
        let theme = Theme::named("dark", crate::colour::Depth::True).unwrap();
        let area = Rect::new(0, 0, 40, 1);
        let mut buf = Buffer::empty(to_ratatui(area));
        let axis = TimeAxis {
            range: (0, 60 * NS_PER_SECOND),
            left: 0,
            columns: 40,
        };
        draw(&axis, TimeOrigin::Clock, 0, &theme, |_| 0, &mut buf);
        let text = |buf: &Buffer| -> String { buf.content.iter().map(|c| c.symbol()).collect() };
        assert!(text(&buf).contains("╵00:00:00  "), "{}", text(&buf));
        draw_brush(&axis, (0, 30 * NS_PER_SECOND), 0, &theme, &mut buf);
        let drawn = text(&buf);
        assert!(drawn.contains("━00:00:00━━"), "{drawn}");
        // Where it lies over a label the look says so.
        assert_eq!(buf[(3, 0)].fg, buf[(0, 0)].fg);
    }
}
