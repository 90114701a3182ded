//! Parquet files as sources: each row is a JSON object with one field per column that has a value.
//!
//! Only the types of Parquet itself count; the Arrow schema that some writers add is ignored. Times with an instant are
//! `2026-11-21T01:43:31.123456789Z`, times of a local clock have no `Z`; texts and bytes are strings (bytes in
//! hexadecimal digits if they are no text), lists and maps are arrays, structs are objects. Rows are decoded in small
//! batches, so that the memory needed depends on the pages of the file and not on its row groups.
//!
//! A file may be damaged or hostile: panics of the decoder are caught, and no length stated in the file is trusted beyond
//! the length of the file.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use widetui_core::cancel::Cancel;
use widetui_core::guard::guarded;
use widetui_core::jsontext::ObjectLine;

use super::file::open_regular;
use values::Cells;

mod values;

/// Approximate maximum length of a row's line, bytes: longer lines would be truncated and thus be invalid JSON.
const LINE: usize = 768 * 1024;

/// Approximate number of cells in a batch of rows.
const BATCH_CELLS: usize = 1 << 16;

/// Maximum number of rows in a batch.
const BATCH_ROWS: usize = 256;

/// Approximate size of the row buffer in bytes.
const BUFFER: usize = 64 * 1024;

/// Bytes of a file, at any offset.
#[derive(Clone, Debug)]
enum Input {
    File(Arc<File>, u64),
    Bytes(Bytes),
}

impl Input {
    /// Fills `buf` from an offset; returns the number of bytes, which is smaller at the end of the input.
    fn read_at(&self, buf: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            Input::File(file, _) => file.read_at(buf, at),
            Input::Bytes(bytes) => {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                let mut rest = bytes.get(at..).unwrap_or_default();
                rest.read(buf)
            }
        }
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        match self {
            Input::File(_, len) => *len,
            Input::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Input {
    type T = BufReader<Section>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let section = Section {
            input: self.clone(),
            at: start,
        };
        Ok(BufReader::with_capacity(4096, section))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF(format!(
                "{length} bytes at offset {start} are past its end"
            )));
        }
        if let Input::Bytes(bytes) = self {
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            return Ok(bytes.slice(start..start + length));
        }
        let mut out = vec![0; length];
        self.get_read(start)?.read_exact(&mut out)?;
        Ok(out.into())
    }
}

/// Rest of an input from an offset.
#[derive(Debug)]
pub struct Section {
    input: Input,
    at: u64,
}

impl Read for Section {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read_at(buf, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Parquet file of which the footer was read.
#[derive(Debug)]
pub struct ParquetFile {
    input: Input,
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Opens a file.
    ///
    /// # Errors
    /// Reason why the file cannot be read, for the user.
    pub fn open(path: &Path) -> Result<ParquetFile, String> {
        let file = open_regular(path).map_err(|e| e.to_string())?;
        let len = file.metadata().map_err(|e| e.to_string())?.len();
        ParquetFile::of(Input::File(Arc::new(file), len))
    }

    /// Opens a file held in memory, such as an archive member.
    ///
    /// # Errors
    /// Reason why the file cannot be read, for the user.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<ParquetFile, String> {
        ParquetFile::of(Input::Bytes(bytes.into()))
    }

    fn of(input: Input) -> Result<ParquetFile, String> {
        let mut magic = [0; 4];
        let at = input.len().saturating_sub(4);
        let read = input.read_at(&mut magic, at);
        read.map_err(|e| e.to_string())?;
        match &magic {
            b"PARE" => return Err("it is encrypted".to_owned()),
            b"PAR1" if at >= 8 => {}
            _ => return Err("its end is missing: it is cut, or still being written".to_owned()),
        }
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guarded(|| ArrowReaderMetadata::load(&input, options))
            .map_err(damaged)?
            .map_err(reason)?;
        Ok(ParquetFile { input, metadata })
    }

    /// Value of the file's metadata with this name.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&str> {
        let all = self.metadata.metadata().file_metadata();
        let all = all.key_value_metadata()?;
        all.iter().find(|kv| kv.key == name)?.value.as_deref()
    }

    /// Number of rows that the footer states.
    #[must_use]
    pub fn rows(&self) -> i64 {
        self.metadata.metadata().file_metadata().num_rows()
    }

    /// Names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let fields = self.metadata.schema().fields().iter();
        fields.map(|field| field.name().as_str())
    }

    /// Rows as JSON lines with the columns for which `is_read`.
    ///
    /// # Errors
    /// Reason why no row can be read, for the user.
    pub fn lines(
        &self,
        is_read: impl Fn(&str) -> bool,
        cancel: &Cancel,
    ) -> Result<ParquetLines, String> {
        let columns = self.columns().enumerate();
        let columns = columns.filter(|(_, name)| is_read(name));
        let columns: Vec<usize> = columns.map(|(at, _)| at).collect();
        let rows = (BATCH_CELLS / columns.len().max(1)).clamp(8, BATCH_ROWS);
        let open = || {
            let input = self.input.clone();
            let builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(input, self.metadata.clone());
            let columns = ProjectionMask::roots(builder.parquet_schema(), columns);
            { builder.with_batch_size(rows) }
                .with_projection(columns)
                .build()
        };
        let batches = guarded(open).map_err(damaged)?.map_err(reason)?;
        Ok(ParquetLines {
            batches: Some(batches),
            cancel: cancel.clone(),
            batch: None,
            buffer: Vec::new(),
            used: 0,
            count: 0,
            cut: 0,
            failed: None,
        })
    }
}

/// Rows of a file as JSON lines. An error ends the stream and is stored in `failed`.
pub struct ParquetLines {
    /// Reader of the next rows; `None` at the end.
    batches: Option<ParquetRecordBatchReader>,
    cancel: Cancel,
    /// Rows being written, and the next of them.
    batch: Option<(RecordBatch, usize)>,
    buffer: Vec<u8>,
    used: usize,
    /// Number of rows read.
    pub count: u64,
    /// Number of rows with a truncated value.
    pub cut: u64,
    /// Error that ended the stream, for the user.
    pub failed: Option<String>,
}

impl ParquetLines {
    fn fail(&mut self, error: String) {
        self.failed = Some(error);
        self.batches = None;
        self.batch = None;
    }

    fn fill(&mut self) {
        self.buffer.clear();
        self.used = 0;
        while self.buffer.len() < BUFFER {
            if self.cancel.is_cancelled() {
                return self.fail("interrupted".to_owned());
            }
            let Some((batch, at)) = self.batch.take() else {
                let Some(batches) = &mut self.batches else {
                    return;
                };
                match guarded(|| batches.next()) {
                    Ok(Some(Ok(batch))) => self.batch = Some((batch, 0)),
                    Ok(Some(Err(error))) => return self.fail(error.to_string()),
                    Ok(None) => self.batches = None,
                    Err(panic) => return self.fail(damaged(panic)),
                }
                continue;
            };
            if let Err(panic) = guarded(|| self.write(&batch, at)) {
                return self.fail(damaged(panic));
            }
        }
    }

    /// Writes rows of a batch until the buffer is full; the rest of them is kept.
    fn write(&mut self, batch: &RecordBatch, mut at: usize) {
        let fields = batch.schema_ref().fields();
        let columns: Vec<(&str, Cells<'_>)> = fields
            .iter()
            .zip(batch.columns())
            .map(|(field, column)| (field.name().as_str(), Cells::of(&**column)))
            .collect();
        while at < batch.num_rows() && self.buffer.len() < BUFFER {
            let mut line = ObjectLine::new(&mut self.buffer, LINE).with_long_values();
            for (name, cells) in &columns {
                cells.write(at, name, &mut line);
            }
            self.cut += u64::from(line.end());
            self.count += 1;
            at += 1;
        }
        if at < batch.num_rows() {
            self.batch = Some((batch.clone(), at));
        }
    }
}

impl Read for ParquetLines {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.used == self.buffer.len() {
            self.fill();
        }
        let mut left = self.buffer.get(self.used..).unwrap_or_default();
        let n = left.read(buf)?;
        self.used += n;
        Ok(n)
    }
}

fn damaged(panic: String) -> String {
    format!("it is damaged: {panic}")
}

fn reason(error: ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) => text,
        ParquetError::NYI(text) => format!("not supported: {text}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
