//! Whether somebody whom others missed wrote on: whoever is missed and wrote nothing more is gone, and else the way between them is.

use crate::base::ids::EventId;
use crate::base::time::format_span;
use crate::store::{EventRef, Source};

use super::look::Look;

/// Others wrote on when they did so for longer than this, ns.
const WROTE_ON: i64 = 1_000_000_000;

/// What the logs of some kinds tell of whom the writer of an event missed.
pub(super) struct Missed {
    /// In a sentence.
    pub words: String,
    /// Whether it fell silent first, and the owner of the run after it.
    pub is_first: bool,
}

impl Missed {
    fn later(words: String) -> Missed {
        let is_first = false;
        Missed { words, is_first }
    }
}

/// What it is; `None` where there are no such logs, or they are of several.
pub(super) fn told(look: &Look<'_>, kinds: &[String], event: EventId) -> Option<Missed> {
    let event = look.snapshot.event(event)?;
    let at = event.time()?;
    let (run, own) = (look.run_of(&event), event.source().id);
    let mut sources = look.snapshot.sources.iter().filter(|source| {
        let of = look.hung.of_source.get(source.id.index());
        let is_meant = kinds.contains(&source.kind) && source.id != own;
        is_meant && of.copied().flatten() == run && is_there(&event, source)
    });
    let source = sources.next()?;
    let (tag, last) = (&source.tag, source.last()?);
    if sources.next().is_some() {
        return None;
    }
    let end = look.clock.text(last);
    if last > at {
        return Some(Missed::later(format!(
            "{tag} has records until {end}: its writer was alive then."
        )));
    }
    if source.cut().is_some() {
        let words = format!("{tag} was cut before that, at {end}.");
        return Some(Missed::later(words));
    }
    let before = format_span(at.saturating_sub(last));
    let owner = run.and_then(|run| look.hung.runs.get(run)?.own_source);
    let owner = owner.and_then(|(owner, _)| look.snapshot.source(owner));
    let owner = owner.and_then(|owner| Some((&owner.tag, owner.last()?)));
    Some(match owner {
        Some((owner, until)) if until.saturating_sub(last) > WROTE_ON => Missed {
            words: format!(
                "{tag} ends {before} before that, at {end}, without the end of its run, and {owner} goes on until {}: the \
                 process that wrote it was killed, or died.",
                look.clock.text(until)
            ),
            is_first: true,
        },
        Some((owner, until)) => Missed::later(format!(
            "{tag} ends {before} before that, at {end}, and {owner} at {}: whoever started both was gone.",
            look.clock.text(until)
        )),
        None => Missed::later(format!("{tag} ends {before} before that, at {end}.")),
    })
}

/// Whether the path of a source says nothing else than an event does.
fn is_there(event: &EventRef<'_>, source: &Source) -> bool {
    let mut fits = true;
    event.for_each_code(|key, codes, _| {
        let view = event.snapshot.catalog.keys.get(key);
        let same = |code| view.map_or(code, |v| v.dict.canonical(code));
        if let Some((_, own)) = source.consts.iter().find(|(k, _)| *k == key) {
            fits &= codes.iter().any(|code| same(*code) == same(*own));
        }
    });
    fits
}
