//! Graph of dependencies: rows of its nodes, and of the critical path.

use std::cmp::Ordering;

use serde_json::{Map, Value as Json, json};

use widetui_analysis::Instances;
use widetui_analysis::dag::{CriticalStep, CriticalTotal, DagNode, DrawnDag};
use widetui_core::words::{grouped, several};
use widetui_session::dependencies::DependencyGraph;
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

use super::{InstanceName, instance_columns};
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Row, RowAction, Table};

/// Node with the nodes that it waits for.
pub struct NodeLine<'a> {
    found: &'a Instances,
    node: &'a DagNode,
    /// Nodes that are waited for, with the number of dependencies.
    after: Vec<(&'a DagNode, u64)>,
}

impl NodeLine<'_> {
    /// Style by the states of its instances: failed, not ended, ended.
    fn role(&self) -> Role {
        let entity = &self.found.entity;
        let has = |is: &dyn Fn(&str) -> bool| self.states().any(|(state, _)| is(state));
        match () {
            () if has(&|state| entity.failed_states.iter().any(|s| s == state)) => Role::ErrorText,
            () if has(&|state| !entity.is_final(state)) => Role::Marker,
            () => Role::Muted,
        }
    }

    /// Numbers of its instances by state, in the order of the states.
    fn states(&self) -> impl Iterator<Item = (&str, u64)> {
        self.node.states.iter().map(|(state, n)| {
            let name = state.and_then(|at| self.found.states.get(usize::from(at)));
            (name.map_or("no state", |name| name), *n)
        })
    }
}

/// Rows of the nodes of a graph, by layer.
pub fn node_lines<'a>(found: &'a Instances, drawn: &'a DrawnDag) -> Vec<NodeLine<'a>> {
    let mut after: Vec<Vec<(&DagNode, u64)>> = vec![Vec::new(); drawn.nodes.len()];
    for edge in &drawn.edges {
        if let (Some(list), Some(from)) = (after.get_mut(edge.to), drawn.nodes.get(edge.from)) {
            list.push((from, edge.count));
        }
    }
    let nodes = drawn.nodes.iter().zip(after);
    nodes
        .map(|(node, after)| NodeLine { found, node, after })
        .collect()
}

/// Maximum number of lanes of edges on the screen; edges beyond them are not drawn.
const MAX_LANES: usize = 16;

/// Text without a graph of dependencies, with what a graph needs.
const NO_DEPENDENCIES: &str = "no selected record says that a task or another work item waits for one. \
    A graph needs an entity with `waits_for` in its definition, and records with such keys (`widetui systems schema`)";

/// Table of the nodes of a graph, with the edges as lanes beside them: of each node a lane leads down to those that wait for
/// it. Enter opens the instances of a node.
pub(super) fn table(of: &EntityInstances, graph: &DependencyGraph) -> Table {
    let (found, drawn): (&Instances, &DrawnDag) = (of, &graph.drawn);
    let schema = node_columns();
    let mut columns = schema.columns();
    columns.insert(0, Column::text("").between(1, 2 * MAX_LANES as u16).rank(1));
    let lines = node_lines(found, drawn);
    let rows = lines.iter().zip(lanes(drawn)).map(|(line, lanes)| {
        let mut cells = schema.cells(line);
        cells.insert(0, Cell::Pieces(vec![(lanes, line.role())]));
        let id = |at: &usize| found.id(of.snapshot(), &found.list[*at]);
        let action = match line.node.members.as_slice() {
            [one] => { of.step(*one) }.map_or(RowAction::Nothing, |s| RowAction::Filter(s.into())),
            members => RowAction::Dependencies(members.iter().map(id).collect()),
        };
        Row {
            name: format!("{} {}", line.node.depths.0, line.node.name),
            cells,
            action,
            ..Row::default()
        }
    });
    let rows: Vec<Row> = rows.collect();
    let plural = several(drawn.instances, &found.entity.title);
    let levels = several(drawn.levels as usize, "level");
    let path = format_span(graph.path.duration());
    let note = format!(
        "{plural}, {levels} · critical path (━) {path} through {}",
        graph.path.steps.len()
    );
    let table = Table::new(columns, rows, NO_DEPENDENCIES).with_title("dependencies".to_owned());
    match drawn.nodes.is_empty() {
        true => table,
        false => table.with_note(note),
    }
}

/// Lanes beside each node, from left to right. A node with dependents has a lane from its row to that of the last of them;
/// an edge joins the lane of a node with the row of one that waits for it.
fn lanes(drawn: &DrawnDag) -> Vec<String> {
    let count = drawn.nodes.len();
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut ends: Vec<usize> = vec![0; count];
    for edge in &drawn.edges {
        if edge.from < edge.to && edge.to < count {
            sources[edge.to].push(edge.from);
            ends[edge.from] = ends[edge.from].max(edge.to);
        }
    }
    // Node of each lane.
    let mut taken: Vec<Option<usize>> = Vec::new();
    let mut out = Vec::with_capacity(count);
    for (at, sources) in sources.iter().enumerate() {
        let is_source = |lane: &Option<usize>| lane.is_some_and(|node| sources.contains(&node));
        let joined: Vec<bool> = taken.iter().map(is_source).collect();
        let last = |lane: &Option<usize>| lane.is_some_and(|node| ends[node] == at);
        let before = taken.clone();
        for lane in taken.iter_mut().filter(|lane| last(lane)) {
            *lane = None;
        }
        // The lane of the only node that it waits for goes on as its own.
        let free = { (0..taken.len()).find(|lane| joined[*lane] && taken[*lane].is_none()) }
            .or_else(|| (0..taken.len()).find(|lane| taken[*lane].is_none()))
            .or_else(|| (taken.len() < MAX_LANES).then_some(taken.len()));
        if free == Some(taken.len()) {
            taken.push(None);
        }
        let own = free.unwrap_or(MAX_LANES);
        if own < taken.len() && ends[at] > at {
            taken[own] = Some(at);
        }
        let is_joined = |lane: usize| joined.get(lane) == Some(&true);
        let ends_of_row = (0..joined.len())
            .filter(|lane| is_joined(*lane))
            .chain([own]);
        let (first, last) = ends_of_row.fold((own, own), |(a, b), lane| (a.min(lane), b.max(lane)));
        let mut text = String::new();
        for lane in 0..taken.len().max(own + 1) {
            let goes_on = taken.get(lane).copied().flatten().is_some();
            let was = before.get(lane).copied().flatten().is_some();
            text.push(match (is_joined(lane), goes_on, lane.cmp(&own)) {
                (_, _, Ordering::Equal) => '●',
                (true, true, Ordering::Less) if lane == first => '├',
                (true, false, Ordering::Less) if lane == first => '╰',
                (true, true, Ordering::Greater) if lane == last => '┤',
                (true, false, Ordering::Greater) if lane == last => '╯',
                (true, true, _) => '┼',
                (true, false, _) => '┴',
                (false, true, _) if was => '│',
                _ if (first..last).contains(&lane) => '─',
                _ => ' ',
            });
            text.push(match (first..last).contains(&lane) {
                true => '─',
                false => ' ',
            });
        }
        out.push(text.trim_end().to_owned());
    }
    out
}

/// Columns of the nodes of a graph, on the screen and in the output of `widetui dag`.
pub fn node_columns<'a>() -> Schema<NodeLine<'a>> {
    type Col<'a> = SchemaColumn<NodeLine<'a>>;
    let levels = |node: &DagNode| match node.depths {
        (from, to) if from == to => from.to_string(),
        (from, to) => format!("{from}-{to}"),
    };
    Schema::from(vec![
        Col::text("kind", |_| "node".to_owned()).hidden(),
        Col::count("level", |line| u64::from(line.node.depths.0))
            .cell(move |line| Cell::Text(levels(line.node))),
        Col::count("level_to", |line| u64::from(line.node.depths.1)).hidden(),
        Col::text("group", |line| line.node.name.clone())
            .heading("")
            .cell(|line| {
                let name = match line.node.name.as_str() {
                    "" => "(none)",
                    name => name,
                };
                let mark = if line.node.critical > 0 { "━" } else { " " };
                Cell::Text(match line.node.members.len() {
                    1 => format!("{mark} {name}"),
                    n => format!("{mark} {name} ×{}", grouped(n as u64)),
                })
            }),
        Col::count("count", |line| line.node.members.len() as u64).hidden(),
        Col::object("states", |line| {
            let states = line.states().map(|(name, n)| (name.to_owned(), n.into()));
            states.collect::<Map<String, Json>>()
        })
        .cell(|line| {
            let states = line
                .states()
                .map(|(name, n)| match line.node.members.len() {
                    1 => name.to_owned(),
                    _ => format!("{name} {}", grouped(n)),
                });
            Cell::Styled(states.collect::<Vec<_>>().join(", "), line.role())
        }),
        Col::count("critical", |line| line.node.critical as u64).hidden(),
        Col::nested("after", |line| {
            let after = line
                .after
                .iter()
                .map(|(node, n)| json!({"group": node.name, "level": node.depths.0, "count": n}));
            let names = line.after.iter().map(|(node, _)| node.name.as_str());
            (after.collect::<Json>(), names.collect::<Vec<_>>().join(" "))
        })
        .heading("waits for")
        .cell(|line| {
            let after = line
                .after
                .iter()
                .map(|(node, n)| match (node.members.len(), n) {
                    (1, 1) => node.name.clone(),
                    _ => format!("{} ({})", node.name, grouped(*n)),
                });
            Cell::Text(after.collect::<Vec<_>>().join(", "))
        }),
    ])
}

/// Step of the critical path.
pub struct StepLine<'a> {
    name: InstanceName,
    step: &'a CriticalStep,
}

/// Rows of the steps of the critical path.
pub fn step_lines<'a>(
    snapshot: &Snapshot,
    found: &Instances,
    steps: &'a [CriticalStep],
) -> Vec<StepLine<'a>> {
    let line = |step: &'a CriticalStep| {
        let name = InstanceName::new(snapshot, found, step.instance)?;
        Some(StepLine { name, step })
    };
    steps.iter().filter_map(line).collect()
}

/// Columns of the steps of the critical path, in the output of `widetui dag`.
pub fn step_columns<'a>() -> Schema<StepLine<'a>> {
    type Col<'a> = SchemaColumn<StepLine<'a>>;
    let [id, which, label] = instance_columns(|line: &StepLine<'a>| &line.name);
    let spent = |line: &StepLine<'a>| {
        let phases = line.step.phases.iter();
        phases
            .map(|phase| {
                (
                    phase.description.clone(),
                    phase.end.saturating_sub(phase.start),
                )
            })
            .collect::<Vec<_>>()
    };
    Schema::from(vec![
        Col::text("kind", |_| "step".to_owned()).hidden(),
        id.hidden(),
        which.everywhere(),
        label,
        Col::time("start", |line| line.step.start),
        Col::time("end", |line| line.step.end).hidden(),
        Col::duration("duration_s", |line| {
            line.step.end.saturating_sub(line.step.start)
        })
        .heading("took"),
        Col::nested("phases", move |line| {
            let phases = spent(line).into_iter();
            let phases =
                phases.map(|(what, ns)| json!({"phase": what, "duration_s": ns as f64 / 1e9}));
            (phases.collect::<Json>(), String::new())
        })
        .heading("of which")
        .cell(move |line| {
            let phases = spent(line).into_iter();
            let phases = phases.map(|(what, ns)| format!("{what} {}", format_span(ns)));
            Cell::Text(phases.collect::<Vec<_>>().join(", "))
        }),
    ])
}

/// Time of the critical path in one phase.
pub struct TotalLine<'a> {
    /// Time in the phase.
    pub total: &'a CriticalTotal,
    /// Duration of the critical path, ns.
    pub all: i64,
}

/// Columns of the phases of the critical path, in the output of `widetui dag`.
pub fn total_columns<'a>() -> Schema<TotalLine<'a>> {
    type Col<'a> = SchemaColumn<TotalLine<'a>>;
    Schema::from(vec![
        Col::text("kind", |_| "total".to_owned()).hidden(),
        Col::text("phase", |line| line.total.description.clone())
            .heading("critical path")
            .layout(|c| c.role(Role::Value)),
        Col::text("why", |line| line.total.reason.name().to_owned()).hidden(),
        Col::share("share", |line| {
            line.total.time as f64 / line.all.max(1) as f64
        }),
        Col::duration("total_s", |line| line.total.time).heading("time"),
    ])
}

#[cfg(test)]
mod tests {
    use widetui_analysis::dag::DagEdge;

    use super::*;

    #[test]
    fn a_lane_leads_from_a_node_to_each_that_waits_for_it() {
        let edge = |from: usize, to: usize| DagEdge {
            from,
            to,
            count: 1,
            is_critical: false,
        };
        let drawn = DrawnDag {
            nodes: vec![DagNode::default(); 6],
            edges: vec![edge(0, 2), edge(0, 3), edge(1, 4), edge(2, 4), edge(3, 5)],
            ..DrawnDag::default()
        };
        let expected = ["●", "│ ●", "├─│─●", "● │ │", "│ ●─╯", "●"];
        assert_eq!(lanes(&drawn), expected);
        // An edge against the order, as of a cycle, is left out.
        let back = DrawnDag {
            edges: vec![edge(3, 1)],
            ..drawn
        };
        assert!(lanes(&back).iter().all(|lanes| lanes == "●"));
    }
}
