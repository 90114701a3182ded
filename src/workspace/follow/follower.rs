//! Everything that is known of a live run between two polls.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use crate::base::cancel::Cancel;
use crate::base::diag::Severity;
use crate::base::ids::SourceId;
use crate::format::lines::Chunk;
use crate::source::discover::Found;
use crate::source::file::{FileId, open_regular};
use crate::source::head::{HEAD, Head, read_start};
use crate::source::sniff::{Sniffed, sniff};
use crate::store::Snapshot;
use crate::store::grow::{More, State};
use crate::workspace::assemble::Live;
use crate::workspace::detector::Verdict;
use crate::workspace::load::{OpenOptions, Shared};
use crate::workspace::repeated;
use crate::workspace::worker::Worker;

use super::changes::{Sources, reads_alike};
use super::watched::{Look, Watched};

/// Bytes read in one poll.
const BYTES: u64 = 32 << 20;
/// Time that asking files that are quiet takes in one poll.
const ASKING: Duration = Duration::from_millis(20);
/// A file whose start was looked at while it was short is looked at again when it was quiet for so long.
const QUIET: Duration = Duration::from_secs(2);

/// Polls the files of a run and makes snapshots that extend each other.
pub(in crate::workspace) struct Follower {
    pub(super) shared: Shared,
    pub(super) roots: Vec<PathBuf>,
    pub(super) cancel: Cancel,
    pub(super) sources: Sources,
    pub(super) files: Vec<Watched>,
    /// Which file is which.
    pub(super) by_id: HashMap<FileId, usize>,
    /// Paths that are sources already, or are not read.
    pub(super) known: HashSet<PathBuf>,
    /// What was found and is not read yet.
    pub(super) fresh: VecDeque<Found>,
    /// Files that are not where they were.
    pub(super) suspects: Vec<usize>,
    pub(super) scanned: Option<Instant>,
    pub(super) scan_took: Duration,
    worker: Worker,
    /// All settled records.
    base: Arc<Snapshot>,
    /// Sources that are read anew.
    anew: FxHashSet<SourceId>,
    /// Which quiet file is asked next.
    turn: usize,
    pub(super) is_changed: bool,
}

/// Every follower's snapshots have a number of their own.
static LINEAGES: AtomicU64 = AtomicU64::new(1);

impl Follower {
    /// Goes on from a run that was loaded.
    pub fn new(
        options: &OpenOptions,
        shared: Shared,
        found: &[Found],
        snapshot: &Snapshot,
    ) -> Follower {
        let sources = Sources::new(
            &shared,
            &snapshot.sources,
            options.zone.clone(),
            options.fallback_zone.clone(),
        );
        let mut files = Vec::new();
        let drafts = shared.harvest(|h| {
            let drafts = h.drafts.values_mut();
            let drafts = drafts.map(|d| (std::mem::take(&mut d.live), d.file.clone()));
            drafts.collect::<Vec<_>>()
        });
        for (at, (found, (live, text))) in found.iter().zip(drafts).enumerate() {
            let Some(text) = text.filter(|_| !matches!(live, Live::Not)) else {
                continue;
            };
            let id = SourceId(at as u32);
            let file = Watched::new(id, found.path.clone(), found.id, text);
            let has_records = sources.all[at].stats.records() > 0;
            files.push(match live {
                Live::Read { log, to } => file.read_before(log, to, found, has_records),
                _ => file,
            });
        }
        let base = Snapshot {
            lineage: LINEAGES.fetch_add(1, Ordering::Relaxed),
            ..snapshot.clone()
        };
        Follower {
            roots: roots(options),
            cancel: shared.cancel.clone(),
            sources,
            by_id: files.iter().enumerate().map(|(i, f)| (f.file, i)).collect(),
            known: found.iter().map(|f| f.path.clone()).collect(),
            files,
            fresh: VecDeque::new(),
            suspects: Vec::new(),
            scanned: None,
            scan_took: Duration::ZERO,
            worker: Worker::default(),
            base: Arc::new(base),
            anew: FxHashSet::default(),
            turn: 0,
            is_changed: false,
            shared,
        }
    }

    /// The run as it was loaded, with the unfinished lines at the ends of files. Looks at those files only.
    pub fn snapshot(&mut self) -> Arc<Snapshot> {
        let now = Instant::now();
        for at in 0..self.files.len() {
            if self.files[at].modified == 0 {
                self.visit(at, now);
            }
        }
        // Nothing of it is news.
        self.files.iter_mut().for_each(|f| f.grew = None);
        self.publish().unwrap_or_else(|| self.base.clone())
    }

    /// Looks at the files; a new snapshot when anything came.
    pub fn poll(&mut self, now: Instant) -> Option<Arc<Snapshot>> {
        self.rescan(now);
        self.take_fresh(now);
        let mut budget = BYTES;
        let mut quiet = Vec::new();
        for at in 0..self.files.len() {
            if self.files[at].is_over {
                continue;
            }
            if self.files[at].is_lively(now) {
                budget = budget.saturating_sub(self.visit(at, now));
                if budget == 0 {
                    break;
                }
            } else {
                quiet.push(at);
            }
        }
        let asked = Instant::now();
        let from = quiet.partition_point(|at| *at < self.turn);
        quiet.rotate_left(from);
        for at in quiet {
            if budget == 0 || asked.elapsed() > ASKING || self.cancel.is_cancelled() {
                break;
            }
            self.turn = at + 1;
            budget = budget.saturating_sub(self.visit(at, now));
        }
        if self.turn >= self.files.len() {
            self.turn = 0;
        }
        if !self.suspects.is_empty() {
            self.rescan(now);
            self.take_fresh(now);
        }
        self.publish()
    }

    /// Asks one file, and reads what is new; how many bytes that was.
    fn visit(&mut self, at: usize, now: Instant) -> u64 {
        match self.files[at].look() {
            Look::Same => {
                self.look_again(at, now);
                0
            }
            Look::Grew { len, modified } => match self.read(at, len, modified, now) {
                Ok(bytes) => {
                    self.files[at].is_locked = false;
                    bytes
                }
                Err(error) => {
                    self.locked(at, &error);
                    0
                }
            },
            Look::Cut => {
                self.cut(at);
                0
            }
            Look::Locked(error) => {
                self.locked(at, &error);
                0
            }
            Look::Missing | Look::Replaced(_) => {
                if !self.suspects.contains(&at) {
                    self.suspects.push(at);
                }
                0
            }
        }
    }

    fn locked(&mut self, at: usize, error: &std::io::Error) {
        let file = &mut self.files[at];
        if std::mem::replace(&mut file.is_locked, true) {
            return;
        }
        let id = file.id;
        self.is_changed = true;
        self.sources.tell(
            id,
            Severity::Warning,
            format!("cannot be read any more while it is followed: {error}"),
        );
    }

    /// The bytes that were read are gone: what stands there now is a source of its own.
    fn cut(&mut self, at: usize) {
        let file = &mut self.files[at];
        file.is_over = true;
        file.rest.clear();
        file.text
            .lost("the file was cut or written anew after it was read");
        let (id, path, file_id) = (file.id, file.path.clone(), file.file);
        self.sources.tell(
            id,
            Severity::Warning,
            "was cut or written anew while it was followed: its texts are gone, what is there now is read as a source of its own",
        );
        self.is_changed = true;
        self.enter_file(path, file_id);
    }

    /// Begins to follow a file, from its start.
    pub(super) fn enter_file(&mut self, path: PathBuf, id: FileId) -> usize {
        use crate::source::file::FileText;
        let name = path.to_string_lossy().into_owned();
        let text = FileText::new(path.clone(), self.shared.pool.clone(), 0, 0);
        let text = Arc::new(text);
        let source = self.sources.add(&self.shared, &name, text.clone());
        self.known.insert(path.clone());
        self.by_id.insert(id, self.files.len());
        self.files.push(Watched::new(source, path, id, text));
        self.is_changed = true;
        self.files.len() - 1
    }

    /// Reads what is new of a file that has `len` bytes; how many bytes that was.
    pub(super) fn read(
        &mut self,
        at: usize,
        len: u64,
        modified: i64,
        now: Instant,
    ) -> std::io::Result<u64> {
        let opened = open_regular(&self.files[at].path)?;
        if crate::source::file::file_id(&opened)? != self.files[at].file {
            self.suspects.push(at);
            return Ok(0);
        }
        if !self.files[at].is_same(&opened)? {
            self.cut(at);
            return Ok(0);
        }
        self.files[at].check_start(&opened)?;
        let before = (self.files[at].len, self.files[at].rest.len());
        let is_first = self.files[at].modified == 0;
        let looked = self.files[at].looked;
        let again = (looked * 2).min(HEAD as u64);
        // As long as it has no records, finding out anew costs nothing.
        let is_open = !self.files[at].has_records;
        if len > looked && (is_open || looked < HEAD as u64 && len >= again) {
            self.choose(at, &opened, len, modified)?;
        }
        if self.files[at].is_over {
            return Ok(0);
        }
        let mut buffer = std::mem::take(&mut self.worker.buffer);
        let mut done = 0;
        let mut end = len;
        while let Some(lines) = self.files[at].next_lines(&opened, len, &mut buffer)? {
            done += lines.len as u64;
            let file = &mut self.files[at];
            file.seq += 1;
            let chunk = Chunk {
                text: &buffer[..lines.len],
                offset: lines.offset,
                first: !file.has_records,
                after: &buffer[lines.len..],
            };
            if let Some(log) = &file.log {
                let tables = &self.shared.tables;
                self.worker
                    .load(tables, &log.reader, file.id, file.seq << 8, chunk);
                file.has_records |= self.worker.builder.records() > 0;
            }
            if done >= BYTES {
                // The rest is read at the next poll.
                end = lines.offset + lines.len as u64;
                break;
            }
        }
        self.worker.buffer = buffer;
        let file = &mut self.files[at];
        file.note_end(&opened, end, if end < len { 0 } else { modified })?;
        let id = file.id;
        if (file.len, file.rest.len()) != before || done > 0 || is_first {
            file.grew = Some(now);
            let bytes = file.len;
            self.sources.change(id, |s| {
                s.bytes = bytes;
                s.modified = modified;
            });
            self.is_changed = true;
        }
        Ok(done)
    }

    /// A file that was short when its kind was found out is looked at again once it is quiet.
    fn look_again(&mut self, at: usize, now: Instant) {
        let file = &self.files[at];
        let is_quiet = file.grew.is_some_and(|t| now.duration_since(t) >= QUIET);
        if is_quiet && file.looked < file.len.min(HEAD as u64) {
            let (len, modified) = (file.len, file.modified);
            if let Ok(opened) = open_regular(&file.path)
                && let Ok(()) = self.choose(at, &opened, len, modified)
                && self.anew.contains(&self.files[at].id)
            {
                // Read at the next poll.
                self.files[at].modified = 0;
                self.files[at].grew = Some(now);
            }
        }
    }

    /// Finds out how a file is read, from its start as it is now. When that is not how it was read so far, all of it is
    /// read again.
    fn choose(
        &mut self,
        at: usize,
        opened: &std::fs::File,
        len: u64,
        modified: i64,
    ) -> std::io::Result<()> {
        let file = &mut self.files[at];
        let mut head = Vec::new();
        let extent = read_start(opened, len, &mut head)?;
        file.looked = len;
        let id = file.id;
        let verdict = match sniff(&head) {
            Sniffed::Text | Sniffed::Empty => {
                let detector = &self.shared.detector;
                detector.detect(&file.name, Head::of(&head, extent), modified)
            }
            Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip | Sniffed::Sqlite => {
                Verdict::Attachment("not followed".to_owned())
            }
            Sniffed::Binary(what) => Verdict::Attachment(what.to_owned()),
        };
        match (verdict, &file.log) {
            (Verdict::Attachment(what), None) => {
                file.is_over = true;
                if matches!(
                    sniff(&head),
                    Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip | Sniffed::Sqlite
                ) {
                    self.sources.tell(
                        id,
                        Severity::Note,
                        "came while the run was followed: compressed files and archives are read when the run is opened again",
                    );
                }
                self.sources.change(id, |s| s.layout = what);
                self.is_changed = true;
            }
            // What was a log stays one.
            (Verdict::Attachment(_) | Verdict::Rows(_), Some(_)) => {}
            (Verdict::Rows(_), None) => {
                file.is_over = true;
                let text =
                    "came while the run was followed: tables are read when the run is opened again";
                self.sources.tell(id, Severity::Note, text);
                self.is_changed = true;
            }
            (Verdict::Log(log), Some(known)) if reads_alike(known, &log) => {}
            (Verdict::Log(log), known) => {
                if known.is_some() && file.has_records {
                    self.anew.insert(id);
                }
                file.restart();
                file.log = Some(log.clone());
                self.sources.describe(&self.shared, id, &log);
                self.is_changed = true;
            }
        }
        Ok(())
    }

    /// A snapshot of all that is known; `None` when nothing changed.
    fn publish(&mut self) -> Option<Arc<Snapshot>> {
        if !std::mem::take(&mut self.is_changed) {
            return None;
        }
        self.drop_anew()?;
        let tables = self.shared.tables.clone();
        let (segments, reports) = self.worker.builder.finish(&tables);
        for report in &reports {
            self.sources.count(report);
        }
        let rest = self.unfinished(&tables);
        let catalog = tables.freeze();
        let from = self.base.len() as u32;
        let grown = self.base.grow(More {
            sources: self.sources.all.as_slice().into(),
            segments: segments.into_iter().map(Arc::new).collect(),
            catalog: catalog.clone(),
            state: State::Settled,
        })?;
        let grown = repeated::mark_more(grown, from, &self.cancel);
        self.base = Arc::new(grown);
        let (segments, reports) = rest;
        if segments.is_empty() {
            return Some(self.base.clone());
        }
        let shown = self.base.grow(More {
            sources: self.sources.with_unfinished(&reports),
            segments: segments.into_iter().map(Arc::new).collect(),
            catalog,
            state: State::Unfinished,
        })?;
        Some(Arc::new(shown))
    }

    /// Reads the unfinished lines at the ends of the files.
    fn unfinished(
        &mut self,
        tables: &crate::format::catalog::Catalog,
    ) -> (
        Vec<crate::store::segment::Segment>,
        Vec<crate::store::builder::PartReport>,
    ) {
        for file in self.files.iter().filter(|f| !f.is_over) {
            let Some(log) = file.log.as_ref().filter(|_| !file.rest.is_empty()) else {
                continue;
            };
            let chunk = Chunk {
                text: &file.rest,
                offset: file.read_to,
                first: !file.has_records,
                after: &[],
            };
            let seq = (file.seq + 1) << 8;
            self.worker.load(tables, &log.reader, file.id, seq, chunk);
        }
        self.worker.builder.finish(tables)
    }

    /// Takes out the records of sources that are read in another way from now on: all ids change.
    fn drop_anew(&mut self) -> Option<()> {
        if self.anew.is_empty() {
            return Some(());
        }
        let anew = std::mem::take(&mut self.anew);
        let base = self.base.without(&anew, &self.cancel)?;
        let mut base = repeated::mark_copies(base, &self.cancel);
        base.lineage = LINEAGES.fetch_add(1, Ordering::Relaxed);
        base.ties = Arc::default();
        for id in anew {
            self.sources.change(id, |s| {
                s.stats = Default::default();
                s.zoning = Default::default();
            });
        }
        self.base = Arc::new(base);
        Some(())
    }
}

fn roots(options: &OpenOptions) -> Vec<PathBuf> {
    let paths = options.paths.iter();
    paths.filter(|p| p.as_os_str() != "-").cloned().collect()
}
