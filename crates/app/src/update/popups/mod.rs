//! Popups: the layer above the view, which gets each command first. What a popup shows and edits is its state
//! ([`crate::popups`]); here stands what its commands do, one file per popup.

mod cells;
mod picker;
mod pivot;
mod prompt;

use crate::command::Command;
use crate::model::Model;
use crate::msg::Effect;
use crate::popups::Popup;
use crate::repetition::CommandCall;
use widetui_core::direction::Direction;

use super::primitives::completion;

pub(super) use cells::open as open_cells;
pub(super) use picker::{counted, forget, help, keymaps, marks, palette, press_by, themes, wear};
pub(super) use pivot::{open_list, open_pivot, pick, turn_scope};
pub(super) use prompt::{answer, changed, filter_rows, paste};

/// Behaviour of a popup.
struct Layer {
    /// Runs a command that means something else in the popup; `None` for all others.
    run: fn(&mut Model, Command) -> Option<Vec<Effect>>,
    /// Takes the row under the cursor, or the line.
    take: fn(&mut Model) -> Picked,
    /// Handles a letter that is no text; `None` if it means nothing here.
    letter: fn(&mut Model, char) -> Option<Vec<Effect>>,
    /// Handles a click on a row; `None` if the click moves the cursor and takes the row.
    click: Option<fn(&mut Model, usize) -> Vec<Effect>>,
}

impl Layer {
    /// Layer of a popup.
    fn of(popup: &Popup) -> &'static Layer {
        match popup {
            Popup::Prompt(_) => &prompt::LAYER,
            Popup::Picker(_) => &picker::LAYER,
            Popup::Pivot(_) => &pivot::LAYER,
            Popup::Cells(_) => &cells::LAYER,
        }
    }
}

/// Result of taking a row or a line.
pub(super) enum Picked {
    /// Effects of the action.
    Done(Vec<Effect>),
    /// Command to run on behalf of the user.
    Call(CommandCall),
}

/// Number of rows by which a page key moves in a list.
const PAGE: usize = 10;

/// Runs a command in the open popup; `None` if there is none, or the command means the same there as elsewhere.
pub(super) fn run(model: &mut Model, command: Command) -> Option<Picked> {
    let layer = Layer::of(model.popup.as_ref()?);
    let effects = match prompt::edit(model, command) {
        Some(prompt::Edited::Text) => Some(changed(model)),
        Some(prompt::Edited::Cursor) => Some(completion::ask_again(model)),
        None => (layer.run)(model, command),
    };
    if let Some(effects) = effects {
        return Some(Picked::Done(effects));
    }
    if command == Command::Open {
        return Some((layer.take)(model));
    }
    let (cursor, rows) = model.popup.as_mut()?.list()?;
    *cursor = moved(*cursor, command, rows)?;
    Some(Picked::Done(Vec::new()))
}

/// Handles a letter in the open popup: as text, else as a shortcut; `None` if it means nothing here.
pub(super) fn letter(model: &mut Model, letter: char) -> Option<Vec<Effect>> {
    let popup = model.popup.as_mut()?;
    if let Some(line) = popup.line() {
        line.insert(letter);
        return Some(changed(model));
    }
    (Layer::of(popup).letter)(model, letter)
}

/// Handles a click on a row of the open popup.
pub(super) fn click(model: &mut Model, row: usize) -> Picked {
    let Some(popup) = &mut model.popup else {
        return Picked::Done(Vec::new());
    };
    let layer = Layer::of(popup);
    if let Some(click) = layer.click {
        return Picked::Done(click(model, row));
    }
    match popup.list().filter(|(_, rows)| row < *rows) {
        Some((cursor, _)) => {
            *cursor = row;
            (layer.take)(model)
        }
        None => Picked::Done(Vec::new()),
    }
}

fn moved(cursor: usize, command: Command, len: usize) -> Option<usize> {
    let last = len.saturating_sub(1);
    Some(match command {
        Command::Down => (cursor + 1).min(last),
        Command::Up => cursor.saturating_sub(1),
        Command::PageDown | Command::HalfDown => (cursor + PAGE).min(last),
        Command::PageUp | Command::HalfUp => cursor.saturating_sub(PAGE),
        Command::First => 0,
        Command::Last => last,
        _ => return None,
    })
}

/// Returns the direction of a command: forward for down and next, backward for up and previous.
fn direction(command: Command) -> Direction {
    match command {
        Command::Down | Command::NextPane => Direction::Forward,
        _ => Direction::Backward,
    }
}
