//! Properties of all events as flat columns, indexed by event id, for analyses that walk over instances.

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_time::time::NO_TIME;

use crate::key_column::{SegmentView, disputed_rows};
use crate::{Snapshot, Source};

/// Time of every event, UTC ns; `NO_TIME` for events without one.
pub fn times(snapshot: &Snapshot) -> Vec<i64> {
    times_of(snapshot, |_| true)
}

/// Time of the events of sources that `counts` accepts, UTC ns; `NO_TIME` for all other events.
pub fn times_of(snapshot: &Snapshot, counts: impl Fn(&Source) -> bool + Sync) -> Vec<i64> {
    let mut out = vec![NO_TIME; snapshot.len()];
    segment_slices(snapshot, &mut out)
        .into_par_iter()
        .enumerate()
        .for_each(|(index, slice)| {
            let segment = &snapshot.segments[index];
            for part in &segment.parts {
                let source = snapshot.source(part.source);
                let Some(source) = source.filter(|s| counts(s)) else {
                    continue;
                };
                let first = part.first_row as usize;
                let rows = slice.iter_mut().enumerate().skip(first);
                for (row, time) in rows.take(part.rows as usize) {
                    *time = segment.utc(source, row);
                }
            }
        });
    out
}

/// Slices of a column of all events, one per segment.
pub fn segment_slices<'o, T>(snapshot: &Snapshot, mut rest: &'o mut [T]) -> Vec<&'o mut [T]> {
    let mut out = Vec::with_capacity(snapshot.segments.len());
    for segment in snapshot.segments.iter() {
        let (slice, after) = rest.split_at_mut(segment.len().min(rest.len()));
        out.push(slice);
        rest = after;
    }
    out
}

/// Value of a key in every event, as codes of its dictionary: `NONE` for events without a value. `None` when cancelled.
pub fn codes_of_key(snapshot: &Snapshot, key: KeyId, cancel: &Cancel) -> Option<Vec<Code>> {
    let mut out = vec![NONE; snapshot.len()];
    let copied = disputed_rows(snapshot);
    let slices = segment_slices(snapshot, &mut out).into_par_iter();
    slices.enumerate().for_each(|(index, slice)| {
        if cancel.is_cancelled() {
            return;
        }
        let view = SegmentView::new(snapshot, index, &copied[index]);
        codes_of_rows(&view, key, slice);
    });
    (!cancel.is_cancelled()).then_some(out)
}

/// Writes the codes of a key into the rows of a segment; rows without a value stay as they are.
fn codes_of_rows(view: &SegmentView<'_>, key: KeyId, codes: &mut [Code]) {
    for at in 0..view.segment.groups.len() {
        let group = view.group(at);
        let key_column = group.key_column(key);
        if key_column.is_absent() {
            continue;
        }
        for (place, row) in group.group.rows.iter().enumerate() {
            codes[usize::from(*row)] = key_column.row(place, group.ends);
        }
    }
}
