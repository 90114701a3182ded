//! Output in the binary formats Arrow and Parquet, of builds with the feature `parquet`.

use std::io::{self, Write};
use std::path::Path;

use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_format::exports::{EVENTS, RECORDS_PROPERTY, TABLE_PROPERTY};
use widetui_report::event_batch;
use widetui_report::flat::{EventTable, FlatBatch, FlatColumn, FlatTable, FlatType};
use widetui_report::origin::Extent;

use super::args::{ExportFormat, Format};
use super::event_writer::canonical_name;
use super::opened::Opened;
use super::output::{self, Failure, warn};

/// Whether a format is binary.
pub fn is_binary(format: Format) -> bool {
    matches!(format, Format::Arrow | Format::Parquet)
}

/// Refuses a binary format that cannot be written: on a terminal, or by a build without it.
///
/// # Errors
/// The reason.
pub fn check(format: Format) -> Result<(), Failure> {
    check_built(format)?;
    match is_binary(format) && output::is_terminal() {
        true => Err(Failure::Message(ON_TERMINAL.to_owned())),
        false => Ok(()),
    }
}

/// Error of a binary format on a terminal.
const ON_TERMINAL: &str =
    "Arrow and Parquet are binary: redirect the output to a file or a program";

/// Refuses a binary format of a build without it.
///
/// # Errors
/// The reason.
pub fn check_built(format: Format) -> Result<(), Failure> {
    match is_binary(format) && !cfg!(feature = "parquet") {
        true => Err(Failure::Message(NOT_BUILT.to_owned())),
        false => Ok(()),
    }
}

/// Refuses an exported file in a binary format that cannot be written: on a terminal, or by a build without it.
///
/// # Errors
/// The reason.
pub fn check_export(format: ExportFormat, path: &Path) -> Result<(), Failure> {
    let format = match format {
        ExportFormat::Parquet => Format::Parquet,
        ExportFormat::Arrow => Format::Arrow,
        ExportFormat::Jsonl | ExportFormat::Csv | ExportFormat::Perfetto => return Ok(()),
    };
    match output::is_terminal_at(path) {
        true => Err(Failure::Message(ON_TERMINAL.to_owned())),
        false => check_built(format),
    }
}

/// Error of a build without the binary formats.
const NOT_BUILT: &str =
    "this build writes no Arrow and Parquet: the wheel does, and a build with `--features parquet`";

/// Writes a table to standard output.
///
/// # Errors
/// The output is closed.
pub fn print(table: &FlatTable, format: Format) -> Result<(), Failure> {
    let out = write(&table.columns, format, &[], output::Bytes, |put| {
        put(&table.batch())
    })?;
    Ok({ out }.flush()?)
}

/// Writes a table to a Parquet file that says which table it is, with further metadata.
///
/// # Errors
/// Errors of `out`.
pub fn write_table<W: Write + Send>(
    table: &FlatTable,
    name: &str,
    metadata: &[(&str, String)],
    out: W,
) -> Result<W, Failure> {
    let named = (TABLE_PROPERTY, name.to_owned());
    let metadata: Vec<(&str, String)> = [named].into_iter().chain(metadata.to_vec()).collect();
    write(&table.columns, Format::Parquet, &metadata, out, |put| {
        put(&table.batch())
    })
}

/// Writes records to `out`, in this order; of the keys only `keys`, or all if there are none. With an extent, the table
/// is read back as the original sources.
///
/// # Errors
/// Errors of `out`.
pub fn write_events<W: Write + Send>(
    opened: &Opened,
    ids: &[u32],
    keys: &[String],
    origins: Option<Extent>,
    format: Format,
    out: W,
) -> Result<W, Failure> {
    let cancel = Cancel::default();
    let keys: Vec<String> = { keys.iter() }
        .map(|key| canonical_name(&opened.snapshot, key))
        .collect();
    let table = EventTable::new(&opened.snapshot, ids, &keys, &cancel)?;
    let table = match origins {
        Some(extent) => table.with_origins(ids, extent),
        None => table,
    };
    let mut metadata = vec![(TABLE_PROPERTY, EVENTS.to_owned())];
    if origins == Some(Extent::Whole) {
        metadata.push((RECORDS_PROPERTY, ids.len().to_string()));
    }
    let out = write(&table.columns, format, &metadata, out, |put| {
        event_batch::for_each(&table, ids, &cancel, |batch| put(&batch))
    })?;
    // With origins, these values are in the table in another column.
    if origins.is_none() {
        report_left_out(&table);
    }
    Ok(out)
}

/// Reports on standard error how many values of each key are not of its declared type and so null in the written table.
pub fn report_left_out(table: &EventTable<'_>) {
    for left_out in table.left_out() {
        let kind = match left_out.kind {
            FlatType::Int => "a whole number",
            FlatType::Float => "a number",
            FlatType::Bool => "true or false",
            FlatType::Time => "a time",
            FlatType::Text => "a text",
        };
        warn(format!(
            "{} of `{}` left out: not {kind}, the type of this key",
            several(left_out.values, "value"),
            left_out.key
        ));
    }
}

/// Calls `batches` with a function that writes rows in a binary format.
#[cfg(feature = "parquet")]
fn write<W: Write + Send>(
    columns: &[FlatColumn],
    format: Format,
    metadata: &[(&str, String)],
    out: W,
    batches: impl FnOnce(&mut dyn FnMut(&FlatBatch) -> io::Result<()>) -> io::Result<()>,
) -> Result<W, Failure> {
    use widetui_report::columnar::ColumnarWriter;
    let mut writer = match format {
        Format::Parquet => ColumnarWriter::parquet(columns, metadata, out)?,
        _ => ColumnarWriter::arrow(columns, out)?,
    };
    batches(&mut |batch| writer.write(batch))?;
    Ok(writer.finish()?)
}

#[cfg(not(feature = "parquet"))]
fn write<W: Write + Send>(
    _: &[FlatColumn],
    _: Format,
    _: &[(&str, String)],
    _: W,
    _: impl FnOnce(&mut dyn FnMut(&FlatBatch) -> io::Result<()>) -> io::Result<()>,
) -> Result<W, Failure> {
    Err(Failure::Message(NOT_BUILT.to_owned()))
}
