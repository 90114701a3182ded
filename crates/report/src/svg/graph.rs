//! Graph of dependencies: boxes in layers from top to bottom, coloured by the states of their instances.

use widetui_analysis::dag::{DagNode, DrawnDag};

use super::Notes;
use super::canvas::{Canvas, TOP, TextAnchor, WIDTH, shortened};
use crate::figure::Graph;

/// Boxes in a row; further ones of a layer stand in rows below.
const PER_ROW: usize = 8;
/// Greatest width of a box, and its height, pixels.
const BOX: (f64, f64) = (190.0, 36.0);
/// Height of the bar of states at the bottom of a box, pixels.
const BAR: f64 = 6.0;
/// Space between boxes and at the edges, between rows of a layer and between layers, pixels.
const GAP: f64 = 14.0;
const ROW_GAP: f64 = 16.0;
const LAYER_GAP: f64 = 44.0;
/// Width of a character of a name, pixels.
const CHARACTER: f64 = 6.4;

/// Draws a graph.
pub(super) fn draw(canvas: &mut Canvas, graph: &Graph) -> Notes {
    let drawn = &graph.drawn;
    let (places, bottom) = places(drawn);
    let (ink, faint) = (canvas.theme.palette().text, canvas.theme.palette().faint);
    let mut edges: Vec<_> = drawn.edges.iter().collect();
    // The critical path lies above the others.
    edges.sort_by_key(|edge| edge.is_critical);
    for edge in edges {
        let (Some(from), Some(to)) = (places.get(edge.from), places.get(edge.to)) else {
            continue;
        };
        let (x1, y1) = (from.x + from.width / 2.0, from.y + BOX.1);
        let (x2, y2) = (to.x + to.width / 2.0, to.y);
        let bend = ((y2 - y1).abs() / 2.0).max(12.0);
        let data = format!(
            "M{x1:.1} {y1:.1}C{x1:.1} {:.1} {x2:.1} {:.1} {x2:.1} {y2:.1}",
            y1 + bend,
            y2 - bend
        );
        let look = match edge.is_critical {
            true => format!(r#"fill="none" stroke="{ink}" stroke-width="3""#),
            false => {
                let width = 1.0 + (edge.count as f64).log10() * 0.7;
                format!(
                    r#"fill="none" stroke="{faint}" stroke-width="{width:.1}" stroke-opacity="0.5""#
                )
            }
        };
        canvas.path(&data, &look);
    }
    for (node, place) in drawn.nodes.iter().zip(&places) {
        draw_node(canvas, node, place, graph);
    }
    let is_met = |at: &usize| {
        let mut nodes = drawn.nodes.iter();
        nodes.any(|node| node.states.contains_key(&Some(*at as u16)))
    };
    let theme = canvas.theme;
    let names = graph.states.iter().enumerate().filter(|(at, _)| is_met(at));
    let names = names.map(|(at, name)| (theme.tone(&graph.tones, at), name.as_str()));
    let end = canvas.legend(names, GAP, bottom + 24.0);
    canvas.ensure_height(end);
    Notes::new()
}

/// Place of a box.
struct BoxPlace {
    x: f64,
    y: f64,
    width: f64,
}

/// Places of the boxes, and the bottom of the lowest.
fn places(drawn: &DrawnDag) -> (Vec<BoxPlace>, f64) {
    let mut out = Vec::with_capacity(drawn.nodes.len());
    let mut y = TOP + 12.0;
    for layer in &drawn.layers {
        let rows = layer.len().div_ceil(PER_ROW).max(1);
        let per_row = layer.len().div_ceil(rows).max(1);
        let width = ((WIDTH - GAP) / per_row as f64 - GAP).min(BOX.0);
        for row in 0..rows {
            let here = layer.len().saturating_sub(row * per_row).min(per_row);
            let all = here as f64 * (width + GAP) - GAP;
            let left = (WIDTH - all) / 2.0;
            out.extend((0..here).map(|n| BoxPlace {
                x: left + n as f64 * (width + GAP),
                y,
                width,
            }));
            y += BOX.1 + ROW_GAP;
        }
        y += LAYER_GAP - ROW_GAP;
    }
    (out, y - LAYER_GAP)
}

fn draw_node(canvas: &mut Canvas, node: &DagNode, place: &BoxPlace, graph: &Graph) {
    let theme = canvas.theme;
    let (ink, faint) = (theme.palette().text, theme.palette().faint);
    let count = Graph::size_of(node);
    let tip = format!("{}: {}", node.name, graph.states_of(node));
    let size = (place.width, BOX.1);
    canvas.rect((place.x, place.y), size, theme.palette().grid, &tip);
    if node.critical > 0 {
        let tip = "on the critical path";
        canvas.rect((place.x, place.y), (3.0, BOX.1), ink, tip);
    }
    let room = place.width - 12.0 - count.chars().count() as f64 * CHARACTER - 6.0;
    let shown = shortened(&node.name, (room / CHARACTER).max(2.0) as usize);
    let line = place.y + 19.0;
    let start = (place.x + 8.0, line);
    canvas.text(start, &shown, (11.0, ink), TextAnchor::Start);
    let end = (place.x + place.width - 6.0, line);
    canvas.text(end, &count, (11.0, faint), TextAnchor::End);
    let all: u64 = node.states.values().sum();
    let mut x = place.x;
    for (state, n) in &node.states {
        let width = place.width * *n as f64 / all.max(1) as f64;
        let colour = match state {
            Some(at) => theme.tone(&graph.tones, usize::from(*at)),
            None => faint.to_owned(),
        };
        let tip = format!("{} {n}", graph.state_name(*state));
        canvas.rect((x, place.y + BOX.1 - BAR), (width, BAR), &colour, &tip);
        x += width;
    }
}
