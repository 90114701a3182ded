//! View of the duration of each step between states.

use super::*;

/// Keys and hints of the two forms of the analysis of steps.
pub(super) const STEPS: Focus = Focus {
    keys: ANALYSIS.focus.keys,
    hints: commands! { Open ViewLatency PlotBy PlotEntity Export Pivot SortNext Palette Help },
    labels: &[],
};

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "latency",
    split: Split::ByKey(PlotChoice::Steps),
    focus: STEPS,
    other_form: Some("what it waits for"),
    question: |m| plot(m, PlotKind::Latency(m.plots.choices.steps_by.clone().into_iter().collect())),
    command_line: |m| {
        let by = option("--by", m.plots.choices.steps_by.as_deref());
        let words = [&["latency", &about(m)?.entity], &by[..]].concat();
        subcommand(&words, scope(m))
    },
    ..ANALYSIS
};
