//! Which view and pane is shown, closer looks, and the way back.

use crate::action::Action;
use crate::model::{Came, Model, Pane, TextSearch, View};
use crate::msg::Effect;
use crate::view::{Back, Body, Page, RowLook};
use widetui_session::fetch::Place;

use super::{
    complete, findings, moves, newjoin, panes, plots, rows, rowsearch, same, say, select, table,
    things, time,
};

/// An action of this subject; `None` when it is another one's.
pub(super) fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Open => Some(open(model)),
        Action::Back => Some(back(model)),
        // One view has two panes at most.
        Action::NextPane | Action::PrevPane => Some(next_pane(model)),
        Action::RecordPane => Some(record_pane(model)),
        _ => View::shown_by(action).map(|view| show(model, view)),
    }
}

fn next_pane(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    model.pane = match model.pane {
        Pane::List if model.view.has_detail() => Pane::Record,
        _ => Pane::List,
    };
    moves::settle(model);
    Vec::new()
}

fn record_pane(model: &mut Model) -> Vec<Effect> {
    model.record.shown = !model.record.shown;
    model.pane = Pane::List;
    moves::settle(model);
    Vec::new()
}

/// Shows a view.
pub(super) fn show(model: &mut Model, view: View) -> Vec<Effect> {
    model.popup = None;
    if model.view != view {
        if view == View::Events {
            plots::leave(model);
        }
        panes::turn_to(model, view);
        model.came.clear();
        model.pane = Pane::List;
        model.record.top = 0;
        moves::settle(model);
    }
    table::refresh(model)
}

/// Looks closer at what is under the cursor. Out of views that tell of the run as a whole one comes back to where one was.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let before = here(model);
    let effects = closer(model);
    if model.view == View::Events && before.from.is_come_back_to() {
        remember(model, before);
    }
    effects
}

/// Where one is, to come back to it.
pub(super) fn here(model: &Model) -> Came {
    Came {
        from: model.view,
        steps: model.selection.steps().to_vec(),
        rows: model.rows.clone(),
        place: select::record(model).map(|e| Place::of(&e)),
        arrived: Vec::new(),
    }
}

/// Keeps in mind where one was before what is shown now.
pub(super) fn remember(model: &mut Model, before: Came) {
    let arrived = model.selection.steps().to_vec();
    model.came.push(Came { arrived, ..before });
}

/// Goes back to where one came from; `None` when that is nowhere, or when what is selected was narrowed since.
fn whence(model: &mut Model) -> Option<Vec<Effect>> {
    let steps = model.selection.steps();
    // What was undone since, one need not come back to.
    let is_left = |came: &Came| came.from == View::Events && !steps.starts_with(&came.arrived);
    while model.came.last().is_some_and(is_left) {
        model.came.pop();
    }
    let is_narrowed = |came: &Came| steps.len() > came.arrived.len();
    if model.came.last().is_some_and(is_narrowed) {
        return None;
    }
    let came = model.came.pop()?;
    model.kept.going_to = came.place.filter(|_| came.from == View::Events);
    let mut effects = match model.selection.replace_all(came.steps) {
        true => {
            if came.from != View::Events {
                select::come_back(model);
            }
            select::changed(model)
        }
        false => Vec::new(),
    };
    effects.extend(show(model, came.from));
    Some(effects)
}

fn closer(model: &mut Model) -> Vec<Effect> {
    match model.view.row().body {
        Body::Records if model.events.brush.is_some() && model.pane == Pane::List => {
            time::take(model)
        }
        // In the record the key under the cursor is what one looks closer at.
        Body::Records if model.pane == Pane::Record => select::open_pivot(model),
        Body::Records => {
            if !model.is_empty() {
                model.pane = Pane::Record;
                moves::settle(model);
            }
            Vec::new()
        }
        Body::Page(Page::Hung) => things::open_hung(model),
        Body::Page(Page::Findings) => findings::open(model),
        Body::Table(_) if model.view == View::NewJoin => newjoin::turn(model),
        Body::Table(_) if model.view.is_over_time() && model.events.brush.is_some() => {
            time::take(model)
        }
        Body::Table(RowLook::Bars) => plots::open(model).unwrap_or_else(|| table::open(model)),
        Body::Table(RowLook::Cells | RowLook::Arrows) => table::open(model),
    }
}

/// Back by one: out of the record, out of the view, out of the last step of the selection.
fn back(model: &mut Model) -> Vec<Effect> {
    if complete::give_up(model) || table::drop_filter(model) || model.popup.take().is_some() {
        return Vec::new();
    }
    if model.pane != Pane::List {
        model.pane = Pane::List;
        moves::settle(model);
        return Vec::new();
    }
    if model.view.is_over_time() && model.events.brush.take().is_some() {
        return Vec::new();
    }
    if model.view == View::Diagnose
        && let Some(effects) = findings::give_up(model)
    {
        return effects;
    }
    if rowsearch::stop(model) {
        return Vec::new();
    }
    if model.view.is_table() {
        return table::back(model);
    }
    if let Back::To(view) | Back::ToOpener(view) = model.view.row().back {
        return show(model, view);
    }
    if model.events.brush.take().is_some() {
        return Vec::new();
    }
    if model.events.context.is_some() {
        return rows::show(model, None);
    }
    if model.events.highlight.is_some() {
        return same::stop(model);
    }
    if !model.search.line.is_empty() {
        model.search = TextSearch::default();
        return Vec::new();
    }
    if let Some(effects) = whence(model) {
        return effects;
    }
    if !model.selection.is_all() {
        return select::keep(model, model.selection.steps().len() - 1);
    }
    let keys = model.keymap.keys_of(&model.scopes(), Action::Quit);
    say(
        model,
        format!("{} leaves", keys.as_deref().unwrap_or("quit")),
    );
    Vec::new()
}
