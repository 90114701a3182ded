//! Description of the source under the cursor of the table of sources.

use ratatui::buffer::Buffer;

use crate::canvas::put;
use widetui_app::hit::{HitMap, Target};
use widetui_app::rect::Rect;
use widetui_app::source_details::lines;
use widetui_tables::role::Role;

use super::Scene;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    hits.add(area, Target::Record);
    let theme = model.theme;
    let lines = lines(model, area.width);
    let rows = (area.top()..area.bottom()).zip(lines.iter().skip(model.record_top()));
    for (y, (name, text, role)) in rows {
        put(buf, area.x + 1, y, 9, name, theme.style(Role::Key));
        let room = area.width.saturating_sub(12);
        put(buf, area.x + 11, y, room, text, theme.style(*role));
    }
}
