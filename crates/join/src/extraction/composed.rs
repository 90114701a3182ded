//! Values composed of several keys of a record by a template.

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView, UNUSABLE, disputed_rows};

use crate::extraction::{Extracted, RowValues, extract_rows};
use crate::spec::{Composition, ExtractionRule};

/// Composes the values of events that have all keys of the template; events that lack one get no
/// value. `None` when cancelled.
pub(crate) fn extract(
    snapshot: &Snapshot,
    rule: &ExtractionRule,
    composition: &Composition,
    participants: Option<Selection>,
    cancel: &Cancel,
) -> Option<Extracted> {
    let candidates = participants.as_ref().map_or(snapshot.len(), Selection::len);
    let catalog = &snapshot.catalog.keys;
    let keys = composition.keys().iter().map(|name| catalog.find(name));
    let Some(keys) = keys.collect::<Option<Vec<KeyId>>>() else {
        return Some(Extracted::none(candidates));
    };
    let duplicated_rows = disputed_rows(snapshot);
    let compose = |index: usize, out: &mut RowValues<Vec<Code>>| {
        let bits = { participants.as_ref() }.map(|participants| participants.segment(index));
        // No event of this segment takes part.
        if bits.is_some_and(|bits| bits.is_none()) {
            return;
        }
        let is_in = |row: usize| bits.flatten().is_none_or(|bits| bits.get(row));
        let view = SegmentView::new(snapshot, index, &duplicated_rows[index]);
        for at in 0..view.segment.groups.len() {
            let group = view.group(at);
            let columns: Vec<KeyColumn> = keys.iter().map(|key| group.key_column(*key)).collect();
            if columns.iter().any(KeyColumn::is_absent) {
                continue;
            }
            for (place, row) in group.group.rows.iter().enumerate() {
                let codes = columns.iter().map(|column| column.row(place, group.ends));
                let codes: Vec<Code> = codes.collect();
                let is_whole = codes.iter().all(|code| *code != NONE && *code != UNUSABLE);
                if is_whole && is_in(usize::from(*row)) {
                    out.add(usize::from(*row), codes);
                }
            }
        }
    };
    let spell = |codes: &Vec<Code>| {
        let spelled = keys.iter().zip(codes).map(|(key, code)| {
            let view = catalog.get(*key);
            view.and_then(|v| v.spelling(*code)).unwrap_or_default()
        });
        rule.with_constants(composition.fill(&spelled.collect::<Vec<String>>()))
    };
    extract_rows(snapshot, candidates, compose, spell, cancel)
}
