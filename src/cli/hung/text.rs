//! Unfinished work as text.

use std::io::{self, Write};

use crate::cli::colour::{TextRole, paint};
use crate::cli::opened::Opened;
use crate::cli::output::{Failure, safe, stdout, wrap};
use widetui_analysis::entity::names::format_places;
use widetui_core::ids::EventId;
use widetui_core::words::several;
use widetui_diagnosis::unfinished::words::{
    age, last_error_title, pause, silence, told_there, tried, waits_for_failed, waits_unnamed,
    words,
};
use widetui_diagnosis::unfinished::{
    IdleResources, UnfinishedItem, UnfinishedWork, WaitState, alike, is_of_one_label,
};
use widetui_report::event::full_event;
use widetui_store::texts::TextReader;

/// Number of listed groups.
const LISTED: usize = 20;

/// Writes unfinished work, idle resources and silent sources, and a paragraph in words.
///
/// # Errors
/// The output is closed.
pub fn write(opened: &Opened, result: &UnfinishedWork) -> Result<(), Failure> {
    let mut out = stdout();
    let mut texts = TextReader::default();
    write_stuck(opened, result, &mut texts, &mut out)?;
    write_unfinished_at_end(opened, result, &mut out)?;
    write_idle(opened, result, &mut out)?;
    let silences = silences(opened, result);
    write_silences(&silences, &mut out)?;
    if let Some(line) = event_line(opened, result.last_error, &mut texts)
        && !result.is_clear()
    {
        writeln!(out, "{}\n  {line}", last_error_title(result))?;
    }
    if !result.is_clear() || !silences.is_empty() {
        writeln!(out, "{}", paint(TextRole::Heading, "in words"))?;
    }
    let paragraph = words(&opened.snapshot, result, &opened.clock());
    for line in wrap(&safe(&paragraph), 98) {
        writeln!(out, "  {line}")?;
    }
    out.flush()?;
    Ok(())
}

/// Event in one line: time of day, source, the first line of its message.
fn event_line(opened: &Opened, event: Option<EventId>, texts: &mut TextReader) -> Option<String> {
    let (source, line) = message(opened, event, texts)?;
    let at = event
        .and_then(|e| opened.snapshot.event(e))
        .and_then(|e| e.time());
    let at = at.map_or_else(|| "-".to_owned(), |t| opened.clock().text(t));
    Some(format!("{at}  {}  {}", safe(&source), safe(&line)))
}

/// Writes unfinished work, in groups of the same state and place.
fn write_stuck(
    opened: &Opened,
    result: &UnfinishedWork,
    texts: &mut TextReader,
    out: &mut impl Write,
) -> io::Result<()> {
    let heads = result.heads();
    let roots: Vec<&UnfinishedItem> = heads.iter().map(|at| &result.stuck[*at]).collect();
    if !roots.is_empty() {
        writeln!(out, "{}", paint(TextRole::Heading, "unfinished"))?;
    }
    let groups = alike(&roots);
    for group in groups.iter().take(LISTED) {
        write_group(opened, result, group, texts, out)?;
    }
    if groups.len() > LISTED {
        let more: usize = groups[LISTED..].iter().map(Vec::len).sum();
        writeln!(out, "  and {more} more")?;
    }
    Ok(())
}

/// Writes a group: an instance, the others, and the work that waits for it.
fn write_group(
    opened: &Opened,
    result: &UnfinishedWork,
    group: &[&UnfinishedItem],
    texts: &mut TextReader,
    out: &mut impl Write,
) -> io::Result<()> {
    let root = group[0];
    writeln!(out, "  {}", safe(&describe(opened, result, root)))?;
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
        writeln!(
            out,
            "    the same  {} more: {}{more}",
            others.len(),
            safe(&numbers.join(", "))
        )?;
    }
    if !root.place.is_empty() {
        writeln!(out, "    where    {}", safe(&format_places(&root.place)))?;
    }
    if let Some(line) = event_line(opened, root.last_event, texts) {
        writeln!(out, "    last     {line}")?;
    }
    if root.standing == WaitState::Waiting {
        let held = describe(opened, result, &result.stuck[root.root]);
        writeln!(out, "    held up by  {}", safe(&held))?;
    }
    if root.label.is_some() && is_of_one_label(group) {
        let peers = match root.peers_ended {
            0 => "none".to_owned(),
            n => format!("{n} ended"),
        };
        writeln!(out, "    others of its kind  {peers}")?;
    }
    if !root.waiters.is_empty() {
        let all = root
            .all_waiters
            .map_or("many".to_owned(), |n| n.to_string());
        writeln!(
            out,
            "    waiters  {} directly, {all} in all",
            root.waiters.len()
        )?;
    }
    for waiter in root.waiters.iter().take(6) {
        let waiter = &result.stuck[*waiter];
        writeln!(out, "      {}", safe(&describe(opened, result, waiter)))?;
    }
    if root.waiters.len() > 6 {
        writeln!(out, "      and {} more", root.waiters.len() - 6)?;
    }
    Ok(())
}

/// Writes work that was unfinished when its run ended.
fn write_unfinished_at_end(
    opened: &Opened,
    result: &UnfinishedWork,
    out: &mut impl Write,
) -> io::Result<()> {
    let left: Vec<&UnfinishedItem> = result
        .told()
        .filter(|s| s.standing == WaitState::LeftBehind)
        .collect();
    if !left.is_empty() {
        writeln!(
            out,
            "{}",
            paint(TextRole::Heading, "unfinished when their run ended")
        )?;
        let groups = alike(&left);
        for group in groups.iter().take(LISTED) {
            let more = match group.len() {
                1 => String::new(),
                n => format!(" (and {} more like it)", n - 1),
            };
            writeln!(out, "  {}{more}", safe(&describe(opened, result, group[0])))?;
        }
    }
    Ok(())
}

/// Writes idle resources.
fn write_idle(opened: &Opened, result: &UnfinishedWork, out: &mut impl Write) -> io::Result<()> {
    if !result.idle.is_empty() {
        writeln!(out, "{}", paint(TextRole::Heading, "idle"))?;
    }
    for idle in &result.idle {
        writeln!(out, "  {}", safe(&self::idle(opened, idle)))?;
    }
    Ok(())
}

/// Number of idle resources, of how many, and since when.
pub fn idle(opened: &Opened, idle: &IdleResources) -> String {
    let since = idle.since.map_or_else(String::new, |t| {
        format!(" since {}", opened.clock().text(t))
    });
    let alive = several(idle.alive, &idle.title);
    format!("{} of {alive}{}{since}", idle.idle.len(), idle.whose)
}

/// Sources that fell silent for no known reason, and pauses of whole runs, in words.
fn silences(opened: &Opened, result: &UnfinishedWork) -> Vec<String> {
    let clock = opened.clock();
    let silent = result.unexplained().map(|one| silence(one, &clock));
    let pauses = result.pauses.iter().map(|one| pause(one, &clock));
    silent.chain(pauses).collect()
}

fn write_silences(silences: &[String], out: &mut impl Write) -> io::Result<()> {
    if !silences.is_empty() {
        writeln!(out, "{}", paint(TextRole::Heading, "silent"))?;
    }
    for one in silences.iter().take(LISTED) {
        writeln!(out, "  {}", safe(one))?;
    }
    if silences.len() > LISTED {
        writeln!(out, "  and {} more", silences.len() - LISTED)?;
    }
    Ok(())
}

/// First line of the message of an event.
fn message(
    opened: &Opened,
    event: Option<EventId>,
    texts: &mut TextReader,
) -> Option<(String, String)> {
    let event = opened.snapshot.event(event?)?;
    let full = full_event(&event, texts);
    let line = full.message.lines().next().unwrap_or_default().to_owned();
    Some((full.source, line))
}

/// Unfinished instance in one line.
pub fn describe(opened: &Opened, result: &UnfinishedWork, stuck: &UnfinishedItem) -> String {
    let clock = &opened.clock();
    let mut text = stuck.name();
    if let Some(state) = &stuck.state {
        text += &format!(" {state}");
    }
    text += &age(stuck, clock);
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
            if let Some(told) = told_there(stuck, clock) {
                text += &format!(", {told}");
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
