//! Options of a load, its messages and errors.

use std::path::PathBuf;
use std::sync::Arc;

use widetui_core::memory::MemoryLimit;
use widetui_core::thread::NoThread;
use widetui_source::limits::Limits;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use crate::follow_switch::FollowSwitch;

/// Name of standard input as a source.
pub(crate) const STDIN: &str = "-";

/// Archive that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// First component of its members' paths.
    pub name: &'static str,
    /// Contents, a tar.gz.
    pub bytes: &'static [u8],
}

/// Options of a load: paths, zones, definitions, limits.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// Archive that is part of the program, opened in addition to the paths.
    pub embedded: Option<Embedded>,
    /// Files and folders; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// Tables of facts about the run, given by the user; their column names are keys.
    pub facts: Vec<PathBuf>,
    /// Zone of times without one; inferred if `None`.
    pub zone: Option<Zone>,
    /// Zone of times without one if nothing allows to infer it.
    pub fallback_zone: Zone,
    /// Definitions of the user besides the built-in ones: (file name, text).
    pub systems: Vec<(String, String)>,
    /// Number of loading threads; as many as the machine has, at most 8, if `None`.
    pub threads: Option<usize>,
    /// Limit of the memory of the process; beyond half of it, inflated text goes to a temporary file.
    pub memory: MemoryLimit,
    /// Corrections of clocks: (part of the path or tag of a source, ns to add to its times).
    pub shifts: Vec<(String, i64)>,
    /// Limits of archives.
    pub limits: Limits,
    /// Switch of following growing files after the load; never if `None`. Only loads in the background follow.
    pub follow: Option<FollowSwitch>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions {
            embedded: None,
            paths: Vec::new(),
            facts: Vec::new(),
            zone: None,
            fallback_zone: Zone::Utc,
            systems: Vec::new(),
            threads: None,
            memory: MemoryLimit(1 << 30),
            shifts: Vec::new(),
            limits: Limits::default(),
            follow: None,
        }
    }
}

/// Message of a load in the background.
#[derive(Clone, Debug)]
pub enum LoadMsg {
    /// Snapshot that replaces the previous one, up to the first that is `complete`. If files are followed, more complete ones
    /// come; `Snapshot::growth_since` gives the difference to an earlier one.
    Snapshot(Arc<Snapshot>),
    /// Progress of the load.
    Progress {
        /// Number of bytes read.
        done_bytes: u64,
        /// Number of bytes to read, as far as known.
        total_bytes: u64,
        /// Number of files found.
        files: usize,
        /// Current step, in words for the user.
        phase: &'static str,
    },
    /// Reason why nothing could be opened.
    Failed(String),
}

/// Reason why a load could not begin.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Invalid definition of the user.
    #[error("{0}")]
    System(String),
    /// No readable source.
    #[error("{0}")]
    Unreadable(String),
    /// Threads that could not be started.
    #[error("{0}")]
    Threads(#[from] NoThread),
    /// Cancelled by the user.
    #[error("stopped")]
    Cancelled,
}

pub(super) type MsgSink<'a> = &'a (dyn Fn(LoadMsg) -> bool + Send + Sync);
