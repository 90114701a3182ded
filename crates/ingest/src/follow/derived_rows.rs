//! Following of tables and of JSON documents: all rows are parsed again, and new ones are read. If known rows changed,
//! all rows are read again.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::detector::{Log, RecordOwner};
use crate::line_spool::{SpooledLines, Whole};
use crate::source_entries::problem;
use crate::tables::row_lines;
use widetui_core::diag::Severity;
use widetui_format::reader::Reader;
use widetui_format::table::TableSyntax;
use widetui_source::file::OpenText;
use widetui_source::head::FirstBytes;
use widetui_source::text::Text;
use widetui_store::SourceTrait;
use widetui_store::source::Source;

use super::derived_sources::Rows;
use super::follower::Follower;
use super::new_lines::{NewLines, read_lines};

/// Inverse of the maximum share of a core's time for parsing a table again.
const SHARE: u32 = 8;
/// Maximum number of bytes searched for the end of the last whole line.
const LAST: usize = 1 << 20;

impl Follower {
    /// Parses the rows of a file again, and reads the new ones.
    pub(super) fn read_rows(
        &mut self,
        at: usize,
        rows: &mut Rows,
        opened: &File,
        (len, modified): (u64, i64),
        now: Instant,
    ) -> io::Result<NewLines> {
        let file = &self.files[at];
        let later = NewLines {
            bytes: 0,
            end: file.len,
        };
        // A row without its end will change, unless the file has become quiet.
        let whole = match file.is_quiet(now) {
            true => len,
            false => end_of_lines(opened, len)?,
        };
        if rows.last.is_some_and(|last| is_soon(last, now)) {
            return Ok(later);
        }
        if whole == rows.parsed_len {
            return Ok(NewLines { bytes: 0, end: len });
        }
        let started = Instant::now();
        let text = OpenText::new(opened, whole);
        let lines = rows
            .syntax
            .and_then(|syntax| row_lines(syntax, FromStart { text: &text, at: 0 }));
        let Some(mut lines) = lines else {
            return Ok(NewLines { bytes: 0, end: len });
        };
        let made = self.reparse(&mut lines, self.known_rows(rows).as_deref())?;
        let made = ReparsedRows {
            problems: lines.problems(),
            ..made
        };
        rows.last = Some((now, started.elapsed()));
        rows.parsed_len = whole;
        let bytes = self.read_new(rows, made, modified)?;
        self.files[at].lines.has_records = rows.lines.has_records;
        Ok(NewLines { bytes, end: len })
    }

    /// JSON lines of a table as parsed before, here or when the run was opened; `None` if never.
    pub(super) fn known_rows(&self, rows: &Rows) -> Option<Arc<dyn Text>> {
        let source = self.shared.source(rows.lines.id)?;
        match &rows.text {
            Some(text) => Some(text.text.clone()),
            None => source
                .has_trait(SourceTrait::Synthetic)
                .then(|| source.text.clone()),
        }
    }

    /// Reads the new rows; returns the number of bytes read.
    pub(super) fn read_new(
        &mut self,
        rows: &mut Rows,
        made: ReparsedRows,
        modified: i64,
    ) -> io::Result<u64> {
        let id = rows.lines.id;
        // Length that was read when the run was opened.
        let adopted = match rows.text.is_none() && made.extends_known {
            true => self.known_rows(rows).map(|known| known.len()),
            false => None,
        };
        let text: Arc<dyn Text> = made.text.text.clone();
        let length = made.text.len();
        self.shared.change(id, |s| {
            s.traits.set(SourceTrait::Synthetic, true);
            match length {
                0 => {
                    let what = rows.syntax.map_or("table", TableSyntax::name);
                    s.layout = format!("{what} without rows");
                }
                length => s.bytes = length,
            }
            s.text = text.clone();
            let old_problems = std::mem::take(&mut rows.problems);
            s.problems.retain(|p| !old_problems.contains(&p.text));
        });
        for text in &made.problems {
            problem(&self.shared, id, Severity::Warning, text.clone());
        }
        rows.problems = made.problems;
        self.is_changed = true;
        if !made.extends_known {
            rows.lines.log = None;
        }
        rows.text = Some(made.text);
        if length > 0
            && (adopted.is_some() || rows.lines.log.is_none() || rows.lines.needs_detection(length))
        {
            let first = FirstBytes::read(Whole::of(&text), 0, &self.cancel);
            let of = (rows.syntax, RecordOwner::Run);
            let detector = &self.shared.detector;
            let log = detector.detect_rows(&rows.lines.name, first.head(), modified, of);
            rows.lines.sampled = length;
            if let Some(len) =
                adopted.filter(|_| self.shared.source(id).is_some_and(|s| reads_as(&s, &log)))
            {
                rows.go_on(log.clone(), len);
            }
            self.read_as(&mut rows.lines, log, &text);
        }
        let bytes = length.saturating_sub(rows.lines.read_to);
        let of = (&*text, length);
        read_lines(
            &self.shared,
            &mut self.worker,
            &mut rows.lines,
            of,
            u64::MAX,
        )?;
        Ok(bytes)
    }

    /// Collects all JSON lines of the rows. `known` are the lines of the previous parse.
    pub(super) fn reparse(
        &self,
        lines: &mut dyn Read,
        known: Option<&dyn Text>,
    ) -> io::Result<ReparsedRows> {
        let mut made = SpooledLines::new(&self.shared.spool);
        let mut extends_known = true;
        let (mut new, mut old) = (vec![0; 64 << 10], vec![0; 64 << 10]);
        while !self.cancel.is_cancelled() {
            let n = lines.read(&mut new)?;
            if n == 0 {
                break;
            }
            if let Some(known) = known.filter(|known| extends_known && made.len() < known.len()) {
                let m = known.read_at(made.len(), &mut old[..n])?;
                extends_known = new[..m] == old[..m] && m > 0;
            }
            made.push(&new[..n]);
        }
        made.pause();
        extends_known &= known.is_none_or(|known| known.len() <= made.len());
        Ok(ReparsedRows {
            problems: Vec::new(),
            text: made,
            extends_known,
        })
    }
}

/// Whether a source was read with the same reader when the run was opened.
fn reads_as(source: &Source, log: &Log) -> bool {
    let is_reader = |reader: &Arc<Reader>| Arc::ptr_eq(reader, &log.reader);
    source.stats.records() > 0
        && source.reader.as_ref().is_some_and(is_reader)
        && source.system == log.system
        && source.kind == log.kind
        && *source.consts == *log.consts
}

impl ReparsedRows {
    /// Whether known rows changed.
    pub(crate) fn is_changed(&self) -> bool {
        !self.extends_known
    }

    /// Whether there are rows after the known ones.
    pub(crate) fn is_longer(&self, known: Option<&dyn Text>) -> bool {
        known.is_none_or(|known| known.len() < self.text.len())
    }
}

/// Whether an operation that took `took` should not be repeated yet.
pub(super) fn is_soon((at, took): (Instant, Duration), now: Instant) -> bool {
    now.duration_since(at) < took * SHARE
}

/// Result of parsing the rows of a file again.
pub(super) struct ReparsedRows {
    text: SpooledLines,
    /// Whether the text starts with the whole text of the previous parse.
    extends_known: bool,
    pub(crate) problems: Vec<String>,
}

/// Reader of a text from its start.
struct FromStart<'t> {
    text: &'t dyn Text,
    at: u64,
}

impl Read for FromStart<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.text.read_at(self.at, buf)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Byte after the last whole line of a file of `len` bytes; `len` if the last line is longer than `LAST`.
fn end_of_lines(opened: &File, len: u64) -> io::Result<u64> {
    let from = len.saturating_sub(LAST as u64);
    let mut bytes = vec![0; (len - from) as usize];
    let n = OpenText::new(opened, len).read_at(from, &mut bytes)?;
    let end = memchr::memrchr(b'\n', &bytes[..n]);
    Ok(end.map_or(if from == 0 { 0 } else { len }, |at| from + at as u64 + 1))
}
