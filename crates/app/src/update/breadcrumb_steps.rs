//! Cursor in the breadcrumb: any step of the selection can be removed or edited.

use crate::command::Command;
use crate::model::{Model, Pane};
use crate::msg::Effect;
use widetui_query::key_resolution::as_typed;

use super::primitives::navigation::show_records;
use super::primitives::notices::say;
use super::primitives::{prompts, selection};

/// Focuses the breadcrumb, or returns to the list.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    if model.pane == Pane::Breadcrumb {
        model.pane = Pane::List;
        return Vec::new();
    }
    if model.selection.is_all() {
        return say(model, "everything is selected: there are no steps");
    }
    show_records(model);
    model.pane = Pane::Breadcrumb;
    model.events.breadcrumb_step = model.selection.steps().len();
    Vec::new()
}

/// Runs a command while the breadcrumb is focused; `None` if the command means the same as elsewhere.
pub(super) fn in_breadcrumb(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    if model.pane != Pane::Breadcrumb || model.popup.is_some() {
        return None;
    }
    let last = model.selection.steps().len();
    let at = model.events.breadcrumb_step.min(last);
    match command {
        Command::Left => model.events.breadcrumb_step = at.saturating_sub(1),
        Command::Right => model.events.breadcrumb_step = (at + 1).min(last),
        Command::First => model.events.breadcrumb_step = 0,
        Command::Last => model.events.breadcrumb_step = last,
        Command::RemoveStep => return Some(remove(model, at)),
        Command::Open if at == 0 => {
            model.pane = Pane::List;
            return Some(selection::keep(model, 0));
        }
        Command::Open => {
            let expr = &model.selection.steps().get(at - 1)?.expr;
            let text = as_typed(expr, &model.snapshot.catalog.keys).to_string();
            model.pane = Pane::List;
            return Some(prompts::edit_step(model, at - 1, &text));
        }
        // Vertical movement returns to the list.
        Command::Down | Command::Up | Command::NextPane | Command::PrevPane => {
            model.pane = Pane::List;
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn remove(model: &mut Model, at: usize) -> Vec<Effect> {
    let Some(step) = at.checked_sub(1) else {
        return say(model, "this is everything; the steps are to the right");
    };
    if !model.selection.remove(step) {
        return Vec::new();
    }
    let left = model.selection.steps().len();
    model.events.breadcrumb_step = at.min(left);
    if left == 0 {
        model.pane = Pane::List;
    }
    selection::changed(model)
}
