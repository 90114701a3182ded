//! Re-reading of records' texts, for the few that a screen shows.
//!
//! A separate thread reads, so that a slow file system never blocks the interface, which draws the available texts and
//! redraws when others arrive. Blocks of text are cached, as the next screen mostly needs the same ones.

use std::collections::VecDeque;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};
use rustc_hash::FxHashMap;

use widetui_core::ids::{EventId, SourceId};
use widetui_core::thread::{self, NoThread};
use widetui_core::words::shown_lines;
use widetui_format::fields::first_line;
use widetui_source::text::{Text, read_range};
use widetui_store::{EventRef, Snapshot};

/// Size of a cached block in bytes.
const BLOCK: u64 = 1 << 16;
/// Maximum number of cached blocks: 16 MiB of text.
const BLOCKS: usize = 256;
/// Maximum number of bytes shown of a record; the rest is only counted.
pub(crate) const MAX_RECORD: usize = 1 << 18;

/// Maximum number of lines kept of a message after the first one.
pub const MAX_MORE: usize = 1000;

/// Source and offset of a record, which are equal in all snapshots of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Source of the record.
    pub source: SourceId,
    /// Byte offset of its start.
    pub offset: u64,
}

impl Place {
    /// Returns the place of a record.
    pub fn from_event(event: &EventRef<'_>) -> Place {
        Place {
            source: event.source().id,
            offset: event.span().0,
        }
    }
}

/// A re-read record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// First line of the message.
    pub message: String,
    /// Number of further lines of the message.
    pub more_lines: usize,
    /// Further lines, at most [`MAX_MORE`].
    pub more: Vec<String>,
    /// Whole text, at most [`MAX_RECORD`] bytes.
    pub text: String,
    /// Number of bytes that `text` leaves out.
    pub left_out: usize,
    /// Keys with the spellings of their values, in the order of the record.
    pub pairs: Vec<(String, Vec<String>)>,
    /// Reason why the text could not be re-read: the source was deleted or truncated.
    pub problem: Option<String>,
}

/// Cache of recently read blocks.
#[derive(Debug, Default)]
pub struct Blocks {
    blocks: FxHashMap<(SourceId, u64), Arc<Vec<u8>>>,
    oldest: VecDeque<(SourceId, u64)>,
    /// Error of the last read.
    problem: Option<String>,
}

impl Blocks {
    /// Reads bytes of a source; fewer where it ends or cannot be read.
    fn bytes(&mut self, source: SourceId, text: &dyn Text, offset: u64, len: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(len);
        let end = offset.saturating_add(len as u64);
        let mut at = offset;
        while at < end {
            let index = at / BLOCK;
            let skip = (at % BLOCK) as usize;
            let need = ((end - at).min(BLOCK - skip as u64)) as usize + skip;
            let block = self.block(source, text, index, need);
            let Some(piece) = block.get(skip..need.min(block.len())) else {
                break;
            };
            out.extend_from_slice(piece);
            if piece.len() < need - skip {
                break;
            }
            at += piece.len() as u64;
        }
        out
    }

    fn block(
        &mut self,
        source: SourceId,
        text: &dyn Text,
        index: u64,
        need: usize,
    ) -> Arc<Vec<u8>> {
        if let Some(block) = self.blocks.get(&(source, index))
            // The last block of a file that has grown is read again.
            && block.len() >= need
        {
            return block.clone();
        }
        let read = read_range(text, index * BLOCK, BLOCK as usize);
        let block = Arc::new(read.unwrap_or_else(|error| {
            self.problem = Some(error.to_string());
            Vec::new()
        }));
        if self.blocks.insert((source, index), block.clone()).is_none() {
            self.oldest.push_back((source, index));
        }
        while self.oldest.len() > BLOCKS {
            if let Some(old) = self.oldest.pop_front() {
                self.blocks.remove(&old);
            }
        }
        block
    }

    /// Reads a record.
    pub(crate) fn record(&mut self, event: &EventRef<'_>) -> Record {
        let source = event.source();
        let (offset, len) = event.span();
        let shown = len.min(MAX_RECORD);
        self.problem = None;
        let bytes = self.bytes(source.id, &*source.text, offset, shown);
        let is_short = (bytes.len() < shown).then(|| "the file is shorter than before".to_owned());
        if let Some(problem) = self.problem.take().or(is_short) {
            return Record {
                problem: Some(problem),
                ..Record::default()
            };
        }
        let Some(reader) = &source.reader else {
            return Record::default();
        };
        let fields = reader.fields(&bytes, &event.snapshot.tables);
        let (head, _) = first_line(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(['\n', '\r']).replace("\r\n", "\n");
        // Programs begin a banner with an empty line; the lines after it are more informative.
        let mut lines = shown_lines(fields.message.trim_start());
        let message = lines.next().unwrap_or_default();
        let more_lines = lines.clone().count();
        let more = lines.take(MAX_MORE).map(str::to_owned).collect();
        Record {
            message: if message.is_empty() && fields.time.is_none() {
                String::from_utf8_lossy(head).into_owned()
            } else {
                message.to_owned()
            },
            more_lines,
            more,
            text,
            left_out: len - shown,
            pairs: fields
                .pairs
                .into_iter()
                .map(|(key, values)| (key.name.to_string(), values))
                .collect(),
            problem: None,
        }
    }
}

/// Re-read records with their places.
pub type Fetched = Vec<(Place, Arc<Record>)>;

/// Reads records on a thread.
#[derive(Debug)]
pub struct Fetcher {
    send: Sender<(Arc<Snapshot>, Vec<EventId>)>,
}

impl Fetcher {
    /// Starts the thread, which passes records in batches to `deliver`. It ends when the fetcher is dropped, or when
    /// `deliver` returns `false`.
    ///
    /// # Errors
    /// The system provides no thread.
    pub fn spawn(deliver: impl Fn(Fetched) -> bool + Send + 'static) -> Result<Fetcher, NoThread> {
        let (send, receive) = unbounded();
        thread::start("fetch", move || work(&receive, &deliver))?;
        Ok(Fetcher { send })
    }

    /// Requests some records, the most urgent first; earlier requests that are still pending are dropped.
    pub fn want(&self, snapshot: &Arc<Snapshot>, events: Vec<EventId>) {
        let _ = self.send.send((snapshot.clone(), events));
    }
}

/// Number of records per batch.
const PIECE: usize = 64;

fn work(receive: &Receiver<(Arc<Snapshot>, Vec<EventId>)>, deliver: &dyn Fn(Fetched) -> bool) {
    let mut blocks = Blocks::default();
    let mut next = receive.recv().ok();
    while let Some((snapshot, events)) = next.take() {
        for piece in events.chunks(PIECE) {
            if !deliver(read(&snapshot, piece, &mut blocks)) {
                return;
            }
            if let Some(newer) = receive.try_iter().last() {
                next = Some(newer);
                break;
            }
        }
        if next.is_none() {
            next = receive.recv().ok();
        }
    }
}

/// Reads records on the current thread.
pub fn read(snapshot: &Snapshot, events: &[EventId], blocks: &mut Blocks) -> Fetched {
    events
        .iter()
        .filter_map(|id| {
            let event = snapshot.event(*id)?;
            Some((Place::from_event(&event), Arc::new(blocks.record(&event))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_source::text::MemoryText;

    proptest! {
        #[test]
        fn blocks_give_the_bytes_of_the_text(
            len in 0usize..200_000, reads in prop::collection::vec((0u64..210_000, 0usize..150_000), 1..5),
        ) {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 31 % 251) as u8).collect();
            let text = MemoryText(bytes.clone());
            let mut blocks = Blocks::default();
            for (offset, n) in reads {
                let from = (offset as usize).min(len);
                let to = (from + n).min(len);
                let want = if offset as usize > len { &[][..] } else { &bytes[from..to] };
                prop_assert_eq!(blocks.bytes(SourceId(1), &text, offset, n), want);
            }
        }
    }

    #[test]
    fn a_text_that_grew_is_read_again() {
        let mut blocks = Blocks::default();
        let short = MemoryText(b"abc".to_vec());
        let long = MemoryText(b"abcdef".to_vec());
        assert_eq!(blocks.bytes(SourceId(0), &short, 1, 9), b"bc");
        assert_eq!(blocks.bytes(SourceId(0), &long, 1, 5), b"bcdef");
    }

    #[test]
    fn few_blocks_are_kept() {
        let mut blocks = Blocks::default();
        let text = MemoryText(vec![7; 10]);
        for source in 0..1000 {
            blocks.bytes(SourceId(source), &text, 0, 10);
        }
        assert_eq!(blocks.blocks.len(), BLOCKS);
        assert_eq!(blocks.oldest.len(), BLOCKS);
    }
}
