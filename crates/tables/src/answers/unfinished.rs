//! Fields of unfinished work, silent sources, pauses and idle resources in JSON lines and CSV. The explorer and text show them as
//! pages.

use serde_json::{Map, Value as Json, json};

use widetui_core::ids::EventId;
use widetui_diagnosis::unfinished::{
    Channel, IdleResources, Pause, SilenceReason, Silent, UnfinishedItem, UnfinishedWork, WaitState,
};
use widetui_report::event::full_event;
use widetui_report::sheet::id_object;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use crate::schema::{Schema, SchemaColumn};

/// Value of an event in JSON, and its line in CSV.
pub type EventValue = Option<(Json, String)>;

/// Time, source, level and message of an event.
pub fn event_value(
    snapshot: &Snapshot,
    event: Option<EventId>,
    texts: &mut TextReader,
) -> EventValue {
    let event = snapshot.event(event?)?;
    let full = full_event(&event, texts);
    let value = json!({
        "time": full.time,
        "source": full.source,
        "level": full.level,
        "message": full.message,
    });
    Some((value, full.to_line()))
}

/// Row about one object of unfinished work.
pub struct Reported<'a, T> {
    /// Snapshot.
    pub snapshot: &'a Snapshot,
    /// All unfinished work.
    pub work: &'a UnfinishedWork,
    /// Object.
    pub of: &'a T,
    /// Last event.
    pub last_event: EventValue,
    /// Description in words.
    pub text: String,
}

impl<T> Reported<'_, T> {
    fn ids<'i>(&self, ids: impl Iterator<Item = &'i Vec<(String, String)>>) -> (Json, String) {
        let ids: Vec<Json> = ids.map(|id| id_object(self.snapshot, id).into()).collect();
        let text: Vec<String> = ids.iter().map(widetui_report::sheet::csv_text).collect();
        (ids.into(), text.join(" "))
    }
}

/// Columns of unfinished instances.
pub fn instances<'a>() -> Schema<Reported<'a, UnfinishedItem>> {
    type Col<'a> = SchemaColumn<Reported<'a, UnfinishedItem>>;
    Schema::from(vec![
        Col::text("kind", |_| "entity".to_owned()),
        Col::text("entity", |row| row.of.entity.clone()),
        Col::object("id", |row| id_object(row.snapshot, &row.of.id)),
        Col::text("label", |row| row.of.label.clone()),
        Col::text("state", |row| row.of.state.clone()),
        Col::text("because", |row| row.of.because.clone()),
        Col::time("since", |row| row.of.since),
        Col::duration("age_s", |row| row.of.age),
        Col::nested("last_event", |row| row.last_event.clone()),
        Col::object("where", |row| id_object(row.snapshot, &row.of.place)),
        Col::object("root", |row| {
            id_object(row.snapshot, &row.work.stuck[row.of.root].id)
        }),
        Col::count("waiters_direct", |row| row.of.waiters.len() as u64),
        Col::count("waiters", |row| row.of.all_waiters.map(|n| n as u64)),
        Col::flag("left_behind", |row| {
            row.of.standing == WaitState::LeftBehind
        }),
        Col::nested("waits_for", |row| {
            row.ids(row.of.waits_for.iter().map(|at| &row.work.stuck[*at].id))
        }),
        Col::count("peers_ended", |row| row.of.peers_ended as u64),
        Col::text("run", |row| row.of.run_name.clone()),
        Col::text("text", |row| row.text.clone()),
    ])
}

/// Columns of silent sources.
pub fn silences<'a>() -> Schema<Reported<'a, Silent>> {
    type Col<'a> = SchemaColumn<Reported<'a, Silent>>;
    Schema::from(vec![
        Col::text("kind", |_| "silent".to_owned()),
        Col::text("source", |row| row.of.tag.clone()),
        Col::time("since", |row| row.of.last),
        Col::duration("age_s", |row| row.of.gap),
        Col::nested("last_event", |row| row.last_event.clone()),
        Col::count("records", |row| row.of.records),
        Col::duration("usual_gap_s", |row| row.of.usual_gap),
        Col::object("channel", |row| channel(&row.of.channel)),
        Col::text("why", |row| {
            let why = match row.of.why {
                SilenceReason::Unknown => "unknown",
                SilenceReason::Busy => "busy",
                SilenceReason::Idle => "idle",
            };
            why.to_owned()
        }),
        Col::text("text", |row| row.text.clone()),
    ])
}

fn channel(channel: &Channel) -> Map<String, Json> {
    let parts = match channel {
        Channel::Source => Vec::new(),
        Channel::Process(process) => vec![("process", process)],
        Channel::Thread(thread) => vec![("thread", thread)],
        Channel::Logger(thread, logger) => vec![("thread", thread), ("logger", logger)],
        Channel::Heartbeat(of, template) => vec![("of", of), ("template", template)],
    };
    let parts = parts.into_iter();
    parts
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect()
}

/// Columns of pauses of whole runs.
pub fn pauses<'a>() -> Schema<Reported<'a, Pause>> {
    type Col<'a> = SchemaColumn<Reported<'a, Pause>>;
    Schema::from(vec![
        Col::text("kind", |_| "pause".to_owned()),
        Col::time("since", |row| row.of.since),
        Col::duration("age_s", |row| row.of.gap),
        Col::nested("last_event", |row| row.last_event.clone()),
        Col::text("text", |row| row.text.clone()),
    ])
}

/// Columns of resources of which some are idle.
pub fn idle<'a>() -> Schema<Reported<'a, IdleResources>> {
    type Col<'a> = SchemaColumn<Reported<'a, IdleResources>>;
    Schema::from(vec![
        Col::text("kind", |_| "idle".to_owned()),
        Col::text("entity", |row| row.of.entity.clone()),
        Col::time("since", |row| row.of.since),
        Col::nested("idle", |row| row.ids(row.of.idle.iter().map(|(id, _)| id))),
        Col::count("busy", |row| row.of.busy as u64),
        Col::count("alive", |row| row.of.alive as u64),
        Col::text("text", |row| row.text.clone()),
    ])
}

/// Summary of unfinished work.
pub struct WorkSummary<'a> {
    /// All unfinished work.
    pub work: &'a UnfinishedWork,
    /// Last error.
    pub last_error: EventValue,
    /// Title of the last error.
    pub last_error_is: Option<String>,
    /// Summary in words.
    pub text: String,
}

impl WorkSummary<'_> {
    /// Number of work items; `None` if unfinished work is unknown.
    fn known(&self, number: usize) -> Option<u64> {
        let is_known = self.work.status().unknown().is_none();
        is_known.then_some(number as u64)
    }
}

/// Columns of the summary.
pub fn summary<'a>() -> Schema<WorkSummary<'a>> {
    type Col<'a> = SchemaColumn<WorkSummary<'a>>;
    Schema::from(vec![
        Col::text("kind", |_| "summary".to_owned()),
        Col::count("unfinished", |row| row.known(row.work.told().count())),
        Col::count("roots", |row| {
            let roots = row.work.told().filter(|s| s.standing == WaitState::Root);
            row.known(roots.count())
        }),
        Col::count("unattributed", |row| {
            let all = row.work.goals.iter().map(|g| g.unplaced.records);
            all.sum::<usize>() as u64
        }),
        Col::nested("last_error", |row| row.last_error.clone()),
        Col::text("last_error_is", |row| row.last_error_is.clone()),
        Col::text("text", |row| row.text.clone()),
    ])
}
