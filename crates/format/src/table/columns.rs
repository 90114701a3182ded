//! Tables that are printed for people: names of columns in the first line, cells below them, blanks between. So write the
//! commands of batch systems and many others what they know.
//!
//! A cell belongs to the column whose name, or whose line of dashes, it stands below: columns of text begin where their name
//! begins, those of numbers end where it ends, and so cells and names share a place in either.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use super::RowLines;
use super::derived_lines::Made;
use widetui_core::bytes::lines;
use widetui_core::jsontext::{ObjectLine, is_number};
use widetui_core::words::several;
use widetui_source::head::{SourceHead, Unmarked};
use widetui_time::timeparse::guess_known;

/// A line has at most this many bytes; what is more is read as another line.
const LINE: u64 = 64 * 1024;

/// Lines of a file that are looked at.
const LOOK: usize = 200;

/// Without a line of dashes, a table has at least so many columns.
const COLUMNS: usize = 3;

/// Lines without a table that may stand before a line of dashes: the title of a report.
const TITLE: usize = 8;

/// No time is written with more bytes.
const STAMP: usize = 64;

/// The key of the time that was printed above a table.
pub(crate) const PRINTED: &str = "printed";

/// The key of a line that is no row.
pub(crate) const TEXT: &str = "text";

/// Whether the first lines of a file are such a table, and hardly anything else.
pub(crate) fn look(head: SourceHead<'_>) -> bool {
    let bytes = head.bytes();
    let last = memchr::memrchr(b'\n', bytes);
    // What follows the last end of a line is nothing, or cut.
    let text = match last {
        Some(at) if at + 1 == bytes.len() || !head.is_whole() => &bytes[..at],
        None if bytes.is_empty() || !head.is_whole() => return false,
        _ => bytes,
    };
    let mut table = Table::default();
    let mut seen = Seen::default();
    for line in lines(text).take(LOOK) {
        let Ok(line) = std::str::from_utf8(line) else {
            return false;
        };
        table.read(line.trim_end(), &mut |line, begun| seen.count(&line, begun));
        let title = if table.dashes { TITLE } else { 0 };
        // Most logs end here.
        if seen.before > TITLE || !table.columns.is_empty() && seen.before > title {
            return false;
        }
    }
    table.end(&mut |line, begun| seen.count(&line, begun));
    // One that is in the middle of something else is a part of that.
    seen.rows > 0 && seen.strange * 10 <= seen.rows && seen.empty * 2 <= seen.cells
}

/// What the first lines are.
#[derive(Default)]
struct Seen {
    rows: usize,
    cells: usize,
    empty: usize,
    /// Lines before any table.
    before: usize,
    /// Lines that do not fit.
    strange: usize,
}

impl Seen {
    fn count(&mut self, line: &Line, columns: &[Column]) {
        match line {
            Line::Row(cells) => {
                self.rows += 1;
                self.cells += cells.len();
                self.empty += cells.iter().filter(|c| c.is_empty()).count();
            }
            Line::Text(_) if columns.is_empty() => self.before += 1,
            Line::Text(_) => self.strange += 1,
        }
    }
}

/// A column: its name, and which characters of a line stand below it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    name: String,
    place: Range<usize>,
}

/// What a line is. Names, dashes, times above and empty lines are neither.
enum Line {
    /// Cells, one for each column.
    Row(Vec<String>),
    /// Nothing of a row: no table has begun, or it does not fit the columns.
    Text(String),
}

/// What was read so far.
#[derive(Default)]
struct Table {
    columns: Vec<Column>,
    /// They stand above dashes.
    dashes: bool,
    /// The line of names as written: commands that repeat themselves repeat it.
    head: String,
    /// The line before this one, if it may name columns, and what it is if it does not.
    above: Option<(String, Option<Line>)>,
    /// The time that was printed last.
    printed: Option<String>,
    /// Another table may begin here.
    fresh: bool,
}

/// Who is told of a line, and of the columns that are known by then.
type Tell<'a> = &'a mut dyn FnMut(Line, &[Column]);

impl Table {
    fn read(&mut self, line: &str, tell: Tell<'_>) {
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
        self.end(tell);
        if words.is_empty() {
            self.fresh = true;
        } else if self.is_frame(line) || dashes && self.dashes {
            // Said already: commands that repeat themselves repeat their names.
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
                tell(is, &self.columns);
            }
            self.fresh = false;
        }
    }

    /// No line follows the one before.
    fn end(&mut self, tell: Tell<'_>) {
        if let Some((_, Some(is))) = self.above.take() {
            tell(is, &self.columns);
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

    /// The cells of a row; `None` when a word stands below two columns, or hardly any where a cell would stand.
    fn cells(&self, line: &str, words: &[Range<usize>]) -> Option<Vec<String>> {
        let columns = &self.columns;
        let last = columns.len().checked_sub(1)?;
        if line.contains('\t') {
            return None;
        }
        // Words and columns are both in order: each is looked at once, and so are the characters of the line.
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
        // The first and the last word of each cell.
        let mut cells: Vec<Option<Range<usize>>> = vec![None; columns.len()];
        let mut at = 0;
        while at < words.len() {
            let end = match owners[at] {
                Some(_) => at + 1,
                None => (at..words.len())
                    .find(|n| owners[*n].is_some())
                    .unwrap_or(words.len()),
            };
            // Words beside all columns belong to the nearer of their neighbours.
            let owner = owners[at].or_else(|| {
                let left = at.checked_sub(1).and_then(|l| owners[l]);
                let right = owners.get(end).copied().flatten();
                if let (Some(_), Some(_)) = (left, right) {
                    let before = words[at].start - words[at - 1].end;
                    let behind = words[end].start - words[end - 1].end;
                    return if behind < before { right } else { left };
                }
                left.or(right)
            })?;
            let cell = cells[owner].get_or_insert(words[at].clone());
            cell.end = words[end - 1].end;
            at = end;
        }
        let filled = cells.iter().flatten().count();
        // Text begins where its column does, numbers end there; words of a sentence stand anywhere.
        let beside = cells.iter().zip(columns).filter(|(cell, column)| {
            let place = &column.place;
            (cell.as_ref()).is_some_and(|c| c.start == place.start || c.end == place.end)
        });
        if beside.count() * 2 <= filled || filled * 3 < columns.len() || filled < 2 {
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

/// The words of a line, in characters.
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

/// What stands at some places of a line, which are in order.
fn texts_at<'t, 'p>(
    line: &'t str,
    places: impl Iterator<Item = &'p Range<usize>>,
) -> impl Iterator<Item = &'t str> {
    let mut bytes = line.char_indices().map(|c| c.0);
    let (mut counted, mut byte) = (0, 0);
    // The byte at which a character begins; asked for in order, the last one perhaps again.
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

/// Columns at these places, with the names that stand there.
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

/// Whether no word of a line begins with a small letter: else it has no names that are told by their capitals.
fn may_name(line: &str) -> bool {
    !line
        .split_whitespace()
        .any(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Whether names are in capital letters and apart, as nobody writes sentences, and enough.
fn are_capital(columns: &[Column]) -> bool {
    let is_capital = |c: &Column| {
        c.name.chars().any(|c| c.is_ascii_uppercase())
            && !c.name.ends_with([':', ',', '.'])
            && c.name.chars().all(|c| {
                c.is_ascii_uppercase() || c.is_ascii_digit() || "_-.:/%()[]#*+&<>".contains(c)
            })
    };
    let mut gaps = columns
        .windows(2)
        .map(|pair| pair[1].place.start - pair[0].place.end);
    let are_apart = columns.first().is_some_and(|c| c.place.start > 0) || gaps.any(|gap| gap > 1);
    columns.len() >= COLUMNS && are_apart && columns.iter().all(is_capital)
}

/// Whether names begin with capitals and stand as far apart as no words of a sentence do.
fn are_titles(columns: &[Column]) -> bool {
    let is_title = |c: &Column| {
        c.name.starts_with(|c: char| c.is_ascii_uppercase())
            && c.name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-/%()[]#".contains(c))
    };
    let mut pairs = columns.windows(2);
    columns.len() > COLUMNS
        && columns.iter().all(is_title)
        && pairs.all(|pair| pair[1].place.start - pair[0].place.end > 1)
}

/// Whether all columns have a name, and no two the same.
fn are_names(columns: &[Column]) -> bool {
    let mut known = HashSet::new();
    columns.iter().all(|column| {
        !column.name.is_empty()
            && known.insert(column.name.as_str())
            && !column.name.chars().all(is_dash)
    })
}

/// Whether a line is a time and nothing else.
fn is_time(line: &str) -> bool {
    let line = line.trim().as_bytes();
    let may_be = line.len() <= STAMP && line.iter().any(u8::is_ascii_digit);
    may_be
        .then(|| guess_known(line))
        .flatten()
        .is_some_and(|(_, stamp, start, end)| stamp.date && start == 0 && end == line.len())
}

/// A printed table as lines of JSON, one object a row.
pub struct ColumnLines<R> {
    input: BufReader<Unmarked<R>>,
    table: Table,
    made: Made,
    strange: u64,
    cut: u64,
}

impl<R: Read> ColumnLines<R> {
    /// The rows of a stream.
    pub fn new(input: R) -> ColumnLines<R> {
        ColumnLines {
            input: BufReader::with_capacity(64 * 1024, Unmarked::new(input)),
            table: Table::default(),
            made: Made::default(),
            strange: 0,
            cut: 0,
        }
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        (&mut self.input).take(LINE).read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(&line);
        Ok((!line.is_empty()).then(|| text.trim_end().to_owned()))
    }

    fn fill(&mut self) -> io::Result<()> {
        self.made.clear();
        while self.made.has_room() {
            let line = self.line()?;
            if line.is_none() {
                self.made.end();
            }
            let printed = self.table.printed.clone();
            let (buffer, strange) = (&mut self.made.lines, &mut self.strange);
            let cut = &mut self.cut;
            let tell: Tell<'_> = &mut |line, columns| {
                *strange += u64::from(matches!(line, Line::Text(_)) && !columns.is_empty());
                *cut += u64::from(write(buffer, printed.as_deref(), columns, &line));
            };
            match line {
                Some(line) => self.table.read(&line, tell),
                None => self.table.end(tell),
            }
        }
        Ok(())
    }
}

/// Says whether anything of the line is missing.
fn write(out: &mut Vec<u8>, printed: Option<&str>, columns: &[Column], line: &Line) -> bool {
    let mut out = ObjectLine::new(out, 4 * LINE as usize);
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
        while self.made.is_read() {
            self.fill()?;
        }
        Ok(self.made.give(buf))
    }
}

impl<R: Read> RowLines for ColumnLines<R> {
    fn problems(&self) -> Vec<String> {
        let told = [
            (self.strange, "line", "not as the columns, read as text"),
            (self.cut, "row", "too long and cut"),
        ];
        let told = told.iter().filter(|(count, ..)| *count > 0);
        told.map(|(count, of, what)| format!("{}: {what}", several(*count as usize, of)))
            .collect()
    }
}

#[cfg(test)]
mod tests;
