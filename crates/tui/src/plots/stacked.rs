//! Stacked area plots over time.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::{glyph, restyle};
use widetui_tables::drawing::{Drawing, HEIGHTS};
use widetui_tables::role::Role;

use super::axis::draw_scale;
use super::member_styles::MemberStyles;
use widetui_analysis::plot_curve::peak_moments;
use widetui_report::figure::tones;
use widetui_tables::plots::TimeAxis;
use widetui_tables::plots::{PlotCurve, Tone};

/// Maximum of the sum of all curves within the axis.
pub(crate) fn peak(curves: &[PlotCurve], axis: &TimeAxis) -> f64 {
    let sums = heights(curves, axis).map(|values| values.iter().sum::<f64>());
    sums.fold(0.0, f64::max)
}

/// Values of the curves in each column, all at the moment at which their sum is highest there.
fn heights(curves: &[PlotCurve], axis: &TimeAxis) -> impl Iterator<Item = Vec<f64>> {
    let intervals = (0..axis.columns).map(|column| axis.interval_of(column));
    let moments = peak_moments(curves, intervals).into_iter();
    moments.map(|moment| {
        let value = |curve: &PlotCurve| curve.at(moment).unwrap_or(0.0).max(0.0);
        curves.iter().map(value).collect()
    })
}

/// Draws the areas, the first at the bottom, and a line that marks the capacity where they are below it.
pub(crate) fn draw(
    curves: &[PlotCurve],
    line: Option<&PlotCurve>,
    axis: &TimeAxis,
    area: Rect,
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) {
    if area.height == 0 || axis.columns == 0 {
        return;
    }
    let line = line.map_or(&[][..], std::slice::from_ref);
    let peak = peak(line, axis).max(peak(curves, axis));
    draw_scale(area, axis.left, (0.0, peak), styles.theme, buf);
    draw_areas(peak, curves, axis, area, styles, buf);
    let style = styles.theme.style(Role::Text);
    for (column, values) in (0..axis.columns).zip(heights(line, axis)) {
        let height: f64 = values.iter().sum();
        if height <= 0.0 {
            continue;
        }
        let rows = (height / peak * f64::from(area.height)).round();
        let row = (rows as u16).clamp(1, area.height);
        let (x, y) = (axis.left + column, area.bottom() - row);
        // At full capacity the area hides the line.
        if buf.cell((x, y)).is_some_and(|c| c.symbol() == " ") {
            glyph(buf, x, y, "─", style);
        }
    }
}

/// Draws the areas on a scale from zero to `peak`, without the scale.
pub(crate) fn draw_areas(
    peak: f64,
    curves: &[PlotCurve],
    axis: &TimeAxis,
    area: Rect,
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) {
    if peak <= 0.0 {
        return;
    }
    let eighths = f64::from(area.height) * 8.0;
    let tones = tones(curves);
    for (column, values) in (0..axis.columns).zip(heights(curves, axis)) {
        // Upper end of each area, in eighths of a row from the bottom.
        let mut sum = 0.0;
        let ends: Vec<u32> = values
            .iter()
            .map(|h| {
                sum += h;
                (sum / peak * eighths).round() as u32
            })
            .collect();
        let x = axis.left + column;
        for row in 0..area.height {
            let y = area.bottom() - 1 - row;
            cell(&tones, &ends, u32::from(row) * 8, (x, y), styles, buf);
        }
        // A failure that is lower than a row still has one.
        let failures = (0..ends.len()).filter(|at| tones[*at] == Tone::Failure);
        for at in failures.filter(|at| values[*at] > 0.0) {
            let start = at.checked_sub(1).map_or(0, |before| ends[before]);
            if ends[at] - start < 16 {
                let row = ((start + ends[at]) / 16).min(u32::from(area.height) - 1);
                let (fill, style) = (
                    styles.fill_for_tones(&tones, at),
                    styles.style(at, tones[at]),
                );
                glyph(buf, x, area.bottom() - 1 - row as u16, fill, style);
            }
        }
    }
}

/// Draws one cell: the area with the largest share, and the one above it.
fn cell(
    tones: &[Tone],
    ends: &[u32],
    bottom: u32,
    (x, y): (u16, u16),
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) {
    let share = |at: usize| {
        let start = at.checked_sub(1).and_then(|b| ends.get(b)).copied();
        let start = start.unwrap_or(0).max(bottom);
        ends[at].min(bottom + 8).saturating_sub(start)
    };
    let look = |at: usize| styles.style(at, tones[at]);
    let inside: Vec<usize> = (0..ends.len()).filter(|at| share(*at) > 0).collect();
    let Some(most) = inside.iter().copied().max_by_key(|at| share(*at)) else {
        return;
    };
    let fill = |at: usize| styles.fill_for_tones(tones, at);
    let is_patterned =
        styles.has_patterns() && (tones.len() > 1 || styles.drawing == Drawing::Ascii);
    if is_patterned || inside.iter().any(|at| fill(*at) != "█") {
        // A pattern fills a whole cell or nothing.
        let filled: u32 = inside.iter().map(|at| share(*at)).sum();
        if filled >= 4 || bottom == 0 {
            glyph(buf, x, y, fill(most), look(most));
        }
        return;
    }
    let lowest = inside[0];
    let height = share(lowest);
    match (inside.get(1), height) {
        (_, 8..) => glyph(buf, x, y, fill(lowest), look(lowest)),
        (None, _) => glyph(buf, x, y, HEIGHTS[height as usize - 1], look(lowest)),
        // Two areas share the cell: one is the background of the other. A third one is omitted.
        (Some(next), _) => {
            let above = inside[1..].iter().copied().max_by_key(|at| share(*at));
            let above = above.unwrap_or(*next);
            let all: u32 = inside.iter().map(|at| share(*at)).sum();
            if all < 8 {
                // Nothing is above the two areas and a background would fill the rest, so only the
                // larger one is drawn.
                glyph(buf, x, y, HEIGHTS[all as usize - 1], look(most));
                return;
            }
            glyph(buf, x, y, HEIGHTS[height as usize - 1], look(lowest));
            let ground = look(above).fg;
            let style = look(lowest);
            restyle(
                buf,
                x,
                y,
                Style {
                    bg: ground,
                    ..style
                },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::to_ratatui;
    use crate::colour::Depth;
    use crate::theme::Theme;

    fn curve(points: &[(i64, f64)]) -> PlotCurve {
        PlotCurve {
            points: points.to_vec(),
            ..PlotCurve::default()
        }
    }

    fn drawn(theme: &str, curves: &[PlotCurve]) -> Vec<String> {
        let theme = Theme::named(theme, Depth::True).unwrap();
        let axis = TimeAxis {
            range: (0, 80),
            left: 4,
            columns: 8,
        };
        let area = Rect::new(0, 0, 12, 4);
        let mut buf = Buffer::empty(to_ratatui(area));
        draw(
            curves,
            None,
            &axis,
            area,
            MemberStyles::new(&theme, Drawing::Braille),
            &mut buf,
        );
        let row = |y| (0..12).map(|x| buf[(x, y)].symbol()).collect::<String>();
        (0..4).map(row).collect()
    }

    #[test]
    fn areas_are_as_high_as_their_numbers() {
        let curves = [
            curve(&[(0, 1.0), (40, 2.0)]),
            curve(&[(20, 2.0), (60, 0.0)]),
        ];
        assert_eq!(
            drawn("mono", &curves),
            [
                "  4┤    ▒▒  ",
                "   │  ▒▒▒▒  ",
                "   │  ▒▒████",
                "  0┤████████"
            ]
        );
        // With hues the blocks are the same for all.
        assert_eq!(drawn("dark", &curves)[1], "   │  ████  ");
    }
}
