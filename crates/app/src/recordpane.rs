//! The pane of the record under the cursor: whether, where and how it is shown.

use super::layout::Split;

/// How the record under the cursor is shown.
#[derive(Clone, Copy, Debug)]
pub struct RecordPane {
    /// Whether it is shown.
    pub shown: bool,
    /// First line of it on screen.
    pub top: usize,
    /// Whether its long lines are wrapped.
    pub wrap: bool,
    /// Where it stands, and how large it is.
    pub split: Split,
}

impl Default for RecordPane {
    fn default() -> RecordPane {
        RecordPane {
            shown: true,
            top: 0,
            wrap: true,
            split: Split::default(),
        }
    }
}
