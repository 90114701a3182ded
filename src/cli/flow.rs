//! `widetui flow`: messages between actors.

use std::io::Write;

use widetui_analysis::flow::notes::disorder_note;
use widetui_analysis::flow::{Flow, FlowMessage, FlowSpec, collect_flow};
use widetui_core::cancel::Cancel;
use widetui_core::nearest::did_you_mean;
use widetui_core::words::id_words;
use widetui_tables::answers::flow::{kind_columns, kind_lines, message_columns, message_lines};

use super::args::{FlowCommand, Format, SelectArgs};
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, safe, write_out};
use super::selection::scope;

/// Number of problematic messages in text output.
const NAMED: usize = 20;

/// `widetui flow`: one row per message, or with `--summary` per kind of message.
pub fn run(c: &FlowCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let only = c.flow.given();
    let found = find(opened, only, &c.select)?;
    let none = || none(opened, only, &c.select);
    match (c.run.format, c.summary) {
        (Format::Text, _) if found.messages.is_empty() => Err(none()),
        (Format::Text, _) => write_out(|out| text(opened, &found, c.summary, out)),
        (format, true) => {
            let sheet = opened.sheet(&kind_columns(), kind_lines(&found, None));
            sheet.print(format, none)
        }
        (format, false) => {
            let messages = message_lines(&opened.snapshot, &found);
            opened
                .sheet(&message_columns(), messages)
                .print(format, none)
        }
    }
}

/// Failure without messages, with the flows of the definitions.
fn none(opened: &Opened, only: Option<&str>, select: &SelectArgs) -> Failure {
    let text = match only {
        Some(name) => format!("no message of the flow '{}'", safe(name)),
        None => "no message between actors".to_owned(),
    };
    let flows = opened.meaning.flows().iter();
    let flows: Vec<String> = flows.map(|f| safe(&f.name)).collect();
    let text = format!(
        "{text} found; the definitions have flows of {}",
        flows.join(", ")
    );
    no_event(select, &text)
}

/// Messages of all flows, or of one, in the selection.
///
/// # Errors
/// No flow has this name.
pub fn find(opened: &Opened, only: Option<&str>, select: &SelectArgs) -> Result<Flow, Failure> {
    let all = opened.meaning.flows();
    let specs: Vec<FlowSpec> = match only {
        None => all.to_vec(),
        Some(name) => {
            let named = all.iter().filter(|f| f.name == name).cloned();
            let named: Vec<FlowSpec> = named.collect();
            if named.is_empty() {
                let hint = did_you_mean(name, all.iter().map(|f| f.name.as_str()));
                return Err(Failure::Message(format!("no flow is named `{name}`{hint}")));
            }
            named
        }
    };
    let scope = scope(opened, select)?;
    let events = scope.events.as_ref();
    let mut found =
        collect_flow(&opened.snapshot, &specs, events, &Cancel::default()).unwrap_or_default();
    found.clip(scope.window);
    Ok(found)
}

/// Text: the latencies, then problematic messages unless only a summary is wanted.
fn text(
    opened: &Opened,
    found: &Flow,
    is_summary: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    write_latencies(opened, found, out)?;
    if let Some(words) = disorder_note(found) {
        writeln!(out, "{words}\n")?;
    }
    match is_summary {
        true => Ok(()),
        false => write_problems(opened, found, out),
    }
}

/// Writes the latencies of each flow.
fn write_latencies(opened: &Opened, found: &Flow, out: &mut impl Write) -> Result<(), Failure> {
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
        let sheet = opened.sheet(&kind_columns(), kind_lines(found, Some(kind)));
        sheet.write(out, Format::Text)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes lost and unanswered messages.
fn write_problems(opened: &Opened, found: &Flow, out: &mut impl Write) -> Result<(), Failure> {
    let odd: Vec<&FlowMessage> = found
        .messages
        .iter()
        .filter(|m| m.status.has_missing_step())
        .collect();
    for message in odd.iter().take(NAMED) {
        let id = found.id(&opened.snapshot, message);
        writeln!(
            out,
            "{} {:<11} {} -> {}  {}  {}",
            opened.time_of_day(message.time()),
            message.status.name(),
            safe(found.actor(message.sender)),
            safe(found.actor(message.receiver)),
            safe(found.label(message)),
            safe(&id_words(&id, ","))
        )?;
    }
    if odd.len() > NAMED {
        let more = count((odd.len() - NAMED) as u64);
        writeln!(out, "and {more} more (--format jsonl has all)")?;
    }
    Ok(())
}
