//! View of the durations of instances, or between marked records.

use super::*;
use crate::view_plots;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "durations",
    shown_by: Some(Command::ViewSpans),
    split: Split::ByKey(PlotChoice::Spans),
    question: |m| {
        let by = m.plots.choices.spans_by.clone();
        match m.plots.marks.both() {
            Some(marks) => {
                let pair = m.plots.choices.pairing.clone();
                plot(m, PlotKind::Marked { marks, pair, by })
            }
            None => plot(m, PlotKind::Spans(by)),
        }
    },
    command_line: |m| {
        let mut more = Vec::new();
        if let Some(by) = &m.plots.choices.spans_by {
            more.extend(subcommand(&["--summary", "--by", by], Vec::new())?);
        }
        more.extend(scope(m));
        let Some(marks) = m.plots.marks.both() else {
            return subcommand(&["spans", &about(m)?.entity], more);
        };
        let [start, end] = [marks.start, marks.end].map(|mark| typed(m, &mark.expr));
        let key = view_plots::pairing(m);
        let key = option("--key", key.as_deref());
        let words = [&["spans", "--start", &start, "--end", &end], &key[..]].concat();
        subcommand(&words, more)
    },
    ..ANALYSIS
};
