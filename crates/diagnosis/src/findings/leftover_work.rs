//! Findings of work items that were unfinished when their run ended properly, and of the reasons for that.

use crate::unfinished::model::{UnfinishedItem, WaitState};
use widetui_analysis::runs::Run;
use widetui_core::ids::EventId;
use widetui_core::words::{cut, listed, plural, several};
use widetui_definition::meaning::Severity;

use crate::findings::context::Context;
use crate::findings::exceptions;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Reasons that are told.
const REASONS: usize = 4;
/// Things whose failed tries are read.
const READ: usize = 200;
/// Characters of a reason.
const REASON: usize = 100;
/// Things of one reason that are called by their names.
const CALLED: usize = 5;

/// WorkItemCounts that did not end before their run ended properly.
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
        caused: Vec::new(),
        kind: FindingKind::Hung,
        severity: Severity::Warning,
        title: format!(
            "{} did not end before their run did",
            several(all.len(), &first.title)
        ),
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
        thing: match all.len() {
            1 => Some((first.entity.clone(), first.id.clone())),
            _ => None,
        },
        count: all.len() as u64,
        first: first.since,
        last: None,
        next: "Does the program wait for all that it starts?".to_owned(),
    })
}

/// That nobody was there to take them, a sentence for each place, if it was so.
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

/// Why tries of them had failed before, and the records that tell. What was tried again did not fail, so nothing else tells of it.
fn failed_tries(look: &mut Context<'_>, all: &[&UnfinishedItem]) -> (String, Vec<EventId>) {
    let mut reasons: Vec<(String, String, Vec<String>)> = Vec::new();
    let mut shown = Vec::new();
    let failed = all.iter().filter_map(|s| Some((s, s.failed_try?)));
    for (stuck, event) in failed.take(READ) {
        let message = look.message(event);
        let exception = exceptions::read(&message).map(|e| e.line);
        let exception = exception.filter(|line| !line.is_empty());
        let line = exception.unwrap_or_else(|| look.line(event));
        // The numbers of things and tries do not make it another reason.
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
