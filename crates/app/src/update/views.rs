//! Navigation between views and panes, with one stack of places: each step deeper into the run pushes the previous place,
//! each step back pops it.

use crate::command::Command;
use crate::model::{Model, Pane, TextSearch, View};
use crate::msg::Effect;

use super::primitives::navigation::show_by_key;
use super::primitives::notices::say;
use super::primitives::{completion, followed_value, navigation, scrolling, selection, tables};
use super::{findings, row_search, rows};

pub(super) fn next_pane(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    model.pane = match model.pane {
        Pane::List if model.view.has_detail() => Pane::Record,
        _ => Pane::List,
    };
    scrolling::settle(model);
    Vec::new()
}

pub(super) fn record_pane(model: &mut Model) -> Vec<Effect> {
    model.record.shown = !model.record.shown;
    model.pane = Pane::List;
    scrolling::settle(model);
    Vec::new()
}

/// Shows the view whose key binding runs `command`.
pub(super) fn show_own(model: &mut Model, command: Command) -> Vec<Effect> {
    View::shown_by(command).map_or_else(Vec::new, |view| show_by_key(model, view))
}

/// Goes back by one level: closes the popup or record pane, clears a search or row filter, leaves the view, or removes the
/// last step of the selection.
pub(super) fn back(model: &mut Model) -> Vec<Effect> {
    if completion::give_up(model) || tables::drop_filter(model) || model.popup.take().is_some() {
        return Vec::new();
    }
    if model.pane != Pane::List {
        return navigation::to_list(model);
    }
    if model.view.is_over_time() && model.events.time_selection.take().is_some() {
        return Vec::new();
    }
    if model.view == View::Diagnose
        && let Some(effects) = findings::give_up(model)
    {
        return effects;
    }
    if row_search::stop(model) {
        return Vec::new();
    }
    if let Some(effects) = tables::give_up(model) {
        return effects;
    }
    if model.view == View::Events {
        if model.events.time_selection.take().is_some() {
            return Vec::new();
        }
        if model.events.context.is_some() {
            return rows::show_context(model, None);
        }
        if model.events.highlight.is_some() {
            return followed_value::stop(model);
        }
        if !model.search.line.is_empty() {
            model.search = TextSearch::default();
            return Vec::new();
        }
    }
    if let Some(effects) = navigation::step_back(model) {
        return effects;
    }
    if !model.selection.is_all() {
        return selection::keep(model, model.selection.steps().len() - 1);
    }
    let keys = model.keymap.keys_of(&model.scopes(), Command::Quit);
    say(
        model,
        format!("{} leaves", keys.as_deref().unwrap_or("quit")),
    );
    Vec::new()
}
