//! Inputs whose lines are not their records: logs with framing, tables, documents, archives, databases. They are read by the
//! steps of a load, again when they changed; each source within them goes on after the records that are known.

use std::fs;
use std::io::{self, Read};
use std::time::Instant;

use crate::container::Container;
use crate::files::{self, Contents};
use crate::finish::is_soon;
use crate::framed_logs::{self, SenderSplitter};
use crate::load_context::Activity;
use crate::record_reader::NewLines;
use crate::source_entries::problem;
use crate::table_source::Holder;
use crate::tables::read_rows;
use widetui_core::diag::Severity;
use widetui_format::pattern::glob::plain_name;
use widetui_format::table::TableSyntax;
use widetui_source::file::modified;
use widetui_source::sqlite::Database;
use widetui_source::text::{Text, TextStream, read_range};

use crate::followed_file::FileState;
use crate::follower::Follower;
use crate::input_growth::Input;

/// Inverse of the maximum share of a core's time for reading an input again.
const SHARE: u32 = 8;
/// Maximum number of bytes searched for the end of the last whole line.
const LAST: usize = 1 << 20;

impl Follower {
    /// Checks whether a database or its write-ahead log was written to, and reads its new rows; returns the number of bytes.
    pub(crate) fn visit_database(&mut self, at: usize, state: &FileState, now: Instant) -> u64 {
        let (path, len) = (self.files[at].path.clone(), self.files[at].len);
        let Some(container) = &mut self.files[at].container else {
            return 0;
        };
        match Database::state(&path) {
            Err(error) => self.report_unreadable(at, &error),
            // A write-ahead log may hold more rows than when the database was opened.
            Ok(found)
                if container.database.is_none()
                    && container.is_settled
                    && matches!(state, FileState::Same)
                    && !found.has_more() =>
            {
                container.database = Some(found);
            }
            Ok(found) if container.database.as_ref() == Some(&found) && !container.is_behind => {}
            Ok(_) => {
                let meta = fs::metadata(&path);
                let (len, written) = meta.map_or((len, 0), |meta| (meta.len(), modified(&meta)));
                return self.read(at, len, written, now).unwrap_or_else(|error| {
                    self.report_unreadable(at, &error);
                    0
                });
            }
        }
        0
    }

    /// Reads what is new in an input that contains sources, or records other than lines.
    pub(crate) fn read_container(
        &mut self,
        input: &Input<'_>,
        contents: Contents,
        container: &mut Container,
        now: Instant,
    ) -> io::Result<NewLines> {
        let (id, len) = (input.id, input.text.len());
        let is_quiet = input.activity >= Activity::Quiet;
        let is_ended = input.activity == Activity::Ended;
        let later = NewLines {
            bytes: 0,
            end: container.read_to,
        };
        if container.last.is_some_and(|last| is_soon(last, now, SHARE)) {
            return Ok(later);
        }
        container.is_database = matches!(contents, Contents::Database);
        let framing = match contents {
            Contents::Rows(TableSyntax::Framed(framing)) => Some(framing),
            _ => None,
        };
        if container.splitter.as_ref().map(|s| s.framing) != framing {
            container.splitter = framing.map(|framing| Box::new(SenderSplitter::new(framing)));
            container.read_to = 0;
        }
        let most = match framing {
            Some(_) => len.min(container.read_to.saturating_add(self.bytes)),
            None => len,
        };
        // A row without its end will change, unless nothing is written any more.
        let end = match contents {
            Contents::Rows(_) if !is_quiet || framing.is_some() && !is_ended => {
                end_of_lines(input.text, most)?
            }
            _ => len,
        };
        let is_changed = container.is_database || container.is_behind;
        let is_known = end == container.read_to && !is_changed;
        if is_known && (!is_quiet || container.is_settled) {
            return Ok(NewLines { bytes: 0, end: len });
        }
        let started = Instant::now();
        if let (Some(file), true) = (&input.file, container.is_database) {
            // Noted before reading: rows that arrive meanwhile are read at the next poll.
            container.database = Database::state(&file.path).ok();
        }
        let (shared, name) = (&self.shared, input.name.as_str());
        shared.update(|h| h.begin_again(id, name));
        let holder = Holder {
            id,
            name,
            modified: input.modified,
            origin: Default::default(),
        };
        let stream = |from: u64| TextStream::new(input.text, from).take(end.saturating_sub(from));
        rayon::scope(
            |scope| match (contents, &mut container.splitter, &input.file) {
                (Contents::Rows(_), Some(splitter), _) => {
                    let new = stream(container.read_to);
                    for text in framed_logs::read(scope, shared, holder, splitter, new) {
                        problem(shared, id, Severity::Warning, text);
                    }
                }
                (Contents::Rows(rows), ..) => read_rows(scope, shared, holder, rows, stream(0)),
                (contents, _, Some(file)) => {
                    files::read_container(scope, shared, id, file, contents)
                }
                (_, _, None) => {}
            },
        );
        container.is_behind = shared.update(|h| {
            h.end_again(id);
            h.is_behind
        });
        let bytes = end.saturating_sub(container.read_to);
        (container.read_to, container.is_settled) = (end, is_quiet);
        container.last = Some((now, started.elapsed()));
        self.is_changed = true;
        let end = if most < len { end } else { len };
        Ok(NewLines { bytes, end })
    }

    /// True if an input is a compressed generation of a log that is followed, whose records were read.
    pub(crate) fn is_generation(&self, input: &Input<'_>, contents: &Contents) -> bool {
        let plain = plain_name(&input.name);
        let mut files = self.files.iter();
        matches!(contents, Contents::Packed)
            && files.any(|file| file.id != input.id && plain_name(&file.name) == plain)
    }
}

/// Byte after the last whole line of the first `len` bytes of a text; `len` if the last line is longer than `LAST`.
fn end_of_lines(text: &dyn Text, len: u64) -> io::Result<u64> {
    let from = len.saturating_sub(LAST as u64);
    let bytes = read_range(text, from, (len - from) as usize)?;
    let end = memchr::memrchr(b'\n', &bytes);
    Ok(end.map_or(if from == 0 { 0 } else { len }, |at| from + at as u64 + 1))
}
