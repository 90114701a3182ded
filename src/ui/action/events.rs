//! What can be done in the view of the events besides moving and selecting: time, brush, neighbours, values, trail.

use super::{Action, ActionRow, Topic, row};

/// Rows of the table of actions besides those of its own file.
pub(super) const ROWS: &[ActionRow] = {
    use Action as A;
    use Topic::{Find, Select, View};
    &[
        row(
            A::GotoTime,
            Find,
            "goto-time",
            "go to time",
            "Go to a time: 18:03:20, +5s, -2m, 50%, an epoch, a full date",
        ),
        row(
            A::NextSame,
            Find,
            "next-same",
            "next same",
            "To the next record with the same value of the key last pivoted on",
        ),
        row(
            A::PrevSame,
            Find,
            "previous-same",
            "same back",
            "To the previous record with the same value of the key last pivoted on",
        ),
        row(
            A::Highlight,
            Select,
            "highlight",
            "highlight",
            "Mark the records with this value without filtering; again to stop",
        ),
        row(
            A::BrushStart,
            Select,
            "brush-start",
            "from here",
            "Begin the brush at the record under the cursor",
        ),
        row(
            A::BrushEnd,
            Select,
            "brush-end",
            "to here",
            "End the brush at the record under the cursor",
        ),
        row(
            A::BrushEarlier,
            Select,
            "brush-earlier",
            "earlier",
            "Move the end of the brush that was set last to earlier times",
        ),
        row(
            A::BrushLater,
            Select,
            "brush-later",
            "later",
            "Move the end of the brush that was set last to later times",
        ),
        row(
            A::BrushTake,
            Select,
            "brush-filter",
            "only the brush",
            "Show only records within the brush",
        ),
        row(
            A::HideSource,
            Select,
            "hide-source",
            "hide",
            "Hide the source of this record, or show it again",
        ),
        row(
            A::Trail,
            Select,
            "trail",
            "trail",
            "To the steps of the selection: drop or edit one of them",
        ),
        row(
            A::RemoveStep,
            Select,
            "remove-step",
            "remove",
            "In the trail: drop the step under its cursor",
        ),
        row(
            A::TimeClock,
            View,
            "time-clock",
            "clock",
            "Times as a clock shows them",
        ),
        row(
            A::TimeFromStart,
            View,
            "time-from-start",
            "from start",
            "Times from the start of the run",
        ),
        row(
            A::TimeStep,
            View,
            "time-steps",
            "steps",
            "Only the step from the row before",
        ),
        row(
            A::TimeSameKey,
            View,
            "time-same-key",
            "same key",
            "Steps from the record before with the same value of the key last pivoted on",
        ),
        row(
            A::ShowZone,
            View,
            "time-zone",
            "zone",
            "Times in UTC, in the zone of this machine, or in that of the logs",
        ),
        row(
            A::ZoomIn,
            View,
            "zoom-in",
            "zoom",
            "Stretch the overview: to the brush, else around the cursor",
        ),
        row(
            A::ZoomOut,
            View,
            "zoom-out",
            "zoom out",
            "Show more of the run in the overview",
        ),
        row(
            A::ZoomAll,
            View,
            "zoom-all",
            "whole run",
            "Show the whole run in the overview",
        ),
        row(
            A::Context,
            View,
            "context",
            "context",
            "Show the neighbours of the selected records: of their source, of all sources, none",
        ),
        row(
            A::ContextMore,
            View,
            "context-more",
            "more context",
            "One neighbour more on each side",
        ),
        row(
            A::ContextLess,
            View,
            "context-less",
            "less context",
            "One neighbour less on each side",
        ),
        row(
            A::Unfold,
            View,
            "unfold",
            "unfold",
            "Show all lines of the record in the list, or only its first",
        ),
    ]
};
