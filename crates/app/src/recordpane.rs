//! The pane of the record under the cursor: whether, where and how it is shown.

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

/// Where the record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PaneSide {
    /// Beside the list on wide terminals, below it on others.
    #[default]
    Fitting,
    /// Beside the list where there is room.
    Right,
    /// Below the list.
    Below,
}

/// Where the record stands, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Split {
    /// Where.
    pub side: PaneSide,
    /// Share of the columns when it stands beside the list, percent; `None`: what fits.
    pub right: Option<u16>,
    /// Share of the rows when it stands below, percent; `None`: what fits.
    pub below: Option<u16>,
}
