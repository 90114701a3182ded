//! Messages between actors as tables, for commands and for exports of the explorer.

use serde_json::Value as Json;

use widetui_analysis::flow::{self as table, Flow, FlowMark};
use widetui_store::Snapshot;

use super::sheet::{
    Sheet, cell, duration_f, hidden, id_object, left, log_text, number, right, seconds, time,
};

/// Table of messages, by time.
pub fn messages(snapshot: &Snapshot, found: &Flow) -> Sheet {
    let names = [
        "id",
        "from",
        "to",
        "sent",
        "received",
        "answered",
        "latency_s",
        "status",
        "label",
        "round_trip_s",
        "flow",
    ];
    let mut sheet = Sheet::new(names.iter().map(|n| left(n, n)).collect());
    let moment = |mark: Option<FlowMark>| cell(time(mark.map(|m| m.time)), "");
    for message in &found.messages {
        let named = |at: Option<u32>| match at {
            Some(_) => log_text(found.actor(at)),
            None => cell(Json::Null, ""),
        };
        let label = match found.label(message) {
            "" => cell(Json::Null, ""),
            label => log_text(label),
        };
        let id = id_object(snapshot, &found.id(snapshot, message));
        sheet.push(vec![
            cell(id, ""),
            named(message.sender),
            named(message.receiver),
            moment(message.sent),
            moment(message.received),
            moment(message.answered),
            cell(seconds(message.latency()), ""),
            log_text(message.status.name()),
            label,
            cell(seconds(message.round_trip()), ""),
            log_text(&found.kinds[usize::from(message.kind)]),
        ]);
    }
    sheet
}

/// Table of the kinds of messages with their numbers and latencies, one row for each kind of sender, kind of receiver and name;
/// of one flow (index into `Flow::kinds`) or of all.
pub fn latencies(found: &Flow, kind: Option<usize>) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("from", "from"),
        left("to", "to"),
        left("label", "message"),
        right("count", "count"),
        right("lost", "lost"),
        right("unanswered", "no answer"),
        right("latency_mean_s", "arrives after"),
        right("latency_p50_s", "p50"),
        right("latency_p95_s", "p95"),
        right("latency_max_s", "max"),
        right("round_trip_mean_s", "answer after"),
        right("round_trip_p95_s", "p95"),
        right("round_trip_max_s", "max"),
        hidden("flow"),
    ]);
    let kinds = (0..found.kinds.len()).filter(|at| kind.is_none_or(|k| k == *at));
    let rows = kinds.flat_map(|at| {
        table::flow_latencies(found, at)
            .into_iter()
            .map(move |r| (at, r))
    });
    for (at, row) in rows {
        let (l, r) = (row.latency, row.round_trip);
        let zero = |n: u64| match n {
            0 => cell(0, "–"),
            n => number(n),
        };
        sheet.push(vec![
            log_text(&row.sender_kind),
            log_text(&row.receiver_kind),
            log_text(&row.label),
            number(row.count),
            zero(row.lost),
            zero(row.unanswered),
            duration_f(l.map(|s| s.mean)),
            duration_f(l.map(|s| s.p50)),
            duration_f(l.map(|s| s.p95)),
            duration_f(l.map(|s| s.max)),
            duration_f(r.map(|s| s.mean)),
            duration_f(r.map(|s| s.p95)),
            duration_f(r.map(|s| s.max)),
            log_text(&found.kinds[at]),
        ]);
    }
    sheet
}
