//! Views with a table: requesting, sorting and filtering the table, and opening its rows.

use std::sync::Arc;
use widetui_core::direction::Direction;

use crate::command::Command;
use crate::follow_mode::Following;
use crate::layout::Areas;
use crate::model::{Model, Pane, View, ViewSubject};
use crate::msg::Effect;
use crate::popups::{PivotRow, Popup, PromptKind};
use crate::table_columns::columns_shown;
use crate::table_questions;
use widetui_core::ids::EventId;
use widetui_core::thread::drop_in_background;
use widetui_query::{Expr, Field};
use widetui_session::jobs::{JobKind, Question};
use widetui_session::record_texts::Place;
use widetui_session::selection::{SelectionStep, TableOrder};
use widetui_tables::table::{Arranged, PivotValue, Row, RowAction, Table, TableState};

use super::views::{enter, show_about};
use super::{ask, jumps, moves, row_search, say, select, show};

/// State of the view's table (`None` if the view has none).
fn shown(model: &mut Model) -> Option<&mut TableState> {
    let view = model.view;
    view.is_table()
        .then(|| model.tables.entry(view).or_default())
}

/// Requests the visible tables whose input changed, one at a time, the focused view first. While a run loads, a table for
/// an older snapshot of the same selection is completed first; otherwise no table would ever be shown.
pub(super) fn refresh(model: &mut Model) -> Vec<Effect> {
    let other = model.beside().map(|o| o.view);
    refresh_in_turn(model, [Some(model.view), other])
}

/// Requests the first outdated table of these views.
fn refresh_in_turn(model: &mut Model, views: [Option<View>; 2]) -> Vec<Effect> {
    // The rows of the current selection are not known yet; the next call comes when they are.
    if model.counts.len() != model.selection.steps().len() {
        return Vec::new();
    }
    let (epoch, is_complete) = (model.epoch, model.snapshot.complete);
    let has_table =
        |view: &View| view.is_table() && table_questions::question(model, *view).is_some();
    let views: Vec<View> = views.into_iter().flatten().filter(has_table).collect();
    let state = |view: &View| model.tables.get(view);
    let is_old = |view: &View| state(view).is_none_or(|t| t.epoch != epoch);
    let are_known = views.iter().all(|v| state(v).is_some_and(|t| t.is_known));
    let follows = model.arriving.follow.state != Following::Off;
    let is_let_finish = |view: &View| {
        let is_first = *view == model.view;
        // The other view gives way to a table that was never shown, but not to each new record.
        !is_complete || (is_first && !is_old(view)) || (!is_first && follows && are_known)
    };
    let is_asked = |view: &View| state(view).is_some_and(|t| t.is_pending);
    if views.iter().any(|v| is_asked(v) && is_let_finish(v)) {
        return Vec::new();
    }
    let next = views.iter().copied().find(is_old);
    for view in &views {
        model.tables.entry(*view).or_default();
    }
    let Some((view, of)) =
        next.and_then(|view| Some((view, table_questions::question(model, view)?)))
    else {
        return Vec::new();
    };
    let table = model.tables.entry(view).or_default();
    table.epoch = epoch;
    table.is_pending = true;
    // Only one table is computed at a time; the others are requested again when they are shown.
    for (_, other) in model.tables.iter_mut().filter(|(v, _)| **v != view) {
        if std::mem::take(&mut other.is_pending) {
            other.epoch = 0;
        }
    }
    vec![ask(model, Question::Table(model.rows.clone(), of))]
}

/// Returns whether the visible tables stay unchanged until joins have processed the new records.
pub(super) fn waits(model: &Model) -> bool {
    let other = model.beside().map(|o| o.view);
    let mut shown = [Some(model.view), other].into_iter().flatten();
    let is_known = |view: View| {
        let table = model.tables.get(&view);
        !view.is_table() || table.is_some_and(|t| t.is_known)
    };
    model.joins.awaits_joins(&model.snapshot) && shown.all(is_known)
}

/// Stores a computed table.
pub(super) fn arrived(model: &mut Model, generation: u64, table: Arc<Table>) -> Vec<Effect> {
    if !model.generations.is_last(JobKind::Table, generation) {
        return Vec::new();
    }
    let Some((view, state)) = model.tables.iter_mut().find(|(_, t)| t.is_pending) else {
        return Vec::new();
    };
    let view = *view;
    state.replace_table(table);
    state.is_pending = false;
    super::join_builder::mark(model);
    moves::settle(model);
    // The two tables of a split screen take turns while a run grows.
    let other = model.beside().map(|o| o.view);
    let in_turn = match view == model.view {
        true => [other, Some(view)],
        false => [Some(model.view), other],
    };
    // If the run only grew, the update waits for joins, like all other updates.
    let mut effects = match waits(model) {
        true => Vec::new(),
        false => refresh_in_turn(model, in_turn),
    };
    if std::mem::take(&mut model.things.is_comparing) && model.view == View::Runs {
        effects.extend(super::runs::compare(model));
    }
    effects
}

/// Requests the visible rows of tables that are too large to sort and filter at once.
pub(super) fn keep_up(model: &mut Model) -> Vec<Effect> {
    let due = model.tables.iter_mut();
    let due = due.filter_map(|(view, table)| Some((*view, table.take_request()?)));
    due.map(|(view, wish)| Effect::Arrange(view, wish))
        .collect()
}

/// Stores the sorted and filtered rows of a large table.
pub(super) fn arranged(model: &mut Model, view: View, found: Arranged) {
    if let Some(table) = model.tables.get_mut(&view) {
        table.apply(found);
    }
    if view == model.view {
        row_search::go_on(model);
        moves::settle(model);
    }
}

/// Discards the table of a view.
pub(super) fn forget(model: &mut Model, view: View) {
    if let Some(state) = model.tables.remove(&view) {
        drop_in_background(state, |state| state.table.rows.len());
    }
}

/// Cancels the computation of the table, or clears the filter of its rows; `None` if there is neither.
pub(super) fn give_up(model: &mut Model) -> Option<Vec<Effect>> {
    let table = shown(model)?;
    if table.is_pending {
        table.is_pending = false;
        // Requests the table again when the view is shown again.
        table.epoch = 0;
        model.generations.next(JobKind::Table);
        say(
            model,
            "given up: shown again, it is counted again".to_owned(),
        );
        return Some(vec![Effect::Cancel(JobKind::Table)]);
    }
    if !table.filter.is_empty() {
        table.filter.clear();
        table.arrange();
        moves::settle(model);
        return Some(Vec::new());
    }
    None
}

/// Closes the open prompt of the row filter and clears the filter; returns whether it was open.
pub(super) fn drop_filter(model: &mut Model) -> bool {
    let is_open = matches!(&model.popup, Some(Popup::Prompt(p)) if p.kind == PromptKind::Rows);
    if is_open {
        model.popup = None;
        set_filter(model, String::new());
    }
    is_open
}

/// Filters the rows by the text of the open prompt.
pub(super) fn filter_by_line(model: &mut Model) {
    if let Some(Popup::Prompt(prompt)) = &model.popup
        && prompt.kind == PromptKind::Rows
    {
        let text = prompt.line.text.clone();
        set_filter(model, text);
    }
}

fn set_filter(model: &mut Model, text: String) {
    if let Some(table) = shown(model)
        && table.filter != text
    {
        table.filter = text;
        table.arrange();
        table.list.cursor = 0;
    }
    moves::settle(model);
}

/// Moves the cursor of the view's table to the row with this name.
pub(super) fn to_named(model: &mut Model, name: Option<String>) {
    if let (Some(table), Some(name)) = (shown(model), name) {
        table.move_to_row(name);
    }
    moves::settle(model);
}

/// Changes the order of the rows.
pub(super) fn sort(model: &mut Model, command: Command) -> Vec<Effect> {
    let on_screen = columns_shown(&model.shown(), Areas::of(model).list);
    let Some(table) = shown(model) else {
        return Vec::new();
    };
    let before = table.order();
    match command {
        Command::SortTurn => match table.sort {
            Some(sort) => table.sort_by(sort.column),
            None => table.sort_by_neighbour(&on_screen, Direction::Forward),
        },
        Command::SortNext => table.sort_by_neighbour(&on_screen, Direction::Forward),
        _ => table.sort_by_neighbour(&on_screen, Direction::Backward),
    }
    let after = table.order();
    model.selection.order(model.view.title(), before, after);
    moves::settle(model);
    Vec::new()
}

/// Sorts by the column whose heading was clicked.
pub(super) fn sort_by(model: &mut Model, column: usize) {
    if let Some(table) = shown(model) {
        let before = table.order();
        table.sort_by(column);
        let after = table.order();
        model.selection.order(model.view.title(), before, after);
    }
    moves::settle(model);
}

/// Restores an earlier order of the rows of a view's table.
pub(super) fn order(model: &mut Model, view: &str, order: TableOrder) -> Vec<Effect> {
    let mut tables = model.tables.iter_mut();
    if let Some((_, table)) = tables.find(|(of, _)| of.title() == view) {
        table.restore_order(order);
    }
    let how = match order {
        Some(_) => "ordered as it was",
        None => "in its own order",
    };
    say(model, format!("{view}: {how}"));
    moves::settle(model);
    Vec::new()
}

/// Moves the cursor to a row; returns whether it was already there.
pub(super) fn to_row(model: &mut Model, row: usize) -> bool {
    let Some(table) = shown(model) else {
        return false;
    };
    let again = table.list.cursor == row;
    table.list.cursor = row.min(table.len().saturating_sub(1));
    if !again {
        model.record.top = 0;
    }
    again
}

fn current(model: &Model) -> Option<&Row> {
    model.table()?.current()
}

/// Returns the cells of the row under the cursor, separated by tabs.
pub(super) fn row_text(model: &Model) -> Option<String> {
    let texts: Vec<String> = current(model)?.cells.iter().map(|c| c.text()).collect();
    Some(texts.join("\t"))
}

fn expr(same: &PivotValue) -> Expr {
    Expr::equals(same.field.clone(), same.value.as_str())
}

/// Runs the action of the row under the cursor.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(row) = current(model) else {
        return Vec::new();
    };
    match row.action.clone() {
        RowAction::Nothing => Vec::new(),
        RowAction::Pivot => {
            let Some(same) = row.pivots.first() else {
                return Vec::new();
            };
            let step = select::step(
                &same.label,
                &same.shown,
                expr(same),
                select::StepEffect::Keep,
            );
            enter(model, View::Events);
            select::push(model, step)
        }
        RowAction::Filter(step) => {
            enter(model, View::Events);
            select::push(model, step)
        }
        RowAction::Only(step) => {
            enter(model, View::Events);
            select::replace_all(model, vec![step])
        }
        RowAction::Event(place) => to_event(model, place),
        RowAction::Instance(thing) => super::instance_views::only(model, &thing),
        RowAction::Instances(entity) => show_about(model, ViewSubject::Entity(entity)),
        RowAction::Conflicts(join) => show_about(model, ViewSubject::Join(join)),
        RowAction::Switch(join) => {
            say(model, super::joins::without_conflicts(model, &join));
            Vec::new()
        }
        RowAction::Values(field) => show_about(model, ViewSubject::Key(field)),
        RowAction::Message(at) => super::flow::records(model, at),
        RowAction::Messages(step) => super::flow::only(model, step),
        RowAction::Slowest(step) => show_about(model, ViewSubject::Slow(step)),
        RowAction::Source(_) if model.pane == Pane::List => {
            model.pane = Pane::Record;
            moves::settle(model);
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
            let step = select::step(
                &same.label,
                &same.shown,
                expr(&same),
                select::StepEffect::Keep,
            );
            super::sources::to_problem(model);
            enter(model, View::Events);
            select::push(model, step)
        }
    }
}

pub(super) fn to_event(model: &mut Model, place: Place) -> Vec<Effect> {
    let id: Option<EventId> = model.snapshot.event_at(place.source, place.offset);
    let row = id.and_then(|id| model.rows.row_of(&model.snapshot, id));
    let effects = show(model, View::Events);
    match row {
        Some(row) => jumps::to_row(model, row),
        None => say(model, "this record is not among those selected".to_owned()),
    }
    effects
}

/// Excludes the records with the instance or value of the row under the cursor.
pub(super) fn leave_out(model: &mut Model) -> Vec<Effect> {
    if let Some(RowAction::Instance(thing)) = current(model).map(|r| &r.action) {
        let step = SelectionStep::for_instance(thing, select::StepEffect::Exclude);
        return select::push(model, step);
    }
    let Some(same) = value_of_row(model) else {
        say(model, "there is nothing to leave out here".to_owned());
        return Vec::new();
    };
    let step = select::step(
        &same.label,
        &same.shown,
        expr(&same),
        select::StepEffect::Exclude,
    );
    select::push(model, step)
}

/// Returns whether the row under the cursor has an instance or value to exclude.
pub(super) fn can_leave_out(model: &Model) -> bool {
    let is_thing = matches!(
        current(model).map(|r| &r.action),
        Some(RowAction::Instance(_))
    );
    is_thing || value_of_row(model).is_some()
}

/// Returns the value of the row under the cursor (`None` for a row of the keys view, which has no value).
fn value_of_row(model: &Model) -> Option<PivotValue> {
    let row = current(model).filter(|row| !matches!(row.action, RowAction::Values(_)))?;
    row.pivots.first().cloned()
}

/// Pivot rows of the row under the cursor.
pub(super) fn pivot_rows(model: &Model) -> Vec<PivotRow> {
    if let Some(RowAction::Instance(thing)) = current(model).map(|r| &r.action) {
        return super::instance_views::rows_of(model, thing);
    }
    if let Some(RowAction::Event(place)) = current(model).map(|r| &r.action) {
        let id = model.snapshot.event_at(place.source, place.offset);
        let event = id.and_then(|id| model.snapshot.event(id));
        return event.map_or(Vec::new(), |e| select::pivot_rows(model, &e));
    }
    if let Some(event) = super::flow::event(model) {
        return select::pivot_rows(model, &event);
    }
    let same = current(model).map_or(&[][..], |r| &r.pivots);
    same.iter()
        .map(|same| PivotRow {
            letter: None,
            key: same.field.name().to_owned(),
            label: same.label.clone(),
            value: same.shown.clone(),
            expr: expr(same),
            instance: None,
            count: None,
            in_run: None,
        })
        .collect()
}

/// Shows the values of the key under the cursor of the pivot list or table.
pub(super) fn frequency(model: &mut Model) -> Vec<Effect> {
    let field = match (&model.popup, current(model)) {
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
        Some(field) => show_about(model, ViewSubject::Key(field)),
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
