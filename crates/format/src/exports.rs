//! Exports: records of many sources as JSON lines, each with what was known of its source and of itself besides its keys, so
//! that they are read back as the sources that they came from.
//!
//! Three fields do that. `_source` is the number of the record's source; the first record of each source has an object
//! instead, a [`SourceNote`]. `_at` is where the record stood in its source: what was written in the order of time goes back
//! to the order of its file. `_derived` names the keys that joins gave. All else is as in any line of JSON that widetui writes,
//! and who reads such a file without these fields loses no key.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::json::dialect::Former;

/// The field with a record's source.
pub const SOURCE: &str = "_source";
/// The field with a record's place in its source.
pub const AT: &str = "_at";
/// The field with the joins that gave keys.
pub const DERIVED: &str = "_derived";

/// What a source may be: rows of a database.
pub const TABLE: &str = "table";
/// Written at once, about what was before.
pub const DUMP: &str = "dump";
/// Made of something that is no lines.
pub const MADE: &str = "made";
/// Facts about the run, given besides it.
pub const FACTS: &str = "facts";
/// In the order of its file, for its times are too coarse to order it.
pub const COARSE: &str = "coarse";

/// Its records are objects without a message.
pub const SILENT: &str = "silent";
/// Its records were lines of text.
pub const LINES: &str = "lines";
/// Listed, and not read.
pub const ATTACHED: &str = "attached";

/// Names of fields that say something about a record that is no key of it.
pub const OWN: [&str; 3] = [SOURCE, AT, DERIVED];

/// What an export says of a source. What is not said is as in a log that nobody knows; what a later version says besides is
/// passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceNote {
    /// Its number in the export.
    pub number: u32,
    /// Its path when it was exported.
    pub path: String,
    /// Its short name.
    pub tag: String,
    /// The system whose definition claimed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Its kind within the system.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// How its records were laid out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub layout: String,
    /// What else it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub is: Vec<String>,
    /// When it was last written, ns since the epoch; 0 where nobody knows.
    #[serde(skip_serializing_if = "is_zero")]
    pub modified: i64,
    /// What its path says: these are keys of all its records.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub keys: BTreeMap<String, String>,
    /// Keys that say who wrote a record: the process, the thread.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writer: Vec<String>,
    /// Keys that stand behind the text of an exception in its records, and are no part of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extras: Vec<String>,
    /// What was wrong with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemNote>,
    /// Of an export of a whole run: how many records it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Sources of the run that have no records, and so no line to be told of with: the first source tells of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<SourceNote>,
}

impl SourceNote {
    /// Whether the source is this.
    #[must_use]
    pub fn is(&self, what: &str) -> bool {
        self.is.iter().any(|said| said == what)
    }

    /// What its records were.
    #[must_use]
    pub fn former(&self) -> Former {
        match (self.is(LINES), self.is(SILENT)) {
            (true, _) => Former::Lines,
            (_, true) => Former::Silent,
            _ => Former::Fields,
        }
    }
}

/// So many sources without records are told of: what is told of all stands in one line.
pub const MOST_BESIDE: usize = 1000;

/// What was wrong with a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProblemNote {
    /// `note`, `warning` or `error`.
    pub severity: String,
    /// In words.
    pub text: String,
    /// To how many lines it happened, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// From which byte of the source on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &i64) -> bool {
    *n == 0
}

/// Whose a line of an export is.
#[derive(Clone, Debug, PartialEq)]
pub enum LineOwner {
    /// The first of a source: what is said of it.
    Noted(Box<SourceNote>),
    /// A further one of this source.
    Numbered(u32),
    /// Nothing says so.
    Unknown,
}

/// A line of an export as an object; `None` where it is none.
#[must_use]
pub fn object(line: &[u8]) -> Option<Map<String, Json>> {
    serde_json::from_slice(line).ok()
}

/// Whose a record is.
#[must_use]
pub fn owner(record: &Map<String, Json>) -> LineOwner {
    match record.get(SOURCE) {
        Some(Json::Object(said)) => match serde_json::from_value(Json::Object(said.clone())) {
            Ok(note) => LineOwner::Noted(Box::new(note)),
            // A later version may write other things there; the number is what lines are sorted by.
            Err(_) => said.get("number").map_or(LineOwner::Unknown, number),
        },
        Some(said) => number(said),
        None => LineOwner::Unknown,
    }
}

fn number(said: &Json) -> LineOwner {
    let number = said.as_u64().and_then(|n| u32::try_from(n).ok());
    number.map_or(LineOwner::Unknown, LineOwner::Numbered)
}

/// Where a record stood in its source.
#[must_use]
pub fn place(record: &Map<String, Json>) -> Option<u64> {
    record.get(AT).and_then(Json::as_u64)
}

/// Lines that are looked at.
const LOOK: usize = 40;

/// Whether the first lines of a source are those of an export: one of them tells of a source.
#[must_use]
pub fn is_export(lines: &[&[u8]]) -> bool {
    let name = SOURCE.as_bytes();
    let told = |line: &&&[u8]| memchr::memmem::find(line, name).is_some();
    let noted = |line: &[u8]| {
        object(line).is_some_and(|record| {
            let has = |name: &str| record.contains_key(name);
            let is_record = ["time", "source", "message"].into_iter().all(has);
            is_record && matches!(owner(&record), LineOwner::Noted(_))
        })
    };
    lines.iter().take(LOOK).filter(told).any(|l| noted(l))
}

/// Which of the keys that joins gave are taken out of a record.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// None: they are read as they stand.
    Kept,
    /// Those of these joins: the run is all there, and they will give them again.
    Again(&'a dyn Fn(&str) -> bool),
}

/// Takes out of a record what its source says, and what joins will say again.
pub fn strip(record: &mut Map<String, Json>, note: &SourceNote, given: Given<'_>) {
    if let (Given::Again(is_known), Some(Json::Object(derived))) = (given, record.get(DERIVED)) {
        let again = derived
            .iter()
            .filter(|(_, join)| join.as_str().is_some_and(is_known))
            .map(|(key, _)| key.clone());
        for key in again.collect::<Vec<String>>() {
            record.shift_remove(&key);
        }
    }
    for name in OWN {
        record.shift_remove(name);
    }
    if record.get("source").and_then(Json::as_str) == Some(&note.tag) {
        record.shift_remove("source");
    }
    for (key, value) in &note.keys {
        let spelled = record.get(key).map(|said| match said {
            Json::String(said) => said.clone(),
            said => said.to_string(),
        });
        if spelled.as_ref() == Some(value) {
            record.shift_remove(key);
        }
    }
}
