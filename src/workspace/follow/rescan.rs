//! Finds files that are new, and those that are not where they were.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::base::diag::Severity;
use crate::source::discover::{FoundFile, discover};
use crate::source::file::FileId;
use crate::workspace::units::short_name;

use super::follower::Follower;
use super::watched::Look;

/// Time between two looks for new files, at least.
const EACH: Duration = Duration::from_secs(2);
/// Looking takes at most one part in so many of a core's time.
const SHARE: u32 = 20;
/// Time in which new files are begun in one poll.
const BEGINNING: Duration = Duration::from_millis(250);

impl Follower {
    /// Looks for new files when it is time for it, or at once when files are not where they were.
    pub(super) fn rescan(&mut self, now: Instant) {
        let wait = if self.suspects.is_empty() {
            EACH.max(self.scan_took * SHARE)
        } else {
            self.scan_took * SHARE
        };
        if self.scanned.is_some_and(|t| now.duration_since(t) < wait) || !self.fresh.is_empty() {
            return;
        }
        let started = Instant::now();
        let (found, _) = discover(&self.roots, &self.cancel);
        self.scan_took = started.elapsed();
        self.scanned = Some(now);
        let found: HashMap<PathBuf, FoundFile> =
            found.into_iter().map(|f| (f.path.clone(), f)).collect();
        self.follow_renamed(&found);
        self.give_up_suspects();
        let mut fresh: Vec<FoundFile> = found
            .into_values()
            .filter(|f| !self.known.contains(&f.path))
            // Another name of a file that is followed.
            .filter(|f| {
                self.by_id
                    .get(&f.id)
                    .is_none_or(|at| self.files[*at].is_over)
            })
            .collect();
        fresh.sort_by(|a, b| a.name.cmp(&b.name));
        self.fresh = fresh.into();
    }

    /// Files that stand under another name now are followed there.
    fn follow_renamed(&mut self, found: &HashMap<PathBuf, FoundFile>) {
        if self.suspects.is_empty() {
            return;
        }
        let places: HashMap<FileId, &FoundFile> = found.values().map(|f| (f.id, f)).collect();
        for at in std::mem::take(&mut self.suspects) {
            let file = &mut self.files[at];
            let place = places.get(&file.file).copied();
            match place.filter(|p| p.path != file.path && !self.known.contains(&p.path)) {
                None => self.suspects.push(at),
                Some(place) => {
                    let old = std::mem::replace(&mut file.path, place.path.clone());
                    file.text.moved(&place.path, file.file);
                    self.known.remove(&old);
                    self.known.insert(place.path.clone());
                    let id = file.id;
                    let before = std::mem::replace(&mut file.name, place.name.clone());
                    // Two of one name could not be told apart.
                    let is_named = file.log.as_ref().is_some_and(|log| !log.tag.is_empty());
                    let tag = (!is_named).then(|| short_name(&place.name));
                    self.sources.rename(&self.shared, id, &place.name, tag);
                    let text = format!("was renamed while it was followed; it was {before}");
                    self.sources.tell(id, Severity::Note, text);
                    self.is_changed = true;
                }
            }
        }
    }

    /// What is not found anywhere is gone.
    fn give_up_suspects(&mut self) {
        for at in std::mem::take(&mut self.suspects) {
            let file = &self.files[at];
            let why = match file.look() {
                Look::Missing => "was deleted".to_owned(),
                Look::Replaced(None) => {
                    "was replaced by another file, which is read as a source of its own".to_owned()
                }
                Look::Replaced(Some(what)) => format!("was replaced by {what}"),
                _ => continue,
            };
            let file = &mut self.files[at];
            file.is_over = true;
            file.rest.clear();
            file.text
                .lost("the file was deleted or replaced after it was read");
            // A file of that name that comes later is a new one; a file with that number too.
            self.known.remove(&file.path);
            self.by_id.remove(&file.file);
            let id = file.id;
            self.sources.tell(
                id,
                Severity::Warning,
                format!("{why} while it was followed: its texts are gone"),
            );
            self.is_changed = true;
        }
    }

    /// Begins to read new files.
    pub(super) fn take_fresh(&mut self, now: Instant) {
        let started = Instant::now();
        while started.elapsed() < BEGINNING
            && let Some(found) = self.fresh.pop_front()
        {
            let id = std::fs::metadata(&found.path).map_or(found.id, |m| (m.dev(), m.ino()));
            let at = self.enter_file(found.path, id);
            if let Err(error) = self.read(at, found.bytes, found.modified, now) {
                let file = &mut self.files[at];
                file.is_locked = true;
                let id = file.id;
                self.sources
                    .tell(id, Severity::Error, format!("cannot be read: {error}"));
                self.sources
                    .change(id, |s| "unreadable".clone_into(&mut s.layout));
            }
        }
    }
}
