//! Sequential re-reading of records; the blocks around the last records of each source are cached.

use std::collections::HashMap;
use std::io;

use widetui_core::bytes::without_trailing_nuls;
use widetui_core::ids::{KeyId, SourceId};
use widetui_format::load::lines::MAX_LINE;
use widetui_source::recent_blocks::RecentBlocks;
use widetui_source::text::read_range;

use super::read_failures::shorter;
use super::snapshot::EventRef;
use super::source::Source;

/// Size of a block, bytes.
const BLOCK: usize = 64 * 1024;

/// Maximum number of cached blocks; beyond it the cache is emptied.
const BLOCKS: usize = 512;

/// Maximum length of a record that is read, bytes.
pub const MAX_RECORD: usize = MAX_LINE;

/// Reader of record texts for one thread; caches the last blocks of each source.
#[derive(Debug, Default)]
pub struct TextReader {
    blocks: HashMap<SourceId, RecentBlocks<Vec<u8>>>,
}

impl TextReader {
    /// Returns the bytes of an event's record, at most `MAX_RECORD`.
    ///
    /// # Errors
    ///
    /// Errors of reading the source, which are also recorded in the snapshot; an error too if the source has become
    /// shorter.
    pub fn record(&mut self, event: &EventRef<'_>) -> io::Result<&[u8]> {
        let source = event.source();
        let (start, len) = event.span();
        let len = len.min(MAX_RECORD);
        if let Err(error) = self.hold(source, start, len) {
            event.snapshot.read_failures.note(source, &error);
            return Err(error);
        }
        let (at, bytes) = self
            .blocks
            .get(&source.id)
            .and_then(RecentBlocks::latest)
            .ok_or_else(|| io::Error::other("no text"))?;
        let from = (start - at) as usize;
        Ok(without_trailing_nuls(
            &bytes[from..(from + len).min(bytes.len())],
        ))
    }

    /// Returns the first value of a key in the text of an event, also of keys that have no column.
    pub fn value(&mut self, event: &EventRef<'_>, key: KeyId) -> Option<String> {
        let reader = event.source().reader.clone()?;
        let record = self.record(event).ok()?;
        let mut pairs = reader
            .wanted_fields(record, &event.snapshot.tables, &|wanted| wanted == key)
            .pairs
            .into_iter();
        let (_, values) = pairs.find(|(k, _)| k.id == key)?;
        values.into_iter().next()
    }

    /// Reads the block with these bytes of a source, unless it is cached.
    fn hold(&mut self, source: &Source, start: u64, len: usize) -> io::Result<()> {
        let end = start.saturating_add(len as u64);
        if let Some(blocks) = self.blocks.get_mut(&source.id)
            && blocks.find(start..end).is_some()
        {
            return Ok(());
        }
        if self.blocks.values().map(RecentBlocks::len).sum::<usize>() >= BLOCKS {
            self.blocks.clear();
        }
        let bytes = read_range(&*source.text, start, len.max(BLOCK))?;
        if bytes.len() < len && (bytes.len() as u64) < source.bytes.saturating_sub(start) {
            // Reading the missing byte may give the reason.
            read_range(&*source.text, start + bytes.len() as u64, 1)?;
            return Err(shorter());
        }
        let range = start..start.saturating_add(bytes.len() as u64);
        self.blocks.entry(source.id).or_default().add(range, bytes);
        Ok(())
    }
}
