//! User data of a session: notes, marked records, and the offer to restore a workspace.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_session::record_texts::Place;
use widetui_session::rows::ValueStat;
use widetui_session::saved::{CommandLine, SavedRecord};

use super::data_files::{all_names, named};
use super::embedded::THEMES;
use super::hit::Target;

/// Notes and marks of the user, the offered workspace, and other data of the session.
#[derive(Clone, Debug, Default)]
pub struct UserData {
    /// Notes, by record.
    pub notes: FxHashMap<Place, String>,
    /// First part of the messages of marked records and of those with notes.
    pub(crate) begins: FxHashMap<Place, String>,
    /// Records of a restored workspace that this run does not contain.
    pub(crate) lost: Vec<SavedRecord>,
    /// Workspace of this run that was found and is not restored.
    pub(crate) offer: Option<Offer>,
    /// Record to jump to once the selection is evaluated.
    pub(crate) going_to: Option<Place>,
    /// Names chosen from the palette, the latest first.
    pub(crate) recent: Vec<String>,
    /// Most frequent values of all keys; `None` until the palette is opened.
    pub(crate) values: Option<Arc<[ValueStat]>>,
    /// Arguments of the command line that name the opened logs.
    pub opened: CommandLine,
    /// Default directory for exports, and the opened paths, into which nothing is written.
    pub export: (PathBuf, Vec<PathBuf>),
    /// Whether the mouse is left to the terminal.
    pub is_mouse_given: bool,
    /// Line between panes that the mouse drags.
    pub dragging: Option<Target>,
}

/// Workspace that can be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Time and content of the workspace, as text.
    pub(crate) what: String,
    /// Whether the offer is on the screen. A single key may replace the selection only while the
    /// user sees the offer.
    pub(crate) is_told: bool,
}

/// Themes and keymaps of the user, in addition to the built-in ones.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// File names and contents of the user's themes.
    pub themes: Vec<(String, String)>,
    /// File names and contents of the user's keymaps.
    pub keymaps: Vec<(String, String)>,
    /// Errors in the user's themes, by name; such a theme cannot be chosen.
    pub theme_errors: Vec<(String, String)>,
}

impl Choices {
    /// Names of all themes, sorted.
    pub(crate) fn theme_names(&self) -> Vec<String> {
        all_names(&self.themes, THEMES)
    }

    /// Checks that a theme can be chosen.
    ///
    /// # Errors
    /// No theme has this name, or its file has an error.
    pub(crate) fn check_theme(&self, name: &str) -> Result<(), String> {
        named(name, &self.themes, THEMES).map_err(|all| unknown_theme(&all))?;
        match self.theme_errors.iter().find(|(wrong, _)| wrong == name) {
            Some((_, error)) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

/// Error message for an unknown theme; `all` lists the known ones.
pub fn unknown_theme(all: &str) -> String {
    format!("there is no such theme; there are {all}")
}
