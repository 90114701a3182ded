//! Table of the number of instances in each state, and of impossible transitions.

use crate::plots::Plot;
use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::colour;
use widetui_analysis::plot_curve::state_curves;
use widetui_analysis::states::States;
use widetui_core::words::several;
use widetui_query::Field;
use widetui_session::plots::EntityInstances;
use widetui_session::record_texts::Place;
use widetui_store::Snapshot;

/// Maximum number of listed transitions.
const MOST: usize = 1000;

pub(super) fn table(snapshot: &Snapshot, instances: &EntityInstances, states: &States) -> Table {
    let entity = &instances.entity;
    let all: u64 = states.final_counts.iter().sum::<u64>() + states.stateless;
    let order = colour::stacking_order(instances, states);
    let mut seen = order.clone();
    seen.sort_unstable();
    let mut rows: Vec<Row> = seen
        .iter()
        .map(|at| row(snapshot, instances, states, *at, all))
        .collect();
    if states.stateless > 0 {
        rows.push(Row {
            cells: vec![
                Cell::Text("no state reported".to_owned()),
                Cell::Count(states.stateless),
            ],
            is_faint: true,
            ..Row::default()
        });
    }
    rows.extend(impossible(snapshot, instances, states));
    let seen_any = !order.is_empty();
    let courses = state_curves(instances, states);
    let mut note = several(all as usize, &entity.title);
    if instances.other_states > 0 {
        note = format!("{note} · {}", instances.states_note());
    }
    if !states.impossible.is_empty() {
        let n = grouped(states.impossible.len() as u64);
        let changes = match states.impossible.len() {
            1 => "change",
            _ => "changes",
        };
        note = format!("{note} · {n} impossible {changes}");
    }
    let table = Table::new(columns(), rows, "no selected record reports a state").with_note(note);
    match seen_any {
        true => table.with_title("at the end").with_plot(
            format!("{} by state", entity.plural()),
            Plot::Stacked(courses),
        ),
        // Without data a plot of the height of the screen would be blank.
        false => table.with_title(format!("{} by state", entity.plural())),
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("state").between(10, 70),
        Column::number("count"),
        Column::number("share").rank(3).role(Role::Muted),
        Column::bar("", 30).between(6, 30).rank(2),
        Column::number("most").rank(1),
        Column::time("when").rank(4),
        Column::number("time, summed").rank(5),
    ]
}

fn row(
    snapshot: &Snapshot,
    instances: &EntityInstances,
    states: &States,
    at: usize,
    all: u64,
) -> Row {
    let entity = &instances.entity;
    let (from, to) = snapshot.range().unwrap_or_default();
    let (name, series) = (&states.names[at], &states.series[at]);
    let most = series.max();
    let share = states.final_counts[at] as f64 / all.max(1) as f64;
    let role = match (entity.failed_states.contains(name), entity.is_final(name)) {
        (true, _) => Role::ErrorText,
        (_, true) => Role::Text,
        _ => Role::Strong,
    };
    let pivots = entity.state_key.iter();
    let pivots = pivots.map(|key| PivotValue::key(Field::key(key), "state", name.clone()));
    Row {
        name: name.clone(),
        cells: vec![
            Cell::Styled(name.clone(), role),
            Cell::Count(states.final_counts[at]),
            Cell::Share(share),
            Cell::Bar(share),
            most.map_or(Cell::Empty, |m| Cell::Count(m.1.max(0) as u64)),
            most.map_or(Cell::Empty, |m| Cell::Time(m.0)),
            match entity.is_final(name) {
                true => Cell::Text("final".to_owned()),
                false => Cell::Span(series.integral(from, to) as i64),
            },
        ],
        action: match entity.state_key {
            Some(_) => RowAction::Pivot,
            None => RowAction::Nothing,
        },
        pivots: pivots.collect(),
        is_faint: false,
    }
}

fn impossible(snapshot: &Snapshot, instances: &EntityInstances, states: &States) -> Vec<Row> {
    let list = states.impossible.iter().take(MOST);
    list.filter_map(|i| {
        let instance = instances.list.get(i.instance)?;
        let event = snapshot.event(i.event)?;
        let name = |state: u16| states.names.get(usize::from(state));
        let what = format!(
            "{}: {} after {} (final)",
            instances.title(instance),
            name(i.to)?,
            name(i.from)?
        );
        let mut cells = vec![Cell::Empty; 7];
        cells[0] = Cell::Styled(what.clone(), Role::WarningText);
        cells[5] = Cell::time(i.time);
        Some(Row {
            name: what,
            cells,
            action: RowAction::Event(Place::from_event(&event)),
            pivots: super::instance_pivots(snapshot, instances, instance),
            is_faint: false,
        })
    })
    .collect()
}
