//! Closing summary and limits of a diagnosis.

use widetui_analysis::entity::AllInstances;
use widetui_core::diag;
use widetui_core::words::{grouped, listed, several};
use widetui_definition::semantics::Severity;
use widetui_ingest::clocks;
use widetui_store::Snapshot;

use crate::finding::Finding;
use crate::unfinished::model::UnfinishedWork;
use crate::unfinished::words::{absent, missing};

/// Maximum number of faulty sources listed by name.
const NAMED: usize = 3;

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
        // Without recognised work, "no problem found" would claim too much.
        (0, 0) if hung.goals.iter().all(|g| g.begun == 0) => {
            "No record reports a problem.".to_owned()
        }
        (0, 0) => "No problem found in these logs.".to_owned(),
        (0, n) => format!("No error; {}.", several(n, "warning")),
        (n, 0) => format!("{}.", several(n, "error")),
        (n, m) => format!("{} and {}.", several(n, "error"), several(m, "warning")),
    };
    for goals in hung.goals.iter().filter(|g| g.begun > 0) {
        let open = goals.begun - goals.ended - goals.again;
        let all = goals.counted();
        let neutral: usize = goals.neutral.values().sum();
        let failed = goals.failed - goals.unsure;
        let well = goals.ended - goals.failed - neutral;
        let ended = match goals.unstated {
            0 => "succeeded",
            _ => "ended",
        };
        let open_yet = match hung.hanging().any(|s| hung.is_alive(s.run)) {
            true => "has not ended yet",
            false => "did not end",
        };
        let states = goals.neutral.iter();
        let states = states.map(|(state, n)| (*n, ended_in(state)));
        let others = [
            (failed, "failed".to_owned()),
            (goals.unsure, "raised an exception".to_owned()),
        ];
        let others = others.into_iter().chain(states);
        let again = (goals.again, "had ended and were open again".to_owned());
        let others = others.chain([again, (open, open_yet.to_owned())]);
        // Where all ended in a state that is no result, none is said to have succeeded.
        let first = Some((well, ended.to_owned())).filter(|_| well > 0 || neutral == 0);
        let ends = first.into_iter().chain(others.filter(|(n, _)| *n > 0));
        let ends: Vec<(usize, String)> = ends.collect();
        out += &match &ends[..] {
            [(_, end)] if goals.begun == 1 => format!(" The one {} {end}.", goals.one()),
            [(_, end)] => format!(" All {all} {end}."),
            ends => {
                let ends = ends.iter().map(|(n, end)| format!("{n} {end}"));
                format!(" Of {all} {}.", ends.collect::<Vec<_>>().join(", "))
            }
        };
        let is_unstated = goals.unstated > 0 || well == 0 && neutral > 0;
        if is_unstated && goals.failed == 0 {
            out += " No record states whether they succeeded.";
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

/// Words for an end in a state; the name of a state is not always a word.
fn ended_in(state: &str) -> String {
    match state.contains(|c: char| c.is_uppercase() || c == '_') {
        true => format!("ended as {state}"),
        false => state.to_owned(),
    }
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
