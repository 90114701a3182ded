//! The cursor in the trail: any step of the selection can be dropped or written anew.

use crate::action::Action;
use crate::model::{Model, Pane};
use crate::msg::Effect;
use widetui_query::key_name::as_typed;

use super::{line, say, select, show};

/// Goes to the trail, or back from it.
fn toggle(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    if model.pane == Pane::Breadcrumb {
        model.pane = Pane::List;
        return Vec::new();
    }
    if model.selection.is_all() {
        say(
            model,
            "everything is selected: there are no steps".to_owned(),
        );
        return Vec::new();
    }
    show(model, crate::model::View::Events);
    model.pane = Pane::Breadcrumb;
    model.events.trail = model.selection.steps().len();
    Vec::new()
}

/// An action of this subject; `None` when it is another one's.
pub(super) fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Trail => Some(toggle(model)),
        _ if model.pane == Pane::Breadcrumb && model.popup.is_none() => in_trail(model, action),
        // Only in the trail.
        Action::RemoveStep => Some(Vec::new()),
        _ => None,
    }
}

/// An action while the trail has the keys; `None` when it means the same as elsewhere.
fn in_trail(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    let last = model.selection.steps().len();
    let at = model.events.trail.min(last);
    match action {
        Action::Left => model.events.trail = at.saturating_sub(1),
        Action::Right => model.events.trail = (at + 1).min(last),
        Action::First => model.events.trail = 0,
        Action::Last => model.events.trail = last,
        Action::RemoveStep => return Some(remove(model, at)),
        Action::Open if at == 0 => {
            model.pane = Pane::List;
            return Some(select::keep(model, 0));
        }
        Action::Open => {
            let expr = &model.selection.steps().get(at - 1)?.expr;
            let text = as_typed(expr, &model.snapshot.catalog.keys).to_string();
            model.pane = Pane::List;
            return Some(line::edit_step(model, at - 1, &text));
        }
        // Up and down are of the list: they go back to it.
        Action::Down | Action::Up | Action::NextPane | Action::PrevPane => {
            model.pane = Pane::List;
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn remove(model: &mut Model, at: usize) -> Vec<Effect> {
    let Some(step) = at.checked_sub(1) else {
        say(
            model,
            "this is everything; the steps are to the right".to_owned(),
        );
        return Vec::new();
    };
    if !model.selection.remove(step) {
        return Vec::new();
    }
    let left = model.selection.steps().len();
    model.events.trail = at.min(left);
    if left == 0 {
        model.pane = Pane::List;
    }
    select::changed(model)
}
