//! Values composed of several keys of a record by a template.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::{GroupView, KeyColumn, SegmentView, UNUSABLE, disputed_rows};

use crate::extraction::{Extracted, ExtractionGroups};
use crate::spec::{Composition, ExtractionRule};

/// Combinations of values in one segment: the combination of each row by index, and the
/// combinations.
#[derive(Default)]
struct SegmentValues {
    rows: Vec<(usize, u32)>,
    values: Vec<Vec<Code>>,
}

/// Composes the values of events that have all keys of the template; events that lack one get no
/// value. `None` when cancelled.
pub(crate) fn extract(
    snapshot: &Snapshot,
    rule: &ExtractionRule,
    composition: &Composition,
    participants: Option<Selection>,
    cancel: &Cancel,
) -> Option<Extracted> {
    let of = participants.as_ref().map_or(snapshot.len(), Selection::len);
    let catalog = &snapshot.catalog.keys;
    let keys = composition.keys().iter().map(|name| catalog.find(name));
    let Some(keys) = keys.collect::<Option<Vec<KeyId>>>() else {
        return Some(Extracted {
            groups_by: ExtractionGroups::ByRow(Vec::new()),
            groups: Vec::new(),
            participants: None,
            events: 0,
            candidates: of,
        });
    };
    let duplicated_rows = disputed_rows(snapshot);
    let found: Vec<SegmentValues> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| {
            let bits = participants
                .as_ref()
                .map(|participants| participants.segment(index));
            // No event of this segment takes part.
            if cancel.is_cancelled() || bits.is_some_and(|bits| bits.is_none()) {
                return SegmentValues::default();
            }
            let view = SegmentView::new(snapshot, index, &duplicated_rows[index]);
            let is_in = |row: usize| bits.flatten().is_none_or(|bits| bits.get(row));
            let mut found = SegmentValues::default();
            let mut numbers = FxHashMap::default();
            for at in 0..view.segment.groups.len() {
                extract_group(view.group(at), &keys, is_in, (&mut numbers, &mut found));
            }
            found
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut numbers: FxHashMap<Vec<Code>, Code> = FxHashMap::default();
    let (mut groups, mut rows, mut events) = (Vec::new(), Vec::new(), 0);
    for (segment, found) in snapshot.segments.iter().zip(found) {
        let global = found.values.into_iter().map(|codes| {
            let next = numbers.len() as Code;
            *numbers.entry(codes).or_insert_with_key(|codes| {
                let spelled = keys.iter().zip(codes).map(|(key, code)| {
                    let view = catalog.get(*key);
                    view.and_then(|v| v.spelling(*code)).unwrap_or_default()
                });
                let spelled: Vec<String> = spelled.collect();
                groups.push((next, rule.with_constants(composition.fill(&spelled))));
                next
            })
        });
        let global: Vec<Code> = global.collect();
        events += found.rows.len();
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
        participants: None,
        events,
        candidates: of,
    })
}

/// Adds the combinations of values in a group of rows.
fn extract_group(
    group: GroupView<'_>,
    keys: &[KeyId],
    is_in: impl Fn(usize) -> bool,
    (numbers, found): (&mut FxHashMap<Vec<Code>, u32>, &mut SegmentValues),
) {
    let key_columns: Vec<KeyColumn> = keys.iter().map(|key| group.key_column(*key)).collect();
    if key_columns.iter().any(KeyColumn::is_absent) {
        return;
    }
    for (place, row) in group.group.rows.iter().enumerate() {
        let row = usize::from(*row);
        let codes = key_columns
            .iter()
            .map(|key_column| key_column.row(place, group.ends));
        let codes: Vec<Code> = codes.collect();
        if !is_in(row) || codes.iter().any(|c| *c == NONE || *c == UNUSABLE) {
            continue;
        }
        let next = found.values.len() as u32;
        let number = *numbers.entry(codes).or_insert_with_key(|codes| {
            found.values.push(codes.clone());
            next
        });
        found.rows.push((row, number));
    }
}
