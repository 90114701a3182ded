//! Tables of views: requested, sorted, filtered, and moved in.

use crate::command::Command;
use crate::follow_mode::Following;
use crate::layout::Areas;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::popups::{Prompt, PromptKind};
use crate::table_columns::columns_shown;
use widetui_core::direction::Direction;
use widetui_core::thread::drop_in_background;
use widetui_session::jobs::{JobKind, Question};
use widetui_session::selection::TableOrder;
use widetui_tables::table::TableState;

use super::notices::say;
use super::questions::ask;
use super::scrolling;

/// State of the view's table (`None` if the view has none).
fn shown(model: &mut Model) -> Option<&mut TableState> {
    let view = model.view;
    view.is_table()
        .then(|| model.tables.entry(view).or_default())
}

/// Requests the visible tables whose input changed, one at a time, the focused view first. While a run loads, a table for
/// an older snapshot of the same selection is completed first; otherwise no table would ever be shown.
pub(in crate::update) fn refresh(model: &mut Model) -> Vec<Effect> {
    let other = model.beside().map(|o| o.view);
    refresh_in_turn(model, [Some(model.view), other])
}

/// Requests the first outdated table of these views.
pub(in crate::update) fn refresh_in_turn(
    model: &mut Model,
    views: [Option<View>; 2],
) -> Vec<Effect> {
    // The rows of the current selection are not known yet; the next call comes when they are.
    if model.counts.len() != model.selection.steps().len() {
        return Vec::new();
    }
    let (epoch, is_complete) = (model.epoch, model.snapshot.complete);
    let has_table = |view: &View| (view.question)(model).is_some();
    let views: Vec<View> = views.into_iter().flatten().filter(has_table).collect();
    let state = |view: &View| model.tables.get(view);
    let is_old = |view: &View| state(view).is_none_or(|t| t.epoch != epoch);
    let are_known = views.iter().all(|v| state(v).is_some_and(|t| t.is_known));
    let follows = model.load_state.follow.state != Following::Off;
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
    let Some((view, of)) = next.and_then(|view| Some((view, (view.question)(model)?))) else {
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
pub(in crate::update) fn waits(model: &Model) -> bool {
    let other = model.beside().map(|o| o.view);
    let mut shown = [Some(model.view), other].into_iter().flatten();
    let is_known = |view: View| {
        let table = model.tables.get(&view);
        !view.is_table() || table.is_some_and(|t| t.is_known)
    };
    model.joins.awaits_joins(&model.snapshot) && shown.all(is_known)
}

/// Requests the visible rows of tables that are too large to sort and filter at once.
pub(in crate::update) fn keep_up(model: &mut Model) -> Vec<Effect> {
    let due = model.tables.iter_mut();
    let due = due.filter_map(|(view, table)| Some((*view, table.take_request()?)));
    due.map(|(view, wish)| Effect::Arrange(view.title, wish))
        .collect()
}

/// Maximum number of rows of tables that are not on the screen, in all; a row takes about a kilobyte.
const MAX_HIDDEN_ROWS: usize = 20_000;

/// Drops the rows of tables that are not on the screen, the largest first, if there are too many; they are computed again
/// when they are shown.
pub(in crate::update) fn release_hidden(model: &mut Model) {
    let on_screen = [Some(model.view), model.beside().map(|other| other.view)];
    let hidden = model.tables.iter_mut();
    let hidden =
        hidden.filter(|(view, table)| !on_screen.contains(&Some(**view)) && !table.is_pending);
    let mut hidden: Vec<&mut TableState> = hidden.map(|(_, table)| table).collect();
    let mut rows: usize = hidden.iter().map(|table| table.table.rows.len()).sum();
    if rows <= MAX_HIDDEN_ROWS {
        return;
    }
    hidden.sort_unstable_by_key(|table| table.table.rows.len());
    while rows > MAX_HIDDEN_ROWS
        && let Some(largest) = hidden.pop()
    {
        rows -= largest.table.rows.len();
        largest.release_rows();
    }
}

/// Discards the table of a view.
pub(in crate::update) fn forget(model: &mut Model, view: View) {
    if let Some(state) = model.tables.remove(&view) {
        drop_in_background(state, |state| state.table.rows.len());
    }
}

/// Discards the tables of all plots.
pub(super) fn forget_plots(model: &mut Model) {
    let views: Vec<View> = model.tables.keys().copied().collect();
    let plotted = views.into_iter().filter(|view| view.is_plotted());
    plotted.for_each(|view| forget(model, view));
}

/// Cancels the computation of the table, or clears the filter of its rows; `None` if there is neither.
pub(in crate::update) fn give_up(model: &mut Model) -> Option<Vec<Effect>> {
    let table = shown(model)?;
    if table.is_pending {
        table.is_pending = false;
        // Requests the table again when the view is shown again.
        table.epoch = 0;
        model.generations.next(JobKind::Table);
        say(model, "given up: shown again, it is counted again");
        return Some(vec![Effect::Cancel(JobKind::Table)]);
    }
    if !table.filter.is_empty() {
        table.filter.clear();
        table.arrange();
        scrolling::settle(model);
        return Some(Vec::new());
    }
    None
}

/// Closes the open prompt of the row filter and clears the filter; returns whether it was open.
pub(in crate::update) fn drop_filter(model: &mut Model) -> bool {
    let is_open = model
        .popup_of::<Prompt>()
        .is_some_and(|p| p.kind == PromptKind::Rows);
    if is_open {
        model.popup = None;
        set_filter(model, String::new());
    }
    is_open
}

/// Filters the rows by the text of the open prompt.
pub(in crate::update) fn filter_by_line(model: &mut Model) {
    if let Some(prompt) = model.popup_of::<Prompt>()
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
    scrolling::settle(model);
}

/// Moves the cursor of the view's table to the row with a name, so many rows below the top of the screen.
pub(in crate::update) fn to_named(model: &mut Model, row: Option<(String, usize)>) {
    let is_settled = model.counts.len() == model.selection.steps().len();
    let epoch = is_settled.then_some(model.epoch);
    if let (Some(table), Some((name, above))) = (shown(model), row) {
        table.move_to_row(name, above, epoch);
    }
    scrolling::settle(model);
}

/// Changes the order of the rows.
pub(in crate::update) fn sort(model: &mut Model, command: Command) -> Vec<Effect> {
    let on_screen = columns_shown(&model.shown(), Areas::new(model).list);
    let direction = match command {
        Command::SortPrev => Direction::Backward,
        _ => Direction::Forward,
    };
    change_order(model, |table| match table.sort {
        Some(sort) if command == Command::SortTurn => table.sort_by(sort.column),
        _ => table.sort_by_neighbour(&on_screen, direction),
    });
    Vec::new()
}

/// Sorts by the column whose heading was clicked.
pub(in crate::update) fn sort_by(model: &mut Model, column: usize) {
    change_order(model, |table| table.sort_by(column));
}

/// Restores the order of the rows of the view's table before a step.
pub(super) fn reorder(model: &mut Model, order: TableOrder) {
    if model.table().is_some_and(|table| table.order() != order) {
        change_order(model, |table| table.restore_order(order));
    }
}

fn change_order(model: &mut Model, change: impl FnOnce(&mut TableState)) {
    if let Some(table) = shown(model) {
        let before = table.order();
        change(table);
        let after = table.order();
        model.selection.order(model.view.title, before, after);
    }
    scrolling::settle(model);
}

/// Restores an earlier order of the rows of a view's table.
pub(in crate::update) fn order(model: &mut Model, view: &str, order: TableOrder) -> Vec<Effect> {
    let mut tables = model.tables.iter_mut();
    if let Some((_, table)) = tables.find(|(of, _)| of.title == view) {
        table.restore_order(order);
    }
    let how = match order {
        Some(_) => "ordered as it was",
        None => "in its own order",
    };
    say(model, format!("{view}: {how}"));
    scrolling::settle(model);
    Vec::new()
}

/// Moves the cursor to a row; returns whether it was already there.
pub(in crate::update) fn to_row(model: &mut Model, row: usize) -> bool {
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
