//! Histogram of durations.

/// Bin of a histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LengthBin {
    /// Lower bound, formatted.
    pub from: String,
    /// Number of spans in the bin.
    pub count: u64,
}
