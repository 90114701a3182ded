//! Graph of dependencies in the language of GraphViz.

use std::fmt::Write;

use widetui_analysis::dag::{DagNode, DrawnDag};
use widetui_core::words::grouped;

use crate::svg::{DagStates, Theme};

/// Graph as a DOT file: boxes striped in the colours of the states of their instances, the critical path bold.
pub fn render(title: &str, drawn: &DrawnDag, states: &DagStates, theme: Theme) -> String {
    let mut out = String::from("digraph dependencies {\n");
    let _ = writeln!(out, "  label={};", quoted(title));
    out.push_str("  rankdir=LR;\n  node [shape=box, style=striped, fontname=\"sans-serif\"];\n");
    for (at, node) in drawn.nodes.iter().enumerate() {
        let width = if node.critical > 0 { 3 } else { 1 };
        let _ = writeln!(
            out,
            "  n{at} [label={}, fillcolor={}, penwidth={width}];",
            quoted(&label(node, states)),
            quoted(&stripes(node, states, theme))
        );
    }
    for edge in &drawn.edges {
        let width = if edge.is_critical { 3 } else { 1 };
        let count = match edge.count {
            1 => String::new(),
            n => format!("label=\"{}\", ", grouped(n)),
        };
        let _ = writeln!(
            out,
            "  n{} -> n{} [{count}penwidth={width}];",
            edge.from, edge.to
        );
    }
    out.push_str("}\n");
    out
}

fn label(node: &DagNode, states: &DagStates) -> String {
    let name = match node.members.len() {
        1 => node.name.clone(),
        n => format!("{} ×{}", node.name, grouped(n as u64)),
    };
    let each = node.states.iter().map(|(state, n)| {
        let state = state.and_then(|at| states.names.get(usize::from(at)));
        format!("{} {}", state.map_or("no state", |s| s), grouped(*n))
    });
    format!("{name}\n{}", each.collect::<Vec<_>>().join(", "))
}

/// Colours with their shares, as `style=striped` takes them.
fn stripes(node: &DagNode, states: &DagStates, theme: Theme) -> String {
    let all = node.states.values().sum::<u64>().max(1);
    let each = node.states.iter().map(|(state, n)| {
        let colour = match state {
            Some(at) => theme.tone(&states.tones, usize::from(*at)),
            None => "#808080".to_owned(),
        };
        // Pale, so that text on it can be read.
        format!("{colour}80;{:.4}", *n as f64 / all as f64)
    });
    each.collect::<Vec<_>>().join(":")
}

/// Text in quotes.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_analysis::colour::Tone;

    #[test]
    fn names_are_quoted_and_states_are_stripes() {
        let node = |name: &str, states: &[(Option<u16>, u64)]| DagNode {
            name: name.to_owned(),
            members: vec![0; states.iter().map(|s| s.1 as usize).sum()],
            states: states.iter().copied().collect(),
            ..DagNode::default()
        };
        let drawn = DrawnDag {
            nodes: vec![
                node("a \"b\"\\", &[(Some(0), 1)]),
                node("c", &[(Some(0), 3), (None, 1)]),
            ],
            edges: vec![widetui_analysis::dag::DagEdge {
                from: 0,
                to: 1,
                count: 4,
                is_critical: true,
            }],
            ..DrawnDag::default()
        };
        let states = DagStates {
            names: vec!["done".to_owned()],
            tones: vec![Tone::Success],
        };
        let text = render("t", &drawn, &states, Theme::Light);
        assert!(text.contains(r#"label="a \"b\"\\\ndone 1""#), "{text}");
        assert!(
            text.contains(r##"fillcolor="#80808080;0.2500:#3b875780;0.7500""##),
            "{text}"
        );
        assert!(
            text.contains("n0 -> n1 [label=\"4\", penwidth=3];"),
            "{text}"
        );
    }
}
