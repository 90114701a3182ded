//! Options of a load, its messages and errors.

use std::path::PathBuf;
use std::sync::Arc;

use widetui_core::thread::NoThread;
use widetui_source::limits::Limits;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use crate::follow_switch::FollowSwitch;

/// Name of standard input as a source.
pub(crate) const STDIN: &str = "-";

/// An archive that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// What its members' paths start with.
    pub name: &'static str,
    /// A tar.gz.
    pub bytes: &'static [u8],
}

/// What to open and how.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// An archive that is part of the program, opened as well.
    pub embedded: Option<Embedded>,
    /// Files and folders; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// Tables of facts about the run; their columns are keys as they are called.
    pub facts: Vec<PathBuf>,
    /// Zone of times without one; `None`: found out.
    pub zone: Option<Zone>,
    /// Zone of times without one when nothing tells.
    pub fallback_zone: Zone,
    /// Definitions given besides the built-in ones: file name and text.
    pub systems: Vec<(String, String)>,
    /// Threads for loading; `None`: as many as the machine has, at most 8.
    pub threads: Option<usize>,
    /// Bytes of inflated text kept in memory (compressed); beyond it goes to a temporary file.
    pub memory: u64,
    /// Sources whose clocks are wrong: part of the path or tag, and what to add to its times (ns).
    pub shifts: Vec<(String, i64)>,
    /// What an archive may amount to.
    pub limits: Limits,
    /// Whether files that grow are followed once everything was read; `None`: never. Only loads in the background do.
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
            memory: 1 << 30,
            shifts: Vec::new(),
            limits: Limits::default(),
            follow: None,
        }
    }
}

/// What a load tells while it runs.
#[derive(Clone, Debug)]
pub enum LoadMsg {
    /// A better snapshot than the one before, up to the first that is `complete`. Where files are followed, more come
    /// that are complete too; what such a one has that an earlier one has not says `Snapshot::growth_since`.
    Snapshot(Arc<Snapshot>),
    /// How far it is.
    Progress {
        /// Bytes read.
        done_bytes: u64,
        /// Bytes to read as far as known.
        total_bytes: u64,
        /// Files found.
        files: usize,
        /// What is being done, for people.
        phase: &'static str,
    },
    /// Nothing could be opened; why.
    Failed(String),
}

/// A load that could not even begin.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A definition given by the user is wrong.
    #[error("{0}")]
    System(String),
    /// Nothing at all could be read.
    #[error("{0}")]
    Unreadable(String),
    /// Threads could not be started.
    #[error("{0}")]
    Threads(#[from] NoThread),
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
}

pub(super) type Tell<'a> = &'a (dyn Fn(LoadMsg) -> bool + Send + Sync);
