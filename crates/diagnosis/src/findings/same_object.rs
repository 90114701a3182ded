//! Records of other logs about the object of a problem: the file that it names, the id, the program that reports it.

use rustc_hash::FxHashMap;

use widetui_core::ids::{EventId, SourceId, TemplateId};
use widetui_core::words::cut;
use widetui_definition::semantics::Severity;
use widetui_time::time::{NS_PER_SECOND, format_span};

use crate::findings::context::Context;
use crate::findings::exceptions::PYTHON_LIBRARIES;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::other_side::reports_problem;
use crate::findings::suspicious_words;

/// Longest time from the other record to the problem, ns.
const BEFORE: i64 = 60 * NS_PER_SECOND;
/// Longest time from a record that names only the program, ns.
const PROGRAM: i64 = 15 * NS_PER_SECOND;
/// Maximum number of records before a problem that are read, and of those of a log without times.
const READ: usize = 1_000;
/// Maximum number of findings, and of objects of each.
const FINDINGS: usize = 4;
const OBJECTS: usize = 6;
/// Maximum number of lines of a message that are searched for objects.
const LINES: usize = 40;
/// Minimum length of a name without a path, characters.
const NAME: usize = 8;
/// Maximum length of a quoted line, characters.
const LINE: usize = 240;

/// Record of another log about the object of a problem.
struct Mention {
    event: EventId,
    /// Line that names the object.
    line: String,
    /// Object that the line names; `None` if it stands above the same message.
    object: Option<String>,
    /// Time from the record to the problem, ns, if both have one.
    before: Option<i64>,
}

/// Adds to findings what other logs wrote about the same object before.
pub(crate) fn find(look: &mut Context<'_>, findings: &mut [Finding]) {
    let is_problem = |f: &&mut Finding| {
        matches!(f.kind, FindingKind::Errors | FindingKind::Exception)
            && f.severity > Severity::Info
    };
    for finding in findings.iter_mut().filter(is_problem).take(FINDINGS) {
        let Some(mention) = mention(look, finding) else {
            continue;
        };
        let tag = look.tag(mention.event);
        let when = match mention.before {
            Some(before) => format!(", {} before", format_span(before)),
            None => String::new(),
        };
        let line = cut(&mention.line, LINE);
        finding.text += &match mention.object {
            Some(object) => format!(" {tag} wrote about {object}{when}: \"{line}\"."),
            None => format!(" {tag} reports it, too, below \"{line}\"."),
        };
        finding.evidence.push(mention.event);
        finding.events.push(mention.event);
    }
}

/// Nearest record of another log about an object of a finding: one that reports a problem or a change, before any other.
fn mention(look: &mut Context<'_>, finding: &Finding) -> Option<Mention> {
    let first = *finding.evidence.first()?;
    let message = look.message(first);
    let text = format!("{}\n{message}", finding.title);
    let objects = objects(&text);
    let program = Some(look.tag(first)).filter(|tag| is_name(tag));
    let candidates = candidates(look, finding, first);
    let mut counts: FxHashMap<TemplateId, u64> = FxHashMap::default();
    let logs = logs_of(look, &objects);
    // The same message below a record that says what its program did.
    let mut repeat: Option<Mention> = None;
    let mut best: Option<(Rank, Mention)> = None;
    for (event, before) in candidates {
        let message = look.message(event);
        let source = look.snapshot.event(event).map(|e| e.source().id);
        // Each record of the log of a process is about its id.
        let of_log = || {
            let (_, rank) = logs.iter().find(|(log, _)| Some(*log) == source)?;
            Some((*rank, objects.get(*rank)?, message.lines().next()?))
        };
        let of_program = || Some((objects.len(), program.as_ref()?));
        let all = objects.iter().enumerate().chain(of_program());
        let found = all.filter_map(|(rank, object)| {
            let line = message.lines().find(|line| names(line, object))?;
            Some((rank, object, line))
        });
        let own = of_log();
        let is_own_log = own.is_some();
        let found = own.or_else(|| found.min_by_key(|(rank, _, _)| *rank));
        let Some((rank, object, line)) = found else {
            continue;
        };
        let heading = message.lines().next().unwrap_or_default();
        if line.contains(finding.title.as_str()) && heading != line {
            repeat.get_or_insert_with(|| Mention {
                event,
                line: heading.trim().to_owned(),
                object: None,
                before,
            });
        }
        // The same message in another log says nothing new.
        if text.contains(line) || line.contains(finding.title.as_str()) {
            continue;
        }
        let lower = line.to_lowercase();
        let words = &look.snapshot.catalog.words;
        let gives_reason = words
            .reasons
            .iter()
            .any(|word| lower.contains(word.as_str()));
        let is_problem = gives_reason
            || suspicious_words::message(words, line)
            || reports_problem(look, event, line);
        // Ids and names of programs stand in many records of no interest.
        let is_of_program = rank == objects.len();
        let is_near = is_of_program && before.is_some_and(|before| before <= PROGRAM);
        let is_relevant = match is_problem {
            true => is_near || !is_of_program,
            false if is_near => is_rare(look, event, finding.count, &mut counts),
            false => is_path(object),
        };
        if !is_relevant {
            continue;
        }
        let far = before.map_or(u64::MAX - u64::from(event.0), i64::unsigned_abs);
        let key = (
            rank,
            !(gives_reason && is_own_log),
            !gives_reason,
            !is_problem,
            far,
        );
        if best.as_ref().is_none_or(|(known, _)| key < *known) {
            let mention = Mention {
                event,
                line: line.trim().to_owned(),
                object: Some(object.clone()),
                before,
            };
            best = Some((key, mention));
        }
    }
    best.map(|(_, mention)| mention).or(repeat)
}

/// Rank of a record: the specificity of its object, whether it is no reason in the log of the process itself, no reason, no
/// problem, and its distance, ns.
type Rank = (usize, bool, bool, bool, u64);

/// Logs whose paths contain one of the ids among the objects, with its index.
fn logs_of(look: &Context<'_>, objects: &[String]) -> Vec<(SourceId, usize)> {
    let ids = objects
        .iter()
        .enumerate()
        .filter(|(_, object)| is_id(object));
    let ids: Vec<(usize, &String)> = ids.collect();
    let logs = look
        .snapshot
        .sources
        .iter()
        .filter(|s| s.is_log && !ids.is_empty());
    let named = logs.filter_map(|source| {
        let (rank, _) = ids
            .iter()
            .find(|(_, id)| source.path.contains(id.as_str()))?;
        Some((source.id, *rank))
    });
    named.collect()
}

/// Records of other logs before the first record of a finding, with the time between, and all records of short logs without
/// times.
fn candidates(
    look: &Context<'_>,
    finding: &Finding,
    first: EventId,
) -> Vec<(EventId, Option<i64>)> {
    let snapshot = look.snapshot;
    let Some(source) = snapshot.event(first).map(|e| e.source().id) else {
        return Vec::new();
    };
    let is_other = |id: EventId| {
        let event = snapshot.event(id);
        event.is_some_and(|e| e.source().id != source && e.source().is_log)
            && !finding.events.contains(&id)
            && !look.harmless.contains(&id.0)
            && snapshot.duplicates.original_of(id.0).is_none()
    };
    let mut out = Vec::new();
    if let Some(time) = look.time(first) {
        let end = snapshot.place_of_time(time.saturating_add(1));
        let places = (0..end).rev().take(READ);
        let near = places
            .filter_map(|place| snapshot.at(place))
            .filter_map(|event| Some((event.id, time.saturating_sub(event.time()?))))
            .take_while(|(_, before)| *before <= BEFORE)
            .filter(|(id, _)| is_other(*id));
        out.extend(near.map(|(id, before)| (id, Some(before))));
    }
    // Records without times come last.
    let untimed = { (0..snapshot.len()).rev() }
        .filter_map(|place| snapshot.at(place))
        .take_while(|event| event.time().is_none())
        .take(READ)
        .filter(|event| event.source().stats.first.is_none());
    let untimed = untimed.map(|event| event.id).filter(|id| is_other(*id));
    out.extend(untimed.map(|id| (id, None)));
    out
}

/// True if records like this one are no more frequent than the problem.
fn is_rare(
    look: &Context<'_>,
    id: EventId,
    count: u64,
    counts: &mut FxHashMap<TemplateId, u64>,
) -> bool {
    let template = look.snapshot.event(id).and_then(|e| Some(e.template()?.id));
    template.is_some_and(|template| {
        let known = counts
            .entry(template)
            .or_insert_with(|| records_of(look, template));
        *known <= count
    })
}

/// Number of records of a template.
fn records_of(look: &Context<'_>, template: TemplateId) -> u64 {
    let shapes = &look.snapshot.catalog.shapes;
    let groups = look.snapshot.segments.iter().flat_map(|s| s.groups.iter());
    let own = groups.filter(|group| {
        let shape = shapes.get(group.shape.index());
        shape.is_some_and(|shape| shape.template == template)
    });
    own.map(|group| group.rows.len() as u64).sum()
}

/// Objects that a message names, the most specific ones first: paths, ids, names with an underscore.
fn objects(message: &str) -> Vec<String> {
    let mut out: Vec<(usize, &str)> = Vec::new();
    let lines = message.lines().take(LINES);
    // Frames of a traceback name source files.
    for line in lines.filter(|line| !line.trim_start().starts_with("File \"")) {
        let is_between = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;=|*".contains(c);
        for word in line.split(is_between) {
            let word = word.trim_matches(['.', ':', '-', '!', '?']);
            let word = word.strip_suffix('/').unwrap_or(word);
            let rank = match word {
                _ if is_path(word) => 0,
                _ if is_id(word) => 1,
                _ if word.contains('_') && is_name(word) => 2,
                _ => continue,
            };
            if !out.contains(&(rank, word)) {
                out.push((rank, word));
            }
        }
    }
    out.sort_by_key(|(rank, _)| *rank);
    out.truncate(OBJECTS);
    out.into_iter().map(|(_, word)| word.to_owned()).collect()
}

/// True for a path of at least two parts that is no source file of a library.
fn is_path(word: &str) -> bool {
    let parts = word.split('/').filter(|part| !part.is_empty()).count();
    word.starts_with('/') && parts >= 2 && !PYTHON_LIBRARIES.iter().any(|part| word.contains(part))
}

/// True for a word of letters and digits that is an id and no time or number with a unit.
fn is_id(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.chars().filter(|c| is(*c)).count();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    word.len() >= NAME
        && word.chars().all(is_part)
        && has(|c| c.is_ascii_digit()) >= 3
        && has(|c| c.is_ascii_alphabetic()) >= 2
}

/// True for a name that is no common word.
fn is_name(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    word.len() >= NAME && word.chars().all(is_part) && word.contains(|c: char| c.is_alphabetic())
}

/// True if a line has an object as a whole word.
fn names(line: &str, object: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    line.match_indices(object).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let mut behind = line[at + object.len()..].chars();
        // A full stop ends a sentence, but not in `a.log.1`.
        let is_end = match behind.next() {
            Some('.') => behind.next().is_none_or(|c| !is_part(c)),
            next => next.is_none_or(|c| !is_part(c)),
        };
        is_end && before.is_none_or(|c| !is_part(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_messages() {
        for (message, expected) in [
            (
                "PermissionError: [Errno 13] Permission denied: '/srv/log/ingest.log'",
                vec!["/srv/log/ingest.log"],
            ),
            (
                "permission denied for sequence orders_id_seq",
                vec!["orders_id_seq"],
            ),
            (
                "owner acf80b4ea79d95f6 at 10.0.0.2 has exited, see /tmp/ray/logs/*acf80b4ea79d95f6*",
                vec!["/tmp/ray/logs", "acf80b4ea79d95f6"],
            ),
            ("took 1200 ms at 2026-11-28 16:46:19", vec![]),
            ("  File \"/srv/app/main.py\", line 3, in f", vec![]),
        ] {
            assert_eq!(objects(message), expected, "{message}");
        }
    }

    #[test]
    fn an_object_is_a_whole_word() {
        let path = "/srv/log/ingest.log";
        assert!(names("creating new /srv/log/ingest.log mode = 0640", path));
        assert!(names("rotated /srv/log/ingest.log.", path));
        assert!(!names("renaming /srv/log/ingest.log.1", path));
        assert!(!names("reading /data/srv/log/ingest.log", path));
    }
}
