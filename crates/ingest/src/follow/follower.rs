//! Everything that is known of a live run between two polls.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use crate::load_context::LoadContext;
use crate::load_state::Live;
use crate::options::OpenOptions;
use crate::provenance::shared_names::Namesakes;
use crate::tables::DATABASE_LISTED;
use crate::worker::Worker;
use widetui_core::cancel::Cancel;
use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_source::discover::FoundFile;
use widetui_source::file::FileId;
use widetui_store::Snapshot;

use super::changes::Sources;
use super::derived_sources::Made;
use super::new_lines::is_packed;
use super::piped_input::Piped;
use super::watched::{Look, Watched};

/// Bytes read in one poll.
const BYTES: u64 = 32 << 20;

/// How much of a machine's time a poll takes at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Time in which files that are quiet are asked.
    pub(crate) asking: Duration,
    /// Time in which new files are begun.
    pub(crate) beginning: Duration,
    /// Looking through the folders takes at most one part in so many of a core's time.
    pub(crate) share: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            asking: Duration::from_millis(20),
            beginning: Duration::from_millis(250),
            share: 20,
        }
    }
}

/// Every follower's snapshots have a number of their own.
static LINEAGES: AtomicU64 = AtomicU64::new(1);

/// A number that no snapshot has yet.
pub(super) fn new_lineage() -> u64 {
    LINEAGES.fetch_add(1, Ordering::Relaxed)
}

/// Polls the files of a run and makes snapshots that extend each other.
pub(crate) struct Follower {
    pub(super) shared: LoadContext,
    pub(super) roots: Vec<PathBuf>,
    pub(super) cancel: Cancel,
    pub(super) sources: Sources,
    /// What the runs are called.
    pub(super) namesakes: Namesakes,
    pub(super) files: Vec<Watched>,
    /// Which file is which.
    pub(super) by_id: HashMap<FileId, usize>,
    /// Paths that are sources already, or are not read.
    pub(super) known: HashSet<PathBuf>,
    /// What was found and is not read yet.
    pub(super) fresh: VecDeque<FoundFile>,
    /// Files that are not where they were.
    pub(super) suspects: Vec<usize>,
    /// Those that the last look through the folders found nowhere.
    pub(super) missed: FxHashSet<usize>,
    /// Sources with records have other names than in the last snapshot.
    pub(super) is_renamed: bool,
    pub(super) scanned: Option<Instant>,
    pub(super) scan_took: Duration,
    /// Standard input.
    pub(super) piped: Option<Piped>,
    /// More was to be read than one poll reads.
    pub(super) is_behind: bool,
    pub(super) worker: Worker,
    /// All settled records.
    pub(super) base: Arc<Snapshot>,
    /// Sources that are read anew.
    pub(super) anew: FxHashSet<SourceId>,
    /// Which quiet file is asked next.
    turn: usize,
    /// Which of the files that grew lately is asked next.
    lively_turn: usize,
    /// Bytes read in one poll.
    pub(super) bytes: u64,
    pub(super) pace: Pace,
    pub(super) is_changed: bool,
}

impl Follower {
    /// Goes on from a run that was loaded.
    pub(crate) fn new(
        options: &OpenOptions,
        shared: LoadContext,
        found: &[FoundFile],
        snapshot: &Snapshot,
        namesakes: Namesakes,
    ) -> Follower {
        let sources = Sources::new(
            &shared,
            &snapshot.sources,
            options.zone.clone(),
            options.fallback_zone.clone(),
        );
        let piped = shared.update(|h| h.paused_input.take()).map(|stream| {
            let has_records = sources.all[stream.id.index()].stats.records() > 0;
            Piped::new(stream, has_records)
        });
        let mut files = Vec::new();
        let drafts = shared.update(|h| {
            let drafts = h.drafts.values_mut();
            let drafts = drafts.map(|d| (std::mem::take(&mut d.live), d.file.clone()));
            drafts.collect::<Vec<_>>()
        });
        for (at, (found, (live, text))) in found.iter().zip(drafts).enumerate() {
            let Some(text) = text else { continue };
            let id = SourceId(at as u32);
            let file = Watched::new(id, found.path.clone(), found.id, text);
            let has_records = sources.all[at].stats.records() > 0;
            files.push(match live {
                Live::Read { log, to } => file.read_before(log, to, found, has_records),
                Live::Unread => file,
                Live::Not if sources.all[at].layout == DATABASE_LISTED => {
                    file.looked_at(found).of_tables()
                }
                Live::Not => file.looked_at(found),
            });
        }
        let base = Snapshot {
            lineage: new_lineage(),
            ..snapshot.clone()
        };
        Follower {
            roots: roots(options),
            cancel: shared.cancel.clone(),
            sources,
            namesakes,
            by_id: files.iter().enumerate().map(|(i, f)| (f.file, i)).collect(),
            known: found.iter().map(|f| f.path.clone()).collect(),
            files,
            fresh: VecDeque::new(),
            suspects: Vec::new(),
            missed: FxHashSet::default(),
            is_renamed: false,
            scanned: None,
            scan_took: Duration::ZERO,
            piped,
            is_behind: false,
            worker: Worker::default(),
            base: Arc::new(base),
            anew: FxHashSet::default(),
            turn: 0,
            lively_turn: 0,
            bytes: BYTES,
            pace: Pace::default(),
            is_changed: false,
            shared,
        }
    }

    /// Whether anything can come: an archive stays what it is, but a folder of them may get files.
    pub(crate) fn may_grow(&self) -> bool {
        self.piped.is_some()
            || self.roots.iter().any(|root| root.is_dir())
            || self.files.iter().any(|file| !is_packed(&file.path))
    }

    /// The run as it was loaded, with the unfinished lines at the ends of files. Looks at those files only.
    pub(crate) fn snapshot(&mut self) -> Arc<Snapshot> {
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
    pub(crate) fn poll(&mut self, now: Instant) -> Option<Arc<Snapshot>> {
        self.rescan(now);
        self.take_fresh(now);
        let mut budget = self.bytes.saturating_sub(self.read_piped(now));
        let expected = (0..self.files.len()).filter(|at| !self.files[*at].is_over);
        let (mut lively, mut quiet): (Vec<usize>, Vec<usize>) =
            expected.partition(|at| self.files[*at].is_lively(now));
        // Where more comes than is read, each has its turn.
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
        // Those that begin to grow again are not to wait until all others pause.
        let mut budget = budget.max(self.bytes.div_ceil(4));
        let asked = Instant::now();
        let from = quiet.partition_point(|at| *at < self.turn);
        quiet.rotate_left(from);
        for at in quiet {
            if budget == 0 || asked.elapsed() > self.pace.asking || self.cancel.is_cancelled() {
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
        self.is_behind |= is_full || budget == 0;
        self.publish()
    }

    /// Whether the last poll left something that was there to be read.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Asks one file, and reads what is new; how many bytes that was.
    fn visit(&mut self, at: usize, now: Instant) -> u64 {
        let look = self.files[at].look();
        let is_there = matches!(look, Look::Same | Look::Grew { .. } | Look::Cut);
        if is_there && matches!(self.files[at].made, Some(Made::Tables(_))) {
            return self.visit_database(at, &look, now);
        }
        match look {
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

    pub(super) fn locked(&mut self, at: usize, error: &std::io::Error) {
        let file = &mut self.files[at];
        if std::mem::replace(&mut file.is_locked, true) {
            return;
        }
        let id = file.lines.id;
        self.is_changed = true;
        self.sources.tell(
            id,
            Severity::Warning,
            format!("cannot be read any more while it is followed: {error}"),
        );
    }

    /// The bytes that were read are gone: what stands there now is a source of its own.
    pub(super) fn cut(&mut self, at: usize) {
        let file = &mut self.files[at];
        file.end();
        file.text
            .lost("the file was cut or written anew after it was read");
        let (id, path, file_id) = (file.lines.id, file.path.clone(), file.file);
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
        use widetui_source::file::FileText;
        let name = path.to_string_lossy().into_owned();
        let text = FileText::new(path.clone(), self.shared.pool.clone(), 0, 0);
        let text = Arc::new(text);
        let source = self.sources.add_file(&self.shared, &name, text.clone());
        self.known.insert(path.clone());
        self.by_id.insert(id, self.files.len());
        self.files.push(Watched::new(source, path, id, text));
        self.is_changed = true;
        self.files.len() - 1
    }
}

fn roots(options: &OpenOptions) -> Vec<PathBuf> {
    let paths = options.paths.iter();
    paths.filter(|p| p.as_os_str() != "-").cloned().collect()
}
