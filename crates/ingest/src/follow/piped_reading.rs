//! Standard input, while more of it comes. It is read whether or not files are followed: nobody can read it later.

use std::time::{Duration, Instant};

use crate::detector::Verdict;
use crate::options::STDIN;
use crate::source_entries::NOT_KEPT;
use crate::standard_input::broke_off;
use crate::stream::PieceEnd;
use crate::stream_source::{keep, parse_piece};
use widetui_core::diag::Severity;
use widetui_format::load::lines::{Chunk, Growth};
use widetui_source::head::{Extent, HEAD, SourceHead};
use widetui_source::text::{Text, read_range};

use super::changes::reads_alike;
use super::follower::Follower;
use super::piped_input::Piped;

/// When nothing came for so long, it is looked at again how it is read.
const QUIET: Duration = Duration::from_secs(2);

/// When so many bytes came at once, more are waiting: little is kept between the writer and us.
const MUCH: u64 = 1 << 20;

impl Follower {
    /// Whether nothing can come any more.
    pub(crate) fn is_done(&self) -> bool {
        self.roots.is_empty() && self.piped.as_ref().is_none_or(Piped::is_done)
    }

    /// Reads what came from standard input; a new snapshot when anything did.
    pub(crate) fn poll_piped(
        &mut self,
        now: Instant,
    ) -> Option<std::sync::Arc<widetui_store::Snapshot>> {
        self.read_piped(now);
        self.publish()
    }

    /// Reads what came from standard input; how many bytes that was.
    pub(super) fn read_piped(&mut self, now: Instant) -> u64 {
        self.is_behind = false;
        let Some(mut piped) = self.piped.take() else {
            return 0;
        };
        // Before anything of it is read in this poll: what was read so far may go.
        self.look_at_start(&mut piped, now);
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
                    self.sources.tell(id, Severity::Error, broke_off(&error));
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
                lost += stream.text.keep_for_now(from, unkept);
            }
            let bytes = at + unread.len() as u64;
            if lost > 0 {
                self.sources.tell(id, Severity::Warning, NOT_KEPT);
            }
            self.sources.change(id, |s| s.bytes = bytes);
            self.is_changed = true;
        }
        self.is_behind = done >= MUCH;
        self.piped = Some(piped);
        done
    }

    /// Finds out how it is read, as more of its start is known; when that is not how it was read so far, all of it is read
    /// again.
    fn look_at_start(&mut self, piped: &mut Piped, now: Instant) {
        let stream = &mut piped.stream;
        let is_quiet =
            stream.pieces.is_done() || piped.grew.is_none_or(|t| now.duration_since(t) >= QUIET);
        let len = stream.text.len();
        let wanted = if is_quiet {
            stream.looked + 1
        } else {
            stream.looked * 2
        };
        if stream.looked >= HEAD as u64 || len < wanted.min(HEAD as u64) {
            return;
        }
        let (_, read_to) = stream.pieces.unread();
        let Ok(start) = read_range(&*stream.text, 0, (len as usize).min(2 * HEAD)) else {
            return;
        };
        stream.looked = len;
        let head = SourceHead::of(&start, Extent::Whole);
        let verdict = self.shared.detector.detect(STDIN, head, 0);
        let Verdict::Log(log) = verdict else { return };
        if reads_alike(&stream.log, &log) {
            return;
        }
        let Ok(text) = read_range(&*stream.text, 0, read_to as usize) else {
            return;
        };
        let id = stream.id;
        if piped.has_records {
            self.anew.insert(id);
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
