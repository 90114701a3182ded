//! Lines without a time below the records of a log: those below the last one, with which a program, its runtime or a shell
//! often states why it ended, and those between records, which its commands print.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use widetui_analysis::runs::last_events;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::cut;
use widetui_definition::semantics::Severity;
use widetui_definition::words::WordsDef;
use widetui_format::json::dialect::OriginalForm;
use widetui_store::SourceTrait;

use crate::findings::attached_exceptions::TRACEBACK;
use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::printed_data;
use crate::findings::process_output;
use crate::findings::suspicious_words;
use crate::findings::words::opening;

/// Maximum number of logs whose last record is read.
const READ: usize = 500;
/// Maximum number of records that are read for lines between records.
const MOST_READ: usize = 5_000;
/// Maximum length of a title, characters.
const LINE: usize = 160;

/// Findings of problems below the last records of logs.
pub(crate) fn find(look: &mut Context<'_>) -> Vec<Finding> {
    let last = last_events(look.snapshot).into_iter().flatten();
    let last: Vec<EventId> = last.filter(|id| may_end(look, *id)).take(READ).collect();
    last.into_iter()
        .filter_map(|id| finding(look, id))
        .collect()
}

/// True if a record is of a log of lines and is not reported by itself.
fn may_end(look: &Context<'_>, id: EventId) -> bool {
    let is_below = look
        .snapshot
        .event(id)
        .is_some_and(|e| e.level() < Level::Warning);
    is_below && may_hold(look, id)
}

/// True if a record is of a log of lines, has no more than a warning, and is not reported by itself.
fn may_hold(look: &Context<'_>, id: EventId) -> bool {
    let is_claimed = look.claimed.contains(&id.0);
    let event = look.snapshot.event(id).filter(|_| !is_claimed);
    event.is_some_and(|event| {
        let source = event.source();
        let form = source.reader.as_ref().map(|reader| reader.original_form());
        source.is_log
            && event.time().is_some()
            && event.level() <= Level::Warning
            && form == Some(OriginalForm::Lines)
            && !source.has_trait(SourceTrait::Table)
            && look.snapshot.duplicates.original_of(id.0).is_none()
            && !look.is_after_end(&event)
    })
}

/// Maximum number of kinds of problems with a finding each.
const KINDS: usize = 6;

/// Warnings of problems in lines without a time between the records of logs, as shells and their commands print them; one
/// for each kind. Of data with errors in `known`, only lines that begin with this level, before the first of these errors, whose
/// cause they may be.
pub(crate) fn between(look: &mut Context<'_>, known: &[Finding]) -> Vec<Finding> {
    let snapshot = look.snapshot;
    let errors = known.iter().filter(|f| f.severity == Severity::Error);
    let end = match errors.filter_map(|f| f.first).min() {
        Some(first) => snapshot.place_of_time(first.saturating_add(1)),
        None => snapshot.len(),
    };
    let is_known = |id: &EventId| {
        known
            .iter()
            .any(|f| f.events.contains(id) || f.evidence.contains(id))
    };
    let events = (0..end).filter_map(|place| snapshot.at(place));
    let ids: Vec<EventId> = { events.filter(|event| event.may_have_continuation()) }
        .map(|event| event.id)
        .filter(|id| may_hold(look, *id) && !is_known(id))
        .take(MOST_READ)
        .collect();
    let mut kinds: BTreeMap<String, Vec<EventId>> = BTreeMap::new();
    for id in ids {
        let is_well = snapshot.event(id).is_some_and(|e| look.went_well(&e));
        let message = look.message(id);
        let line = problem(&snapshot.catalog.words, &message).filter(|_| !is_well);
        if let Some(line) = line {
            kinds
                .entry(opening(line).into_owned())
                .or_default()
                .push(id);
        }
    }
    let has_errors = known.iter().any(|f| f.severity == Severity::Error);
    let kinds = kinds.into_iter();
    let mut kinds: Vec<(String, Vec<EventId>)> = kinds
        .filter(|(line, _)| !has_errors || severity(line) == Severity::Error)
        .collect();
    kinds.sort_by_key(|(_, events)| (Reverse(events.len()), events.first().copied()));
    kinds.truncate(KINDS);
    let findings = kinds.into_iter().filter_map(|(line, events)| {
        let first = *events.first()?;
        let (caller, line) = match python_warning(&line) {
            Some((place, warning)) => (Some(place), warning.to_owned()),
            None => (None, line),
        };
        Some(Finding {
            caller,
            text: format!("Line without a time below a record of {}.", look.tag(first)),
            evidence: events.iter().take(EVIDENCE).copied().collect(),
            count: events.len() as u64,
            events,
            first: look.time(first),
            ..Finding::new(FindingKind::Errors, severity(&line), cut(&line, LINE))
        })
    });
    findings.collect()
}

/// Place and text of a warning as Python prints it: `/srv/app/run.py:14: RuntimeWarning: overload`.
fn python_warning(line: &str) -> Option<(String, &str)> {
    let (place, warning) = line.split_once(": ")?;
    let (class, _) = warning.split_once(": ")?;
    let (file, number) = place.rsplit_once(".py:")?;
    let is_warning = class.ends_with("Warning") && number.parse::<u32>().is_ok();
    let name = file.rsplit('/').next().unwrap_or(file);
    is_warning.then(|| (format!("{name}.py:{number}"), warning))
}

/// Severity of a line without a time, by the level that it begins with: `error: x`, `pg_dump: error: x`.
fn severity(line: &str) -> Severity {
    let lower = line.to_lowercase();
    let is_level = |part: &str| {
        let mut words = part.split(|c: char| !c.is_alphanumeric());
        words
            .next()
            .is_some_and(|word| matches!(word, "error" | "fatal"))
    };
    let is_error = lower.split(": ").take(2).any(is_level);
    match is_error {
        true => Severity::Error,
        false => Severity::Warning,
    }
}

/// Record directly before another one of its log, and the first line without a time below it that reports a problem: what a
/// command printed before its script noted that it failed.
pub(crate) fn printed_before(look: &mut Context<'_>, id: EventId) -> Option<(EventId, String)> {
    let source = look.snapshot.event(id)?.source().id;
    let before = look.snapshot.event(EventId(id.0.checked_sub(1)?))?;
    if before.source().id != source || !before.may_have_continuation() {
        return None;
    }
    let before = before.id;
    if !may_hold(look, before) {
        return None;
    }
    let message = look.message(before);
    let found = problem(&look.snapshot.catalog.words, &message).or_else(|| tool_line(&message))?;
    Some((before, opening(found).into_owned()))
}

/// Last line of a message below the first one, if a tool wrote it about an object: `tar: a.dat: file changed as we read it`.
fn tool_line(message: &str) -> Option<&str> {
    let line = message.lines().skip(1).last()?;
    let (tool, rest) = line.split_once(": ")?;
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.+".contains(c);
    let is_tool = tool.starts_with(|c: char| c.is_ascii_lowercase()) && tool.chars().all(is_part);
    (is_tool && rest.contains(": ")).then_some(line)
}

fn finding(look: &mut Context<'_>, id: EventId) -> Option<Finding> {
    let message = look.message(id);
    let line = problem(&look.snapshot.catalog.words, &message)?;
    let event = look.snapshot.event(id)?;
    let (severity, note) = match look.went_well(&event) {
        true => (
            Severity::Warning,
            " All work of the run succeeded, so it did no lasting harm.",
        ),
        false => (Severity::Error, process_output::ENDED),
    };
    let before = printed_before(look, id);
    let said = before
        .as_ref()
        .map(|(_, line)| format!(" Below the record before it: \"{}\".", cut(line, LINE)));
    let events: Vec<EventId> = before
        .map(|(before, _)| before)
        .into_iter()
        .chain([id])
        .collect();
    Some(Finding {
        text: format!(
            "Line without a time below the last record of {}.{note}{}",
            look.tag(id),
            said.unwrap_or_default()
        ),
        evidence: events.clone(),
        events,
        count: 1,
        first: event.time(),
        ..Finding::new(FindingKind::Errors, severity, cut(&opening(line), LINE))
    })
}

/// Text from the first line on, below the first one, that begins with the level of an error or else reports a problem. Tracebacks are reported as exceptions; indented lines and
/// printed values belong to what the record lists.
fn problem<'m>(words: &WordsDef, message: &'m str) -> Option<&'m str> {
    if message.contains(TRACEBACK) {
        return None;
    }
    let is_problem = |line: &str| {
        !line.starts_with([' ', '\t'])
            && suspicious_words::message(words, line)
            && !printed_data::is_printed(line, false)
    };
    let ends = message.match_indices('\n').map(|(at, _)| at + 1);
    let line = |from: usize| message[from..].lines().next().unwrap_or_default();
    let problems: Vec<usize> = ends.filter(|from| is_problem(line(*from))).collect();
    // A runtime may print details before it names the error.
    let mut named = problems.iter();
    let named = named.find(|from| line(**from).to_lowercase().starts_with("fatal"));
    let from = *named.or(problems.first())?;
    Some(&message[from..])
}

#[cfg(test)]
mod tests {
    use super::{problem, python_warning, tool_line};
    use widetui_format::definitions::systems::Systems;

    #[test]
    fn warnings_of_python_have_a_place() {
        let line = "/srv/app/run.py:14: RuntimeWarning: overload: 3 of 2";
        assert_eq!(
            python_warning(line),
            Some(("run.py:14".to_owned(), "RuntimeWarning: overload: 3 of 2"))
        );
        assert_eq!(python_warning("run.py:14: error: bad"), None);
    }

    #[test]
    fn lines_of_tools_name_an_object() {
        let line = "tar: data/run_0412.raw: file changed as we read it";
        assert_eq!(tool_line(&format!("packing\n{line}")), Some(line));
        for message in [
            line,
            "packing\nslope: 0.2",
            "packing\nNote: a: b",
            "packing\n3: a: b",
        ] {
            assert_eq!(tool_line(message), None, "{message}");
        }
    }

    #[test]
    fn only_a_line_at_the_margin_reports_the_end() {
        let words = Systems::builtin().words();
        let end =
            "step 4 of 9\nforrtl: severe (64): input conversion error, unit 5\n  in read_mesh";
        assert_eq!(
            problem(&words, end),
            Some("forrtl: severe (64): input conversion error, unit 5\n  in read_mesh")
        );
        for message in [
            "step 4 failed",
            "step 4 of 9\nelapsed 3.2 s",
            "options:\n  on error: abort",
            "caught\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'",
        ] {
            assert_eq!(problem(&words, message), None, "{message}");
        }
    }
}
