//! Units of work of a load: small files together, large files in chunks.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rayon::Scope;

use widetui_core::ids::SourceId;
use widetui_core::lock;
use widetui_format::load::lines::{Chunk, Growth};
use widetui_format::table::TableSyntax;
use widetui_source::discover::{FoundFile, LeftOut};
use widetui_source::file::{FileText, next_data, open_regular, read_fully};
use widetui_source::head::{Extent, SourceHead, read_start};
use widetui_source::sniff::{Sniffed, sniff};
use widetui_source::text::MemoryText;
use widetui_store::SourceTrait;

use crate::archive::{ArchiveOutcome, read_file};
use crate::chunk::{CHUNK, PIECE, PartNumber, PieceReader, chunks, pieces, whole_lines};
use crate::detector::{Log, RecordOwner, Verdict};
use crate::fact_files::read_facts;
use crate::file_groups::groups;
use crate::load_context::LoadContext;
use crate::load_state::{Live, LoadState};
use crate::numbering_gate::NumberingGate;
use crate::options::Embedded;
use crate::options::STDIN;
use crate::parquet_files;
use crate::source_entries::{attach, enter, trouble};
use crate::standard_input::{Piped, read_numbered, read_stdin};
use crate::stream_source::Counted;
use crate::table_source::Holder;
use crate::tables::{read_database, read_rows};
use crate::worker::Worker;

/// Sources besides the files.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extra<'a> {
    pub(crate) stdin: bool,
    pub(crate) embedded: Option<Embedded>,
    /// Files of facts.
    pub(crate) facts: &'a [FoundFile],
    /// Files that are listed and not read.
    pub(crate) left_out: &'a [LeftOut],
}

impl Extra<'_> {
    /// Whether there is neither standard input nor an embedded archive.
    pub(crate) fn is_none(self) -> bool {
        !self.stdin && self.embedded.is_none()
    }
}

/// Enters all files as unread sources.
pub(super) fn enter_sources(
    load_state: &mut LoadState,
    shared: &LoadContext,
    found: &[FoundFile],
    extra: Extra<'_>,
) {
    for file in found {
        let pool = shared.pool.clone();
        let text = Arc::new(FileText::new(file.path.clone(), pool, 0, file.bytes));
        let id = load_state.add_file(&file.name, text);
        load_state.change(id, |source| source.modified = file.modified);
    }
    let mut add = |name: &str, bytes| load_state.add(name, bytes, Arc::<MemoryText>::default());
    if let Some(embedded) = extra.embedded {
        add(embedded.name, embedded.bytes.len() as u64);
    }
    if extra.stdin {
        add(STDIN, 0);
    }
    let facts = extra.facts.iter().map(|file| add(&file.name, file.bytes));
    let facts: Vec<SourceId> = facts.collect();
    for id in facts {
        load_state.change(id, |source| source.traits.set(SourceTrait::Facts, true));
    }
    for path in extra.left_out {
        let id = load_state.add(&path.problem.path, 0, Arc::<MemoryText>::default());
        load_state.change(id, |source| {
            path.what.clone_into(&mut source.layout);
            source.problems.push(path.problem.clone());
        });
    }
}

/// Reads all sources. Must be called inside the loading pool.
pub(super) fn read_all(shared: &LoadContext, found: &[FoundFile], extra: Extra<'_>) {
    let next_id = AtomicUsize::new(shared.update(|h| h.drafts.len()));
    let (archives, gate) = (Archives::default(), NumberingGate::default());
    let (groups, next) = (groups(found), AtomicUsize::new(0));
    rayon::scope(|scope| {
        let mut id = SourceId(found.len() as u32);
        if let Some(embedded) = extra.embedded {
            crate::archive::read_embedded(scope, shared, id, embedded, &next_id);
            id.0 += 1;
        }
        let stdin = id;
        if extra.stdin {
            let numbers = (&next_id, &gate);
            scope.spawn(move |scope| read_stdin(scope, shared, id, numbers));
            id.0 += 1;
        }
        let nested = NestedReader {
            shared,
            found,
            facts: extra.facts,
            stdin,
            first_facts: id,
            next_id: &next_id,
            gate: &gate,
        };
        let (groups, next) = (&*groups, &next);
        // Counts this loop as a group, so that archives are not read before all groups are spawned.
        archives.groups.fetch_add(1, Ordering::Relaxed);
        for _ in groups {
            let archives = &archives;
            archives.groups.fetch_add(1, Ordering::Relaxed);
            scope.spawn(move |scope| {
                // Groups are taken in order, whichever thread is idle.
                if let Some(range) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    read_group(scope, shared, found, range.clone(), archives);
                }
                archives.group_done(scope, nested);
            });
        }
        archives.group_done(scope, nested);
    });
}

fn read_group<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    found: &'s [FoundFile],
    range: Range<usize>,
    archives: &Archives,
) {
    let start = (range.start as u32, 0);
    let mut later = Vec::new();
    shared.with_worker(|worker| {
        for i in range {
            if shared.cancel.is_cancelled() {
                return;
            }
            let (id, file) = (SourceId(i as u32), &found[i]);
            match read_small(shared, worker, id, file) {
                SmallFile::Done => shared.progress.advance(file.bytes),
                other => later.push((id, file, other)),
            }
        }
        shared.finish_unit(worker, start);
    });
    for (id, file, what) in later {
        match what {
            SmallFile::Done | SmallFile::Pieces(_) => {}
            SmallFile::Large(log) => read_large(scope, shared, id, file, *log),
            SmallFile::Packed => {
                if read_file(scope, shared, id, file, None) == ArchiveOutcome::Deferred {
                    archives.add(id, SmallFile::Archive);
                }
            }
            other => archives.add(id, other),
        }
    }
}

/// Archives and files of tables. They are read after all other files, one after the other in the order of their
/// names, so that their members and tables get the same numbers in every load, and no thread waits for its turn.
#[derive(Default)]
struct Archives {
    met: Mutex<Vec<(SourceId, SmallFile)>>,
    /// Number of file groups that may still find some.
    groups: AtomicUsize,
}

impl Archives {
    fn add(&self, id: SourceId, what: SmallFile) {
        lock::hold(&self.met).push((id, what));
    }

    fn group_done<'s>(&'s self, scope: &Scope<'s>, nested: NestedReader<'s>) {
        if self.groups.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        let mut met = std::mem::take(&mut *lock::hold(&self.met));
        met.sort_by_key(|m| m.0);
        if met.is_empty() && nested.facts.is_empty() {
            nested.files_done(scope);
            return;
        }
        scope.spawn(move |scope| nested.read(scope, met));
    }
}

/// Reader of sources that contain others; each of these gets the next free number, so they are read one after the other.
#[derive(Clone, Copy)]
struct NestedReader<'s> {
    shared: &'s LoadContext,
    found: &'s [FoundFile],
    facts: &'s [FoundFile],
    stdin: SourceId,
    first_facts: SourceId,
    next_id: &'s AtomicUsize,
    gate: &'s NumberingGate<Piped>,
}

impl<'s> NestedReader<'s> {
    fn read(self, scope: &Scope<'s>, met: Vec<(SourceId, SmallFile)>) {
        let (shared, next_id) = (self.shared, self.next_id);
        for (i, file) in self.facts.iter().enumerate() {
            let id = SourceId(self.first_facts.0 + i as u32);
            read_facts(scope, shared, id, file, next_id);
        }
        for (id, what) in met {
            match (self.found.get(id.index()), what) {
                (None, _) => {}
                (Some(file), SmallFile::Archive) => {
                    read_file(scope, shared, id, file, Some(next_id));
                }
                (Some(file), what) => read_tables(scope, shared, id, file, next_id, what),
            }
        }
        self.files_done(scope);
    }

    fn files_done(self, scope: &Scope<'s>) {
        if let Some(piped) = self.gate.files_done() {
            let NestedReader {
                shared,
                stdin,
                next_id,
                ..
            } = self;
            scope.spawn(move |scope| read_numbered(scope, shared, stdin, next_id, piped));
        }
    }
}

enum SmallFile {
    Done,
    /// Log of several pieces, to be read at once.
    Pieces(Box<Log>),
    Large(Box<Log>),
    Packed,
    Archive,
    Database,
    Parquet,
    Rows(TableSyntax),
}

/// Reads a file that fits into one unit; returns the work that a larger one needs.
fn read_small(
    shared: &LoadContext,
    worker: &mut Worker,
    id: SourceId,
    file: &FoundFile,
) -> SmallFile {
    let mut buffer = std::mem::take(&mut worker.buffer);
    let start = |buffer: &mut Vec<u8>| {
        // Empty files are frequent and need not be opened.
        if file.bytes == 0 {
            buffer.clear();
            return Ok(Extent::Whole);
        }
        let f = open_regular(&file.path)?;
        if file.bytes > PIECE {
            return read_start(&f, file.bytes, buffer);
        }
        buffer.resize(file.bytes as usize, 0);
        let n = read_fully(&f, buffer, 0)?;
        buffer.truncate(n);
        Ok(Extent::Whole)
    };
    let mut read = start(&mut buffer);
    let mut result = match &read {
        Ok(extent) => read_head(shared, worker, (id, file), &buffer, *extent),
        Err(_) => SmallFile::Done,
    };
    if let SmallFile::Pieces(log) = &result {
        let whole = (0, 0..file.bytes);
        worker.buffer = std::mem::take(&mut buffer);
        let rest = read_chunk(shared, worker, (id, file), log, whole);
        read = rest.map(|()| Extent::Whole);
        result = SmallFile::Done;
    } else {
        worker.buffer = buffer;
    }
    if let Err(error) = read {
        trouble(shared, id, None, format!("cannot be read: {error}"));
    }
    result
}

/// Classifies a file by its first bytes, and reads it if they are the whole file.
fn read_head(
    shared: &LoadContext,
    worker: &mut Worker,
    (id, file): (SourceId, &FoundFile),
    bytes: &[u8],
    extent: Extent,
) -> SmallFile {
    match sniff(bytes) {
        Sniffed::Packed(_) => return SmallFile::Packed,
        Sniffed::Tar | Sniffed::Zip => return SmallFile::Archive,
        Sniffed::Sqlite => return SmallFile::Database,
        Sniffed::Parquet => return SmallFile::Parquet,
        Sniffed::Binary(what) => {
            attach(shared, id, what);
            return SmallFile::Done;
        }
        Sniffed::Text | Sniffed::Empty => {}
    }
    let head = SourceHead::of(bytes, extent);
    match shared.detector.detect(&file.name, head, file.modified) {
        Verdict::Attachment(what) => {
            attach(shared, id, &what);
            SmallFile::Done
        }
        Verdict::Rows(rows) => SmallFile::Rows(rows),
        Verdict::Log(log) => {
            enter(shared, id, &log, None);
            if file.bytes > CHUNK {
                return SmallFile::Large(Box::new(log));
            }
            if file.bytes > PIECE {
                return SmallFile::Pieces(Box::new(log));
            }
            let chunk = Chunk {
                text: bytes,
                offset: 0,
                first: true,
                after: &[],
                growth: Growth::Complete,
            };
            load_last(shared, worker, (id, &log, 0), chunk);
            SmallFile::Done
        }
    }
}

/// Reads the last lines of a file. If files are followed, a last line without its end, and a last record that may continue,
/// are left to the follower.
fn load_last(
    shared: &LoadContext,
    worker: &mut Worker,
    (id, log, seq): (SourceId, &Log, u32),
    chunk: Chunk<'_>,
) {
    if !shared.follows {
        worker.load(&shared.tables, &log.reader, id, seq, chunk);
        return;
    }
    let lines = whole_lines(chunk.text);
    let growing = Chunk {
        text: lines,
        after: &chunk.text[lines.len()..],
        growth: Growth::Growing,
        ..chunk
    };
    let read_to = worker.load(&shared.tables, &log.reader, id, seq, growing);
    shared.update(|h| match h.drafts.get_mut(&id.0).map(|d| &mut d.live) {
        Some(live) if chunk.offset == 0 && lines.is_empty() => *live = Live::Unread,
        Some(Live::Read { to, .. }) => *to = (*to).min(read_to),
        _ => {}
    });
}

fn read_tables<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    file: &FoundFile,
    next_id: &AtomicUsize,
    what: SmallFile,
) {
    let holder = Holder {
        id,
        name: &file.name,
        modified: file.modified,
        next_id,
        origin: RecordOwner::Run,
    };
    match what {
        SmallFile::Rows(rows) => match open_regular(&file.path) {
            Ok(opened) => read_rows(scope, shared, holder, rows, Counted::new(opened, shared)),
            Err(error) => trouble(shared, id, None, format!("cannot be read: {error}")),
        },
        SmallFile::Parquet => {
            parquet_files::read_file(scope, shared, holder, &file.path);
            shared.progress.advance(file.bytes);
        }
        _ => {
            read_database(scope, shared, holder, &file.path);
            shared.progress.advance(file.bytes);
        }
    }
}

fn read_large<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    file: &'s FoundFile,
    log: Log,
) {
    let opened = open_regular(&file.path).ok();
    let mut data = 0;
    for (seq, range) in chunks(file.bytes, &log.reader.syntax).enumerate() {
        // In a hole of a sparse file no line starts; the byte before may be a line end.
        let from = range.start.saturating_sub(1);
        if let Some(opened) = opened.as_ref().filter(|_| data < from) {
            data = next_data(opened, from);
        }
        if data >= range.end {
            shared.progress.advance(range.end - range.start);
            continue;
        }
        let log = log.clone();
        scope.spawn(move |_| {
            if shared.cancel.is_cancelled() {
                return;
            }
            shared.with_worker(|worker| {
                let chunk = (seq, range.clone());
                worker.buffer.clear();
                let read = read_chunk(shared, worker, (id, file), &log, chunk);
                if let Err(error) = read {
                    let text = format!("cannot be read: {error}");
                    trouble(shared, id, Some(range.start), text);
                }
                shared.finish_unit(worker, (id.0, seq as u32));
            });
            shared.progress.advance(range.end - range.start);
        });
    }
}

/// Reads the lines that start in a chunk of a file; the worker's buffer may hold its first bytes.
fn read_chunk(
    shared: &LoadContext,
    worker: &mut Worker,
    (id, file): (SourceId, &FoundFile),
    log: &Log,
    (number, chunk): (usize, Range<u64>),
) -> io::Result<()> {
    let seq = PartNumber(number as u32).first_part();
    let opened = open_regular(&file.path)?;
    let mut reader = PieceReader::new(&opened, file.bytes, std::mem::take(&mut worker.buffer));
    let mut read = Ok(());
    for piece in pieces(chunk) {
        let (lines, offset) = match reader.lines(piece) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(error) => {
                read = Err(error);
                break;
            }
        };
        let is_last = offset + lines.len() as u64 >= file.bytes;
        let text = reader.text();
        let chunk = Chunk {
            text: &text[lines.clone()],
            offset,
            first: offset == 0,
            after: &text[lines.end..],
            growth: Growth::Complete,
        };
        if is_last {
            load_last(shared, worker, (id, log, seq), chunk);
        } else {
            worker.load(&shared.tables, &log.reader, id, seq, chunk);
        }
    }
    worker.buffer = reader.into_buffer();
    read
}
