//! Workspace files: found by the identity of a run, read, and written atomically.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use widetui_definition::error::FileText;
use widetui_source::atomic_file::{self, FileReaders};
use widetui_store::Snapshot;

use super::{Saved, VERSION, run_identity};

/// Maximum number of files examined for one that belongs to a run, latest first.
const LOOKED_AT: usize = 300;
/// Maximum size of a workspace file in bytes; a longer file is none.
const LONGEST: u64 = 16 << 20;
/// Maximum length of the part of a file name that describes the opened paths.
const TITLE: usize = 40;

/// Reads a workspace.
///
/// # Errors
/// A message for the user: the file cannot be read, is no workspace, or has a later format version.
pub fn read(path: &Path) -> Result<Saved, String> {
    let name = path.display().to_string();
    let cannot = |e: io::Error| format!("{name}: cannot be read: {e}");
    if fs::metadata(path).map_err(cannot)?.len() > LONGEST {
        return Err(format!("{name}: too large for a workspace file"));
    }
    let text = fs::read_to_string(path).map_err(cannot)?;
    let origin = FileText {
        file: &name,
        text: &text,
    };
    let saved: Saved = toml::from_str(&text).map_err(|e| origin.toml_error(&e).to_string())?;
    if saved.version > VERSION {
        return Err(format!("{name}: written by a later version of widetui"));
    }
    Ok(saved)
}

/// Finds the latest workspace in a folder that belongs to a run. Other files are skipped.
pub fn find(folder: &Path, snapshot: &Snapshot, roots: &[String]) -> Option<(PathBuf, Saved)> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut files: Vec<_> = entries
        .filter(|e| e.path().extension().is_some_and(|e| e == "toml"))
        .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    let read = |(_, path): (_, PathBuf)| Some((read(&path).ok()?, path));
    let mut saved = files.into_iter().take(LOOKED_AT).filter_map(read);
    saved
        .find(|(saved, _)| run_identity::fits(snapshot, roots, &saved.source))
        .map(|(saved, path)| (path, saved))
}

/// Returns the path of a new workspace file.
pub fn new_path(folder: &Path, saved: &Saved) -> PathBuf {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    };
    let title: String = saved.title.chars().map(plain).collect();
    let start = title.len().saturating_sub(TITLE);
    let title = title[start..].trim_matches(['-', '.']);
    folder.join(format!(
        "{title}-{}.toml",
        run_identity::name(&saved.source)
    ))
}

/// Returns `path`, or if it exists, a free path beside it: `mine-2.toml`.
pub fn free(path: &Path) -> PathBuf {
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
    let part = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned());
    let stem = part(path.file_stem()).unwrap_or_default();
    let end = part(path.extension()).map_or(String::new(), |end| format!(".{end}"));
    let beside = |n: u32| path.with_file_name(format!("{stem}-{n}{end}"));
    let mut all = std::iter::once(path.to_owned()).chain((2..=u32::MAX).map(beside));
    all.find(is_free).unwrap_or_else(|| path.to_owned())
}

/// Writes a workspace atomically, readable by its owner only.
///
/// # Errors
/// A message for the user.
pub fn write(path: &Path, saved: &Saved) -> Result<(), String> {
    let cannot = |e: &dyn std::fmt::Display| format!("{}: cannot be written: {e}", path.display());
    let body = toml::to_string(saved).map_err(|e| cannot(&e))?;
    let text = format!("# A workspace of widetui: `widetui --replay THIS` shows it again.\n{body}");
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(|e| cannot(&e))?;
    atomic_file::write(path, &text, FileReaders::Owner).map_err(|e| cannot(&e))
}
