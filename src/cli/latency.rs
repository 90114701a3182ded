//! `widetui latency`: which steps eat the time.

use std::io::Write;

use crate::analysis::Instances;
use crate::analysis::entity::Entity;
use crate::analysis::latency::{Latency, MOST, SMALL, latency};
use crate::analysis::scope::{AnalysisScope, Tables};
use crate::analysis::slowest::{StepOf, slowest};
use crate::base::cancel::Cancel;
use crate::base::time::format_span;
use crate::base::words::several;
use crate::export::results;
use crate::workspace::plots::unended;

use super::args::{Format, LatencyCommand, SelectArgs};
use super::asked::{by, scope};
use super::entities::{find, id_text, named};
use super::nothing::no_instance;
use super::open::{self, Opened};
use super::output::{Failure, count, did_you_mean, plural, safe};
use super::sheet::PrintedSheet;

/// `widetui latency`.
pub fn run(c: &LatencyCommand) -> Result<(), Failure> {
    let tables = match c.tables {
        true => Tables::Count,
        false => Tables::LeaveOut,
    };
    let opened = open::run(&c.run)?;
    let (select, format) = (&c.select, c.run.format);
    match &c.slowest {
        Some(step) => print_slowest(&opened, &c.entity, step, tables, select, format),
        None => print(&opened, &c.entity, &c.split, tables, select, format),
    }
}

/// Writes the steps of an entity's instances.
fn print(
    opened: &Opened,
    entity: &str,
    split: &[String],
    tables: Tables,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let entity = named(opened, entity)?;
    let scope = AnalysisScope {
        tables,
        ..scope(opened, select)?
    };
    let split_by = split
        .iter()
        .map(|name| by(opened, name))
        .collect::<Result<Vec<_>, _>>()?;
    let split: Vec<String> = split_by
        .iter()
        .map(|b| b.name(snapshot).to_owned())
        .collect();
    let found = find(opened, &entity);
    let result =
        latency(snapshot, &found, &scope, &split_by, &Cancel::default()).unwrap_or_default();
    // Programs get all; people want to see where the time goes.
    let telling = result.telling();
    let shown = match format {
        Format::Text => result.only(&telling),
        _ => result.clone(),
    };
    PrintedSheet::from(results::latency(&shown, &split)).print(format, || {
        let lacking = match tables {
            Tables::Count => "has an event with a time",
            Tables::LeaveOut => "has an event with a time besides rows of tables (--tables)",
        };
        no_instance(opened, &found, select, lacking)
    })?;
    if format != Format::Text {
        return Ok(());
    }
    let mut out = super::output::stdout();
    let entity = &*entity;
    tell(entity, (&result, &shown), &telling, &mut out)?;
    tell_longest(opened, &found, &result, &mut out)?;
    if split.is_empty() {
        tell_stuck(opened, entity, &scope, &mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// Writes what the table is about, and what stands not in it.
fn tell(
    entity: &Entity,
    (all, shown): (&Latency, &Latency),
    telling: &[bool],
    out: &mut impl Write,
) -> Result<(), Failure> {
    writeln!(
        out,
        "\n{} {}; a step is the time since the last one before it that is not rarer",
        count(all.instances),
        plural(&safe(&entity.title))
    )?;
    if shown.goes_back() {
        writeln!(
            out,
            "A negative step came before the one that it is measured from: not all go in one order, and rows stand in that of the mean offsets"
        )?;
    }
    let small = telling.iter().filter(|tells| !**tells).count();
    if small > 0 {
        writeln!(
            out,
            "{} not listed, each less than {} % of all time: --format jsonl",
            several(small, "more step"),
            SMALL * 100.0
        )?;
    }
    if all.left_out > 0 {
        writeln!(
            out,
            "{} records that come more than {MOST} times in one {} are left out",
            count(all.left_out),
            safe(&entity.title)
        )?;
    }
    Ok(())
}

/// Writes which step takes most of the time, and where it took longest.
fn tell_longest(
    opened: &Opened,
    found: &Instances,
    result: &Latency,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let Some(at) = result.longest().and_then(|row| result.rows.get(row)) else {
        return Ok(());
    };
    let name = StepOf::of(result, at).name();
    let id = match found.list.get(at.slowest) {
        Some(instance) => id_text(found, &opened.snapshot, instance),
        None => return Ok(()),
    };
    writeln!(
        out,
        "The step that takes most of the time: \"{}\"; longest in {}",
        safe(&name),
        safe(&id)
    )?;
    Ok(())
}

/// Writes behind which steps something is stuck: that time is in none of them.
fn tell_stuck(
    opened: &Opened,
    entity: &Entity,
    scope: &AnalysisScope,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (snapshot, meaning, cancel) = (&*opened.snapshot, &*opened.meaning, Cancel::default());
    let seen = meaning.things.seen(snapshot, &cancel);
    let all = seen.iter().flat_map(|seen| &seen.found.all);
    let Some(found) = { all }.find(|one| one.entity.name == entity.name) else {
        return Ok(());
    };
    let stuck = unended(snapshot, meaning, found, scope, &cancel);
    for step in stuck.unwrap_or_default() {
        let name = StepOf {
            to: step.after.clone(),
            from: None,
        };
        let n = step.things.len();
        let longest = step.things.first().and_then(|at| found.list.get(*at));
        let which = longest.map(|one| id_text(found, snapshot, one));
        let which = which.unwrap_or_default();
        let took = format_span(step.since.max as i64);
        writeln!(
            out,
            "{} stuck, with nothing more after \"{}\" for {}{took}: {}",
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

/// Writes the instances for which a step took longest; the step is named as the table of steps names it.
///
/// # Errors
/// There is no such entity or step: names one that is near.
fn print_slowest(
    opened: &Opened,
    entity: &str,
    step: &str,
    tables: Tables,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let (snapshot, cancel) = (&*opened.snapshot, Cancel::default());
    let scope = AnalysisScope {
        tables,
        ..scope(opened, select)?
    };
    let found = find(opened, &named(opened, entity)?);
    let steps = latency(snapshot, &found, &scope, &[], &cancel).unwrap_or_default();
    let all = steps.rows.iter().map(|row| StepOf::of(&steps, row));
    let all: Vec<StepOf> = all.collect();
    let Some(wanted) = all.iter().find(|s| s.name() == step) else {
        let names: Vec<String> = all.iter().map(StepOf::name).collect();
        let hint = did_you_mean(step, names.iter().map(String::as_str));
        return Err(Failure::Message(format!(
            "no {} has the step '{step}'{hint}",
            entity
        )));
    };
    let none = || no_instance(opened, &found, select, "has this step after another");
    let list = slowest(snapshot, &found, &scope, wanted, &cancel).ok_or_else(none)?;
    PrintedSheet::from(results::slowest(snapshot, &found, &list, &opened.zone)).print(format, none)
}
