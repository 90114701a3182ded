//! Broken connections beside what the other side wrote at that time: a server logs why it closed a connection, its client
//! only that it was closed.

use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::{cut, truncate_middle};
use widetui_definition::semantics::Severity;
use widetui_definition::words::WordsDef;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::suspicious_words;

/// Longest time from the record of the other side to that of the broken connection, ns.
const BEFORE: i64 = 2 * NS_PER_SECOND;
/// Longest time by which the record of the other side may be later, ns: it may log when it has cleaned up.
const BEHIND: i64 = NS_PER_SECOND;
/// Maximum number of records of that time that are read.
const READ: usize = 2_000;
/// Maximum length of the first part of a title with the line of the other side, characters.
const OWN: usize = 100;
/// Maximum length of the line of the other side, characters.
const LINE: usize = 120;

/// Adds the reason of the other side to findings of broken connections.
pub(crate) fn find(look: &mut Context<'_>, findings: &mut [Finding]) {
    for finding in findings {
        let quotes = matches!(finding.kind, FindingKind::Errors | FindingKind::Exception);
        if !quotes || finding.severity < Severity::Warning {
            continue;
        }
        let attempts = { finding.evidence.iter() }.filter_map(|id| look.attempts.get(id));
        let ids: Vec<EventId> = finding.evidence.iter().chain(attempts).copied().collect();
        let reason = ids.into_iter().find_map(|id| reason(look, id));
        let Some((event, line)) = reason.filter(|(event, _)| !finding.events.contains(event))
        else {
            continue;
        };
        let tag = look.tag(event);
        finding.title = format!(
            "{}: {tag}: {}",
            cut(&finding.title, OWN),
            truncate_middle(&line, LINE)
        );
        finding.text += &format!(" {tag}, the other side, wrote \"{line}\" at that time.");
        finding.evidence.push(event);
        finding.events.push(event);
        finding.next = format!("Look at the log of {tag} at that time: it ended the connection.");
    }
}

/// Nearest record about a connection that another log has at the time of a broken one, with a problem; and its first line.
fn reason(look: &mut Context<'_>, id: EventId) -> Option<(EventId, String)> {
    let snapshot = look.snapshot;
    let words = &snapshot.catalog.words;
    let has = |text: &str, list: &[String]| {
        let text = text.to_lowercase();
        list.iter().any(|word| text.contains(word.as_str()))
    };
    if !has(&look.message(id), &words.broken) {
        return None;
    }
    let own = snapshot.event(id)?;
    let (time, source) = (own.time()?, own.source().id);
    let places = snapshot.place_of_time(time.saturating_sub(BEFORE))..snapshot.len();
    // Times in whole seconds are cut off.
    let mut near: Vec<(bool, u64, EventId)> = { places.take(READ) }
        .filter_map(|place| snapshot.at(place))
        .take_while(|event| event.order_time() <= time.saturating_add(BEHIND))
        .filter(|event| {
            event.source().id != source
                && event.source().is_log
                && !look.harmless.contains(&event.id.0)
                && snapshot.duplicates.original_of(event.id.0).is_none()
        })
        .filter_map(|event| {
            let at = event.time()?;
            Some((at > time, at.abs_diff(time), event.id))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().find_map(|(_, _, event)| {
        let line = look.line(event);
        let is_reason =
            has(&line, &words.connections) && reports_problem(look, words, event, &line);
        is_reason.then_some((event, line))
    })
}

/// True if a record reports a problem by its level or, without one, by its words.
fn reports_problem(look: &Context<'_>, words: &WordsDef, id: EventId, line: &str) -> bool {
    match look.snapshot.event(id).map(|event| event.level()) {
        Some(Level::Unknown) => suspicious_words::message(words, line),
        level => level >= Some(Level::Warning),
    }
}
