//! Workspaces on disk: found and read on a thread, written at once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::base::lock;
use crate::base::time::rfc3339_nanos;
use crate::base::timeparse::parse_literal;
use crate::base::words::several;
use crate::base::zone::Zone;
use crate::store::Snapshot;
use crate::workspace::saved::{self, Keeping, Saved, Session, files};

use super::msg::SavedWorkspace;

/// Finds, reads and writes the workspace of the run that is open.
#[derive(Clone, Debug, Default)]
pub(super) struct Keeper {
    keeping: Keeping,
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// The file of this run.
    path: Option<PathBuf>,
    /// What is in it, as long as it is not restored: what it keeps is not to be lost.
    unrestored: Option<Saved>,
}

impl Keeper {
    pub fn new(keeping: Keeping) -> Keeper {
        Keeper {
            keeping,
            known: Arc::default(),
        }
    }

    /// Folder of the user's definitions.
    pub fn definitions(&self) -> Option<&Path> {
        self.keeping.definitions.as_deref()
    }

    fn with<T>(&self, f: impl FnOnce(&mut Known) -> T) -> T {
        f(&mut lock::hold(&self.known))
    }

    /// Looks for a workspace of the run.
    pub fn find(&self, snapshot: &Snapshot) -> Option<SavedWorkspace> {
        let asked = self.keeping.replay.as_ref().or(self.keeping.file.as_ref());
        if let Some(path) = asked {
            // The first session with a file of its own has nothing to restore.
            if self.keeping.replay.is_none() && !path.exists() {
                return None;
            }
            return Some(match files::read(path) {
                Ok(saved) => self.restored(snapshot, &saved),
                Err(error) => {
                    // It is not ours to overwrite.
                    self.with(|k| k.path = None);
                    SavedWorkspace::Trouble(error)
                }
            });
        }
        let folder = self.keeping.folder.as_ref()?;
        let (path, saved) = files::find(folder, snapshot, &self.keeping.roots)?;
        let (what, when) = (contents(&saved), when(&saved.saved, now()));
        self.with(|known| {
            known.path = Some(path);
            known.unrestored = Some(saved);
        });
        Some(SavedWorkspace::Offer { when, what })
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
        let saved = self.with(|known| known.unrestored.take())?;
        Some(self.restored(snapshot, &saved))
    }

    /// Writes a session; says where. Nothing is written when there is nothing to keep, or when it is a replay.
    ///
    /// # Errors
    /// In words for the user.
    pub fn save(&self, snapshot: &Snapshot, session: &Session) -> Result<Option<String>, String> {
        let known = self.with(|k| (k.path.clone(), k.unrestored.clone()));
        let is_new = known.0.is_none() || known.1.is_some();
        if self.keeping.replay.is_some() || snapshot.is_empty() || (session.is_empty() && is_new) {
            return Ok(None);
        }
        let mut saved = Saved {
            saved: rfc3339_nanos(now()),
            folder: std::env::current_dir().map_or(String::new(), |d| d.display().to_string()),
            paths: self.keeping.paths.clone(),
            ..saved::saved(snapshot, &self.keeping.roots, session)
        };
        // Nobody asked for the old one, so its marks and notes stay.
        for old in known.1.iter().flat_map(|s| &s.record) {
            let same = |r: &saved::KeptRecord| (&r.source, r.offset) == (&old.source, old.offset);
            if !saved.record.iter().any(same) {
                saved.record.push(old.clone());
            }
        }
        let path = match (&self.keeping.file, known.0, &self.keeping.folder) {
            (Some(file), ..) => file.clone(),
            (None, Some(path), _) => path,
            (None, None, Some(folder)) => files::new_path(folder, &saved),
            (None, None, None) => return Ok(None),
        };
        files::write(&path, &saved)?;
        let text = path.display().to_string();
        self.with(|k| k.path = Some(path));
        Ok(Some(text))
    }
}

/// What is in a workspace, in a few words.
fn contents(saved: &Saved) -> String {
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

/// Now, UTC ns.
fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// How long ago something was saved, in words for people.
fn when(saved: &str, now: i64) -> String {
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
mod tests {
    use super::*;

    #[test]
    fn days_are_told_in_words() {
        let now = parse_literal("2026-03-10T12:00:00Z", 0, &Zone::Utc).unwrap();
        assert_eq!(when("2026-03-10T11:59:00Z", now), "of today");
        assert_eq!(when("2026-03-01T12:00:00Z", now), "of 9 days ago");
        assert_eq!(when("nonsense", now), "of before");
    }
}
