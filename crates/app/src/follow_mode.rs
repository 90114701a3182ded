//! Follow mode: state of following growing files.

use std::sync::Arc;

use widetui_store::Snapshot;

/// Behaviour of the cursor when new records arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Following {
    /// Follow mode is off.
    #[default]
    Off,
    /// The cursor stays at the last row.
    On,
    /// The cursor stays where the user moved it.
    Paused {
        /// Number of rows when the cursor left the last row.
        rows: usize,
    },
}

/// State of the follow mode.
#[derive(Clone, Debug, Default)]
pub struct FollowState {
    /// Behaviour of the cursor.
    pub state: Following,
    /// Whether a live run is followed from the start.
    pub is_started_by_liveness: bool,
    /// Time of the last growth since the run was opened, UTC ns.
    pub(crate) grew: Option<i64>,
    /// Whether the selection is being evaluated for a snapshot.
    pub(crate) is_asking: bool,
    /// Latest snapshot, to be evaluated next.
    pub(crate) waiting: Option<Arc<Snapshot>>,
    /// Number of rows that arrived while paused.
    pub(crate) below: usize,
}
