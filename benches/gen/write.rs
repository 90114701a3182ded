//! Records into files: the text layout, buffers bounded in memory, and the counts that answer.json reports.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::json::Json;
use super::random::Random;
use super::sites::{Arg, Site};
use super::template::{expand, integer, seconds};

/// Format of records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// The text layout of today's Parsl.
    Text,
    /// One JSON object a line, every value a string, as the observability prototype writes them.
    Json,
}

/// Written below a record's own line (text) or inside it (JSON).
#[derive(Clone, Copy)]
pub enum Below<'a> {
    /// Nothing.
    Nothing,
    /// More lines of the message.
    Lines(&'a str),
    /// A traceback.
    Traceback(&'a str),
}

/// Thread of a process: its file, and the time of its last record.
pub struct Thread {
    /// Index of the file it logs into.
    pub file: usize,
    /// The process's name.
    pub process: String,
    /// The process's id.
    pub pid: u64,
    /// The thread's name.
    pub name: String,
    /// The thread's id.
    pub id: u64,
    /// Time of its last record, microseconds since the epoch.
    pub clock: u64,
}

/// Counts in answer.json of one file, or of all.
#[derive(Clone, Default)]
pub struct Counts {
    /// Records.
    pub records: u64,
    /// Lines, those of tracebacks too.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
    /// Records of each level, in the order of `Level::ALL`.
    pub levels: [u64; 5],
    /// Earliest time, microseconds since the epoch.
    pub first: Option<u64>,
    /// Latest time.
    pub last: Option<u64>,
}

impl Counts {
    /// Adds another file's counts.
    pub fn add(&mut self, other: &Counts) {
        self.records += other.records;
        self.lines += other.lines;
        self.bytes += other.bytes;
        for (sum, n) in self.levels.iter_mut().zip(other.levels) {
            *sum += n;
        }
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
    }
}

/// One log file. No handle is kept: a run of 64,000 files must be writable under any limit on open files.
pub struct LogFile {
    /// Path relative to the run, with `/`.
    pub path: String,
    /// Its counts so far.
    pub counts: Counts,
    buffer: Vec<u8>,
}

/// All files of a run.
pub struct Files {
    /// The files, in the order of their creation.
    pub files: Vec<LogFile>,
    root: PathBuf,
    style: Style,
    keep: usize,
    second: (u64, String),
    message: Vec<u8>,
    scratch: Vec<u8>,
    start: u64,
    dfk: String,
    tail: Random,
}

/// Buffered bytes over all files, beyond which small files are written out.
const BUFFERED: usize = 64 << 20;
/// The zone in which the run's asctime is written, seconds east of UTC; a run directory never states it.
const ZONE: i64 = -6 * 3600;

impl Files {
    /// No files yet; `expected` files are to come, below `root`, of a run that started at `start` (microseconds).
    pub fn new(root: &Path, style: Style, expected: usize, start: u64, dfk: &str) -> Self {
        Self {
            files: Vec::with_capacity(expected),
            root: root.to_path_buf(),
            style,
            keep: (BUFFERED / expected.max(1)).clamp(4 << 10, 1 << 20),
            second: (0, String::new()),
            message: Vec::new(),
            scratch: Vec::new(),
            start,
            dfk: dfk.to_owned(),
            tail: Random::new(start),
        }
    }

    /// Makes an empty file; `stem` is its path without the extension.
    pub fn create(&mut self, stem: &str) -> io::Result<usize> {
        let path = match self.style {
            Style::Text => format!("{stem}.log"),
            Style::Json => format!("{stem}.jsonlog"),
        };
        let full = self.root.join(&path);
        if let Some(parent) = full.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::File::create(full)?;
        self.files.push(LogFile {
            path,
            counts: Counts::default(),
            buffer: Vec::new(),
        });
        Ok(self.files.len() - 1)
    }

    /// Writes one record of `thread` at `time` (microseconds since the epoch).
    pub fn record(
        &mut self,
        thread: &Thread,
        time: u64,
        site: &Site,
        args: &[Arg<'_>],
        below: Below<'_>,
    ) -> io::Result<()> {
        let seconds = time / 1_000_000;
        if self.second.0 != seconds {
            self.second = (seconds, asctime(seconds as i64 + ZONE));
        }
        let file = &mut self.files[thread.file];
        let from = file.buffer.len();
        match self.style {
            Style::Text => {
                text_header(&mut file.buffer, &self.second.1, thread, time, site);
                expand(&mut file.buffer, site.text, args);
                if let Below::Lines(lines) | Below::Traceback(lines) = below {
                    file.buffer.push(b'\n');
                    file.buffer.extend_from_slice(lines.as_bytes());
                    file.counts.lines +=
                        1 + memchr::memchr_iter(b'\n', lines.as_bytes()).count() as u64;
                }
            }
            Style::Json => {
                self.message.clear();
                let template = if site.json.is_empty() {
                    site.text
                } else {
                    site.json
                };
                expand(&mut self.message, template, args);
                let json = Json {
                    thread,
                    time,
                    site,
                    args,
                    below,
                    asctime: &self.second.1,
                    dfk: &self.dfk,
                    relative: time.saturating_sub(self.start),
                    digits: self.tail.below(1_000_000_000),
                };
                json.write(&mut file.buffer, &self.message, &mut self.scratch);
            }
        }
        file.buffer.push(b'\n');
        let counts = &mut file.counts;
        counts.records += 1;
        counts.lines += 1;
        counts.bytes += (file.buffer.len() - from) as u64;
        counts.levels[site.level as usize] += 1;
        counts.first = Some(counts.first.map_or(time, |first| first.min(time)));
        counts.last = counts.last.max(Some(time));
        if file.buffer.len() >= self.keep {
            flush(&self.root, file)?;
        }
        Ok(())
    }

    /// Writes out what is buffered.
    pub fn finish(&mut self) -> io::Result<()> {
        for file in &mut self.files {
            flush(&self.root, file)?;
        }
        Ok(())
    }
}

fn flush(root: &Path, file: &mut LogFile) -> io::Result<()> {
    if file.buffer.is_empty() {
        return Ok(());
    }
    OpenOptions::new()
        .append(true)
        .open(root.join(&file.path))?
        .write_all(&file.buffer)?;
    file.buffer.clear();
    Ok(())
}

fn text_header(out: &mut Vec<u8>, asctime: &str, thread: &Thread, time: u64, site: &Site) {
    seconds(out, time);
    out.push(b' ');
    out.extend_from_slice(asctime.as_bytes());
    out.push(b' ');
    out.extend_from_slice(thread.process.as_bytes());
    out.push(b'-');
    integer(out, thread.pid);
    out.push(b' ');
    out.extend_from_slice(thread.name.as_bytes());
    out.push(b'-');
    integer(out, thread.id);
    out.push(b' ');
    out.extend_from_slice(site.logger.as_bytes());
    out.push(b':');
    integer(out, u64::from(site.line));
    out.push(b' ');
    out.extend_from_slice(site.function.as_bytes());
    out.push(b' ');
    out.extend_from_slice(site.level.name().as_bytes());
    out.extend_from_slice(b": ");
}

/// `YYYY-MM-DD HH:MM:SS` of seconds since the epoch, by the proleptic Gregorian calendar.
fn asctime(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days in eras of 400 years that start on 1 March, so that the leap day is the last of a year.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (
        day - (153 * month + 2) / 5 + 1,
        if month < 10 { month + 3 } else { month - 9 },
    );
    let year = era * 400 + year + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}
