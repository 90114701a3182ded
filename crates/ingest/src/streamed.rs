//! Sources that can be read only once and in order: compressed files, standard input. Inflating runs on one thread, parsing
//! on all of them.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::Scope;

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_format::envelope::Envelope;
use widetui_format::lines::{Behind, Chunk};
use widetui_format::table::TableSyntax;
use widetui_source::head::FirstBytes;
use widetui_source::sniff::{Sniffed, sniff};
use widetui_source::spool::SpoolText;
use widetui_source::text::Text;

use super::chunk::Stretch;
use super::detector::{Log, RecordOwner, Verdict};
use super::load::Shared;
use super::opened::Opened;
use super::rows::{Holder, read_database_stream, read_rows};
use super::stream::{Blocking, Patient, PieceEnd, Pieces, StreamPiece};
use super::turn::Turn;
use super::units::{attach, enter, finish, measured, not_kept, trouble};
use super::worker::Worker;

/// Pieces of a stream that may wait to be parsed.
const WAITING: usize = 6;

/// Name of standard input as a source.
pub const STDIN: &str = "-";

/// What came through a pipe so far, and what is still to come.
#[derive(Debug)]
pub(super) struct Piped {
    first: FirstBytes,
    input: Patient,
}

pub(super) fn read_stdin<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    (next_id, turn): (&AtomicUsize, &Turn<Piped>),
) {
    match Patient::new(std::io::stdin(), Duration::from_millis(150)) {
        Ok(input) => read_input(scope, shared, id, (next_id, turn), input),
        Err(error) => trouble(shared, id, None, format!("cannot be read: {error}")),
    }
}

/// Reads what comes through a pipe: all of it, or, where files are followed, up to where it pauses.
pub(super) fn read_input<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    (next_id, turn): (&AtomicUsize, &Turn<Piped>),
    mut input: Patient,
) {
    // Wait for the first line, then take what is there.
    let mut first = FirstBytes::read(&mut input, 0, &shared.cancel);
    // What came before an error is read.
    let end = StreamEnd {
        bytes: first.bytes.len() as u64,
        failed: first.failed.take(),
    };
    let numbered = match sniff(&first.bytes) {
        Sniffed::Binary(what) => {
            attach(shared, id, what);
            None
        }
        Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip | Sniffed::Sqlite => {
            Some(Piped { first, input })
        }
        Sniffed::Text | Sniffed::Empty => detect_and_stream(scope, shared, id, first, input),
    };
    if let Some(piped) = numbered.and_then(|piped| turn.ask(piped)) {
        read_numbered(scope, shared, id, next_id, piped);
    }
    break_off(shared, id, end);
}

/// Reads what has sources inside, which get numbers of their own.
pub(super) fn read_numbered<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    next_id: &AtomicUsize,
    Piped { first, mut input }: Piped,
) {
    match sniff(&first.bytes) {
        Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip => {
            let all = std::io::Cursor::new(first.bytes).chain(Blocking(input));
            super::archive::read_piped(scope, shared, id, next_id, all);
        }
        Sniffed::Sqlite => {
            let all = std::io::Cursor::new(first.bytes).chain(Blocking(input));
            read_database_stream(scope, shared, piped(id, next_id), all);
        }
        _ => {
            let verdict = shared.detector.detect(STDIN, first.head(), 0);
            input.give_back(first.bytes);
            if let Verdict::Rows(rows) = verdict {
                read_rows(scope, shared, piped(id, next_id), rows, input);
            }
        }
    }
}

/// What comes through a pipe, when it holds tables.
fn piped(id: SourceId, next_id: &AtomicUsize) -> Holder<'_> {
    Holder {
        id,
        name: STDIN,
        modified: 0,
        next_id,
        origin: RecordOwner::Run,
    }
}

/// Reads text that is one source; gives it back when it has tables, which are sources of their own.
fn detect_and_stream<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    first: FirstBytes,
    mut input: Patient,
) -> Option<Piped> {
    let looked = first.bytes.len();
    let mut verdict = shared.detector.detect(STDIN, first.head(), 0);
    let mut around = None;
    if let Verdict::Rows(TableSyntax::Enveloped(envelope)) = verdict
        && shared.follows
    {
        // Who watches is not to wait for the last line. Several that write are told apart by what stands around their lines.
        around = Some(envelope).filter(|envelope| envelope.is_of_one());
        let log = match around {
            Some(envelope) => {
                let opened = opened(envelope, &first.bytes);
                let first = FirstBytes::read(&opened[..], 0, &shared.cancel);
                shared.detector.detect_lines(STDIN, first.head(), 0)
            }
            None => shared.detector.detect_lines(STDIN, first.head(), 0),
        };
        verdict = Verdict::Log(log);
    }
    if matches!(verdict, Verdict::Rows(_)) {
        return Some(Piped { first, input });
    }
    input.give_back(first.bytes);
    match verdict {
        Verdict::Rows(_) => {}
        Verdict::Attachment(what) => attach(shared, id, &what),
        Verdict::Log(log) if shared.follows => {
            let mut pieces = Pieces::new(Opened::new(input, around));
            let text = Arc::new(SpoolText::new(shared.spool.clone()));
            enter(shared, id, &log, Some(text.clone()));
            let kept = Some(text.clone());
            let end = read_pieces(scope, shared, (id, &log), &mut pieces, kept);
            break_off(shared, id, end);
            // It paused: who follows the run reads on.
            pieces.reader_mut().inner_mut().hurry();
            let stream = Stream {
                id,
                log,
                text,
                pieces,
                looked: looked as u64,
            };
            shared.harvest(|h| h.stream = Some(stream));
        }
        Verdict::Log(log) => {
            let pieces = Pieces::new(Blocking(input));
            let end = read_stream(scope, shared, (id, &log), pieces, Retain::Text);
            break_off(shared, id, end);
        }
    }
    None
}

/// Lines out of their envelopes.
fn opened(envelope: Envelope, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // What is at hand gives no errors.
    let _ = Opened::new(bytes, Some(envelope)).read_to_end(&mut out);
    out
}

fn break_off(shared: &Shared, id: SourceId, end: StreamEnd) {
    if let Some(error) = end.failed {
        trouble(shared, id, Some(end.bytes), broke_off(&error));
    }
}

/// What is told of standard input that broke off.
pub(super) fn broke_off(error: &std::io::Error) -> String {
    format!("standard input broke off: {error}")
}

/// Standard input that paused when it was loaded.
#[derive(Debug)]
pub(super) struct Stream {
    pub id: SourceId,
    /// How it is read.
    pub log: Log,
    /// Where its text is kept.
    pub text: Arc<SpoolText>,
    pub pieces: Pieces<Opened<Patient>>,
    /// Bytes of its start that were looked at to find out how it is read.
    pub looked: u64,
}

/// What of a stream is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retain {
    /// Its text, to be read again.
    Text,
    /// Nothing: it can be had again.
    Nothing,
}

/// Where a stream ended.
#[derive(Debug)]
pub(super) struct StreamEnd {
    /// How many bytes came.
    pub bytes: u64,
    /// What it broke off with; what came before was read.
    pub failed: Option<std::io::Error>,
}

/// Reads a stream as one source.
pub(super) fn read_stream<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    (id, log): (SourceId, &Log),
    mut pieces: Pieces<impl Read>,
    retain: Retain,
) -> StreamEnd {
    let text = (retain == Retain::Text).then(|| Arc::new(SpoolText::new(shared.spool.clone())));
    enter(shared, id, log, text.clone().map(|t| t as Arc<dyn Text>));
    read_pieces(scope, shared, (id, log), &mut pieces, text)
}

/// Reads the pieces of a source that was entered already, up to its end, or to where it pauses. They are kept in `text`, if
/// that is not done elsewhere.
pub(super) fn read_pieces<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    (id, log): (SourceId, &Log),
    pieces: &mut Pieces<impl Read>,
    text: Option<Arc<SpoolText>>,
) -> StreamEnd {
    // What was known so far is the compressed length, which may be the greater one.
    measured(shared, id, 0);
    let mut end = StreamEnd {
        bytes: 0,
        failed: None,
    };
    let waiting = Arc::new(AtomicUsize::new(0));
    loop {
        let piece = match pieces.next_piece() {
            Ok(Some(piece)) => piece,
            Ok(None) => return end,
            Err(error) => {
                end.failed = Some(error);
                return end;
            }
        };
        if shared.cancel.is_cancelled() {
            return end;
        }
        end.bytes = end.bytes.max(piece.offset + piece.bytes.len() as u64);
        measured(shared, id, end.bytes);
        if piece.end == PieceEnd::Pause {
            let to = read_piece(shared, id, log, text.as_deref(), &piece);
            pieces.give_back(&piece, to);
            return end;
        }
        if waiting.load(Ordering::Relaxed) >= WAITING {
            read_piece(shared, id, log, text.as_deref(), &piece);
            continue;
        }
        waiting.fetch_add(1, Ordering::Relaxed);
        let (log, text, waiting) = (log.clone(), text.clone(), waiting.clone());
        scope.spawn(move |_| {
            read_piece(shared, id, &log, text.as_deref(), &piece);
            waiting.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

/// Reads a piece; gives the byte of the stream up to which it was read.
fn read_piece(
    shared: &Shared,
    id: SourceId,
    log: &Log,
    text: Option<&SpoolText>,
    piece: &StreamPiece,
) -> u64 {
    not_kept(shared, id, keep(text, piece));
    shared.with_worker(|worker| {
        let to = parse_piece(shared, worker, (id, log), piece, piece.seq == 0);
        finish(shared, worker, (id.0, piece.seq));
        to
    })
}

/// Keeps the bytes of a piece that were not kept before; gives how many there is no room for.
pub(super) fn keep(text: Option<&SpoolText>, piece: &StreamPiece) -> u64 {
    match (text, piece.bytes.get(piece.keep_from..)) {
        (Some(text), Some(raw)) => text.keep(piece.offset + piece.keep_from as u64, raw),
        _ => 0,
    }
}

/// Reads the lines of a piece into the builder of a worker; gives the byte of the stream up to which they were read.
pub(super) fn parse_piece(
    shared: &Shared,
    worker: &mut Worker,
    (id, log): (SourceId, &Log),
    piece: &StreamPiece,
    first: bool,
) -> u64 {
    let (text, offset) = piece.text();
    let chunk = Chunk {
        text,
        offset,
        first,
        after: piece.bytes.get(piece.lines.end..).unwrap_or_default(),
        behind: match piece.end {
            PieceEnd::Pause => Behind::More,
            PieceEnd::Full | PieceEnd::Stream => Behind::Nothing,
        },
    };
    let seq = Stretch(piece.seq).first_part();
    worker.load(&shared.tables, &log.reader, id, seq, chunk)
}

/// A stream whose start is looked at before it is read from the start. An error met there comes again to whoever reads on:
/// inflaters tell theirs only once.
pub(super) struct Again<'a> {
    first: FirstBytes,
    at: usize,
    rest: &'a mut dyn Read,
}

impl<'a> Again<'a> {
    /// Looks at the first bytes, `want` at least.
    pub(super) fn of(rest: &'a mut dyn Read, want: usize, cancel: &Cancel) -> Self {
        Again {
            first: FirstBytes::read(&mut *rest, want, cancel),
            at: 0,
            rest,
        }
    }

    /// What was looked at.
    pub(super) fn first(&self) -> &FirstBytes {
        &self.first
    }

    /// What was looked at, to keep.
    pub(super) fn into_first(self) -> FirstBytes {
        self.first
    }
}

impl Read for Again<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let head = &mut self.first.bytes;
        let n = buf.len().min(head.len() - self.at);
        if n > 0 {
            buf[..n].copy_from_slice(&head[self.at..self.at + n]);
            self.at += n;
            if self.at == head.len() {
                (*head, self.at) = (Vec::new(), 0);
            }
            return Ok(n);
        }
        match self.first.failed.take() {
            Some(error) => Err(error),
            None => self.rest.read(buf),
        }
    }
}

/// Counts what is read of a compressed file as progress.
pub(super) struct Counted<'a, R> {
    inner: R,
    shared: &'a Shared,
}

impl<'a, R: Read> Counted<'a, R> {
    pub(super) fn new(inner: R, shared: &'a Shared) -> Self {
        Counted { inner, shared }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.shared.progress.advance(n as u64);
        Ok(n)
    }
}
