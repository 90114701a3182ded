//! Graph of dependencies: rows of its nodes, and of the critical path.

use serde_json::{Map, Value as Json, json};

use widetui_analysis::Instances;
use widetui_analysis::dag::{CriticalStep, CriticalTotal, DagNode, DrawnDag};
use widetui_core::words::grouped;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

use super::plotted::{InstanceName, instance_columns};
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::Cell;

/// Node with the nodes that it waits for.
pub struct NodeLine<'a> {
    found: &'a Instances,
    node: &'a DagNode,
    /// Nodes that are waited for, with the number of dependencies.
    after: Vec<(&'a DagNode, u64)>,
}

impl NodeLine<'_> {
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

/// Columns of the nodes of a graph, in the output of `widetui dag`.
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
            Cell::Text(states.collect::<Vec<_>>().join(", "))
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
