//! Records that are no lines: tables with a header (CSV, columns between blanks), blocks of fields and files that are JSON as a whole.
//!
//! Their records become lines of JSON, one object each, which are kept and read as any JSON lines are: keys, shapes,
//! templates and reading again need nothing of their own.

pub mod documents;

use std::io::Read;

use crate::framing::Envelope;
use widetui_source::head::SourceHead;

pub mod blocks;
pub mod columns;
pub mod csv;
mod derived_lines;
pub mod document;
mod infer;
pub mod inner;
pub mod json;
mod json_stream;
mod names;
pub mod tree;

pub use blocks::BlockLines;
pub use columns::ColumnLines;
pub use csv::{CsvLines, Dialect};
pub use json::{JsonArrays, JsonForm};
pub use tree::TreeForm;

/// Records of something else as lines of JSON: what reads as such lines, and what is to be told of it.
pub trait RowLines: Read {
    /// What of the records read so far is to be told, for people.
    fn problems(&self) -> Vec<String>;
}

/// How the records of such a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableSyntax {
    /// Cells between delimiters.
    Csv(Dialect),
    /// Columns below their names, with blanks between.
    Columns,
    /// Blocks of `NAME=value` lines.
    Blocks,
    /// JSON as a whole.
    Json(JsonForm),
    /// A tree of values, parts of which are records.
    Tree(TreeForm),
    /// Lines of a log, each in an envelope.
    Enveloped(Envelope),
    /// Records of several sources, each with what was known of its source.
    Exported,
}

impl TableSyntax {
    /// What it is, for people.
    pub fn name(self) -> &'static str {
        match self {
            TableSyntax::Csv(dialect) if dialect.delimiter == b'\t' => "tsv",
            TableSyntax::Csv(_) => "csv",
            TableSyntax::Columns => "columns",
            TableSyntax::Blocks => "blocks",
            TableSyntax::Json(_) => "json",
            TableSyntax::Tree(form) => form.name(),
            TableSyntax::Enveloped(_) => "a log in envelopes",
            TableSyntax::Exported => "an export",
        }
    }

    /// Whether who writes such a file may go on: the others are written as a whole.
    pub fn grows(self) -> bool {
        matches!(self, TableSyntax::Csv(_) | TableSyntax::Enveloped(_))
    }

    /// Whether the name of a file says that it is a table.
    pub fn is_named(path: &str) -> bool {
        csv::is_named(path)
    }

    /// What the first bytes of a file look like; `None` when its records are lines.
    pub fn look(path: &str, head: SourceHead<'_>) -> Option<TableSyntax> {
        JsonForm::look(head)
            .map(TableSyntax::Json)
            .or_else(|| blocks::look(head).then_some(TableSyntax::Blocks))
            .or_else(|| columns::look(head).then_some(TableSyntax::Columns))
            .or_else(|| Dialect::look(path, head).map(TableSyntax::Csv))
    }
}
