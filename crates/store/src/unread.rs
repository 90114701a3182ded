//! Sources whose records could not be read again when a question was about their text. An answer goes by what was read,
//! so whoever gives one has to tell this too: a failing disk must not look like a text that does not occur.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use widetui_core::ids::SourceId;
use widetui_core::lock;

use super::source::Source;

/// What could not be read since somebody told it last; one for all snapshots of a run, as they share their sources.
#[derive(Debug, Default)]
pub struct Unread {
    /// Whether there is any; it is asked after each question.
    any: AtomicBool,
    sources: Mutex<BTreeMap<SourceId, Lost>>,
}

/// A source that could not be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Its path.
    pub(crate) source: String,
    /// What was reported first.
    pub(crate) error: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lost { source, error } = self;
        write!(f, "{source} cannot be read again: {error}")
    }
}

impl Unread {
    /// Notes that records of a source could not be read.
    pub(crate) fn note(&self, source: &Source, error: &io::Error) {
        let mut sources = lock::hold(&self.sources);
        sources.entry(source.id).or_insert_with(|| Lost {
            source: source.path.clone(),
            error: error.to_string(),
        });
        self.any.store(true, Ordering::Release);
    }

    /// What was noted since the last time, by source: to be told now.
    pub fn take(&self) -> Vec<Lost> {
        if !self.any.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        let sources = std::mem::take(&mut *lock::hold(&self.sources));
        sources.into_values().collect()
    }

    /// Reads at a place of a source until `buffer` is full; gives how many bytes were read. That they are fewer, because it
    /// failed or because the source has become shorter, is noted.
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

/// The error of a source that has fewer bytes than it had.
pub(super) fn shorter() -> io::Error {
    io::Error::other("the file is shorter than it was when it was read")
}
