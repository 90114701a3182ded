//! Correction of inferred time zones that are proven wrong by records about the same instances in other logs.

use rustc_hash::FxHashMap;

use crate::clocks::{self, ClockOffset};
use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_store::Snapshot;
use widetui_store::source::{Source, ZoneBasis, Zoning};

/// Corrects the zones that are proven wrong; most snapshots have none and are returned unchanged. `None` if cancelled.
pub(super) fn correct_proven(snapshot: Snapshot, cancel: &Cancel) -> Option<Snapshot> {
    let proven = clocks::proven(&snapshot, cancel);
    if cancel.is_cancelled() {
        return None;
    }
    if proven.is_empty() {
        return Some(snapshot);
    }
    let by_log = |clock_offset: &ClockOffset| {
        let zoning = zoning(clock_offset);
        let logs = clock_offset.logs.iter();
        logs.map(|log| (*log, zoning.clone())).collect::<Vec<_>>()
    };
    let zonings: FxHashMap<SourceId, Zoning> = proven.iter().flat_map(by_log).collect();
    let zoned = |source: &Source| match zonings.get(&source.id) {
        Some(zoning) => Source {
            zoning: zoning.clone(),
            ..source.clone()
        },
        None => source.clone(),
    };
    let sources = snapshot.sources.iter().map(|s| zoned(s)).collect();
    let segments = snapshot.segments.to_vec();
    let tables = snapshot.tables.clone();
    Snapshot::build(sources, segments, tables, snapshot.complete, cancel)
}

fn zoning(clock_offset: &ClockOffset) -> Zoning {
    Zoning::Local {
        offsets: vec![(i64::MIN, clock_offset.offset)],
        second_passes: Vec::new(),
        days: Vec::new(),
        basis: ZoneBasis::Evidence,
        how: format!(
            "UTC{}: records about the same instances then coincide with those of logs that state their zone ({})",
            clock_offset.zone(),
            clock_offset.example.1
        ),
    }
}
