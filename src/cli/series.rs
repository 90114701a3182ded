//! `widetui series`: a number over time.

use widetui_analysis::series::{BinAggregate, SeriesKind};
use widetui_core::ids::KeyId;
use widetui_query::resolve_key;
use widetui_report::figure::TimeOrigin;
use widetui_session::plots::{LinesBy, PlotData, PlotKind, SeriesData};
use widetui_tables::answers::counts::RowGroups;
use widetui_tables::answers::series::{SeriesBins, value_columns, values};

use super::args::{Format, GroupArgs, PickArg, SeriesArgs, SeriesCommand};
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, warn};
use super::plotted::{COLUMNS, PlotAsker};
use super::selection::by;

/// `widetui series`.
pub fn run(c: &SeriesCommand) -> Result<(), Failure> {
    print(&open::load_run(&c.run)?, c)
}

/// Writes the points of a series; text has its curves.
fn print(opened: &Opened, c: &SeriesCommand) -> Result<(), Failure> {
    let (args, format) = (&c.how, c.run.format);
    if args.pick.is_some() && args.bins.is_none() && format != Format::Text {
        return Err(Failure::Message("--pick requires --bins N".to_owned()));
    }
    let snapshot = &*opened.snapshot;
    let name = snapshot.catalog.keys.name(known_key(opened, c.key.name())?);
    let asker = PlotAsker::new(opened, &c.select)?;
    let asker = match args.from_start {
        true => {
            let by = args.by.iter().find(|by| *by != "run").cloned();
            asker.grouped(&GroupArgs {
                by,
                from_start: true,
            })?
        }
        false => asker,
    };
    let by = match args.from_start {
        true => LinesBy::Default,
        false => lines_by(opened, &args.by)?,
    };
    let kind = args.rate.then_some(SeriesKind::Counter);
    let kind = PlotKind::Series(name.to_owned(), by, kind);
    let PlotData::Series(data) = asker.answer(None, kind)? else {
        return Ok(());
    };
    for (lost, what) in [
        (data.series.not_numeric, "are not numbers"),
        (data.series.untimed, "are in records without a time"),
    ] {
        if lost > 0 {
            let n = count(lost);
            warn(format_args!("{n} values of {name} {what}"));
        }
    }
    let none = || {
        let text = format!("no event with a time has a numeric {name}");
        no_event(&c.select, &text)
    };
    let data = PlotData::Series(data);
    let bins = bins(&asker, &data, args);
    match (bins, format) {
        (_, Format::Text) => {
            asker.sheet(&data, format).print(format, none)?;
            let columns = args.bins.and_then(|n| u16::try_from(n).ok());
            let curves = (columns.unwrap_or(COLUMNS), aggregate(args));
            let figure = asker.figure(data);
            figure.map_or(Ok(()), |figure| asker.draw(&figure, curves))
        }
        (Some((data, bins)), _) => {
            let groups = match asker.origin {
                TimeOrigin::Clock => RowGroups::ByKey,
                TimeOrigin::RunStart { .. } => RowGroups::FromStart,
            };
            let rows = values(&data.series, Some(bins));
            opened
                .sheet(&value_columns(groups), rows)
                .print(format, none)
        }
        (None, _) => asker.print(data, format, none),
    }
}

/// Grouping of lines by keys.
///
/// # Errors
/// No record has a key.
pub fn lines_by(opened: &Opened, by_keys: &[String]) -> Result<LinesBy, Failure> {
    match by_keys {
        [] => Ok(LinesBy::Default),
        names if names.iter().all(|name| name == "none") => Ok(LinesBy::Nothing),
        names => {
            let names = names.iter().map(|name| by(opened, name));
            Ok(LinesBy::Keys(names.collect::<Result<_, Failure>>()?))
        }
    }
}

/// Parts of the time whose values are printed instead of all points.
fn bins<'d>(
    asker: &PlotAsker<'_>,
    data: &'d PlotData,
    args: &SeriesArgs,
) -> Option<(&'d SeriesData, SeriesBins)> {
    let PlotData::Series(data) = data else {
        return None;
    };
    let (first, last) = data.series.range()?;
    let window = asker.scope.window;
    let end = window.until.or(asker.opened.snapshot.range().map(|r| r.1));
    let bins = SeriesBins {
        range: match args.from_start {
            true => (first.min(0), last),
            false => (
                window.since.unwrap_or(first).min(first),
                end.unwrap_or(last).max(last),
            ),
        },
        kind: data.spec.kind,
        columns: args.bins? as usize,
        aggregate: aggregate(args),
    };
    Some((data, bins))
}

fn aggregate(args: &SeriesArgs) -> BinAggregate {
    match args.pick.unwrap_or_default() {
        PickArg::Max => BinAggregate::Max,
        PickArg::Mean => BinAggregate::Mean,
        PickArg::Last => BinAggregate::Last,
    }
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
