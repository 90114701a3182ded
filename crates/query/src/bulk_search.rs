//! Search in contiguous byte ranges of a source whose records are mostly undecided: only records with a match are then
//! evaluated one by one.

use std::ops::Range;

use regex::bytes::Regex;

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_store::source::Source;

use crate::scan::RecordSpan;

/// Bytes read at once: few enough to stay in the processor's cache.
const READ_SIZE: u32 = 256 << 10;

/// Rows of one part of a segment that lie in file order, without gaps.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileOrderRows<'a> {
    snapshot: &'a Snapshot,
    source: &'a Source,
    /// Index of the segment.
    index: usize,
    first: usize,
    /// File offsets of the rows from `first` on.
    offsets: &'a [u32],
}

impl<'a> FileOrderRows<'a> {
    /// Returns the rows `rows` of a part; `None` if they are not in file order.
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        source: &'a Source,
        index: usize,
        rows: Range<usize>,
    ) -> Option<FileOrderRows<'a>> {
        let segment = snapshot.segments.get(index)?;
        let offsets = segment.offsets.get(rows.clone())?;
        offsets.is_sorted().then_some(FileOrderRows {
            snapshot,
            source,
            index,
            first: rows.start,
            offsets,
        })
    }

    /// Calls `f` with the records whose bytes match any of the patterns, the bytes that were read, and the offset of
    /// these bytes in the source. Stops if cancelled.
    pub(crate) fn for_each_match(
        &self,
        patterns: &[&Regex],
        cancel: &Cancel,
        mut f: impl FnMut(&[RecordSpan], &[u8], u64),
    ) {
        let mut buffer: Vec<u8> = Vec::new();
        let mut hits: Vec<usize> = Vec::new();
        let mut from = 0;
        while from < self.offsets.len() && !cancel.is_cancelled() {
            let start = self.offsets[from];
            let near = from + self.offsets[from..].partition_point(|o| o - start <= READ_SIZE);
            // The last record continues beyond the bytes read; it becomes the first of the next read.
            let to = match near == self.offsets.len() {
                true => near,
                false => (near - 1).max(from + 1),
            };
            let (start, end) = (self.span(from).start, self.span(to - 1).end);
            // Fewer bytes than requested: a live source can shrink.
            let known = self.source.text.len().saturating_sub(start);
            buffer.resize(known.min(end - start) as usize, 0);
            let unread = &self.snapshot.read_failures;
            let read = unread.read_at(self.source, start, &mut buffer);
            let bytes = &buffer[..read];
            hits.clear();
            for pattern in patterns {
                self.collect_matches(pattern, from..to, bytes, &mut hits);
            }
            hits.sort_unstable();
            hits.dedup();
            if !hits.is_empty() {
                let places: Vec<RecordSpan> = hits.iter().map(|at| self.span(*at)).collect();
                f(&places, bytes, start);
            }
            from = to;
        }
    }

    fn span(&self, at: usize) -> RecordSpan {
        RecordSpan::of(self.snapshot, self.index, self.first + at)
    }

    /// Collects the rows that a pattern matches in; `bytes` start at the first row.
    fn collect_matches(
        &self,
        pattern: &Regex,
        rows: Range<usize>,
        bytes: &[u8],
        hits: &mut Vec<usize>,
    ) {
        let offsets = &self.offsets[rows.clone()];
        let Some(start) = offsets.first().copied() else {
            return;
        };
        let mut at = 0;
        while let Some(found) = pattern.find_at(bytes, at) {
            let byte = found.start();
            let next = offsets.partition_point(|o| (o - start) as usize <= byte);
            hits.push(rows.start + next - 1);
            // The search continues at the record after the match.
            match offsets.get(next) {
                Some(offset) => at = (offset - start) as usize,
                None => break,
            }
            if at > bytes.len() {
                break;
            }
        }
    }
}
