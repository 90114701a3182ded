//! Other exceptions among the records of one hint: records of one kind may have several causes.

use crate::findings::context::Context;
use crate::findings::exceptions;
use widetui_core::dict::Code;
use widetui_core::ids::EventId;
use widetui_core::words::{cut, grouped};

/// Records of which the exceptions are read.
const READ: usize = 64;
/// Other exceptions that are told.
const TOLD: usize = 2;
/// Characters of one.
const LINE: usize = 120;

/// The exception of an event; it is noted that it is told.
pub(crate) fn exception(look: &mut Context<'_>, id: EventId) -> Option<exceptions::Exception> {
    let message = look.message(id);
    let found = exceptions::read(&message).filter(|e| !e.line.is_empty())?;
    look.whys.insert(found.line.clone());
    look.reasons.insert(id, found.line.clone());
    Some(found)
}

/// A sentence about the exceptions of some records that are not the one that is told; empty where there is none.
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

/// Whether the first events of all groups have one exception: what broke is one thing, whomever it took along.
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
