//! What the user keeps over the records: notes, what marked records say, a workspace that can be restored.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_session::ask::ValueStat;
use widetui_session::fetch::Place;
use widetui_session::saved::{KeptRecord, Typed};

use super::colour::Depth;
use super::hit::Target;

/// Notes of the user, what the records that they are about say, and the workspace that is offered.
#[derive(Clone, Debug, Default)]
pub struct KeptNotes {
    /// Notes to records.
    pub notes: FxHashMap<Place, String>,
    /// How the messages of marked records and those with notes begin.
    pub begins: FxHashMap<Place, String>,
    /// Records of a restored workspace that this run does not have.
    pub lost: Vec<KeptRecord>,
    /// A workspace of this run that was found and is not restored.
    pub offer: Option<Offer>,
    /// The record to go to once the selection is known.
    pub going_to: Option<Place>,
    /// Names picked from the palette, the latest first.
    pub recent: Vec<String>,
    /// The most frequent values of all keys, once somebody opened the palette.
    pub values: Option<Arc<[ValueStat]>>,
    /// How the command line names what is opened.
    pub opened: Typed,
    /// The folder that is offered for files, and what was opened: nothing is written among that.
    pub export: (PathBuf, Vec<PathBuf>),
    /// Whether the terminal has the mouse.
    pub is_mouse_given: bool,
    /// The line between panes that follows the mouse.
    pub dragging: Option<Target>,
}

/// A workspace that can be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// When it was kept and what is in it, in words.
    pub what: String,
    /// Whether these words are on the screen: what takes the place of all that is selected is done by one key only while it
    /// is seen what that would be.
    pub is_told: bool,
}

/// Themes and keymaps to choose from: those of the user besides those that are built in, files and texts.
#[derive(Clone, Debug, Default)]
pub struct Wardrobe {
    /// The user's themes.
    pub themes: Vec<(String, String)>,
    /// The user's keymaps.
    pub keymaps: Vec<(String, String)>,
    /// How many colours the terminal shows.
    pub depth: Depth,
}
