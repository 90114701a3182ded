//! `widetui hung`: unfinished work, idle resources, silent sources.

use serde_json::{Map, Value as Json, json};

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_diagnosis::unfinished::words::{last_error_title, pause, silence, words};
use widetui_diagnosis::unfinished::{
    Channel, IdleResources, Pause, SilenceReason, Silent, UnfinishedItem, UnfinishedWork, WaitState,
};
use widetui_report::event::full_event;
use widetui_session::findings::{unfinished_among, unfinished_work};
use widetui_store::texts::TextReader;

use super::args::{Format, SelectArgs, SelectedCommand};
use super::open;
use super::opened::Opened;
use super::output::{Failure, write_out};
use super::selection::some;
use super::sheet::{PrintedSheet, SheetCell, hidden, id_object, seconds, time, value};

mod text;

/// Columns in the order of CSV; each kind of row has some of them.
const COLUMNS: [&str; 31] = [
    "kind",
    "entity",
    "id",
    "label",
    "state",
    "because",
    "source",
    "since",
    "age_s",
    "where",
    "root",
    "waiters_direct",
    "waiters",
    "left_behind",
    "waits_for",
    "peers_ended",
    "idle",
    "busy",
    "alive",
    "last_event",
    "records",
    "usual_gap_s",
    "channel",
    "why",
    "unfinished",
    "roots",
    "unattributed",
    "last_error",
    "last_error_is",
    "run",
    "text",
];

/// `widetui hung`.
pub fn run(c: &SelectedCommand) -> Result<(), Failure> {
    print(&open::load_run(&c.run)?, &c.select, c.run.format)
}

/// Finds unfinished work and writes it.
fn print(opened: &Opened, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let rows = some(opened, select)?;
    let (meaning, cancel) = (&opened.meaning, Cancel::default());
    let result = unfinished_work(snapshot, meaning, None, &cancel).and_then(|whole| {
        unfinished_among(
            snapshot,
            &meaning.instance_cache,
            whole,
            rows.as_ref(),
            &cancel,
        )
    });
    // A command is never cancelled.
    let result = result.unwrap_or_default();
    match format {
        Format::Text => text::write(opened, &result),
        _ => {
            let sheet = sheet(opened, &result);
            write_out(|out| sheet.write(out, format))
        }
    }
}

/// Rows of unfinished instances, idle resources and silent sources, and of the summary.
fn sheet(opened: &Opened, result: &UnfinishedWork) -> PrintedSheet {
    let mut sheet = PrintedSheet::new(COLUMNS.map(hidden).into());
    let mut texts = TextReader::default();
    for stuck in result.told() {
        sheet.push_named(of_stuck(opened, result, stuck, &mut texts));
    }
    for silent in result.silent.iter().filter(|s| s.is_told) {
        sheet.push_named(of_silent(opened, silent, &mut texts));
    }
    for pause in &result.pauses {
        sheet.push_named(of_pause(opened, pause, &mut texts));
    }
    for idle in &result.idle {
        sheet.push_named(of_idle(opened, idle));
    }
    let last_error = result.last_error.filter(|_| !result.is_clear());
    let roots = result.told().filter(|s| s.standing == WaitState::Root);
    let unattributed: usize = result.goals.iter().map(|g| g.unplaced.records).sum();
    sheet.push_named(vec![
        ("kind", value("summary")),
        ("unfinished", value(result.told().count())),
        ("roots", value(roots.count())),
        ("unattributed", value(unattributed)),
        ("last_error", event(opened, last_error, &mut texts)),
        (
            "last_error_is",
            value(last_error.map(|_| last_error_title(result))),
        ),
        (
            "text",
            value(words(&opened.snapshot, result, &opened.clock())),
        ),
    ]);
    sheet
}

fn of_stuck(
    opened: &Opened,
    result: &UnfinishedWork,
    stuck: &UnfinishedItem,
    texts: &mut TextReader,
) -> Vec<(&'static str, SheetCell)> {
    let snapshot = &*opened.snapshot;
    let root = &result.stuck[stuck.root];
    let waits_for = stuck.waits_for.iter().map(|at| &result.stuck[*at].id);
    let waits_for: Vec<Json> = waits_for.map(|id| id_object(snapshot, id).into()).collect();
    vec![
        ("kind", value("entity")),
        ("entity", value(stuck.entity.clone())),
        ("id", value(id_object(snapshot, &stuck.id))),
        ("label", value(stuck.label.clone())),
        ("state", value(stuck.state.clone())),
        ("because", value(stuck.because.clone())),
        ("since", value(time(stuck.since))),
        ("age_s", value(seconds(stuck.age))),
        ("last_event", event(opened, stuck.last_event, texts)),
        ("where", value(id_object(snapshot, &stuck.place))),
        ("root", value(id_object(snapshot, &root.id))),
        ("waiters_direct", value(stuck.waiters.len())),
        ("waiters", value(stuck.all_waiters)),
        (
            "left_behind",
            value(stuck.standing == WaitState::LeftBehind),
        ),
        ("waits_for", value(waits_for)),
        ("peers_ended", value(stuck.peers_ended)),
        ("run", value(stuck.run_name.clone())),
        ("text", value(text::describe(opened, result, stuck))),
    ]
}

fn of_silent(
    opened: &Opened,
    silent: &Silent,
    texts: &mut TextReader,
) -> Vec<(&'static str, SheetCell)> {
    let why = match silent.why {
        SilenceReason::Unknown => "unknown",
        SilenceReason::Busy => "busy",
        SilenceReason::Idle => "idle",
    };
    vec![
        ("kind", value("silent")),
        ("source", value(silent.tag.clone())),
        ("since", value(time(Some(silent.last)))),
        ("age_s", value(seconds(Some(silent.gap)))),
        ("last_event", event(opened, Some(silent.last_event), texts)),
        ("records", value(silent.records)),
        ("usual_gap_s", value(seconds(Some(silent.usual_gap)))),
        ("channel", value(channel(&silent.channel))),
        ("why", value(why)),
        ("text", value(silence(silent, &opened.clock()))),
    ]
}

/// Row of a pause of a run.
fn of_pause(
    opened: &Opened,
    one: &Pause,
    texts: &mut TextReader,
) -> Vec<(&'static str, SheetCell)> {
    vec![
        ("kind", value("pause")),
        ("since", value(time(Some(one.since)))),
        ("age_s", value(seconds(Some(one.gap)))),
        ("last_event", event(opened, Some(one.before), texts)),
        ("text", value(pause(one, &opened.clock()))),
    ]
}

/// Row of resources of which some are idle.
fn of_idle(opened: &Opened, idle: &IdleResources) -> Vec<(&'static str, SheetCell)> {
    let which = idle.idle.iter();
    let which: Vec<Json> = which
        .map(|(id, _)| id_object(&opened.snapshot, id).into())
        .collect();
    vec![
        ("kind", value("idle")),
        ("entity", value(idle.entity.clone())),
        ("since", value(time(idle.since))),
        ("idle", value(which)),
        ("busy", value(idle.busy)),
        ("alive", value(idle.alive)),
        ("text", value(text::idle(opened, idle))),
    ]
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

/// Cell of an event; in CSV its time, source and message.
fn event(opened: &Opened, event: Option<EventId>, texts: &mut TextReader) -> SheetCell {
    let Some(event) = event.and_then(|e| opened.snapshot.event(e)) else {
        return value(Json::Null);
    };
    let full = full_event(&event, texts);
    let text = full.to_line();
    let mut object = Map::new();
    object.insert("time".into(), json!(full.time));
    object.insert("source".into(), json!(full.source));
    object.insert("level".into(), json!(full.level));
    object.insert("message".into(), json!(full.message));
    value(object).in_csv(text)
}
