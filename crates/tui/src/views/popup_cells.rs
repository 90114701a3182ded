//! List of the cells of a table row, each with a letter, to copy one.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::put;
use widetui_app::hit::{HitMap, Target};
use widetui_app::layout::Areas;
use widetui_app::popups::Cells;
use widetui_tables::role::Role;
use widetui_tables::text::{grouped, sanitise, width};

/// Maximum width of names and of values, in columns.
const WIDEST: (usize, usize) = (28, 90);

pub(super) fn draw(
    model: &Scene<'_>,
    cells: &Cells,
    body: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    let widest = |of: fn(&widetui_app::popups::CellRow) -> &str| {
        let all = cells.rows.iter().map(|r| width(&sanitise(of(r))));
        all.max().unwrap_or(0)
    };
    let names = widest(|r| &r.title).min(WIDEST.0) as u16;
    let values = widest(|r| &r.value).min(WIDEST.1) as u16;
    let room = body.width.saturating_sub(2);
    let area_width = (2 + 3 + names + 2 + values + 2).max(40).min(room);
    let height = (cells.rows.len() as u16 + 2).min(body.height);
    // Below the row that it belongs to if there is room, else above.
    let list = Areas::new(model).list;
    let row = model
        .table()
        .map_or(0, |t| t.list.cursor - t.list.top.min(t.list.cursor));
    let row = list.y.saturating_add(1 + row as u16);
    let y = match row + 1 + height <= body.bottom() {
        true => row + 1,
        false => row.saturating_sub(height).max(body.y),
    };
    let y = y.min(body.bottom().saturating_sub(height));
    let area = Rect::new(
        room.saturating_sub(area_width).min(8),
        y,
        area_width,
        height,
    );
    let inside = usize::from(area.height.saturating_sub(2));
    let top = (cells.cursor + 1).saturating_sub(inside);
    let note = match cells.rows.len().saturating_sub(top + inside) {
        0 => "a letter copies".to_owned(),
        more => format!("a letter copies · {} more below", grouped(more as u64)),
    };
    let inner = super::frame(model, area, "copy of this row", &note, buf);
    if inner.is_empty() {
        return;
    }
    hits.add(area, Target::Popup);
    let theme = model.theme;
    let ground = theme.style(Role::Popup);
    for (i, y) in (top..cells.rows.len()).zip(inner.top()..inner.bottom()) {
        let row = &cells.rows[i];
        let line = Rect::new(inner.x, y, inner.width, 1);
        hits.add(line, Target::PopupRow(i));
        let style = |role| ground.patch(theme.style(role));
        let end = line.right().saturating_sub(1);
        if let Some(letter) = row.letter {
            put(
                buf,
                line.x + 1,
                y,
                1,
                &letter.to_string(),
                style(Role::HintKey),
            );
        }
        let x = line.x + 4;
        let room = |x: u16| end.saturating_sub(x);
        put(buf, x, y, names.min(room(x)), &row.title, style(Role::Key));
        let x = x + names + 2;
        put(
            buf,
            x,
            y,
            room(x),
            &sanitise(&row.value),
            style(Role::Value),
        );
        if i == cells.cursor {
            super::mark_row(buf, line, theme.style(Role::PopupCursor));
        }
    }
}
