//! Order in which layouts are tried on a line.

/// Layouts in the order in which they are tried.
#[derive(Debug, Default)]
pub(crate) struct TryOrder {
    /// Indices of the layouts, narrowest first.
    pub(crate) numbers: Vec<usize>,
    /// For each layout, the positions of the layouts that must be tried before it: those that match some of its samples
    /// while it matches none of theirs.
    pub(crate) before: Vec<Vec<usize>>,
}
