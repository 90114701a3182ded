//! Pivot list: the keys of a record, each with a letter and the number of records that share its
//! value.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::{put, put_right, to_ratatui};
use widetui_app::hit::{HitMap, Target};
use widetui_app::layout::Areas;
use widetui_app::popups::{Pivot, PivotPurpose, PivotRow, PivotScope};
use widetui_tables::role::Role;
use widetui_tables::text::{grouped, width};

/// Separator between the number of selected records and the number in the run.
const OF: &str = " of ";

/// Widths of the parts of a row.
struct Columns {
    keys: u16,
    values: u16,
    /// Width of one count: none exceeds the number of all records.
    count: u16,
    /// Width of all counts of a row.
    counts: u16,
}

impl Columns {
    fn new(model: &Scene<'_>, pivot: &Pivot) -> Columns {
        let widest = |of: fn(&PivotRow) -> &str| pivot.rows.iter().map(|r| width(of(r))).max();
        let count = width(&grouped(model.snapshot.len() as u64)) as u16 + 1;
        Columns {
            keys: widest(|r| &r.key).unwrap_or(0).min(28) as u16,
            values: widest(|r| &r.value).unwrap_or(0).min(48) as u16,
            count,
            counts: match pivot.scope {
                PivotScope::All => count,
                PivotScope::Selected | PivotScope::WholeRun => 2 * count + OF.len() as u16,
            },
        }
    }
}

pub(super) fn draw(
    model: &Scene<'_>,
    pivot: &Pivot,
    body: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    let columns = Columns::new(model, pivot);
    let area = place(model, pivot, &columns, body);
    let inside = usize::from(area.height.saturating_sub(2));
    let top = (pivot.cursor + 1).saturating_sub(inside);
    let does = match pivot.purpose {
        PivotPurpose::Keep => "a letter picks",
        PivotPurpose::Copy => "a letter copies",
    };
    let note = match pivot.rows.len().saturating_sub(top + inside) {
        0 => does.to_owned(),
        more => format!("{does} · {} more below", grouped(more as u64)),
    };
    let inner = super::frame(model, area, &title(model, pivot), &note, buf);
    if inner.is_empty() {
        return;
    }
    hits.add(area, Target::Popup);
    for (i, y) in (top..pivot.rows.len()).zip(inner.top()..inner.bottom()) {
        let line = Rect::new(inner.x, y, inner.width, 1);
        hits.add(line, Target::PopupRow(i));
        draw_row(model, pivot, i, &columns, line, buf);
    }
}

/// Area of the list: below the row that it belongs to if there is room, else above.
fn place(model: &Scene<'_>, pivot: &Pivot, columns: &Columns, body: Rect) -> Rect {
    let wanted = 2 + 3 + columns.keys + 2 + columns.values + 2 + columns.counts + 1;
    let area_width = wanted.max(40).min(body.width.saturating_sub(2));
    let height = (pivot.rows.len() as u16 + 2).min(body.height);
    let list = Areas::new(model).list;
    // Rows of tables start below the line of headings.
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
    Rect::new(x, y, area_width, height)
}

fn title(model: &Scene<'_>, pivot: &Pivot) -> String {
    let title = match pivot.purpose {
        PivotPurpose::Copy => "copy a value",
        PivotPurpose::Keep => model.view.pivot_title,
    };
    match pivot.scope {
        PivotScope::WholeRun => format!("{title}, in the whole run"),
        PivotScope::All | PivotScope::Selected => title.to_owned(),
    }
}

fn draw_row(
    model: &Scene<'_>,
    pivot: &Pivot,
    at: usize,
    columns: &Columns,
    line: Rect,
    buf: &mut Buffer,
) {
    let row = &pivot.rows[at];
    let theme = model.theme;
    let ground = theme.style(Role::Popup);
    let look = if at == pivot.cursor {
        ground.patch(theme.style(Role::PopupCursor))
    } else {
        ground
    };
    buf.set_style(to_ratatui(line), look);
    // All selected records have this value: filtering would change nothing.
    let changes = pivot.scope == PivotScope::WholeRun
        || !model.view.is_records()
        || row.count != Some(model.len());
    let style = |role| {
        let role = if changes { role } else { Role::Faint };
        look.patch(theme.style(role))
    };
    let (y, end) = (line.y, line.right() - 1);
    let room = |x: u16| end.saturating_sub(x);
    if let Some(letter) = row.letter {
        let letter = letter.to_string();
        put(buf, line.x + 1, y, 1, &letter, style(Role::HintKey));
    }
    let x = line.x + 4;
    let keys = columns.keys.min(room(x));
    put(buf, x, y, keys, &row.key, style(Role::Key));
    let x = x + columns.keys + 2;
    let values = room(x).saturating_sub(columns.counts + 1);
    put(buf, x, y, values, &row.value, style(Role::Value));
    let told = |count: Option<usize>| count.map_or("…".to_owned(), |n| grouped(n as u64));
    let mut of_both = |run, of| {
        put_right(buf, x, end, y, &told(row.in_run), style(run));
        let here = format!("{}{OF}", told(row.count));
        let end = end.saturating_sub(columns.count);
        put_right(buf, x, end, y, &here, style(of));
    };
    match pivot.scope {
        PivotScope::All => {
            put_right(buf, x, end, y, &told(row.count), style(Role::Count));
        }
        PivotScope::WholeRun => of_both(Role::Count, Role::Faint),
        PivotScope::Selected => of_both(Role::Faint, Role::Count),
    }
    if at == pivot.cursor {
        super::mark_row(buf, line, theme.style(Role::PopupCursor));
    }
}
