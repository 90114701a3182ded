//! Opening paths: what the loader says while it works.

use std::path::PathBuf;
use std::sync::Arc;

use crossbeam_channel::Sender;

use crate::base::cancel::Cancel;
use crate::store::Snapshot;

/// What the loader says.
#[derive(Clone, Debug)]
pub enum LoadMsg {
    /// What is known so far; better and better ones, `complete` on the last.
    Snapshot(Arc<Snapshot>),
    /// How far it is.
    Progress {
        /// Bytes read.
        done_bytes: u64,
        /// Bytes to read, as far as known.
        total_bytes: u64,
        /// Files found.
        files: usize,
        /// What it is doing: `reading`.
        phase: &'static str,
    },
    /// Nothing can be read at all.
    Failed(String),
}

/// What to open and how.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Files, folders, archives.
    pub paths: Vec<PathBuf>,
}

/// Loads on threads of its own and sends what it finds.
pub fn spawn(options: OpenOptions, send: Sender<LoadMsg>, cancel: Cancel) {
    let _ = (options, cancel);
    let _ = send.send(LoadMsg::Failed("there is no loader in this build".into()));
}
