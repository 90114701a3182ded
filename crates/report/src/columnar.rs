//! Tables as Arrow IPC streams and Parquet.
//!
//! Times of flat tables are `timestamp[ns, UTC]`, texts `utf8`, lists `list<T>`, maps `map<utf8, T>`; all columns are nullable. The metadata of the schema
//! has `widetui.schema`, the version of names and types, and `widetui.version`, the version of the program; in Parquet
//! it is the metadata of the file, and further entries are those of the caller. Parquet files have dictionary pages (times
//! have their differences), statistics of each row group, Zstandard compression, and row groups of at most [`ROW_GROUP`]
//! rows in the order of the records. They have neither the schema of Arrow nor page indexes: types of Parquet say the
//! same, and a small file would mostly consist of them.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, MapBuilder, MapFieldNames,
    StringBuilder, TimestampMicrosecondBuilder, TimestampNanosecondBuilder,
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

use super::flat::{FlatBatch, FlatColumn, FlatShape, FlatType, FlatValue};
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
    Arrow(SchemaRef, Box<StreamWriter<W>>),
    /// Parquet file.
    Parquet(SchemaRef, Box<ParquetFile<W>>),
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
            let mut rest = &mut self.columns[..];
            let columns = schema.fields.iter().zip(arrays).map(|(field, array)| {
                let columns = rest.split_off_mut(..leaves(field.data_type()));
                (field, array, columns.unwrap_or_default())
            });
            let columns: Vec<_> = columns.collect();
            columns
                .into_par_iter()
                .try_for_each(|(field, array, columns)| {
                    let leaves = compute_leaves(field, &array.slice(at, length))?;
                    let columns = columns.iter_mut().zip(&leaves);
                    { columns }.try_for_each(|(column, leaf)| column.write(leaf))
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
    pub fn arrow(schema: &Schema, out: W) -> io::Result<ColumnarWriter<W>> {
        let versions = versions().map(|(name, value)| (name.to_owned(), value));
        let versions: HashMap<String, String> = versions.into();
        let schema = schema.clone().with_metadata(versions);
        let writer = StreamWriter::try_new(out, &schema).map_err(of_arrow)?;
        Ok(ColumnarWriter::Arrow(Arc::new(schema), Box::new(writer)))
    }

    /// Writer of a Parquet file with these entries of metadata. No sort order is declared, because records without a
    /// time are between the others.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn parquet(
        schema: SchemaRef,
        metadata: &[(&str, String)],
        out: W,
    ) -> io::Result<ColumnarWriter<W>> {
        let own = versions().map(|(name, value)| KeyValue::new(name.to_owned(), value));
        let more = metadata.iter();
        let more = more.map(|(name, value)| KeyValue::new((*name).to_owned(), value.clone()));
        let level = ZstdLevel::try_new(ZSTD_LEVEL).unwrap_or_default();
        let fields = schema.fields().iter();
        let times = fields.filter(|field| matches!(field.data_type(), DataType::Timestamp(..)));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_key_value_metadata(Some(own.into_iter().chain(more).collect()))
            .set_created_by(format!("widetui {}", env!("CARGO_PKG_VERSION")));
        // Times are sorted or nearly so, and few occur twice.
        let properties = times.fold(properties, |properties, field| {
            let path = ColumnPath::new(vec![field.name().clone()]);
            properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
        });
        let options = ArrowWriterOptions::new()
            .with_properties(properties.build())
            .with_skip_arrow_metadata(true);
        let writer =
            ArrowWriter::try_new_with_options(out, schema.clone(), options).map_err(of_parquet)?;
        let file = ParquetFile::new(writer).map_err(of_parquet)?;
        Ok(ColumnarWriter::Parquet(schema, Box::new(file)))
    }

    /// Writes rows: one array for each column.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(&mut self, arrays: Vec<ArrayRef>) -> io::Result<()> {
        match self {
            ColumnarWriter::Arrow(schema, writer) => {
                let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(of_arrow)?;
                writer.write(&batch).map_err(of_arrow)
            }
            ColumnarWriter::Parquet(schema, writer) => {
                writer.write(schema, &arrays).map_err(of_parquet)
            }
        }
    }

    /// Adds an entry to the metadata of a Parquet file.
    pub fn add_property(&mut self, name: &str, value: String) {
        if let ColumnarWriter::Parquet(_, writer) = self {
            let entry = KeyValue::new(name.to_owned(), value);
            writer.file.append_key_value_metadata(entry);
        }
    }

    /// Writes the end of the file, and returns the output.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn finish(self) -> io::Result<W> {
        match self {
            ColumnarWriter::Arrow(_, writer) => writer.into_inner().map_err(of_arrow),
            ColumnarWriter::Parquet(_, writer) => writer.finish().map_err(of_parquet),
        }
    }
}

/// Number of columns of Parquet that hold values of a type.
fn leaves(kind: &DataType) -> usize {
    match kind {
        DataType::List(value) | DataType::Map(value, _) => leaves(value.data_type()),
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field.data_type())).sum(),
        _ => 1,
    }
}

/// Type of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeType {
    /// Nanoseconds in the zone UTC.
    Zoned,
    /// Microseconds in UTC without a zone: all engines read them, and subtract them without tables of zones.
    Plain,
}

/// Schema of a flat table with these columns.
pub fn flat_schema(columns: &[FlatColumn], times: TimeType) -> SchemaRef {
    let field = |column: &FlatColumn| {
        let kind = match (column.kind, times) {
            (FlatType::Time, TimeType::Plain) => DataType::Timestamp(TimeUnit::Microsecond, None),
            (kind, _) => data_type(kind),
        };
        let kind = match column.shape {
            FlatShape::One => kind,
            FlatShape::List => DataType::List(Arc::new(Field::new_list_field(kind, true))),
            FlatShape::Map => map_type(kind),
        };
        Field::new(&column.name, kind, true)
    };
    let fields: Vec<Field> = columns.iter().map(field).collect();
    Arc::new(Schema::new(fields))
}

/// Type of maps of values by name, as Parquet names its parts.
fn map_type(value: DataType) -> DataType {
    let names = map_names();
    let key = Field::new(names.key, DataType::Utf8, false);
    let value = Field::new(names.value, value, true);
    let entry = DataType::Struct([key, value].into_iter().collect());
    DataType::Map(Arc::new(Field::new(names.entry, entry, false)), false)
}

/// Names that Parquet gives to the parts of maps.
pub(crate) fn map_names() -> MapFieldNames {
    MapFieldNames {
        entry: "key_value".to_owned(),
        key: "key".to_owned(),
        value: "value".to_owned(),
    }
}

/// Entries of the metadata of every table.
fn versions() -> [(&'static str, String); 2] {
    [
        ("widetui.schema", SCHEMA_VERSION.to_string()),
        ("widetui.version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

/// Type of the values of a column.
pub(crate) fn data_type(kind: FlatType) -> DataType {
    match kind {
        FlatType::Time => DataType::Timestamp(TimeUnit::Nanosecond, Some(UTC.into())),
        FlatType::Int => DataType::Int64,
        FlatType::Float => DataType::Float64,
        FlatType::Bool => DataType::Boolean,
        FlatType::Text => DataType::Utf8,
    }
}

/// Arrays of the columns of some rows of a flat table.
pub fn flat_arrays(columns: &[FlatColumn], times: TimeType, rows: &FlatBatch) -> Vec<ArrayRef> {
    let arrays = columns.par_iter().zip(&rows.cells);
    arrays
        .map(|(column, cells)| array(column, times, rows.rows as usize, cells))
        .collect()
}

/// Builds one column of some rows. A cell with another type than the column is null.
fn array(
    column: &FlatColumn,
    times: TimeType,
    rows: usize,
    cells: &[(u32, FlatValue)],
) -> ArrayRef {
    let mut cells = cells.iter().peekable();
    let mut by_row = (0..rows).map(|row| {
        let cell = cells.next_if(|(at, _)| *at as usize == row);
        cell.map(|(_, cell)| cell)
    });
    /// Builds a column of values, lists or maps, with a builder and the pattern of its values.
    macro_rules! build {
        ($builder:expr, $pattern:pat => $value:expr) => {{
            macro_rules! append {
                ($target:expr, $cell:expr) => {
                    match $cell {
                        Some($pattern) => $target.append_value($value),
                        _ => $target.append_null(),
                    }
                };
            }
            match column.shape {
                FlatShape::One => {
                    let mut builder = $builder;
                    by_row.for_each(|cell| append!(builder, cell));
                    Arc::new(builder.finish()) as ArrayRef
                }
                FlatShape::List => {
                    let mut builder = ListBuilder::new($builder);
                    for cell in by_row {
                        let values = match cell {
                            Some(FlatValue::List(values)) => Some(values),
                            _ => None,
                        };
                        { values.into_iter().flatten() }
                            .for_each(|cell| append!(builder.values(), Some(cell)));
                        builder.append(values.is_some());
                    }
                    Arc::new(builder.finish())
                }
                FlatShape::Map => {
                    let names = StringBuilder::new();
                    let mut builder = MapBuilder::new(Some(map_names()), names, $builder);
                    // A row without entries is an empty map, which needs no test.
                    let is_appended = by_row.try_for_each(|cell| {
                        if let Some(FlatValue::Map(values)) = cell {
                            for (name, cell) in values {
                                builder.keys().append_value(name);
                                append!(builder.values(), Some(cell));
                            }
                        }
                        builder.append(true)
                    });
                    debug_assert!(is_appended.is_ok());
                    Arc::new(builder.finish())
                }
            }
        }};
    }
    match (column.kind, times) {
        (FlatType::Time, TimeType::Zoned) => {
            let builder = TimestampNanosecondBuilder::new().with_timezone(UTC);
            build!(builder, FlatValue::Time(ns) => *ns)
        }
        (FlatType::Time, TimeType::Plain) => {
            let builder = TimestampMicrosecondBuilder::new();
            build!(builder, FlatValue::Time(ns) => ns.div_euclid(1000))
        }
        (FlatType::Int, _) => build!(Int64Builder::new(), FlatValue::Int(n) => *n),
        (FlatType::Float, _) => build!(Float64Builder::new(), FlatValue::Float(n) => *n),
        (FlatType::Bool, _) => build!(BooleanBuilder::new(), FlatValue::Bool(b) => *b),
        (FlatType::Text, _) => build!(StringBuilder::new(), FlatValue::Text(text) => text),
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
