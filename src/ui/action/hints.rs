//! Which actions the line of hints names where.

use crate::ui::keymap::Scope;

use super::{Action, plots, tables};

/// Actions worth a hint in a scope, the most useful first.
pub fn hints(scope: Scope) -> &'static [Action] {
    use Action as A;
    match scope {
        Scope::Global => &[],
        Scope::Events => &[
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
        Scope::Record => &[
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
        Scope::Trail => &[A::Left, A::Right, A::RemoveStep, A::Open, A::Undo, A::Back],
        Scope::Sources
        | Scope::Table
        | Scope::Things
        | Scope::Hung
        | Scope::Diagnose
        | Scope::Runs
        | Scope::Flow
        | Scope::Joins
        | Scope::NewJoin => tables::hints(scope),
        Scope::Timeline | Scope::Plot => plots::hints(scope),
        Scope::Prompt => &[A::Open, A::Back, A::DeleteWord],
        Scope::Picker => &[A::Open, A::Down, A::Up, A::Forget, A::Back],
        Scope::Pivot => &[
            A::Open,
            A::PivotOut,
            A::Highlight,
            A::NextSame,
            A::PrevSame,
            A::Copy,
            A::Back,
        ],
    }
}
