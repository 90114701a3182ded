//! Discovery of new and moved files.

use crate::source_entries::problem;
use std::collections::HashMap;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::load_state::short_name;
use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_format::pattern::glob::plain_name;
use widetui_source::discover::{FoundFile, discover};
use widetui_source::file::modified;
use widetui_source::file::{FileId, open_regular, read_fully};

use crate::followed_file::{FileState, Replacement, Watched};
use crate::follower::Follower;

/// Time for which a new file that begins like a followed one is taken for its copy: the copied log is truncated next.
const COPY_WAIT: Duration = Duration::from_secs(6);

/// Number of bytes at the start of two files by which a copy is recognised.
const COPY_START: usize = 256;

/// Minimum interval between scans of the folders.
const EACH: Duration = Duration::from_secs(2);

impl Follower {
    /// Scans for new files if the interval has elapsed, or sooner if files are not at their paths.
    pub(crate) fn rescan(&mut self, now: Instant) {
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
            .filter(|f| !self.is_followed(f.id))
            .collect();
        let mut copies = std::mem::take(&mut self.possible_copies);
        copies.retain(|path, _| new_files.iter().any(|f| f.path == *path));
        new_files.retain(|f| {
            let is_late = |since: &mut Instant| now.duration_since(*since) >= COPY_WAIT;
            match self.may_be_copy(&f.path) {
                true => is_late(copies.entry(f.path.clone()).or_insert(now)),
                false => true,
            }
        });
        self.possible_copies = copies;
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
        let files = self.files.iter().enumerate();
        for (at, file) in files.filter(|(_, f)| !f.is_ended && !f.is_deleted) {
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

    /// Whether a new file may be the copy of a followed file that is truncated next, or was just now: `app.log.1` beside
    /// `app.log`, with the same start, or with what was read of it.
    pub(crate) fn may_be_copy(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        let plain = name.map(plain_name).filter(|plain| Some(*plain) != name);
        let Some(original) = plain.map(|plain| path.with_file_name(plain)) else {
            return false;
        };
        let start = |path: &Path| {
            let mut head = vec![0; COPY_START];
            let n = open_regular(path).and_then(|file| read_fully(&file, &mut head, 0));
            head.truncate(n.unwrap_or(0));
            head
        };
        let is_followed = |f: &&Watched| f.path == original && !f.is_ended && !f.is_deleted;
        if !self.known.contains(&original) {
            return false;
        }
        self.files.iter().filter(is_followed).any(|file| {
            let (own, copy) = (start(&original), start(path));
            let shared = own.len().min(copy.len());
            file.is_copied_at(path) || shared > 0 && own[..shared] == copy[..shared]
        })
    }

    /// Finds the copy of a truncated file: an unknown file beside it that has the bytes that were read, and maybe more.
    pub(crate) fn find_copy(&self, at: usize) -> Option<FoundFile> {
        let file = &self.files[at];
        let entries = std::fs::read_dir(file.path.parent()?).ok()?;
        let unknown = entries.flatten().filter(|entry| {
            let id = (file.file.0, entry.ino());
            !self.is_followed(id) && file.is_copied_at(&entry.path())
        });
        let found = |path: PathBuf| {
            let meta = std::fs::metadata(&path).ok()?;
            Some(FoundFile {
                name: path.to_string_lossy().into_owned(),
                id: (meta.dev(), meta.ino()),
                bytes: meta.len(),
                modified: modified(&meta),
                path,
            })
        };
        { unknown }.find_map(|entry| found(entry.path()))
    }

    /// Continues following moved files at their new paths, and truncated ones with their copies.
    pub(crate) fn follow_moved(&mut self, moved: Vec<(usize, FoundFile)>) {
        // All old paths are removed before new ones are added: a new path may be the old path of another file.
        for (at, _) in &moved {
            let path = self.files[*at].path.clone();
            self.leave(*at, path);
        }
        for (at, place) in moved {
            self.known.insert(place.path.clone());
            let file = &mut self.files[at];
            let verb = match file.file == place.id {
                true => "was renamed from",
                false => "is the copy of",
            };
            file.move_to(&place.path, place.id);
            self.by_id.insert(place.id, at);
            let id = file.id;
            let before = std::mem::replace(&mut file.name, place.name.clone());
            let children = self.shared.update(|h| h.children(&before));
            // Filters by source name were evaluated with the old name.
            self.is_renamed |= self.has_records(id) || !children.is_empty();
            for child in children {
                self.rename_part(child, (&before, &place.name));
            }
            // The tag follows the path, as two sources with the same tag would be indistinguishable.
            let source = self.shared.source(id);
            let tag = source.filter(|s| s.tag == short_name(&before));
            self.rename(id, &place.name, tag.map(|_| short_name(&place.name)));
            let text = format!("{verb} {before} while it was followed");
            problem(&self.shared, id, Severity::Note, text);
            self.is_changed = true;
        }
    }

    /// Renames a log within a file along with the file.
    fn rename_part(&mut self, id: SourceId, (before, now): (&str, &str)) {
        let Some(source) = self.shared.source(id) else {
            return;
        };
        let path = renamed(&source.path, before, now);
        let tag = renamed(&source.tag, &short_name(before), &short_name(now));
        self.rename(id, &path, Some(tag));
    }

    /// Ends files that two scans in a row did not find: a file may move while one scan runs.
    fn give_up_missed(&mut self) {
        let missed_before = std::mem::take(&mut self.missing);
        for at in std::mem::take(&mut self.displaced) {
            let file = &self.files[at];
            let why = match file.state_at_path() {
                FileState::Missing => "was deleted".to_owned(),
                FileState::Replaced(Replacement::File(_)) => {
                    "was replaced by another file, which is a separate source,".to_owned()
                }
                FileState::Replaced(Replacement::Special(what)) => {
                    format!("was replaced by {what}")
                }
                _ => continue,
            };
            if !missed_before.contains(&at) {
                self.missing.insert(at);
                self.displaced.push(at);
                continue;
            }
            let (id, path) = (file.id, file.path.clone());
            let is_open = file.is_open();
            self.leave(at, path);
            problem(
                &self.shared,
                id,
                Severity::Warning,
                match is_open {
                    true => format!(
                        "{why} while it was followed: it is kept open, and readable until the end of this session"
                    ),
                    false => format!("{why} while it was followed: its texts are gone"),
                },
            );
            match is_open {
                true => self.files[at].is_deleted = true,
                false => self.lose(at),
            }
            self.is_changed = true;
        }
    }

    /// Forgets the path of a file that is not there any more. A later file at this path is a new file.
    fn leave(&mut self, at: usize, path: PathBuf) {
        let files = self.files.iter().enumerate();
        let mut others = files.filter(|(other, f)| *other != at && !f.is_ended && !f.is_deleted);
        if !others.any(|(_, f)| f.path == path && f.is_in_place()) {
            self.known.remove(&path);
            self.vacate(path);
        }
    }

    /// Starts reading new files.
    pub(crate) fn read_new_files(&mut self, now: Instant) {
        let started = Instant::now();
        while started.elapsed() < self.pace.new_files
            && let Some(found) = self.new_files.pop_front()
        {
            let id = std::fs::metadata(&found.path).map_or(found.id, |m| (m.dev(), m.ino()));
            // It may have been found at the path of another file meanwhile.
            if !self.is_followed(id) {
                self.read_new_file(found.path, id, now);
            }
        }
    }

    /// Starts following a file, and reads it.
    pub(crate) fn read_new_file(&mut self, path: PathBuf, id: FileId, now: Instant) {
        let at = self.enter_file(path, id);
        let file = &mut self.files[at];
        let opened = file
            .opened()
            .and_then(|file| file.map(|f| f.metadata()).transpose());
        let read = opened.and_then(|meta| match meta {
            Some(meta) => self.read(at, meta.len(), modified(&meta), now),
            // Another file is at the path already.
            None => {
                self.displaced.push(at);
                Ok(0)
            }
        });
        if let Err(error) = read {
            let file = &mut self.files[at];
            file.is_unreadable = true;
            let id = file.id;
            problem(
                &self.shared,
                id,
                Severity::Error,
                format!("cannot be read: {error}"),
            );
            self.shared
                .change(id, |s| "unreadable".clone_into(&mut s.layout));
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
