//! Undo and redo of changes of the selection, of joins, of the time range, of orders and of time shifts.

use crate::command::Command;
use crate::model::Model;
use crate::msg::Effect;
use widetui_session::selection::Changed;

use super::primitives::notices::say;
use super::primitives::{overview, selection, tables};
use super::{joins, shift};

pub(super) fn undo(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    match model.selection.undo() {
        Some(what) => apply(model, &what),
        None => say(model, "there is nothing to undo"),
    }
}

pub(super) fn redo(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    if let Some(what) = model.selection.redo() {
        return apply(model, &what);
    }
    let key = model.key_of(Command::Undo);
    say(model, format!("nothing was undone ({key} undoes)"))
}

/// Applies a change that was undone or redone.
fn apply(model: &mut Model, what: &Changed) -> Vec<Effect> {
    match what {
        Changed::Steps => {
            selection::come_back(model);
            selection::changed(model)
        }
        Changed::Joins(before) => joins::turned(model, before),
        Changed::TimeRange(stretch) => overview::show_time_range(model, *stretch),
        Changed::Order(view, order) => tables::order(model, view, *order),
        Changed::Shift(source, ns) => shift::put(model, *source, *ns),
    }
}
