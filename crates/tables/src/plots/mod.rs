//! Plots as plain data, one module per kind. Nothing here depends on the origin of the data or on the renderer.
//!
//! All plots over time share one [`axis::TimeAxis`], so that aligned columns have the same time.

pub mod axis;
pub mod gantt;
pub mod histogram;
pub mod number;
pub mod sequence;
pub mod settings;
pub mod spread;

use widetui_analysis::series::{AxisScale, BinAggregate, SeriesKind, bins, borders};

pub use axis::TimeAxis;
pub use widetui_analysis::colour::Tone;
pub use widetui_analysis::plot_curve::PlotCurve;

/// Maximum number of lines in a plot; more are indistinguishable.
pub const MAX_LINES: usize = 8;

/// Growth of a counter per unit of time, one value per column.
pub fn growth(curve: &PlotCurve, axis: &TimeAxis) -> PlotCurve {
    let columns = usize::from(axis.columns);
    let rates = bins(
        &curve.points,
        SeriesKind::Counter,
        BinAggregate::Max,
        axis.range,
        columns,
    );
    let all = borders(axis.range, columns).zip(rates);
    PlotCurve {
        points: all
            .filter_map(|(at, rate)| Some((at, rate? * curve.unit_s())))
            .collect(),
        name: curve.name.clone(),
        tone: curve.tone,
        ..PlotCurve::default()
    }
}

/// Meanings of the colours of curves.
pub fn tones(courses: &[PlotCurve]) -> Vec<Tone> {
    courses.iter().map(|c| c.tone).collect()
}

/// Stacked areas of one group; the first is at the bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Name of the group.
    pub name: String,
    /// Areas.
    pub layers: Vec<PlotCurve>,
}

/// Plot above a table, or in place of its rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    /// Sentences, one below the other.
    Words(Vec<String>),
    /// Stacked areas over time; the first is at the bottom.
    Stacked(Vec<PlotCurve>),
    /// Stacked areas of each group, one below the other, on one scale and one axis of time.
    Panels(Vec<Panel>),
    /// Lines over time, and the meaning of zero.
    Lines(Vec<PlotCurve>, AxisScale),
    /// Histogram of durations.
    Histogram(Vec<histogram::LengthBin>),
    /// Parts of a whole as bars, the largest first.
    Shares(Vec<histogram::ShareBar>),
    /// Bars in rows over time.
    Gantt(Box<gantt::Gantt>),
    /// Sequence diagram: arrows between actors, one below the other.
    Sequence(Box<sequence::Sequence>),
}
