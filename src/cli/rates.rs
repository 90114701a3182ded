//! `widetui throughput` and `widetui utilisation`: finished instances over time, and load of resources.

use std::io::Write;

use serde_json::Value as Json;

use widetui_analysis::histogram::bins;
use widetui_analysis::resources::Resources;
use widetui_analysis::utilisation::{
    ResourceUse, Throughput, Utilisation, WEIGHT_UNIT, Weight, throughput, utilisation,
};
use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_report::results;
use widetui_time::time::format_span;

use super::args::{Format, ThroughputCommand, UtilisationCommand};
use super::no_result::no_instance;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, plural, safe, write_out};
use super::selection::{by, scope};
use super::sheet::{
    PrintedSheet, cell, duration, hidden, id_object, id_text, left, log_text, moment, number,
    right, seconds, share, time,
};

/// Number of time bins in text output, and width of the longest bar, columns.
const TIME_BINS: usize = 24;
const BAR: u64 = 40;

/// `widetui throughput`: number of finished instances of an entity over time.
pub fn run_throughput(c: &ThroughputCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let scope = scope(opened, &c.select)?;
    let found = opened.instances(&opened.entity(&c.entity)?);
    let group = c.by.as_deref().map(|name| by(opened, name)).transpose()?;
    let cancel = Cancel::default();
    let result = throughput(&opened.snapshot, &found, &scope, group.as_ref(), &cancel);
    let result = result.unwrap_or_default();
    let none = || no_instance(opened, &found, &c.select, "has a known end");
    if c.run.format == Format::Text {
        return match result.times.is_empty() {
            true => Err(none()),
            false => write_out(|out| rates(opened, &result, &found.entity.title, out)),
        };
    }
    let sheet = results::throughput(&result, &opened.zone);
    PrintedSheet::from(sheet).print(c.run.format, none)
}

/// Text: number of instances in each time bin, and in each group.
fn rates(
    opened: &Opened,
    result: &Throughput,
    title: &str,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (Some(first), Some(last)) = (result.times.first(), result.times.last()) else {
        return Ok(());
    };
    let stretches = bins(&result.times, TIME_BINS);
    let most = stretches.iter().map(|b| b.count).max().unwrap_or(1).max(1);
    let mut sheet = PrintedSheet::new(vec![
        left("time", "from"),
        right("count", "finished"),
        right("rate", "per second"),
        left("bar", ""),
    ]);
    for bin in &stretches {
        let rate = bin.count as f64 / (bin.upper.saturating_sub(bin.lower).max(1) as f64 / 1e9);
        let bar = "█".repeat((bin.count * BAR).div_ceil(most) as usize);
        let from = moment(Some(bin.lower), |t| opened.moment(t));
        sheet.push(vec![
            from,
            number(bin.count),
            cell(rate, format!("{rate:.3}")),
            cell(Json::Null, bar),
        ]);
    }
    sheet.write(out, Format::Text)?;
    let time = last.saturating_sub(*first);
    writeln!(
        out,
        "\n{} {} finished in {}",
        count(result.times.len() as u64),
        plural(&safe(title)),
        format_span(time)
    )?;
    if result.groups.len() > 1 {
        let mut groups: Vec<(i64, &str)> = result
            .groups
            .iter()
            .zip(&result.finished)
            .map(|(name, steps)| (steps.points.last().map_or(0, |p| p.1), name.as_str()))
            .collect();
        groups.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        for (n, name) in groups {
            writeln!(out, "{n:>8}  {}", safe(name))?;
        }
    }
    Ok(())
}

/// `widetui utilisation`: load and capacity over time, and the use of each resource.
pub fn run_utilisation(c: &UtilisationCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let snapshot = &*opened.snapshot;
    let scope = scope(opened, &c.select)?;
    let entity = opened.entity(&c.entity)?;
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

fn value(parts: i128) -> f64 {
    // Rounded to nine digits: three thirds are one.
    (parts as f64 / (WEIGHT_UNIT as f64 / 1e9)).round() / 1e9
}

/// Columns of JSON lines and CSV; each kind of row has some of them.
const COLUMNS: [&str; 11] = [
    "kind", "time", "value", "capacity", "carrier", "entity", "start", "end", "busy", "cold_s",
    "carried",
];

/// Rows of JSON lines and CSV: load over time, then capacity, then the use of each resource.
fn rows(opened: &Opened, result: &Utilisation, carriers: Option<&Resources>) -> PrintedSheet {
    let mut sheet = PrintedSheet::new(COLUMNS.map(hidden).into());
    let running = result.running.points.iter();
    for (at, parts) in running {
        let cells = [
            ("kind", "running".into()),
            ("time", time(Some(*at))),
            ("value", value(*parts).into()),
        ];
        sheet.push_named(cells.map(|(name, json)| (name, cell(json, ""))));
    }
    for (at, n) in &result.capacity.points {
        let cells = [
            ("kind", "capacity".into()),
            ("time", time(Some(*at))),
            ("capacity", Json::from(*n)),
        ];
        sheet.push_named(cells.map(|(name, json)| (name, cell(json, ""))));
    }
    let used = carriers.into_iter().flat_map(|carriers| {
        let all = result.resources.iter();
        all.map(move |used| (&carriers.instances, used))
    });
    for (found, used) in used {
        let id = found.id(&opened.snapshot, &found.list[used.resource]);
        let cells = [
            ("kind", "carrier".into()),
            ("carrier", id_object(&opened.snapshot, &id).into()),
            ("entity", found.entity.name.clone().into()),
            ("start", time(Some(used.start))),
            ("end", time(Some(used.end))),
            ("busy", used.busy.into()),
            ("cold_s", seconds(used.cold_start)),
            ("carried", used.executions.into()),
        ];
        sheet.push_named(cells.map(|(name, json)| (name, cell(json, ""))));
    }
    sheet
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
        value(most),
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
    let mut sheet = PrintedSheet::new(vec![
        left("id", &found.entity.title),
        left("start", "start"),
        right("life", "life"),
        right("busy", "busy"),
        right("cold", "cold start"),
        right("carried", "carried"),
    ]);
    for used in &result.resources {
        let id = id_text(found, &opened.snapshot, &found.list[used.resource]);
        sheet.push(vec![
            log_text(&id),
            moment(Some(used.start), |t| opened.moment(t)),
            duration(Some(used.end.saturating_sub(used.start))),
            share(used.busy),
            duration(used.cold_start),
            number(used.executions),
        ]);
    }
    sheet.write(out, Format::Text)?;
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
