//! `widetui latency`: steps in the life of instances and their durations.

use std::io::{self, Write};

use widetui_analysis::Instances;
use widetui_analysis::columns::EventProperty;
use widetui_analysis::entity::Entity;
use widetui_analysis::latency::{Latency, MAX_OCCURRENCES, SMALL_SHARE, latency};
use widetui_analysis::scope::{AnalysisScope, TableRecords};
use widetui_analysis::slowest::{MeasuredStep, slowest};
use widetui_core::cancel::Cancel;
use widetui_core::nearest::did_you_mean;
use widetui_core::words::several;
use widetui_report::results;
use widetui_session::plots::open_steps;
use widetui_time::time::format_span;

use super::args::{Format, LatencyCommand};
use super::no_result::no_instance;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, plural, safe, write_out};
use super::selection::{by, scope};
use super::sheet::{PrintedSheet, id_text};

/// `widetui latency`.
pub fn run(c: &LatencyCommand) -> Result<(), Failure> {
    let opened = open::load_run(&c.run)?;
    match &c.slowest {
        Some(step) => print_slowest(&opened, step, c),
        None => print_steps(&opened, c),
    }
}

/// Scope from the arguments.
fn scope_of(opened: &Opened, c: &LatencyCommand) -> Result<AnalysisScope, Failure> {
    let tables = match c.tables {
        true => TableRecords::Include,
        false => TableRecords::Exclude,
    };
    Ok(AnalysisScope {
        tables,
        ..scope(opened, &c.select)?
    })
}

/// Writes the steps of an entity's instances.
fn print_steps(opened: &Opened, c: &LatencyCommand) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let entity = opened.entity(&c.entity)?;
    let scope = scope_of(opened, c)?;
    let split: Result<Vec<EventProperty>, Failure> =
        c.split.iter().map(|name| by(opened, name)).collect();
    let split = split?;
    let names = split.iter().map(|by| by.name(snapshot).to_owned());
    let names: Vec<String> = names.collect();
    let found = opened.instances(&entity);
    let result = latency(snapshot, &found, &scope, &split, &Cancel::default()).unwrap_or_default();
    // Text has the steps that take most of the time, other formats have all.
    let informative = result.informative_rows();
    let shown = match c.run.format {
        Format::Text => result.filtered(&informative),
        _ => result.clone(),
    };
    PrintedSheet::from(results::latency(&shown, &names)).print(c.run.format, || {
        let lacking = match scope.tables {
            TableRecords::Include => "has an event with a time",
            TableRecords::Exclude => "has an event with a time, rows of tables aside (--tables)",
        };
        no_instance(opened, &found, &c.select, lacking)
    })?;
    match c.run.format {
        Format::Text => write_out(|out| {
            let left_out = informative
                .iter()
                .filter(|is_informative| !**is_informative)
                .count();
            remarks(opened, &found, (&result, &shown), left_out, out)?;
            match split.is_empty() {
                true => write_open_steps(opened, &found.entity, &scope, out),
                false => Ok(()),
            }
        }),
        _ => Ok(()),
    }
}

/// Writes the last steps of unfinished instances: the time since then is in no step.
fn write_open_steps(
    opened: &Opened,
    entity: &Entity,
    scope: &AnalysisScope,
    out: &mut impl Write,
) -> io::Result<()> {
    let (snapshot, meaning, cancel) = (&*opened.snapshot, &*opened.meaning, Cancel::default());
    let seen = meaning.instance_cache.instances(snapshot, &cancel);
    let all = seen.iter().flat_map(|seen| &seen.found.occurring);
    let Some(found) = { all }.find(|one| one.entity.name == entity.name) else {
        return Ok(());
    };
    let stuck = open_steps(snapshot, meaning, found, scope, &cancel);
    for step in stuck.unwrap_or_default() {
        let name = MeasuredStep {
            step: step.after.clone(),
            previous: None,
        };
        let n = step.instances.len();
        let longest = step.instances.first().and_then(|at| found.list.get(*at));
        let which = longest.map(|one| id_text(found, snapshot, one));
        let which = which.unwrap_or_default();
        let took = format_span(step.since.max as i64);
        writeln!(
            out,
            "{} unfinished, without an event after \"{}\" for {}{took}: {}",
            match n {
                1 => format!("1 {} is", safe(&entity.title)),
                n => format!("{} {} are", count(n as u64), plural(&safe(&entity.title))),
            },
            safe(&name.name()),
            if n > 1 { "up to " } else { "" },
            safe(&which)
        )?;
    }
    Ok(())
}

/// Writes remarks below the `shown` steps of all: their measure, the number of `small` ones that are not listed, the step that
/// takes most of the time.
fn remarks(
    opened: &Opened,
    found: &Instances,
    (all, shown): (&Latency, &Latency),
    small: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let title = safe(&found.entity.title);
    writeln!(
        out,
        "\n{} {}; the duration of a step is the time since the previous step that is at least as frequent",
        count(all.instances),
        plural(&title)
    )?;
    if shown.has_negative_steps() {
        writeln!(
            out,
            "A negative duration means that the order of steps varies; rows are in the order of mean offsets"
        )?;
    }
    if small > 0 {
        writeln!(
            out,
            "{} not listed, each below {} % of all time: --format jsonl",
            several(small, "more step"),
            SMALL_SHARE * 100.0
        )?;
    }
    if let Some(row) = all.longest_step() {
        let row = &all.rows[row];
        let instance = &found.list[row.slowest];
        writeln!(
            out,
            "The step that takes most of the time: \"{}\"; longest in {}",
            safe(&MeasuredStep::from_row(all, row).name()),
            safe(&id_text(found, &opened.snapshot, instance))
        )?;
    }
    if all.omitted_events > 0 {
        writeln!(
            out,
            "{} records are left out: their template occurs more than {MAX_OCCURRENCES} times in one {title}",
            count(all.omitted_events)
        )?;
    }
    Ok(())
}

/// Writes the instances with the longest durations of a step, named as in the table of steps.
///
/// # Errors
/// The entity or step does not exist; the message suggests a similar name.
fn print_slowest(opened: &Opened, step: &str, c: &LatencyCommand) -> Result<(), Failure> {
    let (snapshot, cancel) = (&*opened.snapshot, Cancel::default());
    let scope = scope_of(opened, c)?;
    let found = opened.instances(&opened.entity(&c.entity)?);
    let steps = latency(snapshot, &found, &scope, &[], &cancel).unwrap_or_default();
    let all = steps
        .rows
        .iter()
        .map(|row| MeasuredStep::from_row(&steps, row));
    let all: Vec<MeasuredStep> = all.collect();
    let Some(wanted) = all.iter().find(|s| s.name() == step) else {
        let names: Vec<String> = all.iter().map(MeasuredStep::name).collect();
        let hint = did_you_mean(step, names.iter().map(String::as_str));
        return Err(Failure::Message(format!(
            "no {} has the step `{step}`{hint}",
            c.entity
        )));
    };
    let none = || no_instance(opened, &found, &c.select, "has this step after another one");
    let list = slowest(snapshot, &found, &scope, wanted, &cancel).ok_or_else(none)?;
    let sheet = results::slowest(snapshot, &found, &list, &opened.zone);
    PrintedSheet::from(sheet).print(c.run.format, none)
}
