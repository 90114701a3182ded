//! Sources that can be read only once and in order: compressed files, standard input. Inflating runs on one thread, parsing
//! on all of them.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use rayon::Scope;

use crate::base::ids::SourceId;
use crate::format::lines::Chunk;
use crate::source::discover::Found;
use crate::source::file::open_regular;
use crate::source::sniff::{Sniffed, sniff};
use crate::source::spool::SpoolText;

use super::archive::{BOMB_BYTES, RATIO};
use super::detector::{Log, Origin, Verdict};
use super::load::Shared;
use super::rows::{Holder, read_database_stream, read_rows};
use super::stream::{Patient, Piece, Pieces};
use super::units::{HEAD, attach, enter, finish, trouble};

/// Pieces of a stream that may wait to be parsed.
const WAITING: usize = 6;

/// Name of standard input as a source.
pub const STDIN: &str = "-";

pub(super) fn read_gzip<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    file: &'s Found,
    next_id: &'s AtomicUsize,
    archives: &'s std::sync::Mutex<()>,
) {
    let opened = open_regular(&file.path).map(|f| (f.try_clone(), f));
    let (first, second) = match opened {
        Ok((Ok(first), second)) => (first, second),
        Ok((Err(error), _)) | Err(error) => {
            return trouble(shared, id, None, format!("cannot be read: {error}"));
        }
    };
    // Inflate the start to see what is inside.
    let mut inflater = Started::new(MultiGzDecoder::new(Counted::new(first, shared)));
    let head = inflater.head();
    let n = head.len();
    if sniff(&head) == Sniffed::Tar {
        drop((inflater, second));
        let Ok(_turn) = archives.lock() else { return };
        return super::archive::read_tar(scope, shared, id, file, next_id, false);
    }
    if let Sniffed::Binary(what) = sniff(&head) {
        return attach(shared, id, &format!("gzip of a {what}"));
    }
    let limited = |head: Vec<u8>, inflater| Limited {
        inner: std::io::Cursor::new(head).chain(inflater),
        left: BOMB_BYTES.max(file.bytes.saturating_mul(RATIO)),
    };
    let holder = Holder {
        id,
        name: &file.name,
        modified: file.modified,
        next_id,
        origin: Origin::Run,
    };
    if sniff(&head) == Sniffed::Sqlite {
        return read_database_stream(scope, shared, holder, limited(head, inflater));
    }
    let name = file.name.strip_suffix(".gz").unwrap_or(&file.name);
    match shared.detector.detect(name, &head, n < HEAD, file.modified) {
        Verdict::Attachment(what) => attach(shared, id, &what),
        Verdict::Rows(rows) => {
            read_rows(scope, shared, holder, rows, limited(head, inflater));
        }
        Verdict::Log(log) => {
            let stream = limited(head, inflater);
            let done = read_stream(scope, shared, id, &log, Pieces::new(stream));
            if let Err(error) = done {
                trouble(
                    shared,
                    id,
                    None,
                    format!("the gzip stream is broken or too large, read up to there: {error}"),
                );
            }
        }
    }
}

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
        Sniffed::Gzip => {
            let all = std::io::Cursor::new(head).chain(Blocking(input));
            let mut inflater = Started::new(MultiGzDecoder::new(all));
            let head = inflater.head();
            if sniff(&head) == Sniffed::Tar {
                let all = std::io::Cursor::new(head).chain(inflater);
                return super::archive::read_piped(scope, shared, id, next_id, all);
            }
            detect_and_stream(scope, shared, id, next_id, head, inflater);
        }
        Sniffed::Binary(what) => attach(shared, id, what),
        Sniffed::Tar => {
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
            if let Err(error) = read_stream(scope, shared, id, &log, Pieces::new(stream)) {
                trouble(
                    shared,
                    id,
                    None,
                    format!("standard input broke off: {error}"),
                );
            }
        }
    }
}

/// Reads a stream as one source.
///
/// # Errors
/// What the stream reports; what came before was read.
pub(super) fn read_stream<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    log: &Log,
    mut pieces: Pieces<impl Read>,
) -> std::io::Result<()> {
    let text = Arc::new(SpoolText::new(shared.spool.clone()));
    enter(shared, id, log, Some(text.clone()));
    // What was known so far is the compressed length, which may be the greater one.
    shared.harvest(|h| {
        if let Some(draft) = h.drafts.get_mut(&id.0) {
            draft.source.bytes = 0;
        }
    });
    let waiting = Arc::new(AtomicUsize::new(0));
    while let Some(piece) = pieces.next_piece()? {
        if shared.cancel.is_cancelled() {
            break;
        }
        let end = piece.offset + piece.bytes.len() as u64;
        shared.harvest(|h| {
            if let Some(draft) = h.drafts.get_mut(&id.0) {
                draft.source.bytes = draft.source.bytes.max(end);
            }
        });
        if waiting.load(Ordering::Relaxed) >= WAITING {
            read_piece(shared, id, log, &text, piece);
            continue;
        }
        waiting.fetch_add(1, Ordering::Relaxed);
        let (log, text, waiting) = (log.clone(), text.clone(), waiting.clone());
        scope.spawn(move |_| {
            read_piece(shared, id, &log, &text, piece);
            waiting.fetch_sub(1, Ordering::Relaxed);
        });
    }
    Ok(())
}

fn read_piece(shared: &Shared, id: SourceId, log: &Log, text: &SpoolText, piece: Piece) {
    if let Some(raw) = piece.bytes.get(piece.keep_from..) {
        text.keep(piece.offset + piece.keep_from as u64, raw);
    }
    shared.with_worker(|worker| {
        let chunk = Chunk {
            text: &piece.bytes[piece.lines.clone()],
            offset: piece.offset + piece.lines.start as u64,
            first: piece.seq == 0,
        };
        worker.load(&shared.tables, &log.reader, id, piece.seq << 8, chunk);
        finish(shared, worker, (id.0, piece.seq));
    });
}

/// A stream whose start is looked at first. An error met there comes again to whoever reads on: inflaters tell theirs
/// only once.
struct Started<R> {
    inner: R,
    failed: Option<std::io::Error>,
}

impl<R: Read> Started<R> {
    fn new(inner: R) -> Self {
        Started {
            inner,
            failed: None,
        }
    }

    /// The first `HEAD` bytes, or as many as there are before the end or an error.
    fn head(&mut self) -> Vec<u8> {
        let mut head = Vec::new();
        self.failed = (&mut self.inner)
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .err();
        head
    }
}

impl<R: Read> Read for Started<R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.inner.read(buf),
        }
    }
}

/// Reads until `buf` is full, the stream ends or fails.
pub(super) fn read_some(stream: &mut impl Read, buf: &mut [u8]) -> usize {
    let mut n = 0;
    while n < buf.len() {
        match stream.read(&mut buf[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    n
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

/// Fails when more comes out of a compressed file than logs ever compress to.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| {
            std::io::Error::other(format!("it expands to more than {RATIO} times its size"))
        })?;
        Ok(n)
    }
}

/// Waits on where a patient reader would time out.
struct Blocking<R>(R);

impl<R: Read> Read for Blocking<R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.0.read(buf) {
                Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {}
                other => return other,
            }
        }
    }
}
