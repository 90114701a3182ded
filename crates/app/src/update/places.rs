//! Navigation between views and panes, with one stack of places: each step deeper into the run pushes the previous place,
//! each step back pops it.

use crate::command::Command;
use crate::model::{Model, Pane};
use crate::msg::Effect;

use super::primitives::notices::say;
use super::primitives::{completion, navigation, scrolling, selection, tables};
use super::row_search;

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

/// Undoes the last step: closes the popup or leaves the record pane, clears a search or row filter, or returns to the place
/// before.
pub(super) fn back(model: &mut Model) -> Vec<Effect> {
    undo_step(model).unwrap_or_else(|| {
        let key = model.key_of(Command::Quit);
        say(model, format!("{key} leaves"))
    })
}

/// Undoes the last step, as [`back`]; at the root leaves the program, after a step back on the second press only.
pub(super) fn quit(model: &mut Model) -> Vec<Effect> {
    if let Some(effects) = undo_step(model) {
        return effects;
    }
    if std::mem::take(&mut model.was_back) {
        let key = model.key_of(Command::Quit);
        return say(model, format!("this is the start: {key} leaves"));
    }
    vec![Effect::Quit]
}

/// Undoes the last step; `None` at the root.
fn undo_step(model: &mut Model) -> Option<Vec<Effect>> {
    let effects = undo_in_view(model).or_else(|| navigation::step_back(model));
    let effects = effects.or_else(|| {
        let steps = model.selection.steps().len();
        (steps > 0).then(|| selection::keep(model, steps - 1))
    })?;
    (model.was_back, model.stepped_back) = (true, true);
    Some(effects)
}

/// Undoes what is open or set in the view itself.
fn undo_in_view(model: &mut Model) -> Option<Vec<Effect>> {
    if completion::give_up(model) || tables::drop_filter(model) || model.popup.take().is_some() {
        return Some(Vec::new());
    }
    if model.pane != Pane::List {
        return Some(navigation::to_list(model));
    }
    if let Some(effects) = (model.view.undo)(model) {
        return Some(effects);
    }
    if row_search::stop(model) {
        return Some(Vec::new());
    }
    let is_blank = model
        .table()
        .is_some_and(|table| table.is_pending && !table.is_known);
    let mut effects = tables::give_up(model)?;
    if is_blank {
        // Without an answer the view would stay empty.
        effects.extend(navigation::step_back(model).unwrap_or_default());
    }
    Some(effects)
}
