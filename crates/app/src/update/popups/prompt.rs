//! Prompts, and commands inside prompts and pickers.

use crate::command::Command;
use crate::model::{Model, TextSearch};
use crate::msg::Effect;
use crate::popups::{Completions, Picker, Prompt, PromptKind, TextInput};
use widetui_core::direction::Direction;
use widetui_query::{Expr, QueryError, SearchText, parse_with_notes};
use widetui_session::comparison::ComparedSide;
use widetui_session::selection::SelectionStep;

use super::{Layer, Picked, direction};
use crate::update::primitives::notices::say;
use crate::update::primitives::{completion, prompts, selection, tables};
use crate::update::{
    compare, export, find, name_lookup, reading, row_search, shift, sources, time, user_files,
};

/// Inserts the completion at a row of the list into the line, and requests further completions.
fn pick_completion(model: &mut Model, row: usize) -> Vec<Effect> {
    if let Some(prompt) = completion::filter(model) {
        completion::put(prompt, Some(row));
    }
    changed(model)
}

/// Behaviour of the prompt.
pub(super) static LAYER: Layer = Layer {
    run,
    take: |model| Picked::Done(accept(model)),
    letter: |_, _| None,
    click: Some(pick_completion),
};

fn open_rows(model: &mut Model) -> Vec<Effect> {
    let text = model.table().map_or(String::new(), |t| t.filter.clone());
    prompts::open(model, PromptKind::Rows, &text)
}

/// Opens the prompt that filters the rows of a table by words.
pub(in crate::update) fn filter_rows(model: &mut Model) -> Vec<Effect> {
    if model.view.is_table() {
        return open_rows(model);
    }
    say(model, "only in tables: here a filter does it")
}

/// Opens a prompt and accepts `text` in it.
pub(in crate::update) fn answer(model: &mut Model, kind: PromptKind, text: &str) -> Vec<Effect> {
    prompts::open(model, kind, text);
    accept(model)
}

/// Moves among the completions or in the history.
fn run(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    let prompt = model.popup_of::<Prompt>()?;
    // Down enters the list of completions; up leaves it, then goes back in the history.
    let is_at_list = prompt.history_index == 0 && !prompt.offers.items.is_empty();
    let enters = command == Command::Down && is_at_list;
    match command {
        Command::Up | Command::Down if prompt.offers.chosen.is_none() && !enters => {
            prompts::recall(model, direction(command));
            Some(changed(model))
        }
        Command::Up | Command::Down | Command::NextPane | Command::PrevPane => {
            completion::choose(model, direction(command));
            // The preview is that of the inserted name.
            let prompt = model
                .popup_of::<Prompt>()
                .filter(|p| p.kind.is_extraction());
            let text = prompt.map(|prompt| prompt.line.text.clone());
            Some(text.map_or(Vec::new(), |text| reading::changed(model, &text).1))
        }
        _ => None,
    }
}

/// Effect of an editing command on a line.
pub(super) enum Edited {
    /// The cursor moved.
    Cursor,
    /// The text changed.
    Text,
}

/// Runs an editing command on the line of the popup; `None` if the command edits no line, or the popup has none.
pub(super) fn edit(model: &mut Model, command: Command) -> Option<Edited> {
    use Direction::{Backward, Forward};
    let prompt = model.popup_of::<Prompt>();
    let is_prompt = prompt.is_some();
    // After an error the program puts the cursor on it, so deleting to the start clears the whole line.
    let clears = command == Command::DeleteToStart && prompt.is_some_and(is_at_problem);
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

/// Updates errors, completions and the filtered table after the text of a prompt or picker changed.
pub(in crate::update) fn changed(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    if let Some(prompt) = model.popup_of::<Prompt>() {
        let (kind, text) = (prompt.kind, prompt.line.text.clone());
        let problem = match kind {
            _ if kind.is_extraction() => {
                let (problem, asked) = reading::changed(model, &text);
                effects = asked;
                problem
            }
            _ if kind.is_filter() => read(model, &text).err(),
            _ => None,
        };
        // The end of a line is incomplete while the user types, so only errors before it are shown.
        let written = text.trim_end().len();
        if let Some(prompt) = model.popup_of_mut::<Prompt>() {
            prompt.problem = problem.filter(|p| p.at + p.len < written);
        }
    }
    if let Some(picker) = model.popup_of_mut::<Picker>() {
        picker.refresh();
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
fn accept(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = model.popup_of::<Prompt>().cloned() else {
        return Vec::new();
    };
    model.popup = None;
    let (kind, text) = (prompt.kind, prompt.line.text.trim().to_owned());
    let mut effects = run_line(model, prompt, text.clone());
    // An invalid line stays open with its error.
    let is_open = model
        .popup_of::<Prompt>()
        .is_some_and(|open| open.kind == kind);
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
        PromptKind::Extraction | PromptKind::Typed(_) => reading::accept(model, prompt),
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
    let source = model.source_names.sources_named(&model.snapshot, &text);
    let (text, read) = match source {
        Some(expr) => (format!("source {text}"), Ok((expr, Vec::new()))),
        None => (text, read(model, &prompt.line.text)),
    };
    let (expr, notes) = match read {
        Ok(read) => read,
        Err(problem) => {
            let mut line = prompt.line;
            line.go_to(problem.at);
            let prompt = Prompt {
                line,
                problem: Some(problem),
                offers: Completions::default(),
                ..prompt
            };
            model.popup = Some(prompt.into());
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
pub(in crate::update) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let Some(line) = model.popup.as_mut().and_then(|popup| popup.line()) else {
        let [search, filter] = [Command::Search, Command::Filter].map(|c| model.key_of(c));
        return say(
            model,
            format!("what is pasted goes into a line: {search} searches, {filter} filters"),
        );
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
