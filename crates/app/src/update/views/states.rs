//! View of the number of instances in each state, over time.

use super::*;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "states",
    shown_by: Some(Command::ViewStates),
    split: Split::ByKey(PlotChoice::States),
    question: |m| plot(m, PlotKind::States(m.plots.states_by.clone())),
    command_line: |m| {
        let by = option("--by", m.plots.states_by.as_deref());
        let words = [&["states", &about(m)?.entity], &by[..]].concat();
        subcommand(&words, scope(m))
    },
    ..OVER_TIME
};
