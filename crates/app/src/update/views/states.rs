//! View of the number of instances in each state, over time.

use super::*;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "states",
    shown_by: Some(Command::ViewStates),
    question: |m| plot(m, PlotKind::States),
    command_line: |m| subcommand(&["states", &about(m)?.entity], scope(m)),
    ..OVER_TIME
};
