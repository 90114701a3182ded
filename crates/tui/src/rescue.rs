//! Saving the workspace when the explorer panics.
//!
//! A panic hook has no access to the model, and a panic may leave it inconsistent. So the event
//! loop keeps a copy of the state after each key press, and the hook saves this copy.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossbeam_channel::bounded;

use widetui_core::lock;
use widetui_session::saved::Session;
use widetui_store::Snapshot;

use widetui_app::workspace_files::WorkspaceKeeper;

/// Maximum time to wait for the file: the panicking thread may hold a lock that writing needs.
const PATIENCE: Duration = Duration::from_secs(3);

/// State after the last key press; `None` before the first one and after a normal exit.
static STATE: Mutex<Option<WorkspaceState>> = Mutex::new(None);
/// Held while the state is saved, so that a second panicking thread does not exit before.
static SAVING: Mutex<()> = Mutex::new(());
/// Name of the thread that saves the state.
const NAME: &str = "rescue";

/// State to save, with the keeper that writes the file.
struct WorkspaceState {
    keeper: WorkspaceKeeper,
    snapshot: Arc<Snapshot>,
    session: Session,
}

/// Replaces the state that is saved on a panic.
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

/// Whether the current thread is the one that saves the state; its panic must not end the process.
pub(super) fn is_saving_thread() -> bool {
    std::thread::current().name() == Some(NAME)
}

/// Saves the state on a panic; returns the message to print, if there was a state.
pub(super) fn save() -> Option<String> {
    let _one = lock::hold(&SAVING);
    let state = lock::hold(&STATE).take()?;
    let (done, saved) = bounded(1);
    let save = move || {
        let WorkspaceState {
            keeper,
            snapshot,
            session,
        } = state;
        let text = match keeper.save(&snapshot, &session) {
            Ok(path) => path.map(|path| format!("the workspace was saved in {path}")),
            // The file must not be overwritten: write a separate one.
            Err(_) => keeper.leave(&snapshot, &session),
        };
        let _ = done.send(text);
    };
    let thread = std::thread::Builder::new().name(NAME.into()).spawn(save);
    let saved = thread.map(|_| saved.recv_timeout(PATIENCE));
    match saved {
        Ok(Ok(text)) => text,
        _ => Some("the workspace could not be saved".to_owned()),
    }
}

/// Prints the result of saving.
pub(super) fn report(text: Option<String>) {
    if let Some(text) = text {
        let _ = writeln!(io::stderr(), "widetui: {text}");
    }
}
