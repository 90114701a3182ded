//! Syntax of documents: which lists in a tree of values are records.

use serde::Deserialize;

/// A document that is a tree of values (MessagePack, YAML), and which lists in it are records.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentDef {
    /// Ways to what it must have: names with dots between.
    pub require: Vec<String>,
    /// Its records.
    pub rows: Vec<DocumentRowsDef>,
}

/// Records of one kind in a document. They are read as lines of JSON, by the dialect that they fit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentRowsDef {
    /// What they are listed as, below the document; several kinds may stand together.
    pub name: String,
    /// The way to the list that holds them: names with dots between; `{field}` is any name, which the records have in this field.
    pub at: String,
    /// What the elements of a record are that is a list of so many.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The field that holds the whole record.
    pub value: Option<String>,
    /// Which element of a record that is a list is the text of a record in a log, with all its lines: they become a
    /// log. The way names
    /// whose log it is by its last open name.
    pub text: Option<usize>,
    /// Whether the latest stands first.
    #[serde(default)]
    pub latest_first: bool,
    /// The way leads to a record itself, an object that has these fields: no others are read.
    #[serde(default)]
    pub fields: Vec<String>,
}

/// A list in the rows of an array of a JSON document whose elements are rows of their own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InnerDef {
    /// The array, as it is listed: names with dots between.
    pub array: String,
    /// The field of its rows that holds the list.
    pub list: String,
    /// Fields of the row around it that say whose its elements are: they get these.
    #[serde(default)]
    pub outer: Vec<String>,
}
