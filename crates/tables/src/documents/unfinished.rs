//! Unfinished work, idle resources and silent sources, and a paragraph in words.

use widetui_analysis::entity::names::format_places;
use widetui_core::ids::EventId;
use widetui_core::words::several;
use widetui_diagnosis::Finding;
use widetui_diagnosis::unfinished::words::{
    age, last_error_title, pause, resource_facts, running_for, silence, tried, waits_for_failed,
    waits_unnamed, words,
};
use widetui_diagnosis::unfinished::{
    IdleResources, UnfinishedItem, UnfinishedWork, WaitState, alike, is_of_one_label,
};
use widetui_report::document::{Block, Entry, Section};
use widetui_store::texts::TextReader;
use widetui_time::time::format_span;

use super::{DocumentRun, findings};

/// Maximum number of listed groups.
const LISTED: usize = 20;

/// Sections of unfinished work, with findings about what stands still where no work is recognised; the last is the
/// paragraph in words.
pub fn sections(
    run: DocumentRun<'_>,
    result: &UnfinishedWork,
    standstills: &[Finding],
) -> Vec<Section> {
    let mut texts = TextReader::default();
    let clock = &run.clock();
    let silent = result.unexplained().map(|one| silence(one, clock));
    let pauses = result.pauses.iter().map(|one| pause(one, clock));
    let last_error = result.last_error.filter(|_| !result.is_clear());
    let last_error = last_error.and_then(|id| record(run, id, &mut texts));
    let idle = result.idle.iter().map(|one| idle(run, one)).collect();
    let mut out = vec![
        ("standing still", findings::entries(run, standstills)),
        ("unfinished", roots(run, result, &mut texts)),
        (
            "unfinished when their run ended",
            list(left_behind(run, result)),
        ),
        ("idle", list(idle)),
        ("silent", list(silent.chain(pauses).collect())),
        (
            last_error_title(result),
            list(last_error.into_iter().collect()),
        ),
    ];
    out.retain(|(_, blocks)| !blocks.is_empty());
    out.push((
        "in words",
        vec![Block::Text(words(run.snapshot, result, clock))],
    ));
    let section = |(title, blocks): (&str, _)| Section {
        id: "",
        title: title.to_owned(),
        blocks,
    };
    out.into_iter().map(section).collect()
}

/// List of at most [`LISTED`] texts, if there are any.
fn list(mut texts: Vec<String>) -> Vec<Block> {
    if texts.is_empty() {
        return Vec::new();
    }
    if let Some(more) = texts.len().checked_sub(LISTED).filter(|more| *more > 0) {
        texts.truncate(LISTED);
        texts.push(format!("and {more} more"));
    }
    vec![Block::List(texts)]
}

/// Record in one line.
fn record(run: DocumentRun<'_>, id: EventId, texts: &mut TextReader) -> Option<String> {
    let moment = |time| run.clock().text(time);
    run.record(id, texts, |event| {
        Some(event.time().map_or_else(|| "-".to_owned(), moment))
    })
}

/// Work that waits for no other, in groups of the same state and place.
fn roots(run: DocumentRun<'_>, result: &UnfinishedWork, texts: &mut TextReader) -> Vec<Block> {
    let heads = result.heads();
    let roots: Vec<&UnfinishedItem> = heads.iter().map(|at| &result.stuck[*at]).collect();
    let groups = alike(&roots);
    let shown = groups.iter().take(LISTED);
    let mut out: Vec<Block> = { shown }
        .map(|members| Block::Entry(group(run, result, members, texts)))
        .collect();
    if groups.len() > LISTED {
        let more: usize = groups[LISTED..].iter().map(Vec::len).sum();
        out.push(Block::Text(format!("and {more} more")));
    }
    out
}

/// Group: an instance, the others, and the work that waits for it.
fn group(
    run: DocumentRun<'_>,
    result: &UnfinishedWork,
    group: &[&UnfinishedItem],
    texts: &mut TextReader,
) -> Entry {
    let root = group[0];
    let mut blocks = Vec::new();
    if let [_, others @ ..] = group
        && !others.is_empty()
    {
        let number = |s: &&UnfinishedItem| {
            let number = match s.run == root.run {
                true => s.number().to_owned(),
                false => s.called(),
            };
            match s.label.as_ref().filter(|_| !is_of_one_label(group)) {
                Some(label) => format!("{number} ({label})"),
                None => number,
            }
        };
        let numbers: Vec<String> = others.iter().take(12).map(number).collect();
        let more = if others.len() > numbers.len() {
            " ..."
        } else {
            ""
        };
        let same = format!("{} more: {}{more}", others.len(), numbers.join(", "));
        blocks.push(Block::Fact("the same", same));
    }
    if !root.place.is_empty() {
        blocks.push(Block::Fact("where", format_places(&root.place)));
    }
    if let Some(line) = root.last_event.and_then(|id| record(run, id, texts)) {
        blocks.push(Block::Fact("last", line));
    }
    if root.standing == WaitState::Waiting {
        let held = describe(run, result, &result.stuck[root.root]);
        blocks.push(Block::Fact("held up by", held));
    }
    if root.label.is_some() && is_of_one_label(group) {
        let peers = match root.peers_ended {
            0 => "none".to_owned(),
            n => format!("{n} ended"),
        };
        blocks.push(Block::Fact("others of its kind", peers));
    }
    if !root.waiters.is_empty() {
        let all = root
            .all_waiters
            .map_or("many".to_owned(), |n| n.to_string());
        let waiters = format!("{} directly, {all} in all", root.waiters.len());
        blocks.push(Block::Fact("waiters", waiters));
        let named = root.waiters.iter().take(6);
        let mut named: Vec<String> = { named }
            .map(|waiter| describe(run, result, &result.stuck[*waiter]))
            .collect();
        if root.waiters.len() > 6 {
            named.push(format!("and {} more", root.waiters.len() - 6));
        }
        blocks.push(Block::List(named));
    }
    Entry {
        rank: None,
        title: describe(run, result, root),
        blocks,
    }
}

/// Work that was unfinished when its run ended.
fn left_behind(run: DocumentRun<'_>, result: &UnfinishedWork) -> Vec<String> {
    let left: Vec<&UnfinishedItem> = result
        .told()
        .filter(|s| s.standing == WaitState::LeftBehind)
        .collect();
    let groups = alike(&left).into_iter();
    let line = |group: Vec<&UnfinishedItem>| {
        let more = match group.len() {
            1 => String::new(),
            n => format!(" (and {} more like it)", n - 1),
        };
        format!("{}{more}", describe(run, result, group[0]))
    };
    groups.map(line).collect()
}

/// Number of idle resources, of how many, and since when.
pub fn idle(run: DocumentRun<'_>, idle: &IdleResources) -> String {
    let since = idle
        .since
        .map_or_else(String::new, |t| format!(" since {}", run.clock().text(t)));
    let alive = several(idle.alive, &idle.title);
    format!("{} of {alive}{}{since}", idle.idle.len(), idle.whose)
}

/// Unfinished instance in one line.
pub fn describe(run: DocumentRun<'_>, result: &UnfinishedWork, stuck: &UnfinishedItem) -> String {
    let clock = &run.clock();
    let mut text = stuck.name();
    if let Some(state) = &stuck.state {
        text += &format!(" {state}");
    }
    text += &age(stuck, clock);
    if let Some(running) = running_for(stuck, stuck.age) {
        text += &format!(", running for {}", format_span(running));
    }
    if let Some(tried) = tried(stuck, stuck.age) {
        text += &format!(" ({tried})");
    }
    if let Some((tag, _)) = &stuck.known.cut {
        text += &format!(" when {tag} was cut");
    }
    if let Some(because) = &stuck.because {
        text += &format!(", reason {because}");
    }
    match stuck.standing {
        WaitState::Root => {
            if let Some(fact) = resource_facts(stuck, clock) {
                text += &format!(", {fact}");
            }
            if let Some(waits) = waits_for_failed(stuck, clock) {
                text += &format!(", {waits}");
            } else if let Some(waits) = waits_unnamed(stuck) {
                text += &format!(", {waits}");
            } else if let Some(waits) = stuck.waits_for_room() {
                text += &format!(", {waits}");
            }
        }
        WaitState::Waiting => {
            let names = stuck.waits_for.iter().take(5);
            let names: Vec<&str> = names.map(|w| result.stuck[*w].number()).collect();
            text += &format!(", waits for {}", names.join(", "));
            if stuck.waits_for.len() > names.len() {
                text += &format!(" and {} more", stuck.waits_for.len() - names.len());
            }
        }
        WaitState::Circle => text += ", waits in a circle",
        WaitState::LeftBehind => text += ", its run ended without it",
    }
    text
}
