//! Sources that can be read only once and in order: compressed files, standard input. Inflating runs on one thread, parsing
//! on all of them.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::Scope;

use crate::base::ids::SourceId;
use crate::format::lines::Chunk;
use crate::source::sniff::{Sniffed, sniff};
use crate::source::spool::SpoolText;
use crate::source::text::Text;

use super::detector::{Log, Origin, Verdict};
use super::load::Shared;
use super::rows::{Holder, read_database_stream, read_rows};
use super::stream::{Blocking, Patient, Piece, Pieces};
use super::units::{HEAD, attach, enter, finish, measured, trouble};

/// Pieces of a stream that may wait to be parsed.
const WAITING: usize = 6;

/// Name of standard input as a source.
pub const STDIN: &str = "-";

pub(super) fn read_stdin<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    next_id: &AtomicUsize,
) {
    let mut input = Patient::new(std::io::stdin(), Duration::from_millis(150));
    // Wait for the first line, then take what is there.
    let mut head = vec![0; HEAD];
    let mut n = 0;
    while n < HEAD && !shared.cancel.is_cancelled() {
        match input.read(&mut head[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                if memchr::memchr(b'\n', &head[..n]).is_some() {
                    break;
                }
            }
            Err(error) => return trouble(shared, id, None, format!("cannot be read: {error}")),
        }
    }
    head.truncate(n);
    match sniff(&head) {
        Sniffed::Binary(what) => attach(shared, id, what),
        Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip => {
            let all = std::io::Cursor::new(head).chain(Blocking(input));
            super::archive::read_piped(scope, shared, id, next_id, all);
        }
        Sniffed::Sqlite => {
            let all = std::io::Cursor::new(head).chain(Blocking(input));
            read_database_stream(scope, shared, piped(id, next_id), all);
        }
        Sniffed::Text | Sniffed::Empty => {
            detect_and_stream(scope, shared, id, next_id, head, input);
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
        origin: Origin::Run,
    }
}

fn detect_and_stream<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    next_id: &AtomicUsize,
    head: Vec<u8>,
    rest: impl Read,
) {
    match shared.detector.detect(STDIN, &head, head.len() < HEAD, 0) {
        Verdict::Attachment(what) => attach(shared, id, &what),
        Verdict::Rows(rows) => {
            let stream = std::io::Cursor::new(head).chain(rest);
            read_rows(scope, shared, piped(id, next_id), rows, stream);
        }
        Verdict::Log(log) => {
            let stream = std::io::Cursor::new(head).chain(rest);
            let (end, failed) = read_stream(scope, shared, id, &log, Pieces::new(stream), true);
            if let Some(error) = failed {
                let text = format!("standard input broke off: {error}");
                trouble(shared, id, Some(end), text);
            }
        }
    }
}

/// Reads a stream as one source: gives how many bytes it had, and what it broke off with; what came before was read. With
/// `keep` its text is kept to be read again.
pub(super) fn read_stream<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    log: &Log,
    mut pieces: Pieces<impl Read>,
    keep: bool,
) -> (u64, Option<std::io::Error>) {
    let text = keep.then(|| Arc::new(SpoolText::new(shared.spool.clone())));
    enter(shared, id, log, text.clone().map(|t| t as Arc<dyn Text>));
    // What was known so far is the compressed length, which may be the greater one.
    measured(shared, id, 0);
    let mut end = 0;
    let waiting = Arc::new(AtomicUsize::new(0));
    loop {
        let piece = match pieces.next_piece() {
            Ok(Some(piece)) => piece,
            Ok(None) => return (end, None),
            Err(error) => return (end, Some(error)),
        };
        if shared.cancel.is_cancelled() {
            return (end, None);
        }
        end = end.max(piece.offset + piece.bytes.len() as u64);
        measured(shared, id, end);
        if waiting.load(Ordering::Relaxed) >= WAITING {
            read_piece(shared, id, log, text.as_deref(), piece);
            continue;
        }
        waiting.fetch_add(1, Ordering::Relaxed);
        let (log, text, waiting) = (log.clone(), text.clone(), waiting.clone());
        scope.spawn(move |_| {
            read_piece(shared, id, &log, text.as_deref(), piece);
            waiting.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn read_piece(shared: &Shared, id: SourceId, log: &Log, text: Option<&SpoolText>, piece: Piece) {
    if let (Some(text), Some(raw)) = (text, piece.bytes.get(piece.keep_from..)) {
        text.keep(piece.offset + piece.keep_from as u64, raw);
    }
    shared.with_worker(|worker| {
        let chunk = Chunk {
            text: &piece.bytes[piece.lines.clone()],
            offset: piece.offset + piece.lines.start as u64,
            first: piece.seq == 0,
            after: &piece.bytes[piece.lines.end..],
        };
        worker.load(&shared.tables, &log.reader, id, piece.seq << 8, chunk);
        finish(shared, worker, (id.0, piece.seq));
    });
}

/// A stream whose start is looked at before it is read from the start. An error met there comes again to whoever reads on:
/// inflaters tell theirs only once.
pub(super) struct Again<'a> {
    head: Vec<u8>,
    at: usize,
    failed: Option<std::io::Error>,
    rest: &'a mut dyn Read,
}

impl<'a> Again<'a> {
    pub(super) fn new(rest: &'a mut dyn Read) -> Self {
        Again {
            head: Vec::new(),
            at: 0,
            failed: None,
            rest,
        }
    }

    /// Looks at the first `want` bytes; says whether the stream ends, or breaks off, before them.
    pub(super) fn look(&mut self, want: usize) -> bool {
        self.failed = (&mut self.rest)
            .take(want as u64)
            .read_to_end(&mut self.head)
            .err();
        self.head.len() < want
    }

    /// What was looked at.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// What was looked at, to keep.
    pub(super) fn into_head(self) -> Vec<u8> {
        self.head
    }

    /// What ended the looking, once.
    pub(super) fn failed(&mut self) -> Option<std::io::Error> {
        self.failed.take()
    }
}

impl Read for Again<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = buf.len().min(self.head.len() - self.at);
        if n > 0 {
            buf[..n].copy_from_slice(&self.head[self.at..self.at + n]);
            self.at += n;
            if self.at == self.head.len() {
                (self.head, self.at) = (Vec::new(), 0);
            }
            return Ok(n);
        }
        match self.failed.take() {
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
