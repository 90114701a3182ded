//! Number of distinct values of keys.

use rayon::prelude::*;

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
    let mut known = None;
    let mut is_other = |code: Code| code != NONE && *known.get_or_insert(code) != code;
    let constants = snapshot.sources.iter().flat_map(|s| s.consts.iter());
    let mut paths = constants.filter(|(k, _)| *k == key);
    if paths.any(|(_, code)| is_other(dict.canonical(*code))) {
        return false;
    }
    (0..snapshot.segments.len()).all(|index| {
        let view = SegmentView::new(snapshot, index, &[]);
        (0..view.segment.groups.len()).all(|at| match view.group(at).key_column_with(key, None) {
            KeyColumn::Absent => true,
            KeyColumn::Const(code) => !is_other(code),
            KeyColumn::Rows(codes) | KeyColumn::Elements(codes) => {
                !codes.into_iter().any(&mut is_other)
            }
        })
    })
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
