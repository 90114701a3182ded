//! Jump history: moves the cursor back to its place before a jump, and forward again.

use crate::event_list::CursorAnchor;
use crate::model::Model;
use crate::msg::Effect;
use widetui_core::direction::Direction;
use widetui_session::record_texts::Place;

use super::primitives::navigation::show_records;
use super::primitives::notices::say;
use super::primitives::record_cursor;

/// Moves back or forward in the jump history.
pub(super) fn jump(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let effects = show_records(model);
    go(model, direction);
    effects
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
            record_cursor::to_row(model, row);
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
