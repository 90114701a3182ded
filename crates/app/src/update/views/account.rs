//! View of the share of each state in the total time of instances.

use super::*;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "account",
    focus: super::latency::STEPS,
    other_form: Some("steps"),
    question: |m| plot(m, PlotKind::Account),
    command_line: |m| subcommand(&["trace", &about(m)?.entity, "--account"], scope(m)),
    ..ANALYSIS
};
