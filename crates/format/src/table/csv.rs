//! Delimited text tables: cells between delimiters, optionally quoted, with column names in the first row.

use std::collections::HashSet;
use std::io::{self, Read};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::Value as Json;

use super::RowLines;
use super::derived_lines::DerivedLines;
use super::names::ColumnNames;
use widetui_core::jsontext::{ObjectLine, is_number};
use widetui_core::words::several;
use widetui_source::head::SourceHead;
use widetui_time::timeparse::parse_whole;

/// Maximum size of a record, bytes; the rest is dropped (an unclosed quote includes all that follows).
const MAX_RECORD: usize = 768 * 1024;

/// Maximum number of columns of a record.
const MAX_COLUMNS: usize = 4096;

/// Maximum number of rows examined.
const MAX_ROWS: usize = 200;
/// Number of column names that are no coincidence, so that one row of as many cells is enough.
const MANY_NAMES: usize = 6;

/// Delimiter and header of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Delimiter of cells.
    pub(crate) delimiter: u8,
    /// Whether the first row contains the column names.
    pub(crate) header: bool,
    /// True if lines that begin with `#` are comments.
    pub(crate) has_comments: bool,
}

/// Whether the file name is that of a table.
pub(crate) fn is_named(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let ending = name.rsplit_once('.').map_or("", |n| n.1);
    ["csv", "tsv"]
        .iter()
        .any(|e| ending.eq_ignore_ascii_case(e))
}

impl Dialect {
    /// Dialect of a file, detected by its name and first bytes; `None` if it is not a table. Without a telling name, a
    /// file must have a header of at least three plain names, and all rows must have the same number of cells.
    pub(crate) fn detect(path: &str, head: SourceHead<'_>) -> Option<Dialect> {
        let named = is_named(path);
        let among = |has_comments: bool| {
            Dialect::among((named, has_comments), head, |delimiter| {
                named || may_be_header(head.bytes(), delimiter)
            })
        };
        // The names of the columns may stand in a comment, so a table without comments is tried first.
        let with_comments = || among(true).filter(|_| head.bytes().starts_with(b"#"));
        among(false).or_else(with_comments)
    }

    /// Best dialect among those whose delimiter `is_worth` accepts.
    fn among(
        (named, has_comments): (bool, bool),
        head: SourceHead<'_>,
        is_worth: impl Fn(u8) -> bool,
    ) -> Option<Dialect> {
        let mut best: Option<(usize, Dialect)> = None;
        for delimiter in b",;\t|".iter().copied().filter(|d| is_worth(*d)) {
            let dialect = Dialect {
                delimiter,
                header: true,
                has_comments,
            };
            let rows = dialect.first_rows(head);
            let Some((first, rest)) = rows.split_first() else {
                continue;
            };
            let fitting = rest.iter().filter(|r| r.len() == first.len()).count();
            let header = first.iter().all(|cell| !is_value(cell));
            let fits = if named {
                fitting * 5 >= rest.len() * 4 && (first.len() > 1 || is_header(first))
            } else {
                let names = match first.split_last() {
                    Some((end, names)) if end.is_empty() => names,
                    _ => first.as_slice(),
                };
                let least = if names.len() < MANY_NAMES { 2 } else { 1 };
                names.len() > 2 && rest.len() >= least && fitting == rest.len() && is_header(names)
            };
            if fits && best.is_none_or(|b| first.len() > b.0) {
                best = Some((first.len(), Dialect { header, ..dialect }));
            }
        }
        best.map(|b| b.1)
    }

    /// Dialect of event tables written by widetui, if the first bytes are those of one.
    pub fn own(head: SourceHead<'_>) -> Option<Dialect> {
        let rest = head
            .bytes()
            .strip_prefix(OWN_COLUMNS.join(",").as_bytes())?;
        matches!(rest.first(), Some(b',' | b'\n' | b'\r')).then_some(Dialect {
            delimiter: b',',
            header: true,
            has_comments: false,
        })
    }

    /// True if the rows are measurements: at least half of the columns hold decimal numbers, and none holds a time.
    #[must_use]
    pub fn has_measurements(self, head: SourceHead<'_>) -> bool {
        let rows = self.first_rows(head);
        let Some((first, rest)) = rows.split_first() else {
            return false;
        };
        let rest: Vec<_> = rest.iter().filter(|row| row.len() == first.len()).collect();
        let all = |at: usize, is_such: fn(&[u8]) -> bool| {
            rest.iter()
                .all(|row| row.get(at).is_some_and(|cell| is_such(cell)))
        };
        let is_decimal = |cell: &[u8]| is_number(cell) && cell.contains(&b'.');
        let is_time = |cell: &[u8]| parse_whole(cell).is_some();
        let columns = 0..first.len();
        let decimals = columns.clone().filter(|at| all(*at, is_decimal)).count();
        let has_time = columns.into_iter().any(|at| all(at, is_time));
        self.header && rest.len() > 1 && decimals > 1 && decimals * 2 >= first.len() && !has_time
    }

    fn reader(self) -> Reader {
        let mut reader = ReaderBuilder::new();
        reader.comment(self.has_comments.then_some(b'#'));
        reader.delimiter(self.delimiter).build()
    }

    fn first_rows(self, head: SourceHead<'_>) -> Vec<Vec<Vec<u8>>> {
        let mut records = Records::new(head.bytes(), self.reader());
        let mut rows = Vec::new();
        while rows.len() <= MAX_ROWS
            && let Ok(true) = records.next()
        {
            rows.push(
                (0..records.cells)
                    .map(|at| records.cell(at).to_vec())
                    .collect(),
            );
        }
        // The last row may be truncated.
        if !head.is_whole() && rows.len() <= MAX_ROWS && rows.len() > 1 {
            rows.pop();
        }
        rows
    }
}

/// Quick check whether a text without a telling name may start with three column names, as nearly all files are logs.
fn may_be_header(text: &[u8], delimiter: u8) -> bool {
    let is_end = |b: &&u8| matches!(b, b'\n' | b'\r');
    let text = text.get(text.iter().take_while(is_end).count()..);
    let text = text.unwrap_or_default();
    match text.first() {
        // Quoted names may contain anything.
        Some(b'"') => true,
        Some(b) if b.is_ascii_alphabetic() || matches!(b, b'_') => {
            let row = text.iter().take_while(|b| !is_end(b));
            row.filter(|b| **b == delimiter).count() >= 2 || text.contains(&b'"')
        }
        _ => false,
    }
}

/// Whether a cell is a number or a time, and thus not a column name.
fn is_value(cell: &[u8]) -> bool {
    is_number(cell) || parse_whole(cell).is_some()
}

/// Whether cells are column names and not words of a sentence.
fn is_header(cells: &[Vec<u8>]) -> bool {
    let name = |cell: &Vec<u8>| {
        cell.first()
            .is_some_and(|b| b.is_ascii_alphabetic() || b"_%".contains(b))
            && cell.len() <= 64
            && cell
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || b"_-.:/%()[]# ".contains(b))
            && cell.iter().filter(|b| **b == b' ').count() < 4
    };
    let mut known = HashSet::new();
    cells.iter().all(name) && cells.iter().all(|cell| known.insert(cell))
}

/// Reader of the records of a stream, one at a time, in bounded memory.
struct Records<R> {
    input: R,
    reader: Reader,
    buffer: Vec<u8>,
    pos: usize,
    filled: usize,
    ended: bool,
    text: Vec<u8>,
    text_used: usize,
    ends: Vec<usize>,
    /// Number of cells of the record.
    cells: usize,
    /// Whether part of it was dropped.
    truncated: bool,
}

impl<R: Read> Records<R> {
    fn new(input: R, reader: Reader) -> Records<R> {
        Records {
            input,
            reader,
            buffer: vec![0; 64 * 1024],
            pos: 0,
            filled: 0,
            ended: false,
            text: vec![0; 4096],
            text_used: 0,
            ends: vec![0; 64],
            cells: 0,
            truncated: false,
        }
    }

    /// Reads the next record; false at the end of the stream.
    #[expect(
        clippy::indexing_slicing,
        reason = "each offset counts what was read or written of its buffer"
    )]
    fn next(&mut self) -> io::Result<bool> {
        (self.text_used, self.cells, self.truncated) = (0, 0, false);
        loop {
            if self.pos == self.filled && !self.ended {
                self.filled = loop {
                    match self.input.read(&mut self.buffer) {
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        other => break other?,
                    }
                };
                self.pos = 0;
                self.ended = self.filled == 0;
            }
            let (result, read, written, cells) = self.reader.read_record(
                &self.buffer[self.pos..self.filled],
                &mut self.text[self.text_used..],
                &mut self.ends[self.cells..],
            );
            self.pos += read;
            self.text_used += written;
            self.cells += cells;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.text.len() < MAX_RECORD => {
                    self.text.resize(self.text.len() * 2, 0);
                }
                ReadRecordResult::OutputFull => {
                    self.truncated = true;
                    self.text_used = self.text.len() / 2;
                }
                ReadRecordResult::OutputEndsFull if self.ends.len() < MAX_COLUMNS => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    self.truncated = true;
                    self.cells = self.ends.len() - 1;
                }
                ReadRecordResult::Record => return Ok(true),
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Cell of the record, limited to the part that was kept.
    fn cell(&self, at: usize) -> &[u8] {
        let end_of = |at: usize| self.ends.get(at).copied().unwrap_or_default();
        let start = at.checked_sub(1).map_or(0, end_of);
        let end = end_of(at).min(self.text.len());
        self.text.get(start..end).unwrap_or_default()
    }
}

/// Column names with which event tables of widetui start.
const OWN_COLUMNS: [&str; 5] = ["time", "source", "level", "message", "template"];

/// List in a cell of an event table written by widetui: several values of a key are written as a JSON array, and a
/// single value that would be misread (an empty text, a text that is such an array) as an array of one.
fn list(cell: &str) -> Option<Vec<Json>> {
    let is_plain = |value: &Json| !value.is_object() && !value.is_array();
    let parsed = || serde_json::from_str::<Vec<Json>>(cell).ok();
    let all = cell.starts_with('[').then(parsed).flatten()?;
    (!all.is_empty() && all.iter().all(is_plain)).then_some(all)
}

/// Whether a value of a key is written to event tables as an array of one.
pub fn is_wrapped(value: &str) -> bool {
    value.is_empty() || list(value).is_some()
}

/// Table converted to JSON lines.
pub struct CsvLines<R> {
    records: Records<R>,
    names: ColumnNames,
    header: bool,
    /// Whether widetui wrote the table, so that cells of keys may be lists.
    is_own: bool,
    /// Whether each line ends with a delimiter after its last cell.
    ended: bool,
    begun: bool,
    derived: DerivedLines,
    count: u64,
    ragged: usize,
    truncated: usize,
}

impl<R: Read> CsvLines<R> {
    /// JSON lines of the rows of a stream.
    pub fn new(input: R, dialect: Dialect) -> CsvLines<R> {
        CsvLines {
            records: Records::new(input, dialect.reader()),
            names: ColumnNames::default(),
            header: dialect.header,
            is_own: false,
            ended: false,
            begun: false,
            derived: DerivedLines::default(),
            count: 0,
            ragged: 0,
            truncated: 0,
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.begun = true;
        if !self.records.next()? {
            self.derived.end();
            return Ok(());
        }
        let cells = self.records.cells;
        if !self.header {
            self.push_row();
            return Ok(());
        }
        self.ended = cells > 1 && self.records.cell(cells - 1).is_empty();
        let header = (0..cells - usize::from(self.ended)).map(|at| {
            let cell = String::from_utf8_lossy(self.records.cell(at));
            cell.trim().to_owned()
        });
        let header: Vec<String> = header.collect();
        self.is_own = header.starts_with(&OWN_COLUMNS.map(str::to_owned));
        self.names = ColumnNames::of(header);
        Ok(())
    }

    fn fill(&mut self) -> io::Result<()> {
        self.derived.clear();
        if !self.begun {
            self.begin()?;
        }
        while self.derived.has_room() {
            if self.records.next()? {
                self.push_row();
            } else {
                self.derived.end();
            }
        }
        Ok(())
    }

    fn push_row(&mut self) {
        let mut cells = self.records.cells;
        if self.ended && cells == self.names.all.len() + 1 {
            if self.records.cell(cells - 1).is_empty() {
                cells -= 1;
            } else {
                // The last column has no name but has values.
                self.ended = false;
                self.names.add();
            }
        }
        self.count += 1;
        self.ragged += usize::from(cells != self.names.all.len());
        while self.names.all.len() < cells {
            self.names.add();
        }
        let mut line = ObjectLine::new(&mut self.derived.lines, MAX_RECORD);
        for (at, name) in self.names.all.iter().enumerate().take(cells) {
            let cell = self.records.cell(at);
            match std::str::from_utf8(cell) {
                Ok("") => line.bare(name, "null"),
                Ok(number) if is_number(cell) && cell.len() < 40 => line.bare(name, number),
                Ok(text) if self.is_own && at >= OWN_COLUMNS.len() => match list(text).as_deref() {
                    Some([Json::String(one)]) => line.text(name, one.as_bytes()),
                    Some([one]) => line.bare(name, &one.to_string()),
                    Some(_) => line.bare(name, text),
                    None => line.text(name, cell),
                },
                _ => line.text(name, cell),
            }
        }
        let truncated = line.end();
        self.truncated += usize::from(truncated || self.records.truncated);
    }
}

impl<R: Read> Read for CsvLines<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.derived.is_read() {
            self.fill()?;
        }
        self.derived.copy_to(buf)
    }
}

impl<R: Read> RowLines for CsvLines<R> {
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.ragged > 0 {
            problems.push(format!(
                "{}: more or fewer cells than the first row",
                several(self.ragged, "row")
            ));
        }
        if self.truncated > 0 {
            problems.push(format!(
                "{}: too long, truncated (unclosed quote?)",
                several(self.truncated, "row")
            ));
        }
        problems
    }
}

#[cfg(test)]
mod tests;
