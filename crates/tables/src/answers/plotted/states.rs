//! Table of the number of instances in each state, and of impossible transitions.

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use widetui_analysis::Entity;
use widetui_analysis::colour;
use widetui_analysis::plot_curve::state_curves;
use widetui_analysis::state_members::StateMembers;
use widetui_analysis::states::{StateGroup, States};
use widetui_core::words::{key_words, several};
use widetui_query::Field;
use widetui_report::figure::{CurveStyle, Curves, Figure, Panel};
use widetui_session::plots::{InstanceSet, StateData};
use widetui_session::record_texts::Place;
use widetui_store::Snapshot;

use super::counts::{RowGroups, end};

/// Maximum number of listed transitions.
const MOST: usize = 1000;

/// Table of the states at the end, below a plot of the states over time; `by` is the key of the groups.
pub(super) fn table(snapshot: &Snapshot, data: &StateData) -> Table {
    let (instances, groups, by) = (&data.of, &data.groups, data.by.as_deref());
    let (entity, key) = (&instances.entity, by.map(key_words));
    let schema = final_columns(by.map_or(RowGroups::None, |_| RowGroups::ByKey));
    // Without groups also the states that no instance is in at the end.
    let lines = groups.iter().flat_map(|group| {
        let seen = colour::stacking_order(instances, &group.states);
        let lines = lines(snapshot, entity, group);
        lines.filter(move |line| match by {
            Some(_) => line.count() > 0,
            None => seen.contains(&line.at),
        })
    });
    let rows = lines.map(|line| row(data, &line, schema.cells(&line)));
    let mut rows: Vec<Row> = rows.collect();
    let columns = schema.columns();
    let blank = || vec![Cell::Empty; columns.len()];
    let first = usize::from(by.is_some());
    let stateless: u64 = groups.iter().map(|group| group.states.stateless).sum();
    if stateless > 0 {
        let mut cells = blank();
        cells[first] = Cell::Text("no state reported".to_owned());
        cells[first + 1] = Cell::Count(stateless);
        rows.push(Row::new("", cells).faint(true));
    }
    let bad = groups.iter().flat_map(|group| {
        let bad = group.states.impossible.iter();
        bad.map(|change| (&group.states.names, change))
    });
    let impossible = bad.clone().count();
    rows.extend(bad.take(MOST).filter_map(|(names, change)| {
        let instance = instances.list.get(change.instance)?;
        let event = snapshot.event(change.event)?;
        let name = |state: u16| names.get(usize::from(state));
        let (to, from) = (name(change.to)?, name(change.from)?);
        let what = format!("{}: {to} after {from} (final)", instances.title(instance));
        let mut cells = blank();
        cells[first] = Cell::Styled(what.clone(), Role::WarningText);
        cells[first + 5] = Cell::time(change.time);
        let pivots = super::instance_pivots(snapshot, instances, instance);
        let row = Row::new(what, cells).with_pivots(pivots);
        Some(row.with_action(RowAction::Event(Place::from_event(&event))))
    }));
    let all: u64 = groups.iter().map(|group| total(&group.states)).sum();
    let mut note = several(all as usize, &entity.title);
    if instances.other_states > 0 {
        note = format!("{note} · {}", instances.states_note());
    }
    if impossible > 0 {
        let changes = several(impossible, "impossible change");
        note = format!("{note} · {changes}");
    }
    let plural = entity.plural();
    let title = match &key {
        Some(key) => format!("{plural} under way by {key}"),
        None => format!("{plural} by state"),
    };
    let figure = figure(snapshot, data, &title);
    let table = Table::new(columns, rows, "no selected record reports a state").with_note(note);
    // Without data a plot of the height of the screen would be blank.
    match (figure.is_empty(), key) {
        (false, Some(key)) => table
            .with_title(format!("at the end, by {key}"))
            .with_figure(figure),
        (false, None) => table.with_title("at the end").with_figure(figure),
        (true, _) => table.with_title(title),
    }
}

/// Areas of the states; of groups each in a panel with its states that are not final: those accumulate, and would dwarf them.
fn figure(snapshot: &Snapshot, data: &StateData, title: &str) -> Figure {
    let (entity, by) = (&data.of.entity, &data.by);
    let panel = |group: &StateGroup| {
        let layers = state_curves(&data.of, &group.states).into_iter();
        let (name, unit) = match (by, group.name.as_str()) {
            (None, _) => (String::new(), entity.plural()),
            (Some(_), "") => ("(none)".to_owned(), String::new()),
            (Some(_), name) => (name.to_owned(), String::new()),
        };
        Panel {
            name,
            unit,
            curves: { layers.filter(|c| by.is_none() || !entity.is_final(&c.name)) }.collect(),
        }
    };
    let panels = data.groups.iter().map(panel);
    let curves = Curves {
        panels: panels.filter(|panel| !panel.curves.is_empty()).collect(),
        style: CurveStyle::Areas,
    };
    Figure::of_curves(title, curves, end(snapshot, data.origin)).with_origin(data.origin)
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
    /// Origin of the times of `states`, UTC ns: the start of the run, or 0.
    origin: i64,
    /// Time range of the data, since `origin`, ns.
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
        let (time, number) = self.states.series[self.at].max()?;
        Some((time.saturating_add(self.origin), number))
    }
}

/// Number of all instances.
fn total(states: &States) -> u64 {
    states.final_counts.iter().sum::<u64>() + states.stateless
}

/// Rows of the states of a group.
fn lines<'a>(
    snapshot: &Snapshot,
    entity: &'a Entity,
    group: &'a StateGroup,
) -> impl Iterator<Item = StateLine<'a>> + use<'a> {
    let (from, to) = snapshot.range().unwrap_or_default();
    let StateGroup {
        name,
        states,
        start,
    } = group;
    let origin = start.unwrap_or_default();
    let range = (from.saturating_sub(origin), to.saturating_sub(origin));
    let all = total(states);
    (0..states.names.len()).map(move |at| StateLine {
        entity,
        states,
        group: name,
        at,
        all,
        origin,
        range,
    })
}

/// Rows of the states that instances of a group are in at the end.
pub(super) fn final_lines<'a>(
    snapshot: &Snapshot,
    entity: &'a Entity,
    group: &'a StateGroup,
) -> impl Iterator<Item = StateLine<'a>> + use<'a> {
    lines(snapshot, entity, group).filter(|line| line.count() > 0)
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
            true => Cell::Empty,
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

fn row(data: &StateData, line: &StateLine<'_>, cells: Vec<Cell>) -> Row {
    let (entity, name) = (line.entity, line.name());
    let pivots = entity.state_key.iter();
    let pivots = pivots.map(|key| PivotValue::key(Field::key(key), "state", name.clone()));
    let is_own = |of: &&StateMembers| of.state == line.at && of.group.name == line.group;
    let set = { data.members.iter().find(is_own) }.map(|of| InstanceSet {
        of: data.of.clone(),
        members: of.group.members.clone(),
        label: {
            let members = several(of.group.members.len(), &entity.title);
            format!("{members} {name} {}", line.group)
                .trim_end()
                .to_owned()
        },
    });
    // The name of a curve, whose symbol stands in front.
    let name = format!("{} {name}", line.group);
    let row = Row::new(name.trim_start(), cells).with_pivots(pivots);
    row.with_action(set.map(|set| RowAction::Members(set.into())))
}
