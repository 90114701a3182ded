//! Reading of new data in inputs, and detection of their readers while too little data is present.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use crate::detector::Log;
use crate::files::{Contents, classify};
use crate::load_context::{Activity, GrowthStep};
use crate::load_state::short_name;
use crate::record_reader::{NewLines, RecordReader};
use crate::source_entries::{attach, enter, problem};
use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_source::discover::FoundFile;
use widetui_source::file::OpenText;
use widetui_source::head::{HEAD, read_start};
use widetui_source::text::Text;
use widetui_store::SourceTrait;

use crate::container::Container;
use crate::follower::Follower;

/// Input that may have grown.
pub(crate) struct Input<'t> {
    pub(crate) id: SourceId,
    /// Path by which definitions match the source.
    pub(crate) name: String,
    pub(crate) text: &'t dyn Text,
    /// Text by which records are read again.
    pub(crate) kept: Arc<dyn Text>,
    pub(crate) modified: i64,
    /// File that holds the text, if it is one.
    pub(crate) file: Option<FoundFile>,
    pub(crate) activity: Activity,
    /// True if it is read for the first time.
    pub(crate) is_first: bool,
}

impl Follower {
    /// Reads the new data of a file of `len` bytes; returns the number of bytes read.
    pub(crate) fn read(
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
        if !self.files[at].is_read_whole() && !self.files[at].is_same(&opened)? {
            return Ok(self.end_truncated(at, now));
        }
        let file = &mut self.files[at];
        let mut container = file.container.take();
        let is_first = file.modified == 0;
        let input = Input {
            id: file.id,
            name: file.name.clone(),
            text: &OpenText::new(&opened, len),
            kept: file.text.clone(),
            modified,
            file: Some(FoundFile {
                path: file.path.clone(),
                name: file.name.clone(),
                id: file.file,
                bytes: len,
                modified,
            }),
            activity: match file.is_quiet(now) {
                true => Activity::Quiet,
                false => Activity::Writing,
            },
            is_first,
        };
        let before = file.len;
        let read = self.read_input(&input, &mut container, now);
        let file = &mut self.files[at];
        file.container = container;
        let read = read?;
        let modified_then = if read.end < len { 0 } else { modified };
        file.note_end(&opened, read.end, modified_then)?;
        if file.len != before || read.bytes > 0 || is_first {
            file.grew = Some(now);
            let (id, bytes, is_made) = (file.id, file.len, file.container.is_some());
            self.shared.change(id, |s| {
                // The length of a made text is set where it is read.
                if !is_made || !s.is_log {
                    s.bytes = bytes;
                }
                s.modified = modified;
            });
            self.is_changed = true;
        }
        let source = self.shared.source(self.files[at].id);
        let is_listed = source.is_some_and(|s| !s.is_log) && self.files[at].container.is_none();
        if is_listed && len >= HEAD as u64 {
            self.files[at].end();
        }
        Ok(read.bytes)
    }

    /// Reads what is new in an input.
    pub(crate) fn read_input(
        &mut self,
        input: &Input<'_>,
        container: &mut Option<Container>,
        now: Instant,
    ) -> io::Result<NewLines> {
        let (id, len) = (input.id, input.text.len());
        let growth = GrowthStep {
            now,
            activity: input.activity,
        };
        self.shared.growth = Some(growth);
        let mut reader = self.shared.take_reader(id);
        let is_open = reader.needs_detection(len)
            || input.activity >= Activity::Quiet && reader.is_partly_sampled(len)
            || input.is_first && reader.log.is_none();
        if container.is_some() || is_open {
            let mut head = Vec::new();
            let extent = read_start(input.text, &mut head)?;
            let of = (input.name.as_str(), input.modified);
            match classify(&self.shared, of, &head, extent) {
                Contents::Log(log) => {
                    reader.sampled = len;
                    if container.take().is_some() {
                        self.leave_container(input);
                        reader = RecordReader {
                            seq: reader.seq,
                            sampled: len,
                            ..RecordReader::default()
                        };
                    }
                    self.read_as(&mut reader, *log, input);
                }
                Contents::Attachment(what) => {
                    *container = None;
                    reader.sampled = len;
                    self.shared.return_reader(id, reader);
                    self.list(id, &what, len);
                    return Ok(NewLines { bytes: 0, end: len });
                }
                contents if container.is_none() && self.is_generation(input, &contents) => {
                    reader.sampled = len;
                    self.shared.return_reader(id, reader);
                    self.list(id, "compressed generation of a followed log", len);
                    let text = "its records were read before it was compressed";
                    problem(&self.shared, id, Severity::Note, text);
                    return Ok(NewLines { bytes: 0, end: len });
                }
                contents => {
                    self.shared.return_reader(id, reader);
                    if container.is_none() {
                        self.enter_container(input);
                    }
                    let container = container.get_or_insert_default();
                    return self.read_container(input, contents, container, now);
                }
            }
        }
        let read = reader.resume(
            (&self.shared.tables, &mut self.worker),
            id,
            input.text,
            (self.bytes, growth.of_end()),
        );
        self.shared.return_reader(id, reader);
        read
    }

    /// Detects the reader of a file again, and reads its unfinished end, once it is quiet.
    pub(crate) fn detect_when_quiet(&mut self, at: usize, now: Instant) {
        let file = &self.files[at];
        let (id, len, modified) = (file.id, file.len, file.modified);
        let is_open = file.is_quiet(now)
            && match &file.container {
                Some(container) => container.is_open(),
                None => {
                    let reader = |h: &mut crate::load_state::LoadState| {
                        let draft = h.drafts.get(&id.0);
                        draft.is_some_and(|draft| draft.reader.is_partly_sampled(len))
                    };
                    self.shared.update(reader)
                }
            };
        if is_open {
            // An error recurs at the next read, and is reported then.
            let _ = self.read(at, len, modified, now);
        }
    }

    /// Sets the reader of an input as detected from its start. If the reader changed, the whole input is read again.
    fn read_as(&mut self, reader: &mut RecordReader, log: Log, input: &Input<'_>) {
        let id = input.id;
        if reader
            .log
            .as_ref()
            .is_some_and(|known| known.reads_like(&log))
        {
            // The most frequent layout among the records may have changed.
            if reader
                .log
                .as_ref()
                .is_some_and(|known| known.layout != log.layout)
            {
                self.shared.change(id, |s| s.layout.clone_from(&log.layout));
                self.is_changed = true;
            }
        } else {
            if self.has_records(id) {
                self.shared.update(|h| h.reread(id));
            }
            reader.restart();
            if log.tag.is_empty() {
                self.reset_tag(input);
            }
            enter(&self.shared, id, &log, None);
            self.is_changed = true;
        }
        reader.log = Some(log);
    }

    /// Resets the tag of a source to the default derived from its path, as a previous classification may have set another.
    fn reset_tag(&mut self, input: &Input<'_>) {
        self.rename(input.id, &input.name, Some(short_name(&input.name)));
    }

    /// Begins to read an input whose lines are not its records, without the records of its lines.
    fn enter_container(&mut self, input: &Input<'_>) {
        let source = self.shared.source(input.id);
        if source.is_some_and(|s| s.is_log && !s.has_trait(SourceTrait::Synthetic)) {
            self.shared.update(|h| h.drop_records(input.id));
            self.reset_tag(input);
        }
        self.is_changed = true;
    }

    /// Begins to read the lines of an input as its records.
    fn leave_container(&mut self, input: &Input<'_>) {
        self.shared.update(|h| {
            for id in h.children(&input.name).into_iter().chain([input.id]) {
                h.drop_records(id);
            }
            h.change(input.id, |s| {
                s.text = input.kept.clone();
                s.problems.clear();
            });
        });
    }

    /// Lists an input without records.
    fn list(&mut self, id: SourceId, what: &str, len: u64) {
        attach(&self.shared, id, what);
        self.shared.change(id, |s| s.bytes = len);
        self.is_changed = true;
    }
}
