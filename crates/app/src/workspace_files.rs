//! Workspace files: finding, reading and writing the saved session of a run.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use widetui_core::lock;
use widetui_core::words::several;
use widetui_draft::user_drafts;
use widetui_join::Join;
use widetui_session::saved::merge::Merged;
use widetui_session::saved::{self, Saved, Session, WorkspaceOptions, files, input_lines};
use widetui_session::user_joins;
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
    /// File that exists and is not restored; its content must be preserved.
    Offered(Box<Offered>),
    /// File that this session restored or created, and may overwrite.
    Own(PathBuf),
}

/// Workspace that was found and is not restored.
#[derive(Debug)]
struct Offered {
    path: PathBuf,
    saved: Saved,
    /// Separate file for this session, if the two cannot be merged into one.
    beside: Option<PathBuf>,
}

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
            FileState::Offered(Box::new(Offered {
                path,
                saved,
                beside: None,
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
        if !matches!(*known, FileState::Offered(_) | FileState::Own(_)) {
            *known = self.read_file_state(snapshot);
        }
        let found = match &*known {
            FileState::Offered(found) => found,
            FileState::Unreadable(_, error) => return Some(SavedWorkspace::Trouble(error.clone())),
            FileState::Unknown | FileState::Absent | FileState::Own(_) => return None,
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
        let FileState::Offered(found) = &*known else {
            return None;
        };
        let restored = self.restored(snapshot, &found.saved);
        *known = FileState::Own(found.path.clone());
        Some(restored)
    }

    /// Writes a session and returns the path. Writes nothing if the session is empty or a replay.
    ///
    /// # Errors
    /// Message for the user.
    pub fn save(&self, snapshot: &Snapshot, session: &Session) -> Result<Option<String>, String> {
        let mut known = lock::hold(&self.known);
        let is_new = !matches!(*known, FileState::Own(_));
        if self.keeping.replay.is_some() || snapshot.is_empty() || (session.is_empty() && is_new) {
            return Ok(None);
        }
        // The user may have moved an unreadable file away, or a file may have appeared.
        if !matches!(*known, FileState::Offered(_) | FileState::Own(_)) {
            *known = self.read_file_state(snapshot);
        }
        let mut saved = self.saved(snapshot, session);
        let path = match &mut *known {
            FileState::Unreadable(path, error) => {
                let path = path.display();
                return Err(format!(
                    "not saved over {path}, move it away first: {error}"
                ));
            }
            FileState::Offered(found) => {
                let both = saved.with(&found.saved);
                if both == Merged::Partial && found.beside.is_none() {
                    found.beside = Some(files::free(&found.path));
                }
                found.beside.clone().unwrap_or_else(|| found.path.clone())
            }
            FileState::Own(path) => path.clone(),
            FileState::Unknown | FileState::Absent => {
                match (&self.keeping.file, &self.keeping.folder) {
                    (Some(file), _) => file.clone(),
                    (None, Some(folder)) => files::free(&files::new_path(folder, &saved)),
                    (None, None) => return Ok(None),
                }
            }
        };
        files::write(&path, &saved)?;
        let text = path.display().to_string();
        if matches!(*known, FileState::Unknown | FileState::Absent) {
            *known = FileState::Own(path);
        }
        Ok(Some(text))
    }

    /// Writes the session on exit, to a separate file if the existing one must not be overwritten.
    /// Returns a message for the user, if needed.
    pub fn leave(&self, snapshot: &Snapshot, session: &Session) -> Option<String> {
        let file = self.keeping.file.as_ref().map(|f| f.display().to_string());
        let (path, why) = match self.save(snapshot, session) {
            Ok(None) => return None,
            Ok(Some(path)) if file.as_ref().is_none_or(|file| path == *file) => return None,
            Ok(Some(path)) => (path, "the two differ in more than marks".to_owned()),
            Err(error) => {
                let FileState::Unreadable(path, why) = &*lock::hold(&self.known) else {
                    return Some(error);
                };
                let beside = files::free(path);
                if let Err(error) = files::write(&beside, &self.saved(snapshot, session)) {
                    return Some(error);
                }
                (beside.display().to_string(), why.clone())
            }
        };
        let file = file.unwrap_or_default();
        Some(format!(
            "{file} stays as it is, the session is kept in {path}: {why}"
        ))
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
