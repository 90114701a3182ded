//! Plots as SVG: one file, no scripts, no fonts of its own, light or dark.
//!
//! ```text
//! plain data of an analysis ──Plot──> Figure (title, range, zone) ──render──> SVG text
//! ```

mod axes;
mod canvas;
mod curves;
mod dag;
mod gantt;
mod sequence;
mod steps;

use widetui_analysis::colour::Tone;
use widetui_analysis::dag::DrawnDag;
use widetui_analysis::flow::Flow;
use widetui_analysis::histogram::Bin;
use widetui_analysis::plot_curve::PlotCurve;
use widetui_analysis::series::AxisScale;
use widetui_analysis::summary::Summary;
use widetui_analysis::timeline::Timeline;
use widetui_time::zone::Zone;

use canvas::Canvas;
pub use canvas::Theme;

/// Line in its own panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    /// Line.
    pub(crate) line: PlotCurve,
    /// Unit of its values; may be empty.
    pub(crate) unit: String,
}

/// Step in the life of instances.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StepSummary {
    /// Name.
    pub(crate) name: String,
    /// Share of the instances with the step, 0 to 1.
    pub(crate) share: f64,
    /// Duration, ns.
    pub(crate) took: Summary,
}

/// States of the instances of a graph, and the meaning of their colours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DagStates {
    /// Names, as in `Instances::states`.
    pub names: Vec<String>,
    /// Colours.
    pub tones: Vec<Tone>,
}

/// Stacked areas with a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StackedPanel {
    /// Name.
    pub(crate) name: String,
    /// Counts over time; the first is at the bottom.
    pub(crate) layers: Vec<PlotCurve>,
}

/// Plot.
#[derive(Debug)]
pub(crate) enum Plot<'a> {
    /// Numbers over time, and the meaning of zero.
    Lines(Vec<PlotCurve>, AxisScale),
    /// Numbers over time in panels below each other, each with its own scale.
    Panels(Vec<Panel>),
    /// Durations of steps as bars below each other.
    Steps(Vec<StepSummary>),
    /// Counts over time as stacked areas; the first is at the bottom.
    Stacked(Vec<PlotCurve>),
    /// Stacked areas in panels below each other, on one scale, with one legend.
    StackedPanels(Vec<StackedPanel>),
    /// Graph of dependencies.
    Dag(&'a DrawnDag, DagStates),
    /// Histogram of durations, ns.
    Histogram(Vec<Bin>),
    /// Bars in rows, and the meaning of their colours.
    Gantt(&'a Timeline, Vec<Tone>),
    /// Messages between actors, time going down.
    Sequence(&'a Flow),
}

/// Plot with title, axes and range.
#[derive(Debug)]
pub struct Figure<'a> {
    /// Title.
    pub(crate) title: String,
    /// Name of the run; may be empty.
    pub(crate) run: String,
    /// Label of the vertical axis, with its unit.
    pub(crate) unit: String,
    /// Plot.
    pub(crate) plot: Plot<'a>,
    /// Time range, UTC ns.
    pub(crate) range: (i64, i64),
    /// Zone of times.
    pub(crate) zone: Zone,
    /// True if times count from the start of each run.
    pub(crate) origin: TimeOrigin,
}

/// Origin of the times of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeOrigin {
    /// Times are UTC.
    #[default]
    Clock,
    /// Times count from the start of each run.
    RunStart,
}

/// Maximum number of names in a legend; the others are counted in a line of text.
const LEGEND: usize = 18;

/// Renders a figure as SVG.
pub fn render(figure: &Figure<'_>, theme: Theme) -> String {
    let mut canvas = Canvas::new(theme, &figure.title, &figure.run);
    match &figure.plot {
        Plot::Lines(lines, scale) => curves::lines(&mut canvas, figure, lines, *scale),
        Plot::Panels(panels) => curves::panels(&mut canvas, figure, panels),
        Plot::Steps(steps) => steps::steps(&mut canvas, steps),
        Plot::Stacked(layers) => curves::stacked(&mut canvas, figure, layers),
        Plot::StackedPanels(panels) => curves::stacked_panels(&mut canvas, figure, panels),
        Plot::Dag(drawn, states) => dag::dag(&mut canvas, drawn, states),
        Plot::Histogram(bins) => curves::histogram(&mut canvas, figure, bins),
        Plot::Gantt(timeline, tones) => gantt::gantt(&mut canvas, figure, (timeline, tones)),
        Plot::Sequence(flow) => sequence::sequence(&mut canvas, figure, flow),
    }
    canvas.finish()
}

#[cfg(test)]
mod tests;
