//! Summary below a timeline with few rows: legend with count and duration of each colour.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, put, put_right};
use crate::plots::gantt::sign;
use crate::plots::{MemberStyles, stacked};
use crate::views::rule;
use widetui_report::figure::{ColourDurations, Gantt};
use widetui_tables::plots::TimeAxis;
use widetui_tables::role::Role;
use widetui_tables::text::{grouped, width};
use widetui_time::time::format_span;

use widetui_app::view_plots::time_at_cursor;

/// Headings of the numbers, with their minimum widths including the gap. `summed` exceeds the
/// elapsed time where bars overlap.
const HEADS: [(&str, u16); 4] = [("n", 8), ("mean", 11), ("longest", 11), ("summed", 11)];
/// Gap between two numbers, in columns.
const GAP: u16 = 2;
/// Maximum width of a name, in columns.
const NAME: u16 = 40;

/// Minimum and maximum height of the plot of concurrency, in rows.
pub(super) const PICTURE: (u16, u16) = (4, 16);

/// Draws the number of concurrent bars below the rows, on the same time axis, if the legend leaves
/// room. Returns the remaining area.
pub(super) fn at_once(
    model: &Scene<'_>,
    gantt: &Gantt,
    axis: &TimeAxis,
    area: Rect,
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) -> Rect {
    let told = gantt.legend.len() as u16 + 3;
    let lines = area.height.saturating_sub(told + 1).min(PICTURE.1);
    let most = stacked::peak(&gantt.concurrency, axis);
    // A concurrency of 0 or 1 is visible in the timeline itself.
    if lines < PICTURE.0 || most < 2.0 {
        return area;
    }
    let line = Rect::new(area.x, area.y, area.width, 1);
    rule::line(model, line, buf);
    let x = rule::title(model, line, "how many at once", Role::Title, buf);
    let now = time_at_cursor(model).map(|t| {
        let sum: f64 = gantt.concurrency.iter().filter_map(|c| c.at(t)).sum();
        let (sum, most) = (grouped(sum as u64), grouped(most as u64));
        let sum = format!("{sum} at the cursor, at most {most}");
        match &gantt.capacity {
            Some(line) => {
                let could = grouped(line.at(t).unwrap_or(0.0) as u64);
                format!(" {sum} · ─ {} {could} ", line.name)
            }
            None => format!(" {sum} "),
        }
    });
    let style = model.theme.style(Role::Title);
    let now = now.unwrap_or_default();
    put_right(buf, x, area.right() - 1, area.y, &now, style);
    let picture = Rect::new(area.x, area.y + 1, area.width, lines);
    let (curves, line) = (&gantt.concurrency, gantt.capacity.as_ref());
    stacked::draw(curves, line, axis, picture, styles, buf);
    let used = lines + 1;
    Rect::new(area.x, area.y + used, area.width, area.height - used)
}

/// Draws the summary if line, heading and some rows have room; returns whether it did.
pub(super) fn draw(
    model: &Scene<'_>,
    gantt: &Gantt,
    area: Rect,
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) -> bool {
    let kinds = gantt.legend.len().min(gantt.durations.len());
    let room = usize::from(area.height).saturating_sub(2);
    if kinds == 0 || room < kinds.min(3) {
        return false;
    }
    let widest = { gantt.legend.iter() }.map(|(name, _)| width(name) as u16);
    let names = widest.max().unwrap_or(0).clamp(8, NAME);
    let told = gantt.legend.iter().zip(&gantt.durations);
    let told: Vec<[String; 4]> = told.map(numbers).collect();
    let mut columns = HEADS.map(|h| h.1);
    for (nth, own) in columns.iter_mut().enumerate() {
        let widest = told.iter().map(|row| width(&row[nth]) as u16).max();
        *own = (*own).max(widest.unwrap_or(0) + GAP);
    }
    let numbers: u16 = columns.iter().sum();
    if area.width < names + numbers + 5 {
        return false;
    }
    let muted = model.theme.style(Role::Muted);
    let line = Rect::new(area.x, area.y, area.width, 1);
    rule::line(model, line, buf);
    rule::title(model, line, "what took how long", Role::Title, buf);
    let cells = |texts: [&str; 4], y: u16, role: Role, buf: &mut Buffer| {
        let mut from = area.x + 4 + names;
        for (text, columns) in texts.iter().zip(columns) {
            put_right(buf, from, from + columns, y, text, model.theme.style(role));
            from += columns;
        }
    };
    cells(HEADS.map(|h| h.0), area.y + 1, Role::Muted, buf);
    // If not all colours fit, the last row says so.
    let shown = if kinds > room { room - 1 } else { kinds };
    for (at, y) in (0..shown).zip(area.y + 2..) {
        let (name, _) = &gantt.legend[at];
        let (symbol, look) = sign(gantt, at, styles);
        glyph(buf, area.x + 2, y, symbol, look);
        let text = model.theme.style(Role::Text);
        put(buf, area.x + 4, y, names, name, text);
        let row = told[at].each_ref().map(String::as_str);
        cells(row, y, Role::Text, buf);
    }
    if shown < kinds {
        let text = format!("and {} more", grouped((kinds - shown) as u64));
        put(buf, area.x + 4, area.bottom() - 1, area.width, &text, muted);
    }
    true
}

/// Numbers of a colour, in the order of `HEADS`.
fn numbers(((_, count), took): (&(String, u64), &ColourDurations)) -> [String; 4] {
    let mean = took.total / i64::try_from((*count).max(1)).unwrap_or(i64::MAX);
    [
        grouped(*count),
        format_span(mean),
        format_span(took.longest),
        format_span(took.total),
    ]
}
