//! Exports: records of many sources as JSON lines, each with metadata of its source and of itself, so that they are
//! read back as the original sources.
//!
//! Three fields hold the metadata. `_source` is the number of the record's source; the first record of each source has an
//! object instead, a [`SourceNote`]. `_at` is the offset of the record in its source, by which records written in time order
//! are put back in file order. `_derived` names the keys that joins provided. Everything else is as in any JSON line of
//! widetui: a reader that ignores these fields loses no key.
//!
//! A typed table (Parquet) has the same metadata in columns: `_source` and `_at` are integers, `_note` is the
//! [`SourceNote`] of the first record of each source, `_derived` is the object as text, and `_original` has the values
//! that the type of their column does not preserve (`"0172"` of an integer). [`restore`] turns its rows into the lines above.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::json::dialect::OriginalForm;

/// Field with the source of a record.
pub const SOURCE: &str = "_source";
/// Field with the offset of a record in its source.
pub const AT: &str = "_at";
/// Field with the keys that joins provided.
pub const DERIVED: &str = "_derived";

/// Field with the version of the fields, in the first line of an output.
pub const SCHEMA: &str = "_schema";

/// Column with the metadata of a source in a typed table, as JSON.
pub const NOTE: &str = "_note";
/// Column with the values that the type of their column does not preserve, as a JSON object.
pub const ORIGINAL: &str = "_original";
/// End of the name of a column with all values of a key that has several.
pub const ALL: &str = ".all";
/// Property of a Parquet file: the table that it holds.
pub const TABLE_PROPERTY: &str = "widetui.table";
/// Property of a Parquet file: the number of records of a run that it holds as a whole.
pub const RECORDS_PROPERTY: &str = "widetui.records";
/// Table of records.
pub const EVENTS: &str = "events";

/// Attribute of a source: rows of a database.
pub const TABLE: &str = "table";
/// Attribute of a source: records written at once, after the fact.
pub const DUMP: &str = "dump";
/// Attribute of a source: lines derived from another format.
pub const MADE: &str = "made";
/// Attribute of a source: facts about the run that the user provided.
pub const FACTS: &str = "facts";
/// Attribute of a source: kept in file order, because its times are too coarse to order it.
pub const COARSE: &str = "coarse";
/// Attribute of a source: lines without a time between its records keep the order of the file over small steps back.
pub const UNTIMED_LINES: &str = "untimed lines";

/// Attribute of a source: objects without a message.
pub const SILENT: &str = "silent";
/// Attribute of a source: lines of text.
pub const LINES: &str = "lines";
/// Attribute of a source: listed but not read.
pub const ATTACHED: &str = "attached";

/// Names of the fields with metadata of a record, which are not keys.
pub const OWN: [&str; 4] = [SOURCE, AT, DERIVED, SCHEMA];

/// Metadata of a source in an export. Missing fields have the value of an unknown log; fields of later versions are
/// ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceNote {
    /// Number in the export.
    pub number: u32,
    /// Path at the time of the export.
    pub path: String,
    /// Short name.
    pub tag: String,
    /// System whose definition claimed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Kind within the system.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Name of its layout or dialect.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub layout: String,
    /// Attributes, such as [`TABLE`] or [`DUMP`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub is: Vec<String>,
    /// Modification time, ns since the epoch; 0 if unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub modified: i64,
    /// Keys of all its records that the path provided.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub keys: BTreeMap<String, String>,
    /// Keys that identify the writer of a record: process, thread.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writer: Vec<String>,
    /// Keys that follow the text of an exception in its records and do not belong to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extras: Vec<String>,
    /// Problems found while it was read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemNote>,
    /// Number of records; only in an export of a whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Sources of the run without records; the note of the first source lists them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(alias = "beside")]
    pub empty_sources: Vec<SourceNote>,
}

impl SourceNote {
    /// Whether the source has this attribute.
    #[must_use]
    pub fn is(&self, what: &str) -> bool {
        self.is.iter().any(|value| value == what)
    }

    /// Former form of its records.
    #[must_use]
    pub fn original_form(&self) -> OriginalForm {
        match (self.is(LINES), self.is(SILENT)) {
            (true, _) => OriginalForm::Lines,
            (_, true) => OriginalForm::Silent,
            _ => OriginalForm::Fields,
        }
    }
}

/// Maximum number of listed sources without records, which are all written in one line.
pub const MAX_EMPTY_SOURCES: usize = 1000;

/// Problem with a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProblemNote {
    /// `note`, `warning` or `error`.
    pub severity: String,
    /// Message for the user.
    pub text: String,
    /// Number of affected lines, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Offset of the first affected byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &i64) -> bool {
    *n == 0
}

/// Source of a line in an export.
#[derive(Clone, Debug, PartialEq)]
pub enum LineOwner {
    /// First record of a source, with the metadata of the source.
    Noted(Box<SourceNote>),
    /// Further record of the source with this number.
    Numbered(u32),
    /// No source is stated.
    Unknown,
}

/// Line of an export as an object; `None` if it is none.
#[must_use]
pub fn object(line: &[u8]) -> Option<Map<String, Json>> {
    serde_json::from_slice(line).ok()
}

/// Source of a record.
#[must_use]
pub fn owner(record: &Map<String, Json>) -> LineOwner {
    match record.get(SOURCE) {
        Some(Json::Object(value)) => match serde_json::from_value(Json::Object(value.clone())) {
            Ok(note) => LineOwner::Noted(Box::new(note)),
            // A later version may write other fields; the number is what lines are sorted by.
            Err(_) => value.get("number").map_or(LineOwner::Unknown, number),
        },
        Some(value) => number(value),
        None => LineOwner::Unknown,
    }
}

fn number(value: &Json) -> LineOwner {
    let number = value.as_u64().and_then(|n| u32::try_from(n).ok());
    number.map_or(LineOwner::Unknown, LineOwner::Numbered)
}

/// Offset of a record in its source.
#[must_use]
pub fn place(record: &Map<String, Json>) -> Option<u64> {
    record.get(AT).and_then(Json::as_u64)
}

/// Turns a row of a typed table into a line of an export.
pub fn restore(record: &mut Map<String, Json>) {
    let mut parsed = |name: &str| match record.shift_remove(name) {
        Some(Json::String(text)) => serde_json::from_str::<Map<String, Json>>(&text).ok(),
        _ => None,
    };
    let [note, derived, original] = [NOTE, DERIVED, ORIGINAL].map(&mut parsed);
    let lists: Vec<String> = record
        .iter()
        .filter(|(name, value)| name.ends_with(ALL) && value.is_array())
        .map(|(name, _)| name.clone())
        .collect();
    for name in lists {
        if let (Some(values), Some(key)) = (record.shift_remove(&name), name.strip_suffix(ALL)) {
            record.entry(key).or_insert(values);
        }
    }
    record.extend(original.unwrap_or_default());
    if let Some(note) = note {
        record.insert(SOURCE.to_owned(), Json::Object(note));
    }
    if let Some(derived) = derived {
        record.insert(DERIVED.to_owned(), Json::Object(derived));
    }
    record.entry("time").or_insert(Json::Null);
    record.entry("level").or_insert_with(|| "".into());
}

/// Maximum number of lines examined.
const MAX_LINES: usize = 40;

/// Whether the first lines of a source are those of an export, which one of them shows by its source metadata.
#[must_use]
pub fn is_export(lines: &[&[u8]]) -> bool {
    let name = SOURCE.as_bytes();
    let has_source = |line: &&&[u8]| memchr::memmem::find(line, name).is_some();
    let noted = |line: &[u8]| {
        object(line).is_some_and(|record| {
            let has = |name: &str| record.contains_key(name);
            let is_record = ["time", "source", "message"].into_iter().all(has);
            is_record && matches!(owner(&record), LineOwner::Noted(_))
        })
    };
    lines
        .iter()
        .take(MAX_LINES)
        .filter(has_source)
        .any(|l| noted(l))
}

/// Which of the keys that joins provided are removed from a record.
#[derive(Clone, Copy)]
pub enum JoinedKeys<'a> {
    /// None: all keys are kept.
    Keep,
    /// Keys of these joins: the run is complete, and the joins will provide them again.
    Remove(&'a dyn Fn(&str) -> bool),
}

/// Removes from a record the keys that its source or joins will provide again, and the metadata fields.
pub fn strip(record: &mut Map<String, Json>, note: &SourceNote, joined_keys: JoinedKeys<'_>) {
    if let (JoinedKeys::Remove(is_known), Some(Json::Object(derived))) =
        (joined_keys, record.get(DERIVED))
    {
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
        let spelled = record.get(key).map(|value| match value {
            Json::String(value) => value.clone(),
            value => value.to_string(),
        });
        if spelled.as_ref() == Some(value) {
            record.shift_remove(key);
        }
    }
}
