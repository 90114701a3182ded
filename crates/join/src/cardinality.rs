//! Number of distinct values of keys.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_store::column::Column;
use widetui_store::key_column::{KeyColumn, SegmentView};

/// True if records and paths state at most one value of a key.
pub(crate) fn has_one_value(snapshot: &Snapshot, key: KeyId) -> bool {
    let Some(dict) = snapshot.catalog.keys.get(key).map(|key| &key.dict) else {
        return true;
    };
    let constants = snapshot
        .sources
        .iter()
        .flat_map(|source| source.consts.iter());
    let paths = constants.filter(|(k, _)| *k == key);
    let mut values: FxHashSet<Code> = paths.map(|(_, code)| dict.canonical(*code)).collect();
    for index in 0..snapshot.segments.len() {
        let view = SegmentView::new(snapshot, index, &[]);
        for at in 0..view.segment.groups.len() {
            match view.group(at).key_column_with(key, None) {
                KeyColumn::Absent => {}
                KeyColumn::Const(code) => values.extend([code]),
                KeyColumn::Rows(codes) | KeyColumn::Elements(codes) => values.extend(codes),
            }
            values.remove(&NONE);
            if values.len() > 1 {
                return false;
            }
        }
    }
    values.len() <= 1
}

/// Upper bound of the distinct values of each key, indexed by `KeyId`: the sum over its columns,
/// estimated from their encoding. A join indexes its groups by the left key with the most values.
pub(crate) fn distinct_value_bounds(snapshot: &Snapshot) -> Vec<usize> {
    let none = || vec![0; snapshot.catalog.keys.len()];
    let segments = snapshot.segments.par_iter();
    let counted = segments.fold(none, |mut varieties, segment| {
        for (key, column) in segment.groups.iter().flat_map(|group| &group.columns) {
            if let Some(variety) = varieties.get_mut(key.index()) {
                *variety += column_bound(column);
            }
        }
        varieties
    });
    counted.reduce(none, |mut all, some| {
        all.iter_mut().zip(some).for_each(|(all, one)| *all += one);
        all
    })
}

/// Upper bound of the distinct values of a column.
fn column_bound(column: &Column) -> usize {
    match column {
        Column::Const(_) => 1,
        Column::Byte { .. } | Column::Dict { .. } => 256.min(column.rows().unwrap_or(0)),
        column => column.rows().unwrap_or(0),
    }
}
