//! Files that are written whole or not at all: beside their place first, then moved there, so that nobody ever sees half a
//! file, and what stood there before is lost only to what is complete.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Its owner alone.
    Owner,
    /// Those whom the user lets read new files.
    Usual,
}

/// What is being written; nothing stands at its place before [`keep`](Whole::keep).
#[derive(Debug)]
pub enum Whole {
    /// A file.
    Beside {
        /// What is written so far.
        file: NamedTempFile,
        /// Where it is to be.
        place: PathBuf,
    },
    /// A pipe, a terminal, a device: it takes what comes.
    Straight(File),
}

/// Where a file stands in the end, when links were gone after; `None` for what is no regular file.
///
/// # Errors
/// It is a link to nothing, a folder, or its own folder is not there.
pub fn place(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() => path.canonicalize().map(Some),
        Ok(meta) if meta.is_dir() => Err(io::Error::other("it is a folder")),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if path.symlink_metadata().is_ok() {
                return Err(io::Error::other("it is a link to a file that is not there"));
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

impl Whole {
    /// Begins to write; a file that is there keeps its permissions, unless only its owner may read it from now on.
    ///
    /// # Errors
    /// What the operating system reports.
    pub fn create(path: &Path, readers: Readers) -> io::Result<Whole> {
        let Some(place) = place(path)? else {
            return Ok(Whole::Straight(
                fs::OpenOptions::new().write(true).open(path)?,
            ));
        };
        let mode = match readers {
            Readers::Owner => 0o600,
            Readers::Usual => 0o666,
        };
        let folder = place.parent().unwrap_or(Path::new("/"));
        let file = tempfile::Builder::new()
            .prefix(".widetui-")
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder)?;
        if readers == Readers::Usual
            && let Ok(meta) = fs::metadata(&place)
        {
            file.as_file().set_permissions(meta.permissions())?;
        }
        Ok(Whole::Beside { file, place })
    }

    /// Puts what was written in its place. Without it nothing has happened.
    ///
    /// # Errors
    /// What the operating system reports.
    pub fn keep(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Whole::Straight(_) => Ok(()),
            Whole::Beside { file, place } => {
                file.as_file().sync_all()?;
                file.persist(place).map_err(|e| e.error)?;
                Ok(())
            }
        }
    }
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Whole::Beside { file, .. } => file.write(bytes),
            Whole::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Whole::Beside { file, .. } => file.flush(),
            Whole::Straight(file) => file.flush(),
        }
    }
}

/// Writes a text as a whole file.
///
/// # Errors
/// What the operating system reports; nothing has changed then.
pub fn write(path: &Path, text: &str, readers: Readers) -> io::Result<()> {
    let mut file = Whole::create(path, readers)?;
    file.write_all(text.as_bytes())?;
    file.keep()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_as_a_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "before").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("a", &link).unwrap();
        let mut half = Whole::create(&link, Readers::Usual).unwrap();
        half.write_all(b"ha").unwrap();
        drop(half);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        write(&link, "after", Readers::Usual).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        // Not through a link to who knows where, and not into a folder.
        std::os::unix::fs::symlink("nowhere", folder.path().join("broken")).unwrap();
        assert!(write(&folder.path().join("broken"), "x", Readers::Usual).is_err());
        assert!(write(folder.path(), "x", Readers::Usual).is_err());
        let own = folder.path().join("own");
        write(&own, "x", Readers::Owner).unwrap();
        assert_eq!(own.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
