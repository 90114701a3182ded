//! Where the time goes: the steps in the life of things, and the things for which a step took longest.

use crate::analysis::clocks::Apart;
use crate::analysis::latency::{Latency, SMALL, StepLatency};
use crate::analysis::slowest::{Slowest, StepOf};
use crate::base::words::several;
use crate::query::{Expr, Field};
use crate::store::Snapshot;
use crate::ui::plots::state::SlowIn;
use crate::ui::table::percent;
use crate::ui::table::{Cell, Column, CommonField, Cut, Row, RowGoal, Table};
use crate::ui::text::{cut, grouped};
use crate::ui::theme::Role;
use crate::workspace::plots::{Picked, Unended};
use crate::workspace::selection::SelectionStep;

use super::{differ, last_part, spread, times};

/// From this share of all time on a step stands out.
const STANDS_OUT: f64 = 0.1;
/// Columns of the name of a step in the line above.
const NAMED: usize = 20;

/// Of many things that are stuck so many are looked for when one looks closer.
const MOST_STUCK: usize = 500;

/// A line of the table: of a step, or of what is stuck behind one.
#[derive(Clone, Copy)]
enum Line<'a> {
    Step(usize),
    Stuck(usize, &'a Unended),
}

pub(super) fn table(
    found: &Picked,
    (data, stuck): (&Latency, &[Unended]),
    by: Option<&str>,
    clocks: Option<&Apart>,
) -> Table {
    let part_of = |stuck: &Unended| stuck.since.total / data.instances.max(1) as f64;
    let total: f64 = data.rows.iter().map(StepLatency::part).sum();
    let total = total + stuck.iter().map(part_of).sum::<f64>();
    let longest = data.rows.iter().filter_map(|r| r.step.map(|s| s.max));
    let longest = longest
        .chain(stuck.iter().map(|s| s.since.max))
        .fold(0.0, f64::max);
    let telling = data.telling();
    let part = |line: &Line<'_>| match line {
        Line::Step(at) => data.rows.get(*at).map_or(0.0, StepLatency::part),
        Line::Stuck(_, stuck) => part_of(stuck),
    };
    let tells = |line: &Line<'_>| match line {
        Line::Step(at) => telling.get(*at).copied().unwrap_or(true),
        Line::Stuck(..) => part(line) >= SMALL * total,
    };
    // Where the time goes comes first, then what takes next to none of it; each in the order in which it happens.
    let place = |stuck: &Unended| {
        let is_it = |row: &StepLatency| (&row.template, row.occurrence) == (&stuck.after.0, stuck.after.1);
        data.rows.iter().position(is_it).unwrap_or(data.rows.len())
    };
    let steps = (0..data.rows.len()).map(|at| (at, Line::Step(at)));
    let behind = stuck.iter().map(|s| (place(s), Line::Stuck(place(s), s)));
    let mut lines: Vec<(usize, Line<'_>)> = steps.chain(behind).collect();
    lines.sort_by_key(|(at, line)| (!tells(line), *at, matches!(line, Line::Stuck(..))));
    let rows = lines.iter().filter_map(|(_, line)| match line {
        Line::Step(at) => Some(row(data, data.rows.get(*at)?, by, (total, longest), tells(line))),
        Line::Stuck(at, stuck) => {
            let offset = data.rows.get(*at).map(|r| r.offset.mean);
            Some(stuck_row(found, data, stuck, offset, (part(line) / total.max(1.0), longest)))
        }
    });
    let rows: Vec<Row> = rows.collect();
    let title = &found.entity.title;
    let mut note = several(data.instances as usize, title);
    // The answer to the question that the title asks.
    let most = lines.iter().enumerate().filter(|(_, (_, line))| part(line) > 0.0);
    let most = most.max_by(|a, b| part(&a.1.1).total_cmp(&part(&b.1.1)));
    if let Some((_, (_, line))) = most.filter(|(_, (_, line))| part(line) >= STANDS_OUT * total) {
        let share = percent(part(line) / total);
        let told = match line {
            Line::Step(at) => data.rows.get(*at).map(|row| {
                format!("before “{}”", cut(&StepOf::of(data, row).name(), NAMED))
            }),
            Line::Stuck(_, stuck) => Some(format!("{} stuck", still(stuck.things.len()))),
        };
        note = format!("{note} · {share} {}", told.unwrap_or_default());
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
    let small = lines.iter().filter(|(_, line)| !tells(line)).count();
    if small > 0 {
        let small = several(small, "step");
        note = format!("{note} · dim: {small} of <0.1 %, in their order");
    }
    let start = most.map_or(0, |(at, _)| at);
    let apart = by.map_or(String::new(), |by| format!(" by {by}"));
    Table::new(columns(by), rows, "no selected record is about one")
        .titled(format!("where the time goes: {title}{apart}"))
        .noted(note)
        .beginning_at(start)
}

/// How many of them are what they are.
fn still(n: usize) -> String {
    match n {
        1 => "in the one that is".to_owned(),
        n => format!("in {} that are", grouped(n as u64)),
    }
}

fn columns(by: Option<&str>) -> Vec<Column> {
    // Steps of one name differ in the number at their end.
    let mut columns = vec![Column::text("step").between(18, 90).cut(Cut::Middle)];
    if by.is_some() {
        columns.push(Column::text("of").between(6, 24).role(Role::Value));
    }
    columns.extend([
        Column::number("n").rank(4),
        Column::number("have it").rank(7).role(Role::Muted),
        // In which order they come can be seen where it stands.
        Column::number("at").rank(2).role(Role::Muted),
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

/// What things are called that are stuck behind a step.
const STUCK: &str = "→ nothing more";

/// How long those have been where they are that are stuck behind a step.
fn stuck_row(
    found: &Picked,
    data: &Latency,
    stuck: &Unended,
    offset: Option<f64>,
    (share, longest): (f64, f64),
) -> Row {
    let step = StepOf {
        to: stuck.after.clone(),
        from: None,
    };
    let [mean, p50, p95, max] = times(Some(&stuck.since));
    let n = stuck.things.len();
    let steps = stuck.things.iter().take(MOST_STUCK);
    let mut steps: Vec<SelectionStep> = steps.filter_map(|at| found.step(*at)).collect();
    let goal = match steps.len() {
        0 => RowGoal::Nothing,
        1 => RowGoal::Filter(steps.swap_remove(0)),
        shown => {
            let label = several(shown, &found.entity.title);
            let exprs = steps.into_iter().map(|step| step.expr);
            RowGoal::Filter(SelectionStep::new(
                format!("{label} that stopped"),
                Expr::any_of(exprs),
            ))
        }
    };
    let name = format!("{} {STUCK}", step.name());
    Row {
        cells: vec![
            Cell::Styled(name.clone(), Role::WarningText),
            Cell::Count(n as u64),
            Cell::Share(n as f64 / data.instances.max(1) as f64),
            offset.map_or(Cell::Unknown, |offset| Cell::Span(offset as i64)),
            mean,
            p50,
            p95,
            max,
            spread(Some(&stuck.since), longest),
            Cell::Share(share),
            Cell::Bar(share),
        ],
        name,
        goal,
        same: vec![CommonField::key(
            Field::Template,
            "template",
            stuck.after.0.clone(),
        )],
        is_faint: false,
    }
}

fn row(
    data: &Latency,
    row: &StepLatency,
    by: Option<&str>,
    (total, longest): (f64, f64),
    tells: bool,
) -> Row {
    let share = if total > 0.0 { row.part() / total } else { 0.0 };
    let step = StepOf::of(data, row);
    let role = match share {
        s if s >= STANDS_OUT => Role::Strong,
        _ if tells => Role::Text,
        _ => Role::Muted,
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
