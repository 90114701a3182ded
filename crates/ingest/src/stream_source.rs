//! Sources that can be read only once and in order: compressed files, tables, standard input. One thread reads (and
//! inflates), all threads parse.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::Scope;

use widetui_core::cancel::Cancel;
use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_format::load::lines::{Chunk, Growth};
use widetui_source::head::FirstBytes;
use widetui_source::spool::SpoolText;
use widetui_source::text::{Text, TextStream};

use crate::chunk::PartNumber;
use crate::detector::Log;
use crate::load_context::{Activity, GrowthStep, LoadContext};
use crate::source_entries::{enter, measured, not_kept, problem};
use crate::stream_pieces::{PieceEnd, Pieces, StreamPiece};

/// Maximum number of pieces of a stream that wait to be parsed.
const WAITING: usize = 6;

/// Retention of the text of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retain {
    /// Keeps the text, for reading records again.
    Text,
    /// Keeps nothing: the stream can be read again.
    Nothing,
}

/// End of a stream.
#[derive(Debug)]
pub(super) struct StreamEnd {
    /// Number of bytes read.
    pub(crate) bytes: u64,
    /// Byte up to which it was read, if it paused.
    pub(crate) paused_at: Option<u64>,
    /// Error that ended the stream; the text before it was read.
    pub(crate) failed: Option<std::io::Error>,
}

impl StreamEnd {
    /// End of a stream that did not pause.
    pub(crate) fn new(bytes: u64, failed: Option<io::Error>) -> StreamEnd {
        StreamEnd {
            bytes,
            paused_at: None,
            failed,
        }
    }
}

/// Reads a stream as one source.
pub(super) fn read_stream<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    (id, log): (SourceId, &Log),
    mut pieces: Pieces<impl Read>,
    retain: Retain,
) -> StreamEnd {
    let text = (retain == Retain::Text).then(|| Arc::new(SpoolText::new(shared.spool.clone())));
    enter(shared, id, log, text.clone().map(|t| t as Arc<dyn Text>));
    read_pieces(scope, shared, (id, log), &mut pieces, text)
}

/// Reads the pieces of a source that was entered before, up to its end or pause. They are kept in `text`, unless they are kept
/// elsewhere.
pub(super) fn read_pieces<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    (id, log): (SourceId, &Log),
    pieces: &mut Pieces<impl Read>,
    text: Option<Arc<SpoolText>>,
) -> StreamEnd {
    // The length so far is the compressed one, which may be greater.
    measured(shared, id, 0);
    let mut end = StreamEnd::new(0, None);
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
            end.paused_at = Some(read_piece(shared, id, log, text.as_deref(), &piece));
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

/// Minimum interval between readings of a source with changed records from its start.
const ANEW: Duration = Duration::from_secs(30);
/// Additional interval per record of the source.
const ANEW_EACH: Duration = Duration::from_micros(20);

/// Reads a text that was made of the bytes of a file as one source. In a growing run it goes on after the known records if the
/// text begins with the known one, and else reads all of it again.
pub(super) fn read_text<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    text: Arc<dyn Text>,
    detect: impl FnOnce(&FirstBytes) -> Log,
) {
    let detected = || {
        detect(&FirstBytes::read(
            TextStream::new(&*text, 0),
            0,
            &shared.cancel,
        ))
    };
    if let Some(growth) = shared.growth {
        let read = go_on(shared, id, &text, growth, detected);
        if let Err(error) = read {
            problem(
                shared,
                id,
                Severity::Warning,
                format!("cannot be read: {error}"),
            );
        }
        return;
    }
    let log = detected();
    enter(shared, id, &log, Some(text.clone()));
    let mut pieces = Pieces::new(TextStream::new(&*text, 0));
    read_pieces(scope, shared, (id, &log), &mut pieces, None);
    measured(shared, id, text.len());
}

/// Reads what is new in a text.
fn go_on(
    shared: &LoadContext,
    id: SourceId,
    text: &Arc<dyn Text>,
    growth: GrowthStep,
    detected: impl FnOnce() -> Log,
) -> io::Result<()> {
    let Some(known) = shared.source(id) else {
        return Ok(());
    };
    let (len, records) = (text.len(), known.stats.records());
    let mut reader = shared.take_reader(id);
    let mut goes_on = records > 0 && Arc::ptr_eq(&known.text, text)
        || reader.log.is_some() && begins_with(&**text, &*known.text, &shared.cancel)?;
    let is_quiet = growth.activity >= Activity::Quiet;
    let is_short = is_quiet && reader.is_partly_sampled(len);
    if !goes_on || is_short || reader.needs_detection(len) {
        let log = detected();
        reader.sampled = len;
        goes_on &= reader
            .log
            .as_ref()
            .is_some_and(|known| known.reads_like(&log));
        let wait = ANEW.max(ANEW_EACH.saturating_mul(records.try_into().unwrap_or(u32::MAX)));
        let last = shared.update(|h| h.drafts.get(&id.0).and_then(|draft| draft.reread));
        let is_soon = last.is_some_and(|last| growth.now.duration_since(last) < wait);
        if !goes_on && records > 0 {
            if is_soon {
                shared.update(|h| h.is_behind = true);
                shared.return_reader(id, reader);
                return Ok(());
            }
            shared.update(|h| {
                h.reread(id);
                h.drafts
                    .get_mut(&id.0)
                    .map(|draft| draft.reread = Some(growth.now))
            });
        }
        if !goes_on {
            enter(shared, id, &log, Some(text.clone()));
            reader.restart();
        }
        shared.change(id, |s| s.layout.clone_from(&log.layout));
        reader.log = Some(log);
    }
    shared.change(id, |s| (s.text, s.bytes) = (text.clone(), len));
    let read = shared.with_worker(|worker| {
        let read = reader.resume(
            (&shared.tables, worker),
            id,
            &**text,
            (u64::MAX, growth.of_end()),
        );
        shared.finish_unit(worker, (id.0, reader.seq));
        read
    });
    shared.return_reader(id, reader);
    read.map(|_| ())
}

/// True if a text begins with all bytes of another one.
fn begins_with(text: &dyn Text, start: &dyn Text, cancel: &Cancel) -> io::Result<bool> {
    let (mut own, mut other) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    let mut at = 0;
    while at < start.len() && !cancel.is_cancelled() {
        let n = start.read_at(at, &mut other)?;
        let m = text.read_at(at, &mut own[..n])?;
        if n == 0 || own[..m] != other[..n] {
            return Ok(false);
        }
        at += n as u64;
    }
    Ok(true)
}

/// Reads a piece; returns the byte of the stream up to which it was read.
fn read_piece(
    shared: &LoadContext,
    id: SourceId,
    log: &Log,
    kept: Option<&SpoolText>,
    piece: &StreamPiece,
) -> u64 {
    // Other bytes were kept before.
    if let (Some(kept), Some(raw)) = (kept, piece.bytes.get(piece.keep_from..)) {
        let lost = kept.keep(piece.offset + piece.keep_from as u64, raw);
        not_kept(shared, id, lost);
    }
    let (text, offset) = piece.text();
    let chunk = Chunk {
        text,
        offset,
        first: piece.seq == 0,
        after: piece.bytes.get(piece.lines.end..).unwrap_or_default(),
        growth: match piece.end {
            PieceEnd::Pause => Growth::Growing,
            PieceEnd::Full | PieceEnd::Stream => Growth::Complete,
        },
    };
    let seq = PartNumber(piece.seq).first_part();
    shared.with_worker(|worker| {
        let to = worker.load(&shared.tables, &log.reader, id, seq, chunk);
        shared.finish_unit(worker, (id.0, piece.seq));
        to
    })
}

/// Stream whose first bytes were examined and are read again from the start. An error among them is reported again:
/// inflaters report theirs only once.
pub(super) struct RewoundStream<'a> {
    first: FirstBytes,
    at: usize,
    rest: &'a mut dyn Read,
}

impl<'a> RewoundStream<'a> {
    /// Examines the first bytes, at least `want`.
    pub(super) fn of(rest: &'a mut dyn Read, want: usize, cancel: &Cancel) -> Self {
        RewoundStream {
            first: FirstBytes::read(&mut *rest, want, cancel),
            at: 0,
            rest,
        }
    }

    /// First bytes.
    pub(super) fn first(&self) -> &FirstBytes {
        &self.first
    }

    /// Takes the first bytes.
    pub(super) fn into_first(self) -> FirstBytes {
        self.first
    }
}

impl Read for RewoundStream<'_> {
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

/// Reader that counts the bytes of a compressed file as progress.
pub(super) struct Counted<'a, R> {
    inner: R,
    shared: &'a LoadContext,
}

impl<'a, R: Read> Counted<'a, R> {
    pub(super) fn new(inner: R, shared: &'a LoadContext) -> Self {
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
