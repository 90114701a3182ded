//! What of a session is kept: marks, notes, selection, view. A readable TOML file per run.
//!
//! A run is known by what it says, not by where it lies: the file holds [`identity`] prints of some of its sources, and
//! belongs to every run with these. Records are named by source, offset and line, and are looked for when a file changed
//! ([`place`]). [`files`] finds and writes the files; [`merge`] puts what nobody restored beside what is new.

pub mod files;
pub mod merge;
pub mod record_place;
pub mod run_identity;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use widetui_store::Snapshot;

use super::record_texts::Place;
use super::selection::JoinChoice;
use super::user_joins;
use run_identity::Print;

/// Version of the form of the files.
pub const VERSION: u32 = 1;

/// A saved workspace, as its file has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// Form of the file.
    pub version: u32,
    /// What was opened, as the explorer called it.
    pub title: String,
    /// When it was saved: RFC 3339, UTC.
    pub saved: String,
    /// The folder in which the program was started.
    #[serde(default)]
    pub folder: String,
    /// What was opened, as it was typed.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The view.
    #[serde(default)]
    pub view: String,
    /// How times are shown.
    #[serde(default)]
    pub times: String,
    /// Joins that the user built, as a definition has them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub joins: String,
    /// Names of joins that are switched off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<String>,
    /// Where the panes are; files of earlier versions do not say it.
    #[serde(default)]
    pub layout: Option<KeptLayout>,
    /// The record under the cursor.
    pub cursor: Option<KeptRecord>,
    /// The selection.
    #[serde(default)]
    pub step: Vec<KeptStep>,
    /// Marked records and those with notes.
    #[serde(default)]
    pub record: Vec<KeptRecord>,
    /// By what the run is known.
    #[serde(default)]
    pub source: Vec<Print>,
}

/// A step of the selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptStep {
    /// What the trail says.
    pub label: String,
    /// The expression, in its canonical spelling.
    #[serde(rename = "where")]
    pub expr: String,
}

/// Where the panes are, and how large.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptLayout {
    /// Whether the pane of the record is open.
    pub record: bool,
    /// Where it stands: `fitting`, `right`, `below`.
    #[serde(default)]
    pub side: String,
    /// Its share of the columns when it stands to the right, percent; none: what fits.
    pub right: Option<u16>,
    /// Its share of the rows when it stands below, percent; none: what fits.
    pub below: Option<u16>,
    /// A second view on the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<KeptPair>,
}

/// The view that shares the screen with the one that has the keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPair {
    /// The view.
    pub view: String,
    /// Where the second half of the screen is: `beside`, `below`.
    pub side: String,
    /// The half in which the view with the keys stands: `first`, `second`.
    pub keys: String,
    /// Share of the second half, percent.
    pub share: u16,
}

/// A record that is to be found again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRecord {
    /// Path of its source below what was opened.
    pub source: String,
    /// The byte at which it starts.
    pub(crate) offset: u64,
    /// Its line, from 1, when it was counted.
    pub line: Option<u64>,
    /// Its time: RFC 3339, UTC.
    pub(crate) time: Option<String>,
    /// The start of its text.
    pub(crate) text: String,
    /// Whether it is marked.
    #[serde(default)]
    pub mark: bool,
    /// What was written to it.
    pub note: Option<String>,
}

/// What a session has to keep, in terms of the run that is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// What was opened, as the explorer calls it.
    pub title: String,
    /// The view.
    pub view: String,
    /// How times are shown.
    pub times: String,
    /// Where the panes are.
    pub layout: Option<KeptLayout>,
    /// The record under the cursor.
    pub cursor: Option<Place>,
    /// The selection.
    pub steps: Vec<KeptStep>,
    /// Joins that the user built or switched off.
    pub joins: JoinChoice,
    /// Marked records and those with notes.
    pub records: Vec<(Place, bool, Option<String>)>,
    /// Records of the workspace that this run does not have: they are kept.
    pub lost: Vec<KeptRecord>,
}

impl Session {
    /// Whether there is nothing worth a file.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
            && self.records.is_empty()
            && self.lost.is_empty()
            && self.joins.own.is_empty()
    }
}

/// A workspace in terms of the run that is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// When it was saved: RFC 3339, UTC.
    pub saved: String,
    /// The view.
    pub view: String,
    /// How times are shown.
    pub times: String,
    /// Where the panes are.
    pub layout: Option<KeptLayout>,
    /// The record under the cursor.
    pub cursor: Option<Place>,
    /// The selection.
    pub steps: Vec<KeptStep>,
    /// Joins that the user built, as a definition has them.
    pub joins: String,
    /// Names of joins that are switched off.
    pub off: Vec<String>,
    /// Records found again: place, start of the text, whether marked, note.
    pub records: Vec<(Place, String, bool, Option<String>)>,
    /// Records that this run does not have.
    pub lost: Vec<KeptRecord>,
}

/// Where workspaces are, and what is done with them.
#[derive(Clone, Debug, Default)]
pub struct Keeping {
    /// The folder of all workspaces; none when the environment names none.
    pub folder: Option<PathBuf>,
    /// The file of this session: restored at once, and written.
    pub file: Option<PathBuf>,
    /// A file that is restored at once; nothing is written.
    pub replay: Option<PathBuf>,
    /// What was opened, without the part of paths that is the same for all sources.
    pub roots: Vec<String>,
    /// What was opened, as it was typed.
    pub paths: Vec<String>,
    /// Folder of the user's definitions, where joins are saved.
    pub definitions: Option<PathBuf>,
}

/// How the command line names what is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// Options, as they were typed.
    pub options: Vec<String>,
    /// Paths, as they were typed.
    pub paths: Vec<String>,
    /// Why a command line could not open it again.
    pub why_not: Option<&'static str>,
}

/// Makes the file of a session. Reads the texts of the records that are kept.
pub fn saved(snapshot: &Snapshot, roots: &[String], session: &Session) -> Saved {
    let mut places: Vec<Place> = session.records.iter().map(|r| r.0).collect();
    places.extend(session.cursor);
    let mut described = record_place::describe(snapshot, roots, &places).into_iter();
    let mut record: Vec<KeptRecord> = Vec::new();
    for ((_, mark, note), kept) in session.records.iter().zip(described.by_ref()) {
        record.extend(kept.map(|kept| KeptRecord {
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

/// Finds the records of a workspace in the run that is open.
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
