//! Loads a run: finds sources, reads them in parallel, hands over better and better snapshots.
//!
//! ```text
//! discover ──> preview: head and tail of every file ──> first snapshot (thrown away later)
//!         └──> units: small files together, large files in chunks, streams in pieces ──> rayon pool ──> harvest ──> snapshot
//! ```

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use rayon::ThreadPool;

use widetui_core::cancel::{Cancel, Progress};
use widetui_core::diag::Diagnostic;
use widetui_core::lock;
use widetui_core::thread::{self, NoThread};
use widetui_format::catalog::Catalog;
use widetui_source::discover::{FoundFile, LeftOut, discover};
use widetui_source::file::FilePool;
use widetui_source::limits::Limits;
use widetui_source::spool::Spool;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use super::assemble::Harvest;
use super::crowds;
use super::detector::Detector;
use super::flat_folders;
use super::follow::{self, Follower, Switch};
use super::namesakes::Namesakes;
use super::preview;
use super::threads;
use super::units;
use super::worker::Worker;
use super::zoning::Wanted;

/// An archive that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// What its members' paths start with.
    pub name: &'static str,
    /// A tar.gz.
    pub bytes: &'static [u8],
}

/// What to open and how.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// An archive that is part of the program, opened as well.
    pub embedded: Option<Embedded>,
    /// Files and folders; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// Tables of facts about the run; their columns are keys as they are called.
    pub facts: Vec<PathBuf>,
    /// Zone of times without one; `None`: found out.
    pub zone: Option<Zone>,
    /// Zone of times without one when nothing tells.
    pub fallback_zone: Zone,
    /// Definitions given besides the built-in ones: file name and text.
    pub systems: Vec<(String, String)>,
    /// Threads for loading; `None`: as many as the machine has, at most 8.
    pub threads: Option<usize>,
    /// Bytes of inflated text kept in memory (compressed); beyond it goes to a temporary file.
    pub memory: u64,
    /// Sources whose clocks are wrong: part of the path or tag, and what to add to its times (ns).
    pub shifts: Vec<(String, i64)>,
    /// What an archive may amount to.
    pub limits: Limits,
    /// Whether files that grow are followed once everything was read; `None`: never. Only loads in the background do.
    pub follow: Option<Switch>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions {
            embedded: None,
            paths: Vec::new(),
            facts: Vec::new(),
            zone: None,
            fallback_zone: Zone::Utc,
            systems: Vec::new(),
            threads: None,
            memory: 1 << 30,
            shifts: Vec::new(),
            limits: Limits::default(),
            follow: None,
        }
    }
}

/// What a load tells while it runs.
#[derive(Clone, Debug)]
pub enum LoadMsg {
    /// A better snapshot than the one before, up to the first that is `complete`. Where files are followed, more come
    /// that are complete too; what such a one has that an earlier one has not says `Snapshot::growth_since`.
    Snapshot(Arc<Snapshot>),
    /// How far it is.
    Progress {
        /// Bytes read.
        done_bytes: u64,
        /// Bytes to read as far as known.
        total_bytes: u64,
        /// Files found.
        files: usize,
        /// What is being done, for people.
        phase: &'static str,
    },
    /// Nothing could be opened; why.
    Failed(String),
}

/// A load that could not even begin.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A definition given by the user is wrong.
    #[error("{0}")]
    System(String),
    /// Nothing at all could be read.
    #[error("{0}")]
    Unreadable(String),
    /// Threads could not be started.
    #[error("{0}")]
    Threads(#[from] NoThread),
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
}

/// What all loader threads share.
pub(super) struct Shared {
    pub tables: Arc<Catalog>,
    pub detector: Detector,
    pub pool: Arc<FilePool>,
    pub spool: Arc<Spool>,
    pub workers: Mutex<Vec<Worker>>,
    pub harvest: Mutex<Harvest>,
    pub progress: Progress,
    pub cancel: Cancel,
    pub shifts: Vec<(String, i64)>,
    pub limits: Limits,
    /// Last lines without an end are left to who follows the files.
    pub follows: bool,
}

impl Shared {
    /// Runs `f` with a worker that nobody else has.
    pub fn with_worker<R>(&self, f: impl FnOnce(&mut Worker) -> R) -> R {
        let mut worker = lock::hold(&self.workers).pop().unwrap_or_default();
        let result = f(&mut worker);
        lock::hold(&self.workers).push(worker);
        result
    }

    /// Lets go of it when so many records were read. Of few that takes longer than what is asked of them: what is soon
    /// answered is soon over, so its memory is left to the system.
    fn leave(self, records: usize) {
        if threads::are_few(records) {
            std::mem::forget((self.workers, self.detector));
        }
    }

    /// Changes the harvest.
    pub fn harvest<R>(&self, f: impl FnOnce(&mut Harvest) -> R) -> R {
        f(&mut lock::hold(&self.harvest))
    }
}

/// Loads in the background.
///
/// # Errors
/// The system gives no thread.
pub fn spawn(options: OpenOptions, send: Sender<LoadMsg>, cancel: Cancel) -> Result<(), NoThread> {
    let work = move || {
        let _fallen = Fallen(send.clone());
        let outcome = load(&options, &cancel, Progress::default(), |msg| {
            send.send(msg).is_ok()
        });
        if let Err(error) = outcome
            && !matches!(error, OpenError::Cancelled)
        {
            let _ = send.send(LoadMsg::Failed(error.to_string()));
        }
    };
    thread::start("load", work).map(|_| ())
}

/// Tells who waits that the loader is gone: a fault of ours is no end of the load.
struct Fallen(Sender<LoadMsg>);

impl Drop for Fallen {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let reason = "loading fell over by a fault of this program; please report it with the words above";
            let _ = self.0.send(LoadMsg::Failed(reason.to_owned()));
        }
    }
}

/// Whether there is nothing to read yet: no file, and none that had to be left out.
pub fn is_nothing_there(options: &OpenOptions, cancel: &Cancel) -> bool {
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    let is_given = options.embedded.is_some() || options.paths.iter().any(is_stdin);
    let is_empty = |paths: &[PathBuf]| {
        let (found, left_out) = discover(paths, cancel);
        found.is_empty() && left_out.is_empty()
    };
    !is_given && is_empty(&options.paths) && is_empty(&options.facts)
}

/// Loads everything and gives the complete snapshot; and what was left out while files were looked for, of which its sources
/// tell too. Who asks about it says so before: see `threads::ask`.
///
/// # Errors
/// A bad definition; nothing readable; cancelled.
pub fn load_all(
    options: &OpenOptions,
    cancel: &Cancel,
    progress: Progress,
) -> Result<(Arc<Snapshot>, Vec<Diagnostic>), OpenError> {
    run(options, cancel, progress, None)
}

fn load(
    options: &OpenOptions,
    cancel: &Cancel,
    progress: Progress,
    tell: impl Fn(LoadMsg) -> bool + Send + Sync,
) -> Result<(), OpenError> {
    threads::share()?;
    run(options, cancel, progress, Some(&tell)).map(|_| ())
}

pub(super) type Tell<'a> = &'a (dyn Fn(LoadMsg) -> bool + Send + Sync);

fn run(
    options: &OpenOptions,
    cancel: &Cancel,
    progress: Progress,
    tell: Option<Tell<'_>>,
) -> Result<(Arc<Snapshot>, Vec<Diagnostic>), OpenError> {
    let pool = threads::loading(options.threads)?;
    let stdin = options.paths.iter().any(|p| p.as_os_str() == "-");
    let files = options.paths.iter().filter(|p| p.as_os_str() != "-");
    let roots: Vec<PathBuf> = files.cloned().collect();
    let mut looked = Default::default();
    // Files are looked for while definitions are made ready.
    let mut shared = pool.in_place_scope(|scope| {
        scope.spawn(|_| looked = (discover(&roots, cancel), discover(&options.facts, cancel)));
        open(options, cancel, &progress)
    })?;
    let ((found, mut left_out), (facts, more)) = looked;
    left_out.extend(more);
    let follow = options.follow.clone().filter(|_| tell.is_some());
    shared.follows = follow.is_some();
    let extra = units::Extra {
        facts: &facts,
        left_out: &left_out,
        stdin,
        embedded: options.embedded,
    };
    if found.is_empty() && extra.is_none() {
        return Err(nothing_in(&left_out));
    }
    progress.expect(found.iter().chain(&facts).map(|f| f.bytes).sum());
    if let Some(tell) = tell {
        let snapshot = pool.install(|| preview::preview(options, &found, cancel));
        if let Some(snapshot) = snapshot.filter(|s| !s.is_empty()) {
            tell(LoadMsg::Snapshot(Arc::new(snapshot)));
        }
    }
    shared.harvest(|h| units::announce(h, &shared, &found, extra));
    read_all(options, &shared, &pool, &found, extra, tell)?;
    if cancel.is_cancelled() {
        return Err(OpenError::Cancelled);
    }
    let whole = || {
        let snapshot = snapshot(options, &shared, true)?;
        let snapshot = super::clockzones::proven(snapshot, cancel)?;
        let snapshot = super::repeated::mark_copies(snapshot, cancel);
        let (snapshot, flat) = flat_folders::corrected(snapshot, &shared.detector);
        let namesakes = Namesakes::of(&snapshot, &shared.detector).with_flat(flat);
        let snapshot = namesakes.told_apart(snapshot);
        let snapshot = super::attached::adopted(snapshot, &shared.detector, cancel);
        Some((Arc::new(super::fact_tables::told(snapshot)), namesakes))
    };
    let (snapshot, namesakes) = pool.install(whole).ok_or(OpenError::Cancelled)?;
    if let Some(tell) = tell {
        let follower = follow.map(|_| Follower::new(options, shared, &found, &snapshot, namesakes));
        let mut follower = follower.filter(Follower::may_grow);
        let shown = follower
            .as_mut()
            .map_or(snapshot.clone(), Follower::snapshot);
        if tell(LoadMsg::Snapshot(shown))
            && let (Some(follower), Some(switch)) = (follower, &options.follow)
        {
            drop(pool);
            follow::run(follower, switch, cancel, tell);
        }
    } else {
        shared.leave(snapshot.len());
    }
    Ok((snapshot, left_out.into_iter().map(|p| p.problem).collect()))
}

/// Why there is nothing to read.
fn nothing_in(left_out: &[LeftOut]) -> OpenError {
    let all: Vec<String> = left_out.iter().map(|p| p.problem.to_string()).collect();
    OpenError::Unreadable(match all.is_empty() {
        true => "there are no files here".to_owned(),
        false => all.join("\n"),
    })
}

/// Reads everything, and tells meanwhile how far it is.
fn read_all(
    options: &OpenOptions,
    shared: &Shared,
    pool: &ThreadPool,
    found: &[FoundFile],
    extra: units::Extra<'_>,
    tell: Option<Tell<'_>>,
) -> Result<(), OpenError> {
    let (reading, read) = crossbeam_channel::bounded::<()>(0);
    std::thread::scope(|scope| {
        if let Some(tell) = tell {
            std::thread::Builder::new()
                .name("progress".to_owned())
                .spawn_scoped(scope, move || report(options, shared, found, &read, tell))
                .map_err(NoThread::from)?;
        }
        pool.install(|| units::read_all(shared, found, extra));
        drop(reading);
        Ok(())
    })
}

/// Prepares the tables and compiles the definitions.
pub(super) fn open(
    options: &OpenOptions,
    cancel: &Cancel,
    progress: &Progress,
) -> Result<Shared, OpenError> {
    let tables = Arc::new(Catalog::default());
    let compiled =
        super::definitions::compile(&options.systems, &tables).map_err(OpenError::System)?;
    Ok(Shared {
        detector: Detector::new(
            tables.clone(),
            compiled,
            options
                .paths
                .iter()
                .map(|p| p.to_string_lossy().into_owned())
                .collect(),
        ),
        tables,
        pool: Arc::default(),
        spool: Arc::new(Spool::new(options.memory)),
        workers: Mutex::default(),
        harvest: Mutex::default(),
        progress: progress.clone(),
        cancel: cancel.clone(),
        shifts: options.shifts.clone(),
        limits: options.limits,
        follows: false,
    })
}

/// A snapshot of what was read so far.
pub(super) fn snapshot(options: &OpenOptions, shared: &Shared, complete: bool) -> Option<Snapshot> {
    let wanted = Wanted {
        given: options.zone.as_ref(),
        fallback: &options.fallback_zone,
    };
    let (mut sources, segments) = shared.harvest(|h| h.assemble(wanted));
    let crowded = crowds::sources(&shared.tables, &segments);
    let crowded = sources.iter_mut().filter(|s| crowded.contains(&s.id));
    crowded.for_each(crowds::tell);
    Snapshot::build(
        sources,
        segments,
        shared.tables.clone(),
        complete,
        &shared.cancel,
    )
}

/// How often a load tells how far it is.
const TICK: Duration = Duration::from_millis(100);

/// Tells how far the load is, and hands over snapshots at growing intervals, so that their cost stays a small share.
/// Ends at once when everything was `read`: when its sender is dropped.
fn report(
    options: &OpenOptions,
    shared: &Shared,
    found: &[FoundFile],
    read: &Receiver<()>,
    tell: Tell<'_>,
) {
    let started = Instant::now();
    let mut next = Duration::from_millis(700);
    while read.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) && !shared.cancel.is_cancelled()
    {
        let (done_bytes, total_bytes) = shared.progress.state();
        let msg = LoadMsg::Progress {
            done_bytes,
            total_bytes,
            files: found.len(),
            phase: "reading",
        };
        if !tell(msg) {
            shared.cancel.cancel();
        }
        if started.elapsed() > next {
            if let Some(snapshot) = snapshot(options, shared, false).filter(|s| !s.is_empty()) {
                tell(LoadMsg::Snapshot(Arc::new(snapshot)));
            }
            next = started
                .elapsed()
                .mul_f64(2.0)
                .min(started.elapsed() + Duration::from_secs(10));
        }
    }
}
