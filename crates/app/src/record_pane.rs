//! Options of the record pane: visibility, position and size.

/// State of the pane that shows the record under the cursor.
#[derive(Clone, Copy, Debug)]
pub struct RecordPane {
    /// Whether the pane is visible.
    pub shown: bool,
    /// First visible line of the record.
    pub(crate) top: usize,
    /// Whether long lines are wrapped.
    pub wrap: bool,
    /// Position and size.
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

/// Position of the record pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum PaneSide {
    /// Beside the list on wide terminals, else below it.
    #[default]
    Fitting,
    /// Beside the list if there is room.
    Right,
    /// Below the list.
    Below,
}

/// Position and size of the record pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Split {
    /// Position.
    pub(crate) side: PaneSide,
    /// Share of the columns if the pane is beside the list, percent; `None`: automatic.
    pub(crate) right: Option<u16>,
    /// Share of the rows if the pane is below the list, percent; `None`: automatic.
    pub below: Option<u16>,
}
