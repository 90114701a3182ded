//! `widetui throughput` and `widetui utilisation`: finished instances over time, and load of resources.

use std::io::Write;

use widetui_analysis::resources::Resources;
use widetui_analysis::utilisation::{ResourceUse, Utilisation, Weight, utilisation};
use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_session::plots::PlotKind;
use widetui_tables::answers::utilisation::{ResourceLine, capacity, load, resources, running};

use super::args::{Format, ThroughputCommand, UtilisationCommand};
use super::no_result::no_instance;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, plural, safe, write_out};
use super::plotted::PlotAsker;
use super::selection::scope;
use super::sheet::{PrintedSheet, id_object};

/// `widetui throughput`: number of finished instances of an entity over time.
pub fn run_throughput(c: &ThroughputCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let entity = opened.entity(c.entity.name())?;
    let asker = PlotAsker::new(opened, &c.select)?.grouped(&c.groups)?;
    let data = asker.answer(Some(&entity.name), PlotKind::Throughput(asker.by.clone()))?;
    asker.print_about(&entity, data, c.run.format, "has a known end")
}

/// `widetui utilisation`: load and capacity over time, and the use of each resource.
pub fn run_utilisation(c: &UtilisationCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let snapshot = &*opened.snapshot;
    let scope = scope(opened, &c.select)?;
    let entity = opened.entity(c.entity.name())?;
    let weight = match &c.weight {
        None => Weight::One,
        Some(text) => Weight::parse(snapshot, text).map_err(|e| Failure::Message(e.to_string()))?,
    };
    let cancel = Cancel::default();
    let found = opened.instances(&entity);
    let carriers = Resources::innermost(snapshot, &entity, opened.entities(), &cancel).flatten();
    let result = utilisation(
        snapshot,
        &found,
        carriers.as_ref(),
        &scope,
        &weight,
        &cancel,
    );
    let result = result.unwrap_or_default();
    if result.running.points.is_empty() {
        return Err(match result.unweighted {
            0 => no_instance(opened, &found, &c.select, "has a known start and end"),
            n => Failure::Absent(format!(
                "{} ran, none with a known weight",
                several(
                    usize::try_from(n).unwrap_or(usize::MAX),
                    &safe(&entity.title)
                )
            )),
        });
    }
    write_out(|out| match c.run.format {
        Format::Text => text(opened, &result, carriers.as_ref(), out),
        format => rows(opened, &result, carriers.as_ref()).write(out, format),
    })
}

/// Rows of JSON lines and CSV: load over time, then capacity, then the use of each resource.
fn rows(opened: &Opened, result: &Utilisation, carriers: Option<&Resources>) -> PrintedSheet {
    let mut sheet = opened.sheet(&running(), &result.running.points);
    sheet.append(opened.sheet(&capacity(), &result.capacity.points));
    sheet.append(opened.sheet(&resources(), resource_lines(opened, result, carriers)));
    sheet
}

fn resource_lines<'a>(
    opened: &'a Opened,
    result: &'a Utilisation,
    carriers: Option<&'a Resources>,
) -> impl Iterator<Item = ResourceLine<'a>> {
    let used = carriers.into_iter().flat_map(|carriers| {
        let all = result.resources.iter();
        all.map(move |used| (&carriers.instances, used))
    });
    used.map(|(found, used)| {
        let id = found.id(&opened.snapshot, &found.list[used.resource]);
        ResourceLine {
            id: id_object(&opened.snapshot, &id),
            entity: &found.entity.name,
            used,
        }
    })
}

/// Text: the maximum load, and a row for each resource.
fn text(
    opened: &Opened,
    result: &Utilisation,
    carriers: Option<&Resources>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let Some((when, most)) = result.running.max() else {
        return Ok(());
    };
    writeln!(
        out,
        "at most {} run at once, first at {}",
        load(most),
        opened.moment(when)
    )?;
    if let Some((when, most)) = result.capacity.max() {
        let title = carriers.map_or("resource", |c| c.instances.entity.title.as_str());
        let title = plural(&safe(title));
        writeln!(
            out,
            "at most {most} {title} at once, first at {}",
            opened.moment(when)
        )?;
    }
    if result.unweighted > 0 {
        let n = count(result.unweighted);
        writeln!(out, "{n} without a weight, not counted")?;
    }
    let Some(carriers) = carriers.filter(|_| !result.resources.is_empty()) else {
        return Ok(());
    };
    writeln!(out)?;
    let found = &carriers.instances;
    let lines = resource_lines(opened, result, Some(carriers));
    opened.sheet(&resources(), lines).write(out, Format::Text)?;
    let is_early = |used: &&ResourceUse| used.cold_start.is_none() && used.executions > 0;
    let early = result.resources.iter().filter(is_early).count();
    if early > 0 {
        writeln!(
            out,
            "\n{} without a cold start: the first instance began before its resource, so its waiting time is included, or clocks differ",
            several(early, &safe(&found.entity.title))
        )?;
    }
    Ok(())
}
