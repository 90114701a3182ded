//! Sequential text that can be read only once: decompressed streams, standard input.
//!
//! The reading thread cuts the stream into pieces; each piece is spooled and parsed by an idle thread. If all are busy,
//! the reading thread parses a piece itself, so that memory stays bounded.

use std::io::{self, Read};
use std::ops::Range;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use widetui_core::thread::{self, NoThread};
use widetui_format::load::lines::MAX_LINE;
use widetui_format::messages::continuation_lines::AHEAD;
use widetui_source::spool::BLOCK;

/// Size of a piece in raw bytes: a multiple of the spool's block size.
pub(crate) const PIECE: usize = 8 * BLOCK;

/// Number of bytes by which the buffer of a piece grows.
const STEP: usize = 32 * 1024;

/// Piece of a stream: whole lines, and the raw bytes to spool.
#[derive(Debug)]
pub(crate) struct StreamPiece {
    /// Bytes carried over from the previous piece, followed by new ones.
    pub(crate) bytes: Vec<u8>,
    /// Byte of the stream at which `bytes` starts.
    pub(crate) offset: u64,
    /// Index from which bytes are to be spooled: the start of a spool block.
    pub(crate) keep_from: usize,
    /// Range of the lines that start in this piece. Between the lines of adjacent pieces there is at most the rest of a
    /// line longer than `MAX_LINE`.
    pub(crate) lines: Range<usize>,
    /// Number of the piece.
    pub(crate) seq: u32,
    /// Reason why the piece ends.
    pub(crate) end: PieceEnd,
}

/// Reason why a piece of a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceEnd {
    /// The piece is full.
    Full,
    /// No more data is available yet.
    Pause,
    /// The stream ended.
    Stream,
}

impl StreamPiece {
    /// Returns the lines that start in the piece, and the byte of the stream at which they start.
    pub(crate) fn text(&self) -> (&[u8], u64) {
        let lines = self.bytes.get(self.lines.clone()).unwrap_or_default();
        (lines, self.offset + self.lines.start as u64)
    }
}

/// Cutter of a stream into pieces.
#[derive(Debug)]
pub(crate) struct Pieces<R> {
    reader: R,
    /// Bytes at the start of the next piece, their offset in the stream, and the number of them that belong to earlier
    /// lines.
    carry: Vec<u8>,
    carry_offset: u64,
    carry_read: usize,
    seq: u32,
    done: bool,
    /// Error that ended the stream, reported after the last piece.
    failed: Option<io::Error>,
    /// Whether the previous piece ended within a line longer than `MAX_LINE`, of which the rest starts no record.
    inside_line: bool,
}

impl<R: Read> Pieces<R> {
    /// Creates a cutter. If a read times out (`ErrorKind::TimedOut`), the data so far becomes a piece.
    pub(crate) fn new(reader: R) -> Pieces<R> {
        Pieces {
            reader,
            carry: Vec::new(),
            carry_offset: 0,
            carry_read: 0,
            seq: 0,
            done: false,
            failed: None,
            inside_line: false,
        }
    }

    /// Underlying reader.
    pub(crate) fn into_reader(self) -> R {
        self.reader
    }

    /// Returns the next piece, or `None` at the end. A read error ends the stream and is returned after the last piece.
    ///
    /// # Errors
    /// Read error of the stream.
    pub(crate) fn next_piece(&mut self) -> io::Result<Option<StreamPiece>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.done {
            return Ok(None);
        }
        let offset = self.carry_offset;
        // Index of the first block boundary at or after the start of the carried bytes.
        let keep_from = (offset.next_multiple_of(BLOCK as u64) - offset) as usize;
        let mut bytes = std::mem::take(&mut self.carry);
        let end = self.fill(&mut bytes, keep_from);
        if bytes.len() <= self.carry_read && end == PieceEnd::Stream {
            return self.failed.take().map_or(Ok(None), Err);
        }
        let lines = self.lines(&bytes, end);
        self.carry_on(&bytes, lines.end);
        let piece = StreamPiece {
            offset,
            keep_from,
            lines,
            seq: self.seq,
            bytes,
            end,
        };
        self.seq += 1;
        Ok(Some(piece))
    }

    /// Reads after the carried bytes; returns the reason why it stopped.
    fn fill(&mut self, bytes: &mut Vec<u8>, keep_from: usize) -> PieceEnd {
        let before = bytes.len();
        let goal = keep_from.max(before) + PIECE;
        let goal = keep_from + (goal - keep_from).next_multiple_of(BLOCK);
        bytes.reserve(goal - before);
        let mut filled = before;
        let mut end = PieceEnd::Full;
        while filled < goal {
            // Most sources are small: memory that nothing is read into stays untouched.
            if filled == bytes.len() {
                bytes.resize((filled + STEP).min(goal), 0);
            }
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) => {
                    self.done = true;
                    end = PieceEnd::Stream;
                    break;
                }
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    if memchr::memchr(b'\n', &bytes[before..filled]).is_some() {
                        end = PieceEnd::Pause;
                        break;
                    }
                }
                Err(error) => {
                    self.done = true;
                    self.failed = Some(error);
                    end = PieceEnd::Stream;
                    break;
                }
            }
        }
        bytes.truncate(filled);
        end
    }

    /// Range of the lines that start in a piece.
    fn lines(&mut self, bytes: &[u8], end: PieceEnd) -> Range<usize> {
        let read = self.carry_read;
        // The last record of a full piece may continue in the next one; after a pause all lines are returned.
        let most = match end {
            PieceEnd::Stream | PieceEnd::Pause => bytes.len(),
            PieceEnd::Full => bytes.len().saturating_sub(AHEAD),
        };
        let early = || memchr::memrchr(b'\n', &bytes[..most]).filter(|at| *at >= read);
        let any = || memchr::memrchr(b'\n', bytes).filter(|at| *at >= read);
        let end = match end {
            PieceEnd::Stream => bytes.len(),
            PieceEnd::Pause | PieceEnd::Full => match early().or_else(any) {
                Some(at) => at + 1,
                // A longer line is cut, and the next piece continues it.
                None if self.inside_line || bytes.len() - read > MAX_LINE => bytes.len(),
                None => read,
            },
        };
        let mut start = read;
        if self.inside_line {
            let rest = bytes.get(start..end).unwrap_or_default();
            start = memchr::memchr(b'\n', rest).map_or(end, |at| start + at + 1);
        }
        if end > read {
            self.inside_line = bytes[..end].last() != Some(&b'\n');
        }
        start..end
    }

    /// Carries over the unfinished line or the unfinished block, whichever starts first.
    fn carry_on(&mut self, bytes: &[u8], end_of_lines: usize) {
        let offset = self.carry_offset;
        let last_block = (offset + bytes.len() as u64) / BLOCK as u64 * BLOCK as u64;
        let next = (offset + end_of_lines as u64).min(last_block.max(offset));
        let skip = (next - offset) as usize;
        self.carry = bytes[skip..].to_vec();
        self.carry_offset = next;
        self.carry_read = end_of_lines - skip;
    }
}

/// A stream that delivers less than `SLOW` bytes in this time is slow: the reader is told that no more data is
/// available, although the stream never pauses.
const LONGEST: Duration = Duration::from_millis(400);
const SLOW: usize = 1 << 20;
/// Timeout for data that the reading thread is about to deliver.
const SHORT: Duration = Duration::from_millis(2);

/// Reader of a pipe with a timeout: a separate thread does the blocking reads.
#[derive(Debug)]
pub(crate) struct TimeoutReader {
    receiver: Receiver<io::Result<Vec<u8>>>,
    current: Vec<u8>,
    used: usize,
    patience: Duration,
    /// Maximum wait on a slow stream that never pauses.
    longest: Duration,
    /// Time of the last timeout, and the number of bytes since.
    since: Instant,
    came: usize,
}

impl TimeoutReader {
    /// Starts to read `input` to its end in the background.
    ///
    /// # Errors
    /// The system refuses to create a thread.
    pub(crate) fn new(
        mut input: impl Read + Send + 'static,
        patience: Duration,
    ) -> Result<TimeoutReader, NoThread> {
        let (sender, receiver) = bounded(16);
        let read_all = move || {
            loop {
                let mut buffer = vec![0; 256 * 1024];
                let read = input.read(&mut buffer).map(|n| {
                    buffer.truncate(n);
                    buffer.shrink_to_fit();
                    buffer
                });
                let last = !matches!(&read, Ok(b) if !b.is_empty());
                let interrupted = matches!(&read, Err(e) if e.kind() == io::ErrorKind::Interrupted);
                if interrupted {
                    continue;
                }
                if sender.send(read).is_err() || last {
                    return;
                }
            }
        };
        thread::start("input", read_all)?;
        Ok(TimeoutReader {
            receiver,
            current: Vec::new(),
            used: 0,
            patience,
            longest: LONGEST,
            since: Instant::now(),
            came: 0,
        })
    }

    /// Prepends bytes that were read before.
    pub(crate) fn give_back(&mut self, mut bytes: Vec<u8>) {
        bytes.extend_from_slice(&self.current[self.used..]);
        (self.current, self.used) = (bytes, 0);
    }

    /// Reduces the timeout: takes available data, and waits only for data about to be delivered.
    pub(crate) fn shorten_timeout(&mut self) {
        (self.patience, self.longest) = (SHORT, 10 * SHORT);
    }

    fn pause(&mut self) -> io::Error {
        (self.since, self.came) = (Instant::now(), 0);
        io::ErrorKind::TimedOut.into()
    }
}

impl Read for TimeoutReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.used == self.current.len() {
            if self.since.elapsed() > self.longest {
                if self.came < SLOW && self.came > 0 {
                    return Err(self.pause());
                }
                (self.since, self.came) = (Instant::now(), 0);
            }
            self.current = match self.receiver.recv_timeout(self.patience) {
                Ok(read) => read?,
                Err(RecvTimeoutError::Timeout) => return Err(self.pause()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            };
            self.used = 0;
        }
        let n = buf.len().min(self.current.len() - self.used);
        buf[..n].copy_from_slice(&self.current[self.used..self.used + n]);
        self.used += n;
        self.came += n;
        Ok(n)
    }
}

/// Reader that repeats reads that time out, for tables and archives, which are read to their end.
pub(super) struct Blocking<R>(pub R);

impl<R: Read> Read for Blocking<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buf) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                other => return other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reader that returns a few bytes at a time and times out in between.
    struct Slow<'a>(&'a [u8], Vec<usize>);

    impl Read for Slow<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            match self.1.pop() {
                Some(0) => Err(io::ErrorKind::TimedOut.into()),
                step => {
                    let n = step.unwrap_or(usize::MAX).min(buf.len()).min(self.0.len());
                    buf[..n].copy_from_slice(&self.0[..n]);
                    self.0 = &self.0[n..];
                    Ok(n)
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn pieces_hold_whole_lines_and_all_bytes(
            lines in proptest::collection::vec(prop_oneof![20 => 0usize..60_000, 1 => 1usize..5_000_000], 0..60),
            steps in proptest::collection::vec(prop_oneof![Just(0usize), 1usize..700_000], 0..30),
        ) {
            let mut text = Vec::new();
            for n in lines { text.resize(text.len() + n, b'x'); text.push(b'\n'); }
            text.extend_from_slice(b"no end");
            let mut pieces = Pieces::new(Slow(&text, steps));
            let (mut read, mut kept) = (Vec::new(), Vec::new());
            while let Some(piece) = pieces.next_piece().unwrap() {
                let keep_at = piece.offset as usize + piece.keep_from;
                prop_assert_eq!(keep_at % BLOCK, 0);
                prop_assert!(keep_at <= kept.len());
                if piece.keep_from < piece.bytes.len() {
                    kept.truncate(keep_at);
                    kept.extend_from_slice(&piece.bytes[piece.keep_from..]);
                }
                let start = piece.offset as usize + piece.lines.start;
                prop_assert!(start == 0 || text[start - 1] == b'\n' || piece.lines.is_empty());
                prop_assert!(!text[read.len()..start].contains(&b'\n') || text[read.len()..start].ends_with(b"\n"));
                read.extend_from_slice(&text[read.len()..start]);
                read.extend_from_slice(&piece.bytes[piece.lines]);
            }
            prop_assert!(read == text);
            prop_assert!(kept == text);
        }
    }

    /// Reader that fails after some bytes.
    struct Broken(usize);

    impl Read for Broken {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let n = self.0.min(buf.len());
            buf[..n].fill(b'\n');
            self.0 -= n;
            Ok(n)
        }
    }

    #[test]
    fn an_error_comes_after_what_was_read_before_it() {
        for n in [0, 10, PIECE, PIECE + 10] {
            let mut pieces = Pieces::new(Broken(n));
            let mut read = 0;
            let error = loop {
                match pieces.next_piece() {
                    Ok(Some(piece)) => read += piece.lines.len(),
                    Ok(None) => panic!("the error is lost"),
                    Err(error) => break error,
                }
            };
            assert_eq!((read, error.kind()), (n, io::ErrorKind::UnexpectedEof));
            assert!(pieces.next_piece().unwrap().is_none());
        }
    }
}
