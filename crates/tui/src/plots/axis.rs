//! Time axis shared by all plots over time: ticks, labels, cursor and time selection.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, put, restyle};
use crate::theme::Theme;
use widetui_tables::plots::TimeAxis;
use widetui_tables::role::Role;
use widetui_tables::text::width;
use widetui_time::time::{
    NS_PER_DAY, NS_PER_HOUR, NS_PER_MINUTE, NS_PER_SECOND, format_clock, format_date,
};
use widetui_time::timescale::{months, round_times};

/// Tick distances of a fixed length, ns.
const TICKS: &[i64] = &[
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    NS_PER_SECOND,
    2 * NS_PER_SECOND,
    5 * NS_PER_SECOND,
    10 * NS_PER_SECOND,
    20 * NS_PER_SECOND,
    30 * NS_PER_SECOND,
    NS_PER_MINUTE,
    2 * NS_PER_MINUTE,
    5 * NS_PER_MINUTE,
    10 * NS_PER_MINUTE,
    30 * NS_PER_MINUTE,
    NS_PER_HOUR,
    2 * NS_PER_HOUR,
    6 * NS_PER_HOUR,
    12 * NS_PER_HOUR,
    NS_PER_DAY,
    7 * NS_PER_DAY,
];

/// Tick distances in months, whose length varies.
const MONTHS: &[i64] = &[1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200];

/// Width of a label including blanks, in columns.
const LABEL: u16 = 13;

/// Draws ticks and labels below a plot. `offset` returns the UTC offset at a time, in seconds.
pub(crate) fn draw(
    axis: &TimeAxis,
    y: u16,
    theme: &Theme,
    offset: impl Fn(i64) -> i64,
    buf: &mut Buffer,
) {
    let (from, to) = axis.range;
    let span = to.saturating_sub(from);
    if span <= 0 || axis.columns == 0 {
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
    let Some(tick) = TICKS.iter().find(|t| span / **t <= most) else {
        let month = MONTHS[0].saturating_mul(30 * NS_PER_DAY);
        let step = MONTHS.iter().find(|n| span / month / **n <= most);
        let step = step.or(MONTHS.last()).copied().unwrap_or(1);
        for (at, text) in months(axis.range, step, offset) {
            mark(at, &text);
        }
        return;
    };
    let digits = match *tick {
        t if t >= NS_PER_SECOND => 0,
        t => (0..9).find(|d| t % 10i64.pow(9 - d) == 0).unwrap_or(9) as usize,
    };
    for at in round_times(axis.range, *tick, offset(from)) {
        let offset = offset(at);
        let text = if *tick >= NS_PER_DAY {
            format_date(at, offset)
        } else {
            format_clock(at, offset, digits)
        };
        mark(at, &text);
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
    let look = theme.style(Role::View);
    for column in from.min(to)..=from.max(to) {
        draw_symbol(buf, axis.left + column, y, "━", look);
    }
}

/// Draws a symbol on the axis; existing text stays and gets the style `look`.
pub(crate) fn draw_symbol(buf: &mut Buffer, x: u16, y: u16, symbol: &'static str, look: Style) {
    let is_free = buf
        .cell((x, y))
        .is_none_or(|c| matches!(c.symbol(), " " | "╵" | "·" | "─" | "━"));
    match is_free {
        true => glyph(buf, x, y, symbol, look),
        false => restyle(buf, x, y, look),
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

/// Draws the value scale of a plot: minimum at the bottom, maximum at the top, and a line.
pub(crate) fn draw_scale(
    area: Rect,
    left: u16,
    (least, most): (&str, &str),
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
    let top = crate::canvas::put_right(buf, area.x, end, area.y, most, style);
    if top < end {
        glyph(buf, left - 1, area.y, "┤", style);
    }
    if area.height > 1 {
        let bottom = area.bottom() - 1;
        crate::canvas::put_right(buf, area.x, end, bottom, least, style);
        glyph(buf, left - 1, bottom, "┤", style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::to_ratatui;

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
        draw(&axis, 0, &theme, |_| 0, &mut buf);
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
        draw(&axis, 0, &theme, |_| 0, &mut buf);
        let text = |buf: &Buffer| -> String { buf.content.iter().map(|c| c.symbol()).collect() };
        assert!(text(&buf).contains("╵00:00:00  "), "{}", text(&buf));
        draw_brush(&axis, (0, 30 * NS_PER_SECOND), 0, &theme, &mut buf);
        let drawn = text(&buf);
        assert!(drawn.contains("━00:00:00━━"), "{drawn}");
        // Where it lies over a label the look says so.
        assert_eq!(buf[(3, 0)].fg, buf[(0, 0)].fg);
    }
}
