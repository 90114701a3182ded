//! Order in which layouts are tried on a line.

/// Layouts in the order in which they are tried.
#[derive(Debug, Default)]
pub(crate) struct TryOrder {
    /// Their numbers, those that fit least first.
    pub(crate) numbers: Vec<usize>,
    /// For each, the places of those that fit some of its lines and not the other way round: to be tried before it.
    pub(crate) before: Vec<Vec<usize>>,
}
