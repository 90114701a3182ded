//! Exceptions that identify a finding, and whether one of them was caused by another.

use crate::findings::context::Context;
use crate::findings::exceptions;
use crate::findings::exit_status::ExitStatus;
use crate::findings::finding::{Finding, FindingKind};
use widetui_core::ids::EventId;

/// Maximum number of records of a finding whose text is read.
const READ: usize = 8;
/// The same for errors that only share a template, each of which may have its own cause; the records read are spread
/// evenly.
const READ_OF_ERRORS: usize = 64;
/// Shorter texts may be the same by chance: `KeyError: 1`.
const SHORT: usize = 14;
/// Minimum length of a quoted text, characters.
const QUOTED: usize = 24;
/// Only so many characters of a longer text must match: the quoting program may have cut it.
const BEGIN: usize = 60;

/// Exceptions of a finding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reasons {
    /// Exceptions, one line each.
    lines: Vec<String>,
    /// Class and place of the exceptions where known: loggers may append to the text of an exception.
    raised: Vec<String>,
    /// For errors: the exceptions of each record.
    each: Vec<Reasons>,
}

impl Reasons {
    /// Exceptions of one error record.
    pub(crate) fn of_error(look: &mut Context<'_>, id: EventId) -> Reasons {
        let mut own = Reasons::default();
        own.lines.push(squeezed(&look.line(id)));
        own.add_told(look, id);
        own.add_known(look, id);
        own
    }

    /// Adds the known reason of the failed work item at this event.
    fn add_known(&mut self, look: &Context<'_>, id: EventId) {
        let known = look.reasons.get(&id);
        self.lines.extend(known.map(|line| squeezed(line)));
    }

    /// Adds the exceptions in the text of a record.
    fn add_told(&mut self, look: &mut Context<'_>, id: EventId) {
        let message = look.message(id);
        self.lines.extend(read(&message));
        self.raised.extend(place(&message));
    }

    /// Exceptions of a finding.
    pub fn of(look: &mut Context<'_>, finding: &Finding) -> Reasons {
        let mut own = Reasons::default();
        let reads = matches!(
            finding.kind,
            FindingKind::Hint | FindingKind::Exception | FindingKind::Errors
        );
        for id in finding.evidence.iter().chain(&finding.events).take(READ) {
            own.add_known(look, *id);
            if reads {
                own.add_told(look, *id);
            }
        }
        if finding.kind == FindingKind::Errors {
            own.lines.push(squeezed(&finding.title));
            let step = finding.events.len().div_ceil(READ_OF_ERRORS).max(1);
            let read = finding.events.iter().step_by(step);
            own.each = read.map(|id| Reasons::of_error(look, *id)).collect();
        }
        if finding.kind == FindingKind::Lost {
            own.lines.extend(of_taken_along(look, finding));
        }
        own.lines.sort();
        own.lines.dedup();
        own
    }

    /// Whether these exceptions are, or quote, those of `other`. For errors every record must match, because a common
    /// template does not imply a common cause.
    pub(crate) fn come_of(&self, other: &Reasons) -> bool {
        match self.each.is_empty() {
            true => self.is(other) || self.quotes(other),
            false => self.each.iter().all(|r| r.is(other) || r.quotes(other)),
        }
    }

    /// Whether one of these exceptions is one of the other's.
    fn is(&self, other: &Reasons) -> bool {
        let says = |line: &&String| line.chars().count() >= SHORT && line.contains(": ");
        let mut lines = self.lines.iter().filter(says);
        lines.any(|line| other.lines.contains(line))
            || self.raised.iter().any(|at| other.raised.contains(at))
    }

    /// Whether there are any, and a condition holds for all of them.
    pub(crate) fn are_all(&self, holds: impl Fn(&str) -> bool) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| holds(line))
    }

    /// Whether there are any, all of one of these classes, exit statuses or signals.
    pub(crate) fn are_of(&self, classes: &[String]) -> bool {
        let class = |line: &str| -> String {
            let head = line.split(": ").next().unwrap_or(line);
            head.rsplit('.').next().unwrap_or(head).to_owned()
        };
        self.are_all(|line| {
            let status = ExitStatus::find(line).map(ExitStatus::name);
            classes.contains(&class(line)) || status.is_some_and(|name| classes.contains(&name))
        })
    }

    /// Whether one of these exceptions contains the text of one of the other's.
    pub(crate) fn quotes(&self, other: &Reasons) -> bool {
        other.lines.iter().any(|line| {
            let parts = [text(line), line].into_iter();
            let mut long = parts.filter(|part| part.chars().count() >= QUOTED);
            long.any(|part| {
                let mut own = self.lines.iter();
                own.any(|own| own != line && holds(own, part))
            })
        })
    }
}

/// Whether a text contains another one, possibly cut short by the quoting program. A different continuation or number
/// means a different text: `no space for 1234` does not contain `no space for 12`.
fn holds(own: &str, text: &str) -> bool {
    let begin: String = text.chars().take(BEGIN).collect();
    own.len() > begin.len()
        && own.match_indices(&begin).any(|(at, _)| {
            let alike = { own[at..].char_indices().zip(text.chars()) }
                .take_while(|((_, a), b)| a == b)
                .last()
                .map_or(0, |((last, c), _)| last + c.len_utf8());
            let (same, next) = own[at..].split_at(alike);
            let ends_in_digit = same.ends_with(|c: char| c.is_ascii_digit());
            let is_cut_number =
                ends_in_digit && text[alike..].starts_with(|c: char| c.is_ascii_digit());
            !next.starts_with(char::is_alphanumeric) && !is_cut_number && begins(&own[..at])
        })
}

/// Whether a word can begin after this text: not inside a word, but after an escaped newline (`\n` in two characters).
fn begins(before: &str) -> bool {
    !before.ends_with(char::is_alphanumeric) || before.ends_with("\\n")
}

/// Exception in a message, with a traceback or alone.
fn read(message: &str) -> Option<String> {
    let line = exceptions::read(message).map(|e| e.line);
    let line = line.filter(|line| !line.is_empty()).or_else(|| {
        let first = message.lines().next()?.trim();
        exceptions::is_exception(first).then(|| first.to_owned())
    });
    line.map(|line| squeezed(&line))
}

/// Class and place of the exception whose traceback a message has.
fn place(message: &str) -> Option<String> {
    let exception = exceptions::read(message)?;
    let is_known = !exception.place.is_empty() && !exception.name.is_empty();
    is_known.then(|| format!("{} {}", exception.name, exception.place))
}

/// Failure reasons of the work items that the lost resources of a finding took along.
fn of_taken_along(look: &Context<'_>, finding: &Finding) -> Vec<String> {
    let is_told = |loss: &EventId| finding.evidence.contains(loss) || finding.events.contains(loss);
    let taken = look.taken_along.iter().filter(|(_, loss)| is_told(loss));
    let mut out = Vec::new();
    for ((entity, at), _) in taken.take(READ) {
        let mut all = look.found.work_items();
        let Some(goals) = all.find(|g| g.entity.name == *entity) else {
            continue;
        };
        let Some(goal) = goals.list.get(*at) else {
            continue;
        };
        let reasons = goals.events(goal).iter();
        let reasons = reasons.filter_map(|id| look.reasons.get(&EventId(*id)));
        out.extend(reasons.map(|line| squeezed(line)));
    }
    out
}

/// Text of an exception, without its class.
fn text(line: &str) -> &str {
    let is_class = |head: &str| !head.contains(char::is_whitespace);
    match line.split_once(": ") {
        Some((head, text)) if is_class(head) => text,
        _ => line,
    }
}

fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(lines: &[&str]) -> Reasons {
        Reasons {
            lines: lines.iter().map(|l| (*l).to_owned()).collect(),
            ..Reasons::default()
        }
    }

    #[test]
    fn of_errors_that_share_a_form_each_must_come_of_it() {
        let cause = reasons(&["ZeroDivisionError: float division by zero"]);
        let divided = reasons(&["a failed: ZeroDivisionError: float division by zero"]);
        let other = reasons(&["b failed: AttributeError: no action named \"multiply\""]);
        let errors = |each: &[&Reasons]| Reasons {
            lines: each.iter().flat_map(|r| r.lines.clone()).collect(),
            each: each.iter().map(|r| (*r).clone()).collect(),
            ..Reasons::default()
        };
        assert!(errors(&[&divided, &divided]).come_of(&cause));
        assert!(!errors(&[&divided, &other]).come_of(&cause));
    }

    #[test]
    fn an_exception_quotes_the_one_it_comes_of() {
        let first =
            reasons(&["jobs.errors.TooMany: Error 1: Failed to start block 0: Cannot launch job"]);
        let then = reasons(&[
            "errors.Bad: Executor slurm failed due to: Error 1: Failed to start block 0: Cannot launch job",
        ]);
        assert!(then.quotes(&first));
        assert!(!first.quotes(&then));
        assert!(!first.quotes(&first));
    }

    #[test]
    fn what_only_begins_alike_is_no_quotation() {
        let quotes = |own: &str, other: &str| reasons(&[own]).quotes(&reasons(&[other]));
        let first = "OSError: no space left on device 12";
        assert!(!quotes("OSError: no space left on device 1234", first));
        assert!(!quotes("OSError: no space left on device 12b", first));
        assert!(quotes("gave up (no space left on device 12)", first));
        assert!(quotes("gave up\\nno space left on device 12\\n", first));
        assert!(!quotes("gave up: 1no space left on device 12", first));
        // Long texts may be cut, and then no other words follow.
        let long = "ValueError: could not read the part of the grid that belongs to the rank with number 17 of 64";
        let cut = "the step failed: could not read the part of the grid that belongs to the rank with number";
        assert!(quotes(&format!("{cut} …"), long));
        assert!(quotes(&format!("{cut} 17 of 64, given up"), long));
        assert!(!quotes(&format!("{cut} 18 of 64"), long));
        assert!(!quotes(&format!("{cut} 1"), long));
    }

    #[test]
    fn short_texts_are_of_many_things() {
        assert!(!reasons(&["KeyError: 1"]).is(&reasons(&["KeyError: 1"])));
        assert!(
            !reasons(&["RuntimeError: task failed: timed out"])
                .quotes(&reasons(&["TimeoutError: timed out"]))
        );
        let full = ["OSError: [Errno 28] No space left on device"];
        assert!(reasons(&full).is(&reasons(&full)));
    }
}
