//! Long waits for locks, reported at any level: no side fails, but the waiting one loses the time.

use std::collections::BTreeMap;

use widetui_core::ids::{EventId, SourceId};
use widetui_core::level::Level;
use widetui_core::words::{begins_a_word, several};
use widetui_definition::semantics::Severity;
use widetui_definition::words::WordsDef;
use widetui_time::time::{NS_PER_SECOND, format_span};

use crate::findings::causes::timeouts::longest_duration;
use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Shortest wait of a finding, ns.
const LONG: i64 = 5 * NS_PER_SECOND;
/// Maximum number of records about locks that are read.
const READ: usize = 20_000;

/// A wait for a lock.
struct Wait {
    /// Record with its longest duration.
    event: EventId,
    /// Duration, ns.
    length: i64,
    /// First record about the wait.
    first: EventId,
}

/// Finding of the long waits for locks; `None` when cancelled.
pub(crate) fn find(look: &mut Context<'_>) -> Option<Vec<Finding>> {
    let words = &look.snapshot.catalog.words;
    let may_report =
        |level, template: &str| level < Level::Error && is_about_a_lock(words, template);
    let mut records = look.records_with(may_report)?;
    records.sort_by_key(|id| (look.time(*id), *id));
    // Records about one wait have the same process or name.
    let mut waits: BTreeMap<(SourceId, String), Wait> = BTreeMap::new();
    for id in records.into_iter().take(READ) {
        let is_free = !look.claimed.contains(&id.0);
        let line = look.line(id);
        let source = look.snapshot.event(id).map(|e| e.source().id);
        let (Some(source), Some(length)) = (source.filter(|_| is_free), longest_duration(&line))
        else {
            continue;
        };
        let wait = waits.entry((source, waiter(&line))).or_insert(Wait {
            event: id,
            length,
            first: id,
        });
        if length > wait.length {
            (wait.event, wait.length) = (id, length);
        }
    }
    let mut long: Vec<Wait> = waits.into_values().filter(|w| w.length >= LONG).collect();
    long.sort_by_key(|wait| (-wait.length, wait.event));
    let Some(longest) = long.first() else {
        return Some(Vec::new());
    };
    let holder =
        { long.iter().flat_map(|wait| [wait.first, wait.event]) }.find_map(|id| holder(look, id));
    let line = look.line(longest.event);
    let mut events: Vec<EventId> = long
        .iter()
        .flat_map(|wait| [wait.first, wait.event])
        .collect();
    events.extend(holder.as_ref().map(|(id, _)| *id));
    events.sort_unstable();
    events.dedup();
    look.claimed.extend(events.iter().map(|id| id.0));
    let mut evidence = vec![longest.event];
    evidence.extend(holder.as_ref().map(|(id, _)| *id));
    let more = events.iter().filter(|id| !evidence.contains(id)).copied();
    let more: Vec<EventId> = more.take(EVIDENCE - evidence.len()).collect();
    evidence.extend(more);
    let by_whom = holder.map_or_else(String::new, |(_, line)| {
        format!(" Its log names the holder: \"{line}\".")
    });
    let event = look.snapshot.event(longest.event);
    let is_well = event.is_some_and(|event| look.went_well(&event));
    Some(vec![Finding {
        text: format!(
            "{} of {} or longer for locks in {}.{by_whom}",
            several(long.len(), "wait"),
            format_span(LONG),
            look.tag(longest.event),
        ),
        count: long.len() as u64,
        first: look.time(longest.first),
        evidence,
        events,
        next:
            "Find what the holder of the lock did meanwhile, and let it give the lock back earlier."
                .to_owned(),
        ..Finding::new(
            FindingKind::Slow,
            match is_well {
                true => Severity::Info,
                false => Severity::Warning,
            },
            format!("Waited {} for a lock: {line}", format_span(longest.length)),
        )
    }])
}

/// True if a text reports a wait for a lock or its end.
fn is_about_a_lock(words: &WordsDef, text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_wait =
        { words.waits.iter().chain(&words.waited) }.any(|word| begins_a_word(&lower, word));
    let is_part = |c: char| !(c.is_alphanumeric() || c == '_');
    let is_lock = |word: &str| {
        let lower = word.to_lowercase();
        word.ends_with("Lock") || words.locks.contains(&lower)
    };
    is_wait && text.split(is_part).any(is_lock)
}

/// Process or thread that waits: the first word with a digit.
fn waiter(line: &str) -> String {
    let mut words = line.split_whitespace();
    let found = words.find(|word| word.contains(|c: char| c.is_ascii_digit()));
    found.unwrap_or_default().to_owned()
}

/// Record or line that names the holder of a lock, at the record of a wait or directly behind it.
fn holder(look: &mut Context<'_>, wait: EventId) -> Option<(EventId, String)> {
    let words = &look.snapshot.catalog.words;
    let names = |line: &&str| {
        let line = line.to_lowercase();
        words.holds.iter().any(|word| begins_a_word(&line, word))
    };
    let next = look.next_at_once(wait);
    [Some(wait), next].into_iter().flatten().find_map(|id| {
        let message = look.message(id);
        let line = message.lines().find(names)?;
        Some((id, line.trim().trim_end_matches('.').to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_format::definitions::systems::Systems;

    #[test]
    fn waits_for_locks_are_no_blocks() {
        let words = Systems::builtin().words();
        for text in [
            "process {} still waiting for RowExclusiveLock on relation {} after {} ms",
            "process {} acquired RowExclusiveLock on relation {} after {} ms",
            "waited {} s for the lock of table a",
            "acquired mutex {} in {} s",
        ] {
            assert!(is_about_a_lock(&words, text), "{text}");
        }
        for text in [
            "waiting for block {} for {} s",
            "lock file removed",
            "waited {} s for the clock",
        ] {
            assert!(!is_about_a_lock(&words, text), "{text}");
        }
    }
}
