//! Tables of messages between actors: the arrows of a sequence diagram, and latencies by kind of message.

use crate::plots::Plot;
use crate::plots::sequence::Sequence;
use crate::plots::spread::LEGEND as SPREAD;
use crate::role::Role;
use crate::table::{Cell, Column, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::flow::notes::{NO_FLOW, NO_MESSAGE_SELECTED, early_arrival_text};
use widetui_analysis::flow::{Arrow, FlowMessage, LatencyRow, MessageStatus, flow_latencies};
use widetui_core::words::several;
use widetui_session::plots::Messages;

use super::{spread, times};

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
    notes.extend(
        early_arrival_text(&found.flow)
            .map(|early| format!("some {early}: reported late, or clocks differ")),
    );
    if left_out > 0 {
        notes.push(format!("{} more arrows", grouped(left_out as u64)));
    }
    let title = match found.flow.kinds.as_slice() {
        [one] => format!("flow: {one}"),
        _ => "flow".to_owned(),
    };
    Table::new(columns, rows, nothing(&found))
        .with_title(title)
        .with_note(notes.join(" · "))
        .with_plot("", Plot::Sequence(Box::new(Sequence::new(found, arrows))))
}

/// Number of messages, and of failed ones, in words.
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
    Some(Row {
        name: format!("{} {} {from} {to}", message.kind, arrow.time()),
        cells: vec![
            Cell::Time(arrow.time()),
            Cell::Text(from.to_owned()),
            Cell::Text(to.to_owned()),
            Cell::Text(flow.label(message).to_owned()),
            after.map_or(Cell::Unknown, Cell::Span),
            standing(message.status),
        ],
        action: RowAction::Message(arrow.message),
        pivots: Vec::new(),
        is_faint: false,
    })
}

pub(super) fn kinds(found: &Messages) -> Table {
    let flow = &found.flow;
    let of_flow = |at: usize| {
        flow_latencies(flow, at)
            .into_iter()
            .map(move |kind| (at, kind))
    };
    let all: Vec<(usize, LatencyRow)> = (0..flow.kinds.len()).flat_map(of_flow).collect();
    let longest = all.iter().filter_map(|(_, k)| k.latency.map(|s| s.max));
    let longest = longest.fold(0.0, f64::max);
    let rows = all.iter().map(|(at, k)| kind(found, (*at, k), longest));
    let rows = rows.collect();
    let columns = vec![
        Column::text("from").between(8, 30),
        Column::text("to").between(8, 30),
        Column::text("message").between(6, 40).role(Role::Value),
        Column::number("n"),
        Column::number("lost"),
        Column::number("no answer").rank(5),
        Column::number("mean"),
        Column::number("p50").rank(3),
        Column::number("p95").rank(1),
        Column::number("max").rank(2),
        Column::bar(SPREAD, 40).between(21, 40).rank(8),
        Column::number("answer after").rank(6).role(Role::Muted),
        Column::number("p95").rank(7).role(Role::Muted),
        Column::text("flow")
            .between(8, 30)
            .rank(9)
            .role(Role::Muted),
    ];
    let mut notes = vec![summary(found)];
    notes.extend(
        early_arrival_text(&found.flow)
            .map(|early| format!("some {early}: reported late, or clocks differ")),
    );
    Table::new(columns, rows, nothing(found)).with_note(notes.join(" · "))
}

fn kind(found: &Messages, (at, kind): (usize, &LatencyRow), longest: f64) -> Row {
    let flow = found.flow.kinds.get(at).cloned().unwrap_or_default();
    let [mean, p50, p95, max] = times(kind.latency.as_ref());
    let [answer, _, answer_p95, _] = times(kind.round_trip.as_ref());
    Row {
        name: format!(
            "{flow}\t{}\t{}\t{}",
            kind.sender_kind, kind.receiver_kind, kind.label
        ),
        cells: vec![
            Cell::Text(kind.sender_kind.clone()),
            Cell::Text(kind.receiver_kind.clone()),
            Cell::Text(kind.label.clone()),
            Cell::Count(kind.count),
            Cell::NonZero(kind.lost, Role::ErrorText),
            Cell::NonZero(kind.unanswered, Role::WarningText),
            mean,
            p50,
            p95,
            max,
            spread(kind.latency.as_ref(), longest),
            answer,
            answer_p95,
            Cell::Text(flow.clone()),
        ],
        action: RowAction::Messages(found.step_of(at, kind)),
        pivots: Vec::new(),
        is_faint: false,
    }
}

/// Status of a message in words, for the description of the arrow under the cursor.
pub fn status_of(message: &FlowMessage) -> (String, Role) {
    match standing(message.status) {
        Cell::Styled(text, role) => (text, role),
        other => (other.text(), Role::Text),
    }
}
