//! Histogram of durations with horizontal bars.

use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{bar, glyph, put, put_right};
use widetui_tables::drawing::Drawing;
use widetui_tables::role::Role;
use widetui_tables::text::grouped;

use super::member_styles::MemberStyles;
use widetui_tables::plots::histogram::LengthBin;

/// Draws the bars from top to bottom; merges neighbouring bins if there are more bins than rows.
pub(crate) fn draw(bars: &[LengthBin], area: Rect, styles: MemberStyles<'_>, buf: &mut Buffer) {
    let theme = styles.theme;
    if bars.is_empty() || area.height == 0 || area.width < 16 {
        return;
    }
    let together = bars.len().div_ceil(usize::from(area.height));
    let groups: Vec<(&str, u64)> = bars
        .chunks(together)
        .map(|g| (g[0].from.as_str(), g.iter().map(|b| b.count).sum()))
        .collect();
    let most = groups.iter().map(|g| g.1).max().unwrap_or(0).max(1);
    let (label, number) = (10, 8);
    let left = area.x + label + 2;
    let room = area.width.saturating_sub(label + 2 + number + 2);
    for (y, (from, count)) in (area.y..).zip(groups) {
        let axis = theme.style(Role::Axis);
        put_right(buf, area.x, left - 2, y, from, theme.style(Role::Muted));
        glyph(buf, left - 1, y, "┤", axis);
        let all = f64::from(room) * 8.0;
        let mut eighths = (count as f64 / most as f64 * all).round() as u32;
        if count > 0 {
            eighths = eighths.max(1);
        }
        // Round up to the resolution of the drawing characters.
        eighths = match styles.drawing {
            Drawing::Braille => eighths,
            Drawing::Blocks => eighths.next_multiple_of(4),
            Drawing::Ascii => eighths.next_multiple_of(8),
        };
        let row = Rect::new(left, y, room, 1);
        let x = bar(buf, row, eighths, theme.style(Role::Bars));
        if count > 0 {
            let text = grouped(count);
            put(buf, x + 1, y, number, &text, theme.style(Role::Text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::to_ratatui;
    use crate::colour::Depth;
    use crate::theme::Theme;

    #[test]
    fn neighbours_share_a_row_when_there_are_too_many() {
        let theme = Theme::named("dark", Depth::True).unwrap();
        let bar = |from: &str, count| LengthBin {
            from: from.to_owned(),
            count,
        };
        let bars = [bar("0 s", 3), bar("1 s", 1), bar("2 s", 0), bar("3 s", 2)];
        let area = Rect::new(0, 0, 30, 2);
        let mut buf = Buffer::empty(to_ratatui(area));
        draw(
            &bars,
            area,
            MemberStyles::new(&theme, Drawing::Braille),
            &mut buf,
        );
        let row = |y| (0..30).map(|x| buf[(x, y)].symbol()).collect::<String>();
        assert_eq!(row(0).trim_end(), "       0 s ┤████████ 4");
        assert_eq!(row(1).trim_end(), "       2 s ┤████ 2");
    }
}
