//! The last column of the list: where in it the window is, and where errors, marks and hits are.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::hit::{HitMap, Target};
use crate::ui::model::Model;
use crate::ui::text::glyph;
use crate::ui::theme::Role;

use super::lines;

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let height = usize::from(area.height);
    let len = model.len();
    if height == 0 || area.width < 20 || len <= height {
        return;
    }
    let x = area.right() - 1;
    let shown = model.events.list.top..model.events.list.top + lines::shown(model, area);
    for y in 0..height {
        let rows = y * len / height..((y + 1) * len / height).max(y * len / height + 1);
        let at = area.y + y as u16;
        hits.add(Rect::new(x, at, 1, 1), Target::Bar(rows.start));
        let has = |sorted: &[u32]| {
            let from = sorted.partition_point(|r| (*r as usize) < rows.start);
            sorted.get(from).is_some_and(|r| (*r as usize) < rows.end)
        };
        let found = model.search.hits.as_deref().unwrap_or_default();
        let severe = model.events.severe.as_ref();
        let errors = severe.map_or(&[][..], |s| &s.errors[..]);
        let in_window = rows.start < shown.end && shown.start < rows.end;
        let (symbol, role) = if has(&model.events.marks) {
            ("◆", Role::Mark)
        } else if has(found) {
            ("●", Role::BarsWarning)
        } else if has(errors) {
            ("╸", Role::BarsError)
        } else if in_window {
            ("┃", Role::View)
        } else {
            continue;
        };
        glyph(buf, x, at, symbol, model.screen.theme.style(role));
        if in_window && symbol != "┃" && x > area.x {
            // What stands in the window's part must not hide the window.
            glyph(buf, x - 1, at, "▕", model.screen.theme.style(Role::View));
        }
    }
}
