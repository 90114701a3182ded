//! Drawing of pages of lines.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::canvas::{area_of, glyph, put};
use widetui_app::hit::{HitMap, Target};
use widetui_app::model::view::Page;
use widetui_app::page_line::PieceStyle;
use widetui_app::rect::Rect;
use widetui_tables::role::Role;
use widetui_tables::text::sanitise;

use super::Scene;

/// Draws the visible lines of a page. The cursor is shown only on lines with a link and during a
/// search.
pub(super) fn draw(
    model: &Scene<'_>,
    page: &Page,
    area: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    let (lines, list) = ((page.lines)(model, model.area.width), (page.list)(model));
    let area = area.intersection(area_of(buf));
    if area.is_empty() {
        return;
    }
    hits.add(area, Target::List);
    let matcher = model.row_search().and_then(|s| s.matcher.as_ref());
    let theme = model.theme;
    let style = |paint: PieceStyle| -> Style {
        match paint {
            PieceStyle::Role(role) => theme.style(role),
            PieceStyle::Kind(kind) => theme.tag(kind),
        }
    };
    for (y, at) in (area.y..area.bottom()).zip(list.top..lines.len()) {
        let line = &lines[at];
        let row = Rect::new(area.x, y, area.width, 1);
        hits.add(row, Target::TableRow(at));
        let mut x = area.x + 2;
        if line.is_title {
            for x in row.left()..row.right() {
                glyph(buf, x, y, "─", theme.style(Role::Rule));
            }
            x = area.x + 1;
        }
        for (text, paint) in &line.pieces {
            let text = match line.is_title {
                true => format!(" {text} "),
                false => sanitise(text).into_owned(),
            };
            let room = area.right().saturating_sub(x + 1);
            x = put(buf, x, y, room, &text, style(*paint));
        }
        let is_hit = matcher.is_some_and(|m| m.is_in(&line.text()));
        if at == list.cursor && (line.link.is_some() || is_hit) {
            super::mark_cursor(model, row, buf);
        }
        if is_hit {
            super::search_hits::mark(model, matcher, row, buf);
        }
    }
}
