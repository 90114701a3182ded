//! Flat tables as Arrow IPC streams and Parquet.
//!
//! Times are `timestamp[ns, UTC]`, texts `utf8`, lists `list<T>`; all columns are nullable. The metadata of the schema
//! has `widetui.schema`, the version of names and types, and `widetui.version`, the version of the program; in Parquet
//! it is the metadata of the file, and further entries are those of the caller. Parquet files have dictionary pages (times
//! have their differences), statistics of each row group, Zstandard compression, and row groups of at most [`ROW_GROUP`]
//! rows in the order of the records. They have neither the schema of Arrow nor page indexes: types of Parquet say the
//! same, and a small file would mostly consist of them.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampNanosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriterOptions,
    compute_leaves,
};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;

use super::flat::{FlatBatch, FlatColumn, FlatType, FlatValue};
use super::jsonl::SCHEMA_VERSION;

/// Rows of a row group in Parquet.
pub const ROW_GROUP: usize = 128 * 1024;

/// Level of compression: higher ones take longer and save little.
const ZSTD_LEVEL: i32 = 6;

/// Name of the zone of times.
const UTC: &str = "UTC";

/// Writer of batches of rows, in one of the two formats.
pub enum ColumnarWriter<W: Write + Send> {
    /// Arrow IPC stream.
    Arrow(SchemaRef, Vec<FlatColumn>, Box<StreamWriter<W>>),
    /// Parquet file.
    Parquet(SchemaRef, Vec<FlatColumn>, Box<ParquetFile<W>>),
}

/// Parquet file whose columns are encoded on all threads.
pub struct ParquetFile<W: Write + Send> {
    file: SerializedFileWriter<W>,
    groups: ArrowRowGroupWriterFactory,
    /// Writers of the columns of the open row group; empty if none is open.
    columns: Vec<ArrowColumnWriter>,
    /// Number of rows in the open row group.
    rows: usize,
}

impl<W: Write + Send> ParquetFile<W> {
    fn new(writer: ArrowWriter<W>) -> Result<ParquetFile<W>, ParquetError> {
        let (file, groups) = writer.into_serialized_writer()?;
        Ok(ParquetFile {
            file,
            groups,
            columns: Vec::new(),
            rows: 0,
        })
    }

    /// Writes rows: one array for each column.
    fn write(&mut self, schema: &Schema, arrays: &[ArrayRef]) -> Result<(), ParquetError> {
        let rows = arrays.first().map_or(0, |array| array.len());
        let mut at = 0;
        while at < rows {
            if self.columns.is_empty() {
                let number = self.file.flushed_row_groups().len();
                self.columns = self.groups.create_column_writers(number)?;
            }
            let length = (rows - at).min(ROW_GROUP - self.rows);
            let columns = self.columns.par_iter_mut().zip(arrays);
            columns
                .zip(&schema.fields[..])
                .try_for_each(|((column, array), field)| {
                    // Lists have one leaf, too.
                    let leaves = compute_leaves(field, &array.slice(at, length))?;
                    leaves.iter().try_for_each(|leaf| column.write(leaf))
                })?;
            self.rows += length;
            at += length;
            if self.rows == ROW_GROUP {
                self.end_group()?;
            }
        }
        Ok(())
    }

    /// Writes the open row group.
    fn end_group(&mut self) -> Result<(), ParquetError> {
        self.rows = 0;
        let columns = std::mem::take(&mut self.columns);
        if columns.is_empty() {
            return Ok(());
        }
        let chunks: Result<Vec<ArrowColumnChunk>, ParquetError> = columns
            .into_par_iter()
            .map(ArrowColumnWriter::close)
            .collect();
        let mut group = self.file.next_row_group()?;
        for chunk in chunks? {
            chunk.append_to_row_group(&mut group)?;
        }
        group.close()?;
        Ok(())
    }

    fn finish(mut self) -> Result<W, ParquetError> {
        self.end_group()?;
        self.file.into_inner()
    }
}

impl<W: Write + Send> ColumnarWriter<W> {
    /// Writer of an Arrow IPC stream.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn arrow(columns: &[FlatColumn], out: W) -> io::Result<ColumnarWriter<W>> {
        let schema = schema(columns);
        let writer = StreamWriter::try_new(out, &schema).map_err(of_arrow)?;
        Ok(ColumnarWriter::Arrow(
            schema,
            columns.to_vec(),
            Box::new(writer),
        ))
    }

    /// Writer of a Parquet file with these entries of metadata. No sort order is declared, because records without a
    /// time are between the others.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn parquet(
        columns: &[FlatColumn],
        metadata: &[(&str, String)],
        out: W,
    ) -> io::Result<ColumnarWriter<W>> {
        let schema = schema(columns);
        let own = versions().map(|(name, value)| KeyValue::new(name.to_owned(), value));
        let more = metadata.iter();
        let more = more.map(|(name, value)| KeyValue::new((*name).to_owned(), value.clone()));
        let level = ZstdLevel::try_new(ZSTD_LEVEL).unwrap_or_default();
        let times = columns
            .iter()
            .filter(|c| c.kind == FlatType::Time && !c.is_list);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_key_value_metadata(Some(own.into_iter().chain(more).collect()))
            .set_created_by(format!("widetui {}", env!("CARGO_PKG_VERSION")));
        // Times are sorted or nearly so, and few occur twice.
        let properties = times.fold(properties, |properties, column| {
            let path = ColumnPath::new(vec![column.name.clone()]);
            properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
        });
        let options = ArrowWriterOptions::new()
            .with_properties(properties.build())
            .with_skip_arrow_metadata(true);
        let writer =
            ArrowWriter::try_new_with_options(out, schema.clone(), options).map_err(of_parquet)?;
        Ok(ColumnarWriter::Parquet(
            schema,
            columns.to_vec(),
            Box::new(ParquetFile::new(writer).map_err(of_parquet)?),
        ))
    }

    /// Writes rows.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(&mut self, rows: &FlatBatch) -> io::Result<()> {
        match self {
            ColumnarWriter::Arrow(schema, columns, writer) => {
                let batch = batch(schema, columns, rows)?;
                writer.write(&batch).map_err(of_arrow)
            }
            ColumnarWriter::Parquet(schema, columns, writer) => {
                let arrays = arrays(columns, rows);
                writer.write(schema, &arrays).map_err(of_parquet)
            }
        }
    }

    /// Writes the end of the file, and returns the output.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn finish(self) -> io::Result<W> {
        match self {
            ColumnarWriter::Arrow(.., writer) => writer.into_inner().map_err(of_arrow),
            ColumnarWriter::Parquet(.., writer) => writer.finish().map_err(of_parquet),
        }
    }
}

/// Schema of a table with these columns.
fn schema(columns: &[FlatColumn]) -> SchemaRef {
    let fields: Vec<Field> = columns
        .iter()
        .map(|column| {
            let kind = data_type(column.kind);
            let kind = match column.is_list {
                true => DataType::List(Arc::new(Field::new_list_field(kind, true))),
                false => kind,
            };
            Field::new(&column.name, kind, true)
        })
        .collect();
    let metadata: HashMap<String, String> = versions()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// Entries of the metadata of every table.
fn versions() -> [(&'static str, String); 2] {
    [
        ("widetui.schema", SCHEMA_VERSION.to_string()),
        ("widetui.version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

fn data_type(kind: FlatType) -> DataType {
    match kind {
        FlatType::Time => DataType::Timestamp(TimeUnit::Nanosecond, Some(UTC.into())),
        FlatType::Int => DataType::Int64,
        FlatType::Float => DataType::Float64,
        FlatType::Bool => DataType::Boolean,
        FlatType::Text => DataType::Utf8,
    }
}

/// Rows as columns.
fn batch(schema: &SchemaRef, columns: &[FlatColumn], rows: &FlatBatch) -> io::Result<RecordBatch> {
    RecordBatch::try_new(schema.clone(), arrays(columns, rows)).map_err(of_arrow)
}

/// Arrays of the columns of some rows.
fn arrays(columns: &[FlatColumn], rows: &FlatBatch) -> Vec<ArrayRef> {
    let arrays = columns.par_iter().zip(&rows.cells);
    arrays
        .map(|(column, cells)| array(column, rows.rows as usize, cells))
        .collect()
}

/// Builds one column of some rows. A cell with another type than the column is null.
fn array(column: &FlatColumn, rows: usize, cells: &[(u32, FlatValue)]) -> ArrayRef {
    /// Builds a column, or a column of lists, with a builder and the pattern of its values.
    macro_rules! build {
        ($builder:expr, $pattern:pat => $value:expr) => {{
            let mut next = 0;
            if column.is_list {
                let mut builder = ListBuilder::new($builder);
                for (row, cell) in cells {
                    let FlatValue::List(values) = cell else {
                        continue;
                    };
                    builder.append_nulls(*row as usize - next);
                    next = *row as usize + 1;
                    for value in values {
                        match value {
                            $pattern => builder.values().append_value($value),
                            _ => builder.values().append_null(),
                        }
                    }
                    builder.append(true);
                }
                builder.append_nulls(rows - next);
                Arc::new(builder.finish())
            } else {
                let mut builder = $builder;
                for (row, cell) in cells {
                    let $pattern = cell else { continue };
                    builder.append_nulls(*row as usize - next);
                    next = *row as usize + 1;
                    builder.append_value($value);
                }
                builder.append_nulls(rows - next);
                Arc::new(builder.finish())
            }
        }};
    }
    match column.kind {
        FlatType::Time => {
            let builder = TimestampNanosecondBuilder::new().with_timezone(UTC);
            build!(builder, FlatValue::Time(ns) => *ns)
        }
        FlatType::Int => build!(Int64Builder::new(), FlatValue::Int(n) => *n),
        FlatType::Float => build!(Float64Builder::new(), FlatValue::Float(n) => *n),
        FlatType::Bool => build!(BooleanBuilder::new(), FlatValue::Bool(b) => *b),
        FlatType::Text => build!(StringBuilder::new(), FlatValue::Text(text) => text),
    }
}

fn of_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
