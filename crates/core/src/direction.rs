//! Direction of a movement or a search.

/// Direction in a list or in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards later records or to the right.
    Forward,
    /// Towards earlier records or to the left.
    Backward,
}
