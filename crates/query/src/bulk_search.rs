//! Search in long stretches of a source when most of its records are candidates: only records with a match are examined one by
//! one.

use std::ops::Range;

use regex::bytes::Regex;

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_store::source::Source;

use crate::scan::RecordSpan;

/// Bytes read at once: few enough to be near when they are looked at.
const STRETCH: u32 = 256 << 10;

/// Rows of a part of a segment, in the order of their source and nothing between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretches<'a> {
    snapshot: &'a Snapshot,
    source: &'a Source,
    /// Number of the segment.
    index: usize,
    first: usize,
    /// Offsets of the rows from `first` on.
    offsets: &'a [u32],
}

impl<'a> Stretches<'a> {
    /// The rows `rows` of a part; `None` when they do not lie in the order of their source.
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        source: &'a Source,
        index: usize,
        rows: Range<usize>,
    ) -> Option<Stretches<'a>> {
        let segment = snapshot.segments.get(index)?;
        let offsets = segment.offsets.get(rows.clone())?;
        offsets.is_sorted().then_some(Stretches {
            snapshot,
            source,
            index,
            first: rows.start,
            offsets,
        })
    }

    /// Calls `f` with the records in whose bytes one of the patterns is found, and with the bytes that they stand in and
    /// where these begin in the source. Stops when cancelled.
    pub(crate) fn each(
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
            let near = from + self.offsets[from..].partition_point(|o| o - start <= STRETCH);
            // The last of them goes on behind the stretch: it is the first of the next one.
            let to = match near == self.offsets.len() {
                true => near,
                false => (near - 1).max(from + 1),
            };
            let (start, end) = (self.place(from).start, self.place(to - 1).end);
            // Fewer bytes than asked for: a live source can shrink.
            let known = self.source.text.len().saturating_sub(start);
            buffer.resize(known.min(end - start) as usize, 0);
            let unread = &self.snapshot.unread;
            let read = unread.read_at(self.source, start, &mut buffer);
            let bytes = &buffer[..read];
            hits.clear();
            for pattern in patterns {
                self.find(pattern, from..to, bytes, &mut hits);
            }
            hits.sort_unstable();
            hits.dedup();
            if !hits.is_empty() {
                let places: Vec<RecordSpan> = hits.iter().map(|at| self.place(*at)).collect();
                f(&places, bytes, start);
            }
            from = to;
        }
    }

    fn place(&self, at: usize) -> RecordSpan {
        RecordSpan::of(self.snapshot, self.index, self.first + at)
    }

    /// Which of these rows a pattern is found in: `bytes` begin with the first of them.
    fn find(&self, pattern: &Regex, rows: Range<usize>, bytes: &[u8], hits: &mut Vec<usize>) {
        let offsets = &self.offsets[rows.clone()];
        let Some(start) = offsets.first().copied() else {
            return;
        };
        let mut at = 0;
        while let Some(found) = pattern.find_at(bytes, at) {
            let byte = found.start();
            let next = offsets.partition_point(|o| (o - start) as usize <= byte);
            hits.push(rows.start + next - 1);
            // On with the record behind the one that is hit.
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
