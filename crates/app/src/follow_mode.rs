//! Follow mode: state of following growing files, and its display.

use std::sync::Arc;

use widetui_store::Snapshot;

use widetui_tables::role::Role;
use widetui_tables::text::grouped;

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
    /// Time since which a change of a file makes the run a live one, UTC ns; `None`: no run is live. The cursor of a live
    /// run starts at the last record.
    pub live_since: Option<i64>,
    /// Whether a live run is followed from the start.
    pub is_started_by_liveness: bool,
    /// Whether the selection is being evaluated for a snapshot.
    pub(crate) is_asking: bool,
    /// Latest snapshot, to be evaluated next.
    pub(crate) waiting: Option<Arc<Snapshot>>,
    /// Number of rows that arrived while paused.
    pub(crate) below: usize,
}

impl FollowState {
    /// Text and style for the breadcrumb.
    pub fn words(&self) -> Option<(String, Role)> {
        match (self.state, self.below) {
            (Following::Off, _) => None,
            (Following::On, _) => Some(("following".to_owned(), Role::StepNow)),
            (Following::Paused { .. }, 0) => Some(("paused".to_owned(), Role::Muted)),
            (Following::Paused { .. }, n) => {
                let text = format!("paused, {} new", grouped(n as u64));
                Some((text, Role::Warning))
            }
        }
    }
}
