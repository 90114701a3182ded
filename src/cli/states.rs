//! `widetui states`: number of instances in each state.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use widetui_analysis::Instances;
use widetui_analysis::states::{ReporterChoice, StateGroup, States, states, states_by};
use widetui_core::cancel::Cancel;
use widetui_core::nearest::did_you_mean;
use widetui_report::jsonl;
use widetui_tables::answers::counts::{CountSeries, RowGroups, points, state_columns};
use widetui_tables::answers::states::{final_columns, final_lines};

use super::args::{Format, StatesCommand};
use super::grouped::{Groups, print_counts};
use super::no_result::no_instance;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, safe, write_out};
use super::selection::scope;
use super::sheet::{id_object, id_text, time};

/// Number of impossible transitions in text output.
const SHOWN: usize = 10;

/// `widetui states`.
pub fn run(c: &StatesCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let entity = opened.entity(c.entity.name())?;
    let scope = scope(opened, &c.select)?;
    let found = opened.instances(&entity);
    let recorder = match &c.recorder {
        None => ReporterChoice::MostTrusted,
        Some(name) => ReporterChoice::parse(&opened.snapshot, &found, name).ok_or_else(|| {
            let known = found.reporters.join(", ");
            let hint = did_you_mean(name, found.reporters.iter().map(String::as_str));
            Failure::Message(format!(
                "`{name}` reports no states of {}; reporters: {known}{hint}",
                entity.name
            ))
        })?,
    };
    let recorder = match c.precedence.is_empty() {
        true => recorder,
        false => recorder.ranked(&found, &c.precedence).map_err(|name| {
            let known = found.states.join(", ");
            let hint = did_you_mean(&name, found.states.iter().map(String::as_str));
            Failure::Message(format!(
                "`{name}` is not a state of {}: {known}{hint}",
                entity.name
            ))
        })?,
    };
    let groups = Groups::new(opened, &c.groups)?;
    let snapshot = &*opened.snapshot;
    let cancel = Cancel::default();
    // A command is never cancelled.
    let found_groups = match &groups.by {
        Some(by) => states_by(snapshot, &found, &scope, (&recorder, by), &cancel),
        None => states(snapshot, &found, &scope, &recorder, &cancel).map(|states| {
            vec![StateGroup {
                name: String::new(),
                states,
            }]
        }),
    };
    let found_groups = found_groups.unwrap_or_default();
    let none = || no_instance(opened, &found, &c.select, "has a state");
    let series = groups.with_starts(CountSeries::of_state_groups(&found_groups));
    if c.last {
        let each = found_groups.iter();
        let lines = each.flat_map(|g| final_lines(snapshot, &entity, (&g.name, &g.states)));
        let sheet = opened.sheet(&final_columns(groups.rows()), lines);
        sheet.print(c.run.format, none)?;
    } else if c.run.format == Format::Text && groups.rows() != RowGroups::None {
        if series.iter().all(|of| of.steps.points.is_empty()) {
            return Err(none());
        }
        let heading = found.entity.plural();
        print_counts(opened, &heading, &series, snapshot.range().map(|r| r.1))?;
    } else {
        let sheet = opened.sheet(&state_columns(groups.rows()), points(&series));
        sheet.print(c.run.format, none)?;
    }
    let result = merged(found_groups);
    match c.run.format {
        Format::Text => write_out(|out| remarks(opened, &found, &result, out)),
        Format::Jsonl => note(opened, &found, &result),
        _ => Ok(()),
    }
}

/// Uncounted instances and impossible transitions of all groups.
fn merged(groups: Vec<StateGroup>) -> States {
    let mut out = States::default();
    for group in groups {
        out.names = group.states.names;
        out.stateless += group.states.stateless;
        out.impossible.extend(group.states.impossible);
    }
    out.impossible.sort_by_key(|bad| bad.instance);
    out
}

/// Writes remarks below the numbers: uncounted instances, and impossible transitions.
fn remarks(
    opened: &Opened,
    found: &Instances,
    result: &States,
    out: &mut impl Write,
) -> io::Result<()> {
    if result.stateless > 0 {
        writeln!(out, "\n{} without a state", count(result.stateless))?;
    }
    if found.other_states > 0 {
        writeln!(out, "\n{}", found.states_note())?;
    }
    if !result.impossible.is_empty() {
        let n = count(result.impossible.len() as u64);
        writeln!(out, "\n{n} impossible transitions out of a final state:")?;
    }
    for bad in result.impossible.iter().take(SHOWN) {
        let id = id_text(found, &opened.snapshot, &found.list[bad.instance]);
        let name = |state: u16| result.names.get(usize::from(state));
        let [from, to] = [name(bad.from), name(bad.to)].map(|s| s.cloned().unwrap_or_default());
        writeln!(out, "  {}  {} -> {}", safe(&id), safe(&from), safe(&to))?;
    }
    Ok(())
}

/// Writes the last row of JSON lines: uncounted instances, and impossible transitions; nothing without any.
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
    write_out(|out| writeln!(out, "{}", jsonl::line(&note)))
}
