//! Extraction of keys from the messages of some events, and constants for these events.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;
use widetui_format::pattern::Spans;
use widetui_query::Selection;
use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use crate::extraction::{Extracted, ExtractionGroups, to_owned_values};
use crate::spec::ExtractionRule;

/// Extracted values in one segment: the combination of each row by index, and the combinations.
#[derive(Default)]
struct SegmentValues {
    rows: Vec<(usize, u32)>,
    values: Vec<Vec<Option<String>>>,
}

/// Parses the messages of the events `participants`. `None` when cancelled.
pub(crate) fn extract(
    snapshot: &Snapshot,
    rule: &ExtractionRule,
    participants: Selection,
    cancel: &Cancel,
) -> Option<Extracted> {
    let found: Vec<SegmentValues> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| match participants.segment(index) {
            Some(bits) => extract_segment(snapshot, rule, index, bits, cancel),
            None => SegmentValues::default(),
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut numbers: FxHashMap<Vec<Option<String>>, Code> = FxHashMap::default();
    let mut groups = Vec::new();
    let (mut rows, mut events) = (Vec::new(), 0);
    for (segment, found) in snapshot.segments.iter().zip(found) {
        events += found.rows.len();
        let global: Vec<Code> = found
            .values
            .into_iter()
            .map(|values| {
                let next = numbers.len() as Code;
                *numbers.entry(values).or_insert_with_key(|values| {
                    groups.push((next, values.clone()));
                    next
                })
            })
            .collect();
        rows.push((!found.rows.is_empty()).then(|| {
            let mut codes = vec![NONE; segment.len()];
            for (row, number) in found.rows {
                codes[row] = global[number as usize];
            }
            codes.into_boxed_slice()
        }));
    }
    Some(Extracted {
        groups_by: ExtractionGroups::ByRow(rows),
        groups,
        candidates: participants.len(),
        participants: None,
        events,
    })
}

/// Parses the messages of the chosen rows of a segment.
fn extract_segment(
    snapshot: &Snapshot,
    rule: &ExtractionRule,
    index: usize,
    bits: &Bits,
    cancel: &Cancel,
) -> SegmentValues {
    let mut found = SegmentValues::default();
    let mut numbers: FxHashMap<Vec<Option<String>>, u32> = FxHashMap::default();
    let mut texts = TextReader::default();
    let mut spans = Spans::new();
    for row in bits.ones() {
        if cancel.is_cancelled() {
            break;
        }
        let message = match rule.patterns.is_empty() {
            // A rule with constants only does not need the text.
            true => Some(String::new()),
            false => message(
                snapshot,
                EventId(snapshot.bases[index] + row as u32),
                &mut texts,
            ),
        };
        let Some(message) = message else {
            continue;
        };
        let line = message.lines().next().unwrap_or_default();
        let Some(values) = rule.extract(line, &mut spans) else {
            continue;
        };
        let values = to_owned_values(&values);
        let next = found.values.len() as u32;
        let number = *numbers.entry(values).or_insert_with_key(|values| {
            found.values.push(values.clone());
            next
        });
        found.rows.push((row, number));
    }
    found
}

/// Message of an event, read from its source; `None` if it cannot be read.
fn message(snapshot: &Snapshot, id: EventId, texts: &mut TextReader) -> Option<String> {
    let event = snapshot.event(id)?;
    let reader = event.source().reader.clone()?;
    // A failure to read the text is reported where the event is shown.
    Some(reader.message(texts.record(&event).ok()?))
}
