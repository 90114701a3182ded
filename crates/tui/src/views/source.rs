//! Description of the row under the cursor of a table, such as the source among the sources.

use ratatui::buffer::Buffer;

use crate::canvas::{area_of, put};
use widetui_app::hit::{HitMap, Target};
use widetui_app::layout::{Areas, details};
use widetui_app::rect::Rect;
use widetui_app::source_details::lines;
use widetui_tables::role::Role;
use widetui_tables::text::{cut, sanitise, wrap};

use super::Scene;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    hits.add(area, Target::Record);
    let lines = lines(model, area.width);
    let rows = (area.top()..area.bottom()).zip(lines.iter().skip(model.record_top()));
    for (y, (name, text, role)) in rows {
        line(
            model,
            (name, text, *role),
            Rect::new(area.x, y, area.width, 1),
            buf,
        );
    }
}

/// Draws the lines about a draft or the row under the cursor.
pub(super) fn draw_details(model: &Scene<'_>, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(area_of(buf));
    let room = usize::from(area.width.saturating_sub(12));
    // Beside the table there is room for all of a text.
    let is_beside = Areas::at(model).is_beside();
    let lines = details(model).into_iter().flat_map(|(name, text)| {
        let text = sanitise(&text);
        let pieces = match is_beside {
            true => wrap(&text, room),
            false => vec![cut(&text, room).into_owned()],
        };
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        names.zip(pieces).collect::<Vec<(&str, String)>>()
    });
    for (y, (name, text)) in (area.top()..area.bottom()).zip(lines) {
        let row = Rect::new(area.x, y, area.width, 1);
        line(model, (name, &text, Role::Text), row, buf);
    }
}

fn line(model: &Scene<'_>, (name, text, role): (&str, &str, Role), area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    put(buf, area.x + 1, area.y, 9, name, theme.style(Role::Key));
    let room = area.width.saturating_sub(12);
    put(buf, area.x + 11, area.y, room, text, theme.style(role));
}
