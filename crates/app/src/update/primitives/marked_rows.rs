//! Rows and texts of marked records.

use crate::model::Model;
use widetui_session::record_texts::Place;

/// Updates the rows of marked records after the marks or the rows changed.
pub(in crate::update) fn place_marks(model: &mut Model) {
    let snapshot = &model.snapshot;
    let events = model
        .marks
        .iter()
        .filter_map(|m| snapshot.event_at(m.source, m.offset));
    let rows = events.filter_map(|id| model.rows.row_of(snapshot, id));
    let mut rows: Vec<u32> = rows.map(|row| row as u32).collect();
    rows.sort_unstable();
    model.events.marks = rows;
}

/// Maximum length of a message in the list of marks, in characters.
const BEGIN: usize = 160;

/// Stores the beginning of a record's message for the list of marks.
pub(in crate::update) fn remember_beginning(model: &mut Model, place: Place) {
    let text = match model.texts.get(place) {
        Some(record) => record.message.clone(),
        None => {
            let id = model.snapshot.event_at(place.source, place.offset);
            let event = id.and_then(|id| model.snapshot.event(id));
            let template = event.as_ref().and_then(|e| e.template());
            template.map_or(String::new(), |t| t.text.replace("{}", "…"))
        }
    };
    let text = text.chars().take(BEGIN).collect();
    model.user_data.begins.insert(place, text);
}
