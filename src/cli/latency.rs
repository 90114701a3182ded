//! `widetui latency`: steps in the life of instances and their durations.

use std::io::{self, Write};

use widetui_analysis::Instances;
use widetui_analysis::columns::EventProperty;
use widetui_analysis::entity::Entity;
use widetui_analysis::latency::{Latency, MAX_OCCURRENCES, NEGATIVE_STEPS, latency};
use widetui_analysis::scope::{AnalysisScope, TableRecords};
use widetui_analysis::slowest::{MeasuredStep, slowest};
use widetui_core::cancel::Cancel;
use widetui_core::nearest::did_you_mean;
use widetui_core::words::several;
use widetui_session::plots::{OpenStep, open_steps};
use widetui_tables::answers::latency::{
    self as answers, LatencySteps, slow_steps, slowest_columns,
};
use widetui_tables::table::percent;
use widetui_time::time::format_span;

use super::args::{Format, LatencyCommand};
use super::no_result::no_instance;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, plural, safe, write_out};
use super::selection::{by, scope};
use super::sheet::id_text;

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
    let entity = opened.entity(c.entity.name())?;
    let scope = scope_of(opened, c)?;
    let split: Result<Vec<EventProperty>, Failure> =
        c.split.iter().map(|name| by(opened, name)).collect();
    let split = split?;
    let names = split.iter().map(|by| by.name(snapshot).to_owned());
    let names: Vec<String> = names.collect();
    let found = opened.instances(&entity);
    let cancel = Cancel::default();
    let result = latency(snapshot, &found, &scope, &split, &cancel).unwrap_or_default();
    let stuck = match split.is_empty() {
        true => unfinished(opened, &found.entity, &scope),
        false => None,
    };
    let steps = LatencySteps::new(
        &result,
        stuck.as_ref().map_or(&[][..], |(_, steps)| &steps[..]),
    );
    let schema = answers::latency(&names, &found.entity.plural());
    // Text has the steps that take most of the time, other formats have all.
    let sheet = match c.run.format {
        Format::Text => opened.sheet(&schema, steps.relevant()),
        _ => opened.sheet(&schema, steps.steps()),
    };
    sheet.print(c.run.format, || {
        let lacking = match scope.tables {
            TableRecords::Include => "has an event with a time",
            TableRecords::Exclude => "has an event with a time, rows of tables aside (--tables)",
        };
        no_instance(opened, &found, &c.select, lacking)
    })?;
    match c.run.format {
        Format::Text => write_out(|out| {
            remarks(opened, &found, &result, &steps, out)?;
            match &stuck {
                Some((found, stuck)) => write_open_steps(opened, found, stuck, out),
                None => Ok(()),
            }
        }),
        _ => Ok(()),
    }
}

/// Unfinished instances of an entity by their last step, with the list of instances that they are in.
fn unfinished(
    opened: &Opened,
    entity: &Entity,
    scope: &AnalysisScope,
) -> Option<(Instances, Vec<OpenStep>)> {
    let (snapshot, meaning, cancel) = (&*opened.snapshot, &*opened.meaning, Cancel::default());
    let seen = meaning.instance_cache.instances(snapshot, &cancel)?;
    let found = seen.of_entity(&entity.name)?.1;
    let steps = open_steps(snapshot, meaning, found, scope, &cancel)?;
    Some((found.clone(), steps))
}

/// Writes the last steps of unfinished instances: the time since then is in no step.
fn write_open_steps(
    opened: &Opened,
    found: &Instances,
    stuck: &[OpenStep],
    out: &mut impl Write,
) -> io::Result<()> {
    for step in stuck {
        let name = MeasuredStep {
            step: step.after.clone(),
            previous: None,
        };
        let n = step.instances.len();
        let longest = step.instances.first().and_then(|at| found.list.get(*at));
        let which = longest.map(|one| id_text(found, &opened.snapshot, one));
        let which = which.unwrap_or_default();
        let took = format_span(step.since.max as i64);
        writeln!(
            out,
            "{} unfinished, without an event after \"{}\" for {}{took}: {}",
            match n {
                1 => format!("1 {} is", safe(&found.entity.title)),
                n => format!(
                    "{} {} are",
                    count(n as u64),
                    plural(&safe(&found.entity.title))
                ),
            },
            safe(&name.name()),
            if n > 1 { "up to " } else { "" },
            safe(&which)
        )?;
    }
    Ok(())
}

/// Writes remarks below the steps: their measure, the number of those that are not listed, the step that takes most of the time.
fn remarks(
    opened: &Opened,
    found: &Instances,
    all: &Latency,
    steps: &LatencySteps<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let title = safe(&found.entity.title);
    writeln!(
        out,
        "\n{} {}; the duration of a step is the time since the previous step that is at least as frequent",
        count(all.instances),
        plural(&title)
    )?;
    if all.has_negative_steps() {
        writeln!(
            out,
            "{NEGATIVE_STEPS}; rows are in the order of their share of time"
        )?;
    }
    let (small, least) = steps.irrelevant();
    if small > 0 {
        writeln!(
            out,
            "{} not listed, each below {} of all time: --format jsonl",
            several(small, "more step"),
            percent(least)
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
    let found = opened.instances(&opened.entity(c.entity.name())?);
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
            c.entity.name()
        )));
    };
    let none = || no_instance(opened, &found, &c.select, "has this step after another one");
    let list = slowest(snapshot, &found, &scope, wanted, &cancel).ok_or_else(none)?;
    let rows = slow_steps(snapshot, &found, &list);
    opened
        .sheet(&slowest_columns(), rows)
        .print(c.run.format, none)
}
