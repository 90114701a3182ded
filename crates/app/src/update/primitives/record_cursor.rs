//! Cursor of the list of records: moves, jumps, follow mode, and the record to restore.

use crate::event_list::CursorAnchor;
use crate::follow_mode::Following;
use crate::model::Model;
use widetui_session::record_texts::Place;

use super::scrolling;

/// Updates follow mode after the cursor moved. It pauses when the cursor leaves the newest record; a
/// jump to a record that happens to be the newest does not resume it (see [`resume`]).
pub(in crate::update) fn cursor_moved(model: &mut Model) {
    let is_last = model.is_at_newest();
    match model.load_state.follow.state {
        Following::Off => return,
        Following::On if is_last => model.events.anchor = CursorAnchor::Last,
        Following::On => model.load_state.follow.state = Following::Paused { rows: model.len() },
        Following::Paused { .. } => {}
    }
    count_below(model);
}

/// Resumes paused follow mode if the user has moved the cursor down to the newest record.
pub(in crate::update) fn resume_following(model: &mut Model) {
    if matches!(model.load_state.follow.state, Following::Paused { .. }) && model.is_at_newest() {
        model.load_state.follow.state = Following::On;
        model.events.anchor = CursorAnchor::Last;
        count_below(model);
        scrolling::settle(model);
    }
}

/// Updates follow mode after the rows of the list changed.
pub(in crate::update) fn rows_switched(model: &mut Model) {
    if model.events.anchor == CursorAnchor::Last {
        return;
    }
    if let Following::Paused { rows } = &mut model.load_state.follow.state {
        *rows = model.rows.len(&model.snapshot);
    }
    cursor_moved(model);
    resume_following(model);
}

/// Updates the number of rows that arrived while follow mode is paused.
pub(in crate::update) fn count_below(model: &mut Model) {
    model.load_state.follow.below = match model.load_state.follow.state {
        Following::Paused { rows } => model.len().saturating_sub(rows),
        _ => 0,
    };
}

/// Jumps to a row; the jump history remembers the current record.
pub(in crate::update) fn jump_to(model: &mut Model, row: usize) {
    if row != model.events.list.cursor
        && let Some(here) = model.current().map(|e| Place::from_event(&e))
    {
        model.events.jumps.leave(here);
    }
    to_row(model, row);
}

/// Jumps to the last row; in follow mode to the newest record, since records without a time follow it
/// and do not grow.
pub(in crate::update) fn jump_to_end(model: &mut Model) {
    let row = match model.load_state.follow.state {
        crate::follow_mode::Following::Off => model.len().saturating_sub(1),
        _ => model.last_row(),
    };
    jump_to(model, row);
    resume_following(model);
}

/// Moves the cursor of the record list to a row and anchors it to the record there.
pub(in crate::update) fn to_row(model: &mut Model, row: usize) {
    model.events.anchor = CursorAnchor::Record;
    if row != model.events.list.cursor {
        model.events.list.cursor = row;
        model.record.top = 0;
        model.events.key = 0;
    }
    cursor_moved(model);
    scrolling::settle(model);
}

/// Moves the cursor to the record to restore once the rows are known, or near its time if that record is not selected.
pub(in crate::update) fn arrive(model: &mut Model) {
    let above = model.events.cursor_memory.above.take();
    let Some(place) = model.user_data.going_to.take() else {
        return;
    };
    let id = model.snapshot.event_at(place.source, place.offset);
    let Some(event) = id.and_then(|id| model.snapshot.event(id)) else {
        return;
    };
    let row = model.rows.row_of(&model.snapshot, event.id);
    let near = || {
        let row = model.rows.row_at_time(&model.snapshot, event.order_time());
        Some(row.min(model.len().checked_sub(1)?))
    };
    if let Some(row) = row.or_else(near) {
        to_row(model, row);
    }
    if let Some(above) = above.filter(|_| row.is_some()) {
        model.events.list.top = model.events.list.cursor.saturating_sub(above);
        scrolling::settle(model);
    }
}
