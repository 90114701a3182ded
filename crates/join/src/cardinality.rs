//! Approximate number of distinct values of each key. A join indexes its groups by the left key
//! with the most values.

use rayon::prelude::*;

use widetui_store::Snapshot;
use widetui_store::column::Column;

/// Upper bound of the distinct values of each key, indexed by `KeyId`: the sum over its columns,
/// estimated from their encoding.
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
