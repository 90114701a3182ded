//! Which view and pane is shown, and how.

use super::{Action, ActionRow, Topic, row};

/// Rows of the table of actions.
pub(super) const ROWS: &[ActionRow] = {
    use Action as A;
    use Topic::View;
    &[
        row(
            A::ViewEvents,
            View,
            "view-events",
            "events",
            "View 1: all records of all sources in time order",
        ),
        row(
            A::ViewHung,
            View,
            "view-hung",
            "hung",
            "View 2: what began and never ended",
        ),
        row(
            A::ViewDiagnose,
            View,
            "view-diagnose",
            "diagnose",
            "What is wrong: findings, worst first, with their evidence and what to do",
        ),
        row(
            A::ViewContrast,
            View,
            "view-contrast",
            "what differs",
            "What is different about the records selected, against all others; without a selection about errors",
        ),
        row(
            A::ViewRuns,
            View,
            "view-runs",
            "runs",
            "The runs, one row each: when, how long, what ended and what did not",
        ),
        row(
            A::ViewCompare,
            View,
            "view-compare",
            "compare",
            "What is selected beside the rest, another worker, an earlier selection; or two runs",
        ),
        row(
            A::ViewStates,
            View,
            "view-states",
            "states",
            "View 3: how many are in which state, over time",
        ),
        row(
            A::ViewTimeline,
            View,
            "view-timeline",
            "timeline",
            "View 4: who did what when",
        ),
        row(
            A::ViewLatency,
            View,
            "view-latency",
            "latency",
            "View 5: where the time goes, step by step; once more: what it went to, waiting for what",
        ),
        row(
            A::ViewFlow,
            View,
            "view-flow",
            "flow",
            "Messages between actors as a sequence diagram; once more: their kinds, and how long they took",
        ),
        row(
            A::ViewJoins,
            View,
            "view-joins",
            "joins",
            "View 6: which keys imply which",
        ),
        row(
            A::ViewEntities,
            View,
            "view-entities",
            "entities",
            "View 7: tasks, workers, blocks as tables",
        ),
        row(
            A::ViewKeys,
            View,
            "view-keys",
            "keys",
            "View 8: keys and their values",
        ),
        row(
            A::ViewSources,
            View,
            "view-sources",
            "sources",
            "View 9: what was read, how, and what could not be",
        ),
        row(
            A::Joins,
            View,
            "joins",
            "joins",
            "Join keys: see, switch and add joins",
        ),
        row(
            A::RecordPane,
            View,
            "record-pane",
            "record",
            "Show or hide the record below the list",
        ),
        row(
            A::TimeDisplay,
            View,
            "time-display",
            "time",
            "Times as clock, from the start of the run, as steps only, or with steps to the same key",
        ),
        row(
            A::Wrap,
            View,
            "wrap",
            "wrap",
            "Wrap or cut long lines: of the list, or of the record in its pane",
        ),
        row(
            A::Follow,
            View,
            "follow",
            "follow",
            "Follow sources as they grow",
        ),
    ]
};
