//! Sources that are derived from a followed file whose lines are not its records: framed lines, rows, tables of a database.

use std::time::{Duration, Instant};

use widetui_format::framing::Framing;
use widetui_format::table::{JsonForm, TableSyntax};
use widetui_source::sqlite::DatabaseState;

use crate::chunk::CHUNK;
use crate::detector::Log;
use crate::framed_lines::{OneStream, Sorting};
use crate::line_spool::LetterText;

use super::growing::Growing;

/// Derived sources of a file.
#[derive(Debug)]
pub(super) enum Made {
    /// Unframed lines, by sender.
    Letters(Box<Letters>),
    /// Rows of a table or document as JSON lines.
    Rows(Box<Rows>),
    /// Tables of a database.
    Tables(Box<Tables>),
}

impl Made {
    /// Whether files with this syntax are followed.
    pub(crate) fn is_followed(syntax: TableSyntax) -> bool {
        !matches!(
            syntax,
            TableSyntax::Json(JsonForm::Object) | TableSyntax::Exported
        )
    }

    pub(crate) fn is_of(&self, syntax: TableSyntax) -> bool {
        match self {
            Made::Letters(letters) => TableSyntax::Framed(letters.sorting.framing) == syntax,
            Made::Rows(rows) => rows.syntax == Some(syntax),
            Made::Tables(_) => false,
        }
    }

    /// Whether the file (`len` bytes), now quiet, has text that was not read or examined so far.
    pub(crate) fn is_to_be_looked_at(&self, len: u64) -> bool {
        match self {
            Made::Letters(letters) => {
                let mut parts = letters.parts.iter();
                parts.any(|part| part.lines.is_looked_at_in_part(part.len))
            }
            Made::Rows(rows) => rows.made_of < len,
            Made::Tables(_) => false,
        }
    }

    /// Derived texts, which may have unfinished ends.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &Growing> {
        let parts = match self {
            Made::Letters(letters) => letters.parts.as_slice(),
            Made::Rows(_) | Made::Tables(_) => &[],
        };
        parts.iter().map(|part| &part.lines)
    }

    /// Logs contained in the file that may have sources of their own.
    pub(crate) fn parts_mut(&mut self) -> impl Iterator<Item = &mut Growing> {
        let (parts, tables): (&mut [LetterPart], &mut [FollowedTable]) = match self {
            Made::Letters(letters) => (&mut letters.parts, &mut []),
            Made::Tables(tables) => (&mut [], &mut tables.all),
            Made::Rows(_) => (&mut [], &mut []),
        };
        let tables = tables.iter_mut().map(|table| &mut table.rows.lines);
        parts.iter_mut().map(|part| &mut part.lines).chain(tables)
    }
}

/// Logs within one file with log framing.
#[derive(Debug)]
pub(super) struct Letters {
    pub(crate) sorting: Sorting,
    /// Parts of the file that have a source.
    pub(crate) parts: Vec<LetterPart>,
}

impl Letters {
    pub(crate) fn new(framing: Framing) -> Letters {
        Letters {
            sorting: Sorting::new(framing),
            parts: Vec::new(),
        }
    }
}

#[derive(Debug)]
pub(super) struct LetterPart {
    pub(crate) lines: Growing,
    /// Length in bytes at the last read.
    pub(crate) len: u64,
    /// Output stream of the lines, as known when the reader was chosen.
    pub(crate) stream: OneStream,
}

/// Table or JSON document.
#[derive(Debug)]
pub(super) struct Rows {
    /// Syntax of the rows; `None` for a table of a database.
    pub(crate) syntax: Option<TableSyntax>,
    pub(crate) lines: Growing,
    /// Rows as JSON lines.
    pub(crate) text: Option<LetterText>,
    /// Length of the prefix of the file that `text` was parsed from.
    pub(crate) made_of: u64,
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
            made_of: 0,
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
    pub(crate) look: Option<DatabaseState>,
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
    pub(crate) anew: Option<Instant>,
}
