//! Plots as SVG: one file, no scripts, no fonts of its own, light or dark.
//!
//! ```text
//! plain data of an analysis ──Plot──> Figure (title, range, zone) ──render──> SVG text
//! ```

mod axes;
mod canvas;
mod curves;
mod gantt;
mod sequence;
mod steps;

use widetui_analysis::bins::Bin;
use widetui_analysis::flow::Flow;
use widetui_analysis::series::Scale;
use widetui_analysis::summary::Summary;
use widetui_analysis::timeline::Timeline;
use widetui_analysis::tone::Tone;
use widetui_time::zone::Zone;

use canvas::Canvas;
pub use canvas::Theme;

/// A line with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCurve {
    /// For the legend.
    pub name: String,
    /// By time, UTC ns. A value holds until the next.
    pub points: Vec<(i64, f64)>,
    /// What its colour says.
    pub tone: Tone,
}

/// A line in a plot of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// It.
    pub line: NamedCurve,
    /// Unit of its values; may be empty.
    pub unit: String,
}

/// A step in the life of things.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSummary {
    /// What it is.
    pub name: String,
    /// Share of the things that have it, 0 to 1.
    pub share: f64,
    /// How long it takes, ns.
    pub took: Summary,
}

/// What is drawn.
#[derive(Debug)]
pub enum Plot<'a> {
    /// Numbers over time, and what zero means to them.
    Lines(Vec<NamedCurve>, Scale),
    /// Numbers over time below each other, each with a scale of its own.
    Panels(Vec<Panel>),
    /// How long steps take, as bars below each other.
    Steps(Vec<StepSummary>),
    /// Counts over time, one on the other; the first is at the bottom.
    Stacked(Vec<NamedCurve>),
    /// How many durations (ns) lie between which borders.
    Histogram(Vec<Bin>),
    /// Bars in rows, and what their colours say.
    Gantt(&'a Timeline, Vec<Tone>),
    /// Messages between actors, time going down.
    Sequence(&'a Flow),
}

/// A plot with what stands around it.
#[derive(Debug)]
pub struct Figure<'a> {
    /// Title.
    pub title: String,
    /// Of which run it is; may be empty.
    pub run: String,
    /// What the vertical axis counts, with its unit.
    pub unit: String,
    /// What is drawn.
    pub plot: Plot<'a>,
    /// From where to where, UTC ns.
    pub range: (i64, i64),
    /// Zone of the times shown.
    pub zone: Zone,
}

/// Colours of things in legends beyond this many are one line of text.
const LEGEND: usize = 18;

/// The figure as SVG.
pub fn render(figure: &Figure<'_>, theme: Theme) -> String {
    let mut canvas = Canvas::new(theme, &figure.title, &figure.run);
    match &figure.plot {
        Plot::Lines(lines, scale) => curves::lines(&mut canvas, figure, lines, *scale),
        Plot::Panels(panels) => curves::panels(&mut canvas, figure, panels),
        Plot::Steps(steps) => steps::steps(&mut canvas, steps),
        Plot::Stacked(layers) => curves::stacked(&mut canvas, figure, layers),
        Plot::Histogram(bins) => curves::histogram(&mut canvas, figure, bins),
        Plot::Gantt(timeline, tones) => gantt::gantt(&mut canvas, figure, (timeline, tones)),
        Plot::Sequence(flow) => sequence::sequence(&mut canvas, figure, flow),
    }
    canvas.finish()
}

#[cfg(test)]
mod tests;
