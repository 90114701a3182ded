//! Logs with log framing (`format::framing`): lines are unframed, kept in the spool, and read as separate logs, one for
//! each sender.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};

use rayon::Scope;

use widetui_core::words::several;
use widetui_format::catalog::sink::zone_offset;
use widetui_format::framing::{Framing, UnframedLine, continues_record, own_time, split_pid};
use widetui_format::load::lines::MAX_LINE;
use widetui_source::head::FirstBytes;

use crate::detector::Log;
use crate::line_spool::SpooledLines;
use crate::load_context::LoadContext;
use crate::source_entries::{attach, not_kept};
use crate::stream_source::read_text;
use crate::table_source::Holder;

/// Maximum number of senders with a source; lines of others are left out, with a problem note.
const MAX_SENDERS: usize = 1000;

/// Name of the rest of a host log from which logs of known programs were taken.
const OTHERS: &str = "others";
/// Layout name of a file with several senders.
const SEVERAL_SENDERS: &str = "log of several programs (their logs are listed)";

/// Number of first lines whose time is compared with that of their framing.
const COMPARED_FIRST: usize = 100;
/// Interval between later lines that are compared.
const COMPARED_EACH: usize = 256;
/// Maximum number of compared times of a sender.
const MAX_COMPARED: usize = 1000;
/// Greatest difference between the time of a line and that of its framing, besides the zone, ns: programs buffer output.
const MAX_DELAY: i64 = 180_000_000_000;

/// Maximum number of lines of a program that are examined, since output may precede its log.
const PROBED_LINES: usize = 20;

/// Programs in a host log that write records with times of their own.
#[derive(Debug, Default)]
struct KnownPrograms {
    /// By program: number of lines examined without a match, or `None` after a match.
    programs: HashMap<String, Option<usize>>,
}

impl KnownPrograms {
    /// Whether a line belongs to a program that writes records with times of their own.
    fn has(&mut self, shared: &LoadContext, unframed: &UnframedLine<'_>) -> bool {
        let sender = unframed.sender.as_deref().unwrap_or_default();
        let (program, _) = split_pid(sender);
        let looked = match self.programs.get(program) {
            None => 0,
            Some(None) => return true,
            Some(Some(looked)) => *looked,
        };
        if looked >= PROBED_LINES {
            return false;
        }
        let known = shared.detector.is_timed_record(&unframed.line);
        let now = (!known).then_some(looked + 1);
        self.programs.insert(program.to_owned(), now);
        known
    }
}

/// Lines of one sender.
#[derive(Debug)]
pub(super) struct SenderLog {
    sender: String,
    /// Output stream of all lines, if it is a single one.
    pub(crate) stream: OutputStream,
    /// Lines without their framing.
    pub lines: SpooledLines,
    /// Offsets of the local zone from UTC, s, by the times of framing and line (UTC ns).
    zones: Vec<(i64, i32)>,
    /// Number of lines.
    count: usize,
    /// Last complete time of the framing among the compared lines, ns.
    last_time: Option<i64>,
    /// True if JSON objects are among the lines.
    has_objects: bool,
    /// True if the next line continues the last one.
    is_open: bool,
    /// True if the last line belongs to a record above it.
    is_below: bool,
}

/// Output stream of a set of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OutputStream {
    Unknown,
    Single(String),
    Mixed,
}

impl OutputStream {
    fn add(&mut self, stream: Option<&str>) {
        let known = match (&*self, stream) {
            (OutputStream::Unknown, Some(stream)) => OutputStream::Single(stream.to_owned()),
            (OutputStream::Single(known), Some(stream)) if known != stream => OutputStream::Mixed,
            _ => return,
        };
        *self = known;
    }
}

impl SenderLog {
    fn new(shared: &LoadContext, sender: &str) -> SenderLog {
        SenderLog {
            sender: sender.to_owned(),
            stream: OutputStream::Unknown,
            lines: SpooledLines::new(&shared.spool),
            zones: Vec::new(),
            count: 0,
            last_time: None,
            has_objects: false,
            is_open: false,
            is_below: false,
        }
    }

    /// Compares the time of the framing with that of the line, for some lines.
    fn compare_times(&mut self, framing: Framing, line: &[u8], unframed: &[u8]) {
        self.count += 1;
        let is_examined = self.count <= COMPARED_FIRST || self.count.is_multiple_of(COMPARED_EACH);
        let Some(outer) = is_examined.then(|| framing.time(line)).flatten() else {
            return;
        };
        if outer.date && outer.year {
            self.last_time = Some(outer.ns);
        }
        if self.zones.len() < MAX_COMPARED
            && let Some(own) = own_time(outer, unframed)
            && let Some((offset, rest)) = zone_offset(outer, own)
            && rest.abs() <= MAX_DELAY
        {
            self.zones.push((outer.ns, offset));
        }
    }

    /// Offsets of the local zone if nearly all compared lines agree about them; a program may print times of the past.
    fn zones(&self) -> Vec<(i64, i32)> {
        let mut counts: Vec<(i32, usize)> = Vec::new();
        for (_, offset) in &self.zones {
            match counts.iter_mut().find(|c| c.0 == *offset) {
                Some(known) => known.1 += 1,
                None => counts.push((*offset, 1)),
            }
        }
        // Twice a year the offset changes.
        let is_usual = |offset: i32| {
            let count = counts.iter().find(|c| c.0 == offset).map_or(0, |c| c.1);
            count * 4 >= self.zones.len()
        };
        let all = self.zones.iter().filter(|(_, offset)| is_usual(*offset));
        let usual: Vec<(i64, i32)> = all.copied().collect();
        match usual.len() * 5 >= self.zones.len() * 4 {
            true => usual,
            false => Vec::new(),
        }
    }

    /// Name of the source below the file; empty for lines without framing.
    pub(crate) fn name(&self, framing: Framing) -> &str {
        match self.sender.split_once('/') {
            _ if self.sender.is_empty() => "",
            Some((_, program)) if framing.is_host_log() => program,
            _ => &self.sender,
        }
    }

    /// Detects the reader from the first bytes; `name` is the path of the source.
    pub(crate) fn log(
        &self,
        shared: &LoadContext,
        framing: Framing,
        (name, modified): (&str, i64),
        first: &FirstBytes,
    ) -> Log {
        // Times without a year or a date are near those of the framing.
        let near = self.last_time.unwrap_or(modified);
        let mut log = shared.detector.detect_lines(name, first.head(), near);
        let zones = self.zones();
        if !zones.is_empty() {
            log.zones = zones;
        }
        let mut names = framing.sender_keys(&self.sender);
        if let OutputStream::Single(stream) = &self.stream {
            names.push(("stream", stream));
        }
        for (name, value) in names {
            // Keys from the path take precedence.
            if let Some(constant) = shared.detector.constant(name, value)
                && log.consts.iter().all(|known| known.0 != constant.0)
            {
                log.consts.push(constant);
            }
        }
        log
    }
}

/// Reads more lines of a log with framing; returns its problems.
pub(super) fn read<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    splitter: &mut SenderSplitter,
    stream: impl Read,
) -> Vec<String> {
    let failed = splitter.read(shared, stream);
    let problems = failed.into_iter().chain(splitter.problem()).collect();
    let framing = splitter.framing;
    for part in &mut splitter.parts {
        match shared.growth {
            None => part.lines.end(),
            Some(_) => part.lines.pause(),
        }
    }
    if let [part] = &splitter.parts[..] {
        read_part(scope, shared, holder, framing, part);
        return problems;
    }
    attach(shared, holder.id, SEVERAL_SENDERS);
    for part in &splitter.parts {
        if shared.cancel.is_cancelled() {
            break;
        }
        let (id, path) = holder.table(shared, source_name(part, framing));
        // Lines without framing belong to the file itself, so they keep its name.
        let name = match part.name(framing) {
            "" => holder.name,
            _ => &path,
        };
        let source = Holder { id, name, ..holder };
        read_part(scope, shared, source, framing, part);
    }
    problems
}

/// Name of the source of a part in a file with several senders.
fn source_name(part: &SenderLog, framing: Framing) -> &str {
    match part.name(framing) {
        "" => OTHERS,
        name => name,
    }
}

/// Splits lines by sender.
#[derive(Debug)]
pub(super) struct SenderSplitter {
    /// Framing of the lines.
    pub(crate) framing: Framing,
    /// Lines by sender, in the order of their first lines.
    pub(crate) parts: Vec<SenderLog>,
    /// Index of the sender of the last line.
    at: usize,
    own: KnownPrograms,
    left_out: usize,
}

impl SenderSplitter {
    pub(crate) fn new(framing: Framing) -> SenderSplitter {
        SenderSplitter {
            framing,
            parts: Vec::new(),
            at: 0,
            own: KnownPrograms::default(),
            left_out: 0,
        }
    }

    /// Takes all lines of a stream; returns the read error, if any.
    fn read(&mut self, shared: &LoadContext, stream: impl Read) -> Option<String> {
        let mut lines = BufReader::with_capacity(1 << 16, stream);
        let mut line = Vec::new();
        while !shared.cancel.is_cancelled() {
            line.clear();
            match (&mut lines)
                .take(MAX_LINE as u64)
                .read_until(b'\n', &mut line)
            {
                Ok(0) => break,
                Ok(_) => self.take(shared, &line),
                Err(error) => return Some(format!("breaks off, read up to there: {error}")),
            }
        }
        None
    }

    /// Takes a line, with its line feed if present.
    pub(crate) fn take(&mut self, shared: &LoadContext, line: &[u8]) {
        let framing = self.framing;
        let ended = line.ends_with(b"\n");
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // A line without framing continues the previous line.
        let opened = framing.unframe(line);
        let taken =
            opened.filter(|unframed| !framing.is_host_log() || self.own.has(shared, unframed));
        let unframed = taken.unwrap_or_else(|| UnframedLine {
            line: line.into(),
            stream: None,
            sender: match framing.is_host_log() {
                true => None,
                false => self.parts.get(self.at).map(|p| p.sender.clone().into()),
            },
            continues: !ended,
        });
        let sender = unframed.sender.as_deref().unwrap_or_default();
        if self.parts.get(self.at).is_none_or(|p| p.sender != sender) {
            self.at = match self.parts.iter().position(|p| p.sender == sender) {
                Some(known) => known,
                None if self.parts.len() < MAX_SENDERS => {
                    self.parts.push(SenderLog::new(shared, sender));
                    self.parts.len() - 1
                }
                None => {
                    self.left_out += 1;
                    return;
                }
            };
        }
        let part = &mut self.parts[self.at];
        part.stream.add(unframed.stream.as_deref());
        part.compare_times(framing, line, &unframed.line);
        // Other lines among objects are records of their own, as are lines of a platform's own between those of a program.
        part.has_objects |= unframed.line.starts_with(b"{");
        let is_below = part.is_below;
        part.is_below = continues_record(&unframed.line);
        let may_be_own = match framing {
            Framing::OuterTime { .. } => !is_below && !part.is_below,
            _ => part.has_objects,
        };
        if may_be_own
            && !part.is_open
            && let Some(stamp) = framing.stamp_of_plain(line, &unframed.line)
        {
            part.lines.push(&stamp);
            part.lines.push(b" ");
        }
        part.lines.push(&unframed.line);
        part.is_open = unframed.continues;
        if !unframed.continues {
            part.lines.push(b"\n");
        }
    }

    /// Problem about lines that were left out.
    pub(crate) fn problem(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            let lines = several(self.left_out, "line");
            format!("{lines} left out: more than {MAX_SENDERS} programs write here")
        })
    }
}

fn read_part<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    source: Holder<'_>,
    framing: Framing,
    part: &SenderLog,
) {
    let (id, text) = (source.id, part.lines.text.clone());
    read_text(scope, shared, id, text, |first| {
        part.log(shared, framing, (source.name, source.modified), first)
    });
    not_kept(shared, id, part.lines.lost);
}
