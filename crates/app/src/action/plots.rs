//! What can be done in the views that draw over time.

use crate::keymap::KeyScope;

use super::{Action, ActionRow, Topic, row};

/// Rows of the table of actions.
pub(super) const ROWS: &[ActionRow] = {
    use Action as A;
    use Topic::{Move, View};
    &[
        row(
            A::ViewSpans,
            View,
            "view-spans",
            "durations",
            "How long things take: a histogram, the longest, percentiles by any key",
        ),
        row(
            A::ViewThroughput,
            View,
            "view-throughput",
            "throughput",
            "How many finish, over time: the rate, and the numbers by any key",
        ),
        row(
            A::ViewSeries,
            View,
            "view-series",
            "numbers",
            "A number of the logs over time: any key, told apart by any other",
        ),
        row(
            A::PlotEntity,
            View,
            "things",
            "things",
            "States, timeline, latency and durations of another kind of things",
        ),
        row(
            A::PlotBy,
            View,
            "group-by",
            "group",
            "Tell rows, lines or durations apart by something else",
        ),
        row(
            A::SpanStart,
            View,
            "span-start",
            "spans start",
            "Durations are counted from records like this one (or from what fits a filter) to those where spans end",
        ),
        row(
            A::SpanEnd,
            View,
            "span-end",
            "spans end",
            "Durations are counted to records like this one (or to what fits a filter), from those where spans start",
        ),
        row(
            A::PairBy,
            View,
            "pair-by",
            "pair",
            "Which end belongs to which start: the one with the same value of a key",
        ),
        row(
            A::PlotColour,
            View,
            "colour-by",
            "colours",
            "Colour the bars of the timeline by another key",
        ),
        row(
            A::AddCurve,
            View,
            "add-curve",
            "add curve",
            "A curve under the strip: a number, a state (mysim.job:running), things that run (mysim.job)",
        ),
        row(
            A::DropCurve,
            View,
            "drop-curve",
            "drop curve",
            "Take a curve under the strip away",
        ),
        row(
            A::Export,
            View,
            "export",
            "write",
            "Write to files: records as JSON lines, CSV or text, a picture as SVG, its numbers or the table as CSV, a page as text",
        ),
        row(
            A::PlotsWith,
            View,
            "plots",
            "plots",
            "Draw pictures with braille, blocks or ASCII",
        ),
        row(
            A::NextBar,
            Move,
            "next-bar",
            "next bar",
            "To the start of the next bar of the row",
        ),
        row(
            A::PrevBar,
            Move,
            "previous-bar",
            "bar back",
            "To the start of the bar before",
        ),
    ]
};

/// Other words by which they are found.
pub(super) fn aliases(action: Action) -> &'static str {
    match action {
        Action::ViewSpans => "duration histogram percentiles slowest how long",
        Action::ViewThroughput => "rate finished completed per second done speed",
        Action::ViewSeries => "series plot graph metric gauge measurement queue",
        Action::PlotEntity => "entity kind task",
        Action::PlotBy => "split rows lanes worker",
        Action::PlotColour => "color state app",
        Action::SpanStart | Action::SpanEnd => "between two messages how long mark concurrency",
        Action::PairBy => "spans key join match",
        Action::AddCurve => "sparkline plot queue state number count",
        Action::DropCurve => "sparkline remove delete",
        Action::PlotsWith => "dots font characters unicode",
        Action::Export => "write save file svg csv jsonl txt log image figure table records",
        _ => "gantt timeline",
    }
}

/// Hints where something is drawn over time.
pub(super) fn hints(scope: KeyScope) -> &'static [Action] {
    use Action as A;
    match scope {
        KeyScope::Timeline => &[
            A::Open,
            A::NextBar,
            A::PlotBy,
            A::PlotColour,
            A::PlotEntity,
            A::ZoomIn,
            A::ZoomAll,
            A::BrushStart,
            A::BrushEnd,
            A::Right,
            A::Export,
            A::Pivot,
            A::Palette,
            A::Help,
        ],
        _ => &[
            A::Open,
            A::ViewLatency,
            A::PlotBy,
            A::PlotEntity,
            A::Right,
            A::ZoomIn,
            A::ZoomAll,
            A::BrushStart,
            A::BrushEnd,
            A::Export,
            A::Pivot,
            A::SortNext,
            A::Palette,
            A::Help,
        ],
    }
}
