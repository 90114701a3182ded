//! `widetui states`: how many things are in each state.

use std::io::Write;

use serde_json::{Value as Json, json};

use crate::analysis::Instances;
use crate::analysis::states::{Recorder, States, states};
use crate::base::cancel::Cancel;
use crate::export::{jsonl, results};

use super::args::{Format, SelectArgs, StatesCommand};
use super::asked::scope;
use super::entities::{find, id_object, id_text, named, time};
use super::nothing::no_instance;
use super::open::{self, Opened};
use super::output::{Failure, count, safe, stdout};
use super::sheet::PrintedSheet;

/// Changes that cannot be, spelled out for people.
const SHOWN: usize = 10;

/// What is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatesOutput {
    /// A line for each change of a number.
    Series,
    /// The numbers at the end.
    Final,
}

/// `widetui states`.
pub fn run(c: &StatesCommand) -> Result<(), Failure> {
    let wanted = match c.last {
        true => StatesOutput::Final,
        false => StatesOutput::Series,
    };
    let opened = open::run(&c.run)?;
    let recorder = c.recorder.as_deref();
    print(
        &opened,
        &c.entity,
        wanted,
        recorder,
        &c.select,
        c.run.format,
    )
}

/// Writes the states of an entity's instances.
fn print(
    opened: &Opened,
    entity: &str,
    wanted: StatesOutput,
    recorder: Option<&str>,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let entity = named(opened, entity)?;
    let scope = scope(opened, select)?;
    let found = find(opened, &entity);
    let recorder = match recorder {
        None => Recorder::Usual,
        Some(name) => Recorder::named(snapshot, &found, name).ok_or_else(|| {
            let known = found.recorders.join(", ");
            Failure::Message(format!(
                "'{name}' tells no states of {}; those that do: {known}",
                entity.name
            ))
        })?,
    };
    let result = states(&found, &scope, &recorder, &Cancel::default()).unwrap_or_default();
    let sheet = match wanted {
        StatesOutput::Series => results::states(&result, &opened.zone),
        StatesOutput::Final => results::states_at_end(&result),
    };
    PrintedSheet::from(sheet).print(format, || {
        no_instance(opened, &found, select, "has a state")
    })?;
    if format == Format::Jsonl {
        note(opened, &found, &result)?;
    }
    if format == Format::Text {
        let mut out = stdout();
        if result.stateless > 0 {
            let n = count(result.stateless);
            writeln!(out, "\n{n} without a state")?;
        }
        if found.other_states > 0 {
            writeln!(out, "\n{}", found.states_note())?;
        }
        if !result.impossible.is_empty() {
            let n = count(result.impossible.len() as u64);
            writeln!(out, "\n{n} changes that cannot be, out of a final state:")?;
        }
        for bad in result.impossible.iter().take(SHOWN) {
            let id = id_text(&found, snapshot, &found.list[bad.instance]);
            let name = |state: u16| result.names.get(usize::from(state));
            let [from, to] = [name(bad.from), name(bad.to)].map(|s| s.cloned().unwrap_or_default());
            writeln!(out, "  {}  {} -> {}", safe(&id), safe(&from), safe(&to))?;
        }
        out.flush()?;
    }
    Ok(())
}

/// For programs, at the end: instances that are not counted, and changes that cannot be. Nothing where there are none.
fn note(opened: &Opened, found: &Instances, result: &States) -> Result<(), Failure> {
    if result.stateless == 0 && found.other_states == 0 && result.impossible.is_empty() {
        return Ok(());
    }
    let snapshot = &*opened.snapshot;
    let name = |state: u16| result.names.get(usize::from(state));
    let impossible = result.impossible.iter().map(|bad| {
        let id = found.id(snapshot, &found.list[bad.instance]);
        json!({
            "id": id_object(snapshot, &id), "time": time(bad.time),
            "from": name(bad.from), "to": name(bad.to),
        })
    });
    let note = json!({
        "kind": "note", "stateless": result.stateless, "other_states": found.other_states,
        "impossible": impossible.collect::<Vec<Json>>(),
    });
    let mut out = stdout();
    writeln!(out, "{}", jsonl::line(&note))?;
    Ok(out.flush()?)
}

/// A moment for people, with microseconds.
pub fn shown(opened: &Opened, time: i64) -> String {
    results::clock(&opened.zone, time)
}
