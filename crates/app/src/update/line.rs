//! Prompts, and commands inside prompts and pickers.

use crate::command::Command;
use crate::model::{Model, TextSearch, View};
use crate::msg::Effect;
use crate::popups::{Completions, Popup, Prompt, PromptKind, TextInput};
use widetui_core::direction::Direction;
use widetui_query::{Expr, QueryError, SearchText, parse_with_notes};
use widetui_session::comparison::ComparedSide;
use widetui_session::jobs::Question;
use widetui_session::selection::SelectionStep;

use super::{
    ask, cells, compare, complete, export, lists, name_lookup, reading, row_search, say, select,
    shift, show, sources, table, time, user_files,
};

/// Number of rows by which a page key moves in a picker.
const PAGE: usize = 10;
/// Maximum number of lines in the prompt history.
const HISTORY: usize = 200;

/// Opens the prompt for a filter.
pub(super) fn open_filter(model: &mut Model, text: &str) -> Vec<Effect> {
    open(model, PromptKind::Filter, text)
}

/// Opens the prompt for a filter that replaces a step of the selection.
pub(super) fn edit_step(model: &mut Model, step: usize, text: &str) -> Vec<Effect> {
    let effects = open_filter(model, text);
    if let Some(Popup::Prompt(prompt)) = &mut model.popup {
        prompt.replaces = Some(step);
    }
    effects
}

/// Opens the prompt for a time to go to.
pub(super) fn open_goto(model: &mut Model) -> Vec<Effect> {
    open(model, PromptKind::Goto, "")
}

/// Opens the prompt for a text search.
pub(super) fn open_search(model: &mut Model) -> Vec<Effect> {
    open(model, PromptKind::Search, "")
}

fn open_rows(model: &mut Model) -> Vec<Effect> {
    let text = model.table().map_or(String::new(), |t| t.filter.clone());
    open(model, PromptKind::Rows, &text)
}

pub(super) fn open(model: &mut Model, kind: PromptKind, text: &str) -> Vec<Effect> {
    let is_elsewhere = match kind {
        PromptKind::Note(_) => true,
        // Views over time have their own cursor, which marks the same moment.
        PromptKind::Goto => !model.view.is_over_time(),
        _ => false,
    };
    if is_elsewhere {
        show(model, View::Events);
    }
    model.popup = Some(Popup::Prompt(Prompt {
        kind,
        line: TextInput::of(text),
        problem: None,
        history_index: 0,
        offers: Completions::default(),
        replaces: None,
    }));
    complete::ask_again(model)
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
    open(model, kind, text);
    accept(model)
}

/// Runs a command inside a prompt or picker; `None` if the command means the same there as elsewhere.
pub(super) fn in_popup(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    let popup = model.popup.as_mut()?;
    match (command, popup) {
        // After an error the program puts the cursor on it, so deleting to the start clears the whole line.
        (Command::DeleteToStart, Popup::Prompt(prompt)) if is_at_problem(prompt) => {
            prompt.line = TextInput::default();
        }
        (Command::DeleteBack, popup) => popup.line()?.delete_back(),
        (Command::DeleteWord, popup) => popup.line()?.delete_word(),
        (Command::DeleteToStart, popup) => popup.line()?.delete_to_start(),
        (Command::DeleteToEnd, popup) => popup.line()?.delete_to_end(),
        (Command::Left | Command::Right, popup) => {
            popup.line()?.step(match command {
                Command::Right => Direction::Forward,
                _ => Direction::Backward,
            });
            return Some(complete::ask_again(model));
        }
        (Command::NextPane | Command::PrevPane, Popup::Prompt(_)) => {
            complete::choose(
                model,
                match command {
                    Command::NextPane => Direction::Forward,
                    _ => Direction::Backward,
                },
            );
            return Some(Vec::new());
        }
        (Command::Open, Popup::Prompt(_)) => return Some(accept(model)),
        (Command::Open, Popup::Picker(_)) => return Some(lists::run(model)),
        (Command::Open | Command::Copy, Popup::Cells(_)) => return Some(cells::pick(model)),
        (Command::Open, Popup::Pivot(_)) => return Some(select::take(model)),
        (Command::First | Command::Last, Popup::Prompt(prompt)) => {
            prompt.line.at = match command {
                Command::First => 0,
                _ => prompt.line.text.len(),
            };
            return Some(complete::ask_again(model));
        }
        // Down enters the list of completions; up leaves it, then goes back in the history.
        (Command::Up | Command::Down, Popup::Prompt(prompt))
            if prompt.offers.chosen.is_some()
                || (command == Command::Down
                    && prompt.history_index == 0
                    && !prompt.offers.items.is_empty()) =>
        {
            complete::choose(model, vertical(command));
            return Some(Vec::new());
        }
        (Command::Up | Command::Down, Popup::Prompt(_)) => {
            recall(model, vertical(command));
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

/// Replaces the text of the prompt by an older or newer line of the history.
fn recall(model: &mut Model, direction: Direction) {
    let Some(Popup::Prompt(prompt)) = &mut model.popup else {
        return;
    };
    let own = prompt.kind.history();
    let older = model.history.iter().filter(|h| h.0 == own);
    let older: Vec<&str> = older.map(|h| h.1.as_str()).collect();
    prompt.history_index = match direction {
        Direction::Backward => (prompt.history_index + 1).min(older.len()),
        Direction::Forward => prompt.history_index.saturating_sub(1),
    };
    let at = older.len().checked_sub(prompt.history_index);
    let text = at.and_then(|at| older.get(at)).copied();
    prompt.line = TextInput::of(text.unwrap_or_default());
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
    table::filter_by_line(model);
    effects.extend(complete::ask_again(model));
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
    let text = prompt.line.text.trim().to_owned();
    match prompt.kind {
        PromptKind::Shift(source) => shift::accept(model, source, &text),
        // The table is already filtered while the user types.
        PromptKind::Rows => Vec::new(),
        PromptKind::Note(place) => {
            user_files::note(model, place, &text);
            Vec::new()
        }
        PromptKind::Export(_) => export::write(model, &text),
        PromptKind::Draft => sources::draft(model, text),
        PromptKind::Extraction => reading::accept(model, prompt),
        PromptKind::Search if text.is_empty() => {
            match model.view {
                View::Events => model.search = TextSearch::default(),
                _ => {
                    row_search::stop(model);
                }
            }
            Vec::new()
        }
        PromptKind::Goto | PromptKind::Filter | PromptKind::Compare if text.is_empty() => {
            Vec::new()
        }
        PromptKind::Goto => go_to(model, prompt, &text),
        PromptKind::Search => match SearchText::parse(&text) {
            Ok(searched) => {
                remember(model, prompt.kind, &text);
                if model.view != View::Events {
                    row_search::begin(model, text, searched);
                    return Vec::new();
                }
                search_for(model, text, searched, Direction::Forward)
            }
            Err(error) => {
                keep_open(model, prompt, error, &text);
                Vec::new()
            }
        },
        PromptKind::Filter | PromptKind::Compare => filter(model, prompt, text),
    }
}

/// Goes to a time; the prompt stays open with the error if the time is invalid.
fn go_to(model: &mut Model, prompt: Prompt, text: &str) -> Vec<Effect> {
    match time::go_to(model, text) {
        Ok(effects) => {
            remember(model, prompt.kind, text);
            effects
        }
        Err(error) => {
            keep_open(model, prompt, error, text);
            Vec::new()
        }
    }
}

/// Keeps the prompt open with an error that covers the whole line.
fn keep_open(model: &mut Model, prompt: Prompt, error: String, text: &str) {
    let problem = QueryError {
        text: error,
        at: 0,
        len: text.len(),
        suggestion: None,
        query: prompt.line.text.clone(),
    };
    model.popup = Some(Popup::Prompt(Prompt {
        problem: Some(problem),
        ..prompt
    }));
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
    remember(model, prompt.kind, &text);
    let step = SelectionStep::new(text.clone(), expr);
    if prompt.kind == PromptKind::Compare {
        return compare::with(model, ComparedSide::selected(text, vec![step]));
    }
    let effects = match prompt.replaces {
        Some(at) => select::replace(model, at, step),
        None => select::push(model, step),
    };
    if !notes.is_empty() {
        super::say(model, notes.join(", "));
    }
    effects
}

/// Adds a line to the prompt history, without duplicates.
fn remember(model: &mut Model, kind: PromptKind, text: &str) {
    let line = (kind.history(), text.to_owned());
    model.history.retain(|h| *h != line);
    model.history.push(line);
    if model.history.len() > HISTORY {
        model.history.remove(0);
    }
}

/// Searches the selected records for a parsed text and goes to the next or previous hit.
pub(super) fn search_for(
    model: &mut Model,
    text: String,
    searched: SearchText,
    direction: Direction,
) -> Vec<Effect> {
    let SearchText { expr, matcher } = searched;
    model.search = TextSearch {
        matcher,
        expr: expr.clone(),
        line: text.clone(),
        hits: None,
        is_whole: false,
        waiting: Some(direction),
    };
    super::say(model, format!("searching “{text}” …"));
    let near = model.current().map(|e| e.id);
    let question = Question::Search(model.rows.clone(), expr, near);
    vec![ask(model, question)]
}

/// Handles a click on a row of the open popup.
pub(super) fn click(model: &mut Model, row: usize) -> Vec<Effect> {
    match &mut model.popup {
        Some(Popup::Prompt(_)) => complete::pick(model, row),
        Some(Popup::Picker(picker)) if row < picker.shown.len() => {
            picker.cursor = row;
            lists::run(model)
        }
        Some(Popup::Cells(cells)) if row < cells.rows.len() => {
            cells.cursor = row;
            cells::pick(model)
        }
        Some(Popup::Pivot(pivot)) if row < pivot.rows.len() => {
            pivot.cursor = row;
            select::take(model)
        }
        _ => Vec::new(),
    }
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
