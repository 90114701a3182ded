//! Switch by which the explorer pauses and resumes following.

use std::sync::{Arc, Mutex};

use widetui_core::ids::SourceId;
use widetui_core::lock;

/// Whether growing files are followed, and how; clones share it.
#[derive(Clone, Debug, Default)]
pub struct FollowSwitch(Arc<Mutex<SwitchState>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SwitchState {
    /// True while growing files are followed.
    pub is_on: bool,
    /// Sources whose times are shifted, ns.
    pub(crate) shifts: Vec<(SourceId, i64)>,
}

impl FollowSwitch {
    /// On or off.
    pub fn new(on: bool) -> FollowSwitch {
        let switch = FollowSwitch::default();
        switch.set(on);
        switch
    }

    /// Turns it on or off.
    pub fn set(&self, on: bool) {
        lock::hold(&self.0).is_on = on;
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        lock::hold(&self.0).is_on
    }

    /// Shifts the times of these sources (ns) in all snapshots from the next poll on, also when it is off.
    pub fn shift(&self, shifts: Vec<(SourceId, i64)>) {
        lock::hold(&self.0).shifts = shifts;
    }

    pub(super) fn state(&self) -> SwitchState {
        lock::hold(&self.0).clone()
    }
}
