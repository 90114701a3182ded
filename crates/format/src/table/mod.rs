//! Files whose records are not lines: delimited tables, printed tables, blocks of fields, and files that are JSON, YAML
//! or MessagePack as a whole.
//!
//! Their records are converted to JSON lines, one object each, and stored and read as such. So keys, shapes, templates
//! and reading again need no further code.

pub mod documents;

use std::io::Read;

use crate::framing::Framing;
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

/// Reader of records converted to JSON lines, with the problems to report.
pub trait RowLines: Read {
    /// Problems with the records read so far, as messages for the user.
    fn problems(&self) -> Vec<String>;
}

/// Format of such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableSyntax {
    /// Delimited text.
    Csv(Dialect),
    /// Printed columns.
    Columns,
    /// Blocks of `NAME=value` lines.
    Blocks,
    /// JSON as a whole.
    Json(JsonForm),
    /// Tree of values that contains records.
    Tree(TreeForm),
    /// Lines of a log with framing.
    Framed(Framing),
    /// Parquet file.
    Parquet,
    /// Export of several sources, with their metadata.
    Exported,
}

impl TableSyntax {
    /// Name for the user.
    pub fn name(self) -> &'static str {
        match self {
            TableSyntax::Csv(dialect) if dialect.delimiter == b'\t' => "tsv",
            TableSyntax::Csv(_) => "csv",
            TableSyntax::Columns => "columns",
            TableSyntax::Blocks => "blocks",
            TableSyntax::Json(_) => "json",
            TableSyntax::Tree(form) => form.name(),
            TableSyntax::Framed(_) => "framed log",
            TableSyntax::Parquet => "parquet",
            TableSyntax::Exported => "export",
        }
    }

    /// Whether such a file may grow; other formats are written as a whole.
    pub fn grows(self) -> bool {
        matches!(self, TableSyntax::Csv(_) | TableSyntax::Framed(_))
    }

    /// Whether the file name is that of a table.
    pub fn is_named(path: &str) -> bool {
        csv::is_named(path)
    }

    /// Format detected from the first bytes of a file; `None` if its records are lines.
    pub fn detect(path: &str, head: SourceHead<'_>) -> Option<TableSyntax> {
        JsonForm::detect(head)
            .map(TableSyntax::Json)
            .or_else(|| blocks::detect(head).then_some(TableSyntax::Blocks))
            .or_else(|| columns::detect(head).then_some(TableSyntax::Columns))
            .or_else(|| Dialect::detect(path, head).map(TableSyntax::Csv))
    }
}
