//! Startup options of the explorer.

use std::collections::BTreeSet;

use crate::capability::ColourChoice;
use crate::startup::StartupChoice;
use widetui_app::keymap::STANDARD;
use widetui_ingest::options::OpenOptions;
use widetui_session::saved::{CommandLine, WorkspaceOptions};
use widetui_tables::drawing::Drawing;
use widetui_time::zone::Zone;

/// Startup options of the explorer.
#[derive(Debug)]
pub struct Options {
    /// Paths to open, and how.
    pub open: OpenOptions,
    /// Title of the run in the breadcrumb: `runinfo/000`.
    pub title: String,
    /// Time zone for display.
    pub zone: Zone,
    /// Names of the joins that are initially disabled.
    pub joins_off: BTreeSet<String>,
    /// Names of the joins of fact tables that are initially enabled; `None`: all of them.
    pub facts_on: Option<Vec<String>>,
    /// Whether a live run is followed from the start.
    pub follows_live_runs: bool,
    /// Use of colours.
    pub colour: ColourChoice,
    /// Whether to use ASCII only, regardless of the locale.
    pub ascii: bool,
    /// Characters that draw plots; `None`: chosen by the capabilities of the terminal.
    pub drawing: Option<Drawing>,
    /// Theme.
    pub theme: StartupChoice,
    /// Additional themes (pairs of file name and content); they override built-in ones of the same
    /// name.
    pub themes: Vec<(String, String)>,
    /// Keymap.
    pub keymap: StartupChoice,
    /// Additional keymaps (pairs of file name and content); they override built-in ones of the same
    /// name.
    pub keymaps: Vec<(String, String)>,
    /// Whether to capture the mouse.
    pub mouse: bool,
    /// Location of workspace files.
    pub keeping: WorkspaceOptions,
    /// Arguments of the command line that name the opened logs.
    pub opened: CommandLine,
    /// Errors in the user's files, as messages for the user.
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
            follows_live_runs: true,
            colour: ColourChoice::default(),
            ascii: false,
            drawing: None,
            theme: StartupChoice::optional("dark"),
            themes: Vec::new(),
            keymap: StartupChoice::optional(STANDARD),
            keymaps: Vec::new(),
            mouse: true,
            keeping: WorkspaceOptions::default(),
            opened: CommandLine::default(),
            troubles: Vec::new(),
        }
    }
}
