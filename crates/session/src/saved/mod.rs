//! Saved state of a session: marks, notes, selection, view. One readable TOML file per run.
//!
//! A run is recognised by its contents, not by its path: the file holds [`identity`] prints of some of its sources, and
//! belongs to every run with these. Records are named by source, offset and line, and searched for if a file has
//! changed ([`place`]). [`files`] finds and writes the files; [`merge`] keeps what was not restored beside what is new.

pub mod files;
pub mod input_lines;
pub mod merge;
pub mod record_place;
pub mod run_identity;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use widetui_store::Snapshot;

use super::record_texts::Place;
use super::selection::JoinChoice;
use super::user_joins;
use run_identity::SourcePrint;

/// Version of the file format.
pub const VERSION: u32 = 1;

/// A saved workspace, as stored in its file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// Version of the file format.
    pub version: u32,
    /// Title of the explorer for the opened paths.
    pub title: String,
    /// Time of saving: RFC 3339, UTC.
    pub saved: String,
    /// Working directory of the program.
    #[serde(default)]
    pub folder: String,
    /// Opened paths, as typed.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Name of the view.
    #[serde(default)]
    pub view: String,
    /// Display mode of times.
    #[serde(default)]
    pub times: String,
    /// Joins built by the user, in the syntax of definitions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub joins: String,
    /// Names of joins that are switched off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<String>,
    /// Layout of panes; absent in files of earlier versions.
    #[serde(default)]
    pub layout: Option<SavedLayout>,
    /// Record under the cursor.
    pub cursor: Option<SavedRecord>,
    /// Steps of the selection.
    #[serde(default)]
    pub step: Vec<SavedStep>,
    /// Records with a mark or a note.
    #[serde(default)]
    pub record: Vec<SavedRecord>,
    /// Prints that identify the run.
    #[serde(default)]
    pub source: Vec<SourcePrint>,
}

/// A step of the selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedStep {
    /// Label in the breadcrumb.
    pub label: String,
    /// Expression in its canonical spelling.
    #[serde(rename = "where")]
    pub expr: String,
}

/// Layout and sizes of panes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedLayout {
    /// Whether the record pane is open.
    pub record: bool,
    /// Position of the record pane: `fitting`, `right`, `below`.
    #[serde(default)]
    pub side: String,
    /// Share of the columns of a record pane on the right, percent; `None`: automatic.
    pub right: Option<u16>,
    /// Share of the rows of a record pane below, percent; `None`: automatic.
    pub below: Option<u16>,
    /// Second view in a split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<SavedSplit>,
}

/// The view that shares the screen with the focused one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSplit {
    /// Name of the view.
    pub view: String,
    /// Position of the second pane: `beside`, `below`.
    pub side: String,
    /// Pane of the focused view: `first`, `second`.
    pub keys: String,
    /// Share of the second pane, percent.
    pub share: u16,
}

/// A record described so that it can be found again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRecord {
    /// Path of its source relative to the opened path.
    pub source: String,
    /// Byte offset of its start.
    pub(crate) offset: u64,
    /// Line number, from 1, if it was counted.
    pub line: Option<u64>,
    /// Time: RFC 3339, UTC.
    pub(crate) time: Option<String>,
    /// Start of its text.
    pub(crate) text: String,
    /// Whether it is marked.
    #[serde(default)]
    pub mark: bool,
    /// Note of the user.
    pub note: Option<String>,
}

impl SavedRecord {
    /// True if both describe the same record.
    fn is_same_place(&self, other: &SavedRecord) -> bool {
        (&self.source, self.offset) == (&other.source, other.offset)
    }
}

/// State of a session to be saved, in terms of the opened run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// Title of the explorer for the opened paths.
    pub title: String,
    /// Name of the view.
    pub view: String,
    /// Display mode of times.
    pub times: String,
    /// Layout of panes.
    pub layout: Option<SavedLayout>,
    /// Record under the cursor.
    pub cursor: Option<Place>,
    /// Steps of the selection.
    pub steps: Vec<SavedStep>,
    /// The user's changes to joins.
    pub joins: JoinChoice,
    /// Records with a mark or a note: place, whether marked, note.
    pub records: Vec<(Place, bool, Option<String>)>,
    /// Records of the restored workspace that this run lacks; they are saved again.
    pub lost: Vec<SavedRecord>,
}

impl Session {
    /// True if the session has marks, notes or joins, which are lost unless they are saved.
    pub fn has_own_work(&self) -> bool {
        !self.records.is_empty() || !self.lost.is_empty() || !self.joins.own.is_empty()
    }

    /// Whether there is nothing worth saving.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && !self.has_own_work()
    }
}

/// A restored workspace, in terms of the opened run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Time of saving: RFC 3339, UTC.
    pub saved: String,
    /// Name of the view.
    pub view: String,
    /// Display mode of times.
    pub times: String,
    /// Layout of panes.
    pub layout: Option<SavedLayout>,
    /// Record under the cursor.
    pub cursor: Option<Place>,
    /// Steps of the selection.
    pub steps: Vec<SavedStep>,
    /// Joins built by the user, in the syntax of definitions.
    pub joins: String,
    /// Names of joins that are switched off.
    pub off: Vec<String>,
    /// Records found again: place, start of the text, whether marked, note.
    pub records: Vec<(Place, String, bool, Option<String>)>,
    /// Records that this run lacks.
    pub lost: Vec<SavedRecord>,
}

/// Where workspaces are stored, and which to use.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceOptions {
    /// Folder of all workspaces; `None` if the environment names none.
    pub folder: Option<PathBuf>,
    /// Workspace file of this session: restored at once, and written to.
    pub file: Option<PathBuf>,
    /// Workspace file that is restored at once but not written to.
    pub replay: Option<PathBuf>,
    /// Opened paths, without the part that all source paths share.
    pub roots: Vec<String>,
    /// Opened paths, as typed.
    pub paths: Vec<String>,
    /// Folder of the user's definitions, where joins are saved.
    pub definitions: Option<PathBuf>,
}

/// The command line by which the run was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// Options, as typed.
    pub options: Vec<String>,
    /// Paths, as typed.
    pub paths: Vec<String>,
    /// Reason why no command line can open the run again.
    pub why_not: Option<&'static str>,
}

/// Converts a session to its saved form. Reads the texts of the saved records.
pub fn saved(snapshot: &Snapshot, roots: &[String], session: &Session) -> Saved {
    let mut places: Vec<Place> = session.records.iter().map(|r| r.0).collect();
    places.extend(session.cursor);
    let mut described = record_place::describe(snapshot, roots, &places).into_iter();
    let mut record: Vec<SavedRecord> = Vec::new();
    for ((_, mark, note), kept) in session.records.iter().zip(described.by_ref()) {
        record.extend(kept.map(|kept| SavedRecord {
            mark: *mark,
            note: note.clone(),
            ..kept
        }));
    }
    let cursor = session.cursor.and_then(|_| described.next().flatten());
    record.extend(session.lost.iter().cloned());
    Saved {
        version: VERSION,
        title: session.title.clone(),
        view: session.view.clone(),
        times: session.times.clone(),
        joins: user_joins::written(&session.joins.own),
        off: session.joins.off.iter().cloned().collect(),
        layout: session.layout.clone(),
        cursor,
        step: session.steps.clone(),
        record,
        source: run_identity::prints(snapshot, roots),
        ..Saved::default()
    }
}

/// Finds the records of a workspace in the opened run.
pub fn restored(snapshot: &Snapshot, roots: &[String], saved: &Saved) -> Restored {
    let mut out = Restored {
        saved: saved.saved.clone(),
        view: saved.view.clone(),
        times: saved.times.clone(),
        layout: saved.layout.clone(),
        joins: saved.joins.clone(),
        off: saved.off.clone(),
        steps: saved.step.clone(),
        ..Restored::default()
    };
    let mut finder = record_place::RecordFinder::new(snapshot, roots);
    for record in &saved.record {
        match finder.find(record) {
            Some(place) => {
                let (text, mark, note) = (record.text.clone(), record.mark, record.note.clone());
                out.records.push((place, text, mark, note));
            }
            None => out.lost.push(record.clone()),
        }
    }
    out.cursor = saved.cursor.as_ref().and_then(|c| finder.find(c));
    out
}
