//! Numbers over time as lines: dots of braille, two to a column and four to a row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::text::{glyph, put, restyle};

use super::Course;
use super::axis::{TimeAxis, draw_scale};
use super::look::{Looks, short};

/// Lines drawn at once; more cannot be told apart.
pub const MOST: usize = 8;

/// Dots of a cell, by column and row, as braille numbers them.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// The greatest number of the first lines on the axis.
pub fn peak(courses: &[Course], axis: &TimeAxis) -> f64 {
    let most = |c: &Course| c.most(axis.range.0, axis.range.1.saturating_add(1));
    let shown = courses.iter().take(MOST);
    shown.filter_map(most).fold(0.0, f64::max)
}

/// Draws them as steps: a number holds until the next one. Where lines cross, the first stays on top.
pub fn draw(courses: &[Course], axis: &TimeAxis, area: Rect, looks: Looks<'_>, buf: &mut Buffer) {
    if area.height == 0 || axis.columns == 0 {
        return;
    }
    let peak = peak(courses, axis);
    draw_scale(area, axis.left, &short(peak), looks.theme, buf);
    if peak <= 0.0 {
        return;
    }
    let (across, down) = if looks.has_patterns() { (1, 1) } else { (2, 4) };
    let rows = usize::from(area.height) * down;
    let columns = usize::from(axis.columns) * across;
    let row_of = |value: f64| {
        let share = (value / peak).clamp(0.0, 1.0);
        ((1.0 - share) * (rows - 1) as f64).round() as usize
    };
    let shown = courses.iter().enumerate().take(MOST);
    for (member, course) in shown.rev() {
        let mut before: Option<usize> = None;
        for x in 0..columns {
            let from = axis.time_at(x as i64, across as i64);
            let to = axis.time_at(x as i64 + 1, across as i64);
            let (Some(high), Some(low)) = (course.most(from, to), course.least(from, to)) else {
                continue;
            };
            let (mut top, mut bottom) = (row_of(high), row_of(low));
            // A step is a line from the number before to this one.
            if let Some(before) = before {
                top = top.min(before);
                bottom = bottom.max(before);
            }
            before = course.at(to.saturating_sub(1)).map(row_of);
            let at = (axis.left + (x / across) as u16, x % across);
            for row in top..=bottom {
                let y = area.y + (row / down) as u16;
                let style = looks.style(member, course.is_bad);
                if down == 1 {
                    glyph(buf, at.0, y, looks.fill(member), style);
                } else {
                    dot(buf, (at.0, y), DOTS[at.1][row % down]);
                    restyle(buf, at.0, y, style);
                }
            }
        }
    }
}

/// Adds a dot to a cell.
fn dot(buf: &mut Buffer, (x, y): (u16, u16), dot: u8) {
    let Some(cell) = buf.cell((x, y)) else {
        return;
    };
    let known = cell.symbol().chars().next().map_or(0, u32::from);
    let known = known.checked_sub(0x2800).filter(|d| *d < 0x100);
    let code = 0x2800 + (known.unwrap_or(0) | u32::from(dot));
    if let Some(symbol) = char::from_u32(code) {
        let style = cell.style();
        put(buf, x, y, 1, symbol.encode_utf8(&mut [0; 4]), style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::colour::Depth;
    use crate::ui::theme::Theme;

    fn drawn(theme: &str, ascii: bool) -> Vec<String> {
        let theme = Theme::named(theme, Depth::True).unwrap();
        let courses = [Course {
            points: vec![(0, 0.0), (20, 4.0), (40, 2.0)],
            ..Course::default()
        }];
        let axis = TimeAxis {
            range: (0, 80),
            left: 3,
            columns: 8,
        };
        let area = Rect::new(0, 0, 11, 3);
        let mut buf = Buffer::empty(area);
        draw(&courses, &axis, area, Looks::new(&theme, ascii), &mut buf);
        let row = |y| (0..11).map(|x| buf[(x, y)].symbol()).collect::<String>();
        (0..3).map(row).collect()
    }

    #[test]
    fn a_number_is_a_level_and_a_change_a_step() {
        assert_eq!(
            drawn("dark", false),
            [" 4┤  ⡏⠉⡇   ", "  │  ⡇ ⠧⠤⠤⠤", " 0┤⣀⣀⡇     "].map(|s| s.to_owned())
        );
        assert_eq!(
            drawn("dark", true),
            [" 4┤  ###   ", "  │  # ####", " 0┤###     "].map(|s| s.to_owned())
        );
    }
}
