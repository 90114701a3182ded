//! What can be done in the views that are tables.

use crate::ui::keymap::Scope;

use super::{Action, Row, Topic, row};

/// Rows of the table of actions.
pub(super) const ROWS: &[Row] = {
    use Action as A;
    use Topic::View;
    &[
        row(
            A::ViewTemplates,
            View,
            "view-templates",
            "templates",
            "Messages with their variable parts taken out, counted",
        ),
        row(
            A::Frequency,
            View,
            "frequency",
            "values",
            "The values of this key, counted",
        ),
        row(
            A::SortNext,
            View,
            "sort-right",
            "sort",
            "Order the table by the next column; beyond the last by its own order",
        ),
        row(
            A::SortPrev,
            View,
            "sort-left",
            "sort back",
            "Order the table by the column before",
        ),
        row(
            A::SortTurn,
            View,
            "sort-turn",
            "turn order",
            "Turn the order of the table round",
        ),
        row(
            A::Shift,
            View,
            "shift-source",
            "shift",
            "Shift the times of a source whose clock was wrong, in the table of sources",
        ),
    ]
};

/// Hints in tables, the most useful first.
pub(super) fn hints(scope: Scope) -> &'static [Action] {
    match scope {
        Scope::Sources => SOURCES,
        _ => HINTS,
    }
}

const HINTS: &[Action] = {
    use Action as A;
    &[
        A::Open,
        A::PivotOut,
        A::Pivot,
        A::Search,
        A::SortNext,
        A::SortTurn,
        A::Filter,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};

const SOURCES: &[Action] = {
    use Action as A;
    &[
        A::Open,
        A::Pivot,
        A::PivotOut,
        A::HideSource,
        A::Shift,
        A::Search,
        A::SortNext,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};
