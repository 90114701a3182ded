//! Distribution of durations as a bar: median, 95th percentile, maximum and mean.

/// Statistics as shares (0 to 1) of the full length of the bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Maximum.
    pub max: f64,
}

/// Legend of the bar, for the heading of a column.
pub(crate) const LEGEND: &str = "█p50 ▒p95 ╌max ◆mean";
