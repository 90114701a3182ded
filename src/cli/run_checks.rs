//! Checks of a run after reading: logs were read, and shifted sources exist.

use std::collections::BTreeSet;

use widetui_core::diag::Severity;
use widetui_core::nearest::did_you_mean;
use widetui_core::words::several;
use widetui_store::{Snapshot, SourceTrait};

use super::output::{Failure, safe};

/// Checks that a log was read.
///
/// # Errors
/// No source is a log, or no log could be read.
pub fn check_logs(snapshot: &Snapshot) -> Result<(), Failure> {
    let own = || {
        snapshot
            .sources
            .iter()
            .filter(|s| !s.has_trait(SourceTrait::Facts))
    };
    let mut problems = snapshot.sources.iter().flat_map(|s| &s.problems);
    let is_broken = problems.any(|p| p.severity == Severity::Error);
    let has_logs = own().any(|s| s.is_log);
    if has_logs && !(is_broken && snapshot.is_empty()) {
        return Ok(());
    }
    let all = several(own().count(), "source");
    let lists = "`widetui sources` lists what was found";
    // Damaged sources were reported before.
    if is_broken {
        let text = format!("so nothing could be read, in {all}; {lists}");
        return Err(Failure::Message(text));
    }
    let kinds: BTreeSet<&str> = own().map(|s| s.layout.as_str()).collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    Err(Failure::Message(format!(
        "nothing could be read: {all}, and no log among them ({}); {lists}",
        safe(&kinds.join(", "))
    )))
}

/// Checks that the sources of `--shift` exist.
///
/// # Errors
/// No source has the path or the tag; the message suggests a similar one.
pub fn check_shifts(snapshot: &Snapshot, shifts: &[String]) -> Result<(), Failure> {
    match unknown_shifts(snapshot, shifts).pop() {
        Some((_, text)) => Err(Failure::Message(text)),
        None => Ok(()),
    }
}

/// Shifts of sources that do not exist, with messages.
pub fn unknown_shifts(snapshot: &Snapshot, shifts: &[String]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for shift in shifts {
        let name = shift.rsplit_once('=').map_or(shift.as_str(), |s| s.0);
        let logs = || snapshot.sources.iter().filter(|s| s.is_log);
        // Every name contains the empty one.
        if !name.is_empty() && logs().any(|s| s.path.contains(name) || s.tag == name) {
            continue;
        }
        let files = logs().map(|s| s.path.rsplit('/').next().unwrap_or(&s.path));
        let hint = did_you_mean(name, logs().map(|s| s.tag.as_str()).chain(files));
        let text = format!(
            "--shift {shift}: no source has `{name}` in its path or as its tag (`widetui sources` lists them){hint}"
        );
        out.push((shift.clone(), text));
    }
    out
}
