//! What is known of the zones of a run while it grows.

use rustc_hash::FxHashSet;

use crate::zones::{Evidence, Wanted};
use widetui_core::ids::SourceId;
use widetui_time::zone::Zone;

/// What is known of the zones of a run.
#[derive(Clone)]
pub(super) struct Zones {
    pub(crate) evidence: Evidence,
    /// As the user says.
    pub(crate) zone: Option<Zone>,
    /// The machine's.
    pub(crate) fallback: Zone,
    /// Sources of which it was told that they lie elsewhere.
    pub(crate) told: FxHashSet<SourceId>,
}

impl Zones {
    pub(crate) fn new(evidence: Evidence, zone: Option<Zone>, fallback: Zone) -> Zones {
        Zones {
            evidence,
            zone,
            fallback,
            told: FxHashSet::default(),
        }
    }

    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted {
            given: self.zone.as_ref(),
            fallback: &self.fallback,
        }
    }
}
