//! Horizontal bars: histograms, and parts of a whole.

use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;
use widetui_report::figure::{BarFold, BarMark, BarRow, Bars};

use crate::canvas::{bar, glyph, put, put_right};
use widetui_tables::role::Role;
use widetui_tables::text::{cut_words, sanitise, width};

use super::member_styles::MemberStyles;

/// Widths of the names and texts of bins, columns, so that bars do not move when bins are added.
const BINS: (u16, u16) = (10, 8);

/// Draws the groups that the table below does not list, from top to bottom.
pub(crate) fn draw(groups: &[Bars], area: Rect, styles: MemberStyles<'_>, buf: &mut Buffer) {
    let mut area = area;
    for group in groups.iter().filter(|group| !group.is_listed) {
        if area.height == 0 || area.width < 16 {
            return;
        }
        let rows = group.folded(usize::from(area.height));
        let widest =
            |text: fn(&BarRow) -> &str| rows.iter().map(|row| width(text(row)) as u16).max();
        let widths = match group.fold {
            BarFold::Add => BINS,
            BarFold::Cut => (
                widest(|row| &row.name).unwrap_or(0).min(area.width / 3),
                widest(|row| &row.text).unwrap_or(0),
            ),
        };
        draw_rows(&rows, area, widths, styles, buf);
        let used = rows.len() as u16;
        area = Rect::new(
            area.x,
            area.y + used,
            area.width,
            area.height.saturating_sub(used),
        );
    }
}

/// Draws bars with names and texts of these widths; the longest bar has the whole room.
fn draw_rows(
    rows: &[BarRow],
    area: Rect,
    (label, number): (u16, u16),
    styles: MemberStyles<'_>,
    buf: &mut Buffer,
) {
    let length = |row: &BarRow| match row.mark {
        BarMark::Length(length) => length,
        BarMark::Spread(spread) => spread.max,
    };
    let theme = styles.theme;
    let most = rows.iter().map(length).fold(0.0, f64::max);
    let left = area.x + label + 2;
    let room = area.width.saturating_sub(label + 2 + number + 2);
    for (y, row) in (area.y..area.bottom()).zip(rows) {
        let axis = theme.style(Role::Axis);
        let name = sanitise(&row.name);
        let name = cut_words(&name, label.into());
        put_right(buf, area.x, left - 2, y, &name, theme.style(Role::Muted));
        glyph(buf, left - 1, y, "┤", axis);
        let share = length(row) / most.max(f64::MIN_POSITIVE);
        let line = Rect::new(left, y, room, 1);
        let x = bar(buf, line, share, styles.drawing, theme.style(Role::Bars));
        put(buf, x + 1, y, number, &row.text, theme.style(Role::Text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::to_ratatui;
    use crate::colour::Depth;
    use crate::theme::Theme;
    use widetui_tables::drawing::Drawing;

    #[test]
    fn neighbours_share_a_row_when_there_are_too_many() {
        let theme = Theme::named("dark", Depth::True).unwrap();
        let bar = |from: &str, count: u64| BarRow {
            name: from.to_owned(),
            mark: BarMark::Length(count as f64),
            text: count.to_string(),
        };
        let rows = [bar("0 s", 3), bar("1 s", 1), bar("2 s", 0), bar("3 s", 2)];
        let bars = Bars {
            rows: rows.to_vec(),
            fold: BarFold::Add,
            ..Bars::default()
        };
        let area = Rect::new(0, 0, 30, 2);
        let mut buf = Buffer::empty(to_ratatui(area));
        draw(
            &[bars],
            area,
            MemberStyles::new(&theme, Drawing::Braille),
            &mut buf,
        );
        let row = |y| (0..30).map(|x| buf[(x, y)].symbol()).collect::<String>();
        assert_eq!(row(0).trim_end(), "       0 s ┤████████ 4");
        assert_eq!(row(1).trim_end(), "       2 s ┤████ 2");
    }
}
