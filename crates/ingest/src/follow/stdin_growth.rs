//! Reading of standard input as it arrives, whether or not following is on: unlike a file it cannot be read later.

use crate::source_entries::problem;
use std::time::{Duration, Instant};

use crate::detector::Verdict;
use crate::options::STDIN;
use crate::source_entries::not_kept_problem;
use crate::standard_input::broke_off;
use crate::stream_pieces::PieceEnd;
use crate::stream_source::{keep, parse_piece};
use widetui_core::diag::Severity;
use widetui_format::load::lines::{Chunk, Growth};
use widetui_source::head::{Extent, HEAD, SourceHead};
use widetui_source::text::{Text, read_range};

use super::follower::Follower;
use super::stdin_state::Piped;

/// Silence after which the reader is detected again with a short sample.
const QUIET: Duration = Duration::from_secs(2);

/// Number of bytes in one poll from which more is assumed to be waiting: pipes buffer little.
const MUCH: u64 = 1 << 20;

impl Follower {
    /// Whether no more data can arrive.
    pub(crate) fn is_done(&self) -> bool {
        self.roots.is_empty() && self.piped.as_ref().is_none_or(Piped::is_done)
    }

    /// Reads new data from standard input; returns a snapshot if there was any.
    pub(crate) fn poll_piped(
        &mut self,
        now: Instant,
    ) -> Option<std::sync::Arc<widetui_store::Snapshot>> {
        self.read_piped(now);
        self.publish(now)
    }

    /// Reads new data from standard input; returns the number of bytes.
    pub(super) fn read_piped(&mut self, now: Instant) -> u64 {
        self.is_behind = false;
        let Some(mut piped) = self.piped.take() else {
            return 0;
        };
        // Must precede reading: it may discard the records read so far.
        self.detect_reader_again(&mut piped, now);
        let before = piped.stream.pieces.unread().0.len();
        let (mut done, mut lost) = (0, 0);
        let id = piped.stream.id;
        while done < self.bytes && !self.cancel.is_cancelled() {
            let stream = &mut piped.stream;
            match stream.pieces.next_now() {
                Ok(Some(piece)) => {
                    done += piece.bytes.len() as u64;
                    lost += keep(Some(&stream.text), &piece);
                    let place = (id, &stream.log);
                    let first = !piped.has_records;
                    let to = parse_piece(&self.shared, &mut self.worker, place, &piece, first);
                    piped.seq = piece.seq + 1;
                    piped.has_records |= self.worker.builder.records() > 0;
                    if piece.end == PieceEnd::Pause {
                        stream.pieces.give_back(&piece, to);
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    problem(&self.shared, id, Severity::Error, broke_off(&error));
                    self.is_changed = true;
                }
            }
        }
        let stream = &piped.stream;
        let (unread, at) = stream.pieces.unread();
        if done > 0 || unread.len() != before {
            piped.grew = Some(now);
            let (unkept, from) = stream.pieces.unkept();
            if !unkept.is_empty() {
                lost += stream.text.keep_partial(from, unkept);
            }
            let bytes = at + unread.len() as u64;
            if lost > 0 {
                let text = not_kept_problem(&self.shared.spool);
                problem(&self.shared, id, Severity::Warning, text);
            }
            self.shared.change(id, |s| s.bytes = bytes);
            self.is_changed = true;
        }
        self.is_behind = done >= MUCH;
        self.piped = Some(piped);
        done
    }

    /// Detects the reader again as the sample grows. If the reader changed, the whole input is read again.
    fn detect_reader_again(&mut self, piped: &mut Piped, now: Instant) {
        let stream = &mut piped.stream;
        let is_quiet =
            stream.pieces.is_done() || piped.grew.is_none_or(|t| now.duration_since(t) >= QUIET);
        let len = stream.text.len();
        let wanted = if is_quiet {
            stream.sampled + 1
        } else {
            stream.sampled * 2
        };
        if stream.sampled >= HEAD as u64 || len < wanted.min(HEAD as u64) {
            return;
        }
        let (_, read_to) = stream.pieces.unread();
        let Ok(start) = read_range(&*stream.text, 0, (len as usize).min(2 * HEAD)) else {
            return;
        };
        stream.sampled = len;
        let head = SourceHead::of(&start, Extent::Whole);
        let verdict = self.shared.detector.detect(STDIN, head, 0);
        let Verdict::Log(log) = verdict else { return };
        if stream.log.reads_like(&log) {
            return;
        }
        let Ok(text) = read_range(&*stream.text, 0, read_to as usize) else {
            return;
        };
        let id = stream.id;
        if piped.has_records {
            self.reread(id);
        }
        self.describe(id, &log);
        let chunk = Chunk {
            text: &text,
            offset: 0,
            first: true,
            after: &[],
            growth: Growth::Complete,
        };
        self.worker
            .load(&self.shared.tables, &log.reader, id, 0, chunk);
        piped.has_records = self.worker.builder.records() > 0;
        stream.log = log;
        self.is_changed = true;
    }
}
