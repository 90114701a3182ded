//! State of loading: progress of the loader, and data that is not shown yet.

use std::sync::Arc;

use widetui_session::liveness::Liveness;
use widetui_store::Snapshot;

use super::follow_mode::FollowState;

/// Progress of the loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Loading is running.
    Running {
        /// Number of bytes read.
        done: u64,
        /// Number of bytes to read.
        total: u64,
        /// Number of files found.
        files: usize,
        /// Current phase.
        phase: &'static str,
    },
    /// Loading is complete.
    Done,
    /// Error: nothing could be read.
    Failed(String),
}

impl Default for Loading {
    fn default() -> Loading {
        Loading::Running {
            done: 0,
            total: 0,
            files: 0,
            phase: "looking for logs",
        }
    }
}

/// State of loading, and of data that is not on the screen yet.
#[derive(Clone, Debug, Default)]
pub struct LoadingState {
    /// Progress of the loader.
    pub loading: Loading,
    /// Snapshot newer than the one shown, until its selection is evaluated.
    pub newer: Option<Arc<Snapshot>>,
    /// Follow mode.
    pub follow: FollowState,
    /// Last reading of the clock, UTC ns; updated only while it is needed.
    pub(crate) clock: Option<i64>,
    /// Liveness of the run, judged when records arrive and, while files are followed, as time passes. `None` until both the
    /// clock and records are known.
    pub liveness: Option<Liveness>,
}
