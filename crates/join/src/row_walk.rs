//! Iteration over the rows of a run, file by file, and over the rows that have given keys.

use widetui_core::dict::NONE;
use widetui_core::ids::{KeyId, SourceId};
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView, UNUSABLE};

use crate::derived_values::{GroupColumns, GroupDerivations, VirtualKeys};
use crate::table::{MAX_LEFT_KEYS, Tuple};

/// Range of rows of one part of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartRows {
    /// Index of the segment.
    pub(crate) segment: usize,
    /// First row of the range.
    pub(crate) first: usize,
    /// Row after the last.
    pub(crate) end: usize,
}

/// Parts of each source in file order.
pub(crate) fn parts_by_source(snapshot: &Snapshot) -> Vec<(SourceId, Vec<PartRows>)> {
    let mut all: Vec<(SourceId, u32, PartRows)> = Vec::new();
    for (segment, sealed) in snapshot.segments.iter().enumerate() {
        for part in &sealed.parts {
            let first = part.first_row as usize;
            let rows = PartRows {
                segment,
                first,
                end: first + part.rows as usize,
            };
            all.push((part.source, part.seq, rows));
        }
    }
    all.sort_unstable_by_key(|(source, seq, rows)| (*source, *seq, rows.segment, rows.first));
    let mut out: Vec<(SourceId, Vec<PartRows>)> = Vec::new();
    for (source, _, rows) in all {
        match out.last_mut() {
            Some((last, parts)) if *last == source => parts.push(rows),
            _ => out.push((source, vec![rows])),
        }
    }
    out
}

/// Calls `f` with the segment, row, values and time (UTC ns) of each event that has one value for
/// each of `keys`.
pub(crate) fn for_each_row_with(
    snapshot: &Snapshot,
    duplicated_rows: &[Vec<u32>],
    keys: &[KeyId],
    f: impl FnMut(usize, usize, Tuple, i64),
) {
    let keys = (keys, &VirtualKeys::default());
    for_each_row_with_virtual(snapshot, duplicated_rows, keys, f);
}

/// Same as `for_each_row_with`, with virtual keys among `keys`.
pub(crate) fn for_each_row_with_virtual(
    snapshot: &Snapshot,
    duplicated_rows: &[Vec<u32>],
    (keys, virtual_keys): (&[KeyId], &VirtualKeys),
    mut f: impl FnMut(usize, usize, Tuple, i64),
) {
    let none = GroupDerivations::default();
    for (index, duplicated_rows) in duplicated_rows.iter().enumerate() {
        let view = SegmentView::new(snapshot, index, duplicated_rows);
        for at in 0..view.segment.groups.len() {
            let mut key_columns = GroupColumns::new(view.group(at), index, &none, virtual_keys);
            if !keys.iter().all(|k| key_columns.build(*k)) {
                continue;
            }
            let columns: Vec<&KeyColumn> = keys.iter().map(|k| key_columns.get(*k)).collect();
            for (place, row) in view.segment.groups[at].rows.iter().enumerate() {
                let mut tuple = [NONE; MAX_LEFT_KEYS];
                let mut usable = true;
                for (slot, key_column) in tuple.iter_mut().zip(&columns) {
                    *slot = key_column.row(place, key_columns.view().ends);
                    usable &= *slot != NONE && *slot != UNUSABLE;
                }
                if usable {
                    let row = usize::from(*row);
                    let source = &snapshot.sources[view.segment.part(row).source.index()];
                    f(index, row, tuple, view.segment.utc(source, row));
                }
            }
        }
    }
}
