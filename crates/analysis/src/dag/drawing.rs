//! Graph of dependencies as it is drawn: nodes in layers, large graphs folded.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::Dag;
use crate::Instances;

/// Number of instances up to which each has a node of its own.
pub const MAX_SINGLE: usize = 20;
/// Number of nodes above which groups are not split by depth.
const MAX_NODES: usize = 400;

/// Folding of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Folding {
    /// Instances of one group and depth are one node if there are more than [`MAX_SINGLE`].
    #[default]
    Large,
    /// Each instance is a node.
    Never,
    /// Instances of one group and depth are one node.
    Always,
}

/// Node of a drawn graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DagNode {
    /// Value of the group of its instances; the name of the instance if there is one alone.
    pub name: String,
    /// Smallest and greatest depth of its instances.
    pub depths: (u32, u32),
    /// Instances, as indices into `Instances::list`, ascending.
    pub members: Vec<usize>,
    /// Number of its instances by their last state (index into `Instances::states`; `None` without one).
    pub states: BTreeMap<Option<u16>, u64>,
    /// Number of its instances on the critical path.
    pub critical: usize,
}

/// Edge of a drawn graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DagEdge {
    /// Node that is waited for, as an index.
    pub from: usize,
    /// Node that waits, as an index.
    pub to: usize,
    /// Number of dependencies between instances of the nodes.
    pub count: u64,
    /// True if the critical path goes along it.
    pub is_critical: bool,
}

/// Graph as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnDag {
    /// Nodes by layer, and within a layer in an order with few crossings.
    pub nodes: Vec<DagNode>,
    /// Edges by their nodes.
    pub edges: Vec<DagEdge>,
    /// Layers, as ranges of nodes.
    pub layers: Vec<std::ops::Range<usize>>,
    /// Number of instances.
    pub instances: usize,
    /// Number of levels of the unfolded graph.
    pub levels: u32,
}

/// Parameters of a drawing.
#[derive(Clone, Copy)]
pub struct DagDrawing<'a> {
    /// Flags of the instances that are drawn.
    pub kept: &'a [bool],
    /// Group of each instance; empty names are one group.
    pub groups: &'a [String],
    /// Name of each instance that is a node of its own.
    pub names: &'a dyn Fn(usize) -> String,
    /// Last state of each instance.
    pub states: &'a [Option<u16>],
    /// Instances on the critical path.
    pub critical: &'a [usize],
    /// Folding.
    pub folding: Folding,
}

/// Layer of a node, and its name within the layer.
type Place = (u32, String);

/// Layer of each depth.
fn layers_of_depths(groups_at: &BTreeMap<u32, BTreeSet<&str>>) -> FxHashMap<u32, u32> {
    // Consecutive depths with the same groups are one layer, as in a long chain of one app.
    let mut layer = 0u32;
    let mut last: Option<&BTreeSet<&str>> = None;
    let mut out = FxHashMap::default();
    for (depth, groups) in groups_at {
        if last.is_some_and(|last| last != groups) {
            layer += 1;
        }
        last = Some(groups);
        out.insert(*depth, layer);
    }
    out
}

impl DrawnDag {
    /// Arranges the instances and their dependencies.
    pub fn new(instances: &Instances, dag: &Dag, drawing: &DagDrawing<'_>) -> DrawnDag {
        let count = instances.list.len().min(dag.depths.len());
        let is_kept = |at: &usize| drawing.kept.get(*at).copied().unwrap_or_default();
        let kept: Vec<usize> = (0..count).filter(is_kept).collect();
        let is_folded = match drawing.folding {
            Folding::Large => kept.len() > MAX_SINGLE,
            Folding::Never => false,
            Folding::Always => true,
        };
        let group = |at: usize| drawing.groups.get(at).map_or("", |g| g.as_str());
        let mut groups_at: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
        for at in &kept {
            let here = groups_at.entry(dag.depths[*at]).or_default();
            here.insert(group(*at));
        }
        let levels = groups_at.len() as u32;
        let mut layer_of = layers_of_depths(&groups_at);
        let nodes = |layer_of: &FxHashMap<u32, u32>| {
            let of = kept
                .iter()
                .map(|at| (layer_of[&dag.depths[*at]], group(*at)));
            of.collect::<BTreeSet<_>>().len()
        };
        if is_folded && nodes(&layer_of) > MAX_NODES {
            let mut first: BTreeMap<&str, u32> = BTreeMap::new();
            for at in &kept {
                let depth = first.entry(group(*at)).or_insert(u32::MAX);
                *depth = (*depth).min(dag.depths[*at]);
            }
            return DrawnDag::arranged(dag, drawing, &kept, levels, |at| {
                (first[group(at)], group(at).to_owned())
            });
        }
        if !is_folded {
            layer_of = groups_at.keys().map(|depth| (*depth, *depth)).collect();
        }
        DrawnDag::arranged(dag, drawing, &kept, levels, |at| {
            let name = match is_folded {
                true => group(at).to_owned(),
                false => format!("{at:012}"),
            };
            (layer_of[&dag.depths[at]], name)
        })
    }

    /// Joins instances with the same place (layer and name), and orders the nodes.
    fn arranged(
        dag: &Dag,
        drawing: &DagDrawing<'_>,
        kept: &[usize],
        levels: u32,
        place: impl Fn(usize) -> Place,
    ) -> DrawnDag {
        let mut by_place: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
        for at in kept {
            by_place.entry(place(*at)).or_default().push(*at);
        }
        let mut node_of: Vec<Option<usize>> = vec![None; dag.depths.len()];
        for (node, members) in by_place.values().enumerate() {
            members.iter().for_each(|at| node_of[*at] = Some(node));
        }
        let mut edges: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for at in kept {
            for before in &dag.dependencies[*at] {
                if let (Some(from), Some(to)) = (node_of[*before], node_of[*at])
                    && from != to
                {
                    *edges.entry((from, to)).or_default() += 1;
                }
            }
        }
        let mut order = node_order(&by_place, &edges);
        let mut number = vec![0usize; order.len()];
        for (new, old) in order.iter().enumerate() {
            number[*old] = new;
        }
        let critical_edges: BTreeSet<(usize, usize)> = { drawing.critical.windows(2) }
            .filter_map(|pair| Some((node_of[pair[0]]?, node_of[pair[1]]?)))
            .collect();
        let mut edges: Vec<DagEdge> = edges
            .into_iter()
            .map(|((from, to), count)| DagEdge {
                from: number[from],
                to: number[to],
                count,
                is_critical: critical_edges.contains(&(from, to)),
            })
            .collect();
        edges.sort_by_key(|edge| (edge.from, edge.to));
        let critical: BTreeSet<usize> = drawing.critical.iter().copied().collect();
        let mut by_place: Vec<Option<(Place, Vec<usize>)>> =
            by_place.into_iter().map(Some).collect();
        let mut layers: Vec<std::ops::Range<usize>> = Vec::new();
        let mut last = None;
        let mut nodes = Vec::with_capacity(order.len());
        for old in order.drain(..) {
            let Some(((layer, group), members)) = by_place.get_mut(old).and_then(Option::take)
            else {
                continue;
            };
            if last != Some(layer) {
                layers.push(nodes.len()..nodes.len());
                last = Some(layer);
            }
            if let Some(range) = layers.last_mut() {
                range.end += 1;
            }
            nodes.push(node(dag, drawing, &critical, group, members));
        }
        DrawnDag {
            nodes,
            edges,
            layers,
            instances: kept.len(),
            levels,
        }
    }
}

/// Node of instances of a group.
fn node(
    dag: &Dag,
    drawing: &DagDrawing<'_>,
    critical: &BTreeSet<usize>,
    group: String,
    members: Vec<usize>,
) -> DagNode {
    let mut states: BTreeMap<Option<u16>, u64> = BTreeMap::new();
    for at in &members {
        let state = drawing.states.get(*at).copied().flatten();
        *states.entry(state).or_default() += 1;
    }
    let depths = members.iter().map(|at| dag.depths[*at]);
    let name = match members.as_slice() {
        [one] => (drawing.names)(*one),
        _ => group,
    };
    DagNode {
        name,
        depths: (
            depths.clone().min().unwrap_or_default(),
            depths.max().unwrap_or_default(),
        ),
        critical: members.iter().filter(|at| critical.contains(at)).count(),
        members,
        states,
    }
}

/// Order of nodes by layer; within a layer by the mean place of the nodes that they wait for.
fn node_order(
    by_place: &BTreeMap<Place, Vec<usize>>,
    edges: &BTreeMap<(usize, usize), u64>,
) -> Vec<usize> {
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); by_place.len()];
    for (from, to) in edges.keys() {
        sources[*to].push(*from);
    }
    let mut place = vec![0f64; by_place.len()];
    let mut order: Vec<usize> = Vec::with_capacity(by_place.len());
    let layers: Vec<u32> = by_place.keys().map(|key| key.0).collect();
    let mut at = 0;
    while at < layers.len() {
        let end = at
            + layers[at..]
                .iter()
                .take_while(|l| **l == layers[at])
                .count();
        let mut here: Vec<(f64, usize)> = (at..end)
            .map(|node| {
                let before = &sources[node];
                let sum: f64 = before.iter().map(|b| place[*b]).sum();
                (sum / before.len().max(1) as f64, node)
            })
            .collect();
        here.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let width = here.len() as f64;
        for (n, (_, node)) in here.iter().enumerate() {
            place[*node] = (n as f64 + 0.5) / width;
            order.push(*node);
        }
        at = end;
    }
    order
}
