//! Sources that are derived from a followed file whose lines are not its records: framed lines, rows, tables of a database.

use std::time::{Duration, Instant};

use widetui_format::framing::Framing;
use widetui_format::table::{JsonForm, TableSyntax};
use widetui_source::sqlite::DatabaseState;

use crate::chunk::CHUNK;
use crate::detector::Log;
use crate::framed_logs::{OutputStream, SenderSplitter};
use crate::line_spool::SpooledLines;

use super::growing::Growing;

/// Derived sources of a file.
#[derive(Debug)]
pub(super) enum Derived {
    /// Unframed lines, by sender.
    Framed(Box<FramedLogs>),
    /// Rows of a table or document as JSON lines.
    Rows(Box<Rows>),
    /// Tables of a database.
    Tables(Box<Tables>),
}

impl Derived {
    /// Whether files with this syntax are followed.
    pub(crate) fn is_followed(syntax: TableSyntax) -> bool {
        !matches!(
            syntax,
            TableSyntax::Json(JsonForm::Object) | TableSyntax::Exported
        )
    }

    pub(crate) fn is_of(&self, syntax: TableSyntax) -> bool {
        match self {
            Derived::Framed(framed) => TableSyntax::Framed(framed.splitter.framing) == syntax,
            Derived::Rows(rows) => rows.syntax == Some(syntax),
            Derived::Tables(_) => false,
        }
    }

    /// Whether the file (`len` bytes), now quiet, has text that was not read or examined so far.
    pub(crate) fn has_unprocessed(&self, len: u64) -> bool {
        match self {
            Derived::Framed(framed) => {
                let mut parts = framed.parts.iter();
                parts.any(|part| part.lines.is_partly_sampled(part.len))
            }
            Derived::Rows(rows) => rows.parsed_len < len,
            Derived::Tables(_) => false,
        }
    }

    /// Derived texts, which may have unfinished ends.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &Growing> {
        let parts = match self {
            Derived::Framed(framed) => framed.parts.as_slice(),
            Derived::Rows(_) | Derived::Tables(_) => &[],
        };
        parts.iter().map(|part| &part.lines)
    }

    /// Logs contained in the file that may have sources of their own.
    pub(crate) fn parts_mut(&mut self) -> impl Iterator<Item = &mut Growing> {
        let (parts, tables): (&mut [FramedLog], &mut [FollowedTable]) = match self {
            Derived::Framed(framed) => (&mut framed.parts, &mut []),
            Derived::Tables(tables) => (&mut [], &mut tables.all),
            Derived::Rows(_) => (&mut [], &mut []),
        };
        let tables = tables.iter_mut().map(|table| &mut table.rows.lines);
        parts.iter_mut().map(|part| &mut part.lines).chain(tables)
    }
}

/// Logs within one file with log framing.
#[derive(Debug)]
pub(super) struct FramedLogs {
    pub(crate) splitter: SenderSplitter,
    /// Parts of the file that have a source.
    pub(crate) parts: Vec<FramedLog>,
}

impl FramedLogs {
    pub(crate) fn new(framing: Framing) -> FramedLogs {
        FramedLogs {
            splitter: SenderSplitter::new(framing),
            parts: Vec::new(),
        }
    }
}

#[derive(Debug)]
pub(super) struct FramedLog {
    pub(crate) lines: Growing,
    /// Length in bytes at the last read.
    pub(crate) len: u64,
    /// Output stream of the lines, as known when the reader was chosen.
    pub(crate) stream: OutputStream,
}

/// Table or JSON document.
#[derive(Debug)]
pub(super) struct Rows {
    /// Syntax of the rows; `None` for a table of a database.
    pub(crate) syntax: Option<TableSyntax>,
    pub(crate) lines: Growing,
    /// Rows as JSON lines.
    pub(crate) text: Option<SpooledLines>,
    /// Length of the prefix of the file that `text` was parsed from.
    pub(crate) parsed_len: u64,
    /// Time and duration of the last parse.
    pub(crate) last: Option<(Instant, Duration)>,
    /// Problems reported by the last parse.
    pub(crate) problems: Vec<String>,
}

impl Rows {
    pub(crate) fn new(syntax: Option<TableSyntax>, lines: Growing) -> Rows {
        Rows {
            syntax,
            lines,
            text: None,
            parsed_len: 0,
            last: None,
            problems: Vec::new(),
        }
    }

    /// Continues after `len` bytes that were read when the run was opened.
    pub(crate) fn go_on(&mut self, log: Log, len: u64) {
        self.lines.log = Some(log);
        self.lines.read_from(len);
        self.lines.has_records = true;
        self.lines.seq = (len / CHUNK) as u32 + 2;
    }
}

/// Tables of a database with their reading state.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(crate) all: Vec<FollowedTable>,
    /// State of the database files at the last read; `None` since the run was opened.
    pub(crate) state: Option<DatabaseState>,
    /// Time and duration of the last read.
    pub(crate) last: Option<(Instant, Duration)>,
    /// Whether rows changed that have not been reread yet.
    pub(crate) is_behind: bool,
}

/// Followed table of a database.
#[derive(Debug)]
pub(super) struct FollowedTable {
    /// Name of the table in the database.
    pub(crate) name: String,
    pub(crate) rows: Rows,
    /// Time of the last reread.
    pub(crate) last_reread: Option<Instant>,
}
