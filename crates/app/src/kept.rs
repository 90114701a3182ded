//! What the user keeps over the records: notes, what marked records say, a workspace that can be restored.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_session::record_texts::Place;
use widetui_session::rows::ValueStat;
use widetui_session::saved::{KeptRecord, Typed};

use super::datafiles::{all_names, named};
use super::embedded::THEMES;
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

/// Themes and keymaps to choose from: the user's, besides the built-in ones.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Files and texts of the user's themes.
    pub themes: Vec<(String, String)>,
    /// Files and texts of the user's keymaps.
    pub keymaps: Vec<(String, String)>,
    /// Errors in the user's themes, by name: such a theme is not chosen.
    pub theme_errors: Vec<(String, String)>,
}

impl Choices {
    /// Names of all themes.
    pub fn theme_names(&self) -> Vec<String> {
        all_names(&self.themes, THEMES)
    }

    /// Checks that a theme can be chosen.
    ///
    /// # Errors
    /// No theme has this name, or its file is wrong.
    pub fn check_theme(&self, name: &str) -> Result<(), String> {
        named(name, &self.themes, THEMES).map_err(|all| unknown_theme(&all))?;
        match self.theme_errors.iter().find(|(wrong, _)| wrong == name) {
            Some((_, error)) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

/// Error for a name that no theme has; `all` lists those there are.
pub fn unknown_theme(all: &str) -> String {
    format!("there is no such theme; there are {all}")
}
