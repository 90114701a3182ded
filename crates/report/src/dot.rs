//! Graph of dependencies in the language of GraphViz.

use std::fmt::Write;

use widetui_analysis::dag::DagNode;
use widetui_core::words::grouped;

use crate::figure::{Figure, Graph, Plot};
use crate::svg::Theme;

/// DOT file of a figure; `None` if it is no graph.
pub fn of_figure(figure: &Figure, theme: Theme) -> Option<String> {
    match &figure.plot {
        Plot::Graph(graph) => Some(render(&figure.title, graph, theme)),
        _ => None,
    }
}

/// Graph as a DOT file: boxes striped in the colours of the states of their instances, the critical path bold.
fn render(title: &str, graph: &Graph, theme: Theme) -> String {
    let drawn = &graph.drawn;
    let mut out = String::from("digraph dependencies {\n");
    let _ = writeln!(out, "  label={};", quoted(title));
    out.push_str("  rankdir=LR;\n  node [shape=box, style=striped, fontname=\"sans-serif\"];\n");
    for (at, node) in drawn.nodes.iter().enumerate() {
        let width = if node.critical > 0 { 3 } else { 1 };
        let _ = writeln!(
            out,
            "  n{at} [label={}, fillcolor={}, penwidth={width}];",
            quoted(&label(node, graph)),
            quoted(&stripes(node, graph, theme))
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

fn label(node: &DagNode, graph: &Graph) -> String {
    let name = [node.name.clone(), Graph::size_of(node)].join(" ");
    format!("{}\n{}", name.trim_end(), graph.states_of(node))
}

/// Colours with their shares, as `style=striped` takes them.
fn stripes(node: &DagNode, graph: &Graph, theme: Theme) -> String {
    let all = node.states.values().sum::<u64>().max(1);
    let each = node.states.iter().map(|(state, n)| {
        let colour = match state {
            Some(at) => theme.tone(&graph.tones, usize::from(*at)),
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
    use widetui_analysis::dag::DrawnDag;

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
        let graph = Graph {
            drawn,
            states: vec!["done".to_owned()],
            tones: vec![Tone::Success],
        };
        let text = render("t", &graph, Theme::Light);
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
