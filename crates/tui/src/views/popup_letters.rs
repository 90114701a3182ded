//! Lists whose rows have letters: the keys of a record with the number of records that share each value, and the cells of a
//! table row.

use std::borrow::Cow;

use crate::views::Scene;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::{put, put_right};
use widetui_app::hit::{HitMap, Target};
use widetui_app::layout::Areas;
use widetui_app::popups::{CellRow, Cells, Pivot, PivotPurpose, PivotRow, PivotScope};
use widetui_tables::role::Role;
use widetui_tables::text::{grouped, sanitise, width};

/// Separator between the number of selected records and the number in the run.
const OF: &str = " of ";

/// Maximum width of keys, in columns.
const MAX_KEYS: usize = 28;

/// Row of a list.
struct Row<'a> {
    letter: Option<char>,
    key: Cow<'a, str>,
    value: Cow<'a, str>,
    /// True if picking the row has an effect.
    is_of_use: bool,
    /// Counts on the right, from right to left.
    counts: Vec<(String, Role)>,
}

/// List with letters.
struct List<'a> {
    title: String,
    /// Effect of a letter.
    effect: &'static str,
    rows: Vec<Row<'a>>,
    cursor: usize,
    /// Line below the rows, for letters without a row.
    absent: Option<String>,
    /// Maximum width of values, in columns.
    max_values: usize,
    /// Width of one count, and of all counts of a row.
    counts: (u16, u16),
}

/// Draws the pivot list.
pub(super) fn draw_pivot(
    model: &Scene<'_>,
    pivot: &Pivot,
    body: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    // No count exceeds the number of all records.
    let count = width(&grouped(model.snapshot.len() as u64)) as u16 + 1;
    let list = List {
        title: title(model, pivot),
        effect: match pivot.purpose {
            PivotPurpose::Keep => "a letter picks",
            PivotPurpose::Copy => "a letter copies",
        },
        rows: pivot
            .rows
            .iter()
            .map(|r| pivot_row(model, pivot, r))
            .collect(),
        cursor: pivot.cursor,
        absent: absent(pivot),
        max_values: 48,
        counts: match pivot.scope {
            PivotScope::All => (count, count),
            PivotScope::Selected | PivotScope::WholeRun => (count, 2 * count + OF.len() as u16),
        },
    };
    draw(model, &list, body, buf, hits);
}

/// Draws the list of the cells of a table row.
pub(super) fn draw_cells(
    model: &Scene<'_>,
    cells: &Cells,
    body: Rect,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    let row = |row: &'_ CellRow| Row {
        letter: row.letter,
        key: sanitise(&row.title).into_owned().into(),
        value: sanitise(&row.value).into_owned().into(),
        is_of_use: true,
        counts: Vec::new(),
    };
    let list = List {
        title: "copy of this row".to_owned(),
        effect: "a letter copies",
        rows: cells.rows.iter().map(row).collect(),
        cursor: cells.cursor,
        absent: None,
        max_values: 90,
        counts: (0, 0),
    };
    draw(model, &list, body, buf, hits);
}

fn draw(model: &Scene<'_>, list: &List<'_>, body: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let widest = |of: fn(&Row<'_>) -> usize| list.rows.iter().map(of).max().unwrap_or(0);
    let keys = widest(|r| width(&r.key)).min(MAX_KEYS) as u16;
    let values = widest(|r| width(&r.value)).min(list.max_values) as u16;
    let counts = match list.counts.1 {
        0 => 0,
        columns => columns + 1,
    };
    let absent = list.absent.iter().len();
    let columns = 2 + 3 + keys + 2 + values + 2 + counts;
    let area = place(model, columns, list.rows.len() + absent, body);
    let inside = usize::from(area.height.saturating_sub(2)).saturating_sub(absent);
    let top = (list.cursor + 1).saturating_sub(inside);
    let effect = list.effect;
    let note = match list.rows.len().saturating_sub(top + inside) {
        0 => effect.to_owned(),
        more => format!("{effect} · {} more below", grouped(more as u64)),
    };
    let inner = super::frame(model, area, &list.title, &note, buf);
    if inner.is_empty() {
        return;
    }
    hits.add(area, Target::Popup);
    let ground = model.theme.style(Role::Popup);
    if let Some(absent) = &list.absent {
        let y = inner.bottom() - 1;
        let faint = ground.patch(model.theme.style(Role::Faint));
        let room = inner.width.saturating_sub(2);
        put(buf, inner.x + 1, y, room, absent, faint);
    }
    let rows = inner.top()..inner.bottom().saturating_sub(absent as u16);
    for (i, y) in (top..list.rows.len()).zip(rows) {
        let line = Rect::new(inner.x, y, inner.width, 1);
        hits.add(line, Target::PopupRow(i));
        let row = &list.rows[i];
        let style = |role| -> Style {
            let role = if row.is_of_use { role } else { Role::Faint };
            ground.patch(model.theme.style(role))
        };
        let end = line.right() - 1;
        let room = |x: u16| end.saturating_sub(x);
        if let Some(letter) = row.letter {
            let letter = letter.to_string();
            put(buf, line.x + 1, y, 1, &letter, style(Role::HintKey));
        }
        let x = line.x + 4;
        put(buf, x, y, keys.min(room(x)), &row.key, style(Role::Key));
        let x = x + keys + 2;
        let values = room(x).saturating_sub(counts);
        put(buf, x, y, values, &row.value, style(Role::Value));
        let mut end = end;
        for (count, role) in &row.counts {
            put_right(buf, x, end, y, count, style(*role));
            end = end.saturating_sub(list.counts.0);
        }
        if i == list.cursor {
            super::mark_row(buf, line, model.theme.style(Role::PopupCursor));
        }
    }
}

/// Concepts that the record does not name, with their letters; `None` if it names all.
fn absent(pivot: &Pivot) -> Option<String> {
    let names = pivot.absent.iter();
    let names: Vec<String> = names.map(|c| format!("{} {}", c.letter, c.name)).collect();
    (!names.is_empty()).then(|| format!("not here: {}", names.join("  ")))
}

/// Area of a list of a width: below the row that it belongs to if there is room, else above.
fn place(model: &Scene<'_>, columns: u16, rows: usize, body: Rect) -> Rect {
    let area_width = columns.max(40).min(body.width.saturating_sub(2));
    let height = (rows as u16 + 2).min(body.height);
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

fn pivot_row<'a>(model: &Scene<'_>, pivot: &Pivot, row: &'a PivotRow) -> Row<'a> {
    let told = |count: Option<usize>| count.map_or("…".to_owned(), |n| grouped(n as u64));
    let (here, in_run) = (told(row.count), told(row.in_run));
    Row {
        letter: row.letter,
        key: Cow::Borrowed(&row.key),
        value: Cow::Borrowed(&row.value),
        // All selected records have this value: filtering would change nothing.
        is_of_use: pivot.scope == PivotScope::WholeRun
            || !model.view.is_records()
            || row.count != Some(model.len()),
        counts: match pivot.scope {
            PivotScope::All => vec![(here, Role::Count)],
            PivotScope::WholeRun => vec![(in_run, Role::Count), (here + OF, Role::Faint)],
            PivotScope::Selected => vec![(in_run, Role::Faint), (here + OF, Role::Count)],
        },
    }
}
