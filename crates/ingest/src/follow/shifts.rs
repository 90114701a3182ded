//! Clock shifts set by the user while following. If they were applied outside the follower, each snapshot would have to
//! be reordered, and none would extend the previous one.

use std::sync::Arc;

use crate::shifts::{has, shifted};
use widetui_core::ids::SourceId;
use widetui_store::Snapshot;

use super::follower::Follower;
use super::follower::new_lineage;

impl Follower {
    /// Shifts the times of sources (ns, replacing their current shifts), for records read so far and later.
    pub(crate) fn shift(&mut self, shifts: &[(SourceId, i64)]) {
        self.sources.shifts = shifts.to_vec();
        if has(&self.base, shifts) {
            return;
        }
        // Cancelled: nobody waits for a snapshot.
        let Some(base) = shifted(&self.base, shifts, &self.cancel) else {
            return;
        };
        self.base = Arc::new(Snapshot {
            lineage: new_lineage(),
            ties: Arc::default(),
            ..(*base).clone()
        });
        for (id, ns) in shifts {
            self.sources.change(*id, |s| s.shift = *ns);
        }
        self.is_changed = true;
    }
}
