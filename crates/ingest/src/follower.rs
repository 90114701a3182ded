//! State of a live run between two polls.

use crate::source_entries::problem;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use crate::chunk::PIECE;
use crate::detector::Log;
use crate::finish::{Finish, new_lineage};
use crate::load_context::LoadContext;
use crate::load_state::LoadState;
use crate::options::OpenOptions;
use crate::tables::DATABASE_LISTED;
use crate::worker::Worker;
use widetui_core::cancel::Cancel;
use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_format::reader::Syntax;
use widetui_source::discover::FoundFile;
use widetui_source::file::{FileId, OpenText, open_regular};
use widetui_source::head::{HEAD, read_start};
use widetui_source::sniff::{Sniffed, sniff};
use widetui_store::{Snapshot, Source};

use crate::container::Container;
use crate::followed_file::{FileState, Replacement, Watched};
use crate::piped_input::Piped;

/// Maximum number of bytes read in one poll.
const BYTES: u64 = 32 << 20;

/// Maximum number of followed files that are kept open: fewer than any limit of the operating system.
const MAX_OPEN: usize = 128;
/// Maximum number of files whose rotation is noticed between polls.
const MAX_GUARDED: usize = 32;

/// Limits of the time that a poll takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Time per poll for checking quiet files.
    pub(crate) quiet_checks: Duration,
    /// Time per poll for opening new files.
    pub(crate) new_files: Duration,
    /// Inverse of the maximum share of a core's time for scanning folders.
    pub(crate) share: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            quiet_checks: Duration::from_millis(20),
            new_files: Duration::from_millis(250),
            share: 20,
        }
    }
}

/// Polls the files of a run and publishes snapshots that extend each other.
pub(crate) struct Follower {
    pub(crate) shared: LoadContext,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) cancel: Cancel,
    /// Sources of the last snapshot as they were read.
    pub(crate) as_read: Vec<Arc<Source>>,
    /// Steps after reading.
    pub(crate) finish: Finish,
    pub(crate) files: Vec<Watched>,
    /// Index of each file by device and inode.
    pub(crate) by_id: HashMap<FileId, usize>,
    /// Paths that are sources or are not read.
    pub(crate) known: HashSet<PathBuf>,
    /// Files that were found but not read yet.
    pub(crate) new_files: VecDeque<FoundFile>,
    /// Files that are not at their path any more.
    pub(crate) displaced: Vec<usize>,
    /// Paths of files that were renamed or deleted: a log that was rotated begins anew there.
    pub(crate) vacated: VecDeque<PathBuf>,
    /// New files that may be copies of followed ones in preparation of their truncation, and when they were found.
    pub(crate) possible_copies: HashMap<PathBuf, Instant>,
    /// Suspects that the last scan did not find anywhere.
    pub(crate) missing: FxHashSet<usize>,
    /// Whether sources with records were renamed since the last snapshot.
    pub(crate) is_renamed: bool,
    pub(crate) scanned: Option<Instant>,
    pub(crate) scan_took: Duration,
    /// Standard input.
    pub(crate) piped: Option<Piped>,
    /// Whether the last poll left data unread.
    pub(crate) is_behind: bool,
    pub(crate) worker: Worker,
    /// Snapshot of all settled records.
    pub(crate) base: Arc<Snapshot>,
    /// Index of the quiet file to check next.
    turn: usize,
    /// Index of the recently grown file to read next.
    lively_turn: usize,
    /// Maximum number of bytes read in one poll.
    pub(crate) bytes: u64,
    pub(crate) pace: Pace,
    pub(crate) is_changed: bool,
}

impl Follower {
    /// Continues from a loaded run.
    pub(crate) fn new(
        options: &OpenOptions,
        shared: LoadContext,
        found: &[FoundFile],
        snapshot: &Snapshot,
        finish: Finish,
    ) -> Follower {
        // The snapshot holds the records.
        drop(shared.update(LoadState::settle));
        let as_read = shared.update(|h| h.read_sources([].iter())).sources;
        let sources = &snapshot.sources;
        let paused = shared.update(|h| h.paused_input.take());
        let stdin = paused
            .as_ref()
            .map_or(usize::MAX, |paused| paused.id.index());
        let piped = paused.and_then(|paused| Piped::new(paused, &shared));
        let mut files: Vec<Watched> = Vec::new();
        shared.update(|h| {
            for (id, draft) in &mut h.drafts {
                let reader = &mut draft.reader;
                reader.has_records = sources[*id as usize].stats.records() > 0;
                if draft.is_made && *id as usize != stdin {
                    reader.read_to = draft.source.text.len();
                    // The last record may continue, so lines are read from the start once.
                    let is_rows = |log: &Log| matches!(log.reader.syntax, Syntax::Json(_));
                    reader.log = reader.log.take().filter(is_rows);
                }
                reader.sampled = draft.source.bytes;
                // Numbers after those of the load: no piece of it is shorter.
                reader.seq = (reader.read_to / PIECE) as u32 + 2;
                let found = found.get(*id as usize).zip(draft.file.clone());
                let Some((found, text)) = found else { continue };
                let mut file = Watched::new(SourceId(*id), found.path.clone(), found.id, text);
                let is_database = draft.source.layout == DATABASE_LISTED;
                match &reader.log {
                    Some(_) if !draft.is_made => file.read_before(reader.read_to, found),
                    // It had no whole line.
                    None if draft.source.is_log && !draft.is_made => {}
                    _ => file.read_before(found.bytes, found),
                }
                if draft.is_made || is_database {
                    file.container = Some(Container::read_before(found.bytes, is_database));
                }
                files.push(file);
            }
        });
        let has_log = |f: &&Watched| f.container.is_none() && sources[f.id.index()].is_log;
        let logs = files.iter().enumerate().filter(|(_, f)| has_log(f));
        let mut newest: Vec<(i64, usize)> = logs.map(|(at, f)| (f.modified, at)).collect();
        newest.sort_unstable_by_key(|(modified, at)| (Reverse(*modified), *at));
        for (_, at) in newest.into_iter().take(MAX_OPEN) {
            // An error recurs when the file grows, and is reported then.
            let _ = files[at].open_as_loaded();
        }
        let base = Snapshot {
            lineage: new_lineage(),
            ..snapshot.clone()
        };
        Follower {
            roots: roots(options),
            cancel: shared.cancel.clone(),
            as_read,
            finish,
            by_id: files.iter().enumerate().map(|(i, f)| (f.file, i)).collect(),
            known: found.iter().map(|f| f.path.clone()).collect(),
            files,
            new_files: VecDeque::new(),
            displaced: Vec::new(),
            vacated: VecDeque::new(),
            possible_copies: HashMap::new(),
            missing: FxHashSet::default(),
            is_renamed: false,
            scanned: None,
            scan_took: Duration::ZERO,
            piped,
            is_behind: false,
            worker: Worker::default(),
            base: Arc::new(base),
            turn: 0,
            lively_turn: 0,
            bytes: BYTES,
            pace: Pace::default(),
            is_changed: false,
            shared,
        }
    }

    /// True if records may arrive: an archive that is opened alone is taken for a copy of a run that ended.
    pub(crate) fn may_grow(&self) -> bool {
        self.piped.is_some() || !self.roots.iter().all(|root| is_packed(root))
    }

    /// Snapshot of the run as loaded, with the unfinished lines at the ends of files. Reads only files that have some.
    pub(crate) fn snapshot(&mut self) -> Arc<Snapshot> {
        let now = Instant::now();
        for at in 0..self.files.len() {
            if self.files[at].modified == 0 {
                self.visit(at, now);
            }
        }
        // Nothing has grown since the load.
        self.files.iter_mut().for_each(|f| f.grew = None);
        self.publish(now).unwrap_or_else(|| self.base.clone())
    }

    /// Polls all files; returns a snapshot if anything changed.
    pub(crate) fn poll(&mut self, now: Instant) -> Option<Arc<Snapshot>> {
        self.read_vacated(now);
        self.rescan(now);
        self.read_new_files(now);
        let mut budget = self.bytes.saturating_sub(self.read_piped(now));
        let expected = (0..self.files.len()).filter(|at| !self.files[*at].is_ended);
        let (mut lively, mut quiet): (Vec<usize>, Vec<usize>) =
            expected.partition(|at| self.files[*at].is_lively(now));
        // Round robin, in case more data arrives than one poll reads.
        let from = lively.partition_point(|at| *at < self.lively_turn);
        lively.rotate_left(from);
        for at in lively {
            if budget == 0 {
                break;
            }
            self.lively_turn = at + 1;
            budget = budget.saturating_sub(self.visit(at, now));
        }
        let is_full = budget == 0;
        // Reserves part of the limit for quiet files, so that they are not starved by growing ones.
        let mut budget = budget.max(self.bytes.div_ceil(4));
        let asked = Instant::now();
        let from = quiet.partition_point(|at| *at < self.turn);
        quiet.rotate_left(from);
        for at in quiet {
            if budget == 0 || asked.elapsed() > self.pace.quiet_checks || self.cancel.is_cancelled()
            {
                break;
            }
            self.turn = at + 1;
            budget = budget.saturating_sub(self.visit(at, now));
        }
        if self.turn >= self.files.len() {
            self.turn = 0;
        }
        if !self.displaced.is_empty() {
            self.rescan(now);
            self.read_new_files(now);
        }
        self.is_behind |= is_full || budget == 0;
        self.close_idle();
        self.publish(now)
    }

    /// Whether a recently grown file was moved, replaced or truncated since the last poll, or a file is at a path that a
    /// followed one left.
    pub(crate) fn has_rotated(&self, now: Instant) -> bool {
        let id = |path: &PathBuf| std::fs::metadata(path).ok().map(|m| (m.dev(), m.ino()));
        let is_unknown = |id: FileId| !self.is_followed(id);
        let files = self.files.iter().enumerate();
        let mut lively = files
            .filter(|(_, f)| !f.is_ended && !f.is_deleted && f.is_lively(now))
            .take(MAX_GUARDED);
        let mut vacated = self.vacated.iter();
        lively.any(|(at, file)| match id(&file.path) {
            Some(id) if id == file.file => file.is_truncated(),
            Some(id) => is_unknown(id),
            None => !self.displaced.contains(&at),
        }) || vacated.any(|path| id(path).is_some_and(is_unknown))
    }

    /// Whether a file with this identity is followed.
    pub(crate) fn is_followed(&self, id: FileId) -> bool {
        let known = self.by_id.get(&id);
        known.is_some_and(|at| !self.files[*at].is_ended)
    }

    /// Closes the files that have been idle for the longest time, if too many are open.
    fn close_idle(&mut self) {
        let files = self.files.iter().enumerate();
        let mut open: Vec<(Option<Instant>, usize)> = files
            .filter(|(_, f)| f.is_open())
            .map(|(at, f)| (f.grew, at))
            .collect();
        let over = open.len().saturating_sub(MAX_OPEN);
        if over == 0 {
            return;
        }
        open.sort_unstable();
        for (_, at) in open.into_iter().take(over) {
            match self.files[at].is_deleted {
                true => self.lose(at),
                false => self.files[at].close(),
            }
        }
    }

    /// Ends following of a file: what is unfinished stays so.
    fn end(&mut self, at: usize) {
        let file = &mut self.files[at];
        file.end();
        let (id, name) = (file.id, &file.name);
        self.shared.update(|h| {
            for id in h.children(name).into_iter().chain([id]) {
                if let Some(draft) = h.drafts.get_mut(&id.0) {
                    draft.reader.rest.clear();
                }
            }
        });
    }

    /// Ends a file of which no path and no open file is left.
    pub(crate) fn lose(&mut self, at: usize) {
        self.end(at);
        let file = &self.files[at];
        file.text
            .mark_lost("the file was deleted or replaced after it was read");
        // A later file with this inode is a new file.
        if self.by_id.get(&file.file) == Some(&at) {
            self.by_id.remove(&file.file);
        }
    }

    /// Whether the last poll left data unread.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Checks a file and reads its new data; returns the number of bytes read.
    fn visit(&mut self, at: usize, now: Instant) -> u64 {
        let state = self.files[at].state();
        let is_there = matches!(
            state,
            FileState::Same | FileState::Grew { .. } | FileState::Truncated
        );
        let is_database = |c: &Container| c.is_database;
        let bytes = match is_there && self.files[at].container.as_ref().is_some_and(is_database) {
            true => self.visit_database(at, &state, now),
            false => self.read_change(at, state, now),
        };
        // The program may still write to a file that was renamed or deleted.
        let file = &self.files[at];
        if (file.is_open() || !is_there) && !file.is_ended && !file.is_deleted {
            self.check_path(at, now);
        }
        bytes
    }

    /// Notes that a file is not at its path any more, and reads the regular file that has replaced it.
    fn check_path(&mut self, at: usize, now: Instant) {
        let state = self.files[at].state_at_path();
        if !matches!(state, FileState::Missing | FileState::Replaced(_)) {
            return;
        }
        if !self.displaced.contains(&at) {
            self.displaced.push(at);
        }
        if let FileState::Replaced(Replacement::File(id)) = state
            && !self.is_followed(id)
        {
            let path = self.files[at].path.clone();
            // The next scan finds it again.
            if !self.may_be_copy(&path) {
                self.read_new_file(path, id, now);
            }
        }
    }

    /// Reads files at paths that followed ones left.
    fn read_vacated(&mut self, now: Instant) {
        for path in std::mem::take(&mut self.vacated) {
            match std::fs::metadata(&path) {
                Ok(meta) if meta.is_file() => {
                    let id = (meta.dev(), meta.ino());
                    let is_new = !self.is_followed(id) && !self.known.contains(&path);
                    if is_new && !self.may_be_copy(&path) {
                        self.read_new_file(path, id, now);
                    }
                }
                Ok(_) => {}
                Err(_) => self.vacated.push_back(path),
            }
        }
    }

    /// Notes a path that a followed file left.
    pub(crate) fn vacate(&mut self, path: PathBuf) {
        if self.vacated.len() == MAX_GUARDED {
            self.vacated.pop_front();
        }
        self.vacated.push_back(path);
    }

    fn read_change(&mut self, at: usize, state: FileState, now: Instant) -> u64 {
        match state {
            FileState::Same => {
                self.detect_when_quiet(at, now);
                0
            }
            FileState::Grew { len, modified } => match self.read(at, len, modified, now) {
                Ok(bytes) => {
                    self.files[at].is_unreadable = false;
                    bytes
                }
                Err(error) => {
                    self.report_unreadable(at, &error);
                    0
                }
            },
            FileState::Truncated => self.end_truncated(at, now),
            FileState::Unreadable(error) => {
                self.report_unreadable(at, &error);
                0
            }
            FileState::Missing | FileState::Replaced(_) => 0,
        }
    }

    pub(crate) fn report_unreadable(&mut self, at: usize, error: &std::io::Error) {
        let file = &mut self.files[at];
        if std::mem::replace(&mut file.is_unreadable, true) {
            return;
        }
        let id = file.id;
        self.is_changed = true;
        problem(
            &self.shared,
            id,
            Severity::Warning,
            format!("cannot be read any more while it is followed: {error}"),
        );
    }

    /// Continues a truncated file with its copy, if it was copied before; else ends its source. The new content is another
    /// source. Returns the number of bytes read.
    pub(crate) fn end_truncated(&mut self, at: usize, now: Instant) -> u64 {
        let file = &self.files[at];
        let (path, file_id, is_in_place) = (file.path.clone(), file.file, file.is_in_place());
        let mut bytes = 0;
        match self.find_copy(at) {
            Some(copy) => {
                self.follow_moved(vec![(at, copy)]);
                self.files[at].modified = 0;
                bytes = self.read_change(at, self.files[at].state(), now);
            }
            None => {
                self.end(at);
                let file = &self.files[at];
                file.text
                    .mark_lost("the file was truncated or rewritten after it was read");
                let id = file.id;
                problem(
                    &self.shared,
                    id,
                    Severity::Warning,
                    "was truncated or rewritten while it was followed: its texts are gone, its new content is a separate source",
                );
                self.is_changed = true;
            }
        }
        if is_in_place {
            self.enter_file(path, file_id);
        } else {
            self.known.remove(&path);
            self.by_id.remove(&file_id);
        }
        bytes
    }

    /// Shifts the times of sources (ns, replacing their current shifts), for records read so far and later.
    pub(crate) fn shift(&mut self, shifts: &[(SourceId, i64)]) {
        self.shared.update(|h| h.shifts = shifts.to_vec());
        for (id, ns) in shifts {
            if self.shared.source(*id).is_some_and(|s| s.shift != *ns) {
                self.shared.change(*id, |s| s.shift = *ns);
                (self.is_changed, self.finish.last) = (true, None);
            }
        }
    }

    /// Changes the path of a source, and its tag unless `tag` is `None` (a definition gives the tag).
    pub(crate) fn rename(&mut self, id: SourceId, path: &str, tag: Option<String>) {
        self.shared.update(|h| {
            h.version += 1;
            h.change(id, |s| {
                path.clone_into(&mut s.path);
                s.tag = tag.unwrap_or_else(|| s.tag.clone());
            });
        });
    }

    /// True if a source has records, as read.
    pub(crate) fn has_records(&self, id: SourceId) -> bool {
        let source = self.shared.source(id);
        source.is_some_and(|s| s.stats.records() > 0)
    }

    /// Starts following a file from its beginning.
    pub(crate) fn enter_file(&mut self, path: PathBuf, id: FileId) -> usize {
        use widetui_source::file::FileText;
        let name = path.to_string_lossy().into_owned();
        let text = FileText::new(path.clone(), self.shared.pool.clone(), 0, 0);
        let text = Arc::new(text);
        let source = self.shared.update(|h| h.add_file(&name, text.clone()));
        self.shared
            .change(source, |s| "empty".clone_into(&mut s.layout));
        self.known.insert(path.clone());
        self.by_id.insert(id, self.files.len());
        self.files.push(Watched::new(source, path, id, text));
        self.is_changed = true;
        self.files.len() - 1
    }
}

/// True if a file is an archive or compressed; false if it cannot be read.
fn is_packed(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_regular(path)
        .and_then(|file| read_start(&OpenText::new(&file, HEAD as u64), &mut head));
    let kind = sniff(&head);
    read.is_ok() && matches!(kind, Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip)
}

fn roots(options: &OpenOptions) -> Vec<PathBuf> {
    let paths = options.paths.iter();
    paths.filter(|p| p.as_os_str() != "-").cloned().collect()
}

#[cfg(test)]
mod tests;
