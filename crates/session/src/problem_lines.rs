//! Lines where the problems of a source begin: line number and text. Only byte offsets are stored when a source is
//! read; lines are counted on demand.

use widetui_core::cancel::{Cancel, Cancelled};
use widetui_core::ids::SourceId;
use widetui_source::text::{Text, read_range};
use widetui_store::{Snapshot, Source};

/// Bytes read at once when lines are counted.
const STRIDE: u64 = 1 << 18;
/// Maximum number of bytes shown of a line.
const SHOWN: usize = 400;

/// Position of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemSpot {
    /// Source of the problem.
    pub source: SourceId,
    /// Byte offset in the source.
    pub offset: u64,
    /// Line number, from 1; `None` if the source cannot be re-read. In a source with generated lines (rows of a table),
    /// the record number.
    pub line: Option<u64>,
    /// Start of the line.
    pub text: String,
}

/// Returns the positions of a source's problems, in order, as far as they are known. `None` if cancelled or if there is
/// no such source.
pub fn problem_spots(
    snapshot: &Snapshot,
    id: SourceId,
    cancel: &Cancel,
) -> Option<Vec<ProblemSpot>> {
    let source = snapshot.source(id)?;
    let mut offsets: Vec<u64> = source.problems.iter().filter_map(|p| p.offset).collect();
    offsets.sort_unstable();
    offsets.dedup();
    let (mut at, mut before) = (0, Some(0));
    let mut spots = Vec::new();
    for offset in offsets {
        if let Some(known) = before {
            let more = newlines(&*source.text, at, offset, cancel).ok()?;
            before = more.map(|more| known + more);
            at = offset;
        }
        spots.push(ProblemSpot {
            source: id,
            offset,
            line: before.map(|n| n + 1),
            text: line_at(source, offset),
        });
    }
    Some(spots)
}

/// Counts the line ends between two bytes; `None` if they cannot be read.
fn newlines(
    text: &dyn Text,
    from: u64,
    to: u64,
    cancel: &Cancel,
) -> Result<Option<u64>, Cancelled> {
    let (mut at, mut count) = (from, 0);
    while at < to {
        if cancel.is_cancelled() {
            return Err(Cancelled);
        }
        let wanted = (to - at).min(STRIDE) as usize;
        let read = read_range(text, at, wanted).unwrap_or_default();
        if read.len() < wanted {
            return Ok(None);
        }
        count += memchr::memchr_iter(b'\n', &read).count() as u64;
        at += wanted as u64;
    }
    Ok(Some(count))
}

/// Reads the start of the line at a byte; empty if it cannot be read.
fn line_at(source: &Source, offset: u64) -> String {
    let bytes = read_range(&*source.text, offset, SHOWN).unwrap_or_default();
    let end = memchr::memchr(b'\n', &bytes);
    let line = &bytes[..end.unwrap_or(bytes.len())];
    let mut text = String::from_utf8_lossy(line).trim_end().to_owned();
    if end.is_none() && bytes.len() == SHOWN {
        // The last character may be incomplete.
        text.truncate(text.trim_end_matches('\u{fffd}').len());
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_source::text::MemoryText;

    #[test]
    fn lines_are_counted_over_pieces_and_what_cannot_be_read_is_unknown() {
        let lines = 100_000u64;
        let text: String = (0..lines).map(|n| format!("line {n:06}\n")).collect();
        let width = text.len() as u64 / lines;
        let text = MemoryText(text.into_bytes());
        let go = Cancel::default();
        let at = |line: u64| newlines(&text, 0, line * width, &go);
        assert_eq!(at(0), Ok(Some(0)));
        assert_eq!(at(99_999), Ok(Some(99_999)));
        assert_eq!(at(lines + 1), Ok(None), "the file is shorter than before");
        let stop = Cancel::default();
        stop.cancel();
        assert_eq!(newlines(&text, 0, width, &stop), Err(Cancelled));
    }
}
