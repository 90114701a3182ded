//! Table of the number of instances in each state, and of impossible transitions.

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::Entity;
use widetui_analysis::colour;
use widetui_analysis::plot_curve::state_curves;
use widetui_analysis::states::{StateGroup, States};
use widetui_core::words::{key_words, several};
use widetui_query::Field;
use widetui_report::figure::{CurveStyle, Curves, Figure, Panel, TimeOrigin};
use widetui_session::plots::EntityInstances;
use widetui_session::record_texts::Place;
use widetui_store::Snapshot;

use super::counts::{RowGroups, end};

/// Maximum number of listed transitions.
const MOST: usize = 1000;

/// Table of the states at the end, below a plot of the states over time; `by` is the key of the groups.
pub(super) fn table(
    snapshot: &Snapshot,
    instances: &EntityInstances,
    groups: &[StateGroup],
    (by, origin): (Option<&str>, TimeOrigin),
) -> Table {
    match (groups, by) {
        ([one], None) => table_of_all(snapshot, instances, &one.states),
        (groups, by) => {
            let by = (by.unwrap_or_default(), origin);
            table_of_groups(snapshot, instances, groups, by)
        }
    }
}

/// Panel of each group with its states that are not final: those accumulate, and would dwarf them.
fn table_of_groups(
    snapshot: &Snapshot,
    instances: &EntityInstances,
    groups: &[StateGroup],
    (by, origin): (&str, TimeOrigin),
) -> Table {
    let entity = &instances.entity;
    let schema = final_columns(RowGroups::ByKey);
    let lines = groups
        .iter()
        .flat_map(|group| final_lines(snapshot, entity, (&group.name, &group.states)));
    let rows = lines.map(|line| row(entity, line.name(), schema.cells(&line)));
    let panel = |group: &StateGroup| {
        let layers = state_curves(instances, &group.states).into_iter();
        Panel {
            name: match group.name.as_str() {
                "" => "(none)".to_owned(),
                name => name.to_owned(),
            },
            unit: String::new(),
            curves: layers.filter(|c| !entity.is_final(&c.name)).collect(),
        }
    };
    let panels: Vec<Panel> = { groups.iter().map(panel) }
        .filter(|panel| !panel.curves.is_empty())
        .collect();
    let key = key_words(by);
    let rows: Vec<Row> = rows.collect();
    let table = Table::new(schema.columns(), rows, "no selected record reports a state")
        .with_title(format!("at the end, by {key}"));
    match panels.is_empty() {
        true => table,
        false => {
            let title = format!("{} under way by {key}", entity.plural());
            let style = CurveStyle::Areas;
            let curves = Curves { panels, style };
            let figure = Figure::of_curves(title, curves, end(snapshot, origin));
            table.with_figure(figure.with_origin(origin))
        }
    }
}

fn table_of_all(snapshot: &Snapshot, instances: &EntityInstances, states: &States) -> Table {
    let entity = &instances.entity;
    let all: u64 = states.final_counts.iter().sum::<u64>() + states.stateless;
    let order = colour::stacking_order(instances, states);
    let mut seen = order.clone();
    seen.sort_unstable();
    let schema = final_columns(RowGroups::None);
    let range = snapshot.range().unwrap_or_default();
    let line = |at| StateLine {
        entity,
        states,
        group: "",
        at,
        all,
        range,
    };
    let mut rows: Vec<Row> = seen
        .iter()
        .map(|at| row(entity, &states.names[*at], schema.cells(&line(*at))))
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
    let table =
        Table::new(schema.columns(), rows, "no selected record reports a state").with_note(note);
    match seen_any {
        true => {
            let (plural, areas) = (entity.plural(), CurveStyle::Areas);
            let title = format!("{plural} by state");
            let curves = Curves::one(areas, plural, courses);
            let figure = Figure::of_curves(title, curves, end(snapshot, TimeOrigin::Clock));
            table.with_title("at the end").with_figure(figure)
        }
        // Without data a plot of the height of the screen would be blank.
        false => table.with_title(format!("{} by state", entity.plural())),
    }
}

/// State at the end.
pub struct StateLine<'a> {
    entity: &'a Entity,
    states: &'a States,
    /// Group of the instances; may be empty.
    group: &'a str,
    at: usize,
    /// Number of all instances.
    all: u64,
    /// Time range of the run, UTC ns.
    range: (i64, i64),
}

impl StateLine<'_> {
    fn name(&self) -> &String {
        &self.states.names[self.at]
    }

    fn count(&self) -> u64 {
        self.states.final_counts[self.at]
    }

    fn share(&self) -> f64 {
        self.count() as f64 / self.all.max(1) as f64
    }

    /// Time at which most instances were in the state, UTC ns, and their number.
    fn most(&self) -> Option<(i64, i64)> {
        self.states.series[self.at].max()
    }
}

/// Rows of the states that instances of a group are in at the end.
pub fn final_lines<'a>(
    snapshot: &Snapshot,
    entity: &'a Entity,
    (group, states): (&'a str, &'a States),
) -> impl Iterator<Item = StateLine<'a>> {
    let range = snapshot.range().unwrap_or_default();
    let all = states.final_counts.iter().sum::<u64>() + states.stateless;
    let lines = (0..states.names.len()).map(move |at| StateLine {
        entity,
        states,
        group,
        at,
        all,
        range,
    });
    lines.filter(|line| line.count() > 0)
}

/// Columns of the states at the end, on the screen and in the output of `widetui states --final`.
pub fn final_columns<'a>(groups: RowGroups) -> Schema<StateLine<'a>> {
    type Col<'a> = SchemaColumn<StateLine<'a>>;
    let columns = vec![
        Col::text("state", |line| line.name().clone())
            .style(|line| {
                let entity = line.entity;
                match (
                    entity.failed_states.contains(line.name()),
                    entity.is_final(line.name()),
                ) {
                    (true, _) => Role::ErrorText,
                    (_, true) => Role::Text,
                    _ => Role::Strong,
                }
            })
            .layout(|c| c.between(10, 70)),
        Col::count("count", StateLine::count),
        Col::share("share", StateLine::share).layout(|c| c.rank(3).role(Role::Muted)),
        Col::drawn(Column::bar("", 30).between(6, 30).rank(2), |line| {
            Cell::Bar(line.share())
        }),
        Col::count("most", |line| line.most().map(|m| m.1.max(0) as u64)).layout(|c| c.rank(1)),
        Col::time("most_at", |line| line.most().map(|m| m.0))
            .heading("when")
            .layout(|c| c.rank(4)),
        Col::mean("time_s", |line| {
            let (from, to) = line.range;
            let is_final = line.entity.is_final(line.name());
            (!is_final).then(|| line.states.series[line.at].integral(from, to))
        })
        .heading("time, summed")
        .cell(|line| match line.entity.is_final(line.name()) {
            true => Cell::Text("final".to_owned()),
            false => {
                let (from, to) = line.range;
                Cell::Span(line.states.series[line.at].integral(from, to) as i64)
            }
        })
        .layout(|c| c.rank(5)),
    ];
    let schema = Schema::from(columns);
    match groups {
        RowGroups::None => schema,
        RowGroups::ByKey | RowGroups::FromStart => {
            schema.after(Col::text("group", |line| line.group.to_owned()))
        }
    }
}

fn row(entity: &Entity, name: &str, cells: Vec<Cell>) -> Row {
    let pivots = entity.state_key.iter();
    let pivots = pivots.map(|key| PivotValue::key(Field::key(key), "state", name));
    Row {
        name: name.to_owned(),
        cells,
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
