//! Syntax of documents: parts of a tree of values that are records.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// File that is one tree of values, MessagePack (`.msgpack`) or YAML (`.yaml`), possibly compressed, and the parts of it
/// that are records.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentDef {
    /// Paths that must exist: names separated by dots.
    #[schemars(example = json!(["scheduler.workers"]))]
    pub require: Vec<String>,
    /// Kinds of records in the document.
    pub rows: Vec<DocumentRowsDef>,
}

/// Records of one kind in a document, read as JSON lines by the first dialect that matches. Of several rules for one place,
/// the first that matches is used.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentRowsDef {
    /// Name of the source that lists the records, below the document; several kinds may share one.
    #[schemars(example = &"moves")]
    pub name: String,
    /// Path to the list of records: names separated by dots; `{field}` matches any name, which each record receives in the
    /// field.
    #[schemars(example = &"rover.{rover}.log")]
    pub at: String,
    /// Names of the elements of a record that is a list; only lists of this length are records.
    #[serde(default)]
    #[schemars(example = json!(["from", "to", "at"]))]
    pub columns: Vec<String>,
    /// Field that holds the whole record.
    #[schemars(example = &"move")]
    pub value: Option<String>,
    /// Index of the element that is the text of a log record with all its lines, if records are lists: the list becomes a
    /// log, named by the last `{field}` of the path.
    #[schemars(example = 1)]
    pub text: Option<usize>,
    /// True if the latest record comes first.
    #[serde(default)]
    pub latest_first: bool,
    /// Fields to read if the path leads to a single record: an object that has all of these fields.
    #[serde(default)]
    #[schemars(example = json!(["id", "why"]))]
    pub fields: Vec<String>,
}

/// List in the rows of an array of a JSON document, whose elements become rows of their own, listed below the array
/// (`jobs.steps`) and read by the table that they match.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InnerDef {
    /// Path of the array: names separated by dots.
    #[schemars(example = &"jobs")]
    pub array: String,
    /// Field of the array's rows that holds the list.
    #[schemars(example = &"steps")]
    pub list: String,
    /// Fields of the enclosing row that the elements receive.
    #[serde(default)]
    #[schemars(example = json!(["job_id"]))]
    pub outer: Vec<String>,
}
