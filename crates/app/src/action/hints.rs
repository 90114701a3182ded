//! Which actions the line of hints names where.

use crate::keymap::KeyScope;

use super::{Action, plots, tables};

/// Actions worth a hint in a scope, the most useful first.
pub fn hints(scope: KeyScope) -> &'static [Action] {
    use Action as A;
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
        KeyScope::Trail => &[A::Left, A::Right, A::RemoveStep, A::Open, A::Undo, A::Back],
        KeyScope::Sources
        | KeyScope::Table
        | KeyScope::Things
        | KeyScope::Hung
        | KeyScope::Diagnose
        | KeyScope::Runs
        | KeyScope::Flow
        | KeyScope::Joins
        | KeyScope::NewJoin => tables::hints(scope),
        KeyScope::Timeline | KeyScope::Plot => plots::hints(scope),
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
