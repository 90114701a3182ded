//! Sources that are derived from a followed file whose lines are not its records: framed lines, rows, tables of a database.

use std::time::{Duration, Instant};

use widetui_format::framing::Framing;
use widetui_format::table::{JsonForm, TableSyntax};
use widetui_source::sqlite::Look as DatabaseLook;

use crate::chunk::CHUNK;
use crate::detector::Log;
use crate::framed_lines::{OneStream, Sorting};
use crate::line_spool::LetterText;

use super::growing::Growing;

/// What is made of a file.
#[derive(Debug)]
pub(super) enum Made {
    /// Lines without their framing.
    Letters(Box<Letters>),
    /// Rows as lines of JSON.
    Rows(Box<Rows>),
    /// The tables of a database.
    Tables(Box<Tables>),
}

impl Made {
    /// Whether a file of this kind is followed.
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

    /// Whether there is something to look at once more, as nothing comes any more: the file has `len` bytes.
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

    /// The texts that are made of it, as far as they have unfinished ends.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &Growing> {
        let parts = match self {
            Made::Letters(letters) => letters.parts.as_slice(),
            Made::Rows(_) | Made::Tables(_) => &[],
        };
        parts.iter().map(|part| &part.lines)
    }

    /// The logs that stand in the file, as sources beside its own.
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

/// The logs that stand in one file, each line in an envelope.
#[derive(Debug)]
pub(super) struct Letters {
    pub(crate) sorting: Sorting,
    /// One for each part of it that has a source.
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
    /// Bytes of it that were there when it was read last.
    pub(crate) len: u64,
    /// Where its lines came from, as far as that was known when it was decided how it is read.
    pub(crate) stream: OneStream,
}

/// A table, or JSON over many lines.
#[derive(Debug)]
pub(super) struct Rows {
    /// How they are written; `None` for a table of a database.
    pub(crate) syntax: Option<TableSyntax>,
    pub(crate) lines: Growing,
    /// What was made of it.
    pub(crate) text: Option<LetterText>,
    /// Bytes of the file that this is made of.
    pub(crate) made_of: u64,
    /// When it was made, and how long that took.
    pub(crate) last: Option<(Instant, Duration)>,
    /// What was told of it.
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

    /// So much of what was made of it was read when the run was opened.
    pub(crate) fn go_on(&mut self, log: Log, len: u64) {
        self.lines.log = Some(log);
        self.lines.read_from(len);
        self.lines.has_records = true;
        self.lines.seq = (len / CHUNK) as u32 + 2;
    }
}

/// The tables of a database, as far as they were read.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(crate) all: Vec<FollowedTable>,
    /// How its files looked when they were read last; `None`: when the run was opened.
    pub(crate) look: Option<DatabaseLook>,
    /// When that was, and how long it took.
    pub(crate) last: Option<(Instant, Duration)>,
    /// Whether rows changed that are not read anew yet.
    pub(crate) is_behind: bool,
}

/// One of them.
#[derive(Debug)]
pub(super) struct FollowedTable {
    /// Its name in the database.
    pub(crate) name: String,
    pub(crate) rows: Rows,
    /// When it was read anew.
    pub(crate) anew: Option<Instant>,
}
