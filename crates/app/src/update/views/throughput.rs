//! View of the number of instances that finish per unit of time.

use super::*;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "throughput",
    shown_by: Some(Command::ViewThroughput),
    split: Split::ByKey(PlotChoice::Spans),
    question: |m| plot(m, PlotKind::Throughput(m.plots.choices.spans_by.clone())),
    command_line: |m| {
        let by = option("--by", m.plots.choices.spans_by.as_deref());
        let words = [&["throughput", &about(m)?.entity], &by[..]].concat();
        subcommand(&words, scope(m))
    },
    ..OVER_TIME
};
