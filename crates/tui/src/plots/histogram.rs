//! Horizontal bars: a histogram of durations, and shares of a whole.

use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{bar, glyph, put, put_right};
use widetui_tables::drawing::Drawing;
use widetui_tables::role::Role;
use widetui_tables::text::{cut_words, grouped, sanitise, width};

use super::member_styles::MemberStyles;
use widetui_tables::plots::histogram::{LengthBin, ShareBar};

/// Draws the bars from top to bottom; merges neighbouring bins if there are more bins than rows.
pub(crate) fn draw(bars: &[LengthBin], area: Rect, styles: MemberStyles<'_>, buf: &mut Buffer) {
    if bars.is_empty() || area.height == 0 || area.width < 16 {
        return;
    }
    let together = bars.len().div_ceil(usize::from(area.height));
    let groups: Vec<ShareBar> = bars
        .chunks(together)
        .map(|group| {
            let count: u64 = group.iter().map(|bar| bar.count).sum();
            ShareBar {
                name: group[0].from.clone(),
                share: count as f64,
                text: if count > 0 {
                    grouped(count)
                } else {
                    String::new()
                },
            }
        })
        .collect();
    draw_rows(&groups, area, (10, 8), styles, buf);
}

/// Draws parts of a whole from top to bottom, as many as have room.
pub(crate) fn shares(bars: &[ShareBar], area: Rect, styles: MemberStyles<'_>, buf: &mut Buffer) {
    let widest = |text: fn(&ShareBar) -> &str| bars.iter().map(|bar| width(text(bar)) as u16).max();
    let names = widest(|bar| &bar.name).unwrap_or(0).min(area.width / 3);
    let texts = widest(|bar| &bar.text).unwrap_or(0);
    let shown = bars.len().min(area.height.into());
    draw_rows(&bars[..shown], area, (names, texts), styles, buf);
}

/// Draws bars with names and texts of these widths; the longest bar has the whole room.
fn draw_rows(
    bars: &[ShareBar],
    area: Rect,
    (label, number): (u16, u16),
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) {
    let theme = styles.theme;
    let most = bars.iter().map(|bar| bar.share).fold(0.0, f64::max);
    let left = area.x + label + 2;
    let room = area.width.saturating_sub(label + 2 + number + 2);
    for (y, row) in (area.y..).zip(bars) {
        let axis = theme.style(Role::Axis);
        let name = sanitise(&row.name);
        let name = cut_words(&name, label.into());
        put_right(buf, area.x, left - 2, y, &name, theme.style(Role::Muted));
        glyph(buf, left - 1, y, "┤", axis);
        let all = f64::from(room) * 8.0;
        let mut eighths = (row.share / most.max(f64::MIN_POSITIVE) * all).round() as u32;
        if row.share > 0.0 {
            eighths = eighths.max(1);
        }
        // Round up to the resolution of the drawing characters.
        eighths = match styles.drawing {
            Drawing::Braille => eighths,
            Drawing::Blocks => eighths.next_multiple_of(4),
            Drawing::Ascii => eighths.next_multiple_of(8),
        };
        let line = Rect::new(left, y, room, 1);
        let x = bar(buf, line, eighths, theme.style(Role::Bars));
        put(buf, x + 1, y, number, &row.text, theme.style(Role::Text));
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
