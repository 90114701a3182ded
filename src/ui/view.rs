//! What is shown: the view, the pane that has the keys, how times are written.

use crate::query::Field;
use crate::workspace::ask::Rows;
use crate::workspace::fetch::Place;
use crate::workspace::selection::SelectionStep;

/// The views, in the order of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum View {
    #[default]
    Events,
    Keys,
    /// The values of one key, counted.
    Values,
    Templates,
    Sources,
    /// What began and never ended.
    Hung,
    /// What is wrong.
    Diagnose,
    /// The kinds of things that the run is about.
    Entities,
    /// The things of one kind.
    Instances,
    /// All about one thing.
    Trace,
    Joins,
    /// Those of one join.
    Conflicts,
    /// One that is being built.
    NewJoin,
    /// How many things are in which state.
    States,
    /// Who did what when.
    Timeline,
    /// Which steps take how long.
    Latency,
    /// The things for which a step took longest.
    Slowest,
    /// What the time of things went to.
    Account,
    /// How long things take.
    Spans,
    /// A number over time.
    Series,
    /// What is different about the records selected.
    Contrast,
    /// The runs, one row each.
    Runs,
    /// Two of them side by side.
    Compare,
    /// Messages between actors.
    Flow,
    /// How many of each kind, and how long they took.
    Messages,
}

impl View {
    /// Its name, as the line above it says it.
    pub fn title(self) -> &'static str {
        match self {
            View::Events => "events",
            View::Keys => "keys",
            View::Values => "values",
            View::Templates => "templates",
            View::Sources => "sources",
            View::Hung => "hung",
            View::Diagnose => "diagnose",
            View::Entities => "entities",
            View::Instances => "things",
            View::Trace => "about",
            View::Joins => "joins",
            View::Conflicts => "conflicts",
            View::NewJoin => "new join",
            View::States => "states",
            View::Timeline => "timeline",
            View::Latency => "latency",
            View::Slowest => "slowest",
            View::Account => "account",
            View::Spans => "durations",
            View::Series => "numbers",
            View::Contrast => "contrast",
            View::Runs => "runs",
            View::Compare => "compare",
            View::Flow => "flow",
            View::Messages => "messages",
        }
    }

    /// The one with this name, when it can be opened by itself: the others are about something that was chosen.
    pub fn titled(title: &str) -> Option<View> {
        const BY_THEMSELVES: [View; 16] = [
            View::Events,
            View::Keys,
            View::Templates,
            View::Sources,
            View::Hung,
            View::Diagnose,
            View::Entities,
            View::Joins,
            View::States,
            View::Timeline,
            View::Latency,
            View::Account,
            View::Spans,
            View::Series,
            View::Runs,
            View::Flow,
        ];
        BY_THEMSELVES.into_iter().find(|v| v.title() == title)
    }

    /// Whether it is a table.
    pub fn is_table(self) -> bool {
        !matches!(self, View::Events | View::Hung | View::Diagnose)
    }

    /// Whether one comes back to it from the events that it led to: it tells of many things, one after the other.
    pub fn is_come_back_to(self) -> bool {
        matches!(
            self,
            View::Hung
                | View::Diagnose
                | View::Contrast
                | View::Runs
                | View::Compare
                | View::Flow
                | View::Latency
                | View::Slowest
                | View::Account
        )
    }

    /// Whether its columns, or those of the picture above it, are moments.
    pub fn is_over_time(self) -> bool {
        matches!(self, View::States | View::Timeline | View::Series)
    }

    /// Whether it is made by an analysis of the things of the run.
    pub fn is_plotted(self) -> bool {
        let has_no_axis = matches!(
            self,
            View::Latency | View::Slowest | View::Account | View::Spans
        );
        self.is_over_time() || has_no_axis
    }

    /// Whether it is about messages between actors.
    pub fn is_flow(self) -> bool {
        matches!(self, View::Flow | View::Messages)
    }

    /// Whether a pane below it tells more about the row under the cursor.
    pub fn has_detail(self) -> bool {
        matches!(self, View::Events | View::Sources)
    }
}

/// The key whose values are shown, and where from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequency {
    /// The key.
    pub field: Field,
    /// The view to which one goes back.
    pub from: View,
}

/// Where one came from to the events, and goes back to: another view, or the events with other steps.
#[derive(Clone, Debug)]
pub struct Came {
    /// The view.
    pub from: View,
    /// What was selected there.
    pub steps: Vec<SelectionStep>,
    /// The rows of that.
    pub rows: Rows,
    /// The record that the cursor was on there.
    pub place: Option<Place>,
    /// What was selected on arrival.
    pub arrived: Vec<SelectionStep>,
}

/// The panes of the events view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pane {
    /// The list.
    #[default]
    List,
    /// The record under its cursor.
    Record,
    /// The steps of the selection, in the first line.
    Trail,
}

/// How times are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TimeDisplay {
    /// As a clock shows them, with the step to the row before.
    #[default]
    Clock,
    /// From the start of the run, with the step to the row before.
    FromStart,
    /// Only the step to the row before.
    StepOnly,
    /// As a clock shows them, with the step to the record before that has the same value of a key.
    SameKey,
}
