//! Workspace files: finding, reading and writing the saved session of a run.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use widetui_core::lock;
use widetui_core::words::several;
use widetui_draft::user_drafts;
use widetui_join::Join;
use widetui_session::saved::merge::Merged;
use widetui_session::saved::{self, Saved, Session, WorkspaceOptions, files, input_lines};
use widetui_session::user_joins;
use widetui_source::folder_lock::FolderLock;
use widetui_store::Snapshot;
use widetui_time::time::rfc3339_nanos;
use widetui_time::timeparse::parse_literal;
use widetui_time::zone::Zone;

use super::input_history::{InputHistory, InputKind};
use super::msg::SavedWorkspace;

/// Finds, reads and writes the workspace file of the open run.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceKeeper {
    keeping: WorkspaceOptions,
    known: Arc<Mutex<FileState>>,
    /// Whether an error of the history of input was reported.
    has_failed: Arc<AtomicBool>,
}

/// State of the workspace file of the run.
#[derive(Debug, Default)]
enum FileState {
    /// Not searched for yet.
    #[default]
    Unknown,
    /// No file exists.
    Absent,
    /// File that cannot be read, with the error; must not be overwritten.
    Unreadable(PathBuf, String),
    /// File of the run, which this session may write.
    Kept(Box<KeptFile>),
}

/// Workspace file that this session found or created.
#[derive(Debug)]
struct KeptFile {
    path: PathBuf,
    /// Contents that this session restored or wrote. The rest of the file comes from other sessions, and stays.
    own: Saved,
    /// Workspace that was found and is not restored.
    offered: Option<Offered>,
}

/// Workspace that was found and is not restored.
#[derive(Clone, Debug)]
struct Offered {
    path: PathBuf,
    saved: Saved,
}

impl KeptFile {
    /// Adds to a session what the file holds of other sessions, and returns the path to write: a free one beside the file if
    /// the two contradict each other.
    fn merge_into(&self, session: &mut Saved) -> PathBuf {
        let merged = match (self.path.try_exists(), files::read(&self.path)) {
            (Ok(false), _) => Merged::Complete,
            (_, Ok(now)) => session.with_changes(&now, &self.own),
            // No longer a workspace: it is not overwritten.
            (_, Err(_)) => Merged::Partial,
        };
        match merged {
            Merged::Complete => self.path.clone(),
            Merged::Partial => files::free(&self.path),
        }
    }
}

/// Outcome of saving a session on exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaveOutcome {
    /// No mark, note or join is lost; a message for the user, if needed.
    Kept(Option<String>),
    /// The user's marks, notes and joins are lost; a message for the user.
    Lost(String),
}

/// Error of a session that has no file and no folder.
const NO_PLACE: &str = "no folder for notes: neither HOME nor an absolute XDG_STATE_HOME is set; --workspace FILE keeps them in a file";

/// Number of attempts to save where there are no locks, and the pause after each.
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_millis(50);

impl WorkspaceKeeper {
    /// Keeper with the storage options of the user.
    pub fn new(keeping: WorkspaceOptions) -> WorkspaceKeeper {
        WorkspaceKeeper {
            keeping,
            known: Arc::default(),
            has_failed: Arc::default(),
        }
    }

    /// Directory of the user's definitions.
    fn definitions(&self) -> Result<&Path, SavedWorkspace> {
        let folder = self.keeping.definitions.as_deref();
        folder.ok_or_else(|| {
            let text = "there is no folder for your definitions: HOME is not set";
            SavedWorkspace::Trouble(text.to_owned())
        })
    }

    /// Writes a join to the user's definitions.
    pub fn save_join(&self, join: &Join) -> SavedWorkspace {
        let saved = |folder| match user_joins::save(folder, join) {
            Ok(path) => SavedWorkspace::SavedJoin(join.name.clone(), path.display().to_string()),
            Err(error) => SavedWorkspace::Trouble(error),
        };
        self.definitions().map_or_else(|trouble| trouble, saved)
    }

    /// Writes a draft of a system definition for the logs of a run to the user's definitions.
    pub fn save_draft(&self, snapshot: &Snapshot, name: &str) -> SavedWorkspace {
        let saved = |folder| match user_drafts::save(folder, snapshot, name) {
            Ok(path) => SavedWorkspace::Drafted(path.display().to_string()),
            Err(error) => SavedWorkspace::Trouble(error),
        };
        self.definitions().map_or_else(|trouble| trouble, saved)
    }

    /// History of the lines of input of earlier sessions, with the error if its file cannot be read.
    pub fn input_history(&self) -> (InputHistory, Option<String>) {
        let mut history = InputHistory::default();
        let Some(folder) = &self.keeping.folder else {
            return (history, None);
        };
        match input_lines::read(folder) {
            Ok(lines) => {
                for (kind, text) in &lines {
                    if let Some(kind) = InputKind::named(kind) {
                        history.add(kind, text);
                    }
                }
                (history, None)
            }
            Err(error) => (history, Some(error)),
        }
    }

    /// Adds a line of input to the history of the user; a replay keeps none. Reports the first error
    /// of the session.
    pub fn remember_input(&self, kind: InputKind, text: &str) -> Option<SavedWorkspace> {
        let folder = self.keeping.folder.as_ref();
        let folder = folder.filter(|_| self.keeping.replay.is_none())?;
        let error = input_lines::append(folder, kind.name(), text).err()?;
        let is_first = !self.has_failed.swap(true, Ordering::Relaxed);
        is_first.then_some(SavedWorkspace::Trouble(error))
    }

    /// Reads the current state of the workspace file from disk.
    fn read_file_state(&self, snapshot: &Snapshot) -> FileState {
        let offered = |(path, saved): (PathBuf, Saved)| {
            FileState::Kept(Box::new(KeptFile {
                path: path.clone(),
                own: Saved::default(),
                offered: Some(Offered { path, saved }),
            }))
        };
        let keeping = &self.keeping;
        match (&keeping.file, &keeping.folder) {
            // The first session with an explicit file has nothing to restore.
            (Some(file), _) if matches!(file.try_exists(), Ok(false)) => FileState::Absent,
            (Some(file), _) => match files::read(file) {
                Ok(saved) => offered((file.clone(), saved)),
                Err(error) => FileState::Unreadable(file.clone(), error),
            },
            (None, Some(folder)) => {
                files::find(folder, snapshot, &keeping.roots).map_or(FileState::Absent, offered)
            }
            (None, None) => FileState::Absent,
        }
    }

    /// Searches for a workspace of the run; restores it, or returns an offer to restore it.
    pub fn find(&self, snapshot: &Snapshot) -> Option<SavedWorkspace> {
        if let Some(path) = &self.keeping.replay {
            return Some(match files::read(path) {
                Ok(saved) => self.restored(snapshot, &saved),
                Err(error) => SavedWorkspace::Trouble(error),
            });
        }
        // Held during the search, since a concurrent save depends on the result.
        let mut known = lock::hold(&self.known);
        // A session may have been saved before loading was complete.
        if !matches!(*known, FileState::Kept(_)) {
            *known = self.read_file_state(snapshot);
        }
        let found = match &*known {
            FileState::Kept(kept) => kept.offered.as_ref()?,
            FileState::Unreadable(_, error) => return Some(SavedWorkspace::Trouble(error.clone())),
            FileState::Unknown | FileState::Absent => return None,
        };
        if self.keeping.file.is_none() {
            let (what, when) = (
                describe_contents(&found.saved),
                describe_age(&found.saved.saved, now()),
            );
            return Some(SavedWorkspace::Offer { when, what });
        }
        self.restore_offered(snapshot, &mut known)
    }

    fn restored(&self, snapshot: &Snapshot, saved: &Saved) -> SavedWorkspace {
        SavedWorkspace::Restored(Box::new(saved::restored(
            snapshot,
            &self.keeping.roots,
            saved,
        )))
    }

    /// Restores the workspace that was found.
    pub fn restore(&self, snapshot: &Snapshot) -> Option<SavedWorkspace> {
        self.restore_offered(snapshot, &mut lock::hold(&self.known))
    }

    fn restore_offered(
        &self,
        snapshot: &Snapshot,
        known: &mut FileState,
    ) -> Option<SavedWorkspace> {
        let FileState::Kept(kept) = known else {
            return None;
        };
        let found = kept.offered.take()?;
        let restored = self.restored(snapshot, &found.saved);
        kept.path = found.path;
        kept.own.with(&found.saved);
        Some(restored)
    }

    /// Writes a session and returns the path, with what other sessions of the run wrote meanwhile. Writes nothing if the
    /// session is empty or a replay.
    ///
    /// # Errors
    /// Message for the user.
    pub fn save(&self, snapshot: &Snapshot, session: &Session) -> Result<Option<String>, String> {
        let mut known = lock::hold(&self.known);
        let is_own = matches!(&*known, FileState::Kept(kept) if kept.offered.is_none());
        if self.keeping.replay.is_some() || snapshot.is_empty() || (session.is_empty() && !is_own) {
            return Ok(None);
        }
        if self.keeping.file.is_none() && self.keeping.folder.is_none() {
            return match session.has_own_work() {
                true => Err(NO_PLACE.to_owned()),
                false => Ok(None),
            };
        }
        let session = self.saved(snapshot, session);
        let turn = self.keeping.folder.as_deref().map(FolderLock::acquire);
        let is_alone = turn.as_ref().is_some_and(FolderLock::is_held);
        let mut tries = 0..TRIES;
        loop {
            let (path, written) = self.write(&mut known, snapshot, &session)?;
            let is_last = is_alone || tries.next().is_none();
            // Another session may have read the same before, and written over it.
            let is_there = || {
                std::thread::sleep(PAUSE);
                files::read(&path).is_ok_and(|now| now.holds(&written))
            };
            if is_last || is_there() {
                return Ok(Some(path.display().to_string()));
            }
        }
    }

    /// Writes a session, with what its file holds of others. Returns the path and the contents.
    fn write(
        &self,
        known: &mut FileState,
        snapshot: &Snapshot,
        session: &Saved,
    ) -> Result<(PathBuf, Saved), String> {
        // The user may have moved an unreadable file away, or a file may have appeared.
        if !matches!(known, FileState::Kept(_)) {
            *known = self.read_file_state(snapshot);
        }
        let mut written = session.clone();
        let (path, offered) = match known {
            FileState::Unreadable(path, error) => {
                let path = path.display();
                return Err(format!(
                    "not saved over {path}, move it away first: {error}"
                ));
            }
            FileState::Kept(kept) => (kept.merge_into(&mut written), kept.offered.clone()),
            FileState::Unknown | FileState::Absent => {
                let path = match (&self.keeping.file, &self.keeping.folder) {
                    (Some(file), _) => file.clone(),
                    (None, Some(folder)) => files::free(&files::new_path(folder, session)),
                    (None, None) => return Err(NO_PLACE.to_owned()),
                };
                (path, None)
            }
        };
        files::write(&path, &written)?;
        *known = FileState::Kept(Box::new(KeptFile {
            path: path.clone(),
            own: session.clone(),
            offered,
        }));
        Ok((path, written))
    }

    /// Writes the session on exit, to a separate file if the existing one must not be overwritten.
    pub fn leave(&self, snapshot: &Snapshot, session: &Session) -> LeaveOutcome {
        let lost = |error: String| match session.has_own_work() {
            true => LeaveOutcome::Lost(format!("marks, notes and joins are not kept: {error}")),
            false => LeaveOutcome::Kept(Some(error)),
        };
        let file = self.keeping.file.as_ref().map(|f| f.display().to_string());
        let (path, why) = match self.save(snapshot, session) {
            Ok(None) => return LeaveOutcome::Kept(None),
            Ok(Some(path)) if file.as_ref().is_none_or(|file| path == *file) => {
                return LeaveOutcome::Kept(None);
            }
            Ok(Some(path)) => (path, "the two differ in more than marks".to_owned()),
            Err(error) => {
                let FileState::Unreadable(path, why) = &*lock::hold(&self.known) else {
                    return lost(error);
                };
                let beside = files::free(path);
                if let Err(error) = files::write(&beside, &self.saved(snapshot, session)) {
                    return lost(error);
                }
                (beside.display().to_string(), why.clone())
            }
        };
        let file = file.unwrap_or_default();
        LeaveOutcome::Kept(Some(format!(
            "{file} stays as it is, the session is kept in {path}: {why}"
        )))
    }

    fn saved(&self, snapshot: &Snapshot, session: &Session) -> Saved {
        Saved {
            saved: rfc3339_nanos(now()),
            folder: std::env::current_dir().map_or(String::new(), |d| d.display().to_string()),
            paths: self.keeping.paths.clone(),
            ..saved::saved(snapshot, &self.keeping.roots, session)
        }
    }
}

/// Short description of the content of a workspace.
fn describe_contents(saved: &Saved) -> String {
    let marks = saved.record.iter().filter(|r| r.mark).count();
    let notes = saved.record.iter().filter(|r| r.note.is_some()).count();
    let counts = [(marks, "mark"), (notes, "note"), (saved.step.len(), "step")];
    let words = counts
        .iter()
        .filter(|c| c.0 > 0)
        .map(|(n, word)| several(*n, word));
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        saved.view.clone()
    } else {
        words.join(", ")
    }
}

/// Current time, UTC ns.
fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Age of a workspace in days, as a phrase.
fn describe_age(saved: &str, now: i64) -> String {
    const DAY: i64 = 86_400_000_000_000;
    let Ok(time) = parse_literal(saved, 0, &Zone::Utc) else {
        return "of before".to_owned();
    };
    let local = |t: i64| t + Zone::Local.offset_at_utc(t) * 1_000_000_000;
    match local(now).div_euclid(DAY) - local(time).div_euclid(DAY) {
        0 => "of today".to_owned(),
        1 => "of yesterday".to_owned(),
        days if days > 1 => format!("of {days} days ago"),
        _ => "of a later day".to_owned(),
    }
}

#[cfg(test)]
mod tests;
