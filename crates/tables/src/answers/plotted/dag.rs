//! Graph of dependencies: rows of its nodes, and of the critical path.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json, json};

use widetui_analysis::Instances;
use widetui_analysis::account::Phase;
use widetui_analysis::dag::{CriticalStep, CriticalTotal, DagNode, DrawnDag};
use widetui_core::words::{grouped, several};
use widetui_report::figure::{Figure, Graph, Plot};
use widetui_session::dependencies::DependencyGraph;
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

use super::{InstanceName, instance_columns};
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Row, RowAction, RowLinks, Table};

/// Node with the nodes that it waits for.
pub struct NodeLine<'a> {
    found: &'a Instances,
    node: &'a DagNode,
    /// Nodes that are waited for, with the number of dependencies.
    after: Vec<(&'a DagNode, u64)>,
    /// Phases of the critical path within the node, with their time in ns, the longest first.
    critical: Vec<(&'a str, i64)>,
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

    /// Time of the critical path within the node, ns; `None` beside the path.
    fn critical_time(&self) -> Option<i64> {
        let times = self.critical.iter().map(|(_, time)| *time);
        (self.node.critical > 0).then(|| times.fold(0, i64::saturating_add))
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
pub fn node_lines<'a>(found: &'a Instances, graph: &'a DependencyGraph) -> Vec<NodeLine<'a>> {
    let DependencyGraph { drawn, path } = graph;
    let mut phases: Vec<BTreeMap<&str, i64>> = vec![BTreeMap::new(); drawn.nodes.len()];
    let steps: FxHashMap<usize, &CriticalStep> = path
        .steps
        .iter()
        .map(|step| (step.instance, step))
        .collect();
    for (node, phases) in drawn
        .nodes
        .iter()
        .zip(&mut phases)
        .filter(|n| n.0.critical > 0)
    {
        let steps = node.members.iter().filter_map(|at| steps.get(at));
        for phase in steps.flat_map(|step| &step.phases) {
            let sum = phases.entry(&phase.description).or_default();
            *sum = sum.saturating_add(phase.end.saturating_sub(phase.start));
        }
    }
    let mut after: Vec<Vec<(&DagNode, u64)>> = vec![Vec::new(); drawn.nodes.len()];
    for edge in &drawn.edges {
        if let (Some(list), Some(from)) = (after.get_mut(edge.to), drawn.nodes.get(edge.from)) {
            list.push((from, edge.count));
        }
    }
    let nodes = drawn.nodes.iter().zip(after).zip(phases);
    let line = |((node, after), phases): ((&'a DagNode, _), BTreeMap<&'a str, i64>)| {
        let mut critical: Vec<(&str, i64)> = phases.into_iter().collect();
        critical.sort_by_key(|(_, time)| Reverse(*time));
        NodeLine {
            found,
            node,
            after,
            critical,
        }
    };
    nodes.map(line).collect()
}

/// Maximum number of lanes of edges on the screen; of edges beyond them only those of critical and open nodes are drawn.
const MAX_LANES: usize = 12;
/// Number of further lanes for critical and open nodes.
const RESERVED_LANES: usize = 4;

/// Text without a graph of dependencies, with what a graph needs.
const NO_DEPENDENCIES: &str = "no selected record says that a task or another work item waits for one. \
    A graph needs an entity with `waits_for` in its definition, and records with such keys (`widetui systems schema`)";

/// Table of the nodes of a graph, with the edges as lanes beside them: of each node a lane leads down to those that wait for
/// it. Enter opens the instances of a node.
pub(super) fn table(of: &EntityInstances, graph: &DependencyGraph) -> Table {
    let (found, drawn): (&Instances, &DrawnDag) = (of, &graph.drawn);
    let schema = node_columns();
    let mut columns = schema.columns();
    let lines = node_lines(found, graph);
    let is_first = |line: &NodeLine<'_>| line.node.critical > 0 || line.role() == Role::Marker;
    let lanes = lanes(drawn, &lines.iter().map(is_first).collect::<Vec<_>>());
    // Lanes that are cut say nothing: the column has their width or is hidden.
    let widest = lanes.iter().map(|lanes| lanes.chars().count()).max();
    let width = widest.unwrap_or(1) as u16;
    columns.insert(0, Column::text("").between(width, width).rank(1));
    let rows = lines.iter().zip(lanes).map(|(line, lanes)| {
        let mut cells = schema.cells(line);
        cells.insert(0, Cell::Pieces(lane_pieces(&lanes, line.role())));
        let id = |at: &usize| found.id(of.snapshot(), &found.list[*at]);
        let action = match line.node.members.as_slice() {
            [one] => { of.step(*one) }.map_or(RowAction::Nothing, |s| RowAction::Filter(s.into())),
            members => {
                // A row is best shown by a member that failed or did not end.
                let mut members: Vec<&usize> = members.iter().collect();
                members.sort_by_cached_key(|at| {
                    let one = &found.list[**at];
                    let standing = found.standing(of.snapshot(), one);
                    (
                        !found.has_failed(one, &standing),
                        !found.is_open(one, &standing),
                    )
                });
                RowAction::Dependencies(members.into_iter().map(id).collect())
            }
        };
        let name = format!("{} {}", line.node.depths.0, line.node.name);
        Row::new(name, cells).with_action(action)
    });
    let rows: Vec<Row> = rows.collect();
    let first_of = |role| lines.iter().position(|line| line.role() == role);
    let first = first_of(Role::ErrorText).or_else(|| first_of(Role::Marker));
    let plural = several(drawn.instances, &found.entity.title);
    let levels = several(drawn.levels as usize, "level");
    let path = format_span(graph.path.duration());
    let note = format!(
        "{plural}, {levels} · critical path (━) {path} through {}",
        several(graph.path.steps.len(), &found.entity.title)
    );
    let table = Table {
        links: links(drawn),
        ..Table::new(columns, rows, NO_DEPENDENCIES).with_title("dependencies".to_owned())
    }
    .with_initial_row(first.unwrap_or(0));
    match drawn.nodes.is_empty() {
        true => table,
        false => table
            .with_note(note)
            .with_figure(figure(found, drawn.clone())),
    }
}

/// Node of a row in its lanes.
const NODE: char = '●';

/// Lanes beside a node, whose style is that of the node alone.
fn lane_pieces(lanes: &str, node: Role) -> Vec<(String, Role)> {
    let parts = lanes
        .split_inclusive(NODE)
        .flat_map(|part| match part.strip_suffix(NODE) {
            Some(edges) => vec![(edges.to_owned(), Role::Muted), (NODE.to_string(), node)],
            None => vec![(part.to_owned(), Role::Muted)],
        });
    parts.collect()
}

/// Figure of a graph.
pub fn figure(found: &Instances, drawn: DrawnDag) -> Figure {
    let (n, plural, levels) = (drawn.instances, found.entity.plural(), drawn.levels);
    let title = format!("Dependencies of {n} {plural}, {levels} levels");
    let graph = Graph::new(found, drawn);
    Figure::new(title, Plot::Graph(Box::new(graph)))
}

/// Nodes to which commands lead from each node: one that it waits for, and one that waits for it; along the critical path,
/// else along most dependencies.
fn links(drawn: &DrawnDag) -> Vec<RowLinks> {
    let mut best: Vec<[Option<(bool, u64, usize)>; 2]> = vec![[None; 2]; drawn.nodes.len()];
    for edge in &drawn.edges {
        for (at, side, other) in [(edge.to, 0, edge.from), (edge.from, 1, edge.to)] {
            let rank = (edge.is_critical, edge.count);
            if best[at][side].is_none_or(|(is, count, _)| rank > (is, count)) {
                best[at][side] = Some((rank.0, rank.1, other));
            }
        }
    }
    let row = |of: Option<(bool, u64, usize)>| of.map(|of| of.2);
    let links = best.into_iter().map(|[before, after]| RowLinks {
        before: row(before),
        after: row(after),
    });
    links.collect()
}

/// Lanes beside each node, from left to right. A node with dependents has a lane from its row to that of the last of them;
/// an edge joins the lane of a node with the row of one that waits for it. The critical path is drawn bold. Nodes `first` get a
/// lane where others find none.
fn lanes(drawn: &DrawnDag, first: &[bool]) -> Vec<String> {
    let count = drawn.nodes.len();
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut ends: Vec<usize> = vec![0; count];
    // Rows of the last node to which the critical path goes.
    let mut critical_ends: Vec<usize> = vec![0; count];
    let mut critical: BTreeSet<(usize, usize)> = BTreeSet::new();
    for edge in &drawn.edges {
        if edge.from < edge.to && edge.to < count {
            sources[edge.to].push(edge.from);
            ends[edge.from] = ends[edge.from].max(edge.to);
            if edge.is_critical {
                critical_ends[edge.from] = critical_ends[edge.from].max(edge.to);
                critical.insert((edge.from, edge.to));
            }
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
            .or_else(|| {
                let is_first = first.get(at) == Some(&true);
                let most = MAX_LANES + if is_first { RESERVED_LANES } else { 0 };
                (taken.len() < most).then_some(taken.len())
            });
        if free == Some(taken.len()) {
            taken.push(None);
        }
        // Without a lane of its own, a node stands beside all lanes.
        let own = free.unwrap_or(taken.len());
        if own < taken.len() && ends[at] > at {
            taken[own] = Some(at);
        }
        let is_joined = |lane: usize| joined.get(lane) == Some(&true);
        let reach = |lanes: &mut dyn Iterator<Item = usize>| {
            lanes.fold((own, own), |(a, b), lane| (a.min(lane), b.max(lane)))
        };
        let (first, last) = reach(&mut (0..joined.len()).filter(|lane| is_joined(*lane)));
        let node = |lane: usize| before.get(lane).copied().flatten();
        let is_critical = |lane: usize| node(lane).is_some_and(|n| critical.contains(&(n, at)));
        let bold = reach(&mut (0..joined.len()).filter(|lane| is_critical(*lane)));
        let bar = |lane: usize| match (bold.0..bold.1).contains(&lane) {
            true => '━',
            false => '─',
        };
        let mut text = String::new();
        for lane in 0..taken.len().max(own + 1) {
            let goes_on = taken.get(lane).copied().flatten().is_some();
            let glyph = match (is_joined(lane), goes_on, lane.cmp(&own)) {
                (_, _, Ordering::Equal) => NODE,
                (true, true, Ordering::Less) if lane == first => '├',
                (true, false, Ordering::Less) if lane == first => '╰',
                (true, true, Ordering::Greater) if lane == last => '┤',
                (true, false, Ordering::Greater) if lane == last => '╯',
                (true, true, _) => '┼',
                (true, false, _) => '┴',
                (false, true, _) if node(lane).is_some() => '│',
                _ if (first..last).contains(&lane) => bar(lane),
                _ => ' ',
            };
            let passes = goes_on && node(lane).is_some_and(|n| critical_ends[n] > at);
            let forms = JUNCTIONS.iter().find(|forms| forms.0 == glyph);
            text.push(match (forms, is_critical(lane), passes) {
                (Some(forms), true, _) => forms.1,
                (Some(forms), false, true) => forms.2,
                _ => glyph,
            });
            text.push(match (first..last).contains(&lane) {
                true => bar(lane),
                false => ' ',
            });
        }
        out.push(text.trim_end().to_owned());
    }
    out
}

/// Junctions with their bold forms, and with those that a bold lane passes.
const JUNCTIONS: [(char, char, char); 7] = [
    ('│', '│', '┃'),
    ('├', '┣', '┠'),
    ('┤', '┫', '┨'),
    ('╰', '┗', '╰'),
    ('╯', '┛', '╯'),
    ('┼', '╋', '╂'),
    ('┴', '┻', '┴'),
];

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
        Col::duration("critical_s", NodeLine::critical_time)
            .heading("critical")
            .layout(|c| c.rank(1)),
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
        })
        // The lanes of the graph show the same.
        .layout(|c| c.rank(2)),
        Col::drawn(
            Column::text("of which")
                .between(12, 80)
                .rank(3)
                .role(Role::Muted),
            |line| Cell::Text(spent(line.critical.iter().copied())),
        ),
    ])
}

/// Text of phases with their times, ns.
fn spent<'a>(phases: impl Iterator<Item = (&'a str, i64)>) -> String {
    let phases = phases.map(|(what, ns)| format!("{what} {}", format_span(ns)));
    phases.collect::<Vec<_>>().join(", ")
}

/// Step of the critical path.
pub struct StepLine<'a> {
    name: InstanceName,
    step: &'a CriticalStep,
}

/// Rows of the steps of the critical path.
pub fn step_lines<'a>(
    snapshot: &Snapshot,
    found: &EntityInstances,
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
    fn phases<'a>(line: &StepLine<'a>) -> impl Iterator<Item = (&'a str, i64)> {
        let length = |phase: &'a Phase| phase.end.saturating_sub(phase.start);
        let phases = line.step.phases.iter();
        phases.map(move |phase| (&*phase.description, length(phase)))
    }
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
        Col::nested("phases", |line| {
            let phases = phases(line)
                .map(|(what, ns)| json!({"phase": what, "duration_s": ns as f64 / 1e9}));
            (phases.collect::<Json>(), String::new())
        })
        .heading("of which")
        .cell(|line| Cell::Text(spent(phases(line)))),
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
        assert_eq!(lanes(&drawn, &[]), expected);
        // Commands go along the critical path.
        let bold = |from: usize, to: usize| DagEdge {
            is_critical: true,
            ..edge(from, to)
        };
        let critical = DrawnDag {
            edges: vec![edge(0, 2), bold(0, 3), edge(1, 4), edge(2, 4), bold(3, 5)],
            ..drawn.clone()
        };
        let expected = ["●", "┃ ●", "┠─│─●", "● │ │", "┃ ●─╯", "●"];
        assert_eq!(lanes(&critical, &[]), expected);
        assert_eq!(links(&critical)[0].after, Some(3));
        assert_eq!(links(&critical)[4].before, Some(1));
        // An edge against the order, as of a cycle, is left out.
        let back = DrawnDag {
            edges: vec![edge(3, 1)],
            ..drawn
        };
        assert!(lanes(&back, &[]).iter().all(|lanes| lanes == "●"));
    }
}
