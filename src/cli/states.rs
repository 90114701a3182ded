//! `widetui states`: number of instances in each state.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use widetui_analysis::Instances;
use widetui_analysis::states::{ImpossibleChange, ReporterChoice, StateGroup};
use widetui_core::nearest::did_you_mean;
use widetui_report::jsonl;
use widetui_session::plots::{PlotData, PlotKind};

use super::args::{Format, StatesCommand};
use super::no_result::no_instance;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, safe, write_out};
use super::plotted::PlotAsker;
use super::sheet::{id_object, id_text, time};

/// Number of impossible transitions in text output.
const SHOWN: usize = 10;

/// `widetui states`.
pub fn run(c: &StatesCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let entity = opened.entity(c.entity.name())?;
    let found = opened.instances(&entity);
    let asker = PlotAsker::new(opened, &c.select)?.grouped(&c.groups)?;
    let kind = PlotKind::States(asker.by.clone(), reporters(opened, &found, c)?);
    let data = asker.answer(Some(&entity.name), kind)?;
    let groups = match &data {
        PlotData::States(data) => data.groups.clone(),
        _ => Vec::new(),
    };
    let none = || no_instance(opened, &found, &c.select, "has a state");
    match c.last {
        true => asker.sheet(&data, Format::Text).print(c.run.format, none)?,
        false => asker.print(data, c.run.format, none)?,
    }
    match c.run.format {
        Format::Text => write_out(|out| remarks(opened, &found, &groups, out)),
        Format::Jsonl => note(opened, &found, &groups),
        _ => Ok(()),
    }
}

/// Reporters that the arguments choose.
///
/// # Errors
/// The reporter, or a state of the precedence, does not exist.
fn reporters(
    opened: &Opened,
    found: &Instances,
    c: &StatesCommand,
) -> Result<ReporterChoice, Failure> {
    let of = &found.entity.name;
    let refused = |name: &str, what: String, known: &[String]| {
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        Failure::Message(format!("`{name}` {what}: {}{hint}", known.join(", ")))
    };
    let chosen = match &c.recorder {
        None => Some(ReporterChoice::MostTrusted),
        Some(name) => ReporterChoice::parse(&opened.snapshot, found, name),
    };
    let chosen = chosen.ok_or_else(|| {
        let what = format!("reports no states of {of}; reporters");
        refused(
            c.recorder.as_deref().unwrap_or_default(),
            what,
            &found.reporters,
        )
    })?;
    match c.precedence.is_empty() {
        true => Ok(chosen),
        false => { chosen.ranked(found, &c.precedence) }
            .map_err(|name| refused(&name, format!("is not a state of {of}"), &found.states)),
    }
}

/// Impossible change with the names of its states.
type NamedChange<'a> = (&'a ImpossibleChange, [&'a str; 2]);

/// Impossible changes of all groups, by instance.
fn impossible(groups: &[StateGroup]) -> Vec<NamedChange<'_>> {
    let each = groups.iter().flat_map(|group| {
        let StateGroup { states, .. } = group;
        let name = |at: u16| states.names.get(usize::from(at)).map_or("", |name| name);
        { states.impossible.iter() }.map(move |bad| (bad, [bad.from, bad.to].map(name)))
    });
    let mut all: Vec<NamedChange<'_>> = each.collect();
    all.sort_by_key(|(bad, _)| bad.instance);
    all
}

fn stateless(groups: &[StateGroup]) -> u64 {
    groups.iter().map(|group| group.states.stateless).sum()
}

/// Writes remarks below the numbers: uncounted instances, and the first impossible transitions.
fn remarks(
    opened: &Opened,
    found: &Instances,
    groups: &[StateGroup],
    out: &mut impl Write,
) -> io::Result<()> {
    let (stateless, all) = (stateless(groups), impossible(groups));
    if stateless > 0 {
        writeln!(out, "\n{} without a state", count(stateless))?;
    }
    if !all.is_empty() {
        let n = count(all.len() as u64);
        writeln!(out, "\n{n} impossible transitions out of a final state:")?;
    }
    for (bad, [from, to]) in all.iter().take(SHOWN) {
        let id = id_text(found, &opened.snapshot, &found.list[bad.instance]);
        writeln!(out, "  {}  {} -> {}", safe(&id), safe(from), safe(to))?;
    }
    Ok(())
}

/// Writes the last row of JSON lines: uncounted instances, and impossible transitions; nothing without any.
fn note(opened: &Opened, found: &Instances, groups: &[StateGroup]) -> Result<(), Failure> {
    let (stateless, all) = (stateless(groups), impossible(groups));
    if stateless == 0 && found.other_states == 0 && all.is_empty() {
        return Ok(());
    }
    let snapshot = &*opened.snapshot;
    let impossible = all.iter().map(|(bad, [from, to])| {
        let id = found.id(snapshot, &found.list[bad.instance]);
        json!({"id": id_object(snapshot, &id), "time": time(bad.time), "from": from, "to": to})
    });
    let note = json!({
        "kind": "note", "stateless": stateless, "other_states": found.other_states,
        "impossible": impossible.collect::<Vec<Json>>(),
    });
    write_out(|out| writeln!(out, "{}", jsonl::line(&note)))
}
