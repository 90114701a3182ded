//! Table of the phases that the time of instances was spent in: waiting for others, for a slot, for the network,
//! execution.

use serde_json::{Map, Value as Json};

use crate::plots::settings::SlowestSubject;
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Row, RowAction, Table, percent};
use widetui_analysis::Instances;
use widetui_analysis::account::{Phase, PhaseTotal};
use widetui_analysis::latency::SMALL_SHARE;
use widetui_core::words::several;
use widetui_report::figure::{BarMark, BarRow, Bars, Figure, Plot};
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

use super::{
    InstanceName, SPREAD, instance_columns, instance_row, places_column, spread, summary_columns,
};

/// Share of all time from which a phase is highlighted.
const STANDS_OUT: f64 = 0.1;

pub(super) fn table(instances: &Instances, instance_count: usize, sums: &[PhaseTotal]) -> Table {
    let schema = phase_columns(&instances.entity.plural());
    let rows = phase_lines(sums).map(|line| row(line.phase, schema.cells(&line)));
    let title = &instances.entity.title;
    let table = Table::new(
        schema.columns(),
        rows.collect(),
        "no selected record names an instance",
    );
    let whose = several(instance_count, title);
    Table {
        figure: figure(&whose, sums, true),
        ..table
    }
    .with_title(format!("what the time went to: {title}"))
    .with_note(format!(
        "{}, from first event to end",
        several(instance_count, title)
    ))
}

/// Maximum number of phases in a figure.
const PHASES: usize = 6;

/// Figure of the phases with the most time; `is_listed` if they are the rows of its table. `None` without phases.
pub(super) fn figure(whose: &str, sums: &[PhaseTotal], is_listed: bool) -> Option<Figure> {
    let shown = sums.iter().take(PHASES);
    let shown = shown.take_while(|sum| sum.share >= SMALL_SHARE);
    let row = |sum: &PhaseTotal| {
        let mean = format_span(sum.per_instance.mean as i64);
        BarRow {
            name: sum.description.clone(),
            mark: BarMark::Length(sum.share),
            text: format!("{:>5}  mean {mean}", percent(sum.share)),
        }
    };
    let total: f64 = sums.iter().map(|sum| sum.per_instance.total).sum();
    let bars = Bars {
        rows: shown.map(row).collect(),
        is_listed,
        ..Bars::default()
    };
    let title = format!(
        "where the time of {whose} went · {} in all",
        format_span(total as i64)
    );
    (!sums.is_empty()).then(|| Figure::new(title, Plot::Bars(vec![bars])))
}

/// Phase of the time of instances.
pub struct PhaseLine<'a> {
    phase: &'a PhaseTotal,
    longest: f64,
}

/// Rows of phases.
pub fn phase_lines(sums: &[PhaseTotal]) -> impl Iterator<Item = PhaseLine<'_>> {
    let longest = sums.iter().map(|s| s.per_instance.max).fold(0.0, f64::max);
    sums.iter().map(move |phase| PhaseLine { phase, longest })
}

/// Columns of phases, on the screen and in the output of `widetui trace ENTITY --account`.
pub fn phase_columns<'a>(plural: &str) -> Schema<PhaseLine<'a>> {
    type Col<'a> = SchemaColumn<PhaseLine<'a>>;
    let mut columns = vec![
        Col::text("phase", |line| line.phase.description.clone())
            .heading("what it went to")
            .style(|line| match line.phase.share {
                s if s >= STANDS_OUT => Role::Strong,
                _ => Role::Text,
            })
            .layout(|c| c.between(20, 70)),
        Col::text("why", |line| line.phase.reason.name().to_owned()).hidden(),
        Col::share("share", |line| line.phase.share)
            .heading("share of time")
            .layout(|c| c.short("of time")),
        Col::drawn(Column::bar("", 24).between(6, 24).rank(2), |line| {
            Cell::Bar(line.phase.share)
        }),
        Col::count("instances", |line| line.phase.instances)
            .heading(plural.to_owned())
            .layout(|c| c.role(Role::Muted).rank(4)),
    ];
    columns.extend(summary_columns("", [3, 1, 5], |line: &PhaseLine<'a>| {
        Some(line.phase.per_instance)
    }));
    columns.extend([
        Col::drawn(Column::bar(SPREAD, 40).between(21, 40).rank(6), |line| {
            spread(Some(&line.phase.per_instance), line.longest)
        }),
        Col::mean("total_s", |line| line.phase.per_instance.total)
            .heading("sum")
            .layout(|c| c.rank(1).role(Role::Muted)),
    ]);
    Schema::from(columns)
}

fn row(phase: &PhaseTotal, cells: Vec<Cell>) -> Row {
    Row {
        name: format!("{} {}", phase.reason.name(), phase.description),
        cells,
        action: RowAction::Slowest(
            SlowestSubject::Phase(phase.reason, phase.description.clone()).into(),
        ),
        pivots: Vec::new(),
        is_faint: false,
    }
}

/// Phase of the time of one instance.
pub struct InstancePhase {
    /// Id of the instance.
    pub id: Map<String, Json>,
    /// Phase.
    pub phase: Phase,
}

/// Columns of the phases of one instance in the output of `widetui trace KEY=VALUE --account`.
pub fn instance_phase_columns() -> Schema<InstancePhase> {
    type Col = SchemaColumn<InstancePhase>;
    Schema::from(vec![
        Col::object("id", |row| row.id.clone()).hidden(),
        Col::time("start", |row| row.phase.start),
        Col::time("end", |row| row.phase.end).hidden(),
        Col::duration("duration_s", |row| {
            row.phase.end.saturating_sub(row.phase.start)
        })
        .heading("time"),
        Col::text("why", |row| row.phase.reason.name().to_owned()).hidden(),
        Col::text("phase", |row| row.phase.description.clone()),
        Col::text("of", |row| row.phase.subject.clone()),
    ])
}

/// Instance and its time in a phase.
pub struct SpentLine<'a> {
    name: InstanceName,
    at: usize,
    phase: &'a str,
    /// Time, ns.
    took: i64,
    longest: f64,
}

/// Rows of the instances that spent time in a phase, the longest first.
pub fn spent_lines<'a>(
    snapshot: &'a Snapshot,
    found: &'a Instances,
    sum: Option<&'a PhaseTotal>,
) -> impl Iterator<Item = SpentLine<'a>> {
    let longest = sum.and_then(|s| s.longest.first());
    let longest = longest.map_or(1, |l| l.1.max(1)) as f64;
    let list = { sum.into_iter() }.flat_map(|s| s.longest.iter().map(move |l| (s, l)));
    list.filter_map(move |(sum, (at, took))| {
        Some(SpentLine {
            name: InstanceName::new(snapshot, found, *at)?,
            at: *at,
            phase: &sum.description,
            took: *took,
            longest,
        })
    })
}

/// Columns of the instances that spent time in a phase.
pub fn spent_columns<'a>() -> Schema<SpentLine<'a>> {
    type Col<'a> = SchemaColumn<SpentLine<'a>>;
    let mut columns = Vec::from(instance_columns(|line: &SpentLine<'a>| &line.name));
    columns.extend([
        Col::text("phase", |line| line.phase.to_owned()).hidden(),
        Col::duration("time_s", |line| line.took).heading("took"),
        Col::drawn(Column::bar("", 40).between(6, 40).rank(1), |line| {
            Cell::Bar(line.took as f64 / line.longest)
        }),
        places_column(3, |line: &SpentLine<'a>| &line.name),
    ]);
    Schema::from(columns)
}

/// Table of the instances that spent time in a phase, the longest first.
pub(super) fn spent(
    snapshot: &Snapshot,
    found: &EntityInstances,
    sum: Option<&PhaseTotal>,
) -> Table {
    let schema = spent_columns();
    let rows = spent_lines(snapshot, found, sum)
        .filter_map(|line| instance_row(snapshot, found, line.at, schema.cells(&line)));
    let rows: Vec<Row> = rows.collect();
    let what = sum.map_or("", |s| s.description.as_str());
    let shown = rows.len();
    let table = Table::new(
        schema.columns(),
        rows,
        "no selected instance has this phase",
    )
    .with_title(format!("longest: {what}"));
    match sum.map_or(0, |s| s.instances as usize) {
        all if all > shown => table.with_note(format!("of {}", several(all, &found.entity.title))),
        _ => table,
    }
}
