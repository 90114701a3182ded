//! What is known of waits, results and times, and what is not, in words.

use widetui_analysis::entity::place::in_words;
use widetui_core::words::several;
use widetui_store::Snapshot;
use widetui_time::clock::Clock;
use widetui_time::time::format_span;

use crate::unfinished::model::{Goals, Hung, Pace, Stuck};

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

/// `waits for it`, of so many.
pub(crate) fn waits(n: usize) -> &'static str {
    if n == 1 {
        "waits for it"
    } else {
        "wait for it"
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

/// That some are named as parents of others and have no record of their own. What writes its only record at its end is lost with
/// its process, from the outside in.
pub fn absent(goals: &Goals) -> Option<String> {
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

/// That nothing hangs, as far as that can be known.
pub fn clear(hung: &Hung) -> &'static str {
    if hung.goals.iter().any(|g| g.unsure > 0) {
        return "What goes well leaves no record in these logs, so whether anything hangs is not known.";
    }
    let is_whole = |g: &Goals| g.absent == 0 && g.unknown == 0 && g.unplaced.is_empty();
    match hung.goals.iter().all(is_whole) {
        true => "Nothing hangs.",
        false => "Nothing that is known of hangs.",
    }
}

/// What the data does not say about the first thing that hangs.
pub fn missing(hung: &Hung) -> Option<String> {
    let root = hung.told().find(|s| s.standing == Pace::Root)?;
    if let Some((tag, _)) = &root.known.cut {
        return Some(format!(
            "Whether {} ended, only the rest of {tag} would tell.",
            root.called()
        ));
    }
    Some(match (&root.begun_there, root.place.len()) {
        (Some(_), _) => format!(
            "What {} does inside its function is not in these logs.",
            root.called()
        ),
        (None, _) if root.finished_there.is_some() && root.lost_sight().is_some() => {
            let whose = match &root.known.unowned {
                Some(files) => files.as_str(),
                None => "the rest of its owner's log",
            };
            format!("Whether {} ended, only {whose} would tell.", root.called())
        }
        (None, _) if root.finished_there.is_some() => format!(
            "Where the result of {} got lost on its way to its owner, only the records in between can tell.",
            root.called()
        ),
        // Why it did not begin is known.
        (None, _) if root.because.is_some() || root.is_executing || root.was_executing => {
            return None;
        }
        (None, 0) => format!(
            "It cannot be told where {} is: no record names a place of it.",
            root.called()
        ),
        (None, _) if root.known.may_be_over => format!(
            "It cannot be told whether {} ended, nor whom it waits for if it did not.",
            root.called()
        ),
        (None, _) if root.waits_unnamed => {
            format!("It cannot be told whom {} waits for.", root.called())
        }
        (None, _) if !root.failed_first.is_empty() => return None,
        (None, _) if let Some(nobody) = &root.known.nobody => nobody.words(),
        (None, _) if let Some(files) = &root.known.unseen => format!(
            "Whether work on {} began cannot be known: {files} would tell, and none of them is among these logs.",
            root.called()
        ),
        (None, _)
            if let Some((name, place)) = { hung.idle.iter() }
                .filter(|i| i.can_take(root))
                .flat_map(|i| &i.nameless)
                .next() =>
        {
            format!(
                "No record says that work on {} began. It may be {name}, which was begun ({}) and did not end: what that was \
             for is not in these logs.",
                root.called(),
                in_words(place)
            )
        }
        (None, _) if root.known.untold => format!(
            "No record says that work on {} began. Not all that carries work out writes such a record, so whether it did is not \
             known.",
            root.called()
        ),
        (None, _) => format!(
            "No record says that work on {} began: either it did not get there, or the logs of that place are missing.",
            root.called()
        ),
    })
}
