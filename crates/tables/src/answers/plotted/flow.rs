//! Tables of messages between actors: the arrows of a sequence diagram, and latencies by kind of message.

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::flow::notes::{NO_FLOW, NO_MESSAGE_SELECTED, early_arrival_text};
use widetui_analysis::flow::{
    Arrow, Flow, FlowMark, FlowMessage, LatencyRow, MessageStatus, flow_latencies,
};
use widetui_core::words::several;
use widetui_report::figure::{Figure, Plot, Sequence};
use widetui_report::sheet::id_object;
use widetui_session::plots::Messages;
use widetui_store::Snapshot;

use super::{SPREAD, spread, summary_columns};

/// Maximum number of listed arrows.
const MOST: usize = 20_000;

/// Text of a table without messages.
fn nothing(found: &Messages) -> &'static str {
    match found.flow.kinds.is_empty() {
        true => NO_FLOW,
        false => NO_MESSAGE_SELECTED,
    }
}

/// Cell of a message's status.
fn standing(status: MessageStatus) -> Cell {
    let role = match status {
        MessageStatus::Lost | MessageStatus::Refused | MessageStatus::AnswerLost => Role::ErrorText,
        status if status.has_missing_step() => Role::WarningText,
        _ => Role::Muted,
    };
    Cell::Styled(status.name().to_owned(), role)
}

pub(super) fn table(found: Messages) -> Table {
    let mut arrows = found.flow.arrows();
    let left_out = arrows.len().saturating_sub(MOST);
    arrows.truncate(MOST);
    let rows = arrows.iter().filter_map(|a| row(&found, a)).collect();
    let columns = vec![
        Column::time("time"),
        Column::text("from").between(8, 30),
        Column::text("to").between(8, 30),
        Column::text("message").between(8, 30),
        Column::number("after"),
        Column::text("status"),
    ];
    let mut notes = vec![summary(&found)];
    if left_out > 0 {
        notes.push(format!("{} more arrows", grouped(left_out as u64)));
    }
    let title = match found.flow.kinds.as_slice() {
        [one] => format!("flow: {one}"),
        _ => "flow".to_owned(),
    };
    let sequence = Sequence::new(found.flow.clone(), arrows);
    let range = sequence.range();
    let figure = Figure::new(title.clone(), Plot::Sequence(Box::new(sequence)));
    let table = Table::new(columns, rows, nothing(&found)).with_figure(figure.over(range));
    Table {
        messages: Some(found),
        ..table.with_title(title).with_note(notes.join(" · "))
    }
}

/// Number of messages, and of failed and early ones, in words.
fn summary(found: &Messages) -> String {
    let all = &found.flow.messages;
    if all.is_empty() {
        return String::new();
    }
    let mut parts = vec![several(all.len(), "message")];
    for status in [
        MessageStatus::Lost,
        MessageStatus::Refused,
        MessageStatus::AnswerLost,
        MessageStatus::Unanswered,
        MessageStatus::Unsent,
    ] {
        let n = all.iter().filter(|m| m.status == status).count() as u64;
        if n > 0 {
            parts.push(format!("{} {}", grouped(n), status.name()));
        }
    }
    let early = early_arrival_text(&found.flow);
    parts.extend(early.map(|early| format!("some {early}: reported late, or clocks differ")));
    parts.join(" · ")
}

/// Row of an arrow. Rows have the order of the arrows, which `Sequence` relies on.
fn row(found: &Messages, arrow: &Arrow) -> Option<Row> {
    let message = found.get(arrow.message)?;
    let flow = &found.flow;
    let after = match arrow.is_answer {
        true => message.round_trip(),
        false => message.latency(),
    };
    let (from, to) = (flow.actor(arrow.tail), flow.actor(arrow.head));
    let cells = vec![
        Cell::Time(arrow.time()),
        Cell::Text(from.to_owned()),
        Cell::Text(to.to_owned()),
        Cell::Text(flow.label(message).to_owned()),
        after.map_or(Cell::Unknown, Cell::Span),
        standing(message.status),
    ];
    let name = format!("{} {} {from} {to}", message.kind, arrow.time());
    Some(Row::new(name, cells).with_action(RowAction::Message(arrow.message)))
}

pub(super) fn kinds(found: &Messages) -> Table {
    let flow = &found.flow;
    let row = |line: &KindLine<'_>, cells| kind(found, line, cells);
    let table = kind_columns().table(kind_lines(flow), row, nothing(found));
    table.with_note(summary(found))
}

/// Messages from actors of one kind to actors of another, with one label.
pub struct KindLine<'a> {
    /// Index into `Flow::kinds`.
    at: usize,
    flow: &'a str,
    row: LatencyRow,
    longest: f64,
}

/// Kinds of messages with their numbers and latencies.
pub(super) fn kind_lines(flow: &Flow) -> Vec<KindLine<'_>> {
    let line = |at, row| KindLine {
        at,
        flow: &flow.kinds[at],
        row,
        longest: 0.0,
    };
    let lines = (0..flow.kinds.len())
        .flat_map(|at| { flow_latencies(flow, at).into_iter() }.map(move |row| line(at, row)));
    let mut lines: Vec<KindLine<'_>> = lines.collect();
    let longest = lines.iter().filter_map(|l| l.row.latency.map(|s| s.max));
    let longest = longest.fold(0.0, f64::max);
    for line in &mut lines {
        line.longest = longest;
    }
    lines
}

/// Columns of kinds of messages, on the screen and in the output of `widetui flow --summary`.
pub fn kind_columns<'a>() -> Schema<KindLine<'a>> {
    type Col<'a> = SchemaColumn<KindLine<'a>>;
    let mut columns = vec![
        Col::text("from", |line| line.row.sender_kind.clone()).layout(|c| c.between(8, 30)),
        Col::text("to", |line| line.row.receiver_kind.clone()).layout(|c| c.between(8, 30)),
        Col::text("label", |line| line.row.label.clone())
            .heading("message")
            .layout(|c| c.between(6, 40).role(Role::Value)),
        Col::count("count", |line| line.row.count).heading("n"),
        Col::count("lost", |line| line.row.lost).style(|_| Role::ErrorText),
        Col::count("unanswered", |line| line.row.unanswered)
            .heading("no answer")
            .style(|_| Role::WarningText)
            .layout(|c| c.rank(5)),
    ];
    columns.extend(summary_columns(
        "latency_",
        [3, 1, 2],
        |line: &KindLine<'a>| line.row.latency,
    ));
    columns.push(Col::drawn(
        Column::bar(SPREAD, 40).between(21, 40).rank(8),
        |line| spread(line.row.latency.as_ref(), line.longest),
    ));
    let [mean, p50, p95, max] = summary_columns("round_trip_", [0; 3], |line: &KindLine<'a>| {
        line.row.round_trip
    });
    columns.extend([
        mean.heading("answer after")
            .layout(|c| c.rank(6).role(Role::Muted)),
        p50.hidden(),
        p95.layout(|c| c.rank(7).role(Role::Muted)),
        max.hidden(),
        Col::text("flow", |line| line.flow.to_owned())
            .layout(|c| c.between(8, 30).rank(9).role(Role::Muted)),
    ]);
    Schema::from(columns)
}

fn kind(found: &Messages, line: &KindLine<'_>, cells: Vec<Cell>) -> Row {
    let (flow, row) = (line.flow, &line.row);
    let ends = (&row.sender_kind, &row.receiver_kind);
    let name = format!("{flow}\t{}\t{}\t{}", ends.0, ends.1, row.label);
    let step = found.step_of(line.at, row);
    Row::new(name, cells).with_action(RowAction::Messages(step.into()))
}

/// Message of a flow.
#[derive(Clone, Copy)]
pub struct MessageLine<'a> {
    snapshot: &'a Snapshot,
    flow: &'a Flow,
    message: &'a FlowMessage,
}

impl MessageLine<'_> {
    fn actor(&self, at: Option<u32>) -> Option<String> {
        at.map(|_| self.flow.actor(at).to_owned())
    }
}

/// Messages, by time.
pub fn message_lines<'a>(
    snapshot: &'a Snapshot,
    flow: &'a Flow,
) -> impl Iterator<Item = MessageLine<'a>> {
    { flow.messages.iter() }.map(move |message| MessageLine {
        snapshot,
        flow,
        message,
    })
}

/// Columns of messages in the JSON lines and CSV of `widetui flow`. The explorer has a row for each arrow of them.
pub fn message_columns<'a>() -> Schema<MessageLine<'a>> {
    type Col<'a> = SchemaColumn<MessageLine<'a>>;
    let time = |field: &'static str, mark: fn(&FlowMessage) -> Option<FlowMark>| {
        Col::time(field, move |line: &MessageLine<'a>| {
            mark(line.message).map(|m| m.time)
        })
    };
    Schema::from(vec![
        Col::object("id", |line| {
            id_object(line.snapshot, &line.flow.id(line.snapshot, line.message))
        }),
        Col::text("from", |line| line.actor(line.message.sender)),
        Col::text("to", |line| line.actor(line.message.receiver)),
        time("sent", |message| message.sent),
        time("received", |message| message.received),
        time("answered", |message| message.answered),
        Col::duration("latency_s", |line| line.message.latency()),
        Col::text("status", |line| line.message.status.name().to_owned()),
        Col::text("label", |line| {
            Some(line.flow.label(line.message).to_owned()).filter(|label| !label.is_empty())
        }),
        Col::duration("round_trip_s", |line| line.message.round_trip()),
        Col::text("flow", |line| {
            line.flow.kinds[usize::from(line.message.kind)].clone()
        }),
    ])
}

/// Status of a message in words, for the description of the arrow under the cursor.
pub fn status_of(message: &FlowMessage) -> (String, Role) {
    match standing(message.status) {
        Cell::Styled(text, role) => (text, role),
        other => (other.text(), Role::Text),
    }
}
