//! Unfinished steps of programs without known work items: a begin without the end that others of its kind have, and a wait
//! as the last record of all logs.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::begins_a_word;
use widetui_definition::semantics::Severity;
use widetui_definition::words::WordsDef;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::unreceived;

/// Minimum number of steps that have both a begin and an end.
const ENDED: usize = 2;
/// Maximum number of records of a kind of steps that are read.
const READ: usize = 20_000;

/// Part of a step that a template reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Begin,
    End,
}

/// Template about a step: literal text before its id, and the part. The id is the last variable before the word of the
/// state: `chunk[{}]: chunk {}: begin`.
fn step<'t>(words: &WordsDef, template: &'t str) -> Option<(&'t str, Part)> {
    let ids = template.rmatch_indices("{}");
    let mut ids = ids.map(|(at, id)| (&template[..at], &template[at + id.len()..]));
    let found = ids.find_map(|(before, behind)| Some((before, part(words, behind)?)));
    let (before, part) = found.or_else(|| {
        let text = template.to_lowercase();
        let is_failed = has(&words.failed_states, &text);
        Some((template.split_once("{}")?.0, Part::End)).filter(|_| is_failed)
    })?;
    let literal = before.rsplit("{}").next()?;
    let is_named = literal.contains(|c: char| c.is_alphabetic());
    is_named.then_some((literal, part))
}

/// Part that the text behind an id reports, unless it reports both.
fn part(words: &WordsDef, behind: &str) -> Option<Part> {
    let text = behind.to_lowercase();
    let is_end = has(&words.final_states, &text)
        || has(&words.failed_states, &text)
        || has(&words.ready, &text);
    match (has(&words.begin, &text), is_end) {
        (true, false) => Some(Part::Begin),
        (false, true) => Some(Part::End),
        _ => None,
    }
}

fn has(stems: &[String], text: &str) -> bool {
    stems.iter().any(|stem| begins_a_word(text, stem))
}

/// Value behind a literal text, and the text behind the value.
fn id_behind<'l>(line: &'l str, literal: &str) -> Option<(&'l str, &'l str)> {
    let rest = &line[line.find(literal)? + literal.len()..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | ')' | ';'));
    let (id, behind) = rest.split_at(end.unwrap_or(rest.len()));
    (!id.is_empty()).then_some((id, behind))
}

/// Findings of unfinished steps; `None` when cancelled.
pub(crate) fn find(look: &mut Context<'_>) -> Option<Vec<Finding>> {
    let snapshot = look.snapshot;
    let catalog = &snapshot.catalog;
    let steps: Vec<Option<(&str, Part)>> = { catalog.templates.iter() }
        .map(|t| step(&catalog.words, &t.text))
        .collect();
    let mut records: BTreeMap<&str, Vec<(EventId, Part)>> = BTreeMap::new();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        if look.cancel.is_cancelled() {
            return None;
        }
        for group in &segment.groups {
            let shape = catalog.shapes.get(group.shape.index());
            let step = shape.and_then(|shape| *steps.get(shape.template.index())?);
            let Some((literal, part)) = step else {
                continue;
            };
            let ids = group.rows.iter().map(|row| EventId(base + u32::from(*row)));
            let ids = ids.filter(|id| is_undefined(look, *id));
            let known = records.entry(literal).or_default();
            known.extend(
                ids.take(READ.saturating_sub(known.len()))
                    .map(|id| (id, part)),
            );
        }
    }
    let found = records.into_iter();
    let mut out: Vec<Finding> = { found }
        .filter_map(|(literal, records)| without_end(look, literal, records))
        .collect();
    if out.is_empty() {
        out.extend(last_wait(look));
    }
    Some(out)
}

/// True if a record is no duplicate, and its log is of a system without known work items.
fn is_undefined(look: &Context<'_>, id: EventId) -> bool {
    let has_work_items = |system: &String| {
        let mut known = look.found.work_items();
        known.any(|instances| instances.entity.system == *system)
    };
    let event = look.snapshot.event(id);
    event.is_some_and(|e| !e.source().system.as_ref().is_some_and(has_work_items))
        && look.snapshot.duplicates.original_of(id.0).is_none()
}

/// Numbers of begins and ends of a step, and its last begin.
struct Step {
    begun: usize,
    ended: usize,
    last: EventId,
}

/// Finding of the steps without the end that others of their kind have.
fn without_end(
    look: &mut Context<'_>,
    literal: &str,
    mut records: Vec<(EventId, Part)>,
) -> Option<Finding> {
    let has_part = |part: Part| records.iter().any(|record| record.1 == part);
    if !has_part(Part::Begin) || !has_part(Part::End) {
        return None;
    }
    records.sort_unstable_by_key(|record| record.0);
    let mut steps: FxHashMap<String, Step> = FxHashMap::default();
    let mut end = String::new();
    for (event, part) in records {
        let line = look.line(event);
        let Some((id, behind)) = id_behind(&line, literal) else {
            continue;
        };
        let step = steps.entry(id.to_owned()).or_insert(Step {
            begun: 0,
            ended: 0,
            last: event,
        });
        match part {
            Part::Begin => {
                step.begun += 1;
                step.last = event;
            }
            Part::End => {
                step.ended += 1;
                if end.is_empty() {
                    behind.trim_matches([' ', ':', ',']).clone_into(&mut end);
                }
            }
        }
    }
    let ended = steps.values().filter(|s| s.begun > 0 && s.ended >= s.begun);
    let ended = ended.count();
    let open = steps.values().filter(|s| s.begun > s.ended);
    let mut open: Vec<EventId> = open.map(|s| s.last).collect();
    open.sort_by_key(|id| (look.time(*id), id.0));
    let first = *open.first()?;
    if ended < ENDED || open.len() > ended {
        return None;
    }
    let more = match open.len() {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    let line = look.line(first);
    Some(finding(
        look,
        format!("Begun without an end: \"{line}\"{more}"),
        format!(
            "{ended} others of its kind went on to \"{end}\". Its process may hang, or have died without a message."
        ),
        open,
    ))
}

/// Finding of logs whose last record reports a wait.
fn last_wait(look: &mut Context<'_>) -> Option<Finding> {
    let event = look.snapshot.at(look.snapshot.len().checked_sub(1)?)?;
    let last = event.id;
    if event.level() >= Level::Error || !is_undefined(look, last) {
        return None;
    }
    let line = look.line(last);
    if !is_wait(&look.snapshot.catalog.words, &line) {
        return None;
    }
    let title = format!("The logs end with a wait: \"{line}\"");
    let text = "No later record reports the end of the wait.";
    let Some((sent, sentence)) = unreceived::before(look, last) else {
        return Some(finding(look, title, text.to_owned(), vec![last]));
    };
    let events = [last].into_iter().chain(sent).collect();
    Some(Finding {
        count: 1,
        next: "Who should have received these: does a process read that queue, topic or address, under the same name, and do its \
               settings agree with the sender's?"
            .to_owned(),
        ..finding(
            look,
            format!("{title}; no other log mentions what it sent"),
            format!("{text}{sentence}"),
            events,
        )
    })
}

fn is_wait(words: &WordsDef, line: &str) -> bool {
    has(&words.waits, &line.to_lowercase())
}

fn finding(look: &Context<'_>, title: String, text: String, events: Vec<EventId>) -> Finding {
    Finding {
        text,
        evidence: events.iter().take(EVIDENCE).copied().collect(),
        count: events.len() as u64,
        first: events.first().and_then(|e| look.time(*e)),
        events,
        next: "Look at the last records of its process, and at those of others at that time."
            .to_owned(),
        ..Finding::new(FindingKind::Hung, Severity::Warning, title)
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, id_behind, is_wait, step};
    use widetui_format::definitions::systems::Systems;

    #[test]
    fn a_step_is_named_by_the_variable_before_its_state() {
        let words = Systems::builtin().words();
        for (template, expected) in [
            ("chunk[{}]: chunk {}: begin", ("]: chunk ", Part::Begin)),
            ("task {} started on node {}", ("task ", Part::Begin)),
            ("worker {}: ready", ("worker ", Part::End)),
            ("replica {} finished in {} s", ("replica ", Part::End)),
            ("failed: job {}", ("failed: job ", Part::End)),
        ] {
            assert_eq!(step(&words, template), Some(expected), "{template}");
        }
        for template in [
            "{} begins",
            "start of the run",
            "iteration {} of {}",
            "step {} started and finished",
        ] {
            assert_eq!(step(&words, template), None, "{template}");
        }
    }

    #[test]
    fn an_id_ends_before_its_separator() {
        assert_eq!(
            id_behind("chunk[17]: chunk 5: begin", "]: chunk "),
            Some(("5", ": begin"))
        );
        assert_eq!(
            id_behind("task a-7 started", "task "),
            Some(("a-7", " started"))
        );
        assert_eq!(id_behind("no step", "task "), None);
    }

    #[test]
    fn waits_are_words() {
        let words = Systems::builtin().words();
        let is_wait = |line| is_wait(&words, line);
        assert!(is_wait("Waiting for 3 of 8 workers") && is_wait("blocked on lock a"));
        assert!(!is_wait("awaited 3 s, done") && !is_wait("unblocked"));
    }
}
