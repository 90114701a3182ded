//! How long something takes: the median, the 95th percentile, the longest, and the mean.

/// Shares (0 to 1) of the length that the whole bar stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// The longest.
    pub max: f64,
}

/// What its parts are, as the heading of a column says.
pub(crate) const LEGEND: &str = "█p50 ▒p95 ╌max ◆mean";
