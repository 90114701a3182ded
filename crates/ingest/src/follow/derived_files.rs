//! Following of files from which records are derived. Framed lines are unframed as they arrive and grouped by sender; a
//! table or a JSON document is parsed again when it has grown, and new rows are added.

use crate::source_entries::problem;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use crate::detector::Log;
use crate::framed_logs::{SEVERAL_SENDERS, source_name};
use crate::line_spool::Whole;
use crate::source_entries::short_name;
use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_format::table::TableSyntax;
use widetui_source::file::OpenText;
use widetui_source::head::FirstBytes;
use widetui_source::text::Text;
use widetui_store::SourceTrait;

use super::derived_sources::Rows;
use super::derived_sources::{Derived, FramedLog, FramedLogs};
use super::follower::Follower;
use super::growing::Growing;
use super::new_lines::{NewLines, read_lines};

impl Follower {
    /// Starts following a file with derived records, as detected from its start.
    pub(super) fn follow_derived(&mut self, at: usize, syntax: TableSyntax) {
        let file = &mut self.files[at];
        let (id, name) = (file.lines.id, file.lines.name.clone());
        if file.derived.as_ref().is_some_and(|made| made.is_of(syntax)) {
            return;
        }
        let rows = match syntax {
            TableSyntax::Framed(framing) => Err(framing),
            _ => Ok(Rows::new(Some(syntax), Growing::new(id, name))),
        };
        let source = self.shared.source(id);
        // Rows read when the run was opened stay; new rows are added to them.
        let goes_on = rows.is_ok()
            && source.is_some_and(|s| s.has_trait(SourceTrait::Synthetic))
            && file.derived.is_none();
        file.derived = Some(match rows {
            Ok(rows) => Derived::Rows(Box::new(rows)),
            Err(framing) => Derived::Framed(Box::new(FramedLogs::new(framing))),
        });
        file.lines.log = None;
        file.lines.restart();
        if !goes_on {
            self.reclassify_as_log(at);
            self.reset_tag(at);
            self.shared.change(id, |s| s.is_log = false);
        }
        self.clear_not_followed(id);
        self.is_changed = true;
    }

    /// Reads the new records derived from a file, which has `len` bytes now.
    pub(super) fn read_derived(
        &mut self,
        at: usize,
        opened: &File,
        (len, modified): (u64, i64),
        now: Instant,
    ) -> io::Result<NewLines> {
        // Taken out because reading needs `self`; put back below in any case.
        let Some(mut made) = self.files[at].derived.take() else {
            return Ok(NewLines { bytes: 0, end: len });
        };
        let read = match &mut made {
            Derived::Framed(framed) => self.read_framed(at, framed, opened, (len, modified), now),
            Derived::Rows(rows) => self.read_rows(at, rows, opened, (len, modified), now),
            Derived::Tables(tables) => Ok(NewLines {
                bytes: self.read_tables(at, tables, modified, now),
                end: len,
            }),
        };
        self.files[at].derived = Some(made);
        read
    }

    /// Unframes new lines and reads them.
    fn read_framed(
        &mut self,
        at: usize,
        framed: &mut FramedLogs,
        opened: &File,
        (len, modified): (u64, i64),
        now: Instant,
    ) -> io::Result<NewLines> {
        let mut buffer = std::mem::take(&mut self.worker.buffer);
        let mut read = NewLines { bytes: 0, end: len };
        let text = OpenText::new(opened, len);
        let lines = &mut self.files[at].lines;
        while let Some(new) = lines.next_lines(&text, len, &mut buffer)? {
            for line in buffer[..new.len].split_inclusive(|byte| *byte == b'\n') {
                framed.splitter.take(&self.shared, line);
            }
            read.bytes += new.len as u64;
            if read.bytes >= self.bytes {
                // The remaining lines are read at the next poll.
                read.end = new.offset + new.len as u64;
                break;
            }
        }
        self.worker.buffer = buffer;
        self.enter_parts(at, framed);
        let is_quiet = self.files[at].is_quiet(now);
        for number in 0..framed.parts.len() {
            self.read_part(framed, number, modified, is_quiet)?;
        }
        let any = |part: &FramedLog| part.lines.has_records;
        self.files[at].lines.has_records = framed.parts.iter().any(any);
        if let Some(text) = framed.splitter.problem() {
            let id = self.files[at].lines.id;
            problem(&self.shared, id, Severity::Warning, text);
        }
        Ok(read)
    }

    /// Assigns a source to each part: the source of the file to a single part, new sources to several.
    fn enter_parts(&mut self, at: usize, framed: &mut FramedLogs) {
        let lines = &self.files[at].lines;
        let (id, file) = (lines.id, lines.name.clone());
        let framing = framed.splitter.framing;
        let are_several = framed.splitter.parts.len() > 1;
        if are_several && framed.parts.iter().any(|part| part.lines.id == id) {
            framed.parts.clear();
        }
        if are_several && framed.parts.is_empty() {
            self.only_lists(id, &file);
        }
        for part in framed.splitter.parts.iter().skip(framed.parts.len()) {
            let mut lines = Growing::new(id, file.clone());
            if are_several {
                let name = source_name(part, framing);
                let path = format!("{}/{name}", file.strip_suffix(".gz").unwrap_or(&file));
                let is_taken = |id| framed.parts.iter().any(|part| part.lines.id == id);
                let free = self.shared.update(|h| {
                    let mut known = h.sources().filter(|s| s.path == path);
                    known.find(|s| !is_taken(s.id)).map(|s| s.id)
                });
                lines.id = free.unwrap_or_else(|| {
                    let text = part.lines.text.clone();
                    let id = self.shared.update(|h| h.add(&path, 0, text));
                    let tag = format!("{}/{name}", short_name(&file));
                    self.rename(id, &path, Some(tag));
                    id
                });
                // Lines without framing belong to the file itself, so they keep its name.
                if !part.name(framing).is_empty() {
                    lines.name = path;
                }
            }
            framed.parts.push(FramedLog {
                lines,
                len: 0,
                stream: part.stream.clone(),
            });
            self.is_changed = true;
        }
    }

    /// Turns the source of a file into a mere list of its parts.
    fn only_lists(&mut self, id: SourceId, file: &str) {
        self.reread(id);
        self.shared.change(id, |s| {
            SEVERAL_SENDERS.clone_into(&mut s.layout);
            (s.is_log, s.coarse) = (false, false);
            s.traits.set(SourceTrait::Dump, false);
            s.tag = short_name(file);
            s.kind = String::new();
            (s.system, s.reader) = (None, None);
            s.consts = Arc::default();
        });
    }

    /// Reads the new lines of one part.
    fn read_part(
        &mut self,
        framed: &mut FramedLogs,
        number: usize,
        modified: i64,
        is_quiet: bool,
    ) -> io::Result<()> {
        let framing = framed.splitter.framing;
        let (Some(part), Some(growing)) = (
            framed.splitter.parts.get_mut(number),
            framed.parts.get_mut(number),
        ) else {
            return Ok(());
        };
        let len = part.lines.len();
        let is_short = is_quiet && growing.lines.is_partly_sampled(len);
        if len == growing.len && !is_short {
            return Ok(());
        }
        part.lines.pause();
        growing.len = len;
        let text: Arc<dyn Text> = part.lines.text.clone();
        let lines = &mut growing.lines;
        let is_open = is_short || lines.needs_detection(len) || growing.stream != part.stream;
        if is_open {
            let first = FirstBytes::read(Whole::of(&text), 0, &self.cancel);
            let of = (lines.name.as_str(), modified);
            let log = part.log(&self.shared, framing, of, &first);
            growing.stream = part.stream.clone();
            lines.sampled = len;
            self.read_as(lines, log, &text);
        }
        let id = lines.id;
        read_lines(
            &self.shared,
            &mut self.worker,
            lines,
            (&*text, len),
            u64::MAX,
        )?;
        lines.note_rest(&*text, len)?;
        self.shared.change(id, |s| s.bytes = len);
        self.is_changed = true;
        Ok(())
    }

    /// Sets the reader of a text as detected from its start. If the reader changed, the whole text is read again.
    pub(super) fn read_as(&mut self, lines: &mut Growing, log: Log, text: &Arc<dyn Text>) {
        let id = lines.id;
        match &mut lines.log {
            Some(known) if known.reads_like(&log) => {
                if known.layout != log.layout {
                    known.layout.clone_from(&log.layout);
                    self.shared.change(id, |s| s.layout = log.layout);
                }
            }
            known => {
                *known = Some(log.clone());
                lines.restart();
                self.reread(id);
                self.describe(id, &log);
                self.shared.change(id, |s| s.text = text.clone());
            }
        }
    }
}
