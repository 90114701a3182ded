//! Re-reading of records in file order and in large blocks.

use std::sync::Arc;

use regex::bytes::Regex;

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_format::reader::{Reader, Syntax};
use widetui_store::Snapshot;
use widetui_store::segment::Segment;
use widetui_store::source::Source;

use crate::matcher::Escapes;
use crate::program::TextLeaf;

/// Bytes per read.
const BLOCK: u64 = 1 << 20;

/// Maximum gap between two requested records, in bytes, that is read over instead of starting another read.
const GAP: u64 = 64 << 10;

/// Maximum number of bytes examined in a record.
const MAX_RECORD: u64 = 64 << 20;

/// Byte range of a record to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordSpan {
    /// Index of the segment.
    pub(crate) segment: u32,
    /// Row in the segment.
    pub(crate) row: u32,
    /// Offset of the first byte in the source.
    pub(crate) start: u64,
    /// Offset after the last byte.
    pub(crate) end: u64,
}

impl RecordSpan {
    /// Returns the span of a row of the segment with this index.
    pub fn of(snapshot: &Snapshot, index: usize, row: usize) -> RecordSpan {
        let segment = &snapshot.segments[index];
        let ends = snapshot.part_ends.get(index);
        let part_end = ends.and_then(|e| e.get(segment.part_index(row))).copied();
        let (start, end) = segment.span(row, part_end);
        RecordSpan {
            segment: index as u32,
            row: row as u32,
            start,
            end: end.min(start.saturating_add(MAX_RECORD)),
        }
    }
}

/// Records that are read together.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub(crate) places: &'a [RecordSpan],
    pub(crate) start: u64,
    pub(crate) bytes: &'a [u8],
}

impl Block<'_> {
    /// Returns the bytes of a record; fewer or none if the source has shrunk.
    pub(crate) fn record(&self, index: usize) -> &[u8] {
        let Some(place) = self.places.get(index) else {
            return &[];
        };
        let at = |byte: u64| ((byte - self.start) as usize).min(self.bytes.len());
        &self.bytes[at(place.start)..at(place.end)]
    }

    /// For each record, whether its raw bytes match a pattern.
    pub(crate) fn hits(&self, pattern: &Regex) -> Vec<bool> {
        let mut hits = vec![false; self.places.len()];
        let mut at = 0;
        while let Some(found) = pattern.find_at(self.bytes, at) {
            let byte = self.start + found.start() as u64;
            let next = self.places.partition_point(|p| p.start <= byte);
            let inside = next
                .checked_sub(1)
                .and_then(|i| Some((i, self.places.get(i)?)))
                .filter(|(_, p)| byte < p.end);
            // Continue after the matching record, or at the next one if the match is between two records.
            let resume = match inside {
                Some((index, place)) => {
                    hits[index] = true;
                    place.end
                }
                None => match self.places.get(next) {
                    Some(place) => place.start,
                    None => break,
                },
            };
            at = ((resume - self.start) as usize).max(found.start() + 1);
            if at > self.bytes.len() {
                break;
            }
        }
        hits
    }
}

/// Reads spans of one source, ascending, and calls `f` for each block. Stops if cancelled. Unreadable records are noted
/// in the snapshot and have no bytes.
pub(super) fn blocks(
    snapshot: &Snapshot,
    source: &Source,
    places: impl Iterator<Item = RecordSpan>,
    cancel: &Cancel,
    mut f: impl FnMut(&Block<'_>),
) {
    let mut places = places.peekable();
    let mut group: Vec<RecordSpan> = Vec::new();
    let mut buffer: Vec<u8> = Vec::new();
    while let Some(first) = places.next() {
        if cancel.is_cancelled() {
            return;
        }
        group.clear();
        group.push(first);
        let mut end = first.end;
        while let Some(next) = places.next_if(|next| {
            next.start >= end
                && next.start - end <= GAP
                && next.end.saturating_sub(first.start) <= BLOCK
        }) {
            group.push(next);
            end = next.end;
        }
        // A block may be shorter than requested: a live source can shrink.
        let known = source.text.len().saturating_sub(first.start);
        buffer.resize(known.min(end - first.start) as usize, 0);
        let read = snapshot
            .read_failures
            .read_at(source, first.start, &mut buffer);
        f(&Block {
            places: &group,
            start: first.start,
            bytes: &buffer[..read],
        });
    }
}

/// Returns the encoding of messages in a reader's records; `None` if raw bytes give no information.
fn escapes(reader: &Reader, leaf: &TextLeaf) -> Option<Escapes> {
    match &reader.syntax {
        Syntax::Lines(_) => Some(Escapes::None),
        Syntax::Json(_) if !leaf.composed => Some(Escapes::Backslash),
        // Names in a composed message equal those in the record, as none is renamed.
        Syntax::Json(json) if json.spec.rename.is_empty() => Some(Escapes::Composed),
        Syntax::Json(_) => None,
    }
}

/// Returns patterns of which at least one matches the raw bytes of every record with a matching message; `None` if raw
/// bytes give no information.
pub(super) fn prefilters<'l>(reader: &Reader, leaf: &'l TextLeaf) -> Option<Vec<&'l Regex>> {
    let escapes = escapes(reader, leaf)?;
    leaf.matchers.iter().map(|m| m.prefilter(escapes)).collect()
}

/// For each record of a block, whether its message may match, according to the raw bytes.
pub(super) fn candidates(block: &Block<'_>, reader: &Reader, leaf: &TextLeaf) -> Vec<bool> {
    let mut hits = vec![false; block.places.len()];
    let Some(filters) = prefilters(reader, leaf) else {
        return vec![true; block.places.len()];
    };
    for filter in filters {
        for (hit, new) in hits.iter_mut().zip(block.hits(filter)) {
            *hit |= new;
        }
    }
    hits
}

/// A source with the parts of segments that hold its records, in file order.
#[derive(Debug)]
pub(super) struct SourceParts {
    pub(crate) source: SourceId,
    /// (index of the segment, first row, row after the last).
    pub(crate) parts: Vec<(usize, usize, usize)>,
}

impl SourceParts {
    /// Splits the parts into pieces of at most `most`.
    pub(crate) fn in_pieces(self, most: usize) -> impl Iterator<Item = SourceParts> {
        let pieces: Vec<_> = self.parts.chunks(most.max(1)).map(<[_]>::to_vec).collect();
        let source = self.source;
        pieces
            .into_iter()
            .map(move |parts| SourceParts { source, parts })
    }
}

/// Groups by source the parts for which `wanted` holds (segment, first row, row after the last).
pub(super) fn parts_by_source(
    segments: &[Arc<Segment>],
    wanted: impl Fn(usize, usize, usize) -> bool,
) -> Vec<SourceParts> {
    let mut all: Vec<(SourceId, u32, usize, usize, usize)> = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        for part in &segment.parts {
            let first = part.first_row as usize;
            let end = first + part.rows as usize;
            if wanted(index, first, end) {
                all.push((part.source, part.seq, index, first, end));
            }
        }
    }
    all.sort_unstable();
    let mut out: Vec<SourceParts> = Vec::new();
    for (source, _, index, first, end) in all {
        match out.last_mut().filter(|o| o.source == source) {
            Some(known) => known.parts.push((index, first, end)),
            None => out.push(SourceParts {
                source,
                parts: vec![(index, first, end)],
            }),
        }
    }
    out
}

/// Returns a source and its reader, if its records can be read.
pub(super) fn readable(snapshot: &Snapshot, id: SourceId) -> Option<(&Source, &Reader)> {
    let source = snapshot.source(id)?;
    Some((source, source.reader.as_deref()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hits_are_the_records_that_contain_the_text(
            records in proptest::collection::vec(("[abc]{0,6}", any::<bool>()), 0..12),
            needle in "[abc]{1,3}",
        ) {
            let mut bytes = Vec::new();
            let mut places = Vec::new();
            let mut expected = Vec::new();
            for (text, wanted) in &records {
                let start = bytes.len() as u64;
                bytes.extend_from_slice(text.as_bytes());
                bytes.push(b'\n');
                if *wanted {
                    places.push(RecordSpan { segment: 0, row: 0, start, end: bytes.len() as u64 });
                    expected.push(text.contains(&needle));
                }
            }
            let block = Block { places: &places, start: 0, bytes: &bytes };
            let pattern = Regex::new(&needle).unwrap();
            prop_assert_eq!(block.hits(&pattern), expected);
        }
    }
}
