//! What the logs are read into: how far the loader is, what came and is not shown yet.

use std::sync::Arc;

use widetui_store::Snapshot;

use super::following::Follow;

/// How far the loader is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Reading.
    Running {
        /// Bytes read.
        done: u64,
        /// Bytes to read.
        total: u64,
        /// Files found.
        files: usize,
        /// What it is doing.
        phase: &'static str,
    },
    /// Everything was read.
    Done,
    /// Nothing could be read.
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

/// What is being read, and what of it is not on the screen yet.
#[derive(Clone, Debug, Default)]
pub struct ArrivingState {
    /// How far the loader is.
    pub loading: Loading,
    /// A snapshot newer than the one that is shown, until its selection is known.
    pub newer: Option<Arc<Snapshot>>,
    /// Whether growing files are followed, and what came meanwhile.
    pub follow: Follow,
    /// What the clock said last, UTC ns; it is looked at while it matters.
    pub clock: Option<i64>,
}
