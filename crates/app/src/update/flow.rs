//! Commands of the views of messages between actors: messages one by one, messages by kind, and the
//! records of one message.

use crate::model::{Model, View};
use crate::msg::Effect;
use crate::view_plots::sequence_of;
use widetui_session::selection::SelectionStep;
use widetui_store::EventRef;
use widetui_tables::plots::sequence::Sequence;
use widetui_tables::table::RowAction;

use super::views::{enter, show_by_key};
use super::{say, select, show};

/// Switches between the view of messages and the view of message kinds.
pub(super) fn turn(model: &mut Model) -> Vec<Effect> {
    match model.view {
        View::Flow => show(model, View::Messages),
        _ => show_by_key(model, View::Flow),
    }
}

/// First record of the message under the cursor.
pub(super) fn event(model: &Model) -> Option<EventRef<'_>> {
    let (state, sequence): (_, &Sequence) = sequence_of(&model.shown())?;
    let RowAction::Message(at) = state.current()?.action else {
        return None;
    };
    sequence.messages.event(at)
}

/// Selects the records of the message with index `at`; notifies the user if it has none.
pub(super) fn records(model: &mut Model, at: u32) -> Vec<Effect> {
    let step = sequence_of(&model.shown()).and_then(|(_, sequence)| sequence.messages.step(at));
    let Some(step) = step else {
        say(model, "this message has no records".to_owned());
        return Vec::new();
    };
    enter(model, View::Events);
    select::push(model, step)
}

/// Shows only the messages of one kind, which `step` selects.
pub(super) fn only(model: &mut Model, step: SelectionStep) -> Vec<Effect> {
    let mut effects = show(model, View::Flow);
    effects.extend(select::push(model, step));
    effects
}
