//! Exports: records of many sources as JSON lines, each with metadata of its source and of itself, so that they are
//! read back as the original sources.
//!
//! Three fields hold the metadata. `_source` is the number of the record's source; the first record of each source has an
//! object instead, a [`SourceNote`]. `_at` is the place of the record in its source, by which records written in time order
//! are put back in file order; without it, a record has the place of the previous one of its source. `_derived` names the
//! keys that joins provided. Everything else is as in any JSON line of widetui: a reader that ignores these fields loses no key.
//!
//! A typed table (Parquet) has the same columns for every run: keys by which instances are identified have a column each, all
//! others are in the map [`KEYS`], and those with several values in the map [`LISTS`]. Metadata is in columns, too: `_source` and
//! `_at` are integers, `_note` is the [`SourceNote`] of the first record of each source, `_derived` is the object as text, and
//! `_ns` has what a time in microseconds lacks. [`ExportedRecord::restore`] turns its rows into the lines above.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::json::dialect::OriginalForm;

/// Field with the source of a record.
pub const SOURCE: &str = "_source";
/// Field with the place of a record in its source.
pub const AT: &str = "_at";
/// Field with the keys that joins provided.
pub const DERIVED: &str = "_derived";

/// Field with the version of the fields, in the first line of an output.
pub const SCHEMA: &str = "_schema";

/// Column with the metadata of a source in a typed table, as JSON.
pub const NOTE: &str = "_note";
/// Column with the nanoseconds of a time in microseconds.
pub const NANOS: &str = "_ns";
/// Column with the name of the run, the same in all rows of a file.
pub const RUN: &str = "run";
/// Column with the value of each key that has no column, and of values that the type of their column does not preserve.
pub const KEYS: &str = "keys";
/// Column with the values of each key that has several.
pub const LISTS: &str = "lists";
/// Property of a Parquet file: the names of the keys that have values in their column, as a JSON array.
pub const KEYS_PROPERTY: &str = "widetui.keys";
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

/// Columns of a typed table that belong to no single key.
pub const OWN_COLUMNS: [&str; 12] = [
    "time", "source", "level", "message", "template", KEYS, LISTS, NANOS, SOURCE, AT, NOTE, DERIVED,
];

/// Name of the column of a key: SQL and data frames take it without quotes.
#[must_use]
pub fn column_of_key(key: &str) -> String {
    key.replace('.', "_")
}

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

/// Maximum number of lines examined.
const MAX_LINES: usize = 40;

/// Whether the first lines of a source are those of an export, which one of them shows by its source metadata.
#[must_use]
pub fn is_export(lines: &[&[u8]]) -> bool {
    let name = SOURCE.as_bytes();
    let has_source = |line: &&&[u8]| memchr::memmem::find(line, name).is_some();
    let noted = |line: &[u8]| {
        ExportedRecord::parse(line).is_some_and(|record| {
            let has = |name: &str| record.get(name).is_some();
            let is_record = ["time", "source", "message"].into_iter().all(has);
            is_record && matches!(record.owner(), LineOwner::Noted(_))
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

/// JSON text of a value.
type Raw<'a> = Cow<'a, RawValue>;

/// String of a JSON text, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Record of an export: its fields in order, with the JSON texts of their values.
#[derive(Debug)]
pub struct ExportedRecord<'a> {
    fields: Vec<(Cow<'a, str>, Raw<'a>)>,
}

impl<'de: 'a, 'a> Deserialize<'de> for ExportedRecord<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = ExportedRecord<'de>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::with_capacity(32);
                while let Some((Text(name), value)) = map.next_entry::<_, &RawValue>()? {
                    fields.push((name, Cow::Borrowed(value)));
                }
                Ok(ExportedRecord { fields })
            }
        }
        from.deserialize_map(Fields)
    }
}

impl<'a> ExportedRecord<'a> {
    /// Line of an export as a record; `None` if it is no object.
    #[must_use]
    pub fn parse(line: &'a [u8]) -> Option<ExportedRecord<'a>> {
        serde_json::from_slice(line).ok()
    }

    /// JSON text of a field.
    fn get(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().find(|field| field.0 == name)?;
        Some(field.1.get())
    }

    /// Replaces the value of a field, or adds the field at the end.
    fn set(&mut self, name: &str, value: Raw<'a>) {
        match self.fields.iter_mut().find(|field| field.0 == name) {
            Some(field) => field.1 = value,
            None => self.fields.push((Cow::Owned(name.to_owned()), value)),
        }
    }

    /// Source of the record.
    #[must_use]
    pub fn owner(&self) -> LineOwner {
        /// A later version may write other fields of a note; the number is what lines are sorted by.
        #[derive(Deserialize)]
        struct Numbered {
            number: u32,
        }
        let Some(value) = self.get(SOURCE) else {
            return LineOwner::Unknown;
        };
        if let Ok(number) = value.parse() {
            return LineOwner::Numbered(number);
        }
        if let Ok(note) = serde_json::from_str(value) {
            return LineOwner::Noted(Box::new(note));
        }
        let numbered = serde_json::from_str::<Numbered>(value);
        numbered.map_or(LineOwner::Unknown, |n| LineOwner::Numbered(n.number))
    }

    /// Place of the record in its source.
    #[must_use]
    pub fn place(&self) -> Option<u64> {
        self.get(AT)?.parse().ok()
    }

    /// Turns a row of a typed table into a line of an export. `columns` has the keys by the names of their columns.
    pub fn restore(&mut self, columns: &BTreeMap<String, String>) {
        let (mut note, mut derived, mut nanos) = (None, None, None);
        let (mut keys, mut lists) = (None, None);
        self.fields.retain_mut(|(name, value)| {
            let place = match &**name {
                NOTE => &mut note,
                DERIVED => &mut derived,
                NANOS => &mut nanos,
                KEYS => &mut keys,
                LISTS => &mut lists,
                RUN => return false,
                other => {
                    if let Some(key) = columns.get(other) {
                        *name = Cow::Owned(key.clone());
                    }
                    return true;
                }
            };
            *place = Some(value.clone());
            false
        });
        if let Some(time) = self.get("time").and_then(|time| instant(time, nanos)) {
            self.set("time", Cow::Owned(time));
        }
        for (key, value) in keys.iter().chain(&lists).flat_map(entries) {
            self.set(&key, Cow::Owned(value));
        }
        for (name, text) in [(SOURCE, note), (DERIVED, derived)] {
            let text = text.and_then(|text| serde_json::from_str::<String>(text.get()).ok());
            let object = text.filter(|text| text.starts_with('{'));
            if let Some(value) = object.and_then(|text| RawValue::from_string(text).ok()) {
                self.set(name, Cow::Owned(value));
            }
        }
        for (name, missing) in [("time", "null"), ("level", "\"\"")] {
            if self.get(name).is_none()
                && let Ok(value) = serde_json::from_str::<&RawValue>(missing)
            {
                self.set(name, Cow::Borrowed(value));
            }
        }
    }

    /// Removes the keys that the source of the record or joins will provide again, and the metadata fields.
    pub fn strip(&mut self, note: &SourceNote, joined_keys: JoinedKeys<'_>) {
        let again: Vec<String> = match (joined_keys, self.get(DERIVED)) {
            (JoinedKeys::Remove(is_known), Some(derived)) => {
                let derived = serde_json::from_str::<BTreeMap<String, Text<'_>>>(derived);
                let derived = derived.unwrap_or_default().into_iter();
                let again = derived.filter(|(_, join)| is_known(&join.0));
                again.map(|(key, _)| key).collect()
            }
            _ => Vec::new(),
        };
        self.fields.retain(|(name, value)| {
            let is = |expected: &str| match serde_json::from_str::<Text<'_>>(value.get()) {
                Ok(text) => text.0 == expected,
                Err(_) => value.get() == expected,
            };
            let name = &**name;
            let is_of_source = || match name {
                "source" => is(&note.tag),
                _ => note.keys.get(name).is_some_and(|stated| is(stated)),
            };
            !(OWN.contains(&name) || again.iter().any(|key| key == name) || is_of_source())
        });
    }

    /// Appends the record as a line without its end.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.push(b'{');
        for (at, (name, value)) in self.fields.iter().enumerate() {
            if at > 0 {
                to.push(b',');
            }
            // Writing to memory does not fail.
            let _ = serde_json::to_writer(&mut *to, &**name);
            to.push(b':');
            to.extend_from_slice(value.get().as_bytes());
        }
        to.push(b'}');
    }
}

/// Time in UTC of a row, whose microseconds and nanoseconds are in two columns.
fn instant(time: &str, nanos: Option<Raw<'_>>) -> Option<Box<RawValue>> {
    let micros = time.strip_prefix('"')?.strip_suffix("000\"")?;
    let nanos: u16 = nanos.map_or(Some(0), |nanos| nanos.get().parse().ok())?;
    RawValue::from_string(format!("\"{micros}{nanos:03}Z\"")).ok()
}

/// Entries of a map of a row. A long one is the text of its JSON.
fn entries(map: &Raw<'_>) -> Vec<(String, Box<RawValue>)> {
    #[derive(Deserialize)]
    struct Entry {
        key: String,
        value: Box<RawValue>,
    }
    let text = serde_json::from_str::<String>(map.get());
    let json = text.as_deref().unwrap_or(map.get());
    let entries: Vec<Entry> = serde_json::from_str(json).unwrap_or_default();
    { entries.into_iter() }
        .map(|entry| (entry.key, entry.value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(record: &ExportedRecord<'_>) -> String {
        let mut line = Vec::new();
        record.write(&mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn a_row_of_a_typed_table_becomes_a_line_without_what_comes_again() {
        let row = br#"{"run":"r","time":"2026-11-21T01:43:07.250001000","source":"w\u0031","message":"a \"b\"","keys":[{"key":"a.task","value":"0172"},{"key":"pid","value":"7"}],"lists":[{"key":"app","value":["x","y"]}],"a_task":172,"host":"n1","_ns":30,"_source":4,"_at":9,"_note":"{\"number\":4,\"tag\":\"w1\",\"keys\":{\"pid\":\"7\"}}","_derived":"{\"host\":\"joined\",\"app\":\"other\"}"}"#;
        let mut record = ExportedRecord::parse(row).unwrap();
        assert_eq!(record.owner(), LineOwner::Numbered(4));
        assert_eq!(record.place(), Some(9));
        let columns = ["a.task", "host"].map(|key| (column_of_key(key), key.to_owned()));
        record.restore(&columns.into());
        let LineOwner::Noted(note) = record.owner() else {
            panic!("{record:?}");
        };
        assert_eq!((note.number, &*note.tag), (4, "w1"));
        let is_known = |join: &str| join == "joined";
        record.strip(&note, JoinedKeys::Remove(&is_known));
        assert_eq!(
            written(&record),
            r#"{"time":"2026-11-21T01:43:07.250001030Z","message":"a \"b\"","a.task":"0172","app":["x","y"],"level":""}"#
        );
    }

    #[test]
    fn a_note_of_a_later_version_has_its_number() {
        let line = br#"{"_source":{"number":3,"tag":{"more":1}},"a":1.50}"#;
        let record = ExportedRecord::parse(line).unwrap();
        assert_eq!(record.owner(), LineOwner::Numbered(3));
        assert_eq!(written(&record).as_bytes(), line);
        assert!(ExportedRecord::parse(b"[1]").is_none());
    }
}
