//! Sources whose records could not be read again for a query of their text. Every answer must report them: a failing
//! disk must not look like a text that does not occur.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use widetui_core::ids::SourceId;
use widetui_core::lock;

use super::source::Source;

/// Read failures since they were last reported; shared by all snapshots of a run, as they share their sources.
#[derive(Debug, Default)]
pub struct ReadFailures {
    /// Whether there is any failure; checked after each query.
    any: AtomicBool,
    sources: Mutex<BTreeMap<SourceId, ReadFailure>>,
}

/// Source that could not be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailure {
    /// Path of the source.
    pub(crate) source: String,
    /// First error of the source.
    pub(crate) error: String,
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadFailure { source, error } = self;
        write!(f, "{source} cannot be read again: {error}")
    }
}

impl ReadFailures {
    /// Records that reading a source failed.
    pub(crate) fn note(&self, source: &Source, error: &io::Error) {
        let mut sources = lock::hold(&self.sources);
        sources.entry(source.id).or_insert_with(|| ReadFailure {
            source: source.path.clone(),
            error: error.to_string(),
        });
        self.any.store(true, Ordering::Release);
    }

    /// Removes and returns the failures, by source.
    pub fn take(&self) -> Vec<ReadFailure> {
        if !self.any.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        let sources = std::mem::take(&mut *lock::hold(&self.sources));
        sources.into_values().collect()
    }

    /// Reads from an offset of a source until `buffer` is full, and returns the number of bytes read. A short read,
    /// because of an error or a truncated source, is recorded.
    pub fn read_at(&self, source: &Source, offset: u64, buffer: &mut [u8]) -> usize {
        let wanted = buffer.len();
        match source.text.read_at(offset, buffer) {
            Ok(read) => {
                if read < wanted {
                    self.note(source, &shorter());
                }
                read.min(wanted)
            }
            Err(error) => {
                self.note(source, &error);
                0
            }
        }
    }
}

/// Error of a source that has become shorter.
pub(super) fn shorter() -> io::Error {
    io::Error::other("the file is shorter than it was when it was read")
}
