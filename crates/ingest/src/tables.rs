//! Sources with other records than lines: database tables, CSV, JSON documents. Each is converted to a stream of JSON
//! lines, which is spooled and read like any stream.

use std::io::Read;
use std::path::Path;

use rayon::Scope;

use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_core::words::several;
use widetui_format::table::document::DOCUMENT;
use widetui_format::table::{
    BlockLines, ColumnLines, CsvLines, JsonArrays, JsonForm, RowLines, TableSyntax,
};
use widetui_source::sqlite::Database;
use widetui_store::SourceTrait;

use crate::detector::DocumentPart;
use crate::exports::{self, ExportSyntax};
use crate::framed_logs::{self, SenderSplitter};
use crate::load_context::LoadContext;
use crate::parquet_files;
use crate::source_entries::{attach, problem, trouble};
use crate::stream_pieces::Blocking;
use crate::table_source::{Holder, first_of, note, read_lines};

/// Description of a database that was opened.
pub(super) const DATABASE_LISTED: &str = "SQLite database (its tables are listed)";

/// Maximum length of a database inside an archive or behind a pipe, bytes: it is read into memory.
const DATABASE: u64 = 1 << 30;

/// Reads the tables of a database file, which may be in use.
pub(super) fn read_database<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    path: &Path,
) {
    let Some(database) = opened(shared, holder, Database::open(path, &shared.cancel)) else {
        return;
    };
    read_tables(scope, shared, holder, &database);
    if database.was_changed(path) {
        let text = "it was changed while it was read: rows may be missing";
        note(shared, holder.id, text.to_owned());
    }
}

/// Reads the tables of a database that comes as a stream.
pub(super) fn read_database_stream<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    stream: impl Read,
) {
    let mut bytes = Vec::new();
    if let Err(error) = stream.take(DATABASE + 1).read_to_end(&mut bytes) {
        let text = format!("breaks off after {} bytes: {error}", bytes.len());
        note(shared, holder.id, text);
    }
    let database = if bytes.len() as u64 > DATABASE {
        Err("is larger than 1 GiB; unpack it to read it".to_owned())
    } else {
        Database::from_bytes(bytes, &shared.cancel)
    };
    if let Some(database) = opened(shared, holder, database) {
        read_tables(scope, shared, holder, &database);
    }
}

fn opened(
    shared: &LoadContext,
    holder: Holder<'_>,
    database: Result<Database, String>,
) -> Option<Database> {
    match database {
        Ok(database) => {
            attach(shared, holder.id, DATABASE_LISTED);
            for text in &database.notes {
                note(shared, holder.id, text.clone());
            }
            Some(database)
        }
        Err(error) => {
            attach(shared, holder.id, "SQLite database");
            unreadable(shared, holder.id, error);
            None
        }
    }
}

fn read_tables<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    database: &Database,
) {
    let tables = match database.tables() {
        Ok(tables) => tables,
        Err(error) => {
            attach(shared, holder.id, "SQLite database");
            return unreadable(shared, holder.id, error);
        }
    };
    for table in tables {
        if shared.cancel.is_cancelled() {
            return;
        }
        let (id, name) = holder.table(shared, &table.name);
        shared.change(id, |s| s.traits.set(SourceTrait::Table, true));
        if !table.computed.is_empty() {
            let text = format!(
                "left out, for nothing of a database is run: {} whose values are not stored but computed ({})",
                several(table.computed.len(), "column"),
                table.computed.join(", ")
            );
            note(shared, id, text);
        }
        let name = name.as_str();
        let table_source = Holder { id, name, ..holder };
        let done = database.with_rows(&table, |rows| {
            let head = first_of(shared, rows);
            read_lines(scope, shared, table_source, None, (head, &mut *rows));
            if rows.cut > 0 {
                let cut = several(rows.cut as usize, "row");
                let text = format!("{cut}: a value was too long and is truncated");
                note(shared, id, text);
            }
            rows.failed.take().map(|e| {
                let read = several(rows.count as usize, "row");
                format!("broken after {read}, read up to there: {e}")
            })
        });
        if let Some(text) = done.unwrap_or_else(Some) {
            trouble(shared, id, None, text);
        }
    }
}

/// Reads a stream whose records are no lines.
pub(super) fn read_rows<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    rows: TableSyntax,
    stream: impl Read,
) {
    let id = holder.id;
    let stream = Blocking(stream);
    let problems = match rows {
        TableSyntax::Csv(dialect) => {
            read_lines_of(scope, shared, holder, rows, CsvLines::new(stream, dialect))
        }
        TableSyntax::Columns => {
            read_lines_of(scope, shared, holder, rows, ColumnLines::new(stream))
        }
        TableSyntax::Blocks => read_lines_of(scope, shared, holder, rows, BlockLines::new(stream)),
        TableSyntax::Framed(framing) => {
            let mut splitter = SenderSplitter::new(framing);
            framed_logs::read(scope, shared, holder, &mut splitter, stream)
        }
        TableSyntax::Exported => exports::read(scope, shared, holder, ExportSyntax::Lines, stream),
        TableSyntax::Parquet => return parquet_files::read_stream(scope, shared, holder, stream),
        TableSyntax::Tree(form) => crate::tree_documents::read(scope, shared, holder, form, stream),
        TableSyntax::Json(form) => {
            let arrays = JsonArrays::of(stream, form);
            match form == JsonForm::Object {
                true => read_document(scope, shared, holder, rows, arrays),
                false => read_lines_of(scope, shared, holder, rows, arrays),
            }
        }
    };
    for text in problems {
        note(shared, id, text);
    }
}

/// Reads the arrays of a document that hold records, then its other fields; returns problems.
fn read_document<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    rows: TableSyntax,
    mut arrays: JsonArrays<impl Read>,
) -> Vec<String> {
    attach(shared, holder.id, DOCUMENT);
    while !shared.cancel.is_cancelled()
        && let Some(array) = arrays.next_array()
    {
        arrays.keep_inner(shared.detector.inner_lists(&array));
        let head = first_of(shared, &mut arrays);
        if !holder.is_for_reading(shared, &array, &head, DocumentPart::Array) {
            // Skips to the end of the array, where the next one begins.
            let _ = std::io::copy(&mut arrays, &mut std::io::sink());
            continue;
        }
        attach(shared, holder.id, "JSON (its arrays are listed)");
        let (id, name) = holder.table(shared, &array);
        let name = name.as_str();
        let source = Holder { id, name, ..holder };
        read_lines(scope, shared, source, Some(rows), (head, &mut arrays));
        for inner in arrays.inner().into_iter().filter(|i| !i.lines.is_empty()) {
            let list = format!("{array}.{}", inner.list.name);
            let (id, name) = holder.table(shared, &list);
            let name = name.as_str();
            let source = Holder { id, name, ..holder };
            let mut lines = &inner.lines[..];
            let head = first_of(shared, &mut lines);
            read_lines(scope, shared, source, Some(rows), (head, &mut lines));
            if inner.left_out > 0 {
                let rows = several(inner.left_out as usize, "row");
                note(shared, id, format!("{rows}: dropped, too many to buffer"));
            }
        }
    }
    let rest = arrays.rest();
    let mut rest = &rest[..];
    let head = first_of(shared, &mut rest);
    if !head.bytes.is_empty() && holder.is_for_reading(shared, "", &head, DocumentPart::Rest) {
        read_lines(scope, shared, holder, Some(rows), (head, &mut rest));
    }
    arrays.problems()
}

/// Reads rows as one source; returns problems.
fn read_lines_of<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    source: Holder<'_>,
    rows: TableSyntax,
    mut lines: impl RowLines,
) -> Vec<String> {
    let head = first_of(shared, &mut lines);
    read_lines(scope, shared, source, Some(rows), (head, &mut lines));
    lines.problems()
}

fn unreadable(shared: &LoadContext, id: SourceId, error: String) {
    let text = format!("the database cannot be read: {error}");
    problem(shared, id, Severity::Error, text);
}
