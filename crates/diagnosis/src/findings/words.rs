//! Headings, closing summary and limits of a diagnosis, in words.

use widetui_core::diag;
use widetui_core::words::{grouped, listed, several};
use widetui_store::{EventRef, Snapshot};
use widetui_time::time::format_datetime;
use widetui_time::zone::Zone;

use crate::findings::finding::{Finding, FindingKind};
use crate::unfinished::model::UnfinishedWork;
use crate::unfinished::words::{absent, again, missing};
use widetui_analysis::entity::AllInstances;
use widetui_definition::meaning::Severity;
use widetui_ingest::clocks;

/// Above what to do about a finding.
pub const NEXT: &str = "Next:";
/// Above findings that need nobody's care.
pub const WORTH_KNOWING: &str = "worth knowing";
/// Above what the data does not tell.
pub const UNKNOWN: &str = "not known from these logs";

/// Sources with problems that are named.
const NAMED: usize = 3;

/// How bad it is, in a word.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// How often, for a finding that stands for several; empty for one.
pub fn times(count: u64) -> String {
    match count {
        0 | 1 => String::new(),
        n => format!("{n} times"),
    }
}

/// The title of a finding, and how often, where that is the number of records that are alike: other titles count
/// themselves what they are about.
pub fn counted(finding: &Finding) -> String {
    let title = &finding.title;
    match (finding.kind, times(finding.count)) {
        (FindingKind::Errors | FindingKind::Exception, times) if !times.is_empty() => {
            format!("{title} ({times})")
        }
        _ => title.clone(),
    }
}

/// Whether the title of a finding says of how many things it tells: what it counts beside that (what failed with them, the
/// records of a loss) would be another number of something else.
pub fn counts_itself(finding: &Finding) -> bool {
    matches!(
        finding.kind,
        FindingKind::Failures | FindingKind::Hung | FindingKind::Lost
    )
}

/// The first line of a message that says anything.
pub fn first_line(message: &str) -> &str {
    let line = message.lines().map(str::trim).find(|l| !l.is_empty());
    line.unwrap_or_default()
}

/// Date and time of an event, with as many digits as it has.
pub fn moment(event: &EventRef<'_>, zone: &Zone) -> Option<String> {
    let digits = if event.source().coarse { 0 } else { 3 };
    let time = event.time()?;
    Some(format_datetime(time, zone.offset_at_utc(time), digits))
}

/// `2 errors, 1 warning`.
pub fn heading(findings: &[Finding]) -> String {
    let of = |severity| findings.iter().filter(|f| f.severity == severity).count();
    match (of(Severity::Error), of(Severity::Warning)) {
        (0, 0) => "no error, no warning".to_owned(),
        (0, n) => several(n, "warning"),
        (n, 0) => several(n, "error"),
        (n, m) => format!("{}, {}", several(n, "error"), several(m, "warning")),
    }
}

/// What it comes to.
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
        // Of logs that name no work it would say too much that nothing is wrong with it.
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
    // As they are counted on the screen: those that stand in several logs once.
    let copies = snapshot.copies.len();
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

/// How many records name a thing that may be one of several, in one sentence.
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

/// What the data does not tell, a sentence each.
pub(crate) fn unknown(
    snapshot: &Snapshot,
    found: &AllInstances,
    hung: &UnfinishedWork,
) -> Vec<String> {
    let mut out = Vec::new();
    if !hung.knows_goals {
        out.push("No tasks recognised, so unfinished work cannot be detected.".to_owned());
    }
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
    out.extend(clocks::words(&clocks::apart(sources)));
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
