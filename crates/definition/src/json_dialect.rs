//! JSON dialects and other records with named fields, as definitions describe them.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::duration_keys::Durations;

/// Grammar of the fields of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grammar {
    /// One JSON object per line.
    #[default]
    Json,
    /// `key=value` pairs.
    Logfmt,
}

/// Definition of a JSON dialect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonDef {
    /// Name of the dialect, unique in the file.
    pub name: Spanned<String>,
    /// Grammar of its records.
    #[serde(default)]
    pub grammar: Grammar,
    /// Required fields, by which the dialect is recognised.
    #[serde(default)]
    pub require: Vec<String>,
    /// Fields that may hold the time, `field` or `field:pattern`; the first present is used.
    #[serde(default)]
    pub time: Vec<Spanned<String>>,
    /// Fields that may hold the day, if the time has none.
    #[serde(default)]
    pub date: Vec<String>,
    /// Fields that may hold the level.
    #[serde(default)]
    pub level: Vec<String>,
    /// Fields that may hold the message.
    #[serde(default)]
    pub message: Vec<String>,
    /// Fields that may hold the template.
    #[serde(default)]
    pub template: Vec<String>,
    /// Message composed of fields.
    pub compose: Option<Spanned<String>>,
    /// Fields that are never keys.
    #[serde(default)]
    pub drop: Vec<String>,
    /// Fields that are read on demand.
    #[serde(default)]
    pub defer: Vec<String>,
    /// Strings that mean "no value".
    #[serde(default)]
    pub null: Vec<String>,
    /// Parts of arrays that become fields: `story[-1]`, `startstops[0].start`.
    #[serde(default)]
    pub pick: Vec<Spanned<String>>,
    /// Fields whose arrays are one value.
    #[serde(default)]
    pub whole: Vec<String>,
    /// Fields that are skipped with all their contents.
    #[serde(default)]
    pub skip: Vec<String>,
    /// Path to the lists whose elements are the records of a line: names separated by dots.
    pub records: Option<Spanned<String>>,
    /// Fields that are lists of objects with a name and a value, each of which becomes a field.
    #[serde(default)]
    pub pairs: Vec<String>,
    /// True if arrays of numbers from 0 to 255 are the bytes of texts.
    #[serde(default)]
    pub bytes: bool,
    /// Fields of start and end, and the key of the seconds between them.
    #[serde(default)]
    pub duration: Durations,
    /// True if times without a zone are UTC.
    #[serde(default)]
    pub utc: bool,
    /// True if the fields are all keys of a record: hosts are not expanded, and templates are in this program's own form.
    #[serde(default)]
    pub complete: bool,
    /// Levels by spelling of the level field.
    #[serde(default)]
    pub levels: BTreeMap<String, String>,
    /// Keys by field; `"value.*" = "*"`: the fields of the object `value` under their own names.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
}
