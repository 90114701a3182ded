//! The views that are tables: asking for them, moving in them, what their rows lead to.

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
use super::{ask, jumps, moves, rowsearch, say, select, show};

/// The table of the view, when it is one.
fn shown(model: &mut Model) -> Option<&mut TableState> {
    let view = model.view;
    view.is_table()
        .then(|| model.tables.entry(view).or_default())
}

/// Asks for the tables that are shown, one after the other, when what they are about has changed since: that of the view
/// with the keys first. What is being computed for an older snapshot of the same selection is let finish first: else a run
/// that loads would never show a table.
pub(super) fn refresh(model: &mut Model) -> Vec<Effect> {
    let other = model.beside().map(|o| o.view);
    refresh_in_turn(model, [Some(model.view), other])
}

/// Asks for the first table of these views that is of an older state.
fn refresh_in_turn(model: &mut Model, views: [Option<View>; 2]) -> Vec<Effect> {
    // The rows of the selection as it is now are not known yet; when they are, this is called again.
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
        // The other one gives way to what was never shown, but not to every record more.
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
    // One table is computed at a time; the others are asked for again when they are shown.
    for (_, other) in model.tables.iter_mut().filter(|(v, _)| **v != view) {
        if std::mem::take(&mut other.is_pending) {
            other.epoch = 0;
        }
    }
    vec![ask(model, Question::Table(model.rows.clone(), of))]
}

/// Whether the tables that are shown stay as they are until joins have seen the records that came.
pub(super) fn waits(model: &Model) -> bool {
    let other = model.beside().map(|o| o.view);
    let mut shown = [Some(model.view), other].into_iter().flatten();
    let is_known = |view: View| {
        let table = model.tables.get(&view);
        !view.is_table() || table.is_some_and(|t| t.is_known)
    };
    model.joins.awaits_joins(&model.snapshot) && shown.all(is_known)
}

/// A table was computed.
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
    super::newjoin::mark(model);
    moves::settle(model);
    // Of two tables of a run that grows each has its turn.
    let other = model.beside().map(|o| o.view);
    let in_turn = match view == model.view {
        true => [other, Some(view)],
        false => [Some(model.view), other],
    };
    // What only grew waits with everything else that follows from that.
    let mut effects = match waits(model) {
        true => Vec::new(),
        false => refresh_in_turn(model, in_turn),
    };
    if std::mem::take(&mut model.things.is_comparing) && model.view == View::Runs {
        effects.extend(super::runs::compare(model));
    }
    effects
}

/// Asks for the rows that are shown of tables that are too large to find them at once.
pub(super) fn keep_up(model: &mut Model) -> Vec<Effect> {
    let due = model.tables.iter_mut();
    let due = due.filter_map(|(view, table)| Some((*view, table.take_request()?)));
    due.map(|(view, wish)| Effect::Arrange(view, wish))
        .collect()
}

/// They are known.
pub(super) fn arranged(model: &mut Model, view: View, found: Arranged) {
    if let Some(table) = model.tables.get_mut(&view) {
        table.apply(found);
    }
    if view == model.view {
        rowsearch::go_on(model);
        moves::settle(model);
    }
}

/// Forgets the table of a view.
pub(super) fn forget(model: &mut Model, view: View) {
    if let Some(state) = model.tables.remove(&view) {
        drop_in_background(state, |state| state.table.rows.len());
    }
}

/// Gives up computing the table, or drops the filter of its rows; `None` where there is neither.
pub(super) fn give_up(model: &mut Model) -> Option<Vec<Effect>> {
    let table = shown(model)?;
    if table.is_pending {
        table.is_pending = false;
        // Shown again, it is asked for again.
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

/// Esc in the line of the filter of rows drops it.
pub(super) fn drop_filter(model: &mut Model) -> bool {
    let is_open = matches!(&model.popup, Some(Popup::Prompt(p)) if p.kind == PromptKind::Rows);
    if is_open {
        model.popup = None;
        set_filter(model, String::new());
    }
    is_open
}

/// Filters the rows by the line that is being written.
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

/// Puts the cursor of the view's table on the row of this name.
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

/// Orders by a column whose heading was clicked on.
pub(super) fn sort_by(model: &mut Model, column: usize) {
    if let Some(table) = shown(model) {
        let before = table.order();
        table.sort_by(column);
        let after = table.order();
        model.selection.order(model.view.title(), before, after);
    }
    moves::settle(model);
}

/// Puts the rows of a view's table in the order that they had.
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

/// Puts the cursor on a row; says whether it was there already.
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

/// The row under the cursor as a text: its cells, a tab between each.
pub(super) fn row_text(model: &Model) -> Option<String> {
    let texts: Vec<String> = current(model)?.cells.iter().map(|c| c.text()).collect();
    Some(texts.join("\t"))
}

fn expr(same: &PivotValue) -> Expr {
    Expr::equals(same.field.clone(), same.value.as_str())
}

/// Looks closer at the row under the cursor.
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
        RowAction::Instance(thing) => super::things::only(model, &thing),
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

/// Leaves out what has what the row under the cursor has.
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

/// Whether the row under the cursor is something that can be left out.
pub(super) fn can_leave_out(model: &Model) -> bool {
    let is_thing = matches!(
        current(model).map(|r| &r.action),
        Some(RowAction::Instance(_))
    );
    is_thing || value_of_row(model).is_some()
}

/// The value that the row under the cursor stands for. A key is no value: there is nothing to leave out.
fn value_of_row(model: &Model) -> Option<PivotValue> {
    let row = current(model).filter(|row| !matches!(row.action, RowAction::Values(_)))?;
    row.pivots.first().cloned()
}

/// What the row under the cursor has in common with events.
pub(super) fn pivot_rows(model: &Model) -> Vec<PivotRow> {
    if let Some(RowAction::Instance(thing)) = current(model).map(|r| &r.action) {
        return super::things::rows_of(model, thing);
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

/// Shows the values of the key under the cursor: of the pivot list, or of the table.
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
