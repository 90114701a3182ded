//! View of the number of instances in each state, over time.

use super::*;
use widetui_analysis::states::ReporterChoice;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "states",
    shown_by: Some(Command::ViewStates),
    split: Split::ByKey(PlotChoice::States),
    question: |m| {
        let by = m.plots.choices.states_by.clone();
        plot(m, PlotKind::States(by, ReporterChoice::default()))
    },
    command_line: |m| {
        let by = option("--by", m.plots.choices.states_by.as_deref());
        let words = [&["states", &about(m)?.entity], &by[..]].concat();
        subcommand(&words, scope(m))
    },
    ..OVER_TIME
};
