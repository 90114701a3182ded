//! Failed attempts: the report of the last attempt before a program gave up states why it did.

use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::cut;
use widetui_definition::semantics::Severity;
use widetui_definition::words::WordsDef;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::suspicious_words;

/// Maximum distance between the reports of the last attempt and of giving up, records.
const BEFORE: u32 = 4;
/// Maximum length of the quoted attempt in a title, characters.
const QUOTED: usize = 120;

/// Notes the last failed attempt of each finding in which a program gives up. Quotes it in the title unless another
/// finding reports it.
pub(crate) fn find(look: &mut Context<'_>, findings: &mut [Finding]) {
    for at in 0..findings.len() {
        let Some((event, attempt)) = last_attempt(look, &findings[at]) else {
            continue;
        };
        look.attempts.insert(event, attempt);
        let line = look.line(attempt);
        let is_reported = |f: &Finding| f.severity > Severity::Info && f.events.contains(&attempt);
        if !findings.iter().any(is_reported) && !findings[at].title.contains(&line) {
            findings[at].title += &format!(": {}", cut(&line, QUOTED));
        }
    }
}

/// Record in which a program gave up, and the report of its last attempt, which the finding does not cover.
fn last_attempt(look: &mut Context<'_>, own: &Finding) -> Option<(EventId, EventId)> {
    let kinds = [
        FindingKind::Hint,
        FindingKind::Errors,
        FindingKind::Exception,
    ];
    if !kinds.contains(&own.kind) || own.severity < Severity::Warning {
        return None;
    }
    let mut evidence = own.evidence.iter();
    let event = *evidence.find(|event| look.time(**event).is_some())?;
    let words = &look.snapshot.catalog.words;
    if !gives_up(words, &own.title) && !gives_up(words, &look.line(event)) {
        return None;
    }
    let attempt = problem_before(look, event)?;
    (!own.events.contains(&attempt)).then_some((event, attempt))
}

fn gives_up(words: &WordsDef, text: &str) -> bool {
    let text = text.to_lowercase();
    { words.gives_up.iter() }.any(|word| text.contains(word))
}

/// Warning or problem in the same log directly before a record.
fn problem_before(look: &mut Context<'_>, event: EventId) -> Option<EventId> {
    let source = look.snapshot.event(event)?.source().id;
    for distance in 1..=BEFORE {
        let before = EventId(event.0.checked_sub(distance)?);
        let record = look.snapshot.event(before)?;
        if record.source().id != source {
            return None;
        }
        let level = record.level();
        let words = &look.snapshot.catalog.words;
        if level >= Level::Warning
            || level == Level::Unknown && suspicious_words::message(words, &look.message(before))
        {
            return Some(before);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::gives_up;
    use widetui_format::definitions::systems::Systems;

    #[test]
    fn the_last_of_several_attempts_is_giving_up() {
        let words = Systems::builtin().words();
        for text in [
            "Giving up on chunk 7",
            "upload failed after 5 attempts",
            "Max retries exceeded with url: /v1/jobs",
            "no route after 3 tries",
        ] {
            assert!(gives_up(&words, text), "{text}");
        }
        for text in ["attempt 2 of 5 failed", "retrying in 3 s", "entries: 3"] {
            assert!(!gives_up(&words, text), "{text}");
        }
    }
}
