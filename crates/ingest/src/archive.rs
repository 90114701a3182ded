//! Archives and compressed streams, read in place and nested: nothing is unpacked to disk, members are sources
//! like files.
//!
//! One thread walks an archive and inflates; all threads parse.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use rayon::Scope;

use widetui_core::ids::SourceId;
use widetui_source::codec::{Codec, without_ending};
use widetui_source::discover::FoundFile;
use widetui_source::file::{FileText, open_regular};
use widetui_source::head::{Extent, FirstBytes, HEAD};
use widetui_source::limits::{Account, CountedStream, Metered};
use widetui_source::sniff::{Sniffed, sniff};
use widetui_source::spool::SpoolText;
use widetui_source::text::Text;

use crate::batch::{Batch, Member};
use crate::chunk::CHUNK;
use crate::detector::{Log, RecordOwner, Verdict};
use crate::load_context::LoadContext;
use crate::options::Embedded;
use crate::options::STDIN;
use crate::parquet_files;
use crate::source_entries::{attach, enter, measured, trouble};
use crate::stream_pieces::Pieces;
use crate::stream_source::{Counted, Retain, RewoundStream, StreamEnd, read_stream, read_text};
use crate::table_source::Holder;
use crate::tables::{read_database_stream, read_rows};

pub(crate) mod member_name;
mod members;

/// Treatment of sources within other sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nested {
    /// Read with the source that holds them.
    Read,
    /// A file with inner sources is read later, so that these get the same numbers in every load.
    Defer,
}

/// Result of reading an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArchiveOutcome {
    /// Read completely.
    Read,
    /// An archive, to be read later; nothing was read.
    Deferred,
}

/// Reads a compressed file or an archive.
pub(super) fn read_file<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    file: &FoundFile,
    nested: Nested,
) -> ArchiveOutcome {
    let opened = match open_regular(&file.path) {
        Ok(opened) => opened,
        Err(error) => {
            trouble(shared, id, None, format!("cannot be read: {error}"));
            return ArchiveOutcome::Read;
        }
    };
    let account = Account::new(shared.limits, file.bytes);
    let mut reading = ArchiveReader::new(scope, shared, &account, nested);
    let mut item = Item::new(id, &file.name, file.modified);
    item.at = Some(FileRange {
        path: file.path.clone(),
        start: 0,
        len: file.bytes,
    });
    let outcome = reading.read(item, &mut Counted::new(opened, shared));
    if nested == Nested::Defer {
        // Other files are read on the other threads.
        reading.batch.parse_here(shared);
    } else {
        reading.batch.hand_over(scope, shared);
    }
    outcome
}

/// Reads an archive that is part of the program.
pub(super) fn read_embedded<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    embedded: Embedded,
) {
    let account = Account::new(shared.limits, embedded.bytes.len() as u64);
    let mut reading = ArchiveReader::new(scope, shared, &account, Nested::Read);
    let mut bytes = embedded.bytes;
    reading.read(Item::new(id, embedded.name, 0), &mut bytes);
    reading.batch.hand_over(scope, shared);
}

/// Reads a compressed stream or an archive from a pipe.
pub(super) fn read_piped<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    stream: impl Read,
) {
    let account = Account::new(shared.limits, 0);
    let mut reading = ArchiveReader::new(scope, shared, &account, Nested::Read);
    let mut item = Item::new(id, STDIN, shared.stdin_modified);
    item.sample_len = HEAD;
    let mut stream = CountedStream::new(stream, &account);
    reading.read(item, &mut stream);
    reading.batch.hand_over(scope, shared);
}

/// Range of a file that holds the bytes of an item unpacked, for reading them again.
#[derive(Clone, Debug)]
struct FileRange {
    path: PathBuf,
    start: u64,
    len: u64,
}

/// Item to read: a file, a member, or the contents of a compressed stream.
#[derive(Clone, Debug)]
struct Item {
    id: SourceId,
    name: String,
    modified: i64,
    /// Number of archives and compressed streams around it.
    depth: usize,
    at: Option<FileRange>,
    /// Compression, as an ending (`.gz`); empty if uncompressed.
    packing: String,
    /// Container, for messages.
    inside: String,
    /// Length that the container states, bytes.
    stated_len: Option<u64>,
    /// Number of bytes to wait for before the item is classified.
    sample_len: usize,
}

impl Item {
    fn new(id: SourceId, name: &str, modified: i64) -> Item {
        Item {
            id,
            name: name.to_owned(),
            modified,
            depth: 0,
            at: None,
            packing: String::new(),
            inside: "the file".to_owned(),
            stated_len: None,
            sample_len: CHUNK as usize + 1,
        }
    }

    /// Name without the endings of its compression: members are named like files.
    fn inner_name(&self) -> &str {
        let endings = self.packing.matches('.');
        endings.fold(self.name.as_str(), |name, _| without_ending(name))
    }

    /// Whether it is a zip file itself, whose progress is counted by its members.
    fn is_zip_file(&self) -> bool {
        self.depth == 1 && self.at.is_some()
    }
}

/// State of reading one outermost archive.
struct ArchiveReader<'a, 's> {
    scope: &'a Scope<'s>,
    shared: &'s LoadContext,
    account: &'a Account,
    nested: Nested,
    batch: Batch,
}

impl<'a, 's> ArchiveReader<'a, 's> {
    fn new(
        scope: &'a Scope<'s>,
        shared: &'s LoadContext,
        account: &'a Account,
        nested: Nested,
    ) -> Self {
        ArchiveReader {
            scope,
            shared,
            account,
            nested,
            batch: Batch::default(),
        }
    }

    fn trouble(&self, id: SourceId, offset: Option<u64>, text: String) {
        trouble(self.shared, id, offset, text);
    }

    /// Message about a broken item: the limit that was hit, else the reader's error.
    fn broken(&self, inside: &str, error: &io::Error) -> String {
        match self.account.closed() {
            Some(limit) => limit.to_owned(),
            None => format!("{inside} is broken, read up to there: {error}"),
        }
    }

    fn read(&mut self, item: Item, stream: &mut dyn Read) -> ArchiveOutcome {
        let mut stream = RewoundStream::of(stream, item.sample_len, &self.shared.cancel);
        let found = sniff(&stream.first().bytes);
        match found {
            Sniffed::Binary(what) => {
                let what = match item.packing.as_str() {
                    "" => what.to_owned(),
                    packing => format!("{what} ({})", packing.trim_start_matches('.')),
                };
                attach(self.shared, item.id, &what);
                let first = stream.into_first();
                if let Some(error) = first.failed {
                    let text = self.broken(&item.inside, &error);
                    self.trouble(item.id, Some(first.bytes.len() as u64), text);
                }
                ArchiveOutcome::Read
            }
            Sniffed::Packed(codec) => {
                self.inside(item, |r, item| r.packed(item, codec, &mut stream))
            }
            Sniffed::Tar | Sniffed::Zip | Sniffed::Sqlite | Sniffed::Parquet
                if self.nested == Nested::Defer =>
            {
                ArchiveOutcome::Deferred
            }
            Sniffed::Tar => self.inside(item, |r, item| r.tar(item, &mut stream)),
            Sniffed::Zip => self.inside(item, |r, item| r.zip(item, &mut stream)),
            Sniffed::Sqlite => self.tables(&item, |r, holder| {
                read_database_stream(r.scope, r.shared, holder, stream);
            }),
            Sniffed::Parquet => self.tables(&item, |r, holder| {
                parquet_files::read_stream(r.scope, r.shared, holder, stream);
            }),
            Sniffed::Text | Sniffed::Empty => self.log(item, stream),
        }
    }

    /// Reads one level deeper. An archive in a compressed stream is on the same level: a tar.gz is one archive.
    fn inside(
        &mut self,
        mut item: Item,
        read: impl FnOnce(&mut Self, Item) -> ArchiveOutcome,
    ) -> ArchiveOutcome {
        if item.packing.is_empty() {
            item.depth += 1;
        }
        match self.account.check_depth(item.depth) {
            Ok(()) => read(self, item),
            Err(text) => {
                self.trouble(item.id, None, text);
                ArchiveOutcome::Read
            }
        }
    }

    fn packed(
        &mut self,
        item: Item,
        codec: Codec,
        stream: &mut RewoundStream<'_>,
    ) -> ArchiveOutcome {
        let depth = item.depth + usize::from(!item.packing.is_empty());
        if let Err(text) = self.account.check_depth(depth) {
            self.trouble(item.id, None, text);
            return ArchiveOutcome::Read;
        }
        let inner = Item {
            depth,
            at: None,
            packing: format!("{}{}", codec.ending(), item.packing),
            inside: format!("the {} stream", codec.name()),
            stated_len: None,
            ..item
        };
        self.read(
            inner,
            &mut Metered::new(codec.inflate(stream), self.account),
        )
    }

    /// Reads an item whose tables are sources of their own.
    fn tables(&self, item: &Item, read: impl FnOnce(&Self, Holder<'_>)) -> ArchiveOutcome {
        if self.nested == Nested::Defer {
            return ArchiveOutcome::Deferred;
        }
        let holder = Holder {
            id: item.id,
            name: item.inner_name(),
            modified: item.modified,
            origin: RecordOwner::Run,
        };
        read(self, holder);
        ArchiveOutcome::Read
    }

    fn log(&mut self, item: Item, stream: RewoundStream<'_>) -> ArchiveOutcome {
        let first = stream.first();
        let (n, extent) = (first.bytes.len(), first.extent);
        let detector = &self.shared.detector;
        let verdict = detector.detect(item.inner_name(), first.head(), item.modified);
        let log = match verdict {
            Verdict::Attachment(what) => {
                attach(self.shared, item.id, &what);
                if extent == Extent::Whole {
                    let end = StreamEnd::new(n as u64, stream.into_first().failed);
                    self.report_end(&item, end);
                }
                return ArchiveOutcome::Read;
            }
            Verdict::Rows(rows) => {
                return self.tables(&item, |r, holder| {
                    read_rows(r.scope, r.shared, holder, rows, stream);
                });
            }
            Verdict::Log(log) => log,
        };
        if self.shared.growth.is_some() {
            self.go_on(&item, log, stream);
            return ArchiveOutcome::Read;
        }
        if extent == Extent::Cut {
            self.stream(&item, &log, stream);
            return ArchiveOutcome::Read;
        }
        let FirstBytes { bytes, failed, .. } = stream.into_first();
        let keep = item
            .at
            .is_none()
            .then(|| Arc::new(SpoolText::new(self.shared.spool.clone())));
        let text = keep.clone().map(|k| k as Arc<dyn Text>);
        enter(self.shared, item.id, &log, text);
        measured(self.shared, item.id, n as u64);
        self.report_end(&item, StreamEnd::new(n as u64, failed));
        let member = Member {
            id: item.id,
            log,
            bytes,
            keep,
        };
        self.batch.add(self.scope, self.shared, member);
        ArchiveOutcome::Read
    }

    /// Reads an item of an archive that was read before.
    fn go_on(&self, item: &Item, log: Log, mut stream: RewoundStream<'_>) {
        let pool = self.shared.pool.clone();
        let text: Arc<dyn Text> = match item.at.clone() {
            Some(at) => Arc::new(FileText::new(at.path, pool, at.start, at.len)),
            None => {
                let text = Arc::new(SpoolText::new(self.shared.spool.clone()));
                let failed = text.fill(&mut stream).err();
                self.report_end(item, StreamEnd::new(text.len(), failed));
                text
            }
        };
        read_text(self.scope, self.shared, item.id, text, |_| log);
    }

    fn stream(&mut self, item: &Item, log: &Log, stream: RewoundStream<'_>) {
        let retain = match item.at {
            None => Retain::Text,
            Some(_) => Retain::Nothing,
        };
        let pieces = Pieces::new(stream);
        let end = read_stream(self.scope, self.shared, (item.id, log), pieces, retain);
        self.report_end(item, end);
    }

    /// Reports the missing rest of an item that was read in part.
    fn report_end(&self, item: &Item, end: StreamEnd) {
        let bytes = end.bytes;
        if let Some(error) = end.failed {
            let text = self.broken(&item.inside, &error);
            self.trouble(item.id, Some(bytes), text);
        } else if item.stated_len.is_some_and(|p| p > bytes) && !self.shared.cancel.is_cancelled() {
            let text = "the archive ends inside this member".to_owned();
            self.trouble(item.id, Some(bytes), text);
        }
    }
}
