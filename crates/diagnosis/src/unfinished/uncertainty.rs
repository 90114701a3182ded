//! Sentences about waits, results and times, and about what these logs cannot show of them.

use widetui_analysis::entity::names::format_places;
use widetui_core::words::several;
use widetui_store::Snapshot;
use widetui_time::clock::Clock;
use widetui_time::time::format_span;

use crate::unfinished::model::{
    UnfinishedItem, UnfinishedWork, WaitState, WorkItemCounts, WorkStatus,
};

/// Result of an item that was completed where it ran: not received, or unknown.
pub fn came_back(stuck: &UnfinishedItem, clock: &Clock<'_>) -> String {
    if let Some((tag, last)) = &stuck.known.cut {
        let at = clock.text(*last);
        return format!("it is not known whether its result was received: {tag} was cut at {at}");
    }
    match stuck.lost_sight() {
        Some((tag, last)) => format!(
            "it is not known whether its result was received: {tag} ends before that, at {}",
            clock.text(*last)
        ),
        None => "its result was not received".to_owned(),
    }
}

/// Waiters of an item, as the end of a sentence; `None` if records of its kind do not name waiters.
pub fn waited_for(stuck: &UnfinishedItem) -> Option<String> {
    if let Some(files) = &stuck.known.unowned {
        return Some(format!("only {files} would show what waits for it"));
    }
    match (stuck.all_waiters, &stuck.known.asked_by) {
        (Some(0), Some(who)) => Some(format!("{who} requested it and has no answer")),
        (Some(0), None) => {
            (stuck.known.waits).then(|| format!("no other {} depends on it", stuck.title))
        }
        (Some(n), _) => Some(format!("{} {}", several(n, &stuck.title), waits(n))),
        (None, _) => Some(format!(
            "at least {} directly wait for it",
            stuck.waiters.len()
        )),
    }
}

/// Verb phrase for `n` waiters: `waits for it`.
pub(crate) fn waits(n: usize) -> &'static str {
    if n == 1 {
        "waits for it"
    } else {
        "wait for it"
    }
}

/// Sentence on stray records far after all others, which were ignored.
pub fn strays(snapshot: &Snapshot, hung: &UnfinishedWork) -> Option<String> {
    let (event, time) = hung.strays.events.first()?;
    let before = hung.strays.last_regular.first()?;
    let source = snapshot.source_name(snapshot.event(*event)?.source());
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

/// Sentence on work items that are named as parents and have no record of their own. Programs that write a single
/// record at the end of an item lose it with the process, outermost items first.
pub fn absent(goals: &WorkItemCounts) -> Option<String> {
    let named = several(goals.absent, &goals.title);
    match goals.absent {
        0 => None,
        1 => Some(format!(
            "{named} is named as parent of others and has no record: it never ended, or is not in these files."
        )),
        _ => Some(format!(
            "{named} are named as parents of others and have no record: they never ended, or are not in these files."
        )),
    }
}

/// Sentence that no work is unfinished, as far as that is known.
pub(crate) fn clear(hung: &UnfinishedWork) -> &'static str {
    let status = hung.status();
    status.unknown().unwrap_or(match status {
        WorkStatus::AllEnded(_) => "No unfinished work.",
        _ => "No known work is unfinished.",
    })
}

/// Sentence on the missing data about the first unfinished root.
pub fn missing(hung: &UnfinishedWork) -> Option<String> {
    let root = hung.told().find(|s| s.standing == WaitState::Root)?;
    if let Some((tag, _)) = &root.known.cut {
        return Some(format!(
            "Only the rest of {tag} would show whether {} ended.",
            root.called()
        ));
    }
    Some(match (&root.begun_there, root.place.len()) {
        (Some(_), _) => format!(
            "These logs do not show what {} does inside its function.",
            root.called()
        ),
        (None, _) if root.finished_there.is_some() && root.lost_sight().is_some() => {
            let whose = match &root.known.unowned {
                Some(files) => files.as_str(),
                None => "the rest of its owner's log",
            };
            format!("Only {whose} would show whether {} ended.", root.called())
        }
        (None, _) if root.finished_there.is_some() => format!(
            "Only the records in between can show where the result of {} was lost on its way to its owner.",
            root.called()
        ),
        // The reason why it did not begin is known.
        (None, _) if root.because.is_some() || root.is_executing || root.was_executing => {
            return None;
        }
        (None, 0) => format!(
            "The location of {} is not known: no record names one.",
            root.called()
        ),
        (None, _) if root.known.may_be_over => format!(
            "It is not known whether {} ended, or what it waits for if it did not.",
            root.called()
        ),
        (None, _) if root.waits_unnamed => {
            format!("It is not known what {} waits for.", root.called())
        }
        (None, _) if !root.failed_first.is_empty() => return None,
        (None, _) => may_not_have_begun(hung, root),
    })
}

/// Why no record states that work on an item began, as far as the logs tell.
fn may_not_have_begun(hung: &UnfinishedWork, root: &UnfinishedItem) -> String {
    if let Some(nobody) = &root.known.nobody {
        return nobody.words();
    }
    if let Some(files) = &root.known.unseen {
        return format!(
            "It is not known whether work on {} began: none of the logs that would show it ({files}) is here.",
            root.called()
        );
    }
    let mut idle = hung.idle.iter().filter(|i| i.can_take(root));
    if let Some((name, place)) = idle.find_map(|i| i.nameless.first()) {
        return format!(
            "No record states that work on {} began. It may be {name}, which was begun ({}) and did not end: these logs do not \
             show what that was for.",
            root.called(),
            format_places(place)
        );
    }
    if root.known.untold {
        return format!(
            "No record states that work on {} began. Not every resource writes such a record, so it may have begun.",
            root.called()
        );
    }
    format!(
        "No record states that work on {} began: either it did not arrive, or the logs of that place are missing.",
        root.called()
    )
}
