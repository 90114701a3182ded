//! Table of finished instances over time.

use crate::plots::number::short;
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::plot_curve::{drawn_groups, throughput_curves};
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::utilisation::{RateUnit, Throughput};
use widetui_core::words::last_part;
use widetui_query::Field;
use widetui_report::figure::{CurveStyle, Curves, Figure};
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

/// Maximum number of listed groups.
const LISTED: usize = 1000;

pub(super) fn table(
    snapshot: &Snapshot,
    found: &EntityInstances,
    (rates, open): (&Throughput, usize),
    by: Option<String>,
) -> Table {
    let plural = found.entity.plural();
    let groups = rates.largest_groups();
    let (first, last) = (rates.times.first(), rates.times.last());
    let elapsed = first.zip(last).map_or(0, |(a, b)| b.saturating_sub(*a));
    let pace = RateUnit::for_rate(rates.times.len(), elapsed);
    let rows = groups.iter().take(LISTED);
    let schema = group_columns(pace);
    let rows = rows.map(|(name, steps)| {
        let line = GroupLine {
            name,
            steps,
            by: by.as_deref(),
            all: rates.times.len(),
            elapsed,
            pace,
        };
        row(&line, schema.cells(&line))
    });
    let table = Table::new(
        schema.columns(),
        rows.collect(),
        "no instance here is known to have finished",
    )
    .with_title(match &by {
        Some(key) => format!("finished by {key}"),
        None => "finished in all".to_owned(),
    })
    .with_note(note(
        &plural,
        (rates.times.len(), open),
        groups.len() - drawn_groups(groups.len()),
        (elapsed, pace),
    ));
    match groups.is_empty() {
        true => table,
        false => {
            // The count is zero before the first end.
            let start = snapshot.range().map_or(0, |r| r.0).saturating_sub(1);
            let title = format!("{plural} finished per {}", pace.name);
            let unit = format!("{plural} per {}", pace.name);
            let curves = throughput_curves(rates, start, pace);
            let curves = Curves::one(CurveStyle::Areas, unit, curves);
            let end = snapshot.range().map(|r| r.1);
            table.with_figure(Figure::of_curves(title, curves, end))
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

/// Columns of the groups of finished instances on the screen.
fn group_columns<'a>(pace: RateUnit) -> Schema<GroupLine<'a>> {
    type Col<'a> = SchemaColumn<GroupLine<'a>>;
    let rate = match pace.name {
        "second" => "per second",
        "minute" => "per minute",
        _ => "per hour",
    };
    Schema::from(vec![
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
        .heading(rate),
        Col::time("first", |line| line.steps.points.first().map(|p| p.0)).layout(|c| c.rank(1)),
        Col::time("last", |line| line.steps.points.last().map(|p| p.0)).layout(|c| c.rank(2)),
    ])
}

fn row(line: &GroupLine<'_>, cells: Vec<Cell>) -> Row {
    let key = line.by.filter(|_| !line.name.is_empty());
    let pivots = key.map(|key| PivotValue::key(Field::named(key), last_part(key), line.name));
    Row {
        name: line.shown().to_owned(),
        cells,
        action: match pivots {
            Some(_) => RowAction::Pivot,
            None => RowAction::Nothing,
        },
        pivots: pivots.into_iter().collect(),
        is_faint: line.by.is_some() && line.name.is_empty(),
    }
}
