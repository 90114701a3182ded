//! What comes in and what goes out: messages to `update`, effects from it.

use std::sync::Arc;

use crate::store::Snapshot;
use crate::workspace::fetch::Fetched;
use crate::workspace::jobs::{Answer, Question, Slot};
use crate::workspace::load::LoadMsg;

use super::action::Action;
use super::hit::Target;
use super::keys::Key;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// An action is to be done, wherever it comes from.
    Do(Action),
    /// Text was pasted.
    Paste(String),
    /// The mouse clicked on something.
    Click(Target),
    /// The wheel turned over something, by so many rows (positive: down).
    Wheel(Target, i64),
    /// The terminal has so many columns and rows.
    Resize(u16, u16),
    /// The loader says something.
    Load(LoadMsg),
    /// A question was answered: its kind, its generation, the answer.
    Answer(Slot, u64, Answer),
    /// Texts were read again.
    Texts(Fetched),
}

/// Something to be done outside the model.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Ask this on a thread; the answer comes back with the generation.
    Ask {
        /// About this.
        snapshot: Arc<Snapshot>,
        /// What.
        question: Question,
        /// The generation.
        generation: u64,
    },
    /// Follow growing files, or no longer.
    Follow(bool),
    /// Put text on the clipboard of the user's terminal.
    Copy(String),
    /// Draw everything anew.
    Redraw,
    /// Stop until continued.
    Suspend,
    /// Leave.
    Quit,
}
