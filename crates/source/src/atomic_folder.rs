//! Folders of files that appear as a whole beside other writers: written under a temporary name in the same folder,
//! renamed once complete.
//!
//! Only operations that a network file system performs atomically are used: creating a folder and renaming. There are no
//! locks, so a writer that is killed blocks nobody. It leaves a temporary folder, which readers ignore and a later writer
//! of the same folder removes when it is a day old ([`temporary`](super::temporary)). Until the last moment its files have the ending [`PART`], so that a pattern such as
//! `*.parquet` of another reader does not match them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::file::read_part;
use super::temporary::{TEMPORARY, TemporaryPath, remove_leftovers};

/// Ending of files that are being written.
const PART: &str = ".part";

/// Folder being written. The target is unchanged until [`commit`](AtomicFolder::commit); dropping it removes what was
/// written.
#[derive(Debug)]
pub struct AtomicFolder {
    target: PathBuf,
    temporary: TempDir,
    _registered: TemporaryPath,
    /// Folder below the temporary one, with the name and the permissions of the target.
    inner: PathBuf,
    /// Names of its files, in the order of creation.
    files: Vec<String>,
}

/// What a commit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// The folder is new.
    Added,
    /// The folder was there with the same files.
    Unchanged,
    /// Files of the folder were replaced, each as a whole.
    Replaced,
}

impl AtomicFolder {
    /// Begins a folder with this name; creates `parent` if it is missing, and removes what killed writers left there.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn create(parent: &Path, name: &str) -> io::Result<AtomicFolder> {
        fs::create_dir_all(parent)?;
        let temporary = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempdir_in(parent)?;
        let registered = TemporaryPath::new(temporary.path());
        let inner = temporary.path().join(name);
        fs::create_dir(&inner)?;
        remove_leftovers(parent, &fs::metadata(&inner)?);
        Ok(AtomicFolder {
            target: parent.join(name),
            temporary,
            _registered: registered,
            inner,
            files: Vec::new(),
        })
    }

    /// Creates a file of the folder. Where the folder exists, files are replaced in the order of their creation: the
    /// last one should be the one that readers begin with.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn file(&mut self, name: &str) -> io::Result<File> {
        let file = File::create(self.inner.join(format!("{name}{PART}")))?;
        self.files.push(name.to_owned());
        Ok(file)
    }

    /// Moves the folder to its target.
    ///
    /// # Errors
    /// Error of the operating system; every file of the target is as before, or as written here.
    pub fn commit(self) -> io::Result<Committed> {
        for name in &self.files {
            let part = self.inner.join(format!("{name}{PART}"));
            File::open(&part)?.sync_all()?;
            fs::rename(&part, self.inner.join(name))?;
        }
        let Err(error) = fs::rename(&self.inner, &self.target) else {
            // Survives a crash of the machine. Some file systems cannot do this for folders.
            let _ = File::open(&self.target).and_then(|folder| folder.sync_all());
            return Ok(Committed::Added);
        };
        if !self.target.is_dir() {
            return Err(error);
        }
        if !self.inner.is_dir() {
            // A network file system repeated a request that had been done.
            return Ok(Committed::Added);
        }
        let mut committed = Committed::Unchanged;
        for name in &self.files {
            let (new, old) = (self.inner.join(name), self.target.join(name));
            if !is_same(&new, &old)? {
                fs::rename(&new, &old)?;
                committed = Committed::Replaced;
            }
        }
        drop(self.temporary);
        Ok(committed)
    }
}

/// Whether two files have the same bytes.
fn is_same(new: &Path, old: &Path) -> io::Result<bool> {
    let old = match File::open(old) {
        Ok(old) => old,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let new = File::open(new)?;
    if new.metadata()?.len() != old.metadata()?.len() {
        return Ok(false);
    }
    let (mut new_piece, mut old_piece) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut at = 0;
    loop {
        let piece = read_part(&new, &mut new_piece, at)?;
        if piece != read_part(&old, &mut old_piece, at)? {
            return Ok(false);
        }
        if piece.is_empty() {
            return Ok(true);
        }
        at += piece.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::time::{Duration, SystemTime};

    fn write(parent: &Path, files: &[(&str, &str)]) -> AtomicFolder {
        let mut folder = AtomicFolder::create(parent, "run=1").unwrap();
        for (name, text) in files {
            let mut file = folder.file(name).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        folder
    }

    fn names(parent: &Path) -> Vec<String> {
        let entries = fs::read_dir(parent).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_there_as_a_whole_and_the_same_again_changes_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let store = parent.path().join("deep/store");
        let files = [("a", "1"), ("b", "2")];
        let first = write(&store, &files);
        // Another writer of the same folder.
        let second = write(&store, &files);
        assert_eq!(names(&store).len(), 2);
        assert!(!store.join("run=1").exists());
        assert_eq!(first.commit().unwrap(), Committed::Added);
        let at = || {
            fs::metadata(store.join("run=1/a"))
                .unwrap()
                .modified()
                .unwrap()
        };
        let before = at();
        assert_eq!(second.commit().unwrap(), Committed::Unchanged);
        assert_eq!(at(), before);
        assert_eq!(names(&store), ["run=1"]);
        assert_eq!(names(&store.join("run=1")), ["a", "b"]);
        let changed = write(&store, &[("a", "1"), ("b", "3")]);
        assert_eq!(changed.commit().unwrap(), Committed::Replaced);
        assert_eq!(fs::read_to_string(store.join("run=1/b")).unwrap(), "3");
        assert_eq!(at(), before);
        drop(write(&store, &files));
        assert_eq!(names(&store), ["run=1"]);
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_when_it_is_old() {
        let parent = tempfile::tempdir().unwrap();
        let store = parent.path();
        for (name, hours) in [("old", 25), ("new", 23)] {
            let folder = store.join(format!("{TEMPORARY}{name}"));
            fs::create_dir_all(folder.join("run=2")).unwrap();
            fs::write(folder.join("run=2/a.part"), "half").unwrap();
            let then = SystemTime::now() - Duration::from_secs(hours * 3_600);
            for path in [folder.join("run=2/a.part"), folder.join("run=2"), folder] {
                File::open(path).unwrap().set_modified(then).unwrap();
            }
        }
        write(store, &[("a", "1")]).commit().unwrap();
        assert_eq!(names(store), [".widetui-new", "run=1"]);
    }
}
