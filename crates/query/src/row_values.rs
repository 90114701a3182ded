//! Values of one key, row by row: from columns, or from the text where columns lack them.

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_format::catalog::encode::DEFER;
use widetui_format::catalog::keys::KeyView;
use widetui_format::fields::Fields;
use widetui_store::Snapshot;
use widetui_store::column::Cell;

use crate::bits::Bits;
use crate::columns::columns_of;
use crate::scan::{RecordSpan, blocks, parts_by_source, readable};

/// Calls `f` with each selected row of a segment that has the key, and its codes: equal values once, with `DEFER` if
/// some must be read from the text. A record's own value takes precedence over the one in its path. Rows come in no
/// particular order.
pub(super) fn for_each_row(
    snapshot: &Snapshot,
    index: usize,
    key: &KeyView,
    chosen: Option<&Bits>,
    mut f: impl FnMut(usize, &[Code]),
) {
    let Some(segment) = snapshot.segments.get(index) else {
        return;
    };
    let catalog = &snapshot.catalog;
    let id = key.key.id;
    let among = |values: &[(KeyId, Code)], out: &mut Vec<Code>| {
        out.extend(values.iter().filter(|(k, _)| *k == id).map(|(_, c)| *c));
    };
    let in_contexts = catalog
        .contexts
        .iter()
        .any(|c| c.iter().any(|(k, _)| *k == id));
    let mut owned = Bits::none(segment.len());
    let mut own: Vec<Code> = Vec::new();
    for (number, group) in segment.groups.iter().enumerate() {
        let derived = snapshot.derived.columns(index, number).iter();
        let derived = derived.filter(|c| c.key == id).map(|c| &c.cells);
        let columns: Vec<_> = columns_of(&group.columns, id).chain(derived).collect();
        let mut consts = Vec::new();
        if let Some(shape) = catalog.shapes.get(group.shape.index()) {
            among(&shape.consts, &mut consts);
        }
        if columns.is_empty() && consts.is_empty() && !in_contexts {
            continue;
        }
        for (place, row) in group.rows.iter().enumerate() {
            let row = *row as usize;
            own.clear();
            own.extend_from_slice(&consts);
            for column in &columns {
                match column.cell(place) {
                    Cell::Absent => {}
                    Cell::One(code) => own.push(code),
                    Cell::Many(codes) => own.extend_from_slice(codes),
                    Cell::Deferred => own.push(DEFER),
                }
            }
            if in_contexts
                && let Some(context) = segment.context(row)
                && let Some(values) = catalog.contexts.get(context.index())
            {
                among(values, &mut own);
            }
            own.retain(|c| *c != NONE);
            if own.is_empty() {
                continue;
            }
            owned.set(row);
            if chosen.is_none_or(|c| c.get(row)) {
                dedup_canonical(key, &mut own);
                f(row, &own);
            }
        }
    }
    for part in &segment.parts {
        let mut path = Vec::new();
        if let Some(source) = snapshot.source(part.source) {
            among(&source.consts, &mut path);
        }
        path.retain(|c| *c != NONE);
        if path.is_empty() {
            continue;
        }
        let first = part.first_row as usize;
        (first..first + part.rows as usize)
            .filter(|row| !owned.get(*row) && chosen.is_none_or(|c| c.get(*row)))
            .for_each(|row| f(row, &path));
    }
}

/// Removes duplicates among equal values.
fn dedup_canonical(key: &KeyView, own: &mut Vec<Code>) {
    if own.len() > 1 {
        let mut seen: Vec<Code> = Vec::new();
        own.retain(|code| {
            let canonical = key.dict.canonical(*code);
            let new = !seen.contains(&canonical);
            if new {
                seen.push(canonical);
            }
            new
        });
    }
}

/// Returns the distinct values of a key in a parsed record.
fn values_of(fields: Fields, id: KeyId) -> Vec<String> {
    let mut own: Vec<String> = Vec::new();
    for (key, spellings) in fields.pairs.into_iter().filter(|(k, _)| k.id == id) {
        for spelling in spellings {
            let same = |o: &String| {
                let kind = key.kind;
                kind.canonical(o).as_deref().unwrap_or(o)
                    == kind.canonical(&spelling).as_deref().unwrap_or(&spelling)
            };
            if !own.iter().any(same) {
                own.push(spelling);
            }
        }
    }
    own
}

/// Reads the values of a key in these rows (per segment) from the text, and calls `f` with each value, its segment and
/// its row. Returns the accumulators of `f`, one per source.
pub(super) fn read_each<T: Default + Send>(
    snapshot: &Snapshot,
    deferred: &[Option<&Bits>],
    id: KeyId,
    cancel: &Cancel,
    f: impl Fn(&mut T, String, (usize, usize)) + Sync,
) -> Vec<T> {
    let rows = |segment: usize| deferred.get(segment).copied().flatten();
    let open = |segment: usize, first, end| rows(segment).is_some_and(|r| r.any_in(first, end));
    let sources = parts_by_source(&snapshot.segments, open);
    let gathered = sources.par_iter().map(|parts| {
        let mut gathered = T::default();
        let Some((source, reader)) = readable(snapshot, parts.source) else {
            return gathered;
        };
        let places = parts.parts.iter().flat_map(|&(index, first, end)| {
            let rows = rows(index).into_iter();
            rows.flat_map(move |rows| rows.ones_in(first, end))
                .map(move |row| RecordSpan::of(snapshot, index, row))
        });
        blocks(snapshot, source, places, cancel, |block| {
            for (index, place) in block.places.iter().enumerate() {
                let record = block.record(index);
                let fields = reader.wanted_fields(record, &snapshot.tables, &|key| key == id);
                let at = (place.segment as usize, place.row as usize);
                values_of(fields, id)
                    .into_iter()
                    .for_each(|value| f(&mut gathered, value, at));
            }
        });
        gathered
    });
    gathered.collect()
}
