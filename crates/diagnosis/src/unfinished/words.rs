//! Summary of unfinished work in sentences: conclusions that the data supports, and the data missing for others.

use widetui_core::words::{listed, plural, several};
use widetui_store::Snapshot;
use widetui_time::clock::Clock;
use widetui_time::time::format_span;

use crate::unfinished::last_error::last_words;
use crate::unfinished::model::{
    Channel, Pause, SilenceReason, Silent, UnfinishedItem, UnfinishedWork, WaitState,
    WorkItemCounts, WorkStatus,
};
use crate::unfinished::run_stops::{RunStop, StopKind, stops};
use crate::unfinished::similar::with_reason;
pub use crate::unfinished::unassigned_records::unplaced;
use crate::unfinished::uncertainty::clear;
pub use crate::unfinished::uncertainty::{absent, came_back, missing, strays, waited_for};
use widetui_analysis::entity::names::format_places;
use widetui_analysis::runs::Run;
use widetui_ingest::clocks;

/// Facts about an unfinished item from its resource: `its try began at 01:44:07.845`.
pub fn resource_facts(stuck: &UnfinishedItem, clock: &Clock<'_>) -> Option<String> {
    if let Some((title, begun, _)) = &stuck.begun_there {
        return Some(format!("its {title} began at {}", clock.text(*begun)));
    }
    let (title, ended, _) = stuck.finished_there.as_ref()?;
    let result = came_back(stuck, clock);
    let ended = clock.text(*ended);
    let how = stuck.how_finished();
    Some(format!("its {title} was {how} at {ended} but {result}"))
}

/// Time since its unfinished attempt began where it runs, ns, if it is less than `age`, the time in its state, ns.
pub fn running_for(stuck: &UnfinishedItem, age: Option<i64>) -> Option<i64> {
    let (_, begun, _) = stuck.begun_there.as_ref()?;
    let running = stuck.since?.saturating_add(age?).saturating_sub(*begun);
    Some(running.max(0)).filter(|running| Some(*running) < age)
}

/// Time in its state: ` for 1 m 22 s since 01:44:07`; empty if it is not known.
pub fn age(stuck: &UnfinishedItem, clock: &Clock<'_>) -> String {
    let known = stuck.age.zip(stuck.since);
    known.map_or_else(String::new, |(age, since)| {
        format!(" for {} since {}", format_span(age), clock.digits(since, 0))
    })
}

/// Number of attempts and time since the first: `2 tries, 1 h 3 m since the first`; `age` is the time in its state,
/// ns. `None` for a single attempt.
pub fn tried(stuck: &UnfinishedItem, age: Option<i64>) -> Option<String> {
    let retried = stuck.retried.as_ref()?;
    let tries = several(retried.count, &retried.title);
    let end = stuck.since.zip(age).map(|(s, age)| s.saturating_add(age));
    let long = end.map(|end| format_span(end.saturating_sub(retried.first).max(0)));
    Some(match long {
        Some(long) => format!("{tries}, {long} since the first"),
        None => tries,
    })
}

/// Text with an initial capital, unless its first word looks like a path or the name of a program.
pub fn capital(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    if word.contains(['/', '.', '_', '\'', '"', '-']) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Sentence on items that ended and began again.
fn again(goals: &WorkItemCounts) -> Option<String> {
    (goals.again > 0).then(|| {
        format!(
            "{} had ended before and {} open again at the end of these records.",
            several(goals.again, &goals.title),
            if goals.again == 1 { "was" } else { "were" }
        )
    })
}

/// Summary of the unfinished work, a paragraph.
pub fn words(snapshot: &Snapshot, hung: &UnfinishedWork, clock: &Clock<'_>) -> String {
    let mut out: Vec<String> = Vec::new();
    if !hung.knows_goals() {
        out.extend(WorkStatus::Unrecognised.unknown().map(str::to_owned));
    }
    for goals in hung.goals.iter().filter(|g| g.begun > 0) {
        out.push(ended(goals));
        out.extend(again(goals));
    }
    out.extend(hung.goals.iter().filter_map(unplaced));
    out.extend(hung.told_of());
    out.extend(crate::unfinished::truncated_sources::words(hung, clock));
    roots(hung, clock, &mut out);
    out.extend(hung.mutual.iter().map(|m| capital(&m.words(hung)) + "."));
    left_behind(hung, &mut out);
    idle(hung, clock, &mut out);
    let properly = hung.runs.iter().filter(|r| r.end_event.is_some());
    let without: Vec<String> = properly
        .filter(|r| r.work_items.1 > 0)
        .map(Run::name)
        .collect();
    match without.len() {
        0 => {}
        1 => out.push(format!("The {} ended properly, without it.", without[0])),
        _ => out.push(format!(
            "{} ended properly, without them.",
            capital(&listed(&without, 3))
        )),
    }
    // Records without a known run may hide unfinished work.
    let hides =
        |g: &WorkItemCounts| !g.unplaced.item_numbers.is_empty() && !g.unplaced.reports_ends;
    let may_have = hung.goals.iter().any(hides);
    let is_news = |run: &Run| run.work_items.1 > 0 || !hung.knows_goals() || may_have;
    out.extend(crate::unfinished::missed_peers::words(
        snapshot, hung, clock,
    ));
    for group in stops(snapshot, hung, is_news) {
        out.push(stopped(&group, clock));
        out.extend(last_words(snapshot, hung, &group, clock));
    }
    silent(hung, clock, &mut out);
    out.extend(hung.pauses.iter().map(|p| format!("{}.", pause(p, clock))));
    out.extend(hung.goals.iter().filter_map(absent));
    out.extend(missing(hung));
    out.extend(strays(snapshot, hung));
    let sources = snapshot.sources.iter().map(AsRef::as_ref);
    out.extend(clocks::words(&clocks::find_offsets(sources)));
    let is_quiet = hung.silent.is_empty() && hung.pauses.is_empty();
    let is_over = hung.is_clear() && hung.goals.iter().all(|g| g.again == 0);
    if is_over && is_quiet && hung.knows_goals() {
        out.push(clear(hung).to_owned());
    }
    out.join(" ")
}

/// Number of ended work items of an entity, by result.
fn ended(goals: &WorkItemCounts) -> String {
    match (goals.begun - goals.ended, goals.failed) {
        (0, n) if goals.unsure > 0 => {
            let failed = match n - goals.unsure {
                0 => String::new(),
                n => format!(", {n} failed"),
            };
            let all = match goals.begun {
                1 => format!("The one {}", goals.one()),
                n => format!("Of {} {}", several(n, &goals.one()), goals.unsure),
            };
            format!("{all} raised an exception and may have been retried{failed}.")
        }
        (0, 0) if goals.begun == 1 => format!("The one {} ended.", goals.one()),
        (0, 1) if goals.begun == 1 => {
            format!("The one {} failed.", goals.one())
        }
        (0, 0) => format!("All {} ended.", goals.counted()),
        (0, n) => format!("All {} ended; {n} failed.", goals.counted()),
        (_, 0) => format!("{} of {} ended.", goals.ended, goals.counted()),
        (_, n) => format!("{} of {} ended; {n} failed.", goals.ended, goals.counted()),
    }
}

/// Maximum number of groups of similar items, and of idle resources, that are described.
const TOLD: usize = 3;

fn roots(hung: &UnfinishedWork, clock: &Clock<'_>, out: &mut Vec<String>) {
    let heads: Vec<&UnfinishedItem> = hung.heads().iter().map(|at| &hung.stuck[*at]).collect();
    let mut roots = heads.clone();
    roots.retain(|s| s.standing != WaitState::Circle);
    let groups = crate::unfinished::alike(&roots);
    for group in groups.iter().take(TOLD) {
        out.push(root(hung, group[0], clock));
        let same: Vec<String> = group[1..].iter().map(|r| with_reason(r)).collect();
        if !same.is_empty() {
            out.push(format!("The same goes for {}.", listed(&same, 5)));
        }
    }
    let rest = groups.iter().skip(TOLD).flatten();
    let rest: Vec<String> = rest.map(|r| with_reason(r)).collect();
    if !rest.is_empty() {
        out.push(format!("Also unfinished: {}.", listed(&rest, 5)));
    }
    let circle = heads.iter().filter(|s| s.standing == WaitState::Circle);
    let circle: Vec<String> = circle.map(|s| s.name()).collect();
    if let [one] = &circle[..] {
        out.push(format!("{} is part of a cycle of waits.", capital(one)));
    } else if !circle.is_empty() {
        out.push(format!(
            "These wait for each other in a cycle, or for members of one: {}.",
            listed(&circle, 6)
        ));
    }
}

/// Description of the first of several similar items: progress, reason, place, waiters.
pub(crate) fn root(hung: &UnfinishedWork, root: &UnfinishedItem, clock: &Clock<'_>) -> String {
    let mut text = capital(&root.name()) + &course(root, clock);
    if let Some(because) = &root.because {
        text += &format!(" (reason: {because})");
    }
    let unnamed = || waits_unnamed(root).map(str::to_owned);
    let waits = waits_for_failed(root, clock).or_else(unnamed);
    if let Some(waits) = waits.or_else(|| root.waits_for_room()) {
        text += &format!(" and {waits}");
    }
    let place = Some(format_places(&root.place)).filter(|place| !place.is_empty());
    let aside: Vec<String> = tried(root, root.age).into_iter().chain(place).collect();
    if !aside.is_empty() {
        text += &format!(" ({})", aside.join("; "));
    }
    if let Some(waits) = held_up(hung, root) {
        text += &format!(" and {waits}");
    }
    if let Some(waited_for) = waited_for(root) {
        text += &format!("; {waited_for}");
    }
    text + "."
}

/// Progress of an unfinished item, for use after its name.
fn course(root: &UnfinishedItem, clock: &Clock<'_>) -> String {
    if let Some((title, time, _)) = &root.begun_there {
        let began = clock.text(*time);
        return match &root.known.cut {
            Some((tag, last)) => format!(
                ": its last {title} began at {began}, and whether it ended is not known: {tag} was cut at {}",
                clock.text(*last)
            ),
            None => format!(
                ": its last {title} began at {began} and {}",
                never_ended(root, *time)
            ),
        };
    }
    if let Some((title, time, _)) = &root.finished_there {
        let (time, result) = (clock.text(*time), came_back(root, clock));
        let how = root.how_finished();
        return format!(": its last {title} was {how} at {time}, but {result}");
    }
    let state = root.state.as_deref();
    if let Some((tag, last)) = &root.known.cut {
        let (state, last) = (state.unwrap_or("begun"), clock.text(*last));
        return format!(
            " was {state} when {tag} was cut, at {last}: whether it ended is not known"
        );
    }
    match (root.since, state) {
        (Some(since), state) => match state {
            Some(state) => format!(" has been in state `{state}` since {}", clock.text(since)),
            None => format!(" has been running since {}", clock.text(since)),
        },
        (None, Some(state)) => format!(" is in state `{state}`"),
        (None, None) => " did not end".to_owned(),
    }
}

/// Phrase for an unfinished attempt; if it is not the first, with its age.
fn never_ended(stuck: &UnfinishedItem, began: i64) -> String {
    let end = stuck.since.zip(stuck.age);
    let long = end.map(|(since, age)| since.saturating_add(age).saturating_sub(began));
    match long.filter(|long| stuck.retried.is_some() && *long > 0) {
        Some(long) => format!("did not end in the {} since then", format_span(long)),
        None => "never ended".to_owned(),
    }
}

fn left_behind(hung: &UnfinishedWork, out: &mut Vec<String>) {
    let left = hung.told().filter(|s| s.standing == WaitState::LeftBehind);
    let left: Vec<&UnfinishedItem> = left.collect();
    let names: Vec<String> = left.iter().map(|s| s.name()).collect();
    if names.is_empty() {
        return;
    }
    out.push(format!(
        "Unfinished when their run ended: {}.",
        listed(&names, 5)
    ));
    let failed = left.iter().filter(|s| s.failed_try.is_some());
    let failed: Vec<String> = failed.map(|s| s.called()).collect();
    if !failed.is_empty() {
        out.push(format!("Attempts had failed of {}.", listed(&failed, 5)));
    }
    let nobody = left.iter().find_map(|s| s.known.nobody.as_ref());
    out.extend(nobody.map(crate::unfinished::model::AbsentResource::words));
}

fn idle(hung: &UnfinishedWork, clock: &Clock<'_>, out: &mut Vec<String>) {
    for idle in hung.idle.iter().take(TOLD) {
        let (n, whose) = (idle.idle.len(), &idle.whose);
        let since = idle.since.map(|t| format!(" since {}", clock.text(t)));
        let since = since.unwrap_or_default();
        let all = several(idle.alive, &idle.title);
        if idle.busy == 0 {
            let none = match idle.alive {
                1 => format!("The one {}{whose} has none", idle.title),
                _ => format!("None of the {all}{whose} has any"),
            };
            out.push(format!(
                "{none} of it{since}: the work did not arrive, or its result was lost."
            ));
        } else if n == 0 {
            out.push(match idle.alive {
                1 => format!("The one {}{whose} has unfinished work.", idle.title),
                2 => format!("Both {}{whose} have unfinished work.", plural(&idle.title)),
                _ => format!("All {all}{whose} have unfinished work."),
            });
        } else {
            let have = if n == 1 { "has" } else { "have" };
            // With several roots, none of them alone blocks the run.
            let mut roots = hung.roots();
            let so = match (roots.next(), roots.next()) {
                (Some((_, root)), None) if root.known.unowned.is_none() => {
                    ", so nothing else blocks the run"
                }
                _ => "",
            };
            out.push(format!(
                "{n} of {all}{whose} {have} had nothing to do{since}{so}."
            ));
        }
        for (work, place, _) in idle.given_up.iter().take(3) {
            out.push(format!(
                "{} was given up; no record states that it ended where it runs ({}).",
                capital(work),
                format_places(place)
            ));
        }
    }
    if let Some((first, rest)) = hung.idle.get(TOLD..).and_then(<[_]>::split_first) {
        let rest = || std::iter::once(first).chain(rest);
        let n: usize = rest().map(|i| i.idle.len()).sum();
        let all: usize = rest().map(|i| i.alive).sum();
        let all = several(all, &first.title);
        out.push(format!(
            "Of {all} elsewhere {n} had nothing to do at the end."
        ));
    }
}

/// Phrase for an item whose state means waiting.
const WAITS_UNNAMED: &str = "waits for work that no record names";

/// The same for an item that may be over without a record of it.
const WAITS_OR_OVER: &str = "waits for work that no record names, or ended without a record";

/// Phrase for a wait for work that no record names.
pub fn waits_unnamed(stuck: &UnfinishedItem) -> Option<&'static str> {
    let words = match stuck.known.may_be_over {
        true => WAITS_OR_OVER,
        false => WAITS_UNNAMED,
    };
    stuck.waits_unnamed.then_some(words)
}

/// Phrase for the unfinished dependencies of an item and the root that blocks it.
pub fn held_up(hung: &UnfinishedWork, stuck: &UnfinishedItem) -> Option<String> {
    if stuck.standing != WaitState::Waiting {
        return None;
    }
    let root = hung.stuck.get(stuck.root)?;
    if stuck.waits_for == [stuck.root] {
        return Some(format!("waits for {}", root.name()));
    }
    let direct = stuck.waits_for.iter().filter(|at| **at != stuck.root);
    let direct: Vec<String> = direct.map(|at| hung.stuck[*at].called()).collect();
    let direct = listed(&direct, 3);
    Some(format!(
        "waits for {direct}, in the end for {}",
        root.name()
    ))
}

/// Phrase for failed dependencies: `waits for task 17, which failed at 16:48:39.955`.
pub fn waits_for_failed(stuck: &UnfinishedItem, clock: &Clock<'_>) -> Option<String> {
    let (last, rest) = stuck.failed_first.split_first()?;
    let at = last.time.map(|t| format!(" at {}", clock.text(t)));
    let at = at.unwrap_or_default();
    if !last.is_failure {
        let state = last.state.as_deref().unwrap_or("gone");
        return Some(format!("waits for {}, which was {state}{at}", last.name));
    }
    Some(match rest.len() {
        0 => format!("waits for {}, which failed{at}", last.name),
        n => format!(
            "waits for {}, which failed{at}, and {n} more that failed",
            last.name
        ),
    })
}

/// Sentence on runs with unfinished work that stopped in the same way.
pub(crate) fn stopped(group: &[RunStop<'_>], clock: &Clock<'_>) -> String {
    let [one] = group else {
        return stopped_together(group, clock);
    };
    let (name, at) = (one.run.name(), clock.text(one.time));
    match one.way {
        StopKind::Quit => format!("The {name} exited at {at} without shutting down."),
        StopKind::Stopped => format!(
            "The {name} stopped writing ({}) at {at} without shutting down, while others wrote on for {}: its process \
             was killed, or died{}",
            one.tag,
            format_span(one.after),
            match one.run.executed_after_log {
                0 => ".".to_owned(),
                n => format!(
                    ", or that log was cut: {} carried out after that, and what became of the rest is not known.",
                    if n == 1 {
                        "1 piece of its work was".to_owned()
                    } else {
                        format!("{n} pieces of its work were")
                    }
                ),
            }
        ),
        StopKind::Quiet => format!(
            "The {name} was not shut down cleanly: its own log ({}) ends at {at}, while others wrote on for {}, which is no longer than \
             it had been silent before. It was killed, waits for something, was copied while it ran, or is still alive.",
            one.tag,
            format_span(one.after),
        ),
        StopKind::AllStop => format!(
            "The {name} was not shut down cleanly: all of its logs end at {at}, so it was killed{}, was copied while it ran, or is \
             still alive.",
            // A process that ends before any work usually had no time to log the reason.
            match one.run.work_items.0 {
                0 => ", ended with an exception that no log shows",
                _ => "",
            }
        ),
    }
}

fn stopped_together(group: &[RunStop<'_>], clock: &Clock<'_>) -> String {
    let names: Vec<String> = group.iter().map(|s| s.run.short_name()).collect();
    let title = &group[0].run.title;
    let names = format!(
        "{} ({})",
        several(group.len(), title),
        listed(&names, 4).replace(" and ", ", ")
    );
    let last = group.iter().map(|s| s.time).max().unwrap_or_default();
    let last = clock.text(last);
    match group[0].way {
        StopKind::Quit => format!("{names} exited without shutting down, the last one at {last}."),
        StopKind::Stopped => format!(
            "{names} stopped writing without shutting down, the last one at {last}, while others of their runs wrote on: \
             their processes were killed, or died."
        ),
        StopKind::Quiet => format!(
            "{names} were not shut down cleanly: their own logs end before others of their runs do, by no more than they had been \
             silent before. They were killed, wait for something, were copied while they ran, or are still alive."
        ),
        StopKind::AllStop => format!(
            "{names} were not shut down cleanly: all of their logs just end, the last ones at {last}, so they were killed, were \
             copied while they ran, or are still alive."
        ),
    }
}

/// Heading of the last error, which is the last one before the first silence if there is a silence.
pub fn last_error_title(hung: &UnfinishedWork) -> &'static str {
    match hung.silent.iter().any(|s| s.why == SilenceReason::Unknown) {
        true => "last error before the silence",
        false => "last error of the run",
    }
}

/// Description of a silence.
pub fn silence(silent: &Silent, clock: &Clock<'_>) -> String {
    let who = match &silent.channel {
        Channel::Source => silent.tag.clone(),
        Channel::Process(who) => format!("process {who} in {}", silent.tag),
        Channel::Thread(who) => format!("{who} in {}", silent.tag),
        Channel::Logger(who, logger) => format!("{logger} of {who} in {}", silent.tag),
        Channel::Heartbeat(of, template) => {
            format!("\"{template}\" of {of} in {}", silent.tag)
        }
    };
    format!(
        "{who} wrote its last record at {} and nothing in the {} after it",
        clock.text(silent.last),
        format_span(silent.gap)
    )
}

/// Description of a pause.
pub fn pause(pause: &Pause, clock: &Clock<'_>) -> String {
    format!(
        "No log was written for {} after {}",
        format_span(pause.gap),
        clock.text(pause.since)
    )
}

fn silent(hung: &UnfinishedWork, clock: &Clock<'_>, out: &mut Vec<String>) {
    // The main source of a run is reported with the run.
    let is_told = |s: &Silent| {
        hung.runs.iter().any(|r| {
            r.has_end && r.work_items.1 > 0 && r.main_source.is_some_and(|(own, _)| own == s.source)
        })
    };
    let unknown: Vec<&Silent> = hung.unexplained().filter(|s| !is_told(s)).collect();
    for one in unknown.iter().take(2) {
        out.push(format!("{}.", silence(one, clock)));
    }
    if unknown.len() > 2 {
        out.push(format!("{} more fell silent.", unknown.len() - 2));
    }
    let all = hung.silent.iter();
    let unknown = all.filter(|s| s.why == SilenceReason::Unknown && !is_told(s));
    match unknown.filter(|s| !s.is_told).count() {
        0 => {}
        1 => out.push("One that fell silent has its last record elsewhere.".to_owned()),
        n => out.push(format!(
            "{n} that fell silent have their last records elsewhere."
        )),
    }
}
