//! Exceptions: tracebacks grouped by type and last place.

use rustc_hash::FxHashMap;

use crate::base::ids::EventId;
use crate::base::level::Level;
use crate::format::meaning::Severity;
use crate::query::{Expr, select};

use super::hint::EVIDENCE;
use super::look::{Look, cut};
use super::{Finding, Kind};

/// How a traceback begins, in all versions of Python.
const TRACEBACK: &str = "Traceback (most recent call last)";
/// Tracebacks that are read; those beyond are as a rule the same again.
const READ: usize = 5_000;

/// What a traceback says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exception {
    /// `ValueError`, without its module.
    pub name: String,
    /// The line that names it; empty when the text ends before it.
    pub line: String,
    /// The last place in it: file and line.
    pub place: String,
    /// The first exception of a chain, when there are several.
    pub origin: Option<String>,
}

/// Reads the traceback in a message; `None` when there is none.
pub(super) fn read(message: &str) -> Option<Exception> {
    let start = message.find(TRACEBACK)?;
    let mut out = Exception::default();
    let mut names: Vec<&str> = Vec::new();
    for line in message[start..].lines() {
        let text = line.trim();
        if let Some(rest) = text.strip_prefix("File \"") {
            let mut parts = rest.splitn(2, "\", line ");
            let file = parts.next().unwrap_or_default();
            let number = parts.next().unwrap_or_default();
            let number = number.split(|c: char| !c.is_ascii_digit()).next();
            let name = file.rsplit('/').next().unwrap_or(file);
            out.place = format!("{name}:{}", number.unwrap_or_default());
        } else if !line.starts_with([' ', '\t']) && is_exception(text) {
            names.push(text);
        }
    }
    if let Some(last) = names.last() {
        out.line = (*last).to_owned();
        out.name = name(last);
    }
    // In a chain the first one is the cause.
    if names.len() > 1 {
        out.origin = names.first().map(|l| (*l).to_owned());
    }
    Some(out)
}

/// Whether a line names an exception: `module.NameError: text`, `KeyboardInterrupt`.
pub(super) fn is_exception(line: &str) -> bool {
    let head = line
        .split(": ")
        .next()
        .unwrap_or(line)
        .trim_end_matches(':');
    let last = head.rsplit('.').next().unwrap_or(head);
    let is_name = !head.is_empty()
        && head
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let looks = [
        "Error",
        "Exception",
        "Warning",
        "Interrupt",
        "Exit",
        "Lost",
        "Timeout",
        "Failure",
    ];
    is_name
        && last.starts_with(|c: char| c.is_uppercase())
        && looks.iter().any(|l| last.ends_with(l))
}

fn name(line: &str) -> String {
    let head = line
        .split(": ")
        .next()
        .unwrap_or(line)
        .trim_end_matches(':');
    head.rsplit('.').next().unwrap_or(head).to_owned()
}

/// The events with tracebacks that nobody claimed, in time order; `None` when cancelled.
pub(super) fn events(look: &Look<'_>) -> Option<Vec<EventId>> {
    let expr = Expr::Text(TRACEBACK.to_owned());
    let found = select(look.snapshot, &expr, look.cancel)?;
    let ids = found.ordered(look.snapshot).into_iter();
    let is_free = |id: &u32| !look.claimed.contains(id) && look.snapshot.copies.of(*id).is_none();
    Some(ids.filter(is_free).map(EventId).collect())
}

/// Findings of the tracebacks that nobody explained.
pub(super) fn look(look: &mut Look<'_>) -> Option<Vec<Finding>> {
    let events = events(look)?;
    let mut groups: Vec<(Exception, Vec<EventId>)> = Vec::new();
    let mut of: FxHashMap<(String, String), usize> = FxHashMap::default();
    for id in events.iter().take(READ) {
        if look.cancel.is_cancelled() {
            return None;
        }
        let after_end = look
            .snapshot
            .event(*id)
            .is_some_and(|e| look.is_after_end(&e));
        look.claimed.insert(id.0);
        if after_end {
            continue;
        }
        let message = look.message(*id);
        let Some(mut exception) = read(&message) else {
            continue;
        };
        let mut shown = vec![*id];
        if exception.line.is_empty()
            && let Some((next, line)) = named_behind(look, *id)
        {
            exception.name = name(&line);
            exception.line = line;
            look.claimed.insert(next.0);
            shown.push(next);
        }
        let key = (exception.name.clone(), exception.place.clone());
        let at = *of.entry(key).or_insert_with(|| {
            groups.push((exception, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.extend(shown);
    }
    let mut out = Vec::new();
    for (exception, events) in groups {
        out.push(finding(look, &exception, &events));
    }
    Some(out)
}

/// The record behind one in its source, when it names the exception whose traceback ends there.
fn named_behind(look: &mut Look<'_>, id: EventId) -> Option<(EventId, String)> {
    let next = EventId(id.0.saturating_add(1));
    let here = look.snapshot.event(id)?.source().id;
    let event = look.snapshot.event(next)?;
    if event.source().id != here {
        return None;
    }
    let message = look.message(next);
    let line = message.lines().next()?.trim();
    is_exception(line).then(|| (next, cut(&message.replace('\n', " "), 200)))
}

fn finding(look: &mut Look<'_>, exception: &Exception, events: &[EventId]) -> Finding {
    let first = events[0];
    let event = look.snapshot.event(first);
    let went_well = event.as_ref().is_some_and(|e| look.went_well(e));
    let level = event.as_ref().map(|e| e.level()).unwrap_or_default();
    let is_grave = level >= Level::Error || level == Level::Unknown || level == Level::Info;
    let severity = match (went_well, is_grave) {
        (false, true) => Severity::Error,
        _ => Severity::Warning,
    };
    let what = match exception.line.as_str() {
        "" => "An exception (the text ends before its name)".to_owned(),
        line => cut(line, 120),
    };
    let head = look.line(first);
    let mut text = format!(
        "It came with \"{}\" in {}",
        cut(&head, 100),
        look.tag(first)
    );
    if !exception.place.is_empty() {
        text += &format!(", last place {}", exception.place);
    }
    text.push('.');
    if let Some(origin) = &exception.origin {
        text += &format!(
            " The first of the chain of exceptions is \"{}\".",
            cut(origin, 120)
        );
    }
    let is_once = events.len() == 1;
    Finding {
        kind: Kind::Exception,
        severity,
        title: match is_once {
            true => what,
            false => format!("{what} ({} times)", events.len()),
        },
        text,
        evidence: events.iter().take(EVIDENCE).copied().collect(),
        events: events.to_vec(),
        thing: None,
        count: events.len() as u64,
        first: look.time(first),
        last: None,
        next: "Read the whole traceback of the first one, and what its process did just before."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceback_is_known_by_its_last_line() {
        let text = "Task 3 failed\nTraceback (most recent call last):\n  File \"/a/b.py\", line 7, in f\n    raise X\n\
                    pkg.errors.BadThing: no\n";
        // Not every name that ends a traceback looks like an exception.
        assert_eq!(read(text).unwrap().line, "");
        let text = text.replace("BadThing", "BadError");
        let read = read(&text).unwrap();
        assert_eq!((&*read.name, &*read.place), ("BadError", "b.py:7"));
        assert_eq!(read.line, "pkg.errors.BadError: no");
    }

    #[test]
    fn the_first_of_a_chain_is_the_cause() {
        let text = "x\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'k'\n\n\
                    During handling of the above exception, another exception occurred:\n\n\
                    Traceback (most recent call last):\n  File \"b.py\", line 2, in g\nNameError: name";
        let read = read(text).unwrap();
        assert_eq!(read.origin.as_deref(), Some("KeyError: 'k'"));
        assert_eq!((&*read.name, &*read.place), ("NameError", "b.py:2"));
    }

    #[test]
    fn words_before_a_colon_are_no_exception() {
        assert!(is_exception("ValueError: x"));
        assert!(is_exception("KeyboardInterrupt"));
        assert!(!is_exception("Warning signs: x"));
        assert!(!is_exception("/bin/sh: Error"));
        assert!(!is_exception(""));
    }
}
