//! List of the cells of a table row, each with a letter, to copy one of them.

use crate::model::Model;
use crate::msg::Effect;
use crate::pivot_letters;
use crate::popups::{CellRow, Cells, Popup};
use widetui_tables::table::Cell;

use super::primitives::copy;
use super::primitives::notices::say;

/// Opens the list of non-empty cells of the row under the cursor. The cursor of the list starts on
/// the cell of the sort column.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(table) = model.table() else {
        return Vec::new();
    };
    let cells = table.current().map_or(&[][..], |row| &row.cells);
    let mut rows: Vec<CellRow> = Vec::new();
    let mut cursor = 0;
    for (at, (column, cell)) in table.table.columns.iter().zip(cells).enumerate() {
        let value = value(cell);
        if value.is_empty() {
            continue;
        }
        if table.sort.is_some_and(|s| s.column == at) {
            cursor = rows.len();
        }
        let title = match &*column.title {
            "" => format!("column {}", at + 1),
            title => title.to_owned(),
        };
        rows.push(CellRow {
            letter: None,
            title,
            value,
        });
    }
    if rows.is_empty() {
        say(model, "there is nothing to copy here".to_owned());
        return Vec::new();
    }
    let letters = pivot_letters::of_list(rows.iter().map(|r| r.title.as_str()));
    for (row, letter) in rows.iter_mut().zip(letters) {
        row.letter = letter;
    }
    model.popup = Some(Popup::Cells(Cells { rows, cursor }));
    Vec::new()
}

/// Text of a cell for the clipboard; counts and sizes are plain numbers without separators or units.
fn value(cell: &Cell) -> String {
    match cell {
        Cell::Unknown | Cell::NonZero(0, _) => String::new(),
        Cell::Count(n) | Cell::NonZero(n, _) | Cell::Bytes(n) => n.to_string(),
        cell => cell.text(),
    }
}

/// Copies the cell with a letter; `None` if the list is closed or no cell has the letter.
pub(super) fn pick_letter(model: &mut Model, letter: char) -> Option<Vec<Effect>> {
    let Some(Popup::Cells(cells)) = &mut model.popup else {
        return None;
    };
    cells.cursor = cells.rows.iter().position(|r| r.letter == Some(letter))?;
    Some(pick(model))
}

/// Copies the cell under the cursor of the list.
pub(super) fn pick(model: &mut Model) -> Vec<Effect> {
    let Some(Popup::Cells(cells)) = model.popup.take() else {
        return Vec::new();
    };
    match cells.rows.into_iter().nth(cells.cursor) {
        Some(row) => copy::whole(model, row.value, &row.title),
        None => Vec::new(),
    }
}
