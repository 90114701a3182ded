//! `widetui flow`: messages between actors.

use std::io::Write;

use serde_json::{Map, Value as Json};

use crate::analysis::flow::{Flow, FlowSpec, Mark, Message, flow, latencies};
use crate::base::cancel::Cancel;
use crate::base::time::format_delta;

use super::args::{Format, SelectArgs};
use super::asked::scope;
use super::entities::{id_object, seconds, time};
use super::open::Opened;
use super::output::{Failure, count, safe, stdout};
use super::series::clock;
use super::sheet::{Sheet, cell, duration_f, left, number, right, words};

/// Of the messages that went wrong no more than this many are named in text.
const NAMED: usize = 20;

/// Writes all messages; as text, the latencies, then what was lost.
pub fn print(
    opened: &Opened,
    only: Option<&str>,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let found = find(opened, only, select)?;
    match format {
        Format::Text => text(opened, &found),
        _ => sheet(opened, &found).print(format),
    }
}

/// The messages of all flows, or of one, in the selection.
///
/// # Errors
/// There is no flow of this name.
pub fn find(opened: &Opened, only: Option<&str>, select: &SelectArgs) -> Result<Flow, Failure> {
    let all = &opened.meaning.flows;
    let specs: Vec<FlowSpec> = match only {
        None => all.clone(),
        Some(name) => {
            let named = all.iter().filter(|f| f.name == name).cloned();
            let named: Vec<FlowSpec> = named.collect();
            if named.is_empty() {
                let near = crate::query::error::nearest(name, all.iter().map(|f| f.name.as_str()));
                let hint = near.map(|n| format!("; did you mean '{n}'?"));
                let hint = hint.unwrap_or_default();
                return Err(Failure::Message(format!("there is no flow '{name}'{hint}")));
            }
            named
        }
    };
    let scope = scope(opened, select)?;
    let events = scope.events.as_ref();
    let mut found = flow(&opened.snapshot, &specs, events, &Cancel::default()).unwrap_or_default();
    found.messages.retain(|m| {
        let last = [m.received, m.answered].into_iter().flatten();
        let last = last.map(|m| m.time).max().unwrap_or(m.time());
        scope.window.touches(m.time(), last.max(m.time()))
    });
    Ok(found)
}

fn sheet(opened: &Opened, found: &Flow) -> Sheet {
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
    let moment = |mark: Option<Mark>| cell(time(mark.map(|m| m.time)), "");
    for message in &found.messages {
        let named = |at: Option<u32>| match at {
            Some(_) => words(found.actor(at)),
            None => cell(Json::Null, ""),
        };
        let label = match found.label(message) {
            "" => cell(Json::Null, ""),
            label => words(label),
        };
        let id: Map<String, Json> =
            id_object(&opened.snapshot, &found.id(&opened.snapshot, message));
        sheet.push(vec![
            cell(id, ""),
            named(message.from),
            named(message.to),
            moment(message.sent),
            moment(message.received),
            moment(message.answered),
            cell(seconds(message.latency()), ""),
            words(message.status.name()),
            label,
            cell(seconds(message.round_trip()), ""),
            words(&found.kinds[usize::from(message.kind)]),
        ]);
    }
    sheet
}

fn text(opened: &Opened, found: &Flow) -> Result<(), Failure> {
    if found.messages.is_empty() {
        return Err(Failure::Nothing);
    }
    let mut out = stdout();
    for (kind, name) in found.kinds.iter().enumerate() {
        let of_kind = || {
            found
                .messages
                .iter()
                .filter(|m| usize::from(m.kind) == kind)
        };
        let n = of_kind().count() as u64;
        if n == 0 {
            continue;
        }
        writeln!(out, "{}: {} messages", safe(name), count(n))?;
        latency_sheet(found, kind).write(&mut out, Format::Text)?;
        writeln!(out)?;
    }
    let odd: Vec<&Message> = found
        .messages
        .iter()
        .filter(|m| m.status.is_odd())
        .collect();
    for message in odd.iter().take(NAMED) {
        let id = found.id(&opened.snapshot, message);
        let id: Vec<String> = id.iter().map(|(k, v)| format!("{k}={v}")).collect();
        writeln!(
            out,
            "{} {:<11} {} -> {}  {}  {}",
            clock(opened, message.time()),
            message.status.name(),
            safe(found.actor(message.from)),
            safe(found.actor(message.to)),
            safe(found.label(message)),
            safe(&id.join(","))
        )?;
    }
    if odd.len() > NAMED {
        let more = count((odd.len() - NAMED) as u64);
        writeln!(out, "and {more} more (--format jsonl has all)")?;
    }
    if let Some(worst) = found.messages.iter().filter_map(Message::latency).min()
        && worst < 0
    {
        writeln!(
            out,
            "\nSome messages arrive up to {} before they are sent: clocks differ, or a program writes that it sends after it has.",
            format_delta(-worst).trim_start_matches('+')
        )?;
    }
    Ok(out.flush()?)
}

fn latency_sheet(found: &Flow, kind: usize) -> Sheet {
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
    ]);
    let of_kind = found
        .messages
        .iter()
        .filter(|m| usize::from(m.kind) == kind);
    for row in latencies(found, of_kind) {
        let (l, r) = (row.latency, row.round_trip);
        let zero = |n: u64| match n {
            0 => cell(0, "–"),
            n => number(n),
        };
        sheet.push(vec![
            words(&row.from),
            words(&row.to),
            words(&row.label),
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
        ]);
    }
    sheet
}
