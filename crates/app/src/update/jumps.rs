//! Jump history: moves the cursor back to its place before a jump, and forward again.

use crate::event_list::CursorAnchor;
use crate::model::{Model, View};
use crate::msg::Effect;
use widetui_core::direction::Direction;
use widetui_session::record_texts::Place;

use super::{follow, moves, say, show};

/// Moves back or forward in the jump history.
pub(super) fn jump(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let effects = show(model, View::Events);
    go(model, direction);
    effects
}

/// Jumps to a row; the jump history remembers the current record.
pub(super) fn to_row(model: &mut Model, row: usize) {
    if row != model.events.list.cursor
        && let Some(here) = model.current().map(|e| Place::from_event(&e))
    {
        model.events.jumps.leave(here);
    }
    moves::to_row(model, row);
}

/// Jumps to the last row; in follow mode to the newest record, since records without a time follow it
/// and do not grow.
pub(super) fn to_end(model: &mut Model) {
    let row = match model.arriving.follow.state {
        crate::follow_mode::Following::Off => model.len().saturating_sub(1),
        _ => model.last_row(),
    };
    to_row(model, row);
    follow::resume(model);
}

fn go(model: &mut Model, direction: Direction) {
    let here = model.current().map(|e| Place::from_event(&e));
    let (snapshot, rows) = (&model.snapshot, &model.rows);
    let there = |place: Place| {
        let id = snapshot.event_at(place.source, place.offset)?;
        rows.row_of(snapshot, id)
    };
    match model.events.jumps.go(direction, here, there) {
        Some(row) => {
            model.events.anchor = CursorAnchor::Record;
            moves::to_row(model, row);
        }
        None => {
            let where_to = match direction {
                Direction::Backward => "back",
                Direction::Forward => "forth",
            };
            let among = match model.selection.is_all() {
                true => "",
                false => " among the selected records",
            };
            say(
                model,
                format!("there is no jump to go {where_to} over{among}"),
            );
        }
    }
}
