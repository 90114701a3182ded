//! Reads records again, many in a row: the text around each record read last is kept per source.

use std::collections::HashMap;
use std::io;

use widetui_core::bytes::without_trailing_nuls;
use widetui_core::ids::{KeyId, SourceId};
use widetui_format::load::lines::MAX_LINE;
use widetui_source::text::read_range;

use super::snapshot::EventRef;
use super::source::Source;
use super::unread::shorter;

/// Bytes read at once.
const BLOCK: usize = 64 * 1024;

/// Blocks kept; beyond it all are given back.
const BLOCKS: usize = 512;

/// A record is read up to this length.
pub const MAX_RECORD: usize = MAX_LINE;

/// Reads the texts of records, for one thread: the last block of each source is kept.
#[derive(Debug, Default)]
pub struct TextReader {
    blocks: HashMap<SourceId, (u64, Vec<u8>)>,
}

impl TextReader {
    /// The bytes of an event's record, up to `MAX_RECORD`.
    ///
    /// # Errors
    /// What reading the source reports, which is noted; also when the source is shorter than it was.
    pub fn record(&mut self, event: &EventRef<'_>) -> io::Result<&[u8]> {
        let source = event.source();
        let (start, len) = event.span();
        let len = len.min(MAX_RECORD);
        if let Err(error) = self.hold(source, start, len) {
            event.snapshot.unread.note(source, &error);
            return Err(error);
        }
        let (at, bytes) = self
            .blocks
            .get(&source.id)
            .ok_or_else(|| io::Error::other("no text"))?;
        let from = (start - at) as usize;
        Ok(without_trailing_nuls(
            &bytes[from..(from + len).min(bytes.len())],
        ))
    }

    /// The first value of a key that an event names in its text, though columns may not have it.
    pub fn value(&mut self, event: &EventRef<'_>, key: KeyId) -> Option<String> {
        let reader = event.source().reader.clone()?;
        let record = self.record(event).ok()?;
        let mut pairs = reader
            .fields(record, &event.snapshot.tables)
            .pairs
            .into_iter();
        let (_, values) = pairs.find(|(k, _)| k.id == key)?;
        values.into_iter().next()
    }

    /// Reads the block with these bytes of a source, where it is not at hand.
    fn hold(&mut self, source: &Source, start: u64, len: usize) -> io::Result<()> {
        let held = self.blocks.get(&source.id).is_some_and(|(at, bytes)| {
            *at <= start && start + len as u64 <= at + bytes.len() as u64
        });
        if held {
            return Ok(());
        }
        if self.blocks.len() >= BLOCKS {
            self.blocks.clear();
        }
        let bytes = read_range(&*source.text, start, len.max(BLOCK))?;
        if bytes.len() < len && (bytes.len() as u64) < source.bytes.saturating_sub(start) {
            // What is missing may say why.
            read_range(&*source.text, start + bytes.len() as u64, 1)?;
            return Err(shorter());
        }
        self.blocks.insert(source.id, (start, bytes));
        Ok(())
    }
}
