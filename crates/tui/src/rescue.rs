//! Workspace state that is saved when the explorer panics.
//!
//! A panic hook cannot see the model, and the panic may have left it half updated. So the loop keeps a copy of the state after
//! each key; the hook saves that.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossbeam_channel::bounded;

use widetui_core::lock;
use widetui_session::saved::Session;
use widetui_store::Snapshot;

use widetui_app::workspacefiles::Keeper;

/// How long the program waits for the file: the thread that panicked may hold what writing it needs.
const PATIENCE: Duration = Duration::from_secs(3);

/// The state after the last key; `None` before the first one and once the explorer is left.
static STATE: Mutex<Option<WorkspaceState>> = Mutex::new(None);
/// Held while the state is saved: a second thread that panics ends the program only after that.
static SAVING: Mutex<()> = Mutex::new(());
/// Name of the thread that saves the state.
const NAME: &str = "rescue";

/// What is saved, and by whom.
struct WorkspaceState {
    keeper: Keeper,
    snapshot: Arc<Snapshot>,
    session: Session,
}

/// Replaces the state that is saved on a panic.
pub(super) fn remember(keeper: &Keeper, snapshot: &Arc<Snapshot>, session: Session) {
    *lock::hold(&STATE) = Some(WorkspaceState {
        keeper: keeper.clone(),
        snapshot: snapshot.clone(),
        session,
    });
}

/// Replaces the records of the state: places in files, and so the state itself, stay what they are while a run grows.
pub(super) fn update_snapshot(snapshot: &Arc<Snapshot>) {
    if let Some(state) = lock::hold(&STATE).as_mut() {
        state.snapshot = snapshot.clone();
    }
}

/// Forgets the state: it is saved in the usual way.
pub(super) fn forget() {
    *lock::hold(&STATE) = None;
}

/// Whether this is the thread that saves the state: its panic ends only that.
pub(super) fn is_saving_thread() -> bool {
    std::thread::current().name() == Some(NAME)
}

/// Saves the state; returns what to report, if there was anything to save. For the panic hook.
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
            // The file is not ours: beside it.
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

/// Prints what became of the state.
pub(super) fn report(text: Option<String>) {
    if let Some(text) = text {
        let _ = writeln!(io::stderr(), "widetui: {text}");
    }
}
