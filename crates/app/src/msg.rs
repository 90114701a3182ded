//! What comes in and what goes out: messages to `update`, effects from it.

use std::sync::Arc;
use std::time::Duration;

use widetui_core::ids::SourceId;
use widetui_ingest::options::LoadMsg;
use widetui_join::Join;
use widetui_session::jobs::{Answer, JobKind, Question};
use widetui_session::record_texts::Fetched;
use widetui_session::saved::{Restored, Session};
use widetui_store::Snapshot;

use super::clipboard_text::ClipboardText;
use super::command::Command;
use super::hit::Target;
use super::input_history::InputKind;
use super::keys::Key;
use widetui_tables::answers;
use widetui_tables::table::{ArrangeRequest, Arranged, Table};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// A command is to be done, wherever it comes from.
    Do(Command),
    /// Text was pasted.
    Paste(String),
    /// The mouse clicked on something.
    Click(Target),
    /// A click with the right button.
    RightClick(Target),
    /// The mouse moved over something with its button held down.
    Drag(Target),
    /// The mouse moved with the line between list and record held, to a column and a row.
    DragSplit(u16, u16),
    /// The button of the mouse was let go.
    Release,
    /// The wheel turned over something, by so many rows (positive: down).
    Wheel(Target, i64),
    /// The mouse did something in the view that does not have the keys.
    InOther(Box<Msg>),
    /// The terminal has so many columns and rows.
    Resize(u16, u16),
    /// The loader says something.
    Load(LoadMsg),
    /// A question was answered: its kind, its generation, the answer.
    Answer(JobKind, u64, Answer),
    /// A table was computed, for the question of this generation, in this core time.
    Table(u64, Arc<Table>, Duration),
    /// The rows that are shown of a large table are known.
    Arranged(&'static str, Arranged),
    /// Texts of records.
    Texts(Fetched),
    /// The run was known before.
    Workspace(SavedWorkspace),
    /// Current time, UTC ns.
    Tick(i64),
    /// The requested pause has ended.
    Rested,
    /// The notice was shown long enough.
    Faded,
    /// Time of the last notice, UTC ns.
    Said(i64),
    /// Lack of threads or memory, in words for the user.
    Alert(String),
}

impl Msg {
    /// True for what the user does, which may lead to another place.
    pub(crate) fn is_by_user(&self) -> bool {
        matches!(
            self,
            Msg::Key(_)
                | Msg::Do(_)
                | Msg::Paste(_)
                | Msg::Click(_)
                | Msg::RightClick(_)
                | Msg::InOther(_)
        )
    }
}

/// What is known of the workspace of the run that is open.
#[derive(Clone, Debug)]
pub enum SavedWorkspace {
    /// There is one, saved at that time, in words.
    Offer {
        /// When: `yesterday`.
        when: String,
        /// What is in it: `2 marks, 1 note`.
        what: String,
    },
    /// It is to be shown.
    Restored(Box<Restored>),
    /// It was saved here.
    Saved(String),
    /// This join was written to the user's definitions, here.
    SavedJoin(String, String),
    /// A draft of a definition was written here.
    Drafted(String),
    /// Something went wrong, in words for the user.
    Trouble(String),
}

impl Msg {
    /// What an answer becomes on the thread where it was found: tables are laid out there.
    pub fn answered(snapshot: &Snapshot, slot: JobKind, generation: u64, answer: Answer) -> Msg {
        match answer {
            Answer::Table(data, core_time) => {
                let table = Arc::new(answers::table(snapshot, data));
                Msg::Table(generation, table, core_time)
            }
            answer => Msg::Answer(slot, generation, answer),
        }
    }
}

/// Outcomes of a save that the user is notified of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveReport {
    /// The path of the file, or a failure: the user saved.
    Any,
    /// A failure: something was written that the session must not lose.
    Failure,
}

/// Something to be done outside the model.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "few exist at a time, and none is kept"
)]
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
    /// Find which rows of the table of a view are shown.
    Arrange(&'static str, ArrangeRequest),
    /// Stop working on the question of this kind.
    Cancel(JobKind),
    /// Follow growing files, or no longer.
    Follow(bool),
    /// Shift the times of these sources (ns) in what comes from files that grow.
    Shift(Vec<(SourceId, i64)>),
    /// Say so when so much time has passed.
    Rest(Duration),
    /// Put text on the clipboard of the user's terminal.
    Copy(ClipboardText),
    /// Look for a workspace of this run.
    FindWorkspace(Arc<Snapshot>),
    /// Restore the workspace that was found.
    RestoreWorkspace(Arc<Snapshot>),
    /// Save this session, and report this.
    SaveWorkspace(Arc<Snapshot>, Box<Session>, SaveReport),
    /// Write a draft of a definition for the logs of a run, opened as these, to the user's definitions.
    SaveDraft(Arc<Snapshot>, String),
    /// Write a join to the user's definitions.
    SaveJoin(Box<Join>),
    /// Add an accepted line of input to the history file of the user.
    RememberInput(InputKind, String),
    /// Take the mouse, or give it to the terminal.
    Mouse(bool),
    /// Draw everything anew.
    Redraw,
    /// Stop until continued.
    Suspend,
    /// Leave.
    Quit,
}
