//! Table of the phases that the time of instances was spent in: waiting for others, for a slot, for the network,
//! execution.

use serde_json::{Map, Value as Json};

use crate::plots::settings::SlowestSubject;
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Row, RowAction, Table, percent};
use widetui_analysis::Instances;
use widetui_analysis::account::{Phase, PhaseTotal, TimeReason};
use widetui_analysis::latency::SMALL_SHARE;
use widetui_core::words::several;
use widetui_report::figure::{BarMark, BarRow, Bars, Figure, Plot};
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

use super::timed::{self, TimedInstance, TimedLine};
use super::{SPREAD, spread, summary_columns};

/// Share of all time from which a phase is highlighted.
const STANDS_OUT: f64 = 0.1;

pub(super) fn table(instances: &Instances, instance_count: usize, sums: &[PhaseTotal]) -> Table {
    let title = &instances.entity.title;
    let whose = several(instance_count, title);
    let empty_text = "no selected record names an instance";
    let row = |line: &PhaseLine<'_>, cells| row(line.phase, cells);
    let table = phase_columns(&instances.entity.plural()).table(phase_lines(sums), row, empty_text);
    Table {
        figure: figure(&whose, sums, true),
        ..table
    }
    .with_title(format!("what the time went to: {title}"))
    .with_note(format!("{whose}, from first event to end"))
}

/// Description of a phase on the screen. Of the time in a state, other phases have what is known.
fn description(sum: &PhaseTotal) -> String {
    match sum.reason == TimeReason::State && !sum.description.contains(',') {
        true => format!("{}, unexplained", sum.description),
        false => sum.description.clone(),
    }
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
            name: description(sum),
            mark: BarMark::Length(sum.share),
            text: format!(
                "{:>5}  mean {mean} of {}",
                percent(sum.share),
                sum.instances
            ),
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
            .cell(|line| Cell::Text(description(line.phase)))
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
    let name = format!("{} {}", phase.reason.name(), phase.description);
    let subject = SlowestSubject::Phase(phase.reason, phase.description.clone());
    Row::new(name, cells).with_action(RowAction::Slowest(subject.into()))
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

/// Rows of the instances that spent time in a phase, the longest first.
pub(super) fn spent_lines<'a>(
    snapshot: &'a Snapshot,
    found: &'a EntityInstances,
    sum: Option<&'a PhaseTotal>,
) -> impl Iterator<Item = TimedLine<'a>> {
    let list = sum.map_or(&[][..], |sum| &sum.longest);
    let list = list.iter().map(|(at, took)| TimedInstance {
        at: *at,
        took: *took,
        time: None,
    });
    timed::lines(
        snapshot,
        found,
        list,
        sum.map_or("", |sum| &sum.description),
    )
}

/// Columns of the instances that spent time in a phase.
pub(super) fn spent_columns<'a>() -> Schema<TimedLine<'a>> {
    timed::columns("time_s", "phase").without("time")
}

/// Table of the instances that spent time in a phase, the longest first.
pub(super) fn spent(
    snapshot: &Snapshot,
    found: &EntityInstances,
    sum: Option<&PhaseTotal>,
) -> Table {
    let (schema, lines) = (spent_columns(), spent_lines(snapshot, found, sum));
    let empty_text = "no selected instance has this phase";
    let what = sum.map_or("", |s| s.description.as_str());
    let table = timed::table(snapshot, found, &schema, lines, empty_text)
        .with_title(format!("longest: {what}"));
    match sum.map_or(0, |s| s.instances as usize) {
        all if all > table.rows.len() => {
            table.with_note(format!("of {}", several(all, &found.entity.title)))
        }
        _ => table,
    }
}
