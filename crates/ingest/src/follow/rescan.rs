//! Discovery of new and moved files.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::source_entries::short_name;
use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_source::discover::{FoundFile, discover};
use widetui_source::file::FileId;

use super::derived_sources::Derived;
use super::follower::Follower;
use super::watched::FileState;

/// Minimum interval between scans of the folders.
const EACH: Duration = Duration::from_secs(2);

impl Follower {
    /// Scans for new files if the interval has elapsed, or sooner if files are not at their paths.
    pub(super) fn rescan(&mut self, now: Instant) {
        let wait = if self.displaced.is_empty() {
            EACH.max(self.scan_took * self.pace.share)
        } else {
            self.scan_took * self.pace.share
        };
        if self.scanned.is_some_and(|t| now.duration_since(t) < wait) || !self.new_files.is_empty()
        {
            return;
        }
        let started = Instant::now();
        let (found, _) = discover(&self.roots, &self.cancel);
        self.scan_took = started.elapsed();
        self.scanned = Some(now);
        let found: HashMap<PathBuf, FoundFile> =
            found.into_iter().map(|f| (f.path.clone(), f)).collect();
        let moved = self.find_moved(&found);
        self.follow_moved(moved);
        self.give_up_missed();
        let mut new_files: Vec<FoundFile> = found
            .into_values()
            .filter(|f| !self.known.contains(&f.path))
            // Another hard link of a followed file.
            .filter(|f| {
                self.by_id
                    .get(&f.id)
                    .is_none_or(|at| self.files[*at].is_ended)
            })
            .collect();
        new_files.sort_by(|a, b| a.name.cmp(&b.name));
        self.new_files = new_files.into();
    }

    /// Finds files that have moved, with their new places; files found nowhere become suspects.
    ///
    /// All files are searched at once by device and inode: during log rotation each one moves to the path of another.
    fn find_moved(&mut self, found: &HashMap<PathBuf, FoundFile>) -> Vec<(usize, FoundFile)> {
        let places: HashMap<FileId, &FoundFile> = found.values().map(|f| (f.id, f)).collect();
        self.displaced.clear();
        let mut moved = Vec::new();
        for (at, file) in self.files.iter().enumerate().filter(|(_, f)| !f.is_ended) {
            // The file may have two hard links, of which the other one was found.
            let is_there = |f: &FoundFile| f.id == file.file;
            if found.get(&file.path).is_some_and(is_there) || file.is_in_place() {
                continue;
            }
            match places.get(&file.file) {
                Some(place) if file.goes_on_at(&place.path) => moved.push((at, (*place).clone())),
                _ => self.displaced.push(at),
            }
        }
        moved
    }

    /// Continues following moved files at their new paths.
    fn follow_moved(&mut self, moved: Vec<(usize, FoundFile)>) {
        // All old paths are removed before new ones are added: a new path may be the old path of another file.
        for (at, _) in &moved {
            self.known.remove(&self.files[*at].path);
        }
        for (at, place) in moved {
            self.known.insert(place.path.clone());
            let file = &mut self.files[at];
            file.text.set_location(&place.path, file.file);
            file.path = place.path;
            let (id, has_records) = (file.lines.id, file.lines.has_records);
            let before = std::mem::replace(&mut file.lines.name, place.name.clone());
            // The tag follows the path, as two sources with the same tag would be indistinguishable.
            let is_named = file
                .lines
                .log
                .as_ref()
                .is_some_and(|log| !log.tag.is_empty());
            let parts = file.derived.iter_mut().flat_map(Derived::parts_mut);
            let parts: Vec<SourceId> = parts
                .map(|part| {
                    part.name = renamed(&part.name, &before, &place.name);
                    part.id
                })
                .filter(|part| *part != id)
                .collect();
            for part in parts {
                self.rename_part(part, (&before, &place.name));
            }
            let tag = (!is_named).then(|| short_name(&place.name));
            self.sources.rename(&self.shared, id, &place.name, tag);
            let text = format!("was renamed from {before} while it was followed");
            self.sources.add_problem(id, Severity::Note, text);
            self.is_changed = true;
            // Filters by source name were evaluated with the old name.
            self.is_renamed |= has_records;
        }
    }

    /// Renames a log within a file along with the file.
    fn rename_part(&mut self, id: SourceId, (before, now): (&str, &str)) {
        let Some(source) = self.sources.all.get(id.index()) else {
            return;
        };
        let path = renamed(&source.path, before, now);
        let tag = renamed(&source.tag, &short_name(before), &short_name(now));
        self.sources.rename(&self.shared, id, &path, Some(tag));
    }

    /// Ends files that two scans in a row did not find: a file may move while one scan runs.
    fn give_up_missed(&mut self) {
        let missed_before = std::mem::take(&mut self.missing);
        for at in std::mem::take(&mut self.displaced) {
            let file = &self.files[at];
            let why = match file.state() {
                FileState::Missing => "was deleted".to_owned(),
                FileState::Replaced(None) => {
                    "was replaced by another file, which is a separate source".to_owned()
                }
                FileState::Replaced(Some(what)) => format!("was replaced by {what}"),
                _ => continue,
            };
            if !missed_before.contains(&at) {
                self.missing.insert(at);
                self.displaced.push(at);
                continue;
            }
            let file = &mut self.files[at];
            file.end();
            file.text
                .mark_lost("the file was deleted or replaced after it was read");
            // A later file with this path or inode is a new file.
            self.known.remove(&file.path);
            if self.by_id.get(&file.file) == Some(&at) {
                self.by_id.remove(&file.file);
            }
            let id = file.lines.id;
            self.sources.add_problem(
                id,
                Severity::Warning,
                format!("{why} while it was followed: its texts are gone"),
            );
            self.is_changed = true;
        }
    }

    /// Starts reading new files.
    pub(super) fn read_new_files(&mut self, now: Instant) {
        let started = Instant::now();
        while started.elapsed() < self.pace.new_files
            && let Some(found) = self.new_files.pop_front()
        {
            let id = std::fs::metadata(&found.path).map_or(found.id, |m| (m.dev(), m.ino()));
            let at = self.enter_file(found.path, id);
            if let Err(error) = self.read(at, found.bytes, found.modified, now) {
                let file = &mut self.files[at];
                file.is_unreadable = true;
                let id = file.lines.id;
                self.sources
                    .add_problem(id, Severity::Error, format!("cannot be read: {error}"));
                self.sources
                    .change(id, |s| "unreadable".clone_into(&mut s.layout));
            }
        }
    }
}

/// Replaces the prefix `before` of a path by `now`.
fn renamed(path: &str, before: &str, now: &str) -> String {
    match path.strip_prefix(before) {
        Some(below) => format!("{now}{below}"),
        None => path.to_owned(),
    }
}
