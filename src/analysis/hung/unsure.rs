//! What is known of waits, results and times, and what is not, in words.

use crate::base::clock::Clock;
use crate::base::time::format_span;
use crate::base::words::several;
use crate::store::Snapshot;

use super::words::waits;
use super::{Hung, Stuck};

/// Of something that was completed where it ran: that its result did not come back, or that nobody knows.
pub fn came_back(stuck: &Stuck, clock: &Clock<'_>) -> String {
    if let Some((tag, last)) = &stuck.known.cut {
        let at = clock.text(*last);
        return format!("whether its result came back is not known: {tag} was cut at {at}");
    }
    match stuck.lost_sight() {
        Some((tag, last)) => format!(
            "whether its result came back is not known: {tag} ends before that, at {}",
            clock.text(*last)
        ),
        None => "its result did not come back".to_owned(),
    }
}

/// Who waits for something, as the end of a sentence; `None` where no record of its kind would say so.
pub fn waited_for(stuck: &Stuck) -> Option<String> {
    if let Some(files) = &stuck.known.unowned {
        return Some(format!("who waits for it, only {files} would tell"));
    }
    match (stuck.all_waiters, &stuck.known.asked_by) {
        (Some(0), Some(who)) => Some(format!("{who} asked for it and has no answer")),
        (Some(0), None) => (stuck.known.waits).then(|| "nothing waits for it".to_owned()),
        (Some(n), _) => Some(format!("{} {}", several(n, &stuck.title), waits(n))),
        (None, _) => Some(format!(
            "at least {} directly wait for it",
            stuck.waiters.len()
        )),
    }
}

/// That records were left out which lie far behind all others.
pub fn strays(snapshot: &Snapshot, hung: &Hung) -> Option<String> {
    let (event, time) = hung.strays.events.first()?;
    let before = hung.strays.before.first()?;
    let source = &snapshot.event(*event)?.source().tag;
    let after = format_span(time.saturating_sub(*before));
    Some(match hung.strays.events.len() {
        1 => format!(
            "One record ({source}) is dated {after} after all others: ages do not reach to it, for its clock or its stamp may \
             be wrong."
        ),
        n => format!(
            "{n} records (the last one of {source}) are dated up to {after} after all others: ages do not reach to them, for \
             their clocks or stamps may be wrong."
        ),
    })
}
