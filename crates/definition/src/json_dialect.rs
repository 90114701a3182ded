//! JSON dialects and other records with named fields, as definitions describe them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::duration_keys::Durations;
use crate::text::Text;

/// Grammar of the fields of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Grammar {
    /// One JSON object per line.
    #[default]
    Json,
    /// `key=value` pairs.
    Logfmt,
}

/// Dialect of JSON lines: one object per line. Nested fields are named with dots (`log.level`).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonDef {
    /// Name of the dialect, unique in the file.
    #[schemars(example = &"mysim_json")]
    pub name: Text,
    /// Grammar of its records.
    #[serde(default)]
    #[schemars(example = &"logfmt")]
    pub grammar: Grammar,
    /// Fields that every record has, by which the dialect is recognised; of several that match, the one with the most
    /// fields is used.
    #[serde(default)]
    #[schemars(example = json!(["ts", "job"]))]
    pub require: Vec<String>,
    /// Fields that may hold the time, `field` or `field:pattern`; the first present is used. Without a pattern the format
    /// is recognised.
    #[serde(default)]
    #[schemars(example = json!(["ts", "created:epoch"]))]
    pub time: Vec<Text>,
    /// Fields that may hold the day, if the time has none.
    #[serde(default)]
    #[schemars(example = json!(["date"]))]
    pub date: Vec<String>,
    /// Fields that may hold the level.
    #[serde(default)]
    #[schemars(example = json!(["level"]))]
    pub level: Vec<String>,
    /// Fields that may hold the message; it is a key, too, if `rename` names it.
    #[serde(default)]
    #[schemars(example = json!(["msg", "message"]))]
    pub message: Vec<String>,
    /// Fields that may hold the template.
    #[serde(default)]
    #[schemars(example = json!(["event"]))]
    pub template: Vec<String>,
    /// Message composed of fields; `:state` keeps the value in the template, `:text` marks a value that is no number, a
    /// missing value becomes `-`.
    #[schemars(example = &"job {job} is {status:state}")]
    pub compose: Option<Text>,
    /// Fields that are never keys.
    #[serde(default)]
    #[schemars(example = json!(["version"]))]
    pub drop: Vec<String>,
    /// Fields that are read on demand.
    #[serde(default)]
    #[schemars(example = json!(["stdout"]))]
    pub defer: Vec<String>,
    /// Strings that mean "no value".
    #[serde(default)]
    #[schemars(example = json!(["N/A"]))]
    pub null: Vec<String>,
    /// Parts of arrays that become fields: by index, or by a field of the element.
    #[serde(default)]
    #[schemars(example = json!(["story[-1]", "steps[action=compute].start"]))]
    pub pick: Vec<Text>,
    /// Fields whose arrays are one value; other arrays have a value per element.
    #[serde(default)]
    #[schemars(example = json!(["key"]))]
    pub whole: Vec<String>,
    /// Fields that are skipped with all their contents: objects with unbounded names.
    #[serde(default)]
    #[schemars(example = json!(["metadata"]))]
    pub skip: Vec<String>,
    /// Path to the lists whose elements are the records of a line: names separated by dots, `a|b` for either name. Values
    /// beside the lists become keys of all records below.
    #[schemars(example = &"batches.items")]
    pub records: Option<Text>,
    /// Fields that are lists of objects with a `key` and a `value`, each of which becomes a field.
    #[serde(default)]
    #[schemars(example = json!(["attributes"]))]
    pub pairs: Vec<String>,
    /// True if arrays of numbers from 0 to 255 are the bytes of texts.
    #[serde(default)]
    pub bytes: bool,
    /// Fields of start and end, and the key of the seconds between them; or a list of such triples.
    #[serde(default)]
    #[schemars(example = json!(["start", "end", "mysim.seconds"]))]
    pub duration: Durations,
    /// True if times without a zone are UTC.
    #[serde(default)]
    pub utc: bool,
    /// True if the fields are all keys of a record: lists of hosts are not expanded, and templates are in this program's
    /// own form.
    #[serde(default)]
    pub complete: bool,
    /// Levels by spelling of the level field, also of numbers; the empty word is the level of records that state none.
    #[serde(default)]
    #[schemars(example = json!({"30": "warning"}))]
    pub levels: BTreeMap<String, String>,
    /// Keys by field; `"value.*" = "*"`: the fields of the object `value` under their own names.
    #[serde(default)]
    #[schemars(example = json!({"job": "mysim.job"}))]
    pub rename: BTreeMap<String, String>,
}
