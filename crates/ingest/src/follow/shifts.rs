//! Times that the user shifts while files are followed: were that left to who shows them, every snapshot would have to be
//! put in order anew, and none would extend the one before.

use std::sync::Arc;

use crate::shifts::{has, shifted};
use widetui_core::ids::SourceId;
use widetui_store::Snapshot;

use super::follower::Follower;
use super::follower::new_lineage;

impl Follower {
    /// Shifts the times of these sources (ns, in place of the shifts that they have), of what was read and of what will be.
    pub(crate) fn shift(&mut self, shifts: &[(SourceId, i64)]) {
        self.sources.shifts = shifts.to_vec();
        if has(&self.base, shifts) {
            return;
        }
        // Stopped: nobody waits for more.
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
