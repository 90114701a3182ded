//! Headings, closing summary and limits of a diagnosis, in words.

use std::borrow::Cow;

use widetui_core::diag;
use widetui_core::words::{grouped, listed, several};
use widetui_store::{EventRef, Snapshot};
use widetui_time::time::format_datetime;
use widetui_time::zone::Zone;

use crate::findings::finding::{Finding, FindingKind};
use crate::unfinished::model::UnfinishedWork;
use crate::unfinished::words::{absent, again, missing};
use widetui_analysis::entity::AllInstances;
use widetui_definition::semantics::Severity;
use widetui_ingest::clocks;

/// Heading of the suggested next step.
pub const NEXT: &str = "Next:";
/// Heading of the address of documentation.
pub const MORE: &str = "More:";
/// Heading of informational findings.
pub const WORTH_KNOWING: &str = "worth knowing";
/// Heading of the limits of the data.
pub const UNKNOWN: &str = "not known from these logs";

/// Maximum number of faulty sources listed by name.
const NAMED: usize = 3;

/// Name of a severity.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// Number of occurrences; empty for one.
pub fn times(count: u64) -> String {
    match count {
        0 | 1 => String::new(),
        n => format!("{n} times"),
    }
}

/// Title of a finding with the number of records, if that is the number of similar records: other titles contain their
/// own count.
pub fn counted(finding: &Finding) -> String {
    let title = &finding.title;
    match (finding.kind, times(finding.count)) {
        (FindingKind::Errors | FindingKind::Exception, times) if !times.is_empty() => {
            format!("{title} ({times})")
        }
        _ => title.clone(),
    }
}

/// Whether the title of a finding contains its own count; a count of records or affected work would be a different
/// number.
pub fn counts_itself(finding: &Finding) -> bool {
    matches!(
        finding.kind,
        FindingKind::Failures | FindingKind::Hung | FindingKind::Lost
    )
}

/// First line of a message that is not blank.
pub fn first_line(message: &str) -> &str {
    let line = message.lines().map(str::trim).find(|l| !l.is_empty());
    line.unwrap_or_default()
}

/// First line of a message that is not blank, with the next ones as long as it ends in a colon, comma or stars: `Error in f(x) :`
/// introduces what failed; with the line that names the error if it is a place alone: `/srv/app/index.js:7`. Tracebacks are
/// reported by their last line.
pub(crate) fn opening(message: &str) -> Cow<'_, str> {
    let mut lines = message.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines.next().unwrap_or_default();
    let is_place = !first.contains(' ') && first.contains('/') && first.contains(':');
    if is_place {
        return match lines.find(|line| names_error(line)) {
            Some(error) => Cow::Owned(format!("{first} {error}")),
            None => Cow::Borrowed(first),
        };
    }
    let mut out = Cow::Borrowed(first);
    // What an exception of C++ says stands below its class.
    let mut spoken = lines
        .clone()
        .filter_map(|line| line.strip_prefix("what():"));
    if let Some(spoken) = spoken.next() {
        return Cow::Owned(format!("{out}: {}", spoken.trim()));
    }
    let lines = lines.filter(|line| line.contains(char::is_alphanumeric));
    for next in lines.take(CONTINUED) {
        let introduces = out.ends_with([':', ',']) || out.ends_with(" ***");
        if !introduces || next.starts_with("Traceback ") {
            break;
        }
        out = Cow::Owned(format!("{out} {next}"));
    }
    out
}

/// Maximum number of lines that continue the first one of a message.
const CONTINUED: usize = 3;

/// True if a line begins with the name of an error and a colon: `TypeError: bad shape`.
fn names_error(line: &str) -> bool {
    let name = line.split_once(": ").map_or("", |(name, _)| name);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    name.chars().all(is_name) && (name.ends_with("Error") || name.ends_with("Exception"))
}

/// Date and time of an event at the resolution of its source.
pub fn moment(event: &EventRef<'_>, zone: &Zone) -> Option<String> {
    let digits = if event.source().coarse { 0 } else { 3 };
    let time = event.time()?;
    Some(format_datetime(time, zone.offset_at_utc(time), digits))
}

/// Number of findings by severity: `2 errors, 1 warning`.
pub fn heading(findings: &[Finding]) -> String {
    let of = |severity| findings.iter().filter(|f| f.severity == severity).count();
    match (of(Severity::Error), of(Severity::Warning)) {
        (0, 0) => "no error, no warning".to_owned(),
        (0, n) => several(n, "warning"),
        (n, 0) => several(n, "error"),
        (n, m) => format!("{}, {}", several(n, "error"), several(m, "warning")),
    }
}

/// Summary of a diagnosis.
pub(crate) fn summary<'f>(
    snapshot: &Snapshot,
    hung: &UnfinishedWork,
    findings: impl Iterator<Item = &'f Finding> + Clone,
) -> String {
    let of = |severity| {
        { findings.clone() }
            .filter(|f| f.severity == severity)
            .count()
    };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let sources = snapshot.sources.iter().filter(|s| s.is_log).count();
    let mut out = match (errors, warnings) {
        // Without recognised work, "nothing is wrong" would claim too much.
        (0, 0) if hung.goals.iter().all(|g| g.begun == 0) => {
            "No record reports a problem.".to_owned()
        }
        (0, 0) => "No problem found in these logs.".to_owned(),
        (0, n) => format!("No error; {}.", several(n, "warning")),
        (n, 0) => format!("{}.", several(n, "error")),
        (n, m) => format!("{} and {}.", several(n, "error"), several(m, "warning")),
    };
    for goals in hung.goals.iter().filter(|g| g.begun > 0) {
        let open = goals.begun - goals.ended;
        let all = goals.counted();
        let well = goals.ended - goals.failed;
        let failed = goals.failed - goals.unsure;
        let told = match (failed, goals.unsure) {
            (n, 0) => format!("{n} failed"),
            (0, m) => format!("{m} raised an exception"),
            (n, m) => format!("{n} failed, {m} raised an exception"),
        };
        let ended = match goals.neutral {
            0 => "succeeded",
            _ => "ended",
        };
        let open_yet = match hung.hanging().any(|s| hung.is_alive(s.run)) {
            true => "has not ended yet",
            false => "did not end",
        };
        out += &match (goals.failed, open) {
            (0, 0) if goals.begun == 1 => format!(" The one {} {ended}.", goals.one()),
            (0, 0) => format!(" All {all} {ended}."),
            (_, 0) => format!(" Of {all} {well} {ended}, {told}."),
            (0, n) => format!(" Of {all} {well} {ended}, {n} {open_yet}."),
            (_, m) => format!(" Of {all} {well} {ended}, {told}, {m} {open_yet}."),
        };
        if goals.neutral > 0 && goals.failed == 0 {
            out += " No record states whether they succeeded.";
        }
        if let Some(again) = again(goals) {
            out += &format!(" {again}");
        }
    }
    // Counted as on screen: duplicate records count once.
    let copies = snapshot.duplicates.len();
    let folded = match copies {
        0 => String::new(),
        1 => " (1 duplicate record ignored)".to_owned(),
        n => format!(" ({} duplicate records ignored)", grouped(n as u64)),
    };
    out += &format!(
        " Examined {} of {}{folded}.",
        several(snapshot.len().saturating_sub(copies), "record"),
        several(sources, "log")
    );
    out
}

/// Sentence on the records that name an instance ambiguously.
fn undecided(found: &AllInstances) -> Option<String> {
    let of = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let all = found.occurring.iter().filter(|i| i.undecided_events > 0);
    let mut named = all.map(|all| (of(all.undecided_events), with_article(&all.entity.title)));
    let (first, thing) = named.next()?;
    let verb = if first == 1 { "names" } else { "name" };
    let mut parts = vec![format!("{} {verb} {thing}", several(first, "record"))];
    parts.extend(named.map(|(n, thing)| format!("{n} {thing}")));
    let end = match (parts.len(), first) {
        (1, 1) => ", and was left out.",
        (1, _) => ", and were left out.",
        _ => ": they were left out.",
    };
    let said = listed(&parts, parts.len());
    Some(format!("{said} without stating its run{end}"))
}

fn with_article(title: &str) -> String {
    match title
        .to_ascii_lowercase()
        .starts_with(['a', 'e', 'i', 'o', 'u'])
    {
        true => format!("an {title}"),
        false => format!("a {title}"),
    }
}

/// Limits of the data, a sentence each.
pub(crate) fn unknown(
    snapshot: &Snapshot,
    found: &AllInstances,
    hung: &UnfinishedWork,
) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(hung.status().unknown().map(str::to_owned));
    for goals in hung.goals.iter().filter(|g| g.begun > 0 && g.unknown > 0) {
        let more = several(goals.unknown, &format!("more {}", goals.title));
        out.push(match goals.unknown {
            1 => format!("{more} is named, but no record says what became of it."),
            _ => format!("{more} are named, but no record says what became of them."),
        });
    }
    out.extend(hung.goals.iter().filter_map(absent));
    out.extend(missing(hung));
    let sources = snapshot.sources.iter().map(AsRef::as_ref);
    out.extend(clocks::words(&clocks::find_offsets(sources)));
    out.extend(undecided(found));
    let problems = snapshot.sources.iter().flat_map(|s| s.problems.iter());
    let mut paths: Vec<&str> = Vec::new();
    for problem in problems.filter(|d| d.severity != diag::Severity::Note) {
        if !paths.contains(&problem.path.as_str()) {
            paths.push(&problem.path);
        }
    }
    if !paths.is_empty() {
        let more = match paths.len().saturating_sub(NAMED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let named = paths[..paths.len().min(NAMED)].join(", ");
        out.push(format!(
            "{} could not be read in full: {named}{more}. The view and the command \"sources\" say why.",
            several(paths.len(), "source")
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::opening;

    #[test]
    fn a_colon_introduces_the_next_line() {
        for (message, title) in [
            (
                "Error in f(x) : \n  no package\nCalls: g",
                "Error in f(x) : no package",
            ),
            ("Deadlock:\n=====\n\"pool-1\":", "Deadlock: \"pool-1\":"),
            ("failed:\nTraceback (most recent call last):\n", "failed:"),
            ("\nfailed\nbelow", "failed"),
            (
                "/srv/index.js:7\n    throw new TypeError('bad shape');\n    ^\n\nTypeError: bad shape\n    at f",
                "/srv/index.js:7 TypeError: bad shape",
            ),
            (
                "[n1:8] *** Process received signal ***\n[n1:8] Signal: Bus error (7)",
                "[n1:8] *** Process received signal *** [n1:8] Signal: Bus error (7)",
            ),
            ("", ""),
        ] {
            assert_eq!(opening(message), title);
        }
    }
}
