//! `widetui flow`: messages between actors.

use std::io::Write;

use widetui_analysis::flow::notes::disorder_note;
use widetui_analysis::flow::{Flow, FlowMessage, FlowSpec, collect_flow};
use widetui_core::cancel::Cancel;
use widetui_core::nearest::did_you_mean;
use widetui_core::words::id_words;
use widetui_session::plots::{FlowBy, Messages, PlotData};

use super::args::{FlowCommand, Format, SelectArgs};
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, safe, write_out};
use super::plotted::PlotAsker;

/// Number of problematic messages in text output.
const NAMED: usize = 20;

/// `widetui flow`: one row per message, or with `--summary` per kind of message.
pub fn run(c: &FlowCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let (only, format) = (c.flow.given(), c.run.format);
    let asker = PlotAsker::new(opened, &c.select)?;
    let found = find(&asker, only)?;
    let flow = found.flow.clone();
    let by = match (format, c.summary) {
        (Format::Text, _) | (_, true) => FlowBy::Kind,
        (_, false) => FlowBy::Each,
    };
    let none = || none(opened, only, &c.select);
    asker.print(PlotData::Flow(found, by), format, none)?;
    match format {
        Format::Text => write_out(|out| remarks(opened, &flow, c.summary, out)),
        _ => Ok(()),
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
pub fn find(asker: &PlotAsker<'_>, only: Option<&str>) -> Result<Messages, Failure> {
    let (opened, scope) = (asker.opened, &asker.scope);
    let all = opened.meaning.flows();
    let named = all
        .iter()
        .filter(|f| only.is_none_or(|name| f.name == name));
    let specs: Vec<FlowSpec> = named.cloned().collect();
    if let Some(name) = only.filter(|_| specs.is_empty()) {
        let hint = did_you_mean(name, all.iter().map(|f| f.name.as_str()));
        return Err(Failure::Message(format!("no flow is named `{name}`{hint}")));
    }
    let (snapshot, events) = (&opened.snapshot, scope.events.as_ref());
    let found = collect_flow(snapshot, &specs, events, &Cancel::default());
    // A command is never cancelled.
    let mut found = found.unwrap_or_default();
    found.clip(scope.window);
    Ok(Messages::new(snapshot, found))
}

/// Writes why durations are negative, and problematic messages unless only a summary is wanted.
fn remarks(
    opened: &Opened,
    found: &Flow,
    is_summary: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    if let Some(words) = disorder_note(found) {
        writeln!(out, "\n{words}")?;
    }
    match is_summary {
        true => Ok(()),
        false => write_problems(opened, found, out),
    }
}

/// Writes lost and unanswered messages.
fn write_problems(opened: &Opened, found: &Flow, out: &mut impl Write) -> Result<(), Failure> {
    let odd = found
        .messages
        .iter()
        .filter(|m| m.status.has_missing_step());
    let odd: Vec<&FlowMessage> = odd.collect();
    if !odd.is_empty() {
        writeln!(out)?;
    }
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
