//! Prompts: opened, kept open with an error, and the history of their lines.

use crate::model::Model;
use crate::msg::Effect;
use crate::popups::{Completions, PopupKind, Prompt, PromptKind, TextInput};
use widetui_core::direction::Direction;
use widetui_query::QueryError;

use super::completion;
use super::navigation::show_records;

/// Opens the prompt for a filter.
pub(in crate::update) fn open_filter(model: &mut Model, text: &str) -> Vec<Effect> {
    open(model, PromptKind::Filter, text)
}

/// Opens the prompt for a filter that replaces a step of the selection.
pub(in crate::update) fn edit_step(model: &mut Model, step: usize, text: &str) -> Vec<Effect> {
    let effects = open_filter(model, text);
    if let Some(prompt) = model.popup_of_mut::<Prompt>() {
        prompt.replaces = Some(step);
    }
    effects
}

/// Opens the prompt for a time to go to.
pub(in crate::update) fn open_goto(model: &mut Model) -> Vec<Effect> {
    open(model, PromptKind::Goto, "")
}

/// Opens the prompt for a text search.
pub(in crate::update) fn open_search(model: &mut Model) -> Vec<Effect> {
    open(model, PromptKind::Search, "")
}

pub(in crate::update) fn open(model: &mut Model, kind: PromptKind, text: &str) -> Vec<Effect> {
    let is_elsewhere = match kind {
        PromptKind::Note(_) => true,
        // Views over time have their own cursor, which marks the same moment.
        PromptKind::Goto => !model.view.is_over_time(),
        _ => false,
    };
    if is_elsewhere {
        show_records(model);
    }
    let prompt = Prompt {
        kind,
        line: TextInput::new(text),
        problem: None,
        history_index: 0,
        draft: TextInput::default(),
        offers: Completions::default(),
        replaces: None,
    };
    model.popup = Some(prompt.into());
    completion::ask_again(model)
}

/// Replaces the text of the prompt by an older or newer line of the history.
pub(in crate::update) fn recall(model: &mut Model, direction: Direction) {
    // The history is another field of the model than the popup.
    let Some(prompt) = model.popup.as_mut().and_then(Prompt::of_mut) else {
        return;
    };
    let older: Vec<&str> = model.history.of(prompt.kind.info().input).collect();
    if prompt.history_index == 0 {
        prompt.draft = prompt.line.clone();
    }
    prompt.history_index = match direction {
        Direction::Backward => (prompt.history_index + 1).min(older.len()),
        Direction::Forward => prompt.history_index.saturating_sub(1),
    };
    let at = older.len().checked_sub(prompt.history_index);
    let text = at.and_then(|at| older.get(at));
    prompt.line = text.map_or_else(|| prompt.draft.clone(), |text| TextInput::new(text));
}

/// Keeps the prompt open with an error that covers the whole line.
pub(in crate::update) fn keep_open(model: &mut Model, prompt: Prompt, error: String, text: &str) {
    let problem = QueryError {
        text: error,
        at: 0,
        len: text.len(),
        suggestion: None,
        query: prompt.line.text.clone(),
    };
    let prompt = Prompt {
        problem: Some(problem),
        ..prompt
    };
    model.popup = Some(prompt.into());
}

/// Adds an accepted line to the history, here and in the file of the user.
pub(in crate::update) fn remember(model: &mut Model, kind: PromptKind, text: &str) -> Effect {
    let kind = kind.info().input;
    model.history.add(kind, text);
    Effect::RememberInput(kind, text.to_owned())
}
