//! How the explorer is started.

use std::collections::BTreeSet;

use crate::capability::ColourChoice;
use crate::startup::StartupChoice;
use widetui_app::keymap::STANDARD;
use widetui_ingest::options::OpenOptions;
use widetui_session::saved::{Keeping, Typed};
use widetui_tables::drawing::Drawing;
use widetui_time::zone::Zone;

/// How the explorer is started.
#[derive(Debug)]
pub struct Options {
    /// What to open.
    pub open: OpenOptions,
    /// How the trail names it: `runinfo/000`.
    pub title: String,
    /// Zone of the times shown.
    pub zone: Zone,
    /// Names of the joins that are switched off at first.
    pub joins_off: BTreeSet<String>,
    /// The only joins of tables of facts that are on at first; `None`: all of them.
    pub facts_on: Option<Vec<String>>,
    /// Whether a source grew within the last minute: then the cursor starts at the end.
    pub is_alive: bool,
    /// Colours.
    pub colour: ColourChoice,
    /// ASCII only, whatever the locale says.
    pub ascii: bool,
    /// With what pictures are drawn; `None`: what the terminal can show.
    pub drawing: Option<Drawing>,
    /// The theme.
    pub theme: StartupChoice,
    /// Themes besides those that are built in, or in their place: names and texts.
    pub themes: Vec<(String, String)>,
    /// The keymap.
    pub keymap: StartupChoice,
    /// Keymaps besides those that are built in, or in their place: names and texts.
    pub keymaps: Vec<(String, String)>,
    /// Whether the mouse is taken.
    pub mouse: bool,
    /// Where workspaces are kept.
    pub keeping: Keeping,
    /// How the command line names what is opened.
    pub opened: Typed,
    /// What is wrong with the user's own files, in words for the user.
    pub troubles: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            open: OpenOptions::default(),
            title: String::new(),
            zone: Zone::Local,
            joins_off: BTreeSet::new(),
            facts_on: None,
            is_alive: false,
            colour: ColourChoice::default(),
            ascii: false,
            drawing: None,
            theme: StartupChoice::usual("dark"),
            themes: Vec::new(),
            keymap: StartupChoice::usual(STANDARD),
            keymaps: Vec::new(),
            mouse: true,
            keeping: Keeping::default(),
            opened: Typed::default(),
            troubles: Vec::new(),
        }
    }
}
