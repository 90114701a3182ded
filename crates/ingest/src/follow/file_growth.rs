//! Reading of new data in files, and detection of their readers while too little data is present.

use crate::source_entries::{problem, remove_problems};
use std::fs::File;
use std::io;
use std::time::Instant;

use crate::detector::Verdict;
use crate::parquet_files::PARQUET;
use crate::source_entries::short_name;
use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_format::table::TableSyntax;
use widetui_source::file::OpenText;
use widetui_source::head::{HEAD, SourceHead, read_start};
use widetui_source::sniff::{Sniffed, sniff};
use widetui_source::text::Text;
use widetui_store::SourceTrait;

use super::derived_sources::Derived;
use super::follower::Follower;
use super::new_lines::read_lines;

/// End of the problem texts of sources that are not followed.
const NOT_FOLLOWED: &str = "reopen the run to read it";

impl Follower {
    /// Reads the new data of a file of `len` bytes; returns the number of bytes read.
    pub(super) fn read(
        &mut self,
        at: usize,
        len: u64,
        modified: i64,
        now: Instant,
    ) -> io::Result<u64> {
        let Some(opened) = self.files[at].opened()? else {
            self.displaced.push(at);
            return Ok(0);
        };
        if !self.files[at].is_same(&opened)? {
            return Ok(self.end_truncated(at, now));
        }
        let file = &mut self.files[at];
        if file.is_as_opened() {
            file.lines.check_start(&OpenText::new(&opened, len))?;
        }
        let before = (file.len, file.lines.rest.len());
        let is_first = file.modified == 0;
        if file.lines.needs_detection(len) || is_first && file.lines.log.is_none() {
            self.detect_reader(at, &opened, len, modified)?;
        }
        let file = &mut self.files[at];
        if file.is_ended {
            file.close();
            return Ok(0);
        }
        let is_made = file.derived.is_some();
        let read = match is_made {
            true => self.read_derived(at, &opened, (len, modified), now)?,
            false => {
                let of = (&OpenText::new(&opened, len) as &dyn Text, len);
                let most = self.bytes;
                read_lines(&self.shared, &mut self.worker, &mut file.lines, of, most)?
            }
        };
        let file = &mut self.files[at];
        let modified_then = if read.end < len { 0 } else { modified };
        file.note_end(&opened, read.end, modified_then)?;
        if (file.len, file.lines.rest.len()) != before || read.bytes > 0 || is_first {
            file.grew = Some(now);
            let (id, bytes) = (file.lines.id, file.len);
            self.shared.change(id, |s| {
                // For derived sources, the code that derives them sets the length.
                if !is_made || !s.is_log {
                    s.bytes = bytes;
                }
                s.modified = modified;
            });
            self.is_changed = true;
        }
        Ok(read.bytes)
    }

    /// Detects the reader of a file again once it is quiet, if it was short at the first detection.
    pub(super) fn detect_when_quiet(&mut self, at: usize, now: Instant) {
        let file = &self.files[at];
        let (len, modified) = (file.len, file.modified);
        if !file.is_quiet(now) {
            return;
        }
        if file
            .derived
            .as_ref()
            .is_some_and(|made| made.has_unprocessed(len))
        {
            if let Ok(Some(opened)) = self.files[at].opened() {
                // An error recurs at the next read, and is reported then.
                let _ = self.read_derived(at, &opened, (len, modified), now);
            }
            return;
        }
        if file.derived.is_none()
            && file.lines.is_partly_sampled(len)
            && let Ok(Some(opened)) = self.files[at].opened()
            && let Ok(()) = self.detect_reader(at, &opened, len, modified)
            && self.files[at].lines.read_to == 0
            && (self.files[at].lines.log.is_some() || self.files[at].derived.is_some())
        {
            // Read at once, so that no snapshot lacks the file.
            self.files[at].modified = 0;
            // An error recurs at the next read, and is reported then.
            let _ = self.read(at, len, modified, now);
        }
    }

    /// Detects the reader of a file from its current start. If the reader changed, the whole file is read again.
    fn detect_reader(
        &mut self,
        at: usize,
        opened: &File,
        len: u64,
        modified: i64,
    ) -> io::Result<()> {
        let file = &mut self.files[at];
        let mut head = Vec::new();
        let extent = read_start(opened, len, &mut head)?;
        file.lines.sampled = len;
        let id = file.lines.id;
        if sniff(&head) == Sniffed::Sqlite && !file.lines.has_records {
            self.follow_database(at);
            return Ok(());
        }
        let file = &mut self.files[at];
        let verdict = match sniff(&head) {
            Sniffed::Text | Sniffed::Empty => {
                let detector = &self.shared.detector;
                detector.detect(&file.lines.name, SourceHead::of(&head, extent), modified)
            }
            Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip | Sniffed::Sqlite => {
                Verdict::Attachment("not followed".to_owned())
            }
            Sniffed::Parquet => Verdict::Attachment(PARQUET.to_owned()),
            Sniffed::Binary(what) => Verdict::Attachment(what.to_owned()),
        };
        let is_packed = sniff(&head).is_packed() || sniff(&head) == Sniffed::Sqlite;
        match (verdict, &mut file.lines.log) {
            (Verdict::Attachment(_), _) if is_packed => self.handle_non_log(at, Unfollowed::Packed),
            (Verdict::Attachment(what), _) => self.handle_non_log(at, Unfollowed::Listed(what)),
            (Verdict::Rows(rows), _) if Derived::is_followed(rows) => self.follow_derived(at, rows),
            (Verdict::Rows(rows), _) => self.handle_non_log(at, Unfollowed::Rows(rows)),
            (Verdict::Log(log), Some(known)) if known.reads_like(&log) => {
                remove_problems(&self.shared, id, |text| text.ends_with(NOT_FOLLOWED));
                // The most frequent layout among the records may have changed.
                if known.layout != log.layout {
                    known.layout.clone_from(&log.layout);
                    self.shared.change(id, |s| s.layout = log.layout);
                    self.is_changed = true;
                }
            }
            (Verdict::Log(log), known) => {
                let is_first = known.is_none();
                file.lines.log = Some(log.clone());
                file.lines.restart();
                file.derived = None;
                if is_first {
                    self.reclassify_as_log(at);
                } else {
                    self.reread(id);
                }
                self.clear_not_followed(id);
                if log.tag.is_empty() {
                    self.reset_tag(at);
                }
                self.describe(id, &log);
                self.is_changed = true;
            }
        }
        Ok(())
    }

    /// Resets the tag of a source to the default derived from its path, as a previous classification may have set
    /// another.
    pub(super) fn reset_tag(&mut self, at: usize) {
        let lines = &self.files[at].lines;
        let (id, name) = (lines.id, lines.name.clone());
        self.rename(id, &name, Some(short_name(&name)));
    }

    /// Removes the problem that a file is not followed.
    pub(super) fn clear_not_followed(&mut self, id: SourceId) {
        remove_problems(&self.shared, id, |text| text.ends_with(NOT_FOLLOWED));
    }

    /// Turns a file that was classified as a document or table into a log, and drops the records read so far.
    pub(super) fn reclassify_as_log(&mut self, at: usize) {
        let file = &self.files[at];
        let (id, text) = (file.lines.id, file.text.clone());
        for part in self.parts(id) {
            self.reread(part);
            self.shared.change(part, |s| {
                (s.is_log, s.bytes) = (false, 0);
                s.traits.set(SourceTrait::Table, false);
                s.layout = "part of a document (now read as a log)".to_owned();
            });
        }
        self.reread(id);
        self.shared.change(id, |s| {
            s.traits.set(SourceTrait::Table, false);
            s.text = text;
            s.problems.clear();
        });
    }

    /// Tables and arrays that were read from a file.
    fn parts(&self, id: SourceId) -> Vec<SourceId> {
        let Some(source) = self.shared.source(id) else {
            return Vec::new();
        };
        let parts = format!("{}/", source.path);
        self.shared.update(|h| {
            let parts = h.sources().filter(|s| s.path.starts_with(&parts));
            parts.map(|s| s.id).collect()
        })
    }

    /// Handles a file whose start has no lines as records. While short, it may still become a log.
    fn handle_non_log(&mut self, at: usize, other: Unfollowed) {
        let file = &mut self.files[at];
        let (id, len) = (file.lines.id, file.lines.sampled);
        self.is_changed = true;
        if file.lines.has_records {
            // Records that were shown are kept.
            let what = other.name();
            let text = format!("read as text lines, but now looks like {what}: {NOT_FOLLOWED}");
            return problem(&self.shared, id, Severity::Note, text);
        }
        if file.lines.log.take().is_some() {
            self.shared.change(id, |s| s.is_log = false);
        }
        let file = &mut self.files[at];
        // A single JSON object may be the first of many.
        let is_document = matches!(other, Unfollowed::Rows(_));
        file.is_ended = len >= HEAD as u64 && !is_document || matches!(other, Unfollowed::Packed);
        let is_log = self.shared.source(id).is_some_and(|s| s.is_log);
        let was_read = is_log || !self.parts(id).is_empty();
        let file = &mut self.files[at];
        let text = match (was_read, &other) {
            (true, _) => {
                file.is_ended |= !is_document;
                Some((
                    Severity::Warning,
                    format!("changed while the run was followed: {NOT_FOLLOWED}"),
                ))
            }
            (false, Unfollowed::Listed(_)) => None,
            (false, _) => Some((
                Severity::Note,
                format!(
                    "appeared while the run was followed, and is {}, which is not followed: {NOT_FOLLOWED}",
                    other.name()
                ),
            )),
        };
        match text {
            // The records shown differ from the current content.
            Some((severity, text)) => problem(&self.shared, id, severity, text),
            None => remove_problems(&self.shared, id, |text| text.ends_with(NOT_FOLLOWED)),
        }
        if !was_read {
            self.shared.change(id, |s| {
                s.layout = other.name().to_owned();
                s.bytes = len;
            });
        }
    }
}

/// Kind of a file that is not followed.
enum Unfollowed {
    /// Archive, database or compressed file.
    Packed,
    /// File that is listed only, with its description.
    Listed(String),
    /// Table or JSON document.
    Rows(TableSyntax),
}

impl Unfollowed {
    fn name(&self) -> &str {
        match self {
            Unfollowed::Packed => "a compressed file, an archive or a database",
            Unfollowed::Listed(what) => what,
            Unfollowed::Rows(TableSyntax::Json(_)) => "a JSON document",
            Unfollowed::Rows(TableSyntax::Exported) => "an export",
            Unfollowed::Rows(_) => "a table",
        }
    }
}
