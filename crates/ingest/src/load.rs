//! Load of a run: finds sources, reads them in parallel, and publishes snapshots as records come in.
//!
//! ```text
//! discover ──> preview: head and tail of every file ──> first snapshot (replaced later)
//!         └──> units: small files together, large files in chunks, streams in pieces ──> rayon pool ──> load state ──> snapshot
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use rayon::ThreadPool;

use widetui_core::cancel::{Cancel, Progress};
use widetui_core::diag::Diagnostic;
use widetui_core::thread::{self, NoThread};
use widetui_source::discover::{FoundFile, LeftOut, discover};
use widetui_store::Snapshot;

use crate::files;
use crate::finish::Finish;
use crate::follower::Follower;
use crate::load_context::LoadContext;
use crate::options::{LoadMsg, MsgSink, OpenError, OpenOptions};
use crate::polling;
use crate::preview;
use crate::provenance::duplicates::mark_duplicates;
use crate::threads;

/// Loads in the background, sending messages.
///
/// # Errors
/// The system grants no thread.
pub fn spawn(options: OpenOptions, send: Sender<LoadMsg>, cancel: Cancel) -> Result<(), NoThread> {
    let work = move || {
        let _panic_report = PanicReport(send.clone());
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

/// Reports a panic of the loader as a failed load, when dropped during a panic.
struct PanicReport(Sender<LoadMsg>);

impl Drop for PanicReport {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let reason = "loading failed because of a bug in this program; please report it with the message above";
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

/// Loads everything. Returns the complete snapshot, and the problems of files that were left out during discovery, which are also
/// in its sources. Call `threads::prepare_queries` before asking questions about it.
///
/// # Errors
/// Invalid definition; nothing readable; cancelled.
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
    send_msg: impl Fn(LoadMsg) -> bool + Send + Sync,
) -> Result<(), OpenError> {
    threads::start_shared()?;
    run(options, cancel, progress, Some(&send_msg)).map(|_| ())
}

fn run(
    options: &OpenOptions,
    cancel: &Cancel,
    progress: Progress,
    send_msg: Option<MsgSink<'_>>,
) -> Result<(Arc<Snapshot>, Vec<Diagnostic>), OpenError> {
    let pool = threads::loading(options.threads)?;
    let stdin = options.paths.iter().any(|p| p.as_os_str() == "-");
    let files = options.paths.iter().filter(|p| p.as_os_str() != "-");
    let roots: Vec<PathBuf> = files.cloned().collect();
    let mut discovered = Default::default();
    // Files are looked for while definitions are made ready.
    let mut shared = pool.in_place_scope(|scope| {
        scope.spawn(|_| discovered = (discover(&roots, cancel), discover(&options.facts, cancel)));
        LoadContext::new(options, cancel, &progress)
    })?;
    let ((found, mut left_out), (facts, more)) = discovered;
    left_out.extend(more);
    let follow = options.follow.clone().filter(|_| send_msg.is_some());
    shared.follows = follow.is_some();
    let extra = files::Extra {
        facts: &facts,
        left_out: &left_out,
        stdin,
        embedded: options.embedded,
    };
    if found.is_empty() && extra.is_none() {
        return Err(nothing_in(&left_out));
    }
    progress.expect(found.iter().chain(&facts).map(|f| f.bytes).sum());
    let mut first = FirstSnapshot::Load;
    if let Some(send_msg) = send_msg {
        let snapshot = pool.install(|| preview::preview(options, &found, cancel));
        if let Some(snapshot) = snapshot.filter(|s| !s.is_empty()) {
            send_msg(LoadMsg::Snapshot(Arc::new(snapshot)));
            first = FirstSnapshot::Preview;
        }
    }
    shared.update(|h| files::enter_sources(h, &shared, &found, extra));
    read_all(&shared, &pool, (&found, extra), send_msg, first)?;
    if cancel.is_cancelled() {
        return Err(OpenError::Cancelled);
    }
    let mut finish = Finish::default();
    let whole = || {
        let snapshot = mark_duplicates(shared.snapshot(true)?, cancel);
        let read = snapshot.sources.to_vec();
        finish.finish(snapshot, read, &shared).map(Arc::new)
    };
    let snapshot = pool.install(whole).ok_or(OpenError::Cancelled)?;
    if let Some(send_msg) = send_msg {
        // The explorer joins and analyses now, which would come on top of what the load no longer needs.
        thread::trim_heap();
        let follower = follow.map(|_| Follower::new(options, shared, &found, &snapshot, finish));
        let mut follower = follower.filter(Follower::may_grow);
        let shown = follower
            .as_mut()
            .map_or(snapshot.clone(), Follower::snapshot);
        if send_msg(LoadMsg::Snapshot(shown))
            && let (Some(follower), Some(switch)) = (follower, &options.follow)
        {
            drop(pool);
            polling::run(follower, switch, cancel, send_msg);
        }
    } else {
        shared.leave(snapshot.len());
    }
    Ok((snapshot, left_out.into_iter().map(|p| p.problem).collect()))
}

/// Error for a load without any source.
fn nothing_in(left_out: &[LeftOut]) -> OpenError {
    let all: Vec<String> = left_out.iter().map(|p| p.problem.to_string()).collect();
    OpenError::Unreadable(match all.is_empty() {
        true => "there are no files here".to_owned(),
        false => all.join("\n"),
    })
}

/// Reads all sources and reports progress meanwhile.
fn read_all(
    shared: &LoadContext,
    pool: &ThreadPool,
    (found, extra): (&[FoundFile], files::Extra<'_>),
    send_msg: Option<MsgSink<'_>>,
    first: FirstSnapshot,
) -> Result<(), OpenError> {
    let (reading, read) = crossbeam_channel::bounded::<()>(0);
    std::thread::scope(|scope| {
        if let Some(send_msg) = send_msg {
            std::thread::Builder::new()
                .name("progress".to_owned())
                .spawn_scoped(scope, move || {
                    report(shared, found.len(), &read, send_msg, first)
                })
                .map_err(NoThread::from)?;
        }
        pool.install(|| files::read_all(shared, found, extra));
        drop(reading);
        Ok(())
    })
}

/// Origin of the first records that are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstSnapshot {
    /// Head and tail of the files.
    Preview,
    /// The load itself: archives and streams have no preview.
    Load,
}

/// Interval between two progress reports.
const TICK: Duration = Duration::from_millis(100);

/// Interval between two reports while nothing is published.
const FIRST_TICK: Duration = Duration::from_millis(20);

/// Time from the start of the load to the first of the snapshots that follow the first records.
const FIRST_UPDATE: Duration = Duration::from_millis(700);

/// Reports progress, and publishes snapshots at growing intervals, so that their cost stays a small share of the load. Ends
/// as soon as everything was `read`, which drops the sender.
fn report(
    shared: &LoadContext,
    files: usize,
    read: &Receiver<()>,
    send_msg: MsgSink<'_>,
    first: FirstSnapshot,
) {
    let started = Instant::now();
    let (mut tick, mut next) = match first {
        FirstSnapshot::Preview => (TICK, FIRST_UPDATE),
        FirstSnapshot::Load => (FIRST_TICK, Duration::ZERO),
    };
    while read.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) && !shared.cancel.is_cancelled()
    {
        let (done_bytes, total_bytes) = shared.progress.state();
        let msg = LoadMsg::Progress {
            done_bytes,
            total_bytes,
            files,
            phase: "reading",
        };
        if !send_msg(msg) {
            shared.cancel.cancel();
        }
        if started.elapsed() <= next {
            continue;
        }
        let snapshot = shared.snapshot(false).filter(|s| !s.is_empty());
        let elapsed = started.elapsed();
        next = match snapshot {
            Some(snapshot) => {
                send_msg(LoadMsg::Snapshot(Arc::new(snapshot)));
                tick = TICK;
                let pause = elapsed.min(Duration::from_secs(10));
                FIRST_UPDATE.max(elapsed + pause)
            }
            None => elapsed.mul_f64(1.25),
        };
    }
}
