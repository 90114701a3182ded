//! A dialect of records with fields, as a definition has it.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::duration_keys::Durations;

/// How the fields of a record are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grammar {
    /// One JSON object per line.
    #[default]
    Json,
    /// `key=value` pairs.
    Logfmt,
}

/// A JSON dialect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonDef {
    /// Unique in the file.
    pub name: Spanned<String>,
    /// How its records are written.
    #[serde(default)]
    pub grammar: Grammar,
    /// Fields that a record must have.
    #[serde(default)]
    pub require: Vec<String>,
    /// Fields that may hold the time, `field` or `field:pattern`; the first present wins.
    #[serde(default)]
    pub time: Vec<Spanned<String>>,
    /// Fields that may hold the day, where the time names none.
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
    /// The message, made of fields.
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
    /// Fields that are read over, with all that is inside.
    #[serde(default)]
    pub skip: Vec<String>,
    /// A line holds many records: in the lists down this path, names with dots between them.
    pub records: Option<Spanned<String>>,
    /// Fields that are lists of objects with a key and a value, each of which becomes a field.
    #[serde(default)]
    pub pairs: Vec<String>,
    /// Arrays of numbers from 0 to 255 are the bytes of texts.
    #[serde(default)]
    pub bytes: bool,
    /// Start, end and key: the key holds the seconds between the times of these fields.
    #[serde(default)]
    pub duration: Durations,
    /// Times that name no zone are UTC.
    #[serde(default)]
    pub utc: bool,
    /// Its fields are all keys there are: no host is taken out of a list of hosts. Its templates are written as we write them.
    #[serde(default)]
    pub complete: bool,
    /// Levels of the spellings of the level's field.
    #[serde(default)]
    pub levels: BTreeMap<String, String>,
    /// Key of a field.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
}
