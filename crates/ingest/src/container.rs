//! State of reading an input whose lines are not its records.

use std::time::{Duration, Instant};

use widetui_source::sqlite::DatabaseState;

use crate::framed_logs::SenderSplitter;

/// State of reading an input whose lines are not its records.
#[derive(Debug, Default)]
pub(crate) struct Container {
    /// Lines by sender, of a log with framing.
    pub(crate) splitter: Option<Box<SenderSplitter>>,
    /// Byte up to which it was read.
    pub(crate) read_to: u64,
    /// True if it was read since it became quiet.
    pub(crate) is_settled: bool,
    pub(crate) is_database: bool,
    /// State of a database at the last read; `None` since the run was opened.
    pub(crate) database: Option<DatabaseState>,
    /// Time and duration of the last read.
    pub(crate) last: Option<(Instant, Duration)>,
    /// True if something changed that was not read yet.
    pub(crate) is_behind: bool,
}

impl Container {
    /// State after the first `len` bytes were read by the load.
    pub(crate) fn read_before(len: u64, is_database: bool) -> Container {
        Container {
            read_to: len,
            is_settled: true,
            is_database,
            ..Container::default()
        }
    }

    /// True if a part may have to be read though nothing was written any more.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_settled || self.is_behind
    }

    /// True if its lines are read as they come.
    pub(crate) fn is_framed(&self) -> bool {
        self.splitter.is_some()
    }
}
