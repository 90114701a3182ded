//! Where the time goes: the steps in the life of things, and the things for which a step took longest.

use crate::analysis::Instances;
use crate::analysis::clocks::Apart;
use crate::analysis::latency::{Latency, StepLatency};
use crate::analysis::slowest::{Slowest, StepOf};
use crate::base::words::several;
use crate::query::{Expr, Field};
use crate::store::Snapshot;
use crate::ui::plots::state::SlowIn;
use crate::ui::table::percent;
use crate::ui::table::{Cell, Column, CommonField, Cut, Row, RowGoal, Table};
use crate::ui::text::{cut, grouped};
use crate::ui::theme::Role;
use crate::workspace::plots::Picked;
use crate::workspace::selection::SelectionStep;

use super::{differ, last_part, spread, times};

/// From this share of all time on a step stands out.
const STANDS_OUT: f64 = 0.1;
/// Columns of the name of a step in the line above.
const NAMED: usize = 20;
/// Steps that fewer have than this share are drawn faint.
const RARE: f64 = 0.05;

pub(super) fn table(
    instances: &Instances,
    data: &Latency,
    by: Option<&str>,
    clocks: Option<&Apart>,
) -> Table {
    let total: f64 = data.rows.iter().map(StepLatency::part).sum();
    let longest = data.rows.iter().filter_map(|r| r.step.map(|s| s.max));
    let longest = longest.fold(0.0, f64::max);
    // Where the time goes comes first, then what takes next to none of it; each in the order in which it happens.
    let telling = data.telling();
    let mut order: Vec<usize> = (0..data.rows.len()).collect();
    order.sort_by_key(|at| !telling[*at]);
    let ordered = order.iter().filter_map(|at| data.rows.get(*at));
    let rows = ordered.map(|r| row(data, r, by, (total, longest)));
    let rows: Vec<Row> = rows.collect();
    let title = &instances.entity.title;
    let mut note = several(data.instances as usize, title);
    // The answer to the question that the title asks.
    let most = data.longest();
    let row_of = |at: usize| data.rows.get(at);
    if let Some(most) = most
        .and_then(row_of)
        .filter(|row| row.part() >= STANDS_OUT * total)
    {
        let share = percent(most.part() / total);
        note = format!(
            "{note} · {share} before “{}”",
            cut(&StepOf::of(data, most).name(), NAMED)
        );
    }
    if data.left_out > 0 {
        let n = grouped(data.left_out);
        note = format!("{note} · {n} repeated events left out");
    }
    if data.goes_back() {
        note = match clocks {
            Some(apart) => format!("{note} · negative: {}", differ(apart)),
            None => format!("{note} · negative: came earlier"),
        };
    }
    let is_rare = |r: &StepLatency| r.share < RARE && r.part() < STANDS_OUT * total;
    if data.rows.iter().any(is_rare) {
        note = format!("{note} · dim: rare");
    }
    let small = telling.iter().filter(|tells| !**tells).count();
    if small > 0 {
        let small = several(small, "step");
        note = format!("{note} · {small} of <0.1 % last");
    }
    let start = most.and_then(|most| order.iter().position(|at| *at == most));
    let apart = by.map_or(String::new(), |by| format!(" by {by}"));
    Table::new(columns(by), rows, "no selected record is about one")
        .titled(format!("where the time goes: {title}{apart}"))
        .noted(note)
        .beginning_at(start.unwrap_or(0))
}

fn columns(by: Option<&str>) -> Vec<Column> {
    // Steps of one name differ in the number at their end.
    let mut columns = vec![Column::text("step").between(18, 90).cut(Cut::Middle)];
    if by.is_some() {
        columns.push(Column::text("of").between(6, 24).role(Role::Value));
    }
    columns.extend([
        Column::number("n").rank(3),
        Column::number("have it").rank(7).role(Role::Muted),
        Column::number("at").rank(6).role(Role::Muted),
        // How long it takes is what the view is about: a step and nothing else says that least.
        Column::number("mean"),
        Column::number("p50").rank(3),
        Column::number("p95").rank(2),
        Column::number("max").rank(5),
        Column::bar("p50 · p95 · max", 50).between(15, 50).rank(8),
        Column::number("of all").rank(1).role(Role::Muted),
        Column::bar("", 14).between(5, 14).rank(4),
    ]);
    columns
}

fn row(data: &Latency, row: &StepLatency, by: Option<&str>, (total, longest): (f64, f64)) -> Row {
    let share = if total > 0.0 { row.part() / total } else { 0.0 };
    let step = StepOf::of(data, row);
    let role = match share {
        s if s >= STANDS_OUT => Role::Strong,
        _ if row.share < RARE => Role::Faint,
        _ => Role::Text,
    };
    let [mean, p50, p95, max] = times(row.step.as_ref());
    let template = row.template.clone();
    let mut cells = vec![Cell::Styled(step.name(), role)];
    let mut same = vec![CommonField::key(
        Field::Template,
        "template",
        template.clone(),
    )];
    let value = by.map(|by| (by, row.split.first().cloned().unwrap_or_default()));
    if let Some((by, value)) = &value {
        cells.push(Cell::Text(value.clone()));
        if !value.is_empty() {
            same.push(CommonField::key(
                Field::named(by),
                last_part(by),
                value.clone(),
            ));
        }
    }
    cells.extend([
        Cell::Count(row.instances),
        Cell::Share(row.share),
        Cell::Span(row.offset.mean as i64),
        mean,
        p50,
        p95,
        max,
        spread(row.step.as_ref(), longest),
        Cell::Share(share),
        Cell::Bar(share),
    ]);
    let (told, goal) = match value {
        // The slowest of a step are those of all values.
        None => (String::new(), RowGoal::Slowest(SlowIn::Step(step))),
        Some((by, value)) => {
            let label = format!("{} {value}", last_part(by));
            let template = Expr::equals(Field::Template, template.as_str());
            let own = Expr::equals(Field::named(by), value.as_str());
            let expr = match value.is_empty() {
                true => template,
                false => Expr::all_of([template, own]),
            };
            (value, RowGoal::Filter(SelectionStep::new(label, expr)))
        }
    };
    Row {
        name: format!("{} {template} {told}", row.occurrence),
        cells,
        goal,
        same,
        is_faint: false,
    }
}

pub(super) fn slowest(snapshot: &Snapshot, instances: &Picked, data: &Slowest) -> Table {
    let longest = data.list.first().map_or(1, |s| s.took.max(1)) as f64;
    let rows = data.list.iter().filter_map(|slow| {
        let instance = instances.list.get(slow.instance)?;
        let step = instances.step(slow.instance)?;
        let places = instances.places(snapshot, instance);
        let places = places.iter().map(|(k, v)| format!("{} {v}", last_part(k)));
        let places: Vec<String> = places.collect();
        Some(Row {
            name: step.label.clone(),
            cells: vec![
                Cell::Text(step.label.clone()),
                Cell::Text(instances.label(snapshot, instance).unwrap_or_default()),
                Cell::Span(slow.took),
                Cell::Bar(slow.took.max(0) as f64 / longest),
                Cell::Time(slow.at),
                Cell::Text(places.join(" · ")),
            ],
            goal: RowGoal::Filter(step),
            same: super::same(snapshot, instances, instance),
            is_faint: false,
        })
    });
    let rows: Vec<Row> = rows.collect();
    let columns = vec![
        Column::text("which").between(8, 30),
        Column::text("what")
            .between(6, 30)
            .rank(2)
            .role(Role::Value),
        Column::number("took"),
        Column::bar("", 40).between(6, 40).rank(1),
        Column::time("at").rank(3),
        Column::text("where")
            .between(10, 90)
            .rank(4)
            .role(Role::Muted),
    ];
    let from = match &data.step.from {
        Some((from, _)) => format!("“{from}”"),
        None => "the first record".to_owned(),
    };
    let nothing = "none of the selected ones has this step";
    Table::new(columns, rows, nothing)
        .titled(format!("slowest to “{}”", data.step.to.0))
        .noted(format!("from {from}"))
}
