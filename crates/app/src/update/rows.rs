//! Display of the record list: context lines, wrapped and expanded records, hidden sources.

use crate::command::Command;
use crate::event_list::CursorAnchor;
use crate::model::{Model, Pane, View};
use crate::msg::Effect;
use widetui_session::context_lines::{ContextScope, ContextWindow};
use widetui_session::record_texts::Place;

use super::primitives::navigation::show_records;
use super::primitives::notices::say;
use super::primitives::{scrolling, selected_rows, selection};

/// Initial number of context lines on each side.
const LINES: usize = 3;

/// Maximum number of context lines on each side.
const MOST_LINES: usize = 50;

/// Cycles through context lines of the same source, context lines of all sources, and none.
pub(super) fn next_context(model: &mut Model) -> Vec<Effect> {
    show_records(model);
    let next = match model.events.context {
        None => Some(ContextWindow {
            of: ContextScope::Source,
            lines: LINES,
        }),
        Some(now) if now.of == ContextScope::Source => Some(ContextWindow {
            of: ContextScope::All,
            ..now
        }),
        Some(_) => None,
    };
    show_context(model, next)
}

/// Changes the number of context lines on each side by `more`.
pub(super) fn more_context(model: &mut Model, more: isize) -> Vec<Effect> {
    show_records(model);
    let now = model.events.context.unwrap_or(ContextWindow {
        of: ContextScope::Source,
        lines: 0,
    });
    let lines = now.lines.saturating_add_signed(more).min(MOST_LINES);
    let next = ContextWindow { lines, ..now };
    show_context(model, Some(next).filter(|c| c.lines > 0))
}

/// Shows, changes or hides context lines.
pub(super) fn show_context(model: &mut Model, context: Option<ContextWindow>) -> Vec<Effect> {
    if context == model.events.context {
        return Vec::new();
    }
    if model.selection.is_all() {
        model.events.context = None;
        return say(model, "nothing is filtered: all context lines are there");
    }
    model.events.context = context;
    model.events.anchor = CursorAnchor::Record;
    let text = match context {
        None => "only the selected records".to_owned(),
        Some(ContextWindow { of, lines }) => {
            let whose = match of {
                ContextScope::Source => "their source",
                ContextScope::All => "all sources",
            };
            format!("selected records with {lines} context lines of {whose} on each side")
        }
    };
    say(model, text);
    vec![selected_rows::request(model)]
}

pub(super) fn wrap(model: &mut Model) -> Vec<Effect> {
    if model.pane == Pane::Record {
        model.record.wrap = !model.record.wrap;
    } else {
        model.events.wrap = !model.events.wrap;
        let text = match model.events.wrap {
            true => "long messages are wrapped",
            false => "long messages are cut",
        };
        say(model, text);
    }
    model.events.left = 0;
    scrolling::settle(model);
    Vec::new()
}

/// Expands the record under the cursor to all its lines, or collapses it to the first one.
pub(super) fn unfold_record(model: &mut Model) -> Vec<Effect> {
    show_records(model);
    let Some(place) = model.current().map(|e| Place::from_event(&e)) else {
        return Vec::new();
    };
    let known = model.events.expanded.iter().position(|p| *p == place);
    match known {
        Some(at) => {
            model.events.expanded.swap_remove(at);
        }
        None => model.events.expanded.push(place),
    }
    let lines = model.current().and_then(|e| model.text(&e));
    if known.is_none() && lines.is_some_and(|r| r.more_lines == 0) && !model.events.wrap {
        say(model, "this record has one line");
    }
    scrolling::settle(model);
    Vec::new()
}

/// Hides or shows the source of the record under the cursor, or the source under the cursor of the sources view.
pub(super) fn hide_source(model: &mut Model) -> Vec<Effect> {
    if model.view != View::SOURCES {
        show_records(model);
    }
    let source = (model.view.source)(model);
    let Some((path, name)) = source
        .filter(|s| s.is_log)
        .map(|s| (s.path.clone(), model.source_names.name_of(s).to_owned()))
    else {
        return say(model, "there is no source with records here");
    };
    model.popup = None;
    model.events.anchor = CursorAnchor::Record;
    let is_hidden = model.selection.toggle_source(&path);
    let text = if is_hidden {
        let key = |command| model.key_of(command);
        let (undo, sources) = (key(Command::Undo), key(Command::ViewSources));
        let hide = key(Command::HideSource);
        format!("{name} is hidden; {undo} shows it again, later {sources} and {hide} on its row")
    } else {
        format!("{name} is shown again")
    };
    say(model, text);
    selection::changed(model)
}
