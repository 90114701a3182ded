//! Navigation between views, with one stack of places: whatever changes the place pushes the previous one, each step
//! back pops it.

use crate::model::{Model, NavigationEntry, Pane, View, ViewSubject};
use crate::msg::Effect;
use crate::under_cursor;
use widetui_core::ids::EventId;
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_tables::table::TableState;

use super::notices::say;
use super::{moment, record_cursor, scrolling, selection, split_focus, tables};

/// Maximum number of places that are remembered.
const MAX_PLACES: usize = 200;

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
    if model.view.is_records() {
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
        if view.is_records() {
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
    let record = (model.view.record)(model).map(|e| Place::from_event(&e));
    let is_elsewhere = !model.view.is_records();
    let mut effects = show_records(model);
    if is_elsewhere || wider.is_some() {
        model.user_data.going_to = record;
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
    effects
}

pub(in crate::update) fn to_record(model: &mut Model, place: Place) -> Vec<Effect> {
    let id: Option<EventId> = model.snapshot.event_at(place.source, place.offset);
    let row = id.and_then(|id| model.rows.row_of(&model.snapshot, id));
    let effects = show_records(model);
    match row {
        Some(row) => record_cursor::jump_to(model, row),
        None => drop(say(model, "this record is not among those selected")),
    }
    effects
}

/// Shows a view.
pub(in crate::update) fn show(model: &mut Model, view: View) -> Vec<Effect> {
    model.popup = None;
    if model.view != view {
        if view.is_records() {
            moment::leave(model);
        }
        turn_to(model, view);
        model.pane = Pane::List;
        model.record.top = 0;
        scrolling::settle(model);
    }
    tables::refresh(model)
}

/// Shows the list of records.
pub(in crate::update) fn show_records(model: &mut Model) -> Vec<Effect> {
    show(model, View::EVENTS)
}

/// Shows the list of records as [`turn_to`] does.
pub(in crate::update) fn turn_to_records(model: &mut Model) {
    turn_to(model, View::EVENTS);
}

/// Shows a view with a subject that was chosen in the current view.
pub(in crate::update) fn show_about(
    model: &mut Model,
    view: View,
    chosen: ViewSubject,
) -> Vec<Effect> {
    choose(model, view, chosen);
    show(model, view)
}

/// Returns the current place: views, subject, selection and cursor.
pub(in crate::update) fn here(model: &Model) -> NavigationEntry {
    let findings = &model.findings;
    let row = model.table().and_then(|table| {
        let above = table.list.cursor.saturating_sub(table.list.top);
        Some((table.current()?.name.clone(), above))
    });
    let list = &model.events.list;
    NavigationEntry {
        view: model.view,
        split: model.split,
        chosen: model.subjects.get(&model.view).cloned(),
        steps: model.selection.steps().to_vec(),
        rows: (model.view == View::DIAGNOSE).then(|| model.rows.clone()),
        record: model.current().map(|e| Place::from_event(&e)),
        above: list.cursor.saturating_sub(list.top),
        row,
        order: model.table().and_then(TableState::order),
        plots: model.plots.choices.clone(),
        moment: model.plots.moment,
        time_selection: model.events.time_selection,
        unfinished: model.instances.hung,
        finding: (findings.spot, findings.open, findings.list),
        arrived: None,
    }
}

/// Pushes the previous place if the views, their subject, groups or order, or the selection have changed. A change of the
/// focus alone is no step.
pub(in crate::update) fn note_step(model: &mut Model, before: NavigationEntry) {
    if std::mem::take(&mut model.stepped_back) {
        return;
    }
    let now = here(model);
    if is_same_place(&now, &before) {
        return;
    }
    // Undo returns to the place before a step, whose cursor and time selection apply again.
    let is_undone =
        |last: &mut NavigationEntry| views(&now) == views(&before) && is_same_place(&now, last);
    if let Some(last) = model.navigation.pop_if(is_undone) {
        return_to_cursor(model, last);
        return;
    }
    model.navigation.push(before);
    let over = model.navigation.len().saturating_sub(MAX_PLACES);
    model.navigation.drain(..over);
}

/// View with the focus, and the other one.
fn views(of: &NavigationEntry) -> [Option<View>; 2] {
    [Some(of.view), of.split.map(|split| split.other)]
}

/// True if both places show the same; on a split screen the focus may differ.
fn is_same_place(a: &NavigationEntry, b: &NavigationEntry) -> bool {
    let halves = |of: &NavigationEntry| of.split.map(|split| (split.side, split.first(of.view)));
    let (one, other) = (views(a), views(b));
    let is_focus = one[0] != other[0] && one[1] == other[0] && one[0] == other[1];
    let is_same = one == other && a.chosen == b.chosen && a.order == b.order;
    (is_same || is_focus) && halves(a) == halves(b) && a.steps == b.steps && a.plots == b.plots
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

/// Sets the subject of a view and discards its table.
fn choose(model: &mut Model, view: View, new: ViewSubject) {
    if model.subjects.get(&view) != Some(&new) {
        tables::forget(model, view);
        model.subjects.insert(view, new);
    }
}

/// Returns to the place before the last step, with its views, selection, groups, order, cursor and scroll position. `None`
/// at the root.
pub(in crate::update) fn step_back(model: &mut Model) -> Option<Vec<Effect>> {
    let mut to = model.navigation.pop()?;
    if let Some(chosen) = to.chosen.take() {
        choose(model, to.view, chosen);
    }
    if model.plots.choices != to.plots {
        model.plots.choices = std::mem::take(&mut to.plots);
        tables::forget_plots(model);
    }
    let mut effects = Vec::new();
    model.user_data.going_to = to.record;
    model.events.cursor_memory.above = Some(to.above);
    if model.selection.replace_all(std::mem::take(&mut to.steps)) {
        model.instances.returning = Some(to.unfinished);
        model.findings.returning = Some(to.finding);
        effects = selection::changed(model);
    }
    model.split = None;
    effects.extend(show(model, to.view));
    model.split = to.split;
    if to.split.is_some() {
        effects.extend(tables::refresh(model));
    }
    model.instances.hung = to.unfinished;
    let findings = &mut model.findings;
    (findings.spot, findings.open, findings.list) = to.finding;
    tables::reorder(model, to.order);
    return_to_cursor(model, to);
    if model.counts.len() == model.selection.steps().len() {
        record_cursor::arrive(model);
    }
    Some(effects)
}

/// Restores the row and moment under the cursor, and the time selection.
fn return_to_cursor(model: &mut Model, to: NavigationEntry) {
    model.plots.moment = to.moment;
    model.events.time_selection = to.time_selection;
    tables::to_named(model, to.row);
}

/// Focuses the list of the view.
pub(in crate::update) fn to_list(model: &mut Model) -> Vec<Effect> {
    model.pane = Pane::List;
    scrolling::settle(model);
    Vec::new()
}
