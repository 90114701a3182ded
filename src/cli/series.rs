//! `widetui series`: a number over time.

use widetui_analysis::columns::EventProperty;
use widetui_analysis::runs::RunEnds;
use widetui_analysis::series::{BinAggregate, SeriesKind, SeriesSpec, series};
use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_query::resolve_key;
use widetui_tables::answers::counts::RowGroups;
use widetui_tables::answers::series::{SeriesBins, value_columns, values};

use super::args::{Format, PickArg, SeriesArgs, SeriesCommand};
use super::curves::{CURVE, Curves, print_curves};
use super::grouped::Groups;
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, warn, write_out};
use super::selection::{by, scope};

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
    let from_start = match args.from_start {
        true => Some(Groups::from_start(opened, &args.by)?),
        false => None,
    };
    let apart = match args.by.is_empty() {
        _ if let Some(runs) = &from_start => runs.by.iter().cloned().collect(),
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
    let found = match &from_start {
        Some(runs) => runs.line_starts(found),
        None => found,
    };
    let range = found.range().map(|(first, last)| {
        if from_start.is_some() {
            return (first.min(0), last);
        }
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
            let bins = range.map(|range| together((range, columns.unwrap_or(CURVE))));
            if let Some(bins) = bins {
                let heading = format!("{}{}", spec.title, unit(&spec, kind));
                print_curves(
                    opened,
                    &Curves {
                        found: &found,
                        heading,
                        bins,
                    },
                )?;
            }
        }
        format => {
            let together = range.zip(columns).map(together);
            let groups = from_start.map_or(RowGroups::ByKey, |runs| runs.rows());
            let sheet = opened.sheet(&value_columns(groups), values(&found, together));
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

/// Unit of the values of a series in brackets; empty without one.
fn unit(spec: &SeriesSpec, kind: SeriesKind) -> String {
    match (spec.unit.as_str(), kind) {
        ("", SeriesKind::Gauge) => String::new(),
        (unit, SeriesKind::Gauge) => format!(" [{unit}]"),
        (unit, SeriesKind::Counter) => format!(" [{unit}/s]"),
    }
}
