//! How many are how long: a bar for each stretch of lengths.

/// A stretch of lengths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LengthBin {
    /// Where it begins, as it is shown.
    pub from: String,
    /// How many lie in it.
    pub count: u64,
}
