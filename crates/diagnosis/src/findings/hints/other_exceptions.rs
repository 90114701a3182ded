//! Other exceptions among the records of one hint: records of one kind may have several causes.

use crate::findings::attached_exceptions::TRACEBACK;
use crate::findings::context::Context;
use crate::findings::exceptions;
use widetui_core::dict::Code;
use widetui_core::ids::EventId;
use widetui_core::words::{cut, grouped};

/// Maximum number of records whose exceptions are read.
const READ: usize = 64;
/// Maximum number of other exceptions in the text.
const TOLD: usize = 2;
/// Maximum length of one, characters.
const LINE: usize = 120;

/// Exception of an event, noted as reported.
pub(crate) fn exception(look: &mut Context<'_>, id: EventId) -> Option<exceptions::Exception> {
    let mut message = look.message(id);
    if message.trim_end().ends_with(':') {
        let source = |id: EventId| look.snapshot.event(id).map(|e| e.source().id);
        let next = EventId(id.0.saturating_add(1));
        if source(next) == source(id) {
            let behind = look.message(next);
            if behind.starts_with(TRACEBACK) {
                message = behind;
            }
        }
    }
    let found = exceptions::read(&message).filter(|e| !e.line.is_empty())?;
    look.whys.insert(found.line.clone());
    look.reasons.insert(id, found.line.clone());
    Some(found)
}

/// Sentence about exceptions other than `known` in the records; empty if there is none.
pub(crate) fn told(look: &mut Context<'_>, events: &[EventId], known: &str) -> String {
    let mut others: Vec<String> = Vec::new();
    for id in look.once(events).into_iter().take(READ) {
        let line = exception(look, id).map(|e| e.line);
        let line = line.filter(|line| line != known && !others.contains(line));
        others.extend(line);
    }
    let shown = others.iter().take(TOLD);
    let shown = shown.map(|line| cut(line.trim_end_matches('.'), LINE));
    let shown: Vec<String> = shown.collect();
    let more = match others.len().saturating_sub(TOLD) {
        0 => String::new(),
        n => format!("; and {} more", grouped(n as u64)),
    };
    match shown.len() {
        0 => String::new(),
        1 => format!(" Another exception: {}.", shown[0]),
        _ => format!(" Other exceptions: {}{more}.", shown.join("; ")),
    }
}

/// Whether the first events of all groups have the same exception, so one cause affected several instances.
pub(crate) fn have_one_reason(
    look: &mut Context<'_>,
    groups: &[(Option<Code>, Vec<EventId>)],
) -> bool {
    let mut reason = |group: &(Option<Code>, Vec<EventId>)| {
        let id = group.1.first()?;
        exceptions::read(&look.message(*id)).map(|e| e.line)
    };
    let Some((first, rest)) = groups.split_first() else {
        return false;
    };
    let of_first = reason(first).filter(|line| !line.is_empty());
    of_first.is_some() && rest.iter().all(|group| reason(group) == of_first)
}
