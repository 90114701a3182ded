//! Navigation between views, with one stack of places: each step deeper into the run pushes the previous place,
//! each step back pops it.

use crate::model::{Model, NavigationEntry, Pane, View, ViewSubject};
use crate::msg::Effect;
use crate::under_cursor;
use widetui_core::ids::EventId;
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;
use widetui_session::selection::{SelectionStep, StepEffect};

use super::notices::say;
use super::{moment, record_cursor, scrolling, selection, split_focus, tables};

/// Selects only the records of an instance.
pub(in crate::update) fn only_instance(
    model: &mut Model,
    instance: &InstanceHandle,
) -> Vec<Effect> {
    only(
        model,
        SelectionStep::for_instance(instance, StepEffect::Keep),
        None,
    )
}

/// Focuses the other view.
pub(in crate::update) fn to_other(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    go_over(model);
    if model.view == View::Events {
        moment::leave(model);
    }
    scrolling::settle(model);
    tables::refresh(model)
}

/// Moves the focus to the other view. Its cursor position counts as followed already, so the view that loses the focus does
/// not move until that cursor moves.
fn go_over(model: &mut Model) {
    if model.pane == Pane::Breadcrumb {
        // The breadcrumb belongs to neither view.
        model.pane = Pane::List;
    }
    split_focus::exchange(model);
    model.record.top = 0;
    let here = under_cursor::record_or_moment(model);
    if let Some(split) = &mut model.split {
        split.followed = here;
    }
}

/// Shows a view in the focused half; a view that the other half shows is focused there instead of shown twice. Does not
/// request its table.
pub(in crate::update) fn turn_to(model: &mut Model, view: View) {
    let is_other = model.split.is_some_and(|p| p.other == view);
    if model.view == view {
        return;
    }
    if is_other {
        if view == View::Events {
            // The cursor of the record list has already followed the moment.
            model.plots.moment = None;
        }
        go_over(model);
    } else {
        model.before = Some(model.view);
        model.view = view;
    }
    scrolling::settle(model);
}

/// Keeps the records of a step, with the cursor on the same record; `wider` replaces the current steps before the step is
/// added.
pub(in crate::update) fn only(
    model: &mut Model,
    step: SelectionStep,
    wider: Option<Vec<SelectionStep>>,
) -> Vec<Effect> {
    let before = here(model);
    let mut effects = show(model, View::Events);
    if before.view != View::Events || wider.is_some() {
        model.user_data.going_to = before.record;
    }
    let changed = match wider {
        Some(mut steps) => {
            steps.push(step);
            model.events.anchor = crate::event_list::CursorAnchor::Record;
            selection::replace_all(model, steps)
        }
        None => selection::push(model, step),
    };
    if changed.is_empty() {
        record_cursor::arrive(model);
    }
    effects.extend(changed);
    note_deeper(model, before);
    effects
}

pub(in crate::update) fn to_record(model: &mut Model, place: Place) -> Vec<Effect> {
    let id: Option<EventId> = model.snapshot.event_at(place.source, place.offset);
    let row = id.and_then(|id| model.rows.row_of(&model.snapshot, id));
    let effects = show(model, View::Events);
    match row {
        Some(row) => record_cursor::jump_to(model, row),
        None => say(model, "this record is not among those selected".to_owned()),
    }
    effects
}

/// Shows a view as a step deeper from the current one.
pub(in crate::update) fn show(model: &mut Model, view: View) -> Vec<Effect> {
    let before = here(model);
    let effects = change_view(model, view);
    note_deeper(model, before);
    effects
}

/// Shows the view of a subject that was chosen in the current view.
pub(in crate::update) fn show_about(model: &mut Model, chosen: ViewSubject) -> Vec<Effect> {
    let view = chosen.view();
    choose(model, chosen);
    show(model, view)
}

/// Goes a step deeper to a view without requesting its table.
pub(in crate::update) fn enter(model: &mut Model, view: View) {
    let before = here(model);
    turn_to(model, view);
    note_deeper(model, before);
}

/// Shows a view by its key. Consecutive views by key are all one step from the place where the first was opened; returning
/// to a place on the stack drops the places after it.
pub(in crate::update) fn show_by_key(model: &mut Model, view: View) -> Vec<Effect> {
    // A view in the other half of the screen is only focused.
    let is_beside = model.split.is_some_and(|split| split.other == view);
    if model.view != view && !is_beside {
        let steps = model.selection.steps();
        let is_it = |v: &NavigationEntry| v.view == view && (v.is_aside || v.steps == steps);
        let known = model.navigation.iter().rposition(is_it);
        let is_aside = model.navigation.last().is_some_and(|last| last.is_aside);
        match known {
            Some(known) => model.navigation.truncate(known),
            None if view == View::Events => model.navigation.clear(),
            None if is_aside => {}
            None => {
                let is_aside = true;
                let before = here(model);
                model
                    .navigation
                    .push(NavigationEntry { is_aside, ..before });
            }
        }
    }
    change_view(model, view)
}

fn change_view(model: &mut Model, view: View) -> Vec<Effect> {
    model.popup = None;
    if model.view != view {
        if view == View::Events {
            moment::leave(model);
        }
        turn_to(model, view);
        model.pane = Pane::List;
        model.record.top = 0;
        scrolling::settle(model);
    }
    tables::refresh(model)
}

/// Returns the current place: view, subject, selection and cursor.
pub(in crate::update) fn here(model: &Model) -> NavigationEntry {
    let row = model.table().and_then(|table| table.current());
    NavigationEntry {
        view: model.view,
        chosen: chosen(model, model.view),
        steps: model.selection.steps().to_vec(),
        rows: (model.view == View::Diagnose).then(|| model.rows.clone()),
        record: under_cursor::record(model).map(|e| Place::from_event(&e)),
        row: row.map(|row| row.name.clone()),
        is_aside: false,
        arrived: None,
    }
}

/// Pushes the previous place if the view or the selection has changed.
pub(in crate::update) fn note_deeper(model: &mut Model, before: NavigationEntry) {
    let is_noted = model
        .navigation
        .last()
        .is_some_and(|last| last.arrived.is_none());
    let is_here = model.view == before.view && model.selection.steps() == before.steps;
    if !is_here && !is_noted {
        model.navigation.push(before);
    }
}

/// Stores the selection with which the user arrived at a new place, after the update is complete.
pub(in crate::update) fn arrived(model: &mut Model) {
    if let Some(last) = model
        .navigation
        .last_mut()
        .filter(|last| last.arrived.is_none())
    {
        last.arrived = Some(model.selection.steps().to_vec());
    }
}

/// Returns the subject of a view (`None` if it has none).
fn chosen(model: &Model, view: View) -> Option<ViewSubject> {
    let instances = &model.instances;
    match view {
        View::Values => model.frequency.clone().map(ViewSubject::Key),
        View::Instances => instances.entity.clone().map(ViewSubject::Entity),
        View::Trace => instances
            .trace
            .clone()
            .map(|t| ViewSubject::Instance(Box::new(t))),
        View::Compare => instances.compared.clone().map(ViewSubject::Sides),
        View::Slowest => model.plots.step.clone().map(ViewSubject::Slow),
        View::Conflicts => instances.conflicts_of.clone().map(ViewSubject::Join),
        _ => None,
    }
}

/// Sets the subject of a view and discards its table.
fn choose(model: &mut Model, new: ViewSubject) {
    let view = new.view();
    if chosen(model, view).as_ref() == Some(&new) {
        return;
    }
    tables::forget(model, view);
    match new {
        ViewSubject::Key(field) => model.frequency = Some(field),
        ViewSubject::Entity(entity) => model.instances.entity = Some(entity),
        ViewSubject::Instance(instance) => model.instances.trace = Some(*instance),
        ViewSubject::Sides(sides) => model.instances.compared = Some(sides),
        ViewSubject::Slow(step) => model.plots.step = Some(step),
        ViewSubject::Join(join) => model.instances.conflicts_of = Some(join),
    }
}

/// Goes one step back: removes a filter that was added here, otherwise returns to the previous place with its selection and
/// cursor. `None` at the root.
pub(in crate::update) fn step_back(model: &mut Model) -> Option<Vec<Effect>> {
    let here = here(model);
    // Places that undo has left, or that are already shown, do not count as a step.
    let is_passed = |v: &NavigationEntry| {
        let is_here = (v.view, &v.chosen) == (here.view, &here.chosen);
        let is_undone =
            |arrived: &Vec<_>| v.view == View::Events && !here.steps.starts_with(arrived);
        let is_same = v.is_aside || v.steps == here.steps;
        is_here && (is_same || v.arrived.as_ref().is_some_and(is_undone))
    };
    while model.navigation.pop_if(|visit| is_passed(visit)).is_some() {}
    let last = model.navigation.last()?;
    let arrived = last.arrived.as_ref().map_or(0, Vec::len);
    if !last.is_aside && here.steps.len() > arrived {
        return Some(selection::keep(model, here.steps.len() - 1));
    }
    let to = model.navigation.pop()?;
    if let Some(chosen) = to.chosen {
        choose(model, chosen);
    }
    let mut effects = Vec::new();
    let is_of_records = to.view == View::Events;
    // Views over time determine the cursor of the record list themselves.
    let is_kept = !to.is_aside || model.plots.moment.is_none();
    model.user_data.going_to = to.record.filter(|_| is_of_records && is_kept);
    if !to.is_aside && model.selection.replace_all(to.steps) {
        if !is_of_records {
            selection::come_back(model);
        }
        effects = selection::changed(model);
    }
    effects.extend(change_view(model, to.view));
    tables::to_named(model, to.row);
    if model.counts.len() == model.selection.steps().len() {
        record_cursor::arrive(model);
    }
    Some(effects)
}

/// Focuses the list of the view.
pub(in crate::update) fn to_list(model: &mut Model) -> Vec<Effect> {
    model.pane = Pane::List;
    scrolling::settle(model);
    Vec::new()
}
