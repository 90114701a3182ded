//! Logs whose lines stand in envelopes (`format::envelope`): they are taken out, kept in the spool, and read as the logs that
//! they are, one for each who wrote them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use rayon::Scope;

use crate::base::words::several;
use crate::format::envelope::{Envelope, Letter, numbered};
use crate::format::lines::MAX_LINE;
use crate::source::head::FirstBytes;
use crate::source::text::Text;

use super::lettertext::{LetterText, Whole};
use super::load::Shared;
use super::rows::Holder;
use super::stream::Pieces;
use super::streamed::read_pieces;
use super::units::{attach, enter, measured, not_kept};

/// So many writers have sources of their own; what others write is left out, and told.
const PARTS: usize = 1000;

/// What the rest of a host's log is called when programs with logs of their own are taken out of it.
const OTHERS: &str = "others";
/// So many lines of a program are looked at: it may say something before its log begins.
const LINES: usize = 20;

/// Programs of a host that have a log of their own, in a layout that a definition knows.
#[derive(Default)]
struct OwnLogs {
    /// Of each program how many lines were looked at without finding one; none: it has.
    programs: HashMap<String, Option<usize>>,
}

impl OwnLogs {
    /// Whether a line belongs to such a log.
    fn has(&mut self, shared: &Shared, letter: &Letter<'_>) -> bool {
        let sender = letter.sender.as_deref().unwrap_or_default();
        let (program, _) = numbered(sender);
        let looked = match self.programs.get(program) {
            None => 0,
            Some(None) => return true,
            Some(Some(looked)) => *looked,
        };
        if looked >= LINES {
            return false;
        }
        let known = shared.detector.is_record_of_known(&letter.line);
        let now = (!known).then_some(looked + 1);
        self.programs.insert(program.to_owned(), now);
        known
    }
}

/// What one of them wrote.
struct Part {
    sender: String,
    /// The stream that all of it came from, as far as it is one.
    stream: OneStream,
    lines: LetterText,
}

enum OneStream {
    Unknown,
    This(String),
    Several,
}

impl OneStream {
    fn meet(&mut self, stream: Option<&str>) {
        let known = match (&*self, stream) {
            (OneStream::Unknown, Some(stream)) => OneStream::This(stream.to_owned()),
            (OneStream::This(known), Some(stream)) if known != stream => OneStream::Several,
            _ => return,
        };
        *self = known;
    }
}

impl Part {
    fn new(shared: &Shared, sender: &str) -> Part {
        Part {
            sender: sender.to_owned(),
            stream: OneStream::Unknown,
            lines: LetterText::new(&shared.spool),
        }
    }
}

/// Reads such a log; what is to be told of it.
pub(super) fn read<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    holder: Holder<'_>,
    envelope: Envelope,
    stream: impl Read,
) -> Vec<String> {
    let (mut parts, problems) = sorted(shared, envelope, stream);
    for part in &mut parts {
        part.lines.end();
    }
    if let [part] = &parts[..] {
        read_part(scope, shared, holder, envelope, part);
        return problems;
    }
    attach(shared, holder.id, "log of several (they are listed)");
    for part in &parts {
        if shared.cancel.is_cancelled() {
            break;
        }
        let name = match part.sender.split_once('/') {
            _ if part.sender.is_empty() => OTHERS,
            Some((_, program)) if envelope.is_of_host() => program,
            _ => &part.sender,
        };
        let (id, path) = holder.table(shared, name);
        // What stays in its envelope is what the file is.
        let name = match part.sender.is_empty() {
            true => holder.name,
            false => &path,
        };
        let source = Holder { id, name, ..holder };
        read_part(scope, shared, source, envelope, part);
    }
    problems
}

/// What each of those wrote whose lines are in the stream, in the order of their first lines.
fn sorted(shared: &Shared, envelope: Envelope, stream: impl Read) -> (Vec<Part>, Vec<String>) {
    let mut lines = BufReader::with_capacity(1 << 16, stream);
    let mut parts: Vec<Part> = Vec::new();
    let (mut line, mut at, mut left_out) = (Vec::new(), 0, 0);
    let mut problems = Vec::new();
    let mut own = OwnLogs::default();
    while !shared.cancel.is_cancelled() {
        line.clear();
        match (&mut lines)
            .take(MAX_LINE as u64)
            .read_until(b'\n', &mut line)
        {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                problems.push(format!("breaks off, read up to there: {error}"));
                break;
            }
        }
        let ended = line.pop_if(|last| *last == b'\n').is_some();
        line.pop_if(|last| *last == b'\r');
        // What stands in no envelope is the rest of what stood in the one before.
        let opened = envelope.open(&line);
        let taken = opened.filter(|letter| !envelope.is_of_host() || own.has(shared, letter));
        let letter = taken.unwrap_or_else(|| Letter {
            line: line.as_slice().into(),
            stream: None,
            sender: match envelope.is_of_host() {
                true => None,
                false => parts.get(at).map(|p| p.sender.clone().into()),
            },
            goes_on: !ended,
        });
        let sender = letter.sender.as_deref().unwrap_or_default();
        if parts.get(at).is_none_or(|p| p.sender != sender) {
            at = match parts.iter().position(|p| p.sender == sender) {
                Some(known) => known,
                None if parts.len() < PARTS => {
                    parts.push(Part::new(shared, sender));
                    parts.len() - 1
                }
                None => {
                    left_out += 1;
                    continue;
                }
            };
        }
        let part = &mut parts[at];
        part.stream.meet(letter.stream.as_deref());
        part.lines.push(&letter.line);
        if !letter.goes_on {
            part.lines.push(b"\n");
        }
    }
    if left_out > 0 {
        let lines = several(left_out, "line");
        problems.push(format!(
            "{lines} left out: more than {PARTS} programs write here"
        ));
    }
    (parts, problems)
}

fn read_part<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    source: Holder<'_>,
    envelope: Envelope,
    part: &Part,
) {
    let id = source.id;
    let text: Arc<dyn Text> = part.lines.text.clone();
    let first = FirstBytes::read(Whole::of(&text), 0, &shared.cancel);
    let mut log = shared
        .detector
        .detect_lines(source.name, first.head(), source.modified);
    let mut names = envelope.names(&part.sender);
    if let OneStream::This(stream) = &part.stream {
        names.push(("stream", stream));
    }
    for (name, value) in names {
        // What the path says counts.
        if let Some(said) = shared.detector.constant(name, value)
            && log.consts.iter().all(|known| known.0 != said.0)
        {
            log.consts.push(said);
        }
    }
    enter(shared, id, &log, Some(text.clone()));
    let mut pieces = Pieces::new(Whole::of(&text));
    read_pieces(scope, shared, (id, &log), &mut pieces, None);
    measured(shared, id, text.len());
    not_kept(shared, id, part.lines.lost);
}
