//! `widetui series`: a number over time.

use std::io::Write;

use widetui_analysis::columns::EventProperty;
use widetui_analysis::runs::RunEnds;
use widetui_analysis::series::{BinAggregate, MEAN_NOTE, Series, SeriesKind, SeriesSpec, series};
use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_query::resolve_key;
use widetui_report::sheet::{cell, text_column};
use widetui_tables::answers::series::{SeriesBins, SeriesRow, line_columns, value_columns, values};
use widetui_tables::drawing::height;
use widetui_tables::table::number;
use widetui_time::time::format_span;

use super::args::{Format, PickArg, SeriesArgs, SeriesCommand};
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, warn, write_out};
use super::selection::{by, scope};
use super::sheet::PrintedSheet;

/// Width of curves in text, columns.
const CURVE: usize = 40;

/// `widetui series`.
pub fn run(c: &SeriesCommand) -> Result<(), Failure> {
    print(&open::load_run(&c.run)?, c)
}

/// Writes the points of a series; text has one small curve per line.
fn print(opened: &Opened, c: &SeriesCommand) -> Result<(), Failure> {
    let (args, format) = (&c.how, c.run.format);
    if args.pick.is_some() && args.bins.is_none() && format != Format::Text {
        return Err(Failure::Message("--pick requires --bins N".to_owned()));
    }
    let snapshot = &*opened.snapshot;
    let id = known_key(opened, c.key.name())?;
    let name = snapshot.catalog.keys.name(id);
    let spec = spec(opened, name);
    let apart = match args.by.is_empty() {
        // Keys of the definition that split lines, if the data has them.
        true => spec.split_properties(snapshot),
        false if args.by.iter().all(|k| k == "none") => Vec::new(),
        false => args
            .by
            .iter()
            .map(|name| by(opened, name))
            .collect::<Result<Vec<EventProperty>, Failure>>()?,
    };
    let kind = match args.rate {
        true => SeriesKind::Counter,
        false => spec.kind,
    };
    let scope = scope(opened, &c.select)?;
    let found = series(
        snapshot,
        id,
        &apart,
        scope.events.as_ref(),
        &Cancel::default(),
    );
    let window = scope.window;
    let ends = RunEnds::for_all_runs(snapshot, opened.entities(), &Cancel::default());
    let found = found
        .zip(ends)
        .map(|(found, ends)| found.with_run_ends(snapshot, &ends));
    let found = found
        .unwrap_or_default()
        .clipped(window.since, window.until, kind);
    let range = found.range().map(|(first, last)| {
        let end = window.until.or(snapshot.range().map(|r| r.1));
        (
            window.since.unwrap_or(first).min(first),
            end.unwrap_or(last).max(last),
        )
    });
    let columns = args.bins.map(|n| n as usize);
    let together = |(range, columns)| SeriesBins {
        range,
        kind,
        columns,
        aggregate: pick(args),
    };
    match format {
        Format::Text => {
            let curves = range.map(|range| together((range, columns.unwrap_or(CURVE))));
            text(opened, &found, &spec, curves)?;
        }
        format => {
            let together = range.zip(columns).map(together);
            let sheet = opened.sheet(&value_columns(), values(&found, together));
            write_out(|out| sheet.write(out, format))?;
        }
    }
    if found.not_numeric > 0 {
        let n = count(found.not_numeric);
        warn(format_args!("{n} values of {name} are not numbers"));
    }
    if found.untimed > 0 {
        let n = count(found.untimed);
        warn(format_args!(
            "{n} values of {name} are in records without a time"
        ));
    }
    match found.lines.is_empty() {
        true => {
            let text = format!("no event with a time has a numeric {name}");
            Err(no_event(&c.select, &text))
        }
        false => Ok(()),
    }
}

fn pick(args: &SeriesArgs) -> BinAggregate {
    match args.pick.unwrap_or_default() {
        PickArg::Max => BinAggregate::Max,
        PickArg::Mean => BinAggregate::Mean,
        PickArg::Last => BinAggregate::Last,
    }
}

/// Series of a key from the definitions, or a plain one.
pub fn spec(opened: &Opened, key: &str) -> SeriesSpec {
    SeriesSpec::for_key(opened.meaning.series(), &opened.snapshot.catalog.keys, key)
}

/// Key of the run.
///
/// # Errors
/// No key has the name, or several have; the message names them, or a similar name.
pub fn known_key(opened: &Opened, typed: &str) -> Result<KeyId, Failure> {
    let name = opened.key(typed)?;
    resolve_key(&opened.snapshot.catalog.keys, &name)
        .ok_or_else(|| Failure::Message(format!("no key `{typed}` in these events")))
}

fn text(
    opened: &Opened,
    found: &Series,
    spec: &SeriesSpec,
    curves: Option<SeriesBins>,
) -> Result<(), Failure> {
    let Some(SeriesBins {
        range,
        kind,
        columns,
        aggregate: pick,
    }) = curves
    else {
        return Ok(());
    };
    let unit = match (spec.unit.as_str(), kind) {
        ("", SeriesKind::Gauge) => String::new(),
        (unit, SeriesKind::Gauge) => format!(" [{unit}]"),
        (unit, SeriesKind::Counter) => format!(" [{unit}/s]"),
    };
    // One scale for all curves makes them comparable.
    let curves: Vec<Vec<Option<f64>>> = found
        .lines
        .iter()
        .map(|l| l.bins((kind, pick), range, columns))
        .collect();
    let top = curves
        .iter()
        .flatten()
        .flatten()
        .fold(0.0f64, |a, b| a.max(*b));
    let lines = found.lines.iter().map(|line| SeriesRow {
        name: line.name(),
        line,
        end: range.1,
    });
    let mut sheet = line_columns().sheet(lines, |time| opened.moment(time));
    sheet
        .columns
        .push(text_column(&format!("{}{unit}", spec.title)));
    for (row, curve) in sheet.rows.iter_mut().zip(&curves) {
        row.push(cell("", format!("│{}│", sparkline(curve, top))));
    }
    let sheet = PrintedSheet::from(sheet);
    let width = range.1.saturating_sub(range.0);
    write_out(|out| {
        sheet.write(out, Format::Text)?;
        writeln!(
            out,
            "\nFrom {} to {}, {} per column; curves from 0 to {}",
            opened.time_of_day(range.0),
            opened.time_of_day(range.1),
            format_span(width / columns.max(1) as i64),
            number(top)
        )?;
        writeln!(out, "Means are over time: {MEAN_NOTE}")?;
        Ok::<(), Failure>(())
    })
}

/// Curve in eighths of a cell; a space where no value is known.
fn sparkline(values: &[Option<f64>], top: f64) -> String {
    let cell = |value: &Option<f64>| match value {
        None => " ",
        Some(_) if top <= 0.0 => height(0.0),
        Some(v) => height(v / top),
    };
    values.iter().map(cell).collect()
}
