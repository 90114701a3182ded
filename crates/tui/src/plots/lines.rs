//! Line plots over time, drawn with braille (2 x 4 dots per cell), half blocks or ASCII letters.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, put, restyle};
use widetui_analysis::series::AxisScale;
use widetui_tables::drawing::Drawing;

use super::axis::draw_scale;
use super::member_styles::MemberStyles;
use widetui_report::figure::MAX_LINES;
use widetui_tables::plots::PlotCurve;
use widetui_tables::plots::TimeAxis;

/// Bits of the braille dots of a cell, by column and row.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Minimum and maximum of the drawn curves within the axis.
pub(crate) fn range(curves: &[PlotCurve], axis: &TimeAxis) -> (f64, f64) {
    let (from, to) = (axis.range.0, axis.range.1.saturating_add(1));
    let shown = || curves.iter().take(MAX_LINES);
    let least = shown()
        .filter_map(|c| c.min_within(from, to))
        .reduce(f64::min);
    let most = shown()
        .filter_map(|c| c.max_within(from, to))
        .reduce(f64::max);
    (least.unwrap_or(0.0), most.unwrap_or(0.0))
}

/// Draws the curves as step functions. Where curves cross, the first is on top.
pub(crate) fn draw(
    curves: &[PlotCurve],
    axis: &TimeAxis,
    area: Rect,
    (styles, scale): (MemberStyles<'_>, AxisScale),
    buf: &mut Buffer,
) {
    if area.height == 0 || axis.columns == 0 {
        return;
    }
    let (least, most) = range(curves, axis);
    let (low, high) = scale.axis_range(least, most);
    draw_scale(area, axis.left, (low, high), styles.theme, buf);
    if high <= low {
        return;
    }
    let needs_patterns = styles.has_patterns() && curves.len() > 1;
    let (across, down) = match (needs_patterns, styles.drawing) {
        (true, _) | (_, Drawing::Ascii) => (1, 1),
        (_, Drawing::Blocks) => (1, 2),
        (_, Drawing::Braille) => (2, 4),
    };
    let grid = (axis.columns * across, area.height * down);
    let row_of = |value: f64| {
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        ((1.0 - share) * f64::from(grid.1 - 1)).round() as u16
    };
    // The halves of a cell may belong to different curves.
    let mut halves = Halves::default();
    let shown = curves.iter().enumerate().take(MAX_LINES);
    for (member, curve) in shown.rev() {
        let style = styles.style(member, curve.tone);
        each_dot(curve, axis, (grid.0, across), row_of, |x, row| {
            let at = (axis.left + x / across, area.y + row / down);
            match down {
                1 => glyph(buf, at.0, at.1, styles.fill(member), style),
                2 => halves.set(at, row % 2, style),
                _ => {
                    let (x, row) = (usize::from(x % across), usize::from(row % down));
                    dot(buf, at, DOTS[x][row]);
                    restyle(buf, at.0, at.1, style);
                }
            }
        });
    }
    halves.draw(buf);
}

/// Calls `set` with column and row of each dot of a curve; the plot is `columns` dots wide,
/// `across` dots per column of the axis.
fn each_dot(
    curve: &PlotCurve,
    axis: &TimeAxis,
    (columns, across): (u16, u16),
    row_of: impl Fn(f64) -> u16,
    mut set: impl FnMut(u16, u16),
) {
    let mut before: Option<u16> = None;
    for x in 0..columns {
        let from = axis.time_at(u32::from(x), u32::from(across));
        let to = axis.time_at(u32::from(x) + 1, u32::from(across));
        let (Some(high), Some(low)) = (curve.max_within(from, to), curve.min_within(from, to))
        else {
            continue;
        };
        let (mut top, mut bottom) = (row_of(high), row_of(low));
        // A step is drawn as a vertical line.
        if let Some(before) = before {
            top = top.min(before);
            bottom = bottom.max(before);
        }
        before = curve.at(to.saturating_sub(1)).map(&row_of);
        (top..=bottom).for_each(|row| set(x, row));
    }
}

/// Upper and lower halves of cells, each with the style of its curve.
#[derive(Default)]
struct Halves {
    of: BTreeMap<(u16, u16), [Option<Style>; 2]>,
}

impl Halves {
    fn set(&mut self, at: (u16, u16), half: u16, style: Style) {
        self.of.entry(at).or_default()[usize::from(half)] = Some(style);
    }

    fn draw(&self, buf: &mut Buffer) {
        for ((x, y), halves) in &self.of {
            match *halves {
                [Some(top), Some(bottom)] if top == bottom => glyph(buf, *x, *y, "█", top),
                // The colour of the lower half becomes the background.
                [Some(top), Some(bottom)] => {
                    let both = Style {
                        bg: bottom.fg,
                        ..top
                    };
                    glyph(buf, *x, *y, "▀", both);
                }
                [Some(top), None] => glyph(buf, *x, *y, "▀", top),
                [None, Some(bottom)] => glyph(buf, *x, *y, "▄", bottom),
                [None, None] => {}
            }
        }
    }
}

/// Adds a braille dot to a cell.
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
    use crate::canvas::to_ratatui;
    use crate::colour::Depth;
    use crate::theme::Theme;

    fn drawn(theme: &str, drawing: Drawing) -> Vec<String> {
        let points = vec![(0, 0.0), (20, 4.0), (40, 2.0)];
        pictured(theme, drawing, points, AxisScale::FromZero)
    }

    fn pictured(
        theme: &str,
        drawing: Drawing,
        points: Vec<(i64, f64)>,
        scale: AxisScale,
    ) -> Vec<String> {
        let theme = Theme::named(theme, Depth::True).unwrap();
        let curves = [PlotCurve {
            points,
            ..PlotCurve::default()
        }];
        let axis = TimeAxis {
            range: (0, 80),
            left: 3,
            columns: 8,
        };
        let area = Rect::new(0, 0, 11, 3);
        let mut buf = Buffer::empty(to_ratatui(area));
        draw(
            &curves,
            &axis,
            area,
            (MemberStyles::new(&theme, drawing), scale),
            &mut buf,
        );
        let row = |y| (0..11).map(|x| buf[(x, y)].symbol()).collect::<String>();
        (0..3).map(row).collect()
    }

    #[test]
    fn a_measurement_far_from_zero_is_no_flat_line_and_the_axis_says_so() {
        let points = vec![(0, 16.0), (20, 16.2), (40, 16.1)];
        let of = |scale| {
            let lines = pictured("dark", Drawing::Ascii, points.clone(), scale);
            let picture = lines.iter().map(|l| l.chars().skip(3).collect::<String>());
            picture.collect::<Vec<_>>()
        };
        assert_eq!(
            of(AxisScale::Measured),
            ["  ###   ", "  # ####", "###     "]
        );
        assert_eq!(
            of(AxisScale::FromZero),
            ["########", "        ", "        "]
        );
    }

    #[test]
    fn a_number_is_a_level_and_a_change_a_step() {
        assert_eq!(
            drawn("dark", Drawing::Braille),
            [" 4┤  ⡏⠉⡇   ", "  │  ⡇ ⠧⠤⠤⠤", " 0┤⣀⣀⡇     "].map(|s| s.to_owned())
        );
        assert_eq!(
            drawn("dark", Drawing::Blocks),
            [" 4┤  █▀█   ", "  │  █ █▄▄▄", " 0┤▄▄█     "].map(|s| s.to_owned())
        );
        assert_eq!(
            drawn("dark", Drawing::Ascii),
            [" 4┤  ###   ", "  │  # ####", " 0┤###     "].map(|s| s.to_owned())
        );
    }
}
