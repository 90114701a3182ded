//! Findings of work items that were unfinished when their run ended properly, and of the reasons for that.

use crate::unfinished::model::{UnfinishedItem, WaitState};
use widetui_analysis::runs::Run;
use widetui_core::ids::EventId;
use widetui_core::words::{cut, listed, plural, several};
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::exceptions;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Maximum number of reasons in the text.
const REASONS: usize = 4;
/// Maximum number of work items whose failed attempts are read.
const READ: usize = 200;
/// Maximum length of a reason, characters.
const REASON: usize = 100;
/// Maximum number of work items listed by name for a reason.
const CALLED: usize = 5;

/// Finding of work items that were unfinished at the proper end of their run.
pub(crate) fn left_behind(look: &mut Context<'_>) -> Option<Finding> {
    let hung = look.hung;
    let all: Vec<&UnfinishedItem> = hung
        .stuck
        .iter()
        .filter(|s| s.standing == WaitState::LeftBehind)
        .collect();
    let first = all.first()?;
    let names: Vec<&str> = all.iter().take(8).map(|s| s.number()).collect();
    let more = if all.len() > names.len() { " ..." } else { "" };
    let run = first.run.and_then(|r| hung.runs.get(r));
    let mut evidence: Vec<EventId> = all.iter().filter_map(|s| s.last_event).take(3).collect();
    evidence.extend(run.and_then(|r| r.end_event));
    let state = first.state.as_deref().unwrap_or("begun");
    let (tried, shown) = failed_tries(look, &all);
    evidence.extend(shown);
    let nobody = nobody(&all);
    Some(Finding {
        text: format!(
            "{} {}{more} (the first one was {state}). Their {} ended properly without them: the program did not wait for \
             their results, or was interrupted.{nobody}{tried}",
            match all.len() {
                1 => first.title.clone(),
                _ => plural(&first.title),
            },
            names.join(", "),
            run.map(Run::name).unwrap_or_else(|| "run".to_owned())
        ),
        evidence,
        events: all.iter().filter_map(|s| s.last_event).collect(),
        subject: match all.len() {
            1 => Some((first.entity.clone(), first.id.clone())),
            _ => None,
        },
        count: all.len() as u64,
        first: first.since,
        next: "Does the program wait for all that it starts?".to_owned(),
        ..Finding::new(
            FindingKind::Hung,
            Severity::Warning,
            format!(
                "{} did not end before their run did",
                several(all.len(), &first.title)
            ),
        )
    })
}

/// Sentences on the places without resources to take them; empty if there were resources.
fn nobody(all: &[&UnfinishedItem]) -> String {
    let mut told: Vec<(String, &UnfinishedItem)> = Vec::new();
    for stuck in all {
        if let Some(nobody) = &stuck.known.nobody
            && !told.iter().any(|(_, s)| {
                let known = s.known.nobody.as_ref();
                known.is_some_and(|k| (&k.title, &k.place) == (&nobody.title, &nobody.place))
            })
        {
            told.push((nobody.words(), stuck));
        }
    }
    let told = told.iter().take(REASONS);
    told.map(|(words, _)| format!(" {words}")).collect()
}

/// Reasons of their earlier failed attempts, and the records of these. A retried item did not fail, so no other
/// finding reports them.
fn failed_tries(look: &mut Context<'_>, all: &[&UnfinishedItem]) -> (String, Vec<EventId>) {
    let mut reasons: Vec<(String, String, Vec<String>)> = Vec::new();
    let mut shown = Vec::new();
    let failed = all.iter().filter_map(|s| Some((s, s.failed_try?)));
    for (stuck, event) in failed.take(READ) {
        let message = look.message(event);
        let exception = exceptions::read(&message).map(|e| e.line);
        let exception = exception.filter(|line| !line.is_empty());
        let line = exception.unwrap_or_else(|| look.line(event));
        // Numbers of items and attempts do not distinguish reasons.
        let kind: String = line.chars().filter(|c| !c.is_ascii_digit()).collect();
        let number = stuck.number().to_owned();
        match reasons.iter_mut().find(|known| known.0 == kind) {
            Some(known) => known.2.push(number),
            None => {
                reasons.push((kind, cut(&line, REASON), vec![number]));
                shown.push(event);
            }
        }
    }
    let Some(first) = all.first().filter(|_| !reasons.is_empty()) else {
        return (String::new(), Vec::new());
    };
    let title = &first.title;
    let told = reasons.iter().take(REASONS).map(|(_, line, numbers)| {
        let what = match numbers.len() {
            1 => title.clone(),
            _ => plural(title),
        };
        format!("{what} {}: \"{line}\"", listed(numbers, CALLED))
    });
    let told: Vec<String> = told.collect();
    let more = match reasons.len().saturating_sub(REASONS) {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    let words = format!(
        " Attempts of them had failed before: {}{more}.",
        told.join("; ")
    );
    shown.truncate(EVIDENCE);
    (words, shown)
}
