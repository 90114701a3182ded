//! What is shown: the view, the pane that has the keys, how times are written.

use crate::query::Field;

/// The views, in the order of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum View {
    #[default]
    Events,
    Keys,
    /// The values of one key, counted.
    Values,
    Templates,
    Sources,
}

impl View {
    /// Its name, as the line above it says it.
    pub fn title(self) -> &'static str {
        match self {
            View::Events => "events",
            View::Keys => "keys",
            View::Values => "values",
            View::Templates => "templates",
            View::Sources => "sources",
        }
    }

    /// Whether it is a table.
    pub fn is_table(self) -> bool {
        self != View::Events
    }

    /// Whether a pane below it tells more about the row under the cursor.
    pub fn has_detail(self) -> bool {
        matches!(self, View::Events | View::Sources)
    }
}

/// The key whose values are shown, and where from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequency {
    /// The key.
    pub field: Field,
    /// The view to which one goes back.
    pub from: View,
}

/// The panes of the events view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pane {
    /// The list.
    #[default]
    List,
    /// The record under its cursor.
    Record,
    /// The steps of the selection, in the first line.
    Trail,
}

/// How times are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TimeDisplay {
    /// As a clock shows them, with the step to the row before.
    #[default]
    Clock,
    /// From the start of the run, with the step to the row before.
    FromStart,
    /// Only the step to the row before.
    StepOnly,
    /// As a clock shows them, with the step to the record before that has the same value of a key.
    SameKey,
}
