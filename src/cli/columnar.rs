//! Output in the binary formats Arrow and Parquet, of builds with the feature `parquet`.

use std::io::{self, Write};
use std::path::Path;

use widetui_core::cancel::Cancel;
use widetui_core::words::several;
#[cfg(feature = "parquet")]
use widetui_report::flat::FlatColumn;
use widetui_report::flat::{EventTable, FlatTable, FlatType};
use widetui_report::origin::Extent;
use widetui_report::run_columns::ColumnOfKey;

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
    Ok(built::flat(table, format, output::Bytes)?.flush()?)
}

/// Writes records to `out`, in this order; of the keys only `keys`, or all if there are none.
///
/// # Errors
/// Errors of `out`.
pub fn write_events<W: Write + Send>(
    opened: &Opened,
    ids: &[u32],
    keys: &[String],
    format: Format,
    out: W,
) -> io::Result<W> {
    let cancel = Cancel::default();
    let keys: Vec<String> = { keys.iter() }
        .map(|key| canonical_name(&opened.snapshot, key))
        .collect();
    let table = EventTable::new(&opened.snapshot, ids, &keys, &cancel)?;
    let out = built::events(&table, ids, format, out)?;
    report_left_out(&table);
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

pub use built::{write_run, write_table};

/// Records of a run that are written with the columns of every run.
// Builds without Parquet write none.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub struct RunRecords<'a> {
    /// Name of the run.
    pub name: &'a str,
    /// Columns of keys.
    pub columns: &'a [ColumnOfKey],
    /// Records, in this order.
    pub ids: &'a [u32],
    /// Extent of the records.
    pub extent: Extent,
}

#[cfg(feature = "parquet")]
mod built {
    use widetui_format::exports::{EVENTS, KEYS_PROPERTY, RECORDS_PROPERTY, TABLE_PROPERTY};
    use widetui_report::columnar::{ColumnarWriter, TimeType, flat_arrays, flat_schema};
    use widetui_report::event_batch;
    use widetui_report::run_batch::RunTable;

    use super::*;

    fn writer<W: Write + Send>(
        columns: &[FlatColumn],
        format: Format,
        out: W,
    ) -> io::Result<ColumnarWriter<W>> {
        let schema = flat_schema(columns, TimeType::Zoned);
        match format {
            Format::Parquet => ColumnarWriter::parquet(schema, &[], out),
            _ => ColumnarWriter::arrow(&schema, out),
        }
    }

    pub(super) fn flat<W: Write + Send>(
        table: &FlatTable,
        format: Format,
        out: W,
    ) -> io::Result<W> {
        let mut writer = writer(&table.columns, format, out)?;
        writer.write(flat_arrays(&table.columns, TimeType::Zoned, &table.batch()))?;
        writer.finish()
    }

    pub(super) fn events<W: Write + Send>(
        table: &EventTable<'_>,
        ids: &[u32],
        format: Format,
        out: W,
    ) -> io::Result<W> {
        let mut writer = writer(&table.columns, format, out)?;
        event_batch::for_each(table, ids, &Cancel::default(), |batch| {
            writer.write(flat_arrays(&table.columns, TimeType::Zoned, &batch))
        })?;
        writer.finish()
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
    ) -> io::Result<W> {
        let named = (TABLE_PROPERTY, name.to_owned());
        let metadata: Vec<(&str, String)> = [named].into_iter().chain(metadata.to_vec()).collect();
        let schema = flat_schema(&table.columns, TimeType::Plain);
        let mut writer = ColumnarWriter::parquet(schema, &metadata, out)?;
        writer.write(flat_arrays(&table.columns, TimeType::Plain, &table.batch()))?;
        writer.finish()
    }

    /// Writes records of a run to a Parquet file that is read back as the original logs.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_run<W: Write + Send>(
        opened: &Opened,
        run: &RunRecords<'_>,
        out: W,
    ) -> io::Result<W> {
        let mut metadata = vec![(TABLE_PROPERTY, EVENTS.to_owned())];
        if run.extent == Extent::Whole {
            metadata.push((RECORDS_PROPERTY, run.ids.len().to_string()));
        }
        let form = (run.name, run.columns);
        let table = RunTable::new(&opened.snapshot, form, run.ids, run.extent);
        let mut writer = ColumnarWriter::parquet(table.schema.clone(), &metadata, out)?;
        table.for_each(run.ids, &Cancel::default(), |arrays| writer.write(arrays))?;
        let keys = serde_json::to_string(&table.keys_with_values()).unwrap_or_default();
        writer.add_property(KEYS_PROPERTY, keys);
        writer.finish()
    }
}

#[cfg(not(feature = "parquet"))]
mod built {
    use super::*;

    pub(super) fn flat<W: Write + Send>(_: &FlatTable, _: Format, _: W) -> io::Result<W> {
        Err(io::Error::other(NOT_BUILT))
    }

    pub(super) fn events<W: Write + Send>(
        _: &EventTable<'_>,
        _: &[u32],
        _: Format,
        _: W,
    ) -> io::Result<W> {
        Err(io::Error::other(NOT_BUILT))
    }

    pub fn write_table<W: Write + Send>(
        _: &FlatTable,
        _: &str,
        _: &[(&str, String)],
        _: W,
    ) -> io::Result<W> {
        Err(io::Error::other(NOT_BUILT))
    }

    pub fn write_run<W: Write + Send>(_: &Opened, _: &RunRecords<'_>, _: W) -> io::Result<W> {
        Err(io::Error::other(NOT_BUILT))
    }
}
