//! `widetui throughput` and `widetui utilisation`: finished instances over time, and load of resources.

use std::io::Write;

use widetui_analysis::histogram::{Bin, bins};
use widetui_analysis::resources::Resources;
use widetui_analysis::utilisation::{
    ResourceUse, Throughput, Utilisation, Weight, throughput, utilisation,
};
use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_tables::answers::counts::{CountSeries, RowGroups, points, throughput_columns};
use widetui_tables::answers::utilisation::{ResourceLine, capacity, load, resources, running};
use widetui_tables::schema::{Schema, SchemaColumn};
use widetui_time::time::format_span;

use super::args::{Format, ThroughputCommand, UtilisationCommand};
use super::grouped::Groups;
use super::no_result::no_instance;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, plural, safe, write_out};
use super::selection::scope;
use super::sheet::{PrintedSheet, id_object};

/// Number of time bins in text output, and width of the longest bar, columns.
const TIME_BINS: usize = 24;
const BAR: u64 = 40;

/// `widetui throughput`: number of finished instances of an entity over time.
pub fn run_throughput(c: &ThroughputCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let scope = scope(opened, &c.select)?;
    let found = opened.instances(&opened.entity(c.entity.name())?);
    let groups = Groups::new(opened, &c.groups)?;
    let cancel = Cancel::default();
    let result = throughput(
        &opened.snapshot,
        &found,
        &scope,
        groups.by.as_ref(),
        &cancel,
    );
    let result = result.unwrap_or_default();
    let none = || no_instance(opened, &found, &c.select, "has a known end");
    if c.run.format == Format::Text {
        return match result.times.is_empty() {
            true => Err(none()),
            false if groups.rows() == RowGroups::FromStart => {
                let series = groups.with_starts(CountSeries::of_throughput(&result));
                write_out(|out| from_starts(opened, &series, &found.entity.plural(), out))
            }
            false => write_out(|out| rates(opened, &result, &found.entity.title, out)),
        };
    }
    let series = groups.with_starts(CountSeries::of_throughput(&result));
    let sheet = opened.sheet(&throughput_columns(groups.rows()), points(&series));
    sheet.print(c.run.format, none)
}

/// Numbers finished at a time since the start of each run.
struct Finished {
    /// Time since the start, ns.
    elapsed: i64,
    /// Number in each run; its sum after its last end.
    counts: Vec<u64>,
}

/// Text: number of instances finished in each run, by the time since its start.
fn from_starts(
    opened: &Opened,
    series: &[CountSeries<'_>],
    plural: &str,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let last = |of: &CountSeries<'_>| {
        let last = of.steps.points.last().map_or(0, |p| p.0);
        last.saturating_sub(of.start.unwrap_or_default())
    };
    let longest = series.iter().map(last).max().unwrap_or(0);
    let step = (longest / TIME_BINS as i64).saturating_add(1);
    let count_at = |of: &CountSeries<'_>, elapsed: i64| {
        let time = of.start.unwrap_or_default().saturating_add(elapsed);
        of.steps.value_at(time).unsigned_abs()
    };
    let rows = (1..=TIME_BINS as i64).map(|n| {
        let elapsed = step.saturating_mul(n);
        Finished {
            elapsed,
            counts: series.iter().map(|of| count_at(of, elapsed)).collect(),
        }
    });
    type Col = SchemaColumn<Finished>;
    let mut schema = Schema::from(vec![
        Col::duration("elapsed_s", |row| row.elapsed).heading("after"),
    ]);
    for (at, of) in series.iter().enumerate() {
        let name = safe(of.group).to_owned();
        schema.push(Col::count(name, move |row| {
            row.counts.get(at).copied().unwrap_or_default()
        }));
    }
    opened.sheet(&schema, rows).write(out, Format::Text)?;
    writeln!(out, "\n{plural} finished since the start of each run")?;
    Ok(())
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
    type Col = SchemaColumn<Bin>;
    let schema = Schema::from(vec![
        Col::time("time", |bin| bin.lower).heading("from"),
        Col::count("count", |bin| bin.count).heading("finished"),
        Col::number("rate", |bin| {
            bin.count as f64 / (bin.upper.saturating_sub(bin.lower).max(1) as f64 / 1e9)
        })
        .heading("per second"),
        Col::text("bar", move |bin| {
            "█".repeat((bin.count * BAR).div_ceil(most) as usize)
        })
        .heading(""),
    ]);
    opened.sheet(&schema, &stretches).write(out, Format::Text)?;
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
