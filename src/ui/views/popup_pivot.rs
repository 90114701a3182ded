//! The pivot list: the keys of a record, each with a letter and the number of records that share the value.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::hit::{HitMap, Target};
use crate::ui::layout::Areas;
use crate::ui::model::{Model, View};
use crate::ui::popups::{Pivot, PivotScope, PivotUse};
use crate::ui::text::{grouped, put, put_right, width};
use crate::ui::theme::Role;

/// Stands between the counts of what is selected and of the whole run.
const OF: &str = " of ";

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
    // Columns of a count: no one is greater than that of all.
    let count = width(&grouped(model.snapshot.len() as u64)) as u16 + 1;
    let counts = match pivot.scope {
        PivotScope::All => count,
        PivotScope::Selected | PivotScope::WholeRun => 2 * count + OF.len() as u16,
    };
    let wanted = 2 + 3 + names + 2 + values + 2 + counts + 1;
    let area_width = wanted.max(40).min(body.width.saturating_sub(2));
    let height = (pivot.rows.len() as u16 + 2).min(body.height);
    let list = Areas::of(model).list;
    // Beside what it is about: below its row when there is room, else above. Rows of tables stand below their titles.
    let (at, titles) = match model.table().filter(|_| model.view.is_table()) {
        Some(table) => (&table.list, 1),
        None => (&model.events.list, 0),
    };
    let row = list.y + titles + at.cursor.saturating_sub(at.top) as u16;
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
        View::Keys => "most frequent values of this key",
        _ => "same as this row",
    };
    let title = match pivot.scope {
        PivotScope::WholeRun => format!("{title}, in the whole run"),
        PivotScope::All | PivotScope::Selected => title.to_owned(),
    };
    let inner = super::frame(model, area, &title, &note, buf);
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
        let changes = pivot.scope == PivotScope::WholeRun
            || model.view != View::Events
            || row.count != Some(model.len());
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
        let values = room(x).saturating_sub(counts + 1);
        put(buf, x, y, values, &row.value, style(Role::Value));
        let told = |count: Option<usize>| count.map_or("…".to_owned(), |n| grouped(n as u64));
        let mut end = end;
        if pivot.scope != PivotScope::All {
            let (run, of) = match pivot.scope {
                PivotScope::WholeRun => (Role::Count, Role::Faint),
                _ => (Role::Faint, Role::Count),
            };
            put_right(buf, x, end, y, &told(row.in_run), style(run));
            end = end.saturating_sub(count);
            let here = format!("{}{OF}", told(row.count));
            put_right(buf, x, end, y, &here, style(of));
        } else {
            put_right(buf, x, end, y, &told(row.count), style(Role::Count));
        }
        if i == pivot.cursor {
            super::mark_row(buf, line, theme.style(Role::PopupCursor));
        }
    }
}
