//! Lines of input kept across sessions: one file in the folder of workspaces, one line per entry (kind, tab, text), the
//! latest last. Sessions append to it, so several can run at once.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use widetui_source::atomic_file::{self, FileReaders};
use widetui_source::folder_lock::FolderLock;

/// Name of the file.
const FILE: &str = "input-history";
/// Size of the file from which on its older half is dropped, bytes.
const LONGEST: usize = 128 << 10;

/// Path of the file.
fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Reads kind and text of each entry, the latest last; none if there is no file.
///
/// # Errors
/// A message for the user: the file cannot be read, or is no text.
pub fn read(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let path = path(folder);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: cannot be read: {error}", path.display())),
    };
    if text.len() > LONGEST {
        let dropped = drop_older_half(folder, &path);
        dropped.map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
    }
    let entries = text.lines().filter_map(|line| line.split_once('\t'));
    Ok(entries
        .map(|(kind, text)| (kind.to_owned(), text.to_owned()))
        .collect())
}

/// Drops the older half of the entries, unless another session did.
fn drop_older_half(folder: &Path, path: &Path) -> io::Result<()> {
    let _turn = FolderLock::acquire(folder);
    let text = fs::read_to_string(path)?;
    if text.len() <= LONGEST {
        return Ok(());
    }
    let later = text.len() - LONGEST / 2;
    let start = text.as_bytes()[later..].iter().position(|b| *b == b'\n');
    let kept = start.and_then(|start| text.get(later + start + 1..));
    atomic_file::write(path, kept.unwrap_or_default(), FileReaders::Owner)
}

/// Appends an entry. A text of several lines is not kept.
///
/// # Errors
/// A message for the user: the file cannot be written.
pub fn append(folder: &Path, kind: &str, text: &str) -> Result<(), String> {
    if text.contains(['\n', '\r']) {
        return Ok(());
    }
    let path = path(folder);
    let write = || {
        // An entry in a file that is being replaced would be lost.
        let _turn = FolderLock::acquire(folder);
        fs::create_dir_all(folder)?;
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create(true).mode(0o600).open(&path)?;
        // One write, so that entries of several sessions do not mix.
        file.write_all(format!("{kind}\t{text}\n").as_bytes())
    };
    write().map_err(|error: io::Error| format!("{}: cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_back_and_the_oldest_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        assert_eq!(read(&state), Ok(Vec::new()));
        append(&state, "filter", "a = \t1").unwrap();
        append(&state, "search", "größe").unwrap();
        append(&state, "search", "two\nlines").unwrap();
        let own = |kind: &str, text: &str| (kind.to_owned(), text.to_owned());
        let both = vec![own("filter", "a = \t1"), own("search", "größe")];
        assert_eq!(read(&state), Ok(both));
        let long = "x".repeat(1000);
        for n in 0..200 {
            append(&state, "filter", &format!("{n} {long}")).unwrap();
        }
        assert_eq!(read(&state).unwrap().len(), 202);
        let left = read(&state).unwrap();
        assert!(
            left.len() < 100 && left[0].1.ends_with(&long),
            "{}",
            left.len()
        );
        assert!(left.last().unwrap().1.starts_with("199 "));
        fs::write(path(&state), [0xff, b'\n']).unwrap();
        assert!(read(&state).is_err());
    }
}
