//! Parsing of time zones.

use std::path::Path;

use super::timeparse::parse_offset;
use super::zone::{NamedZone, ZONE_FOLDERS, Zone, ZoneError};

impl Zone {
    /// Parses `UTC` (also `GMT`, `Z`), `local`, an offset (`+02:00`, `-0600`, `+02`) or a name such as
    /// `America/Chicago`. Keywords may be in any case, names are case-sensitive.
    ///
    /// # Errors
    ///
    /// If `text` is none of these, or a name and the machine has no zone files.
    pub fn parse(text: &str) -> Result<Self, ZoneError> {
        let text = text.trim();
        if ["utc", "gmt", "z"]
            .iter()
            .any(|utc| text.eq_ignore_ascii_case(utc))
        {
            return Ok(Self::Utc);
        }
        if text.eq_ignore_ascii_case("local") {
            return Ok(Self::Local);
        }
        if let Some(offset_s) = parse_offset(text.as_bytes()) {
            return Ok(Self::Fixed(offset_s));
        }
        NamedZone::load(text, &ZONE_FOLDERS).map(Self::Named)
    }
}

/// Names in the tz database of this machine; empty if it has no zone files.
pub fn zone_names() -> Vec<String> {
    let mut names = Vec::new();
    let folders = || ZONE_FOLDERS.iter().map(Path::new);
    if let Some(folder) = folders().find(|folder| folder.is_dir()) {
        collect_names(folder, "", &mut names);
    }
    names
}

/// Adds the names of the zone files in a folder; `prefix` is the folder's part of the names.
fn collect_names(folder: &Path, prefix: &str, names: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Other files are lists in lower case or with an extension; `posix` and `right` repeat all zones.
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains('.') {
            continue;
        }
        let name = format!("{prefix}{name}");
        match entry.path().is_dir() {
            true => collect_names(&entry.path(), &format!("{name}/"), names),
            false => names.push(name),
        }
    }
}
