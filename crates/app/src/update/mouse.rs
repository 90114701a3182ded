//! Mouse input: clicks, drags and the wheel.

use crate::command::Command;
use crate::event_list::{SelectionEdge, TimeSelection};
use crate::hit::Target;
use crate::model::view::Body;
use crate::model::{Model, Pane};
use crate::msg::{Effect, Msg};

use super::dispatch::run_by_user;
use super::primitives::{
    moment, navigation, record_cursor, scrolling, selection, split_focus, tables,
};
use super::{dispatch, keyboard, moves, plots, popups, time};

pub(super) fn click(model: &mut Model, target: Target) -> Vec<Effect> {
    model.message = None;
    // A click cancels a pending key sequence, except on the hint of a key that continues it.
    if !matches!(target, Target::KeyHint(_)) {
        model.pending.clear();
    }
    match target {
        Target::Hint(command) => run_by_user(model, command, None, 1),
        Target::KeyHint(key) => keyboard::press(model, key),
        Target::Step(count) => selection::keep(model, count),
        Target::PopupRow(row) => {
            let picked = popups::click(model, row);
            dispatch::run_picked(model, picked)
        }
        Target::Popup => Vec::new(),
        Target::RecordLine | Target::SplitLine => {
            model.user_data.dragging = model.popup.is_none().then_some(target);
            Vec::new()
        }
        Target::Row(_)
        | Target::List
        | Target::Record
        | Target::TableRow(_)
        | Target::TableHead(_)
        | Target::OverviewBar(_)
        | Target::TimelineRow(..)
        | Target::Scrollbar(_) => {
            // A click outside an open popup closes it.
            if model.popup.take().is_some() {
                return Vec::new();
            }
            click_in_view(model, target)
        }
    }
}

/// Scrolls the pane under the mouse, or moves the cursor of the open popup.
pub(super) fn wheel(model: &mut Model, target: Target, rows: i64) -> Vec<Effect> {
    if !matches!(target, Target::Popup | Target::PopupRow(_)) {
        return moves::wheel(model, target, rows);
    }
    let command = if rows > 0 { Command::Down } else { Command::Up };
    for _ in 0..rows.unsigned_abs() {
        popups::run(model, command);
    }
    Vec::new()
}

/// Opens the pivot popup of a row on a right click.
pub(super) fn right_click(model: &mut Model, target: Target) -> Vec<Effect> {
    let is_row = matches!(target, Target::Row(_) | Target::TableRow(_));
    if !is_row || model.popup.is_some() {
        return click(model, target);
    }
    model.message = None;
    model.pending.clear();
    point(model, target);
    dispatch::run(model, Command::Pivot)
}

/// Makes a time selection while the mouse is dragged over the overview or a view over time.
pub(super) fn drag(model: &mut Model, target: Target) -> Vec<Effect> {
    if model.view.is_over_time() {
        let to = match target {
            Target::OverviewBar(column) => column,
            Target::TimelineRow(_, column) => usize::from(column),
            _ => return Vec::new(),
        };
        return plots::brush(model, to);
    }
    let (Some(from), Target::OverviewBar(to), Some(overview)) =
        (model.events.dragged_from, target, &model.overview)
    else {
        return Vec::new();
    };
    let brush = TimeSelection {
        from: overview.time_of(from.min(to)),
        to: overview.end_of(from.max(to)),
        edge: SelectionEdge::Both,
    };
    time::brush(model, brush);
    Vec::new()
}

/// Whether a click hit the row that already had the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowClick {
    /// The cursor was on another row.
    First,
    /// The cursor was already on the row; a click opens it.
    Again,
}

/// Moves the cursor to a clicked row.
pub(super) fn point(model: &mut Model, target: Target) -> RowClick {
    let was_here = match target {
        Target::Row(row) => {
            model.pane = Pane::List;
            let was_here = model.events.list.cursor == row;
            record_cursor::to_row(model, row);
            was_here
        }
        Target::TableRow(row) => match model.view.body {
            Body::Page(page) => (page.click)(model, row),
            Body::Records | Body::Table(_) => {
                model.pane = Pane::List;
                tables::to_row(model, row)
            }
        },
        _ => false,
    };
    scrolling::settle(model);
    match was_here {
        true => RowClick::Again,
        false => RowClick::First,
    }
}

/// Moves the cursor to the clicked row, or opens the row if the cursor is already there.
pub(super) fn click_in_view(model: &mut Model, target: Target) -> Vec<Effect> {
    match target {
        Target::Row(_) | Target::TableRow(_) => {
            return match point(model, target) {
                RowClick::Again => (model.view.open)(model),
                RowClick::First => Vec::new(),
            };
        }
        Target::TableHead(column) => tables::sort_by(model, column),
        Target::Record => {
            model.pane = Pane::Record;
            scrolling::settle(model);
        }
        Target::OverviewBar(column) if model.view.is_over_time() => {
            model.events.dragged_from = Some(column);
            moment::to_column(model, column as u16);
        }
        Target::TimelineRow(row, column) => {
            model.pane = Pane::List;
            model.events.dragged_from = Some(usize::from(column));
            tables::to_row(model, row);
            moment::to_column(model, column);
            scrolling::settle(model);
        }
        Target::Scrollbar(row) => record_cursor::to_row(model, row),
        Target::OverviewBar(bin) => {
            model.events.dragged_from = Some(bin);
            if let Some(overview) = &model.overview {
                let row = model
                    .rows
                    .row_at_time(&model.snapshot, overview.time_of(bin));
                record_cursor::to_row(model, row.min(model.len().saturating_sub(1)));
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Handles mouse input in the unfocused view: a click focuses it, the wheel only scrolls it.
pub(super) fn in_unfocused(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Wheel(target, rows) if model.popup.is_some() => wheel(model, target, rows),
        Msg::Wheel(target, rows) => {
            split_focus::in_other(model, |model| moves::wheel(model, target, rows))
                .unwrap_or_default()
        }
        // A click outside an open popup closes it.
        Msg::Click(_) | Msg::RightClick(_) if model.popup.take().is_some() => Vec::new(),
        Msg::Click(target) => {
            let mut effects = navigation::to_other(model);
            effects.extend(click(model, target));
            effects
        }
        Msg::RightClick(target) => {
            let mut effects = navigation::to_other(model);
            effects.extend(right_click(model, target));
            effects
        }
        // A drag that began in one view does not continue in the other.
        _ => Vec::new(),
    }
}
