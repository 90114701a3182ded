//! Files in the folders of a store that appear each as a whole beside other writers: written under a temporary name in the
//! store, renamed once all are complete.
//!
//! Only operations that a network file system performs atomically are used: creating a folder and renaming. There are no
//! locks, so a writer that is killed blocks nobody. It leaves a temporary folder, which readers ignore and a later writer
//! of the same store removes when it is a day old ([`temporary`](super::temporary)). Until the last moment its files have the ending [`PART`], so that a pattern such as
//! `*.parquet` of another reader does not match them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::file::read_part;
use super::temporary::{TEMPORARY, TemporaryPath, remove_leftovers};

/// Ending of files that are being written.
const PART: &str = ".part";

/// Files being written. Their targets are unchanged until [`commit`](AtomicFiles::commit); dropping them removes what was
/// written.
#[derive(Debug)]
pub struct AtomicFiles {
    folder: PathBuf,
    temporary: TempDir,
    _registered: TemporaryPath,
    /// Paths below the folder, in the order of creation.
    paths: Vec<PathBuf>,
}

impl AtomicFiles {
    /// Begins files below `folder`; creates it if it is missing, and removes what killed writers left there.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn create(folder: &Path) -> io::Result<AtomicFiles> {
        fs::create_dir_all(folder)?;
        let temporary = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempdir_in(folder)
            // The error of the crate names the temporary folder.
            .map_err(|error| error.kind())?;
        let registered = TemporaryPath::new(temporary.path());
        let own = temporary.path().join("files");
        // With the permissions of the user's other folders.
        fs::create_dir(&own)?;
        remove_leftovers(folder, &fs::metadata(&own)?);
        Ok(AtomicFiles {
            folder: folder.to_owned(),
            temporary,
            _registered: registered,
            paths: Vec::new(),
        })
    }

    /// Creates a file with this path below the folder. Files are replaced in the order of their creation: the last one
    /// should be the one that readers begin with.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn file(&mut self, path: &Path) -> io::Result<File> {
        let file = File::create(self.part(self.paths.len()))?;
        self.paths.push(path.to_owned());
        Ok(file)
    }

    fn part(&self, number: usize) -> PathBuf {
        self.temporary.path().join(format!("files/{number}{PART}"))
    }

    /// Writes a file at once, unless the folder has it: of several writers the first one counts.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn add_missing(&self, path: &Path, text: &[u8]) -> io::Result<()> {
        let (part, target) = (self.part(usize::MAX), self.folder.join(path));
        let mut file = File::create(&part)?;
        file.write_all(text)?;
        file.sync_all()?;
        match fs::hard_link(&part, &target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            // Some file systems have no links.
            Err(_) if !target.exists() => fs::rename(&part, &target),
            linked => linked,
        }
    }

    /// Moves the files to their targets; those that are there with the same bytes stay as they are.
    ///
    /// # Errors
    /// Error of the operating system; every file of the targets is as before, or as written here.
    pub fn commit(self) -> io::Result<()> {
        for number in 0..self.paths.len() {
            File::open(self.part(number))?.sync_all()?;
        }
        for (number, path) in self.paths.iter().enumerate() {
            let (new, old) = (self.part(number), self.folder.join(path));
            if is_same(&new, &old)? {
                continue;
            }
            let folder = old.parent().unwrap_or(&self.folder);
            fs::create_dir_all(folder)?;
            fs::rename(&new, &old)?;
            // Survives a crash of the machine. Some file systems cannot do this for folders.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

/// True if two files have the same bytes.
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
    use std::time::{Duration, SystemTime};

    fn write(store: &Path, files: &[(&str, &str)]) -> AtomicFiles {
        let mut out = AtomicFiles::create(store).unwrap();
        for (path, text) in files {
            let mut file = out.file(Path::new(path)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        out
    }

    fn names(parent: &Path) -> Vec<String> {
        let entries = fs::read_dir(parent).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_there_as_a_whole_and_the_same_again_changes_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let store = parent.path().join("deep/store");
        let files = [("a/1", "1"), ("b/1", "2")];
        let first = write(&store, &files);
        // Another writer of the same files.
        let second = write(&store, &files);
        assert_eq!(names(&store).len(), 2);
        assert!(!store.join("a").exists());
        first.commit().unwrap();
        let at = || fs::metadata(store.join("a/1")).unwrap().modified().unwrap();
        let before = at();
        second.commit().unwrap();
        assert_eq!(at(), before);
        assert_eq!(names(&store), ["a", "b"]);
        assert_eq!(names(&store.join("a")), ["1"]);
        write(&store, &[("a/1", "1"), ("b/1", "3")])
            .commit()
            .unwrap();
        assert_eq!(fs::read_to_string(store.join("b/1")).unwrap(), "3");
        assert_eq!(at(), before);
        drop(write(&store, &files));
        assert_eq!(names(&store), ["a", "b"]);
    }

    #[test]
    fn of_a_missing_file_the_first_one_counts() {
        let store = tempfile::tempdir().unwrap();
        for text in ["first", "second"] {
            let out = write(store.path(), &[]);
            out.add_missing(Path::new("m"), text.as_bytes()).unwrap();
        }
        assert_eq!(names(store.path()), ["m"]);
        assert_eq!(fs::read_to_string(store.path().join("m")).unwrap(), "first");
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_when_it_is_old() {
        let parent = tempfile::tempdir().unwrap();
        let store = parent.path();
        for (name, hours) in [("old", 25), ("new", 23)] {
            let folder = store.join(format!("{TEMPORARY}{name}"));
            fs::create_dir_all(folder.join("files")).unwrap();
            fs::write(folder.join("files/0.part"), "half").unwrap();
            let then = SystemTime::now() - Duration::from_secs(hours * 3_600);
            for path in [folder.join("files/0.part"), folder.join("files"), folder] {
                File::open(path).unwrap().set_modified(then).unwrap();
            }
        }
        write(store, &[("a", "1")]).commit().unwrap();
        assert_eq!(names(store), [".widetui-new", "a"]);
    }
}
