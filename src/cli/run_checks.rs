//! Checks of a run after reading: logs were read, and shifted sources exist.

use std::collections::BTreeSet;

use widetui_core::cancel::Cancel;
use widetui_core::diag::Severity;
use widetui_core::nearest::did_you_mean;
use widetui_core::words::several;
use widetui_join::{Join, JoinRule, Report, TypedJoin};
use widetui_query::{Expr, select};
use widetui_session::user_joins::OPTIONS;
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

/// True if records take part in an extraction.
fn has_records(snapshot: &Snapshot, join: &Join) -> bool {
    let JoinRule::Extraction(rule) = &join.rule else {
        return true;
    };
    let only = rule.condition().unwrap_or(&Expr::All);
    // A command is never cancelled.
    select(snapshot, only, &Cancel::default()).is_some_and(|records| !records.is_empty())
}

/// Messages about joins of the arguments that widen nothing; without a report a join was not needed.
pub fn idle_typed_joins(snapshot: &Snapshot, joins: &[Join], reports: &[Report]) -> Vec<String> {
    let keys = &snapshot.catalog.keys;
    let message = |join: &Join| {
        let (kind, line) = TypedJoin::of(join)?;
        // Constants and new names make their keys.
        let made = match kind {
            TypedJoin::Constant | TypedJoin::Rename => &[],
            TypedJoin::Imply | TypedJoin::Bracket => join.right_keys(),
        };
        let mut needed = join.left_keys().iter().chain(made);
        let unknown = needed.find(|key| keys.find(key).is_none());
        let report = reports.iter().find(|report| report.join == join.name);
        let why = match (unknown, kind) {
            (Some(key), _) => {
                let hint = did_you_mean(key, keys.iter().map(|view| &*view.key.name));
                format!("no record has the key `{key}`{hint}")
            }
            (None, _) if !report.is_some_and(Report::is_idle) => return None,
            (None, TypedJoin::Constant) if !has_records(snapshot, join) => {
                "no source has this name (`widetui sources` lists them)".to_owned()
            }
            (None, _) => {
                let text = "its records have a value already, or receive another one from another join and keep none";
                text.to_owned()
            }
        };
        Some(format!("--{} '{line}' widens nothing: {why}", kind.name()))
    };
    let typed = { joins.iter() }.filter(|join| join.system.as_deref() == Some(OPTIONS));
    typed.filter_map(message).collect()
}
