//! Zones of logs that name none, where what they say about the same things proves it.

use crate::analysis::clocks;
use crate::base::cancel::Cancel;
use crate::store::Snapshot;
use crate::store::source::{Basis, Source, Zoning};

/// The snapshot with clocks put right that are proven to be wrong; most have none and are left as they are. `None` when
/// cancelled.
pub(super) fn proven(snapshot: Snapshot, cancel: &Cancel) -> Option<Snapshot> {
    let Some((apart, without)) = clocks::proven(&snapshot, cancel) else {
        return (!cancel.is_cancelled()).then_some(snapshot);
    };
    let how = format!(
        "UTC{}: so what they say about the same things falls together with those that name their zone ({})",
        apart.zone(),
        apart.example.1
    );
    let zoned = |source: &Source| match without.contains(&source.id) {
        true => Source {
            zoning: Zoning::Local {
                offsets: vec![(i64::MIN, apart.offset)],
                days: 0,
                basis: Basis::Shown,
                how: how.clone(),
            },
            ..source.clone()
        },
        false => source.clone(),
    };
    let sources = snapshot.sources.iter().map(|s| zoned(s)).collect();
    let segments = snapshot.segments.to_vec();
    let tables = snapshot.tables.clone();
    Snapshot::build(sources, segments, tables, snapshot.complete, cancel)
}
