//! Questions to the background; a later question of the same slot makes the answer to an earlier one obsolete.

use std::sync::Arc;

use crate::model::Model;
use crate::msg::Effect;
use widetui_session::jobs::Question;
use widetui_store::Snapshot;

/// Effect that asks a question about the snapshot on the screen.
pub(in crate::update) fn ask(model: &mut Model, question: Question) -> Effect {
    let shown = model.snapshot.clone();
    ask_about(model, shown, question)
}

/// Effect that asks a question about a snapshot.
pub(in crate::update) fn ask_about(
    model: &mut Model,
    snapshot: Arc<Snapshot>,
    question: Question,
) -> Effect {
    Effect::Ask {
        generation: model.generations.next(question.slot()),
        snapshot,
        question,
    }
}
