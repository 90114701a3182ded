//! End of a process that cannot end normally: after an abort (memory ran out, stack overflow), a panic of any thread, or a
//! signal that the event loop does not answer, the workspace is saved and the terminal restored.
//!
//! All of these arrive as signals at one thread ([`super::runtime`] starts it); a panic raises `SIGABRT`. The thread that
//! aborts is blocked in its signal handler meanwhile. The model of the event loop may be inconsistent then, and its locks
//! held: so the event loop keeps a copy of the state after each key press, and this copy is saved.

use std::io::{self, ErrorKind, PipeReader, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crossbeam_channel::bounded;
use rustix::fs::{OFlags, fcntl_setfl};
use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
    SIGXCPU,
};
use signal_hook::flag::register_conditional_shutdown;
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, exit, pipe, raise};

use widetui_core::words::printable;
use widetui_core::{lock, thread};
use widetui_session::saved::Session;
use widetui_source::temporary;
use widetui_store::Snapshot;

use widetui_app::workspace_files::{LeaveOutcome, WorkspaceKeeper};

use super::terminal::{is_taken, restore_terminal};

/// Maximum time to wait for the file: the thread that aborts may hold a lock that writing needs.
const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum time to wait for a terminal that takes no output (`Ctrl-S`, a broken connection).
const TERMINAL_PATIENCE: Duration = Duration::from_secs(1);
/// Exit status after an abort.
const FAILED: i32 = 2;
/// Address space kept for saving after memory ran out, bytes.
const RESERVE_BYTES: usize = 4 << 20;
/// Stack of a thread that saves, bytes.
const STACK: usize = 1 << 20;

/// Signals that end the process by default, but those of faults.
pub(super) const ENDING: [i32; 10] = [
    SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU,
];

/// State after the last key press; `None` before the first one and after a normal exit.
static STATE: Mutex<Option<WorkspaceState>> = Mutex::new(None);
/// Memory that is freed before saving.
static RESERVE: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// Whether a thread panicked, which has explained the abort.
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);
/// Name of the thread that saves the state.
const NAME: &str = "rescue";

/// State to save, with the keeper that writes the file.
struct WorkspaceState {
    keeper: WorkspaceKeeper,
    snapshot: Arc<Snapshot>,
    session: Session,
}

/// Replaces the state that is saved on an abort.
pub(super) fn remember(keeper: &WorkspaceKeeper, snapshot: &Arc<Snapshot>, session: Session) {
    *lock::hold(&STATE) = Some(WorkspaceState {
        keeper: keeper.clone(),
        snapshot: snapshot.clone(),
        session,
    });
}

/// Replaces the snapshot of the state. The state itself stays valid while a run grows, since it
/// refers to file positions.
pub(super) fn update_snapshot(snapshot: &Arc<Snapshot>) {
    if let Some(state) = lock::hold(&STATE).as_mut() {
        state.snapshot = snapshot.clone();
    }
}

/// Discards the state: it has been saved normally.
pub(super) fn forget() {
    *lock::hold(&STATE) = None;
}

/// Whether an abort ends the process at once, as nothing needs to be saved.
static ENDS_AT_ONCE: AtomicBool = AtomicBool::new(true);

/// Makes an abort (memory ran out, stack overflow) end the process with exit status 2 as other failures do. The runtime has
/// printed the reason before.
pub fn exit_on_abort() {
    // Without the handler the process ends by the signal.
    let _ = register_conditional_shutdown(SIGABRT, FAILED, &ENDS_AT_ONCE);
}

/// Removes temporary files when a signal ends a command, which has no other handler. Signals that are
/// ignored (`nohup`, a background job of a script) stay ignored.
pub fn remove_temporary_files_on_signals() {
    let ignored = ignored_signals();
    let ending = ENDING
        .into_iter()
        .filter(|signal| !ignored.contains(signal));
    let Ok(mut signals) = Signals::new(ending) else {
        return;
    };
    // Without a thread a later writer removes the files.
    let _ = thread::start("signals", move || {
        for signal in signals.forever() {
            temporary::remove_all();
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Signals that the process was started to ignore; where the system does not say, the one of `nohup`.
fn ignored_signals() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    match line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()) {
        Some(mask) => (1..=64).filter(|n| mask >> (n - 1) & 1 == 1).collect(),
        None => vec![SIGHUP],
    }
}

/// Blocks threads that abort in their signal handlers, so that another thread can save the workspace; keeps memory for
/// that. Handlers of `SIGABRT` that were installed before run first.
///
/// # Errors
/// No pipe can be made, or no handler installed.
pub(super) fn block_aborting_threads() -> io::Result<()> {
    // Never closed, and never read.
    static UNREAD: OnceLock<PipeReader> = OnceLock::new();
    ENDS_AT_ONCE.store(false, Ordering::SeqCst);
    let (reader, mut writer) = io::pipe()?;
    pipe::register(SIGABRT, writer.try_clone()?)?;
    // A full pipe blocks who writes to it, once it is no longer as `register` leaves it.
    while !matches!(writer.write(&[0; 4096]), Err(error) if error.kind() == ErrorKind::WouldBlock) {
    }
    fcntl_setfl(&writer, OFlags::empty())?;
    UNREAD.get_or_init(|| reader);
    lock::hold(&RESERVE).reserve_exact(RESERVE_BYTES);
    Ok(())
}

/// Installs a hook by which a panic of any thread ends the process like an abort, while the explorer has the terminal.
pub(super) fn install_panic_hook() {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return;
    }
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let is_saving = std::thread::current().name() == Some(NAME);
        if is_saving || widetui_core::guard::is_guarded() {
            return;
        }
        before(info);
        if is_taken() {
            HAS_PANICKED.store(true, Ordering::SeqCst);
            let _ = raise(SIGABRT);
        }
    }));
}

/// Saves the workspace, restores the terminal and ends the process: by `signal` as its sender expects, or with exit status 2
/// after an abort.
pub(super) fn end_process(signal: i32) -> ! {
    *lock::hold(&RESERVE) = Vec::new();
    let saved = save();
    // Without another thread on this one, which may wait for the terminal for ever.
    if within(TERMINAL_PATIENCE, restore_terminal).is_none() {
        restore_terminal();
    }
    if signal == SIGABRT && !HAS_PANICKED.load(Ordering::SeqCst) {
        let why = "aborted: memory ran out (ulimit -v, the limit of a batch job), or another program sent SIGABRT";
        report(why);
    }
    if let Some(text) = saved {
        report(&text);
    }
    let _ = within(TERMINAL_PATIENCE, temporary::remove_all);
    if signal != SIGABRT {
        let _ = emulate_default_handler(signal);
    }
    exit(FAILED)
}

/// Writes a message to standard error, made harmless as it may contain names from a log. Errors of writing are ignored.
pub(super) fn report(text: &str) {
    let _ = writeln!(io::stderr(), "widetui: {}", printable(text));
}

/// Saves the state; returns the message to print, if there was a state.
fn save() -> Option<String> {
    let save = || {
        let WorkspaceState {
            keeper,
            snapshot,
            session,
        } = lock::hold(&STATE).take()?;
        match keeper.save(&snapshot, &session) {
            Ok(path) => path.map(|path| format!("the workspace was saved in {path}")),
            // The file must not be overwritten: write a separate one.
            Err(_) => match keeper.leave(&snapshot, &session) {
                LeaveOutcome::Kept(notice) => notice,
                LeaveOutcome::Lost(text) => Some(text),
            },
        }
    };
    within(PATIENCE, save).unwrap_or_else(|| Some("the workspace could not be saved".to_owned()))
}

/// Result of `work` on another thread, unless it takes longer or fails.
fn within<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (done, result) = bounded(1);
    let work = move || {
        let _ = done.send(work());
    };
    let thread = std::thread::Builder::new().name(NAME.into());
    thread.stack_size(STACK).spawn(work).ok()?;
    result.recv_timeout(patience).ok()
}
