//! Back to where the cursor was before a jump, and forth again.

use crate::event_list::CursorAnchor;
use crate::model::{Model, View};
use crate::msg::Effect;
use widetui_core::direction::Direction;
use widetui_session::record_texts::Place;

use super::{follow, moves, say, show};

/// Goes back to the place before the last jump, or forth again.
pub(super) fn jump(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let effects = show(model, View::Events);
    go(model, direction);
    effects
}

/// Puts the cursor on a row far away; one can come back from there.
pub(super) fn to_row(model: &mut Model, row: usize) {
    if row != model.events.list.cursor
        && let Some(here) = model.current().map(|e| Place::from_event(&e))
    {
        model.events.jumps.leave(here);
    }
    moves::to_row(model, row);
}

/// To the end of the records: of those that are followed to the newest, as what has no time stands behind it and does not
/// grow.
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
