//! What can be done in the views that are tables.

use crate::keymap::KeyScope;

use super::{Action, ActionRow, Topic, row};

/// Rows of the table of actions.
pub(super) const ROWS: &[ActionRow] = {
    use Action as A;
    use Topic::{Find, Program, Select, View};
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
        row(
            A::Trace,
            View,
            "trace",
            "about it",
            "All about the task or other thing under the cursor: its events, with the steps between them",
        ),
        row(
            A::FilterRows,
            Find,
            "only-rows",
            "only rows with",
            "In tables: show only the rows that have these words",
        ),
        row(
            A::Switch,
            Select,
            "switch-join",
            "on or off",
            "Switch the join under the cursor on or off",
        ),
        row(
            A::NewJoin,
            View,
            "new-join",
            "new join",
            "Build a join: events with the same of some keys get other keys from each other",
        ),
        row(
            A::Draft,
            Program,
            "draft-definition",
            "draft",
            "Write a first definition for the logs that none knows to your own ones, as `widetui systems draft` does",
        ),
        row(
            A::NameKeys,
            Select,
            "name-keys",
            "name",
            "Give names to what varies in this message, or to parts of this key's values: they become keys of all such records",
        ),
        row(
            A::AddConstant,
            Select,
            "add-constant",
            "constant",
            "Give the selected records a key with a value of your own, or one made of other keys (`mysim.at = {host}:{pid}`)",
        ),
        row(
            A::ApplyJoin,
            Select,
            "apply-join",
            "apply",
            "Put the join that is being built, or the suggested one, in force",
        ),
        row(
            A::SaveJoin,
            Select,
            "save-join",
            "save",
            "Put the join in force, and write it to your own definitions",
        ),
    ]
};

/// Hints in tables, the most useful first.
pub(super) fn hints(scope: KeyScope) -> &'static [Action] {
    match scope {
        KeyScope::Sources => SOURCES,
        KeyScope::Things => THINGS,
        KeyScope::Hung => HUNG,
        KeyScope::Diagnose => DIAGNOSE,
        KeyScope::Runs => RUNS,
        KeyScope::Flow => FLOW,
        KeyScope::Joins => JOINS,
        KeyScope::NewJoin => NEW_JOIN,
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
        A::Draft,
        A::Shift,
        A::Search,
        A::SortNext,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};

const THINGS: &[Action] = {
    use Action as A;
    &[
        A::Open,
        A::Trace,
        A::Pivot,
        A::PivotOut,
        A::Search,
        A::SortNext,
        A::Copy,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};

const HUNG: &[Action] = {
    use Action as A;
    &[
        A::Open,
        A::Trace,
        A::Pivot,
        A::Copy,
        A::ViewEntities,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};

const DIAGNOSE: &[Action] = {
    use Action as A;
    &[
        A::Open,
        A::NextPane,
        A::Unfold,
        A::Pivot,
        A::Trace,
        A::Copy,
        A::ViewHung,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};

const RUNS: &[Action] = {
    use Action as A;
    &[
        A::Open,
        A::Mark,
        A::ViewCompare,
        A::Pivot,
        A::PivotOut,
        A::Search,
        A::SortNext,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};

const FLOW: &[Action] = {
    use Action as A;
    &[
        A::Open,
        A::ViewFlow,
        A::Pivot,
        A::Trace,
        A::Search,
        A::SortNext,
        A::Export,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};

const NEW_JOIN: &[Action] = {
    use Action as A;
    &[
        A::Open,
        A::ApplyJoin,
        A::SaveJoin,
        A::Search,
        A::Back,
        A::Palette,
        A::Help,
    ]
};

const JOINS: &[Action] = {
    use Action as A;
    &[
        A::Switch,
        A::Open,
        A::NewJoin,
        A::SaveJoin,
        A::Undo,
        A::Search,
        A::SortNext,
        A::ViewEvents,
        A::Palette,
        A::Help,
    ]
};
