//! View of the runs, of which two can be marked for a comparison.

use super::*;
use crate::update::runs;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "runs",
    shown_by: Some(Command::ViewRuns),
    focus: Focus {
        keys: &[KeyScope::Runs, KeyScope::Table],
        hints: commands! {
            Open Mark ViewCompare Pivot PivotOut Search SortNext ViewEvents Palette Help
        },
        labels: &[(Command::Open, "only this run")],
    },
    question: |m| Some(TableRequest::Runs(m.meaning.instance_cache.clone())),
    command_line: |m| subcommand(&["runs"], chosen(m)),
    is_marked: |m, row| m.instances.marked.iter().any(|run| run.row == row),
    run: |m, command| (command == Command::Mark).then(|| runs::mark(m)),
    ..TABLE
};
