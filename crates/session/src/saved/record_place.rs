//! Descriptions of records in a file, and finding them again in files that have changed.

use rustc_hash::FxHashMap;

use crate::record_texts::{Blocks, Place};
use widetui_core::ids::EventId;
use widetui_source::text::read_range;
use widetui_store::{EventRef, Snapshot, Source};
use widetui_time::time::rfc3339_nanos;
use widetui_time::timeparse::parse_literal;
use widetui_time::zone::Zone;

use super::SavedRecord;
use super::run_identity::relative;

/// Maximum number of characters kept of a record's text.
const TEXT: usize = 160;
/// Maximum number of bytes read for counting lines, over all sources; records beyond are described by their offset
/// only.
const COUNTED: u64 = 256 << 20;
/// Bytes read at once.
const PIECE: usize = 1 << 20;
/// Maximum number of records with equal time that are compared.
const SAME_TIME: usize = 10_000;

fn start_of(blocks: &mut Blocks, event: &EventRef<'_>) -> Option<String> {
    let record = blocks.record(event);
    if record.problem.is_some() {
        return None;
    }
    Some(
        record
            .text
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(TEXT)
            .collect(),
    )
}

/// Describes records so that they can be found again; `None` for places without a record.
pub(crate) fn describe(
    snapshot: &Snapshot,
    roots: &[String],
    places: &[Place],
) -> Vec<Option<SavedRecord>> {
    let mut lines = Lines::new(snapshot);
    let wanted = lines.count(places);
    let mut blocks = Blocks::default();
    let describe = |place: &Place| {
        let id = snapshot.event_at(place.source, place.offset)?;
        let event = snapshot.event(id)?;
        Some(SavedRecord {
            source: relative(&event.source().path, roots).to_owned(),
            offset: place.offset,
            line: wanted.get(place).copied(),
            time: event.time().map(rfc3339_nanos),
            text: start_of(&mut blocks, &event).unwrap_or_default(),
            ..SavedRecord::default()
        })
    };
    places.iter().map(describe).collect()
}

/// Counter of lines in sources, within a budget of bytes.
struct Lines<'a> {
    snapshot: &'a Snapshot,
    budget: u64,
}

impl Lines<'_> {
    fn new(snapshot: &Snapshot) -> Lines<'_> {
        Lines {
            snapshot,
            budget: COUNTED,
        }
    }

    /// Returns the line numbers (from 1) of places, as far as the budget allows.
    fn count(&mut self, places: &[Place]) -> FxHashMap<Place, u64> {
        let mut sorted = places.to_vec();
        sorted.sort_by_key(|p| (p.source, p.offset));
        let mut out = FxHashMap::default();
        let mut at = (None, 0, 1);
        for place in sorted {
            let Some(source) = self.snapshot.source(place.source) else {
                continue;
            };
            let (from, line) = match at {
                (Some(source), offset, line) if source == place.source => (offset, line),
                _ => (0, 1),
            };
            let Some(passed) = self.newlines(source, from, place.offset) else {
                continue;
            };
            at = (Some(place.source), place.offset, line + passed);
            out.insert(place, at.2);
        }
        out
    }

    fn newlines(&mut self, source: &Source, from: u64, to: u64) -> Option<u64> {
        self.budget = self.budget.checked_sub(to.checked_sub(from)?)?;
        let mut count = 0;
        let mut at = from;
        while at < to {
            let len = usize::try_from(to - at).unwrap_or(PIECE).min(PIECE);
            let piece = read_range(&*source.text, at, len)
                .ok()
                .filter(|p| !p.is_empty())?;
            count += memchr::memchr_iter(b'\n', &piece).count() as u64;
            at += piece.len() as u64;
        }
        Some(count)
    }

    /// Returns the byte offset of a line (from 1).
    fn offset(&mut self, source: &Source, line: u64) -> Option<u64> {
        let mut left = line.checked_sub(1)?;
        let mut at = 0;
        while left > 0 {
            let piece = read_range(&*source.text, at, PIECE)
                .ok()
                .filter(|p| !p.is_empty())?;
            self.budget = self.budget.checked_sub(piece.len() as u64)?;
            let ends = memchr::memchr_iter(b'\n', &piece).nth(usize::try_from(left - 1).ok()?);
            if let Some(end) = ends {
                return Some(at + end as u64 + 1);
            }
            left -= memchr::memchr_iter(b'\n', &piece).count() as u64;
            at += piece.len() as u64;
        }
        Some(at)
    }
}

/// Finds described records again.
pub(crate) struct RecordFinder<'a> {
    snapshot: &'a Snapshot,
    sources: FxHashMap<&'a str, &'a Source>,
    blocks: Blocks,
    lines: Lines<'a>,
}

impl<'a> RecordFinder<'a> {
    /// Creates a finder for the opened run.
    pub(crate) fn new(snapshot: &'a Snapshot, roots: &[String]) -> RecordFinder<'a> {
        let logs = snapshot.sources.iter().map(|s| &**s);
        let logs = logs.filter(|s| s.is_log);
        RecordFinder {
            snapshot,
            sources: logs.map(|s| (relative(&s.path, roots), s)).collect(),
            blocks: Blocks::default(),
            lines: Lines::new(snapshot),
        }
    }

    /// Finds the place of a record: at its offset, else at its line, else at its time; always with the same text.
    pub(crate) fn find(&mut self, record: &SavedRecord) -> Option<Place> {
        let source = *self.sources.get(record.source.as_str())?;
        if let Some(place) = self.at(source, record.offset, record) {
            return Some(place);
        }
        if let Some(offset) = record.line.and_then(|l| self.lines.offset(source, l))
            && let Some(place) = self.at(source, offset, record)
        {
            return Some(place);
        }
        let time = parse_literal(record.time.as_ref()?, 0, &Zone::Utc).ok()?;
        let first = self.snapshot.place_of_time(time);
        let order = &self.snapshot.order;
        for id in order.range(first..order.len()).take(SAME_TIME) {
            let id = EventId(*id);
            let event = self.snapshot.event(id)?;
            if event.order_time() != time {
                break;
            }
            if event.source().id == source.id && self.says(&event, record) {
                return Some(Place::from_event(&event));
            }
        }
        None
    }

    fn at(&mut self, source: &Source, offset: u64, record: &SavedRecord) -> Option<Place> {
        let id = self.snapshot.event_at(source.id, offset)?;
        let event = self.snapshot.event(id)?;
        self.says(&event, record).then(|| Place::from_event(&event))
    }

    fn says(&mut self, event: &EventRef<'_>, record: &SavedRecord) -> bool {
        start_of(&mut self.blocks, event).is_some_and(|text| text == record.text)
    }
}
