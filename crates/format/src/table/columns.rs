//! Tables printed for people: column names in the first line, cells below them, aligned with blanks. Batch system
//! commands and many other programs print such tables.
//!
//! A cell belongs to the column whose name, or whose dashes, it is below: text columns are aligned at the start of
//! their name and numeric columns at its end, so a cell overlaps its name in either case.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use super::RowLines;
use super::derived_lines::DerivedLines;
use widetui_core::bytes::lines;
use widetui_core::jsontext::{ObjectLine, is_number};
use widetui_core::words::several;
use widetui_source::head::{BomStripper, SourceHead};
use widetui_time::timeparse::detect_leading;

/// Maximum length of a line, bytes; the rest is read as another line.
const MAX_LINE: usize = 64 * 1024;

/// Maximum number of lines examined.
const MAX_LINES: usize = 200;

/// Minimum number of columns of a table without a line of dashes.
const MIN_COLUMNS: usize = 3;

/// Maximum number of lines before a line of dashes (the title of a report).
const MAX_TITLE_LINES: usize = 8;

/// Number of records from which a file with tables is a log.
const MIN_RECORDS: usize = 2;

/// Maximum length of a printed time, bytes.
const MAX_STAMP: usize = 64;

/// Key of the time that was printed above a table.
pub(crate) const PRINTED: &str = "printed";

/// Key of a line that is not a row.
pub(crate) const TEXT: &str = "text";

/// Whether the first lines of a file are such a table and hardly anything else.
pub(crate) fn detect(head: SourceHead<'_>) -> bool {
    let bytes = head.bytes();
    let last = memchr::memrchr(b'\n', bytes);
    // Text after the last line end is empty or truncated.
    let text = match last.and_then(|at| bytes.split_at_checked(at)) {
        Some((text, rest)) if rest.len() == 1 || !head.is_whole() => text,
        None if bytes.is_empty() || !head.is_whole() => return false,
        _ => bytes,
    };
    let mut table = Table::default();
    let mut seen = LineCounts::default();
    for line in lines(text).take(MAX_LINES) {
        let Ok(line) = std::str::from_utf8(line) else {
            return false;
        };
        table.read(line.trim_end(), &mut |line, begun| seen.count(&line, begun));
        let title = if table.dashes { MAX_TITLE_LINES } else { 0 };
        // Rejects most logs.
        if seen.before > MAX_TITLE_LINES || !table.columns.is_empty() && seen.before > title {
            return false;
        }
    }
    table.end(&mut |line, begun| seen.count(&line, begun));
    // A table inside other output does not count.
    seen.rows > 0
        && seen.records < MIN_RECORDS
        && seen.unaligned * 10 <= seen.rows
        && seen.empty * 2 <= seen.cells
}

/// Counts over the first lines.
#[derive(Default)]
struct LineCounts {
    rows: usize,
    cells: usize,
    empty: usize,
    /// Lines before any table.
    before: usize,
    /// Lines that do not fit the columns.
    unaligned: usize,
    /// Lines of text with a date in front: records of a log, in which tables are printed.
    records: usize,
}

impl LineCounts {
    fn count(&mut self, line: &Line, columns: &[Column]) {
        match line {
            Line::Row(cells) => {
                self.rows += 1;
                self.cells += cells.len();
                self.empty += cells.iter().filter(|c| c.is_empty()).count();
            }
            Line::Text(text) => {
                self.records += usize::from(is_record(text));
                match columns.is_empty() {
                    true => self.before += 1,
                    false => self.unaligned += 1,
                }
            }
        }
    }
}

/// Column with its name and its character range in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    name: String,
    place: Range<usize>,
}

/// Classification of a line; names, dashes, printed times and empty lines are neither.
enum Line {
    /// Cells, one per column.
    Row(Vec<String>),
    /// Text: no table has begun yet, or the line does not fit the columns.
    Text(String),
}

/// State of the table reader.
#[derive(Default)]
struct Table {
    columns: Vec<Column>,
    /// Whether the column names are above a line of dashes.
    dashes: bool,
    /// Line of names as written, because repeated commands repeat it.
    head: String,
    /// Previous line, if it may contain column names, with its classification if it does not.
    above: Option<(String, Option<Line>)>,
    /// Time that was printed last.
    printed: Option<String>,
    /// Whether another table may begin here.
    fresh: bool,
}

/// Callback for a line, with the columns known at that point.
type Report<'a> = &'a mut dyn FnMut(Line, &[Column]);

impl Table {
    fn read(&mut self, line: &str, report: Report<'_>) {
        let words = words(line);
        let dashes = words.len() > 1 && line.chars().all(|c| is_dash(c) || c.is_whitespace());
        if dashes
            && let Some((above, _)) = &self.above
            && let Some(columns) = columns(above, &words)
        {
            let head = above.clone();
            self.above = None;
            self.dashes = true;
            return self.begin(columns, head);
        }
        self.end(report);
        if words.is_empty() {
            self.fresh = true;
        } else if self.is_frame(line) || dashes && self.dashes {
            // Repeated commands repeat the column names.
        } else if is_time(line) {
            self.printed = Some(line.trim().to_owned());
            self.fresh = true;
        } else if self.may_begin()
            && may_name(line)
            && let Some(columns) = columns(line, &words).filter(|c| are_capital(c) || are_titles(c))
        {
            self.dashes = false;
            self.begin(columns, line.to_owned());
            self.above = Some((line.to_owned(), None));
        } else {
            let is = match self.cells(line, &words) {
                Some(cells) => Line::Row(cells),
                None => Line::Text(line.to_owned()),
            };
            if self.may_begin() {
                self.above = Some((line.to_owned(), Some(is)));
            } else {
                report(is, &self.columns);
            }
            self.fresh = false;
        }
    }

    /// Reports the previous line, since no line of dashes follows it.
    fn end(&mut self, report: Report<'_>) {
        if let Some((_, Some(is))) = self.above.take() {
            report(is, &self.columns);
        }
    }

    fn may_begin(&self) -> bool {
        self.fresh || self.columns.is_empty()
    }

    fn is_frame(&self, line: &str) -> bool {
        !self.columns.is_empty() && line == self.head
    }

    fn begin(&mut self, columns: Vec<Column>, head: String) {
        self.columns = columns;
        self.head = head;
        self.fresh = false;
    }

    /// Cells of a row; `None` if a word overlaps two columns, or hardly any text is aligned with a column.
    #[expect(
        clippy::indexing_slicing,
        reason = "`at` does not exceed the last column or word, and `end` is above it; owners are columns of words"
    )]
    fn cells(&self, line: &str, words: &[Range<usize>]) -> Option<Vec<String>> {
        let columns = &self.columns;
        let last = columns.len().checked_sub(1)?;
        if line.contains('\t') {
            return None;
        }
        // Words and columns are both sorted, so each is visited once, and so are the characters of the line.
        let mut owners: Vec<Option<usize>> = Vec::with_capacity(words.len());
        let mut at = 0;
        for word in words {
            while at < last && columns[at].place.end <= word.start {
                at += 1;
            }
            if columns
                .get(at + 1)
                .is_some_and(|c| c.place.start < word.end)
            {
                return None;
            }
            let place = &columns[at].place;
            let is_below = place.start < word.end && (at == last || word.start < place.end);
            owners.push(is_below.then_some(at));
        }
        // First and last word of each cell.
        let mut cells: Vec<Option<Range<usize>>> = vec![None; columns.len()];
        let mut at = 0;
        while at < words.len() {
            let end = match owners[at] {
                Some(_) => at + 1,
                None => (at..words.len())
                    .find(|n| owners[*n].is_some())
                    .unwrap_or(words.len()),
            };
            // Words outside all columns belong to the nearer of their neighbours.
            let owner = owners[at].or_else(|| {
                let left = at.checked_sub(1).and_then(|l| owners[l]);
                let right = owners.get(end).copied().flatten();
                if let (Some(_), Some(_)) = (left, right) {
                    let before = words[at].start - words[at - 1].end;
                    let after = words[end].start - words[end - 1].end;
                    return if after < before { right } else { left };
                }
                left.or(right)
            })?;
            let cell = cells[owner].get_or_insert(words[at].clone());
            cell.end = words[end - 1].end;
            at = end;
        }
        let filled = cells.iter().flatten().count();
        // Text is aligned with the start of its column and numbers with the end; words of a sentence are aligned with
        // neither.
        let aligned = cells.iter().zip(columns).filter(|(cell, column)| {
            let place = &column.place;
            (cell.as_ref()).is_some_and(|c| c.start == place.start || c.end == place.end)
        });
        if aligned.count() * 2 <= filled || filled * 3 < columns.len() || filled < 2 {
            return None;
        }
        let mut texts = texts_at(line, cells.iter().flatten());
        let cell = |place: &Option<_>| match place {
            Some(_) => texts.next().unwrap_or_default(),
            None => "",
        };
        Some(cells.iter().map(cell).map(str::to_owned).collect())
    }
}

/// True if a line is text with a date in front.
fn is_record(line: &str) -> bool {
    detect_leading(line.as_bytes()).is_some_and(|(_, stamp, _, end)| {
        stamp.date
            && line
                .get(end..)
                .is_some_and(|rest| rest.contains(char::is_alphanumeric))
    })
}

/// Words of a line, as character ranges.
fn words(line: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut end = 0;
    for (at, c) in line.chars().enumerate() {
        match (c.is_whitespace(), start) {
            (true, Some(begun)) => {
                words.push(begun..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
        end = at + 1;
    }
    words.extend(start.map(|begun| begun..end));
    words
}

/// Texts in character ranges of a line, which must be sorted.
fn texts_at<'t, 'p>(
    line: &'t str,
    places: impl Iterator<Item = &'p Range<usize>>,
) -> impl Iterator<Item = &'t str> {
    let mut bytes = line.char_indices().map(|c| c.0);
    let (mut counted, mut byte) = (0, 0);
    // Byte offset of a character; positions must ascend, the last one may be repeated.
    let mut byte_of = move |place: usize| {
        if place >= counted {
            byte = bytes.nth(place - counted).unwrap_or(line.len());
            counted = place + 1;
        }
        byte
    };
    places.map(move |place| {
        let (start, end) = (byte_of(place.start), byte_of(place.end));
        line.get(start..end).unwrap_or_default().trim()
    })
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '=')
}

/// Columns with these ranges, named by the text in them.
fn columns(names: &str, places: &[Range<usize>]) -> Option<Vec<Column>> {
    let columns: Vec<Column> = texts_at(names, places.iter())
        .zip(places)
        .map(|(name, place)| Column {
            name: name.to_owned(),
            place: place.clone(),
        })
        .collect();
    (!names.contains('\t') && are_names(&columns)).then_some(columns)
}

/// Whether no word of a line starts with a lower-case letter; else the line has no column names that capitals identify.
fn may_name(line: &str) -> bool {
    !line
        .split_whitespace()
        .any(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Numbers of characters between the names of neighbouring columns.
fn gaps(columns: &[Column]) -> impl Iterator<Item = usize> {
    let pairs = columns.iter().zip(columns.iter().skip(1));
    pairs.map(|(left, right)| right.place.start - left.place.end)
}

/// Whether names are in capitals, further apart than the words of a sentence, and sufficiently many.
fn are_capital(columns: &[Column]) -> bool {
    let is_capital = |c: &Column| {
        c.name.chars().any(|c| c.is_ascii_uppercase())
            && !c.name.ends_with([':', ',', '.'])
            && c.name.chars().all(|c| {
                c.is_ascii_uppercase() || c.is_ascii_digit() || "_-.:/%()[]#*+&<>".contains(c)
            })
    };
    let are_apart =
        columns.first().is_some_and(|c| c.place.start > 0) || gaps(columns).any(|gap| gap > 1);
    columns.len() >= MIN_COLUMNS && are_apart && columns.iter().all(is_capital)
}

/// Whether names start with capitals and are further apart than the words of a sentence.
fn are_titles(columns: &[Column]) -> bool {
    let is_title = |c: &Column| {
        c.name.starts_with(|c: char| c.is_ascii_uppercase())
            && c.name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-/%()[]#".contains(c))
    };
    columns.len() > MIN_COLUMNS && columns.iter().all(is_title) && gaps(columns).all(|gap| gap > 1)
}

/// Whether all columns have distinct names.
fn are_names(columns: &[Column]) -> bool {
    let mut known = HashSet::new();
    columns.iter().all(|column| {
        !column.name.is_empty()
            && known.insert(column.name.as_str())
            && !column.name.chars().all(is_dash)
    })
}

/// Whether a line consists of a time.
fn is_time(line: &str) -> bool {
    let line = line.trim().as_bytes();
    let may_be = line.len() <= MAX_STAMP && line.iter().any(u8::is_ascii_digit);
    may_be
        .then(|| detect_leading(line))
        .flatten()
        .is_some_and(|(_, stamp, start, end)| stamp.date && start == 0 && end == line.len())
}

/// Printed table converted to JSON lines, one object per row.
pub struct ColumnLines<R> {
    input: BufReader<BomStripper<R>>,
    table: Table,
    derived: DerivedLines,
    unaligned: usize,
    truncated: usize,
}

impl<R: Read> ColumnLines<R> {
    /// JSON lines of the rows of a stream.
    pub fn new(input: R) -> ColumnLines<R> {
        ColumnLines {
            input: BufReader::with_capacity(64 * 1024, BomStripper::new(input)),
            table: Table::default(),
            derived: DerivedLines::default(),
            unaligned: 0,
            truncated: 0,
        }
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        (&mut self.input)
            .take(MAX_LINE as u64)
            .read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(&line);
        Ok((!line.is_empty()).then(|| text.trim_end().to_owned()))
    }

    fn fill(&mut self) -> io::Result<()> {
        self.derived.clear();
        while self.derived.has_room() {
            let line = self.line()?;
            if line.is_none() {
                self.derived.end();
            }
            let printed = self.table.printed.clone();
            let (buffer, unaligned) = (&mut self.derived.lines, &mut self.unaligned);
            let truncated = &mut self.truncated;
            let report: Report<'_> = &mut |line, columns| {
                *unaligned += usize::from(matches!(line, Line::Text(_)) && !columns.is_empty());
                *truncated += usize::from(write(buffer, printed.as_deref(), columns, &line));
            };
            match line {
                Some(line) => self.table.read(&line, report),
                None => self.table.end(report),
            }
        }
        Ok(())
    }
}

/// Writes a line; returns whether part of it was dropped.
fn write(out: &mut Vec<u8>, printed: Option<&str>, columns: &[Column], line: &Line) -> bool {
    let mut out = ObjectLine::new(out, 4 * MAX_LINE);
    match line {
        Line::Text(text) => out.text(TEXT, text.as_bytes()),
        Line::Row(cells) => {
            if let Some(printed) = printed {
                out.text(PRINTED, printed.as_bytes());
            }
            for (column, cell) in columns.iter().zip(cells) {
                match cell.as_str() {
                    "" => out.bare(&column.name, "null"),
                    number if is_number(number.as_bytes()) && number.len() < 40 => {
                        out.bare(&column.name, number);
                    }
                    text => out.text(&column.name, text.as_bytes()),
                }
            }
        }
    }
    out.end()
}

impl<R: Read> Read for ColumnLines<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.derived.is_read() {
            self.fill()?;
        }
        self.derived.copy_to(buf)
    }
}

impl<R: Read> RowLines for ColumnLines<R> {
    fn problems(&self) -> Vec<String> {
        let problems = [
            (
                self.unaligned,
                "line",
                "not aligned with the columns, read as text",
            ),
            (self.truncated, "row", "too long, truncated"),
        ];
        let problems = problems.iter().filter(|(count, ..)| *count > 0);
        problems
            .map(|(count, of, what)| format!("{}: {what}", several(*count, of)))
            .collect()
    }
}

#[cfg(test)]
mod tests;
