//! Views with a table: requesting, sorting and filtering the table, and opening its rows.

use std::sync::Arc;
use std::time::Duration;

use crate::model::{Model, Pane, View, ViewSubject};
use crate::msg::Effect;
use crate::popups::Pivot;
use crate::{pivot_rows, under_cursor};
use widetui_query::{Expr, Field};
use widetui_session::jobs::JobKind;
use widetui_session::plots::DagFocus;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_tables::table::{Arranged, PivotValue, RowAction, Table};

use super::primitives::navigation::{show_about, turn_to_records};
use super::primitives::notices::say;
use super::primitives::{navigation, scrolling, selection, tables};
use super::{flow, join_builder, joins, plots, popups, row_search, runs, sources};

/// Stores a computed table.
pub(super) fn arrived(
    model: &mut Model,
    generation: u64,
    table: Arc<Table>,
    core_time: Duration,
) -> Vec<Effect> {
    if !model.generations.is_last(JobKind::Table, generation) {
        return Vec::new();
    }
    let Some((view, state)) = model.tables.iter_mut().find(|(_, t)| t.is_pending) else {
        return Vec::new();
    };
    let view = *view;
    let initial_time = table.initial_time.filter(|_| !state.is_known);
    state.replace_table(table);
    state.is_pending = false;
    // Unless the user has chosen a time, the cursor is where the table begins to be read.
    if view == model.view && model.events.list.cursor == 0 {
        model.plots.moment = model.plots.moment.or(initial_time);
    }
    join_builder::mark(model);
    scrolling::settle(model);
    // The two tables of a split screen take turns while a run grows.
    let other = model.beside().map(|o| o.view);
    let in_turn = match view == model.view {
        true => [other, Some(view)],
        false => [Some(model.view), other],
    };
    // If the run only grew, the update waits for joins, like all other updates.
    let mut effects = match tables::waits(model) {
        true => Vec::new(),
        false => tables::refresh_in_turn(model, in_turn),
    };
    effects.extend(joins::rest_after(model, core_time));
    if std::mem::take(&mut model.instances.is_comparing) && model.view == View::RUNS {
        effects.extend(runs::compare(model));
    }
    effects
}

/// Stores the sorted and filtered rows of a large table.
pub(super) fn arranged(model: &mut Model, view: &str, found: Arranged) {
    let mut tables = model.tables.iter_mut();
    if let Some((_, table)) = tables.find(|(of, _)| of.title == view) {
        table.apply(found);
    }
    if view == model.view.title {
        row_search::go_on(model);
        scrolling::settle(model);
    }
}

/// Runs the action of the row under the cursor.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(row) = under_cursor::row(model) else {
        return Vec::new();
    };
    match row.action.clone() {
        RowAction::Nothing => Vec::new(),
        RowAction::Pivot => match row.pivots.first() {
            Some(same) => push(model, value_step(same, StepEffect::Keep)),
            None => Vec::new(),
        },
        RowAction::Filter(step) => push(model, *step),
        RowAction::Only(step) => {
            turn_to_records(model);
            selection::replace_all(model, vec![*step])
        }
        RowAction::Event(place) => navigation::to_record(model, place),
        RowAction::Instance(instance) => navigation::only_instance(model, &instance),
        RowAction::Members(set) => push(model, set.step()),
        RowAction::Instances(entity) => {
            show_about(model, View::INSTANCES, ViewSubject::Entity(entity))
        }
        RowAction::Conflicts(join) => show_about(model, View::CONFLICTS, ViewSubject::Join(join)),
        RowAction::Switch(join) => say(model, joins::without_conflicts(model, &join)),
        RowAction::Values(field) => show_about(model, View::VALUES, ViewSubject::Key(field)),
        RowAction::Message(at) => flow::records(model, at),
        RowAction::Messages(step) => flow::only(model, *step),
        RowAction::Dependencies(ids) => plots::focus_dag(model, DagFocus::Members(ids)),
        RowAction::Slowest(step) => show_about(model, View::SLOWEST, ViewSubject::Slow(*step)),
        RowAction::Source(_) if model.pane == Pane::List => {
            model.pane = Pane::Record;
            scrolling::settle(model);
            Vec::new()
        }
        RowAction::Source(_) if row.pivots.is_empty() => say(model, "this one has no records"),
        RowAction::Source(_) => {
            let step = value_step(&row.pivots[0], StepEffect::Keep);
            model.pane = Pane::List;
            sources::to_problem(model);
            push(model, step)
        }
    }
}

/// Step that keeps or excludes the records with a value of a row.
fn value_step(same: &PivotValue, sense: StepEffect) -> SelectionStep {
    let expr = pivot_rows::value_expr(same);
    selection::step(&same.label, &same.shown, expr, sense)
}

/// Adds a step to the selection and shows the records.
fn push(model: &mut Model, step: SelectionStep) -> Vec<Effect> {
    turn_to_records(model);
    selection::push(model, step)
}

/// Excludes the records with the value under the cursor of a table or of the record pane.
pub(super) fn pivot_out(model: &mut Model) -> Vec<Effect> {
    match model.view.is_table() {
        true => leave_out(model),
        false => popups::pick(model, StepEffect::Exclude),
    }
}

/// Excludes the records with the instance or value of the row under the cursor.
fn leave_out(model: &mut Model) -> Vec<Effect> {
    if let Some(RowAction::Instance(instance)) = under_cursor::row(model).map(|r| &r.action) {
        let step = SelectionStep::for_instance(instance, StepEffect::Exclude);
        return selection::push(model, step);
    }
    match under_cursor::value(model) {
        Some(same) => selection::push(model, value_step(&same, StepEffect::Exclude)),
        None => say(model, "there is nothing to leave out here"),
    }
}

/// Shows the values of the key under the cursor of the pivot list or table.
pub(super) fn frequency(model: &mut Model) -> Vec<Effect> {
    let row = under_cursor::row(model);
    let field = match model.popup_of::<Pivot>() {
        Some(pivot) => pivot.current().and_then(|row| field_of(&row.expr)),
        None => row.and_then(|row| match &row.action {
            RowAction::Values(field) => Some(field.clone()),
            _ => row.pivots.first().map(|s| s.field.clone()),
        }),
    };
    match field {
        Some(field) => show_about(model, View::VALUES, ViewSubject::Key(field)),
        None => say(
            model,
            "open the pivot list and choose a key: its values are counted",
        ),
    }
}

fn field_of(expr: &Expr) -> Option<Field> {
    match expr {
        Expr::Compare(comparison) => Some(comparison.field.clone()),
        _ => None,
    }
}
