//! Ids that a waiting program wrote and that no other log mentions: requests that were not received.

use widetui_core::ids::EventId;
use widetui_core::words::several;
use widetui_query::{Expr, select};

use crate::findings::context::Context;

/// Maximum number of records before the wait that are read.
const READ: u32 = 200;
/// Number of ids that are looked up: the first and the last ones.
const LOOKED_UP: usize = 4;
/// Minimum length of an id, characters.
const ID: usize = 8;

/// Records of the source of a wait before it with ids that no other log mentions, and a sentence about these. `None` if there
/// is no other log, another log mentions one of the ids, or the search was cancelled.
pub(crate) fn before(look: &mut Context<'_>, wait: EventId) -> Option<(Vec<EventId>, String)> {
    let snapshot = look.snapshot;
    let source = snapshot.event(wait)?.source().id;
    let has_others = snapshot.sources.iter().any(|s| s.is_log && s.id != source);
    let first = wait.0.saturating_sub(READ);
    let mut named: Vec<(EventId, String)> = Vec::new();
    for id in (first..wait.0).map(EventId).filter(|_| has_others) {
        let is_here = snapshot.event(id).is_some_and(|e| e.source().id == source);
        let name = is_here
            .then(|| look.line(id))
            .and_then(|line| Some(id_in(&line)?.to_owned()));
        if let Some(name) = name.filter(|name| named.iter().all(|known| known.1 != *name)) {
            named.push((id, name));
        }
    }
    let spread = |at: usize| at < LOOKED_UP / 2 || at + LOOKED_UP / 2 >= named.len();
    for (_, name) in named
        .iter()
        .enumerate()
        .filter(|(at, _)| spread(*at))
        .map(|(_, n)| n)
    {
        let found = select(snapshot, &Expr::Text(name.clone()), look.cancel)?;
        let mut events = found.ordered(snapshot).into_iter();
        let is_elsewhere = |id: u32| {
            let event = snapshot.event(EventId(id));
            event.is_some_and(|e| e.source().id != source)
        };
        if events.any(is_elsewhere) {
            return None;
        }
    }
    let (last, _) = named.last()?;
    let text = format!(
        " {} before it, such as \"{}\", {} no other log mentions: these requests may not have been received.",
        several(named.len(), "record"),
        look.line(*last),
        match named.len() {
            1 => "names an id that",
            _ => "name ids that",
        }
    );
    Some((named.into_iter().map(|(id, _)| id).collect(), text))
}

/// First word of a line that is an id: letters and digits, or a UUID.
fn id_in(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.find(|word| {
        let has = |is: fn(char) -> bool| word.contains(is);
        word.len() >= ID && has(|c| c.is_ascii_digit()) && has(|c| c.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::id_in;

    #[test]
    fn ids_have_letters_and_digits() {
        assert_eq!(
            id_in(
                "task media.transcode[ed9d5c20-282f-4875-a258-9b603047b404] sent for intro at 480p"
            ),
            Some("ed9d5c20-282f-4875-a258-9b603047b404")
        );
        for line in [
            "waiting for 8 transcodes",
            "2026-11-28 10:54:48 ready",
            "probed intro 45 s",
        ] {
            assert_eq!(id_in(line), None, "{line}");
        }
    }
}
