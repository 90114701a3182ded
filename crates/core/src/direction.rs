//! Which way somebody looks or goes.

/// Which way, in a list or in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards what is later, or to the right.
    Forward,
    /// Towards what is earlier, or to the left.
    Backward,
}
