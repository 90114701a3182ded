//! Correction of inferred time zones that are proven wrong by records about the same instances in other logs.

use std::sync::Arc;

use crate::clocks::{ClockOffset, shared_instances};
use crate::load_state::set_zones;
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_store::source::{Source, ZoneBasis, Zoning};

/// Corrects the zones that are proven wrong by the records of a snapshot; most runs have none. `sources` are those of the
/// snapshot with the zones to check. `None` if cancelled.
pub(super) fn correct_proven(
    snapshot: &Snapshot,
    mut sources: Vec<Arc<Source>>,
    cancel: &Cancel,
) -> Option<Vec<Arc<Source>>> {
    if sources.iter().all(|s| matches!(s.zoning, Zoning::Stated)) {
        return Some(sources);
    }
    let placed = Snapshot {
        sources: sources.as_slice().into(),
        ..snapshot.clone()
    };
    let proven = shared_instances::find_offsets(&placed);
    drop(placed);
    for clock_offset in &proven {
        let zoning = zoning(clock_offset);
        let logs = clock_offset.logs.iter();
        set_zones(
            &mut sources,
            logs.map(|log| (*log, zoning.clone())).collect(),
        );
    }
    (!cancel.is_cancelled()).then_some(sources)
}

fn zoning(clock_offset: &ClockOffset) -> Zoning {
    Zoning::Local {
        offsets: vec![(i64::MIN, clock_offset.offset)],
        second_passes: Vec::new(),
        days: Vec::new(),
        basis: ZoneBasis::Evidence,
        how: format!(
            "UTC{}: records about the same instances then coincide with those of {}",
            clock_offset.zone(),
            clock_offset.example.1
        ),
    }
}
