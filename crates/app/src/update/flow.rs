//! Commands of the views of messages between actors: messages one by one, messages by kind, and the
//! records of one message.

use crate::model::{Model, View};
use crate::msg::Effect;
use widetui_session::selection::SelectionStep;

use super::primitives::navigation::{show, turn_to_records};
use super::primitives::notices::say;
use super::primitives::selection;

/// Switches between the view of messages and the view of message kinds.
pub(super) fn turn(model: &mut Model) -> Vec<Effect> {
    let is_shown = model.view == View::FLOW;
    show(model, if is_shown { View::MESSAGES } else { View::FLOW })
}

/// Selects the records of the message with index `at`; notifies the user if it has none.
pub(super) fn records(model: &mut Model, at: u32) -> Vec<Effect> {
    let table = model.table().map(|state| &state.table);
    let step = table.and_then(|table| table.messages.as_ref()?.step(at));
    let Some(step) = step else {
        return say(model, "this message has no records");
    };
    turn_to_records(model);
    selection::push(model, step)
}

/// Shows only the messages of one kind, which `step` selects.
pub(super) fn only(model: &mut Model, step: SelectionStep) -> Vec<Effect> {
    let mut effects = show(model, View::FLOW);
    effects.extend(selection::push(model, step));
    effects
}
