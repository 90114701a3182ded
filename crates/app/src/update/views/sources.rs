//! View of the sources, with details and problems of the one under the cursor.

use super::*;
use crate::follow_mode::Following;
use crate::model::Pane;
use widetui_session::jobs::RunGrowth;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "sources",
    shown_by: Some(Command::ViewSources),
    detail: Detail::Source,
    covers: Covers::Run,
    focus: Focus {
        keys: &[KeyScope::Sources, KeyScope::Table],
        hints: commands! {
            Open Pivot PivotOut HideSource Draft Shift Search SortNext ViewEvents Palette Help
        },
        labels: &[(Command::Open, "details")],
    },
    question: |m| Some(TableRequest::Sources(growth(m))),
    command_line: |_| subcommand(&["sources"], Vec::new()),
    copied: |m| m.current_source().map(|s| s.path.clone()),
    source: Model::current_source,
    open_label: |m| {
        let source = m.current_source().filter(|_| m.pane == Pane::Record)?;
        let has_place = source.problems.iter().any(|p| p.offset.is_some());
        Some(match has_place {
            true => "the first of it",
            false => "its records",
        })
    },
    ..TABLE
};

/// True if the run goes on.
fn growth(model: &Model) -> RunGrowth {
    let is_followed = model.load_state.follow.state != Following::Off && model.snapshot.may_grow();
    match is_followed && model.is_live() {
        true => RunGrowth::Growing,
        false => RunGrowth::Ended,
    }
}
