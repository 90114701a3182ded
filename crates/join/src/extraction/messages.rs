//! Extraction of keys from the texts of some events: their messages or values that are not stored, and constants for these
//! events.

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_format::pattern::Spans;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use crate::extraction::{Extracted, RowValues, extract_rows, to_owned_values};
use crate::spec::ExtractionRule;

/// Parses the texts of the events `participants`. `None` when cancelled.
pub(crate) fn extract(
    snapshot: &Snapshot,
    rule: &ExtractionRule,
    participants: &Selection,
    cancel: &Cancel,
) -> Option<Extracted> {
    let parse = |index: usize, out: &mut RowValues<Vec<Option<String>>>| {
        let (mut texts, mut spans) = (TextReader::default(), Spans::new());
        let rows = participants.segment(index).into_iter();
        for row in rows.flat_map(|bits| bits.ones()) {
            if cancel.is_cancelled() {
                break;
            }
            let id = EventId(snapshot.bases[index] + row as u32);
            let text = match rule.patterns.is_empty() {
                // A rule with constants only does not need the text.
                true => Some(String::new()),
                false => text(snapshot, rule, id, &mut texts),
            };
            let Some(text) = text else {
                continue;
            };
            let line = text.lines().next().unwrap_or_default();
            if let Some(values) = rule.extract(line, &mut spans) {
                out.add(row, to_owned_values(&values));
            }
        }
    };
    extract_rows(snapshot, participants.len(), parse, Clone::clone, cancel)
}

/// Message of an event, or the value that a rule parses, read from its source; `None` if it cannot be read.
fn text(
    snapshot: &Snapshot,
    rule: &ExtractionRule,
    id: EventId,
    texts: &mut TextReader,
) -> Option<String> {
    let event = snapshot.event(id)?;
    if let Some(name) = &rule.source_key {
        return texts.value(&event, snapshot.catalog.keys.find(name)?);
    }
    let reader = event.source().reader.clone()?;
    // A failure to read the text is reported where the event is shown.
    Some(reader.message(texts.record(&event).ok()?))
}
