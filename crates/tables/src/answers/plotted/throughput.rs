//! Table of finished instances over time.

use crate::plots::number::short;
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, Table};
use crate::text::grouped;
use widetui_analysis::plot_curve::{drawn_groups, throughput_curves};
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::utilisation::{RateUnit, Throughput};
use widetui_core::words::last_part;
use widetui_query::Field;
use widetui_report::figure::{CurveStyle, Curves, Figure};
use widetui_report::sheet::Sheet;
use widetui_session::plots::ThroughputData;
use widetui_store::Snapshot;
use widetui_time::time::format_span;
use widetui_time::timescale::{CURVE_PARTS, round_length};

/// Maximum number of listed groups.
const LISTED: usize = 1000;

pub(super) fn table(snapshot: &Snapshot, data: &ThroughputData) -> Table {
    let ThroughputData {
        rates, open, by, ..
    } = data;
    let plural = data.of.entity.plural();
    let groups = rates.largest_groups();
    let (elapsed, pace) = pace(rates);
    let lines = group_lines(rates, by.as_deref()).into_iter();
    let empty_text = "no instance here is known to have finished";
    let table = group_columns(pace, by.is_some()).table(lines.take(LISTED), row, empty_text);
    let table = table
        .with_title(match by {
            Some(key) => format!("finished by {key}"),
            None => "finished in all".to_owned(),
        })
        .with_note(note(
            &plural,
            (rates.times.len(), *open),
            groups.len() - drawn_groups(groups.len()),
            (elapsed, pace),
        ));
    match groups.is_empty() {
        true => table,
        false => {
            let range = snapshot.range().unwrap_or_default();
            let length = round_length(range, CURVE_PARTS);
            let part = format_span(length).replace(".0 ", " ");
            let unit = format!("{plural} per {part}");
            let title = format!("{plural} finished per {part}");
            let curves = throughput_curves(rates, range, length);
            let curves = Curves::one(CurveStyle::Areas, unit, curves);
            table.with_figure(Figure::of_curves(title, curves, Some(range.1)))
        }
    }
}

fn note(
    plural: &str,
    (count, open): (usize, usize),
    drawn_as_one: usize,
    (elapsed, pace): (i64, RateUnit),
) -> String {
    let mut note = format!("{} {plural}", grouped(count as u64));
    if let Some(rate) = pace.rate(count, elapsed) {
        let (elapsed, rate) = (format_span(elapsed), short(rate));
        note = format!("{note} in {elapsed} · {rate} per {}", pace.name);
    }
    if drawn_as_one > 0 {
        note = format!("{note} · the last {drawn_as_one} drawn as one");
    }
    if open > 0 {
        note = format!("{note} · {} did not finish", grouped(open as u64));
    }
    note
}

/// Group of finished instances.
struct GroupLine<'a> {
    name: &'a str,
    /// Number of finished instances over time.
    steps: &'a StepFunction,
    by: Option<&'a str>,
    /// Number of all finished instances.
    all: usize,
    /// Time from the first to the last end, ns.
    elapsed: i64,
    pace: RateUnit,
}

impl<'a> GroupLine<'a> {
    fn count(&self) -> u64 {
        self.steps.points.last().map_or(0, |p| p.1.unsigned_abs())
    }

    fn share(&self) -> f64 {
        self.count() as f64 / self.all.max(1) as f64
    }

    /// Name on the screen.
    fn shown(&self) -> &'a str {
        match (self.by, self.name) {
            (Some(_), "") => "(none)",
            (None, _) => "all",
            (_, name) => name,
        }
    }
}

/// Time from the first to the last end, ns, and the unit of rates.
fn pace(rates: &Throughput) -> (i64, RateUnit) {
    let (first, last) = (rates.times.first(), rates.times.last());
    let elapsed = first.zip(last).map_or(0, |(a, b)| b.saturating_sub(*a));
    (elapsed, RateUnit::for_rate(rates.times.len(), elapsed))
}

/// Rows of the groups of finished instances, the largest first.
fn group_lines<'a>(rates: &'a Throughput, by: Option<&'a str>) -> Vec<GroupLine<'a>> {
    let (elapsed, pace) = pace(rates);
    let groups = rates.largest_groups().into_iter();
    let line = |(name, steps)| GroupLine {
        name,
        steps,
        by,
        all: rates.times.len(),
        elapsed,
        pace,
    };
    groups.map(line).collect()
}

/// Groups of finished instances as a table.
pub(super) fn sheet(data: &ThroughputData, moment: impl Fn(i64) -> String) -> Sheet {
    let lines = group_lines(&data.rates, data.by.as_deref());
    group_columns(pace(&data.rates).1, data.by.is_some()).sheet(lines, moment)
}

/// Columns of the groups of finished instances on the screen and in the text of `widetui throughput`.
fn group_columns<'a>(pace: RateUnit, is_grouped: bool) -> Schema<GroupLine<'a>> {
    type Col<'a> = SchemaColumn<GroupLine<'a>>;
    let rate = match pace.name {
        "second" => "per second",
        "minute" => "per minute",
        _ => "per hour",
    };
    let columns = Schema::from(vec![
        Col::text("group", |line| line.name.to_owned())
            .heading("of")
            .cell(|line| Cell::Text(line.shown().to_owned()))
            .layout(|c| c.between(8, 60).role(Role::Value)),
        Col::count("finished", GroupLine::count),
        Col::share("share", GroupLine::share).layout(|c| c.rank(3).role(Role::Muted)),
        Col::drawn(Column::bar("", 30).between(6, 30).rank(4), |line| {
            Cell::Bar(line.share())
        }),
        Col::number(rate.replace(' ', "_"), |line| {
            let count = usize::try_from(line.count()).unwrap_or_default();
            line.pace.rate(count, line.elapsed)
        })
        .heading(rate)
        .cell(|line| {
            let count = usize::try_from(line.count()).unwrap_or_default();
            match line.pace.rate(count, line.elapsed) {
                Some(rate) if rate < 10.0 => {
                    Cell::Formatted(rate, format!("{rate:.3}"), Role::Text)
                }
                Some(rate) => Cell::Formatted(rate, short(rate), Role::Text),
                None => Cell::Unknown,
            }
        }),
        Col::time("first", |line| line.steps.points.first().map(|p| p.0)).layout(|c| c.rank(1)),
        Col::time("last", |line| line.steps.points.last().map(|p| p.0)).layout(|c| c.rank(2)),
    ]);
    match is_grouped {
        true => columns,
        false => columns.without("share").without(""),
    }
}

fn row(line: &GroupLine<'_>, cells: Vec<Cell>) -> Row {
    let key = line.by.filter(|_| !line.name.is_empty());
    let pivots = key.map(|key| PivotValue::key(Field::named(key), last_part(key), line.name));
    let row = Row::new(line.shown(), cells).pivoting(pivots);
    row.faint(line.by.is_some() && line.name.is_empty())
}
