//! Units of work of a load: small files together, large files in chunks.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rayon::Scope;

use widetui_core::ids::SourceId;
use widetui_core::lock;
use widetui_format::load::lines::Growth;
use widetui_format::table::TableSyntax;
use widetui_source::discover::{FoundFile, LeftOut};
use widetui_source::file::{FileText, OpenText, next_data, open_regular};
use widetui_source::head::{Extent, SourceHead, read_start};
use widetui_source::sniff::{Sniffed, sniff};
use widetui_source::text::{MemoryText, Text};
use widetui_store::SourceTrait;

use crate::archive::{ArchiveOutcome, Nested, read_file};
use crate::chunk::{CHUNK, PIECE, PartNumber, chunks};
use crate::detector::{Log, RecordOwner, Verdict};
use crate::fact_files::read_facts;
use crate::file_groups::groups;
use crate::load_context::LoadContext;
use crate::load_state::LoadState;
use crate::numbering_gate::NumberingGate;
use crate::options::Embedded;
use crate::options::STDIN;
use crate::parquet_files;
use crate::record_reader::Part;
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
    let (archives, gate) = (Archives::default(), NumberingGate::default());
    let (groups, next) = (groups(found), AtomicUsize::new(0));
    rayon::scope(|scope| {
        let mut id = SourceId(found.len() as u32);
        if let Some(embedded) = extra.embedded {
            crate::archive::read_embedded(scope, shared, id, embedded);
            id.0 += 1;
        }
        let stdin = id;
        if extra.stdin {
            let gate = &gate;
            scope.spawn(move |scope| read_stdin(scope, shared, id, gate));
            id.0 += 1;
        }
        let nested = NestedReader {
            shared,
            found,
            facts: extra.facts,
            stdin,
            first_facts: id,
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
                None => shared.progress.advance(file.bytes),
                Some(contents) => later.push((id, file, contents)),
            }
        }
        shared.finish_unit(worker, start);
    });
    for (id, file, contents) in later {
        match contents {
            Contents::Log(log) => read_large(scope, shared, id, file, *log),
            Contents::Packed => {
                if read_file(scope, shared, id, file, Nested::Defer) == ArchiveOutcome::Deferred {
                    archives.add(id, Contents::Archive);
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
    met: Mutex<Vec<(SourceId, Contents)>>,
    /// Number of file groups that may still find some.
    groups: AtomicUsize,
}

impl Archives {
    fn add(&self, id: SourceId, what: Contents) {
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
    gate: &'s NumberingGate<Piped>,
}

impl<'s> NestedReader<'s> {
    fn read(self, scope: &Scope<'s>, met: Vec<(SourceId, Contents)>) {
        let shared = self.shared;
        for (i, file) in self.facts.iter().enumerate() {
            let id = SourceId(self.first_facts.0 + i as u32);
            read_facts(scope, shared, id, file);
        }
        for (id, contents) in met {
            if let Some(file) = self.found.get(id.index()) {
                read_container(scope, shared, id, file, contents);
            }
        }
        self.files_done(scope);
    }

    fn files_done(self, scope: &Scope<'s>) {
        if let Some(piped) = self.gate.files_done() {
            let (shared, stdin) = (self.shared, self.stdin);
            scope.spawn(move |scope| read_numbered(scope, shared, stdin, piped));
        }
    }
}

/// Contents of a file by its first bytes.
pub(super) enum Contents {
    /// Nothing that is read, with a description.
    Attachment(String),
    /// Lines that are records.
    Log(Box<Log>),
    /// Compressed file, which may be an archive.
    Packed,
    Archive,
    Database,
    Parquet,
    Rows(TableSyntax),
}

/// Classifies a file by its name, modification time and first bytes.
pub(super) fn classify(
    shared: &LoadContext,
    (name, modified): (&str, i64),
    bytes: &[u8],
    extent: Extent,
) -> Contents {
    match sniff(bytes) {
        Sniffed::Packed(_) => return Contents::Packed,
        Sniffed::Tar | Sniffed::Zip => return Contents::Archive,
        Sniffed::Sqlite => return Contents::Database,
        Sniffed::Parquet => return Contents::Parquet,
        Sniffed::Binary(what) => return Contents::Attachment(what.to_owned()),
        Sniffed::Text | Sniffed::Empty => {}
    }
    let head = SourceHead::of(bytes, extent);
    match shared.detector.detect(name, head, modified) {
        Verdict::Attachment(what) => Contents::Attachment(what),
        Verdict::Rows(rows) => Contents::Rows(rows),
        Verdict::Log(log) => Contents::Log(Box::new(log)),
    }
}

/// Reads a file that fits into one unit; returns the contents of another one.
fn read_small(
    shared: &LoadContext,
    worker: &mut Worker,
    id: SourceId,
    file: &FoundFile,
) -> Option<Contents> {
    let read = read_start_or_all(shared, worker, id, file);
    read.unwrap_or_else(|error| {
        trouble(shared, id, None, format!("cannot be read: {error}"));
        None
    })
}

fn read_start_or_all(
    shared: &LoadContext,
    worker: &mut Worker,
    id: SourceId,
    file: &FoundFile,
) -> io::Result<Option<Contents>> {
    let mut head = std::mem::take(&mut worker.buffer);
    head.clear();
    // Empty files are frequent and need not be opened.
    let opened = match file.bytes {
        0 => None,
        _ => Some(open_regular(&file.path)?),
    };
    let whole: Box<dyn Text + '_> = match &opened {
        Some(opened) => Box::new(OpenText::new(opened, file.bytes)),
        None => Box::new(MemoryText::default()),
    };
    let extent = match file.bytes > PIECE {
        true => read_start(&*whole, &mut head)?,
        false => {
            head.resize(file.bytes as usize, 0);
            let n = whole.read_at(0, &mut head)?;
            head.truncate(n);
            Extent::Whole
        }
    };
    let contents = classify(shared, (&file.name, file.modified), &head, extent);
    worker.buffer = head;
    let log = match contents {
        Contents::Attachment(what) => {
            attach(shared, id, &what);
            return Ok(None);
        }
        Contents::Log(log) => log,
        other => return Ok(Some(other)),
    };
    enter(shared, id, &log, None);
    if file.bytes > CHUNK {
        return Ok(Some(Contents::Log(log)));
    }
    read_lines(shared, worker, (id, &log), &*whole, (0, 0..file.bytes))?;
    Ok(None)
}

/// Reads the lines that start in a chunk of a file; the worker's buffer may hold its first bytes. If files are followed, a
/// last line without its end, and a last record that may continue, are left to the follower.
fn read_lines(
    shared: &LoadContext,
    worker: &mut Worker,
    (id, log): (SourceId, &Log),
    text: &dyn Text,
    (number, range): (usize, Range<u64>),
) -> io::Result<()> {
    let part = Part {
        id,
        log,
        seq: PartNumber(number as u32).first_part(),
        first: range.start == 0,
        range,
        growth: match shared.follows {
            true => Growth::Growing,
            false => Growth::Complete,
        },
    };
    let end = part.read((&shared.tables, worker), text)?;
    if shared.follows && end.is_growing {
        shared.update(|h| {
            let reader = h.drafts.get_mut(&id.0).map(|draft| &mut draft.reader);
            if let Some(reader) = reader {
                reader.read_to = end.read_to;
                // The reader of a source without a whole line is detected later.
                reader.log = reader.log.take().filter(|_| end.read_to > 0);
            }
        });
    }
    Ok(())
}

/// Reads a file that holds sources of their own, or records other than lines.
pub(super) fn read_container<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    file: &FoundFile,
    contents: Contents,
) {
    let holder = Holder {
        id,
        name: &file.name,
        modified: file.modified,
        origin: RecordOwner::Run,
    };
    match contents {
        Contents::Attachment(_) | Contents::Log(_) => {}
        Contents::Packed | Contents::Archive => {
            read_file(scope, shared, id, file, Nested::Read);
        }
        Contents::Rows(rows) => match open_regular(&file.path) {
            Ok(opened) => read_rows(scope, shared, holder, rows, Counted::new(opened, shared)),
            Err(error) => trouble(shared, id, None, format!("cannot be read: {error}")),
        },
        Contents::Parquet => {
            parquet_files::read_file(scope, shared, holder, &file.path);
            shared.progress.advance(file.bytes);
        }
        Contents::Database => {
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
    for (number, range) in chunks(file.bytes, &log.reader.syntax).enumerate() {
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
                worker.buffer.clear();
                let read = open_regular(&file.path).and_then(|opened| {
                    let text = OpenText::new(&opened, file.bytes);
                    read_lines(shared, worker, (id, &log), &text, (number, range.clone()))
                });
                if let Err(error) = read {
                    let text = format!("cannot be read: {error}");
                    trouble(shared, id, Some(range.start), text);
                }
                shared.finish_unit(worker, (id.0, number as u32));
            });
            shared.progress.advance(range.end - range.start);
        });
    }
}
