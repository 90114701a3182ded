//! Views with a table: requesting, sorting and filtering the table, and opening its rows.

use std::sync::Arc;
use std::time::Duration;

use crate::model::{Model, Pane, View, ViewSubject};
use crate::msg::Effect;
use crate::popups::Popup;
use crate::{pivot_rows, under_cursor};
use widetui_query::{Expr, Field};
use widetui_session::jobs::JobKind;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_tables::table::{Arranged, Row, RowAction, Table};

use super::primitives::navigation::{show_about, turn_to_records};
use super::primitives::notices::say;
use super::primitives::{navigation, scrolling, selection, tables};
use super::{flow, join_builder, joins, row_search, runs, sources};

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
    state.replace_table(table);
    state.is_pending = false;
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
        RowAction::Pivot => {
            let Some(same) = row.pivots.first() else {
                return Vec::new();
            };
            let step = selection::step(
                &same.label,
                &same.shown,
                pivot_rows::value_expr(same),
                StepEffect::Keep,
            );
            turn_to_records(model);
            selection::push(model, step)
        }
        RowAction::Filter(step) => {
            turn_to_records(model);
            selection::push(model, *step)
        }
        RowAction::Only(step) => {
            turn_to_records(model);
            selection::replace_all(model, vec![*step])
        }
        RowAction::Event(place) => navigation::to_record(model, place),
        RowAction::Instance(instance) => navigation::only_instance(model, &instance),
        RowAction::Instances(entity) => {
            show_about(model, View::INSTANCES, ViewSubject::Entity(entity))
        }
        RowAction::Conflicts(join) => show_about(model, View::CONFLICTS, ViewSubject::Join(join)),
        RowAction::Switch(join) => {
            say(model, joins::without_conflicts(model, &join));
            Vec::new()
        }
        RowAction::Values(field) => show_about(model, View::VALUES, ViewSubject::Key(field)),
        RowAction::Message(at) => flow::records(model, at),
        RowAction::Messages(step) => flow::only(model, *step),
        RowAction::Slowest(step) => show_about(model, View::SLOWEST, ViewSubject::Slow(*step)),
        RowAction::Source(_) if model.pane == Pane::List => {
            model.pane = Pane::Record;
            scrolling::settle(model);
            Vec::new()
        }
        RowAction::Source(_) if row.pivots.is_empty() => {
            say(model, "this one has no records".to_owned());
            Vec::new()
        }
        RowAction::Source(_) => {
            let same = row.pivots.first().cloned();
            model.pane = Pane::List;
            let Some(same) = same else {
                return Vec::new();
            };
            let step = selection::step(
                &same.label,
                &same.shown,
                pivot_rows::value_expr(&same),
                StepEffect::Keep,
            );
            sources::to_problem(model);
            turn_to_records(model);
            selection::push(model, step)
        }
    }
}

/// Excludes the records with the instance or value of the row under the cursor.
pub(super) fn leave_out(model: &mut Model) -> Vec<Effect> {
    if let Some(RowAction::Instance(instance)) = under_cursor::row(model).map(|r| &r.action) {
        let step = SelectionStep::for_instance(instance, StepEffect::Exclude);
        return selection::push(model, step);
    }
    let Some(same) = under_cursor::value(model) else {
        say(model, "there is nothing to leave out here".to_owned());
        return Vec::new();
    };
    let step = selection::step(
        &same.label,
        &same.shown,
        pivot_rows::value_expr(&same),
        StepEffect::Exclude,
    );
    selection::push(model, step)
}

/// Shows the values of the key under the cursor of the pivot list or table.
pub(super) fn frequency(model: &mut Model) -> Vec<Effect> {
    let field = match (&model.popup, under_cursor::row(model)) {
        (Some(Popup::Pivot(pivot)), _) => {
            let row = pivot.rows.get(pivot.cursor);
            row.and_then(|r| field_of(&r.expr))
        }
        (
            _,
            Some(Row {
                action: RowAction::Values(field),
                ..
            }),
        ) => Some(field.clone()),
        (_, Some(row)) => row.pivots.first().map(|s| s.field.clone()),
        _ => None,
    };
    match field {
        Some(field) => show_about(model, View::VALUES, ViewSubject::Key(field)),
        None => {
            let text = "open the pivot list and choose a key: its values are counted";
            say(model, text.to_owned());
            Vec::new()
        }
    }
}

fn field_of(expr: &Expr) -> Option<Field> {
    match expr {
        Expr::Compare(comparison) => Some(comparison.field.clone()),
        _ => None,
    }
}
