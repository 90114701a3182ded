//! List of the cells of a table row, each with a letter, to copy one of them.

use crate::command::Command;
use crate::model::Model;
use crate::msg::Effect;
use crate::pivot_letters;
use crate::popups::{CellRow, Cells};
use widetui_tables::table::Cell;

use super::{Layer, Picked};
use crate::update::primitives::copy;
use crate::update::primitives::notices::say;

/// Behaviour of the list.
pub(super) static LAYER: Layer = Layer {
    run: |model, command| (command == Command::Copy).then(|| pick(model)),
    take: |model| Picked::Done(pick(model)),
    letter: pick_letter,
    click: None,
};

/// Opens the list of non-empty cells of the row under the cursor. The cursor of the list starts on
/// the cell of the sort column.
pub(in crate::update) fn open(model: &mut Model) -> Vec<Effect> {
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
        return say(model, "there is nothing to copy here");
    }
    let letters = pivot_letters::assign(rows.iter().map(|r| r.title.as_str()));
    for (row, letter) in rows.iter_mut().zip(letters) {
        row.letter = letter;
    }
    model.popup = Some(Cells { rows, cursor }.into());
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

/// Copies the cell with a letter; `None` if no cell has it.
fn pick_letter(model: &mut Model, letter: char) -> Option<Vec<Effect>> {
    let cells = model.popup_of_mut::<Cells>()?;
    cells.cursor = cells.rows.iter().position(|r| r.letter == Some(letter))?;
    Some(pick(model))
}

/// Copies the cell under the cursor of the list.
fn pick(model: &mut Model) -> Vec<Effect> {
    let Some(cells) = model.popup_of::<Cells>() else {
        return Vec::new();
    };
    let row = cells.rows.get(cells.cursor).cloned();
    model.popup = None;
    row.map_or(Vec::new(), |row| copy::whole(model, row.value, &row.title))
}
