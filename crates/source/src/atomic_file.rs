//! Files written atomically: to a temporary file in the same folder, renamed to the target once complete. A reader never sees
//! a partial file, and an older file is replaced only by a complete one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, PersistError};

use super::temporary::{TEMPORARY, TemporaryPath, remove_leftovers};

/// Read permission of a newly created file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileReaders {
    /// The owner alone (mode 600).
    Owner,
    /// Everyone, subject to the user's umask.
    Umask,
}

/// File being written; the target is unchanged until [`commit`](AtomicFile::commit).
#[derive(Debug)]
pub enum AtomicFile {
    /// Temporary file in the folder of a regular target.
    Temporary {
        /// Bytes written so far.
        file: NamedTempFile,
        /// Target path.
        target: PathBuf,
        /// Removal if the process ends before.
        registered: TemporaryPath,
    },
    /// Pipe, terminal or device, written to directly.
    Direct(File),
}

/// Resolves all links of a path; `None` if the path exists and is no regular file.
///
/// # Errors
/// The path is a dangling link or a folder, or its folder is missing.
pub fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() => path.canonicalize().map(Some),
        Ok(meta) if meta.is_dir() => Err(io::Error::other("it is a folder")),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if path.symlink_metadata().is_ok() {
                return Err(io::Error::other("it is a dangling link"));
            }
            let name = path
                .file_name()
                .ok_or_else(|| io::Error::other("it names no file"))?;
            let folder = match path.parent() {
                Some(folder) if folder != Path::new("") => folder,
                _ => Path::new("."),
            };
            Ok(Some(folder.canonicalize()?.join(name)))
        }
        Err(error) => Err(error),
    }
}

impl AtomicFile {
    /// Opens a file for writing. An existing file keeps its permissions, except with [`FileReaders::Owner`].
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn create(path: &Path, readers: FileReaders) -> io::Result<AtomicFile> {
        let Some(target) = target(path)? else {
            return Ok(AtomicFile::Direct(
                fs::OpenOptions::new().write(true).open(path)?,
            ));
        };
        let mode = match readers {
            FileReaders::Owner => 0o600,
            FileReaders::Umask => 0o666,
        };
        let folder = target.parent().unwrap_or(Path::new("/"));
        let mut new = fs::OpenOptions::new();
        new.write(true).create_new(true).mode(mode);
        let file = tempfile::Builder::new()
            .prefix(TEMPORARY)
            // Its errors, unlike those of the crate, do not name the temporary file.
            .make_in(folder, |path| new.open(path))?;
        let registered = TemporaryPath::new(file.path());
        remove_leftovers(folder, &file.as_file().metadata()?);
        if readers == FileReaders::Umask
            && let Ok(meta) = fs::metadata(&target)
        {
            file.as_file().set_permissions(meta.permissions())?;
        }
        Ok(AtomicFile::Temporary {
            file,
            target,
            registered,
        })
    }

    /// Moves the written bytes to the target, which is replaced. Dropping the file without it leaves the target unchanged.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn commit(self) -> io::Result<()> {
        self.finish(|file, target| file.persist(target))
    }

    /// Moves the written bytes to the target unless it exists.
    ///
    /// # Errors
    /// Error of the operating system; [`io::ErrorKind::AlreadyExists`] if the target exists.
    pub fn commit_new(self) -> io::Result<()> {
        self.finish(|file, target| file.persist_noclobber(target))
    }

    fn finish(
        mut self,
        rename: impl FnOnce(NamedTempFile, PathBuf) -> Result<File, PersistError>,
    ) -> io::Result<()> {
        self.flush()?;
        match self {
            AtomicFile::Direct(_) => Ok(()),
            AtomicFile::Temporary {
                file,
                target,
                registered,
            } => {
                file.as_file().sync_all()?;
                rename(file, target).map_err(|e| e.error)?;
                drop(registered);
                Ok(())
            }
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            AtomicFile::Temporary { file, .. } => file.as_file_mut().write(bytes),
            AtomicFile::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            AtomicFile::Temporary { file, .. } => file.as_file_mut().flush(),
            AtomicFile::Direct(file) => file.flush(),
        }
    }
}

/// Writes a text to a file.
///
/// # Errors
/// Error of the operating system; the target is unchanged.
pub fn write(path: &Path, text: &str, readers: FileReaders) -> io::Result<()> {
    let mut file = AtomicFile::create(path, readers)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_is_there_as_a_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "before").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("a", &link).unwrap();
        let mut half = AtomicFile::create(&link, FileReaders::Umask).unwrap();
        half.write_all(b"ha").unwrap();
        drop(half);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        write(&link, "after", FileReaders::Umask).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        // Neither through a dangling link nor into a folder.
        std::os::unix::fs::symlink("nowhere", folder.path().join("broken")).unwrap();
        assert!(write(&folder.path().join("broken"), "x", FileReaders::Umask).is_err());
        assert!(write(folder.path(), "x", FileReaders::Umask).is_err());
        let half = AtomicFile::create(&path, FileReaders::Umask).unwrap();
        let taken = half.commit_new().unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        let own = folder.path().join("own");
        write(&own, "x", FileReaders::Owner).unwrap();
        // Errors do not name the temporary file, which the user did not ask for.
        let long = write(
            &folder.path().join("a".repeat(300)),
            "x",
            FileReaders::Owner,
        );
        let unknown = write(Path::new("/proc/unwritable"), "x", FileReaders::Owner);
        for error in [long.unwrap_err(), unknown.unwrap_err()] {
            assert!(!error.to_string().contains(TEMPORARY), "{error}");
        }
        assert_eq!(own.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn leftovers_of_killed_writers_are_removed_when_they_are_old() {
        let folder = tempfile::tempdir().unwrap();
        for (name, hours) in [("old", 25), ("new", 23)] {
            let left = File::create(folder.path().join(format!("{TEMPORARY}{name}"))).unwrap();
            let age = std::time::Duration::from_secs(hours * 3_600);
            left.set_modified(std::time::SystemTime::now() - age)
                .unwrap();
        }
        write(&folder.path().join("a"), "x", FileReaders::Umask).unwrap();
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".widetui-new", "a"]);
    }
}
