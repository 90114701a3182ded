//! `widetui hung`: what began and never ended, who waits, what fell silent.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use crate::analysis::hung::words::{
    WAITS_UNNAMED, last_error_title, place, silence, told_there, waits_for_failed, words,
};
use crate::analysis::hung::{Channel, Found, Hung, Id, Pace, Silent, Stuck, Why, alike, hung};
use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::base::time::format_span;
use crate::base::words::several;
use crate::export::event::full_event;
use crate::export::{csv, jsonl};
use crate::store::texts::Texts;

use super::args::Format;
use super::entities::{id_object, known, seconds, time};
use super::open::Opened;
use super::output::{Failure, safe, stdout};

/// Things that are listed one by one for people.
const LISTED: usize = 20;

/// Looks and writes.
pub fn print(opened: &Opened, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let cancel = Cancel::default();
    // Nobody cancels here.
    let found = Found::scan(snapshot, known(opened), &cancel).unwrap_or(Found { all: Vec::new() });
    let asked = opened.meaning.asked();
    let result = hung(snapshot, &found, &asked, &cancel).unwrap_or_default();
    match format {
        Format::Text => text(opened, &result),
        Format::Jsonl => lines(opened, &result),
        Format::Csv => table(opened, &result),
    }
}

/// The first line of the message of an event.
fn message(opened: &Opened, event: Option<EventId>, texts: &mut Texts) -> Option<(String, String)> {
    let event = opened.snapshot.event(event?)?;
    let full = full_event(&event, texts);
    let line = full.message.lines().next().unwrap_or_default().to_owned();
    Some((full.source, line))
}

fn lines(opened: &Opened, result: &Hung) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let mut out = stdout();
    let mut texts = Texts::default();
    for stuck in &result.stuck {
        let root = &result.stuck[stuck.root];
        let line = json!({
            "kind": "entity",
            "entity": stuck.entity,
            "id": id_object(snapshot, &stuck.id),
            "label": stuck.label,
            "state": stuck.state,
            "because": stuck.because,
            "since": time(stuck.since),
            "age_s": seconds(stuck.age),
            "last_event": event_json(opened, stuck.last_event, &mut texts),
            "where": id_object(snapshot, &stuck.place),
            "root": id_object(snapshot, &root.id),
            "waiters_direct": stuck.waiters.len(),
            "waiters": stuck.all_waiters,
            "left_behind": stuck.standing == Pace::LeftBehind,
            "text": describe(opened, result, stuck),
        });
        writeln!(out, "{}", jsonl::line(&line))?;
    }
    for silent in &result.silent {
        let line = json!({
            "kind": "silent",
            "source": silent.tag,
            "since": time(Some(silent.last)),
            "age_s": seconds(Some(silent.gap)),
            "last_event": event_json(opened, Some(silent.last_event), &mut texts),
            "records": silent.records,
            "usual_gap_s": seconds(Some(silent.usual_gap)),
            "channel": channel(&silent.channel),
            "why": match silent.why {
                Why::Unknown => "unknown",
                Why::Busy => "busy",
                Why::Idle => "idle",
            },
            "text": silence(silent, &opened.clock()),
        });
        writeln!(out, "{}", jsonl::line(&line))?;
    }
    let summary = json!({
        "kind": "summary",
        "unfinished": result.stuck.len(),
        "roots": result.hanging().filter(|s| s.standing == Pace::Root).count(),
        "text": words(snapshot, result, &opened.clock()),
    });
    writeln!(out, "{}", jsonl::line(&summary))?;
    out.flush()?;
    Ok(())
}

fn channel(channel: &Channel) -> Json {
    match channel {
        Channel::Source => json!({}),
        Channel::Process(process) => json!({"process": process}),
        Channel::Thread(thread) => json!({"thread": thread}),
        Channel::Logger(thread, logger) => json!({"thread": thread, "logger": logger}),
        Channel::Heartbeat(of, template) => json!({"of": of, "template": template}),
    }
}

fn event_json(opened: &Opened, event: Option<EventId>, texts: &mut Texts) -> Json {
    let Some(event) = event.and_then(|e| opened.snapshot.event(e)) else {
        return Json::Null;
    };
    let full = full_event(&event, texts);
    let mut object = Map::new();
    object.insert("time".into(), json!(full.time));
    object.insert("source".into(), json!(full.source));
    object.insert("level".into(), json!(full.level));
    object.insert("message".into(), json!(full.message));
    Json::Object(object)
}

/// One line about a stuck thing.
fn describe(opened: &Opened, result: &Hung, stuck: &Stuck) -> String {
    let clock = &opened.clock();
    let mut text = stuck.name();
    if let Some(state) = &stuck.state {
        text += &format!(" {state}");
    }
    if let Some(age) = stuck.age {
        text += &format!(" for {}", format_span(age));
    }
    if let Some(because) = &stuck.because {
        text += &format!(", reason {because}");
    }
    match stuck.standing {
        Pace::Root => {
            if let Some(told) = told_there(stuck, clock) {
                text += &format!(", {told}");
            }
            if let Some(waits) = waits_for_failed(stuck, clock) {
                text += &format!(", {waits}");
            } else if stuck.waits_unnamed {
                text += &format!(", {WAITS_UNNAMED}");
            }
        }
        Pace::Waiting => {
            let names = stuck.waits_for.iter().take(5);
            let names: Vec<&str> = names.map(|w| result.stuck[*w].number()).collect();
            text += &format!(", waits for {}", names.join(", "));
            if stuck.waits_for.len() > names.len() {
                text += &format!(" and {} more", stuck.waits_for.len() - names.len());
            }
        }
        Pace::Circle => text += ", waits in a circle",
        Pace::LeftBehind => text += ", its run ended without it",
    }
    text
}

fn text(opened: &Opened, result: &Hung) -> Result<(), Failure> {
    let mut out = stdout();
    let mut texts = Texts::default();
    write_stuck(opened, result, &mut texts, &mut out)?;
    write_left_behind(opened, result, &mut out)?;
    write_idle(opened, result, &mut out)?;
    let silent: Vec<&Silent> = result
        .silent
        .iter()
        .filter(|s| s.why == Why::Unknown)
        .collect();
    write_silent(opened, &silent, &mut out)?;
    if let Some(line) = at_and_message(opened, result.last_error, &mut texts)
        && !result.is_clear()
    {
        writeln!(out, "{}\n  {line}", last_error_title(result))?;
    }
    if !result.is_clear() || !silent.is_empty() {
        writeln!(out, "in words")?;
    }
    let said = words(&opened.snapshot, result, &opened.clock());
    for line in super::output::wrap(&safe(&said), 98) {
        writeln!(out, "  {line}")?;
    }
    out.flush()?;
    Ok(())
}

/// An event in a line: time of day, source, the first line of its message.
fn at_and_message(opened: &Opened, event: Option<EventId>, texts: &mut Texts) -> Option<String> {
    let (source, line) = message(opened, event, texts)?;
    let at = event
        .and_then(|e| opened.snapshot.event(e))
        .and_then(|e| e.time());
    let at = at.map_or_else(|| "-".to_owned(), |t| opened.clock().text(t));
    Some(format!("{at}  {}  {}", safe(&source), safe(&line)))
}

/// What does not end, by kinds that are alike.
fn write_stuck(
    opened: &Opened,
    result: &Hung,
    texts: &mut Texts,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut roots: Vec<&Stuck> = result.hanging().collect();
    roots.retain(|s| s.standing != Pace::Waiting);
    if !roots.is_empty() {
        writeln!(out, "stuck")?;
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

/// One thing, those that are like it, and who waits for it.
fn write_group(
    opened: &Opened,
    result: &Hung,
    group: &[&Stuck],
    texts: &mut Texts,
    out: &mut impl Write,
) -> io::Result<()> {
    let root = group[0];
    writeln!(out, "  {}", safe(&describe(opened, result, root)))?;
    if let [_, others @ ..] = group
        && !others.is_empty()
    {
        let number = |s: &&Stuck| match s.run == root.run {
            true => s.number().to_owned(),
            false => s.called(),
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
        writeln!(out, "    where    {}", safe(&place(&root.place)))?;
    }
    if let Some(line) = at_and_message(opened, root.last_event, texts) {
        writeln!(out, "    last     {line}")?;
    }
    if root.label.is_some() {
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

/// What was not ended when its run was.
fn write_left_behind(opened: &Opened, result: &Hung, out: &mut impl Write) -> io::Result<()> {
    let left: Vec<&Stuck> = result
        .stuck
        .iter()
        .filter(|s| s.standing == Pace::LeftBehind)
        .collect();
    if !left.is_empty() {
        writeln!(out, "left behind when their run ended")?;
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

/// Workers and the like that have nothing to do.
fn write_idle(opened: &Opened, result: &Hung, out: &mut impl Write) -> io::Result<()> {
    if !result.idle.is_empty() {
        writeln!(out, "idle")?;
    }
    for idle in &result.idle {
        let since = idle.since.map_or_else(String::new, |t| {
            format!(" since {}", opened.clock().text(t))
        });
        writeln!(
            out,
            "  {} of {}{since}",
            idle.idle.len(),
            safe(&several(idle.alive, &idle.title))
        )?;
    }
    Ok(())
}

/// What fell silent for no reason that is known.
fn write_silent(opened: &Opened, silent: &[&Silent], out: &mut impl Write) -> io::Result<()> {
    if !silent.is_empty() {
        writeln!(out, "silent")?;
    }
    for one in silent.iter().take(LISTED) {
        writeln!(out, "  {}", safe(&silence(one, &opened.clock())))?;
    }
    if silent.len() > LISTED {
        writeln!(out, "  and {} more", silent.len() - LISTED)?;
    }
    Ok(())
}

fn pairs(id: &Id) -> String {
    let pairs: Vec<String> = id.iter().map(|(k, v)| format!("{k}={v}")).collect();
    pairs.join(",")
}

fn table(opened: &Opened, result: &Hung) -> Result<(), Failure> {
    let mut out = stdout();
    writeln!(
        out,
        "kind,entity,id,label,state,since,age_s,where,root,waiters_direct,waiters,text"
    )?;
    let text = |json: Json| json.as_str().unwrap_or_default().to_owned();
    let age = |ns: Option<i64>| ns.map(|a| (a as f64 / 1e9).to_string()).unwrap_or_default();
    for stuck in &result.stuck {
        let cells = [
            "entity".to_owned(),
            stuck.entity.clone(),
            pairs(&stuck.id),
            stuck.label.clone().unwrap_or_default(),
            stuck.state.clone().unwrap_or_default(),
            text(time(stuck.since)),
            age(stuck.age),
            pairs(&stuck.place),
            pairs(&result.stuck[stuck.root].id),
            stuck.waiters.len().to_string(),
            stuck.all_waiters.map(|n| n.to_string()).unwrap_or_default(),
            describe(opened, result, stuck),
        ];
        writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
    }
    for silent in &result.silent {
        let mut cells = vec![String::new(); 12];
        cells[0] = "silent".to_owned();
        cells[2] = silent.tag.clone();
        cells[5] = text(time(Some(silent.last)));
        cells[6] = age(Some(silent.gap));
        cells[11] = silence(silent, &opened.clock());
        writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
    }
    let mut cells = vec![String::new(); 12];
    cells[0] = "summary".to_owned();
    cells[11] = words(&opened.snapshot, result, &opened.clock());
    writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
    out.flush()?;
    Ok(())
}
