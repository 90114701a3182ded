//! Graph of dependencies.

use widetui_analysis::Instances;
use widetui_analysis::colour::{Tone, state_tones};
use widetui_analysis::dag::{DagNode, DrawnDag};
use widetui_core::words::grouped;

/// Graph with the states of its instances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Nodes in layers, and edges.
    pub drawn: DrawnDag,
    /// Names of the states.
    pub states: Vec<String>,
    /// Meanings of the colours of the states.
    pub tones: Vec<Tone>,
}

impl Graph {
    /// Graph of some instances.
    pub fn new(found: &Instances, drawn: DrawnDag) -> Graph {
        Graph {
            drawn,
            states: found.states.clone(),
            tones: state_tones(found),
        }
    }

    /// Numbers of the instances of a node by state, in words.
    pub fn states_of(&self, node: &DagNode) -> String {
        let each = { node.states.iter() }
            .map(|(state, n)| format!("{} {}", self.state_name(*state), grouped(*n)));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Name of a state.
    pub fn state_name(&self, state: Option<u16>) -> &str {
        let name = state.and_then(|at| self.states.get(usize::from(at)));
        name.map_or("no state", |name| name)
    }

    /// Number of instances of a node, if it has several: `×12`.
    pub fn size_of(node: &DagNode) -> String {
        match node.members.len() {
            1 => String::new(),
            n => format!("×{}", grouped(n as u64)),
        }
    }
}
