//! Horizontal bars: a histogram of durations, and shares of a whole.

/// Bin of a histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LengthBin {
    /// Lower bound, formatted.
    pub from: String,
    /// Number of spans in the bin.
    pub count: u64,
}

/// Part of a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShareBar {
    /// Name.
    pub name: String,
    /// Share, 0 to 1.
    pub share: f64,
    /// Text after the bar.
    pub text: String,
}
