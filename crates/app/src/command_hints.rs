//! Commands that the hint line offers in each scope.

use crate::keymap::KeyScope;

use crate::command::Command;

/// Actions worth a hint in a scope, the most useful first.
pub fn hints(scope: KeyScope) -> &'static [Command] {
    use Command as A;
    match scope {
        KeyScope::Global => &[],
        KeyScope::Events => &[
            A::Pivot,
            A::Open,
            A::ViewHung,
            A::ViewDiagnose,
            A::Search,
            A::Filter,
            A::NextError,
            A::Undo,
            A::Context,
            A::TimeDisplay,
            A::GotoTime,
            A::Note,
            A::ViewSources,
            A::Palette,
            A::Help,
        ],
        KeyScope::Record => &[
            A::Back,
            A::Down,
            A::Pivot,
            A::PivotOut,
            A::Highlight,
            A::Wrap,
            A::Copy,
            A::Palette,
            A::Help,
        ],
        KeyScope::Breadcrumb => &[A::Left, A::Right, A::RemoveStep, A::Open, A::Undo, A::Back],
        KeyScope::Sources
        | KeyScope::Table
        | KeyScope::InstanceCache
        | KeyScope::Hung
        | KeyScope::Diagnose
        | KeyScope::Runs
        | KeyScope::Flow
        | KeyScope::Joins
        | KeyScope::NewJoin => table_hints(scope),
        KeyScope::Timeline | KeyScope::Plot => plot_hints(scope),
        KeyScope::Prompt => &[A::Open, A::Back, A::DeleteWord],
        KeyScope::Picker => &[A::Open, A::Down, A::Up, A::Forget, A::Back],
        KeyScope::Pivot => &[
            A::Open,
            A::PivotWhole,
            A::PivotOut,
            A::Highlight,
            A::NextSame,
            A::PrevSame,
            A::Copy,
            A::Back,
        ],
    }
}

/// Hints in plots.
fn plot_hints(scope: KeyScope) -> &'static [Command] {
    use Command as A;
    match scope {
        KeyScope::Timeline => &[
            A::Open,
            A::NextBar,
            A::PlotBy,
            A::PlotColour,
            A::PlotEntity,
            A::ZoomIn,
            A::ZoomAll,
            A::BrushStart,
            A::BrushEnd,
            A::Right,
            A::Export,
            A::Pivot,
            A::Palette,
            A::Help,
        ],
        _ => &[
            A::Open,
            A::ViewLatency,
            A::PlotBy,
            A::PlotEntity,
            A::Right,
            A::ZoomIn,
            A::ZoomAll,
            A::BrushStart,
            A::BrushEnd,
            A::Export,
            A::Pivot,
            A::SortNext,
            A::Palette,
            A::Help,
        ],
    }
}

/// Hints in tables, the most useful first.
fn table_hints(scope: KeyScope) -> &'static [Command] {
    match scope {
        KeyScope::Sources => SOURCES,
        KeyScope::InstanceCache => THINGS,
        KeyScope::Hung => HUNG,
        KeyScope::Diagnose => DIAGNOSE,
        KeyScope::Runs => RUNS,
        KeyScope::Flow => FLOW,
        KeyScope::Joins => JOINS,
        KeyScope::NewJoin => NEW_JOIN,
        _ => HINTS,
    }
}

const HINTS: &[Command] = {
    use Command as A;
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

const SOURCES: &[Command] = {
    use Command as A;
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

const THINGS: &[Command] = {
    use Command as A;
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

const HUNG: &[Command] = {
    use Command as A;
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

const DIAGNOSE: &[Command] = {
    use Command as A;
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

const RUNS: &[Command] = {
    use Command as A;
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

const FLOW: &[Command] = {
    use Command as A;
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

const NEW_JOIN: &[Command] = {
    use Command as A;
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

const JOINS: &[Command] = {
    use Command as A;
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
