//! Navigation between views and panes, with one stack of places: each step deeper into the run pushes the previous place,
//! each step back pops it.

use crate::command::Command;
use crate::model::{Model, NavigationEntry, Pane, TextSearch, View, ViewSubject};
use crate::msg::Effect;
use crate::view::{Body, Page, RowLook};
use widetui_session::record_texts::Place;

use super::{
    complete, findings, instance_views, join_builder, moves, panes, plots, row_search, rows, same,
    say, select, table, time, user_files,
};

pub(super) fn next_pane(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    model.pane = match model.pane {
        Pane::List if model.view.has_detail() => Pane::Record,
        _ => Pane::List,
    };
    moves::settle(model);
    Vec::new()
}

pub(super) fn record_pane(model: &mut Model) -> Vec<Effect> {
    model.record.shown = !model.record.shown;
    model.pane = Pane::List;
    moves::settle(model);
    Vec::new()
}

/// Shows a view as a step deeper from the current one.
pub(super) fn show(model: &mut Model, view: View) -> Vec<Effect> {
    let before = here(model);
    let effects = turn(model, view);
    note_deeper(model, before);
    effects
}

/// Shows the view of a subject that was chosen in the current view.
pub(super) fn show_about(model: &mut Model, chosen: ViewSubject) -> Vec<Effect> {
    let view = chosen.view();
    choose(model, chosen);
    show(model, view)
}

/// Goes a step deeper to a view without requesting its table.
pub(super) fn enter(model: &mut Model, view: View) {
    let before = here(model);
    panes::turn_to(model, view);
    note_deeper(model, before);
}

/// Shows the view whose key binding runs `command`.
pub(super) fn show_own(model: &mut Model, command: Command) -> Vec<Effect> {
    View::shown_by(command).map_or_else(Vec::new, |view| show_by_key(model, view))
}

/// Shows a view by its key. Consecutive views by key are all one step from the place where the first was opened; returning
/// to a place on the stack drops the places after it.
pub(super) fn show_by_key(model: &mut Model, view: View) -> Vec<Effect> {
    // A view in the other half of the screen is only focused.
    let is_beside = model.pair.is_some_and(|pair| pair.other == view);
    if model.view != view && !is_beside {
        let steps = model.selection.steps();
        let is_it = |v: &NavigationEntry| v.view == view && (v.is_aside || v.steps == steps);
        let known = model.visits.iter().rposition(is_it);
        let is_aside = model.visits.last().is_some_and(|last| last.is_aside);
        match known {
            Some(known) => model.visits.truncate(known),
            None if view == View::Events => model.visits.clear(),
            None if is_aside => {}
            None => {
                let is_aside = true;
                let before = here(model);
                model.visits.push(NavigationEntry { is_aside, ..before });
            }
        }
    }
    turn(model, view)
}

fn turn(model: &mut Model, view: View) -> Vec<Effect> {
    model.popup = None;
    if model.view != view {
        if view == View::Events {
            plots::leave(model);
        }
        panes::turn_to(model, view);
        model.pane = Pane::List;
        model.record.top = 0;
        moves::settle(model);
    }
    table::refresh(model)
}

/// Opens the row, record or key under the cursor.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let before = here(model);
    let effects = closer(model);
    note_deeper(model, before);
    effects
}

/// Returns the current place: view, subject, selection and cursor.
pub(super) fn here(model: &Model) -> NavigationEntry {
    let row = model.table().and_then(|table| table.current());
    NavigationEntry {
        view: model.view,
        chosen: chosen(model, model.view),
        steps: model.selection.steps().to_vec(),
        rows: (model.view == View::Diagnose).then(|| model.rows.clone()),
        record: select::record(model).map(|e| Place::from_event(&e)),
        row: row.map(|row| row.name.clone()),
        is_aside: false,
        arrived: None,
    }
}

/// Pushes the previous place if the view or the selection has changed.
pub(super) fn note_deeper(model: &mut Model, before: NavigationEntry) {
    let is_noted = model
        .visits
        .last()
        .is_some_and(|last| last.arrived.is_none());
    let is_here = model.view == before.view && model.selection.steps() == before.steps;
    if !is_here && !is_noted {
        model.visits.push(before);
    }
}

/// Stores the selection with which the user arrived at a new place, after the update is complete.
pub(super) fn arrived(model: &mut Model) {
    if let Some(last) = model
        .visits
        .last_mut()
        .filter(|last| last.arrived.is_none())
    {
        last.arrived = Some(model.selection.steps().to_vec());
    }
}

/// Returns the subject of a view (`None` if it has none).
fn chosen(model: &Model, view: View) -> Option<ViewSubject> {
    let things = &model.things;
    match view {
        View::Values => model.frequency.clone().map(ViewSubject::Key),
        View::Instances => things.entity.clone().map(ViewSubject::Entity),
        View::Trace => things
            .trace
            .clone()
            .map(|t| ViewSubject::Instance(Box::new(t))),
        View::Compare => things.compared.clone().map(ViewSubject::Sides),
        View::Slowest => model.plots.step.clone().map(ViewSubject::Slow),
        View::Conflicts => things.conflicts_of.clone().map(ViewSubject::Join),
        _ => None,
    }
}

/// Sets the subject of a view and discards its table.
fn choose(model: &mut Model, new: ViewSubject) {
    let view = new.view();
    if chosen(model, view).as_ref() == Some(&new) {
        return;
    }
    table::forget(model, view);
    match new {
        ViewSubject::Key(field) => model.frequency = Some(field),
        ViewSubject::Entity(entity) => model.things.entity = Some(entity),
        ViewSubject::Instance(thing) => model.things.trace = Some(*thing),
        ViewSubject::Sides(sides) => model.things.compared = Some(sides),
        ViewSubject::Slow(step) => model.plots.step = Some(step),
        ViewSubject::Join(join) => model.things.conflicts_of = Some(join),
    }
}

/// Goes one step back: removes a filter that was added here, otherwise returns to the previous place with its selection and
/// cursor. `None` at the root.
pub(super) fn step_back(model: &mut Model) -> Option<Vec<Effect>> {
    let here = here(model);
    // Places that undo has left, or that are already shown, do not count as a step.
    let is_passed = |v: &NavigationEntry| {
        let is_here = (v.view, &v.chosen) == (here.view, &here.chosen);
        let is_undone =
            |arrived: &Vec<_>| v.view == View::Events && !here.steps.starts_with(arrived);
        let is_same = v.is_aside || v.steps == here.steps;
        is_here && (is_same || v.arrived.as_ref().is_some_and(is_undone))
    };
    while model.visits.pop_if(|visit| is_passed(visit)).is_some() {}
    let last = model.visits.last()?;
    let arrived = last.arrived.as_ref().map_or(0, Vec::len);
    if !last.is_aside && here.steps.len() > arrived {
        return Some(select::keep(model, here.steps.len() - 1));
    }
    let to = model.visits.pop()?;
    if let Some(chosen) = to.chosen {
        choose(model, chosen);
    }
    let mut effects = Vec::new();
    let is_of_records = to.view == View::Events;
    // Views over time determine the cursor of the record list themselves.
    let is_kept = !to.is_aside || model.plots.moment.is_none();
    model.kept.going_to = to.record.filter(|_| is_of_records && is_kept);
    if !to.is_aside && model.selection.replace_all(to.steps) {
        if !is_of_records {
            select::come_back(model);
        }
        effects = select::changed(model);
    }
    effects.extend(turn(model, to.view));
    table::to_named(model, to.row);
    if model.counts.len() == model.selection.steps().len() {
        user_files::arrive(model);
    }
    Some(effects)
}

fn closer(model: &mut Model) -> Vec<Effect> {
    match model.view.row().body {
        Body::Records if model.events.brush.is_some() && model.pane == Pane::List => {
            time::take(model)
        }
        // In the record pane, opening applies to the key under the cursor.
        Body::Records if model.pane == Pane::Record => select::open_pivot(model),
        Body::Records => {
            if !model.is_empty() {
                model.pane = Pane::Record;
                moves::settle(model);
            }
            Vec::new()
        }
        Body::Page(Page::Unfinished) => instance_views::open_hung(model),
        Body::Page(Page::Findings) => findings::open(model),
        Body::Table(_) if model.view == View::NewJoin => join_builder::turn(model),
        Body::Table(_) if model.view.is_over_time() && model.events.brush.is_some() => {
            time::take(model)
        }
        Body::Table(RowLook::Bars) => plots::open(model).unwrap_or_else(|| table::open(model)),
        Body::Table(RowLook::Cells | RowLook::Arrows) => table::open(model),
    }
}

/// Focuses the list of the view.
pub(super) fn to_list(model: &mut Model) -> Vec<Effect> {
    model.pane = Pane::List;
    moves::settle(model);
    Vec::new()
}

/// Goes back by one level: closes the popup or record pane, clears a search or row filter, leaves the view, or removes the
/// last step of the selection.
pub(super) fn back(model: &mut Model) -> Vec<Effect> {
    if complete::give_up(model) || table::drop_filter(model) || model.popup.take().is_some() {
        return Vec::new();
    }
    if model.pane != Pane::List {
        return to_list(model);
    }
    if model.view.is_over_time() && model.events.brush.take().is_some() {
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
    if let Some(effects) = table::give_up(model) {
        return effects;
    }
    if model.view == View::Events {
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
    }
    if let Some(effects) = step_back(model) {
        return effects;
    }
    if !model.selection.is_all() {
        return select::keep(model, model.selection.steps().len() - 1);
    }
    let keys = model.keymap.keys_of(&model.scopes(), Command::Quit);
    say(
        model,
        format!("{} leaves", keys.as_deref().unwrap_or("quit")),
    );
    Vec::new()
}
