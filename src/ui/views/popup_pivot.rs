//! The pivot list: the keys of a record, each with a letter and the number of records that share the value.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::hit::{HitMap, Target};
use crate::ui::layout::Areas;
use crate::ui::model::{Model, View};
use crate::ui::popups::{Pivot, PivotUse};
use crate::ui::text::{grouped, put, put_right, width};
use crate::ui::theme::Role;

/// Columns of the count.
const COUNT: u16 = 11;

pub(super) fn draw(model: &Model, pivot: &Pivot, body: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let names = pivot
        .rows
        .iter()
        .map(|r| width(&r.key))
        .max()
        .unwrap_or(0)
        .min(28) as u16;
    let values = pivot
        .rows
        .iter()
        .map(|r| width(&r.value))
        .max()
        .unwrap_or(0)
        .min(48) as u16;
    let wanted = 2 + 3 + names + 2 + values + 2 + COUNT + 1;
    let area_width = wanted.max(40).min(body.width.saturating_sub(2));
    let height = (pivot.rows.len() as u16 + 2).min(body.height);
    let list = Areas::of(model).list;
    // Beside the record it is about: below its row when there is room, else above.
    let row = list.y
        + model
            .events
            .list
            .cursor
            .saturating_sub(model.events.list.top) as u16;
    let y = if row + 1 + height <= body.bottom() {
        row + 1
    } else {
        row.saturating_sub(height).max(body.y)
    };
    let y = y.min(body.bottom().saturating_sub(height));
    let x = (list.x + 8).min(body.width.saturating_sub(area_width));
    let area = Rect::new(x, y, area_width, height);
    let inside = usize::from(area.height.saturating_sub(2));
    let top = (pivot.cursor + 1).saturating_sub(inside);
    let does = match pivot.purpose {
        PivotUse::Keep => "a letter picks",
        PivotUse::Copy => "a letter copies",
    };
    let note = match pivot.rows.len().saturating_sub(top + inside) {
        0 => does.to_owned(),
        more => format!("{does} · {} more below", grouped(more as u64)),
    };
    let title = match model.view {
        _ if pivot.purpose == PivotUse::Copy => "copy a value",
        View::Events | View::Diagnose | View::Trace => "same as this record",
        View::Hung => "same as this",
        _ => "same as this row",
    };
    let inner = super::frame(model, area, title, &note, buf);
    if inner.is_empty() {
        return;
    }
    hits.add(area, Target::Popup);
    let theme = &model.screen.theme;
    let ground = theme.style(Role::Popup);
    for (i, y) in (top..pivot.rows.len()).zip(inner.top()..inner.bottom()) {
        let row = &pivot.rows[i];
        let line = Rect::new(inner.x, y, inner.width, 1);
        hits.add(line, Target::PopupRow(i));
        let look = if i == pivot.cursor {
            ground.patch(theme.style(Role::PopupCursor))
        } else {
            ground
        };
        buf.set_style(line, look);
        // All that is selected has this value: nothing would change.
        let changes = model.view != View::Events || row.count != Some(model.len());
        let style = |role| {
            let role = if changes { role } else { Role::Faint };
            look.patch(theme.style(role))
        };
        let end = line.right() - 1;
        let room = |x: u16| end.saturating_sub(x);
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
        put(buf, x, y, names.min(room(x)), &row.key, style(Role::Key));
        let x = x + names + 2;
        let values = room(x).saturating_sub(COUNT + 1);
        put(buf, x, y, values, &row.value, style(Role::Value));
        let count = row.count.map_or("…".to_owned(), |n| grouped(n as u64));
        put_right(buf, x, end, y, &count, style(Role::Count));
        if i == pivot.cursor {
            super::mark_row(buf, line, theme.style(Role::PopupCursor));
        }
    }
}
