//! Reader of fact files (`--facts`): tables of external knowledge about a run (such as the chain of each task) with
//! column names as keys.

use std::io::{Cursor, Read};

use rayon::Scope;

use widetui_core::ids::SourceId;
use widetui_format::table::{JsonForm, TableSyntax};
use widetui_source::discover::FoundFile;
use widetui_source::file::open_regular;
use widetui_source::head::FirstBytes;
use widetui_source::sniff::{Sniffed, sniff};

use crate::detector::RecordOwner;
use crate::load_context::LoadContext;
use crate::parquet_files;
use crate::source_entries::trouble;
use crate::stream_source::Counted;
use crate::table_source::Holder;
use crate::tables::{read_database, read_rows};

/// Reads a fact file: CSV, JSON lines, a JSON document, or a database.
pub(super) fn read_facts<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    file: &FoundFile,
) {
    let holder = Holder {
        id,
        name: &file.name,
        modified: file.modified,
        origin: RecordOwner::Facts,
    };
    let opened = match open_regular(&file.path) {
        Ok(opened) => opened,
        Err(error) => return trouble(shared, id, None, format!("cannot be read: {error}")),
    };
    let mut stream: Box<dyn Read> = Box::new(Counted::new(opened, shared));
    // An error here recurs when the rows are read, and is reported then.
    let mut first = FirstBytes::read(&mut stream, 0, &shared.cancel);
    if let Sniffed::Packed(codec) = sniff(&first.bytes) {
        stream = codec.inflate(Cursor::new(first.bytes).chain(stream));
        first = FirstBytes::read(&mut stream, 0, &shared.cancel);
    }
    match sniff(&first.bytes) {
        Sniffed::Sqlite => return read_database(scope, shared, holder, &file.path),
        Sniffed::Parquet => return parquet_files::read_file(scope, shared, holder, &file.path),
        Sniffed::Text | Sniffed::Empty => {}
        _ => return trouble(shared, id, None, "is not a table of facts".to_owned()),
    }
    let head = first.head();
    let text = head.bytes().trim_ascii_start();
    let rows = match TableSyntax::detect(&format!("{}.csv", file.name), head) {
        // One object per line is a JSON sequence, too.
        _ if JsonForm::detect(head).is_none() && text.starts_with(b"{") => {
            Some(TableSyntax::Json(JsonForm::Sequence))
        }
        other => other,
    };
    match rows {
        Some(rows) => {
            let stream = Cursor::new(first.bytes).chain(stream);
            read_rows(scope, shared, holder, rows, stream);
        }
        None => trouble(
            shared,
            id,
            None,
            "is not a table of facts: expected CSV with a header, or JSON lines".to_owned(),
        ),
    }
}
