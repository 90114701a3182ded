//! Tables, and JSON over many lines, while they grow: all rows are made once more, and those that are new are read. Rows that
//! are not what they were are all read again.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::detector::{Log, RecordOwner};
use crate::line_spool::{LetterText, Whole};
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

/// Reading a table once more takes at most one part in so many of a core's time.
const SHARE: u32 = 8;
/// The end of the last whole line is looked for in so many bytes.
const LAST: usize = 1 << 20;

impl Follower {
    /// Makes the rows of a file once more, and reads those that are new.
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
        // A row that is not written to its end is another one soon, unless nothing comes any more.
        let whole = match file.is_quiet(now) {
            true => len,
            false => end_of_lines(opened, len)?,
        };
        if rows.last.is_some_and(|last| is_soon(last, now)) {
            return Ok(later);
        }
        if whole == rows.made_of {
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
        let made = self.made_again(&mut lines, self.known_rows(rows).as_deref())?;
        let made = MadeAgain {
            problems: lines.problems(),
            ..made
        };
        rows.last = Some((now, started.elapsed()));
        rows.made_of = whole;
        let bytes = self.read_new(rows, made, modified)?;
        self.files[at].lines.has_records = rows.lines.has_records;
        Ok(NewLines { bytes, end: len })
    }

    /// What was made of a table before, here or when the run was opened; `None` when that never happened.
    pub(super) fn known_rows(&self, rows: &Rows) -> Option<Arc<dyn Text>> {
        let source = self.sources.all.get(rows.lines.id.index())?;
        match &rows.text {
            Some(text) => Some(text.text.clone()),
            None => source
                .has_trait(SourceTrait::Synthetic)
                .then(|| source.text.clone()),
        }
    }

    /// Reads those of the rows that are new. How many bytes that was.
    pub(super) fn read_new(
        &mut self,
        rows: &mut Rows,
        made: MadeAgain,
        modified: i64,
    ) -> io::Result<u64> {
        let id = rows.lines.id;
        // So many bytes of it were read when the run was opened.
        let adopted = match rows.text.is_none() && made.goes_on {
            true => self.known_rows(rows).map(|known| known.len()),
            false => None,
        };
        let text: Arc<dyn Text> = made.text.text.clone();
        let length = made.text.len();
        self.sources.change(id, |s| {
            s.traits.set(SourceTrait::Synthetic, true);
            match length {
                0 => {
                    let what = rows.syntax.map_or("table", TableSyntax::name);
                    s.layout = format!("{what} without rows");
                }
                length => s.bytes = length,
            }
            s.text = text.clone();
            let told = std::mem::take(&mut rows.problems);
            s.problems.retain(|p| !told.contains(&p.text));
        });
        for problem in &made.problems {
            self.sources.tell(id, Severity::Warning, problem.clone());
        }
        rows.problems = made.problems;
        self.is_changed = true;
        if !made.goes_on {
            rows.lines.log = None;
        }
        rows.text = Some(made.text);
        if length > 0
            && (adopted.is_some() || rows.lines.log.is_none() || rows.lines.is_open(length))
        {
            let first = FirstBytes::read(Whole::of(&text), 0, &self.cancel);
            let of = (rows.syntax, RecordOwner::Run);
            let detector = &self.shared.detector;
            let log = detector.detect_rows(&rows.lines.name, first.head(), modified, of);
            rows.lines.looked = length;
            if let Some(len) = adopted.filter(|_| reads_as(&self.sources.all[id.index()], &log)) {
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

    /// Takes all lines that rows become. `known` is what they became before.
    pub(super) fn made_again(
        &self,
        lines: &mut dyn Read,
        known: Option<&dyn Text>,
    ) -> io::Result<MadeAgain> {
        let mut made = LetterText::new(&self.shared.spool);
        let mut goes_on = true;
        let (mut new, mut old) = (vec![0; 64 << 10], vec![0; 64 << 10]);
        while !self.cancel.is_cancelled() {
            let n = lines.read(&mut new)?;
            if n == 0 {
                break;
            }
            if let Some(known) = known.filter(|known| goes_on && made.len() < known.len()) {
                let m = known.read_at(made.len(), &mut old[..n])?;
                goes_on = new[..m] == old[..m] && m > 0;
            }
            made.push(&new[..n]);
        }
        made.pause();
        goes_on &= known.is_none_or(|known| known.len() <= made.len());
        Ok(MadeAgain {
            problems: Vec::new(),
            text: made,
            goes_on,
        })
    }
}

/// Whether a source was read like this when the run was opened.
fn reads_as(source: &Source, log: &Log) -> bool {
    let is_reader = |reader: &Arc<Reader>| Arc::ptr_eq(reader, &log.reader);
    source.stats.records() > 0
        && source.reader.as_ref().is_some_and(is_reader)
        && source.system == log.system
        && source.kind == log.kind
        && *source.consts == *log.consts
}

impl MadeAgain {
    /// Whether what was known is something else now.
    pub(crate) fn is_changed(&self) -> bool {
        !self.goes_on
    }

    /// Whether there is more than what was known.
    pub(crate) fn is_longer(&self, known: Option<&dyn Text>) -> bool {
        known.is_none_or(|known| known.len() < self.text.len())
    }
}

/// Whether it is too early to do once more what took so long then.
pub(super) fn is_soon((at, took): (Instant, Duration), now: Instant) -> bool {
    now.duration_since(at) < took * SHARE
}

/// The rows of a file, made once more.
pub(super) struct MadeAgain {
    text: LetterText,
    /// It starts with all that was made before.
    goes_on: bool,
    pub(crate) problems: Vec<String>,
}

/// A text from its start on.
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

/// The byte behind the last whole line of a file of `len` bytes; its length where the last line is very long.
fn end_of_lines(opened: &File, len: u64) -> io::Result<u64> {
    let from = len.saturating_sub(LAST as u64);
    let mut bytes = vec![0; (len - from) as usize];
    let n = OpenText::new(opened, len).read_at(from, &mut bytes)?;
    let end = memchr::memrchr(b'\n', &bytes[..n]);
    Ok(end.map_or(if from == 0 { 0 } else { len }, |at| from + at as u64 + 1))
}
