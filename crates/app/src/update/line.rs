//! Prompts, and commands inside prompts and pickers.

use crate::command::Command;
use crate::model::{Model, TextSearch};
use crate::msg::Effect;
use crate::popups::{Completions, Popup, Prompt, PromptKind, TextInput};
use widetui_core::direction::Direction;
use widetui_query::{Expr, QueryError, SearchText, parse_with_notes};
use widetui_session::comparison::ComparedSide;
use widetui_session::selection::SelectionStep;

use super::lists::Picked;
use super::primitives::notices::say;
use super::primitives::{completion, prompts, selection, tables};
use super::{
    cells, compare, export, find, lists, name_lookup, reading, row_search, select, shift, sources,
    time, user_files,
};

/// Inserts the completion at a row of the list into the line, and requests further completions.
pub(super) fn pick_completion(model: &mut Model, row: usize) -> Vec<Effect> {
    if let Some(prompt) = completion::filter(model) {
        completion::put(prompt, Some(row));
    }
    changed(model)
}

/// Number of rows by which a page key moves in a picker.
const PAGE: usize = 10;

fn open_rows(model: &mut Model) -> Vec<Effect> {
    let text = model.table().map_or(String::new(), |t| t.filter.clone());
    prompts::open(model, PromptKind::Rows, &text)
}

/// Opens the prompt that filters the rows of a table by words.
pub(super) fn filter_rows(model: &mut Model) -> Vec<Effect> {
    if model.view.is_table() {
        return open_rows(model);
    }
    say(model, "only in tables: here a filter does it".to_owned());
    Vec::new()
}

/// Opens a prompt and accepts `text` in it.
pub(super) fn answer(model: &mut Model, kind: PromptKind, text: &str) -> Vec<Effect> {
    prompts::open(model, kind, text);
    accept(model)
}

/// Runs a command inside a prompt or picker; `None` if the command means the same there as elsewhere.
pub(super) fn in_popup(model: &mut Model, command: Command) -> Option<Picked> {
    if matches!(
        (command, &model.popup),
        (Command::Open, Some(Popup::Picker(_)))
    ) {
        return Some(lists::pick(model));
    }
    edit_or_move(model, command).map(Picked::Done)
}

fn edit_or_move(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    match edit(model, command) {
        Some(Edited::Text) => return Some(changed(model)),
        Some(Edited::Cursor) => return Some(completion::ask_again(model)),
        None => {}
    }
    let popup = model.popup.as_mut()?;
    match (command, popup) {
        (Command::NextPane | Command::PrevPane, Popup::Prompt(_)) => {
            completion::choose(
                model,
                match command {
                    Command::NextPane => Direction::Forward,
                    _ => Direction::Backward,
                },
            );
            return Some(Vec::new());
        }
        (Command::Open, Popup::Prompt(_)) => return Some(accept(model)),
        (Command::Open | Command::Copy, Popup::Cells(_)) => return Some(cells::pick(model)),
        (Command::Open, Popup::Pivot(_)) => return Some(select::take(model)),
        // Down enters the list of completions; up leaves it, then goes back in the history.
        (Command::Up | Command::Down, Popup::Prompt(prompt))
            if prompt.offers.chosen.is_some()
                || (command == Command::Down
                    && prompt.history_index == 0
                    && !prompt.offers.items.is_empty()) =>
        {
            completion::choose(model, vertical(command));
            return Some(Vec::new());
        }
        (Command::Up | Command::Down, Popup::Prompt(_)) => {
            prompts::recall(model, vertical(command));
        }
        (_, Popup::Picker(picker)) => {
            picker.cursor = moved(picker.cursor, command, picker.shown.len())?;
            return Some(Vec::new());
        }
        (_, Popup::Cells(cells)) => {
            cells.cursor = moved(cells.cursor, command, cells.rows.len())?;
            return Some(Vec::new());
        }
        (_, Popup::Pivot(pivot)) => {
            pivot.cursor = moved(pivot.cursor, command, pivot.rows.len())?;
            return Some(Vec::new());
        }
        (_, Popup::Prompt(_)) => return None,
    }
    Some(changed(model))
}

/// Effect of an editing command on a line.
enum Edited {
    /// The cursor moved.
    Cursor,
    /// The text changed.
    Text,
}

/// Runs an editing command on the line of the popup; `None` if the command edits no line, or the popup has none.
fn edit(model: &mut Model, command: Command) -> Option<Edited> {
    use Direction::{Backward, Forward};
    let is_prompt = matches!(model.popup, Some(Popup::Prompt(_)));
    let clears = match &model.popup {
        // After an error the program puts the cursor on it, so deleting to the start clears the whole line.
        Some(Popup::Prompt(prompt)) => command == Command::DeleteToStart && is_at_problem(prompt),
        _ => false,
    };
    let line = model.popup.as_mut()?.line()?;
    if clears {
        line.go_to_end();
    }
    match command {
        Command::Left => line.step(Backward),
        Command::Right => line.step(Forward),
        Command::WordLeft => line.step_word(Backward),
        Command::WordRight => line.step_word(Forward),
        Command::LineStart => line.go_to_start(),
        Command::LineEnd => line.go_to_end(),
        // In a picker these move in the list.
        Command::First if is_prompt => line.go_to_start(),
        Command::Last if is_prompt => line.go_to_end(),
        _ => return edit_text(line, command, &mut model.deleted_text),
    }
    Some(Edited::Cursor)
}

/// Runs a command that changes the text of a line; `deleted` is the text that was deleted last.
fn edit_text(line: &mut TextInput, command: Command, deleted: &mut String) -> Option<Edited> {
    let text = match command {
        Command::DeleteBack => {
            line.delete(Direction::Backward);
            String::new()
        }
        Command::DeleteForward => {
            line.delete(Direction::Forward);
            String::new()
        }
        Command::Yank => {
            line.insert_text(deleted);
            String::new()
        }
        Command::DeleteWord => line.delete_word(),
        Command::DeleteNextWord => line.delete_next_word(),
        Command::DeleteToStart => line.delete_to_start(),
        Command::DeleteToEnd => line.delete_to_end(),
        _ => return None,
    };
    if !text.is_empty() {
        *deleted = text;
    }
    Some(Edited::Text)
}

/// Whether the cursor of the prompt is at the position of its error.
fn is_at_problem(prompt: &Prompt) -> bool {
    let problem = prompt.problem.as_ref();
    problem.is_some_and(|p| p.at == prompt.line.at)
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

/// Returns the direction of a vertical command: forward for down, backward for up.
fn vertical(command: Command) -> Direction {
    match command {
        Command::Down => Direction::Forward,
        _ => Direction::Backward,
    }
}

/// Updates errors, completions and the filtered table after the text of a prompt or picker changed.
pub(super) fn changed(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    let problem = match &model.popup {
        Some(Popup::Prompt(prompt)) if prompt.kind.is_filter() => {
            read(model, &prompt.line.text).err()
        }
        Some(Popup::Prompt(prompt)) if prompt.kind == PromptKind::Extraction => {
            let text = prompt.line.text.clone();
            let (problem, asked) = reading::changed(model, &text);
            effects = asked;
            problem
        }
        _ => None,
    };
    match &mut model.popup {
        // The end of a line is incomplete while the user types, so only errors before it are shown.
        Some(Popup::Prompt(prompt)) => {
            let written = prompt.line.text.trim_end().len();
            prompt.problem = problem.filter(|p| p.at + p.len < written);
        }
        Some(Popup::Picker(picker)) => picker.refresh(),
        _ => {}
    }
    compare::rewritten(model);
    effects.extend(name_lookup::rewritten(model));
    tables::filter_by_line(model);
    effects.extend(completion::ask_again(model));
    effects
}

/// Parses a filter. Keys that no record has are errors, so that a typing error does not yield an empty list.
fn read(model: &Model, text: &str) -> Result<(Expr, Vec<String>), QueryError> {
    parse_with_notes(
        text,
        Some(&model.snapshot.catalog.keys),
        &model.time_context(),
    )
}

/// Closes the prompt and runs its line.
pub(super) fn accept(model: &mut Model) -> Vec<Effect> {
    let Some(Popup::Prompt(prompt)) = model.popup.take() else {
        return Vec::new();
    };
    let (kind, text) = (prompt.kind, prompt.line.text.trim().to_owned());
    let mut effects = run_line(model, prompt, text.clone());
    // An invalid line stays open with its error.
    let is_open = matches!(&model.popup, Some(Popup::Prompt(open)) if open.kind == kind);
    if !text.is_empty() && !is_open {
        effects.push(prompts::remember(model, kind, &text));
    }
    effects
}

fn run_line(model: &mut Model, prompt: Prompt, text: String) -> Vec<Effect> {
    match prompt.kind {
        PromptKind::Shift(source) => shift::accept(model, source, &text),
        // The table is already filtered while the user types.
        PromptKind::Rows => Vec::new(),
        PromptKind::Note(place) => user_files::note(model, place, &text),
        PromptKind::Export(_) => export::write(model, &text),
        PromptKind::Draft => sources::draft(model, text),
        PromptKind::Extraction => reading::accept(model, prompt),
        PromptKind::Search if text.is_empty() => {
            match model.view.is_records() {
                true => model.search = TextSearch::default(),
                false => drop(row_search::stop(model)),
            }
            Vec::new()
        }
        PromptKind::Goto | PromptKind::Filter | PromptKind::Compare if text.is_empty() => {
            Vec::new()
        }
        PromptKind::Goto => go_to(model, prompt, &text),
        PromptKind::Search => match SearchText::parse(&text) {
            Ok(searched) => {
                if !model.view.is_records() {
                    row_search::begin(model, text, searched);
                    return Vec::new();
                }
                find::search_for(model, text, searched, Direction::Forward)
            }
            Err(error) => {
                prompts::keep_open(model, prompt, error, &text);
                Vec::new()
            }
        },
        PromptKind::Filter | PromptKind::Compare => filter(model, prompt, text),
    }
}

/// Goes to a time; the prompt stays open with the error if the time is invalid.
fn go_to(model: &mut Model, prompt: Prompt, text: &str) -> Vec<Effect> {
    match time::go_to(model, text) {
        Ok(effects) => effects,
        Err(error) => {
            prompts::keep_open(model, prompt, error, text);
            Vec::new()
        }
    }
}

/// Selects the records that match a filter; the prompt stays open with the error marked if the filter is invalid.
fn filter(model: &mut Model, prompt: Prompt, text: String) -> Vec<Effect> {
    let (expr, notes) = match read(model, &prompt.line.text) {
        Ok(read) => read,
        Err(problem) => {
            let mut line = prompt.line;
            line.go_to(problem.at);
            model.popup = Some(Popup::Prompt(Prompt {
                line,
                problem: Some(problem),
                offers: Completions::default(),
                ..prompt
            }));
            return Vec::new();
        }
    };
    let step = SelectionStep::new(text.clone(), expr);
    if prompt.kind == PromptKind::Compare {
        return compare::with(model, ComparedSide::selected(text, vec![step]));
    }
    let effects = match prompt.replaces {
        Some(at) => selection::replace(model, at, step),
        None => selection::push(model, step),
    };
    if !notes.is_empty() {
        say(model, notes.join(", "));
    }
    effects
}

/// Inserts pasted text into the open prompt or picker, with control characters as blanks.
pub(super) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let Some(line) = model.popup.as_mut().and_then(Popup::line) else {
        let key = |command| model.keymap.keys_of(&model.scopes(), command);
        let key = |command: Command| key(command).unwrap_or_else(|| command.info().name.to_owned());
        let (search, filter) = (key(Command::Search), key(Command::Filter));
        let text = format!("what is pasted goes into a line: {search} searches, {filter} filters");
        say(model, text);
        return Vec::new();
    };
    for c in text.trim_end().chars() {
        line.insert(if c.is_control() { ' ' } else { c });
    }
    changed(model)
}

#[cfg(test)]
mod tests {
    use crate::keymap::Keymap;
    use crate::keys::Key;
    use crate::model::Model;
    use crate::msg::{Effect, Msg};
    use crate::popups::Popup;
    use crate::update::Explorer;

    fn explorer() -> Explorer {
        Explorer::new(Model::new("", Keymap::standard(), "dark"))
    }

    /// Presses keys separated by blanks; a word of several letters without a name is typed.
    fn press(explorer: &mut Explorer, keys: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        for word in keys.split(' ') {
            let keys = match Key::parse(word) {
                Some(key) => vec![key],
                None => word
                    .chars()
                    .filter_map(|c| Key::parse(&c.to_string()))
                    .collect(),
            };
            for key in keys {
                effects.extend(explorer.update(Msg::Key(key)));
            }
        }
        effects
    }

    fn text(explorer: &Explorer) -> String {
        match &explorer.popup {
            Some(Popup::Prompt(prompt)) => prompt.line.text.clone(),
            Some(Popup::Picker(picker)) => picker.line.text.clone(),
            _ => "closed".to_owned(),
        }
    }

    #[test]
    fn prompts_and_pickers_have_the_keys_of_readline() {
        for opens in ["/", ":"] {
            let mut explorer = explorer();
            press(&mut explorer, &format!("{opens} one space two space three"));
            press(&mut explorer, "ctrl-w");
            assert_eq!(text(&explorer), "one two ");
            press(&mut explorer, "ctrl-a ctrl-y");
            assert_eq!(text(&explorer), "threeone two ");
            press(&mut explorer, "alt-b alt-d");
            assert_eq!(text(&explorer), " two ");
            press(&mut explorer, "ctrl-e ctrl-left X alt-f Y");
            assert_eq!(text(&explorer), " XtwoY ");
            press(&mut explorer, "ctrl-k");
            assert_eq!(text(&explorer), " XtwoY");
            press(&mut explorer, "ctrl-u");
            assert_eq!(text(&explorer), "");
            press(&mut explorer, "ctrl-y");
            assert_eq!(text(&explorer), " XtwoY");
        }
    }

    #[test]
    fn each_kind_of_prompt_has_its_history_and_keeps_what_is_typed() {
        let mut explorer = explorer();
        let kept = |effects: Vec<Effect>| {
            let kept = effects.into_iter().filter_map(|effect| match effect {
                Effect::RememberInput(kind, text) => Some(format!("{} {text}", kind.name())),
                _ => None,
            });
            kept.collect::<Vec<String>>().join(", ")
        };
        let effects = press(&mut explorer, "/ first enter / second enter / enter");
        assert_eq!(kept(effects), "search first, search second");
        let effects = press(&mut explorer, "f level=error enter");
        assert_eq!(kept(effects), "filter level=error");
        // An invalid line stays open and is not kept.
        let effects = press(&mut explorer, "f level= enter");
        assert_eq!(
            (kept(effects), text(&explorer)),
            (String::new(), "level=".to_owned())
        );
        press(&mut explorer, "esc / typed up up up");
        assert_eq!(text(&explorer), "first");
        press(&mut explorer, "down");
        assert_eq!(text(&explorer), "second");
        press(&mut explorer, "down");
        assert_eq!(text(&explorer), "typed");
    }
}
