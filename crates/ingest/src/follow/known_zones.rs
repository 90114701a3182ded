//! Time zone state of a live run.

use rustc_hash::FxHashSet;

use crate::zones::{Evidence, ZoneOptions};
use widetui_core::ids::SourceId;
use widetui_time::zone::Zone;

/// Time zones of a run: evidence and defaults.
#[derive(Clone)]
pub(super) struct Zones {
    pub(crate) evidence: Evidence,
    /// Zone given by the user.
    pub(crate) zone: Option<Zone>,
    /// Zone of the machine.
    pub(crate) fallback: Zone,
    /// Sources with a note that their zone turned out to be another one.
    pub(crate) noted: FxHashSet<SourceId>,
}

impl Zones {
    pub(crate) fn new(evidence: Evidence, zone: Option<Zone>, fallback: Zone) -> Zones {
        Zones {
            evidence,
            zone,
            fallback,
            noted: FxHashSet::default(),
        }
    }

    pub(crate) fn zone_options(&self) -> ZoneOptions<'_> {
        ZoneOptions {
            given: self.zone.as_ref(),
            fallback: &self.fallback,
        }
    }
}
