//! Keys with one value.

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
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
