//! New files: nothing is ever overwritten, and nothing is written among the opened logs.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use widetui_source::atomic_file::{AtomicFile, FileReaders};

use super::{Body, Content, FileExtensions};

/// Maximum number of names tried: `name`, `name-2`, `name-3`.
const NAMES: usize = 1000;

/// Destination of exported files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// Typed name. If it has a known extension, only that file is written.
    pub name: String,
    /// Opened paths; nothing is written in folders among these.
    pub opened: Vec<PathBuf>,
}

/// Returns the default folder: the first of the current one, the user's home and the temporary folder that is not within
/// the opened paths.
pub fn default_folder(opened: &[PathBuf]) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    let folders = [Some(here), home(), Some(std::env::temp_dir())];
    let mut folders = folders.into_iter().flatten();
    let is_free = |folder: &PathBuf| folder.is_dir() && owner(folder, opened).is_none();
    folders.find(is_free).unwrap_or_default()
}

/// Returns the opened path that contains a folder.
fn owner<'o>(folder: &Path, opened: &'o [PathBuf]) -> Option<&'o Path> {
    let folder = folder.canonicalize().ok()?;
    let contains = |root: &&PathBuf| {
        let root = root.canonicalize().ok();
        root.is_some_and(|r| r.is_dir() && folder.starts_with(r))
    };
    opened.iter().find(contains).map(PathBuf::as_path)
}

/// Returns the reason why nothing may be written to a folder, if any.
pub(super) fn refused(folder: &Path, opened: &[PathBuf]) -> Option<String> {
    let root = owner(folder, opened)?;
    Some(format!(
        "{} is inside the opened logs ({}): choose another folder",
        folder.display(),
        root.display()
    ))
}

/// Files to write: their folder and base name.
#[derive(Debug)]
pub(super) struct Target {
    folder: PathBuf,
    stem: String,
    pub(crate) endings: Vec<&'static str>,
}

/// Writes all contents under one base name, or none of them.
///
/// # Errors
/// A message for the user.
pub(super) fn write(target: &Target, contents: Vec<Content<'_>>) -> Result<Vec<PathBuf>, String> {
    let Target { folder, stem, .. } = target;
    for number in 1..=NAMES {
        let path = |content: &Content<'_>| {
            let name = match number {
                1 => format!("{stem}.{}", content.ending),
                n => format!("{stem}-{n}.{}", content.ending),
            };
            folder.join(name)
        };
        // All files get the same number, so that they are recognisable as a group.
        if contents.iter().any(|c| path(c).symlink_metadata().is_ok()) {
            continue;
        }
        let mut written: Vec<PathBuf> = Vec::new();
        let taken = contents.iter().find_map(|content| {
            let path = path(content);
            match new_file(&path, &content.body) {
                Ok(()) => {
                    written.push(path);
                    None
                }
                Err(error) => Some((path, error)),
            }
        });
        let Some((path, error)) = taken else {
            return Ok(written);
        };
        for path in &written {
            let _ = fs::remove_file(path);
        }
        if error.kind() != io::ErrorKind::AlreadyExists {
            return Err(format!("{}: cannot be written: {error}", path.display()));
        }
    }
    Err(format!(
        "{}: there are {NAMES} files with this name: choose another name",
        folder.join(stem).display()
    ))
}

/// Creates a file that did not exist, as a whole.
fn new_file(path: &Path, body: &Body<'_>) -> io::Result<()> {
    let file = AtomicFile::create(path, FileReaders::Umask)?;
    let mut file = BufWriter::new(file);
    match body {
        Body::Bytes(bytes) => file.write_all(bytes)?,
        Body::Written(write) => write(&mut file)?,
    }
    file.into_inner()?.commit_new()
}

/// Parses a destination for files with these extensions.
///
/// # Errors
/// A message for the user.
pub(super) fn target(place: &Destination, endings: FileExtensions) -> Result<Target, String> {
    let name = place.name.trim();
    let path = match (name.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(name),
    };
    let file = path.file_name().map(|n| n.to_string_lossy().into_owned());
    let Some(file) = file.filter(|_| !name.ends_with('/')) else {
        return Err(format!("`{name}` is not a file name"));
    };
    let (stem, endings) = match file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        None => (file, endings.bare.to_vec()),
        Some((stem, ending)) => match endings.all.iter().find(|e| **e == ending) {
            Some(ending) => (stem.to_owned(), vec![*ending]),
            None => {
                return Err(format!(
                    "this view cannot be written as .{ending}, only as {endings}"
                ));
            }
        },
    };
    let here = std::env::current_dir().unwrap_or_default();
    let folder = here.join(path.parent().unwrap_or(Path::new("")));
    let folder = folder
        .canonicalize()
        .map_err(|error| format!("{}: no such folder: {error}", folder.display()))?;
    match refused(&folder, &place.opened) {
        Some(reason) => Err(reason),
        None => Ok(Target {
            folder,
            stem,
            endings,
        }),
    }
}

/// Returns a name for the run, derived from the opened paths; empty if nothing was opened.
pub fn run_name(opened: &[PathBuf]) -> String {
    match opened {
        [] => String::new(),
        [one] if one.as_os_str() == "." => std::env::current_dir()
            .ok()
            .and_then(|d| Some(d.file_name()?.to_string_lossy().into_owned()))
            .unwrap_or_else(|| ".".to_owned()),
        [one] if one.as_os_str() == "-" => "standard input".to_owned(),
        [one] => one.to_string_lossy().trim_end_matches('/').to_owned(),
        [one, more @ ..] => format!("{} and {} more", one.to_string_lossy(), more.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files of a view that has a picture and numbers.
    fn written(place: &Destination) -> Result<Vec<PathBuf>, String> {
        let target = target(
            place,
            FileExtensions::with_report(&["svg", "csv", "html", "md"]),
        )?;
        let content = |ending: &&'static str| Content {
            ending,
            body: Body::Bytes(ending.as_bytes().to_vec()),
        };
        let contents = target.endings.iter().map(content).collect();
        write(&target, contents)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_overwritten_and_both_files_have_one_number() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| Destination {
            name: folder.path().join(name).display().to_string(),
            opened: Vec::new(),
        };
        fs::write(folder.path().join("plot.csv"), "mine").unwrap();
        let paths = written(&place("plot")).unwrap();
        assert!(paths[0].ends_with("plot-2.svg"), "{paths:?}");
        written(&place("plot.v2.svg")).unwrap();
        written(&place("only.csv")).unwrap();
        let expected = [
            "only.csv",
            "plot-2.csv",
            "plot-2.svg",
            "plot.csv",
            "plot.v2.svg",
        ];
        assert_eq!(names(folder.path()), expected);
        let mine = fs::read_to_string(folder.path().join("plot.csv")).unwrap();
        assert_eq!(mine, "mine");
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, opened: &[&Path]| {
            let place = Destination {
                name: folder.path().join(name).display().to_string(),
                opened: opened.iter().map(|p| p.to_path_buf()).collect(),
            };
            written(&place).unwrap_err()
        };
        assert!(at("no/such", &[]).contains("no such folder"));
        assert!(at("x/", &[]).contains("is not a file name"));
        let logs = at("x", &[folder.path()]);
        assert!(logs.contains("is inside the opened logs"), "{logs}");
        fs::create_dir(folder.path().join("below")).unwrap();
        assert!(at("below/x", &[folder.path()]).contains("is inside the opened logs"));
        assert_eq!(names(folder.path()), ["below"]);
        for name in ["x.txt", "x.v2", "x.", "x.csv.gz"] {
            let error = at(name, &[]);
            assert!(
                error.ends_with(", only as .svg, .csv, .html or .md"),
                "{error}"
            );
        }
        assert_eq!(names(folder.path()), ["below"]);
    }
}
