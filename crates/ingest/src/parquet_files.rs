//! Parquet files: tables whose rows are records, and exports of records, which are read as the original sources.

use std::io::Read;
use std::path::Path;

use rayon::Scope;

use crate::load_context::LoadContext;
use crate::table_source::Holder;

#[cfg(not(feature = "parquet"))]
const NOT_BUILT: &str =
    "Parquet table (read by the wheel, and by a build with `--features parquet`)";

/// Reads a file.
#[cfg(not(feature = "parquet"))]
pub(super) fn read_file<'s>(_: &Scope<'s>, shared: &'s LoadContext, holder: Holder<'_>, _: &Path) {
    crate::source_entries::attach(shared, holder.id, NOT_BUILT);
}

/// Reads a file that comes as a stream.
#[cfg(not(feature = "parquet"))]
pub(super) fn read_stream<'s>(
    _: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    mut stream: impl Read,
) {
    crate::source_entries::attach(shared, holder.id, NOT_BUILT);
    // The end of the stream is the start of what follows in an archive; an error recurs there.
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
}

#[cfg(feature = "parquet")]
pub(super) use with_parquet::{read_file, read_stream};

#[cfg(feature = "parquet")]
mod with_parquet {
    use super::*;

    use std::collections::BTreeMap;

    use widetui_core::diag::Severity;
    use widetui_core::words::several;
    use widetui_format::exports::{
        AT, EVENTS, KEYS_PROPERTY, OWN_COLUMNS, RECORDS_PROPERTY, SOURCE, TABLE_PROPERTY,
        column_of_key,
    };
    use widetui_format::table::TableSyntax;
    use widetui_source::parquet::{ParquetFile, ParquetLines};

    use crate::exports::{self, ExportSyntax};
    use crate::source_entries::{attach, problem};
    use crate::table_source::{first_of, note, read_lines};

    /// Maximum length of a file inside an archive or behind a pipe, bytes: it is read into memory.
    const IN_MEMORY: u64 = 1 << 30;

    /// Reads a file.
    pub(crate) fn read_file<'s>(
        scope: &Scope<'s>,
        shared: &'s LoadContext,
        holder: Holder<'_>,
        path: &Path,
    ) {
        read(scope, shared, holder, ParquetFile::open(path));
    }

    /// Reads a file that comes as a stream.
    pub(crate) fn read_stream<'s>(
        scope: &Scope<'s>,
        shared: &'s LoadContext,
        holder: Holder<'_>,
        stream: impl Read,
    ) {
        let mut bytes = Vec::new();
        if let Err(error) = stream.take(IN_MEMORY + 1).read_to_end(&mut bytes) {
            let text = format!("breaks off after {} bytes: {error}", bytes.len());
            note(shared, holder.id, text);
        }
        let file = match bytes.len() as u64 > IN_MEMORY {
            true => Err("is larger than 1 GiB; unpack it to read it".to_owned()),
            false => ParquetFile::from_bytes(bytes),
        };
        read(scope, shared, holder, file);
    }

    fn read<'s>(
        scope: &Scope<'s>,
        shared: &'s LoadContext,
        holder: Holder<'_>,
        file: Result<ParquetFile, String>,
    ) {
        attach(shared, holder.id, "Parquet table");
        let opened = file.and_then(|file| {
            let table = file.property(TABLE_PROPERTY).map(str::to_owned);
            let records = file.property(RECORDS_PROPERTY);
            let is_whole = records.is_some_and(|n| n.parse() == Ok(file.rows()));
            let keys = columns_of_keys(&file).filter(|_| table.as_deref() == Some(EVENTS));
            // Of the columns of keys most are empty.
            let is_read = |column: &str| {
                let keys = keys.as_ref();
                keys.is_none_or(|keys| OWN_COLUMNS.contains(&column) || keys.contains_key(column))
            };
            let lines = file.lines(is_read, &shared.cancel)?;
            Ok((table, keys, is_whole, lines))
        });
        let (table, keys, is_whole, mut lines) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let text = format!("the Parquet file cannot be read: {error}");
                return problem(shared, holder.id, Severity::Error, text);
            }
        };
        match (table.as_deref(), keys) {
            (_, Some(keys)) => {
                let syntax = ExportSyntax::Columns {
                    is_whole,
                    keys: &keys,
                };
                for text in exports::read(scope, shared, holder, syntax, &mut lines) {
                    note(shared, holder.id, text);
                }
            }
            // Results of an analysis, beside the records that they are computed from.
            (Some(table), None) if table != EVENTS => {
                let what = format!("Parquet table of {table}, written by widetui");
                return attach(shared, holder.id, &what);
            }
            _ => {
                let head = first_of(shared, &mut lines);
                let rows = Some(TableSyntax::Parquet);
                read_lines(scope, shared, holder, rows, (head, &mut lines));
            }
        }
        report_end(shared, holder, &lines);
    }

    /// Keys of the columns of an export that have values; `None` for another table.
    fn columns_of_keys(file: &ParquetFile) -> Option<BTreeMap<String, String>> {
        let has = |name: &str| file.columns().any(|column| column == name);
        let keys = file.property(KEYS_PROPERTY)?;
        let keys: Vec<String> = serde_json::from_str(keys).ok()?;
        let columns = keys.into_iter().map(|key| (column_of_key(&key), key));
        (has(SOURCE) && has(AT)).then(|| columns.collect())
    }

    /// Reports the rows that are truncated or missing.
    fn report_end(shared: &LoadContext, holder: Holder<'_>, lines: &ParquetLines) {
        if lines.cut > 0 {
            let cut = several(lines.cut as usize, "row");
            let text = format!("{cut}: a value was too long and is truncated");
            note(shared, holder.id, text);
        }
        if let Some(error) = &lines.failed {
            let read = several(lines.count as usize, "row");
            let text = format!("broken after {read}, read up to there: {error}");
            problem(shared, holder.id, Severity::Error, text);
        }
    }
}
