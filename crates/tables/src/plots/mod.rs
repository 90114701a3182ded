//! Axis of time, formats of numbers and settings of plots. Their marks are [`widetui_report::figure`].
//!
//! All plots over time share one [`axis::TimeAxis`], so that aligned columns have the same time.

pub mod axis;
pub mod number;
pub mod settings;

pub use axis::TimeAxis;
pub use widetui_analysis::colour::Tone;
pub use widetui_analysis::plot_curve::PlotCurve;
