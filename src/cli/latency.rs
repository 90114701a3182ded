//! `widetui latency`: steps in the life of instances and their durations.

use std::io::{self, Write};

use widetui_analysis::Instances;
use widetui_analysis::latency::{Latency, NEGATIVE_STEPS, step_name};
use widetui_analysis::scope::TableRecords;
use widetui_analysis::slowest::MeasuredStep;
use widetui_core::nearest::did_you_mean;
use widetui_core::words::several;
use widetui_session::plots::{OpenStep, PlotData, PlotKind};
use widetui_time::time::format_span;

use super::args::{Format, LatencyCommand};
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::plotted::PlotAsker;
use super::selection::by;
use super::sheet::id_text;

/// `widetui latency`.
pub fn run(c: &LatencyCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let entity = &opened.entity(c.entity.name())?;
    let mut asker = PlotAsker::new(opened, &c.select)?;
    asker.scope.tables = match c.tables {
        true => TableRecords::Include,
        false => TableRecords::Exclude,
    };
    let by = c.split.iter().map(|name| by(opened, name));
    let kind = PlotKind::Latency(by.collect::<Result<_, Failure>>()?);
    let data = asker.answer(Some(&entity.name), kind)?;
    if let Some(step) = &c.slowest {
        let kind = PlotKind::Slowest(named_step(&data, step, &entity.name)?);
        let data = asker.answer(Some(&entity.name), kind)?;
        let lacking = "has this step after another one";
        return asker.print_about(entity, data, c.run.format, lacking);
    }
    let lacking = match c.tables {
        true => "has an event with a time",
        false => "has an event with a time, rows of tables aside (--tables)",
    };
    asker.print_about(entity, data.clone(), c.run.format, lacking)?;
    match (data, c.run.format) {
        (PlotData::Latency(data), Format::Text) => write_out(|out| {
            remarks(opened, &data.of, &data.latency, out)?;
            write_open_steps(opened, &data.of, &data.stuck, out)
        }),
        _ => Ok(()),
    }
}

/// Step with a name, as in the table of steps.
///
/// # Errors
/// The step does not exist; the message suggests a similar name.
fn named_step(data: &PlotData, step: &str, entity: &str) -> Result<MeasuredStep, Failure> {
    let all: Vec<MeasuredStep> = match data {
        PlotData::Latency(data) => {
            let rows = data.latency.rows.iter();
            rows.map(|row| MeasuredStep::from_row(&data.latency, row))
                .collect()
        }
        _ => Vec::new(),
    };
    let found = all.iter().find(|s| s.name == step).cloned();
    found.ok_or_else(|| {
        let hint = did_you_mean(step, all.iter().map(|step| step.name.as_str()));
        Failure::Message(format!("no {entity} has the step `{step}`{hint}"))
    })
}

/// Writes the last steps of unfinished instances: the time since then is in no step.
fn write_open_steps(
    opened: &Opened,
    found: &Instances,
    stuck: &[OpenStep],
    out: &mut impl Write,
) -> io::Result<()> {
    for step in stuck {
        let (template, number) = &step.after;
        let name = step_name(template, (*number, *number));
        let n = step.instances.len();
        let longest = step.instances.first().and_then(|at| found.list.get(*at));
        let which = longest.map(|one| safe(&id_text(found, &opened.snapshot, one)));
        let (took, name) = (format_span(step.since.max as i64), safe(&name));
        let (are, up_to) = if n > 1 { ("are", "up to ") } else { ("is", "") };
        writeln!(
            out,
            "{} {are} unfinished, without an event after \"{name}\" for {up_to}{took}: {}",
            several(n, &safe(&found.entity.title)),
            which.unwrap_or_default()
        )?;
    }
    Ok(())
}

/// Writes remarks below the steps: their measure, and the step that takes most of the time.
fn remarks(
    opened: &Opened,
    found: &Instances,
    all: &Latency,
    out: &mut impl Write,
) -> io::Result<()> {
    let measure =
        "the duration of a step is the time since the previous step that is at least as frequent";
    writeln!(out, "\n{measure}")?;
    if all.has_negative_steps() {
        writeln!(
            out,
            "{NEGATIVE_STEPS}; rows are in the order of their share of time"
        )?;
    }
    let Some(row) = all.longest_step().and_then(|row| all.rows.get(row)) else {
        return Ok(());
    };
    let instance = &found.list[row.slowest];
    writeln!(
        out,
        "The step that takes most of the time: \"{}\"; longest in {}",
        safe(&row.name()),
        safe(&id_text(found, &opened.snapshot, instance))
    )
}
