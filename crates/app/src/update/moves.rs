//! Cursor movement and scrolling in lists and panes by keys, wheel and clicks.

use crate::command::Command;
use crate::event_list::CursorAnchor;
use crate::event_list::{SelectionEdge, TimeSelection};
use crate::hit::Target;
use crate::layout::Areas;
use crate::lines;
use crate::model::{Model, Pane, View};
use crate::msg::Effect;
use crate::pages::unfinished;
use crate::record;
use crate::view::{Body, Detail, Page, RowLook};
use crate::view_plots;
use widetui_session::record_texts::Place;
use widetui_tables::list::List;

use super::{follow, panes, time};

pub(super) fn sideways(model: &mut Model, command: Command) -> Vec<Effect> {
    match command {
        Command::Left | Command::Right
            if model.pane == Pane::Record && record::step(model, command) => {}
        Command::Left if model.view.is_over_time() => return super::plots::sideways(model, -1),
        Command::Right if model.view.is_over_time() => return super::plots::sideways(model, 1),
        _ => scroll_sideways(model, command),
    }
    Vec::new()
}

/// Scrolls long messages horizontally, at most to the end of the longest visible message.
fn scroll_sideways(model: &mut Model, command: Command) {
    let area = Areas::of(model).list;
    let step = lines::message_width(model, area) / 4;
    let (step, left) = (step.max(1), model.events.left);
    model.events.left = match command {
        Command::Left => left.saturating_sub(step),
        // Shorter rows do not scroll back: another row may have been longer.
        _ => (left + step).min(lines::max_scroll(model, area).max(left)),
    };
}

pub(super) fn vertical(model: &mut Model, command: Command) -> Vec<Effect> {
    let areas = Areas::of(model);
    let in_record = model.pane == Pane::Record && model.view.has_detail();
    let page = if in_record {
        areas.record.height
    } else {
        areas.list.height
    };
    let page = i64::from(page.max(1));
    if in_record && record::step(model, command) {
        return Vec::new();
    }
    // Rows of the record list can be several lines high.
    let page = match in_record || model.view != View::Events {
        true => page,
        false => lines::visible_rows(model, areas.list) as i64,
    };
    let rows = match command {
        Command::Down => 1,
        Command::Up => -1,
        Command::HalfDown => (page / 2).max(1),
        Command::HalfUp => -(page / 2).max(1),
        Command::PageDown => (page - 1).max(1),
        Command::PageUp => -(page - 1).max(1),
        Command::First => i64::MIN,
        Command::Last => i64::MAX,
        _ => 0,
    };
    if in_record {
        scroll_record(model, rows);
    } else {
        move_cursor(model, rows);
    }
    Vec::new()
}

fn scroll_record(model: &mut Model, rows: i64) {
    let height = usize::from(Areas::of(model).record.height);
    let length = match model.view.row().detail {
        Detail::Source => crate::layout::source_lines(&model.shown()),
        Detail::Record | Detail::Draft | Detail::Nothing => record::length(&model.shown()),
    };
    let last = length.saturating_sub(height);
    model.record.top = moved(model.record.top, rows, last + 1);
}

/// Moves an index among `len` rows by `rows`, clamped to the valid range.
pub(super) fn moved(from: usize, rows: i64, len: usize) -> usize {
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let last = i64::try_from(len).unwrap_or(i64::MAX).saturating_sub(1);
    usize::try_from(from.saturating_add(rows).clamp(0, last.max(0))).unwrap_or(0)
}

fn move_cursor(model: &mut Model, rows: i64) {
    match model.view.row().body {
        Body::Records => {
            let from = model.events.list.cursor;
            match rows {
                i64::MAX => super::jumps::to_end(model),
                i64::MIN => super::jumps::to_row(model, 0),
                _ => to_row(model, moved(from, rows, model.len())),
            }
            follow::resume(model);
        }
        Body::Page(Page::Unfinished) => super::instance_views::move_hung(model, rows),
        Body::Page(Page::Findings) => super::findings::step(model, rows),
        Body::Table(_) => {
            if let Some(table) = model.tables.get_mut(&model.view) {
                let cursor = moved(table.list.cursor, rows, table.len());
                if cursor != table.list.cursor {
                    model.record.top = 0;
                }
                table.list.cursor = cursor;
            }
            settle(model);
        }
    }
}

/// Scrolls the list of records while the cursor stays, or moves the window so that the cursor is at its top, middle or
/// bottom.
pub(super) fn scroll(model: &mut Model, command: Command) -> Vec<Effect> {
    let target = match (model.view, model.pane) {
        (View::Events, Pane::List | Pane::Breadcrumb) => Target::List,
        (_, Pane::Record) => Target::Record,
        (_, Pane::List | Pane::Breadcrumb) => Target::TableRow(0),
    };
    match command {
        Command::ScrollDown => return wheel(model, target, 1),
        Command::ScrollUp => return wheel(model, target, -1),
        _ => {}
    }
    let height = usize::from(Areas::of(model).list.height);
    let above = match command {
        Command::CursorTop => 0,
        Command::CursorMiddle => height / 2,
        _ => height.saturating_sub(1),
    };
    if model.view == View::Events {
        model.events.anchor = CursorAnchor::Record;
        model.events.list.top = model.events.list.cursor.saturating_sub(above);
        settle(model);
    }
    Vec::new()
}

/// Moves the cursor of the record list to a row and anchors it to the record there.
pub(super) fn to_row(model: &mut Model, row: usize) {
    model.events.anchor = CursorAnchor::Record;
    if row != model.events.list.cursor {
        model.events.list.cursor = row;
        model.record.top = 0;
        model.events.key = 0;
    }
    follow::moved(model);
    settle(model);
}

/// Scrolls all windows so that their cursors are visible, after a size or length changed.
pub(super) fn settle(model: &mut Model) {
    settle_view(model);
    panes::in_other(model, settle_view);
}

/// Scrolls the windows of the focused view so that their cursors are visible.
fn settle_view(model: &mut Model) {
    let height = usize::from(Areas::of(model).list.height);
    let len = model.len();
    match model.view.row().body {
        Body::Page(Page::Unfinished) => {
            let len = unfinished::lines(model, model.columns_of(View::Unfinished)).len();
            model.things.hung.reveal(height, len);
        }
        Body::Page(Page::Findings) => super::findings::place(model),
        Body::Records => {
            model
                .events
                .list
                .reveal(height, follow::end(model).unwrap_or(len));
            lines::reveal(model, Areas::of(model).list);
            remember(model);
        }
        Body::Table(look) => {
            if let Some(table) = model.tables.get_mut(&model.view) {
                // One row is the heading; plots use further rows.
                let others = match look {
                    RowLook::Arrows => usize::from(view_plots::rows_beside_arrows(height as u16)),
                    RowLook::Bars => 2,
                    RowLook::Cells => 1,
                };
                let len = table.len();
                table.list.reveal(height.saturating_sub(others), len);
            }
        }
    }
}

/// Stores the position of the cursor, to restore it after a selection without records.
fn remember(model: &mut Model) {
    let here = model
        .current()
        .map(|e| (Place::from_event(&e), e.order_time()));
    model.events.last = here.or(model.events.last);
}

/// Scrolls the pane under the mouse; in the record list the cursor stays inside the window.
pub(super) fn wheel(model: &mut Model, target: Target, rows: i64) -> Vec<Effect> {
    let areas = Areas::of(model);
    let height = usize::from(areas.list.height);
    match target {
        Target::Record => scroll_record(model, rows),
        Target::Popup | Target::PopupRow(_) => {
            let command = if rows > 0 { Command::Down } else { Command::Up };
            for _ in 0..rows.unsigned_abs() {
                super::line::in_popup(model, command);
            }
        }
        _ if model.popup.is_some() => {}
        Target::TableRow(_) | Target::TableHead(_) | Target::TimelineRow(..) => {
            move_cursor(model, rows)
        }
        _ if model.view != View::Events => move_cursor(model, rows),
        _ => {
            let len = model.len();
            let list = scrolled(model.events.list, rows, height, len);
            if list.cursor != model.events.list.cursor {
                model.record.top = 0;
            }
            model.events.anchor = CursorAnchor::Record;
            model.events.list = list;
            lines::reveal(model, areas.list);
            follow::moved(model);
            follow::resume(model);
            remember(model);
        }
    }
    Vec::new()
}

fn scrolled(list: List, rows: i64, height: usize, len: usize) -> List {
    let top = moved(list.top, rows, len.saturating_sub(height) + 1);
    let margin = (height / 5).min(3);
    let lowest = if top == 0 { 0 } else { top + margin };
    let end = top + height;
    let highest = if end >= len {
        len.saturating_sub(1)
    } else {
        end.saturating_sub(margin + 1)
    };
    List {
        top,
        cursor: list.cursor.clamp(lowest.min(highest), highest),
    }
}

/// Makes a time selection while the mouse is dragged over the overview or a view over time.
pub(super) fn drag(model: &mut Model, target: Target) -> Vec<Effect> {
    if model.view.is_over_time() {
        let to = match target {
            Target::OverviewBar(column) => column,
            Target::TimelineRow(_, column) => usize::from(column),
            _ => return Vec::new(),
        };
        return super::plots::brush(model, to);
    }
    let (Some(from), Target::OverviewBar(to), Some(strip)) =
        (model.events.dragged_from, target, &model.strip)
    else {
        return Vec::new();
    };
    let brush = TimeSelection {
        from: strip.time_of(from.min(to)),
        to: strip.end_of(from.max(to)),
        edge: SelectionEdge::Both,
    };
    time::brush(model, brush);
    Vec::new()
}

/// Whether a click hit the row that already had the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CursorTarget {
    /// The cursor was on another row.
    First,
    /// The cursor was already on the row; a click opens it.
    RecomputeReason,
}

/// Moves the cursor to a clicked row; returns whether it was already there.
pub(super) fn point(model: &mut Model, target: Target) -> CursorTarget {
    let was_here = match target {
        Target::Row(row) => {
            model.pane = Pane::List;
            let was_here = model.events.list.cursor == row;
            to_row(model, row);
            was_here
        }
        Target::TableRow(row) => match model.view.row().body {
            Body::Page(Page::Unfinished) => {
                std::mem::replace(&mut model.things.hung.cursor, row) == row
            }
            // Rows of the findings are addressed by line: see `click`.
            Body::Page(Page::Findings) | Body::Records | Body::Table(_) => {
                model.pane = Pane::List;
                super::table::to_row(model, row)
            }
        },
        _ => false,
    };
    settle(model);
    match was_here {
        true => CursorTarget::RecomputeReason,
        false => CursorTarget::First,
    }
}

/// Moves the cursor to the clicked row, or opens the row if the cursor is already there.
pub(super) fn click(model: &mut Model, target: Target) -> Vec<Effect> {
    match target {
        Target::TableRow(line) if model.view == View::Diagnose => {
            return super::findings::click(model, line);
        }
        Target::Row(_) | Target::TableRow(_) => {
            return match point(model, target) {
                CursorTarget::RecomputeReason => super::open(model),
                CursorTarget::First => Vec::new(),
            };
        }
        Target::TableHead(column) => super::table::sort_by(model, column),
        Target::Record => {
            model.pane = Pane::Record;
            settle(model);
        }
        Target::OverviewBar(column) if model.view.is_over_time() => {
            model.events.dragged_from = Some(column);
            super::plots::to_column(model, column as u16);
        }
        Target::TimelineRow(row, column) => {
            model.pane = Pane::List;
            model.events.dragged_from = Some(usize::from(column));
            super::table::to_row(model, row);
            super::plots::to_column(model, column);
            settle(model);
        }
        Target::Scrollbar(row) => to_row(model, row),
        Target::OverviewBar(bin) => {
            model.events.dragged_from = Some(bin);
            if let Some(strip) = &model.strip {
                let row = model.rows.row_at_time(&model.snapshot, strip.time_of(bin));
                to_row(model, row.min(model.len().saturating_sub(1)));
            }
        }
        _ => {}
    }
    Vec::new()
}
