//! Cursor movement and scrolling in lists and panes by keys, wheel and clicks.

use crate::command::Command;
use crate::event_list::CursorAnchor;
use crate::hit::Target;
use crate::layout::Areas;
use crate::model::view::{Body, Detail};
use crate::model::{Model, Pane};
use crate::msg::Effect;
use crate::{lines, record};
use widetui_tables::list::{List, moved};

use super::plots;
use super::primitives::{record_cursor, scrolling};

pub(super) fn sideways(model: &mut Model, command: Command) -> Vec<Effect> {
    match command {
        Command::Left | Command::Right
            if model.pane == Pane::Record && step_in_record(model, command) => {}
        Command::Left if model.view.is_over_time() => return plots::sideways(model, -1),
        Command::Right if model.view.is_over_time() => return plots::sideways(model, 1),
        _ => scroll_sideways(model, command),
    }
    Vec::new()
}

/// Scrolls long messages horizontally, at most to the end of the longest visible message.
fn scroll_sideways(model: &mut Model, command: Command) {
    let area = Areas::new(model).list;
    let step = lines::message_width(model, area) / 4;
    let (step, left) = (step.max(1), model.events.left);
    model.events.left = match command {
        Command::Left => left.saturating_sub(step),
        // Shorter rows do not scroll back: another row may have been longer.
        _ => (left + step).min(lines::max_scroll(model, area).max(left)),
    };
}

pub(super) fn vertical(model: &mut Model, command: Command) -> Vec<Effect> {
    let areas = Areas::new(model);
    let in_record = model.pane == Pane::Record && model.view.has_detail();
    let page = if in_record {
        areas.record.height
    } else {
        areas.list.height
    };
    let page = i64::from(page.max(1));
    if in_record && step_in_record(model, command) {
        return Vec::new();
    }
    // Rows of the record list can be several lines high.
    let page = match in_record || !model.view.is_records() {
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

/// Moves the cursor among the keys of the record pane; returns `false` if the text scrolls instead.
fn step_in_record(model: &mut Model, command: Command) -> bool {
    if command == Command::First {
        model.events.key = 0;
    }
    let next = record::position_after(model, command);
    let is_moved = next.is_some();
    if let Some(next) = next {
        model.events.key = next.key;
        model.record.top = next.top;
    }
    is_moved
}

fn scroll_record(model: &mut Model, rows: i64) {
    let height = usize::from(Areas::new(model).record.height);
    let length = match model.view.detail {
        Detail::Source => crate::layout::source_lines(&model.shown()),
        Detail::Record | Detail::Draft | Detail::Row | Detail::Nothing => {
            record::length(&model.shown())
        }
    };
    let last = length.saturating_sub(height);
    model.record.top = moved(model.record.top, rows, last + 1);
}

fn move_cursor(model: &mut Model, rows: i64) {
    match model.view.body {
        Body::Records => {
            let from = model.events.list.cursor;
            match rows {
                i64::MAX => record_cursor::jump_to_end(model),
                i64::MIN => record_cursor::jump_to(model, 0),
                _ => record_cursor::to_row(model, moved(from, rows, model.len())),
            }
            record_cursor::resume_following(model);
        }
        Body::Page(page) => (page.step)(model, rows),
        Body::Table(_) => {
            if let Some(table) = model.tables.get_mut(&model.view) {
                let cursor = moved(table.list.cursor, rows, table.len());
                if cursor != table.list.cursor {
                    model.record.top = 0;
                }
                table.list.cursor = cursor;
            }
            scrolling::settle(model);
        }
    }
}

/// Scrolls the list of records while the cursor stays, or moves the window so that the cursor is at its top, middle or
/// bottom.
pub(super) fn scroll(model: &mut Model, command: Command) -> Vec<Effect> {
    let target = match (model.view, model.pane) {
        (_, Pane::Record) => Target::Record,
        (view, _) if view.is_records() => Target::List,
        _ => Target::TableRow(0),
    };
    match command {
        Command::ScrollDown => return wheel(model, target, 1),
        Command::ScrollUp => return wheel(model, target, -1),
        _ => {}
    }
    let height = usize::from(Areas::new(model).list.height);
    let above = match command {
        Command::CursorTop => 0,
        Command::CursorMiddle => height / 2,
        _ => height.saturating_sub(1),
    };
    if model.view.is_records() {
        model.events.anchor = CursorAnchor::Record;
        model.events.list.top = model.events.list.cursor.saturating_sub(above);
        scrolling::settle(model);
    }
    Vec::new()
}

/// Scrolls the pane under the mouse; in the record list the cursor stays inside the window.
pub(super) fn wheel(model: &mut Model, target: Target, rows: i64) -> Vec<Effect> {
    let areas = Areas::new(model);
    let height = usize::from(areas.list.height);
    match target {
        Target::Record => scroll_record(model, rows),
        _ if model.popup.is_some() => {}
        Target::TableRow(_) | Target::TableHead(_) | Target::TimelineRow(..) => {
            move_cursor(model, rows)
        }
        _ if !model.view.is_records() => move_cursor(model, rows),
        _ => {
            let len = model.len();
            let list = scrolled(model.events.list, rows, height, len);
            if list.cursor != model.events.list.cursor {
                model.record.top = 0;
            }
            model.events.anchor = CursorAnchor::Record;
            model.events.list = list;
            model.events.list.top = lines::revealing_top(model, areas.list);
            record_cursor::cursor_moved(model);
            record_cursor::resume_following(model);
            scrolling::remember_record(model);
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
