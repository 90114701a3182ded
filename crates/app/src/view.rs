//! What is shown: the view, the pane that has the keys, how times are written.

mod row;
mod rows;

use widetui_query::Field;
use widetui_session::ask::Rows;
use widetui_session::fetch::Place;
use widetui_session::selection::SelectionStep;

use super::action::Action;

pub use row::{
    After, Axis, Back, Body, Covers, Detail, Opens, Page, RowLook, Split, ViewRow, Work,
};

/// Makes the enum, and the list of its variants: none can be forgotten there.
macro_rules! views {
    ($($(#[$about:meta])* $view:ident,)+) => {
        /// The views, in the order of their keys. What is true of each of them says its row in `view/rows.rs`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum View {
            $($(#[$about])* $view,)+
        }

        impl View {
            /// All of them.
            pub const ALL: &[View] = &[$(View::$view,)+];
        }
    };
}

views! {
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
    /// How many things finish, over time.
    Throughput,
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
    /// Which rules of the definitions records break.
    Checks,
}

impl View {
    /// Its row of the table of views.
    pub const fn row(self) -> ViewRow {
        rows::row(self)
    }

    /// Its name, as the line above it says it.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The one with this name, when it can be opened by itself: the others are about something that was chosen.
    pub fn titled(title: &str) -> Option<View> {
        let mut all = View::ALL.iter().copied();
        all.find(|v| v.title() == title && v.row().opens == Opens::ByItself)
    }

    /// The one that an action shows, if that is all it does.
    pub fn shown_by(action: Action) -> Option<View> {
        let mut all = View::ALL.iter().copied();
        all.find(|v| v.row().shown_by == Some(action))
    }

    /// Whether it is a table.
    pub fn is_table(self) -> bool {
        match self.row().body {
            Body::Records | Body::Page(_) => false,
            Body::Table(_) => true,
        }
    }

    /// Whether it is a page of lines of its own.
    pub fn is_page(self) -> bool {
        matches!(self.row().body, Body::Page(_))
    }

    /// Whether one comes back to it from the events that it led to: it tells of many things, one after the other.
    pub fn is_come_back_to(self) -> bool {
        self.row().after == After::Return
    }

    /// Whether its columns, or those of the picture above it, are moments.
    pub fn is_over_time(self) -> bool {
        self.row().work == Work::Analysis(Axis::Time)
    }

    /// Whether it is made by an analysis of the things of the run.
    pub fn is_plotted(self) -> bool {
        matches!(self.row().work, Work::Analysis(_))
    }

    /// Whether it is about messages between actors.
    pub fn is_flow(self) -> bool {
        self.row().work == Work::Messages
    }

    /// Whether a pane below it tells more about the row under the cursor, and takes the keys.
    pub fn has_detail(self) -> bool {
        match self.row().detail {
            Detail::Record | Detail::Source => true,
            Detail::Draft | Detail::Nothing => false,
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_view_has_a_name_of_its_own_and_a_way_back_that_ends() {
        let titles: HashSet<&str> = View::ALL.iter().map(|v| v.title()).collect();
        assert_eq!(titles.len(), View::ALL.len());
        assert!(!titles.contains(""), "a row without a title");
        for view in View::ALL {
            let (mut at, mut ways) = (*view, 0);
            while let Back::To(next) | Back::ToOpener(next) = at.row().back {
                (at, ways) = (next, ways + 1);
                assert!(ways < View::ALL.len(), "{view:?} has no way back");
            }
            assert_eq!(at, View::Events, "{view:?}");
        }
    }

    #[test]
    fn an_action_shows_one_view() {
        let shown = View::ALL.iter().filter_map(|v| v.row().shown_by);
        let shown: Vec<Action> = shown.collect();
        let all: HashSet<Action> = shown.iter().copied().collect();
        assert_eq!(all.len(), shown.len());
        for view in View::ALL {
            let by = view.row().shown_by.and_then(View::shown_by);
            assert!(by.is_none_or(|v| v == *view));
        }
    }

    #[test]
    fn keys_and_panes_are_those_of_what_a_view_is_made_of() {
        use crate::keymap::KeyScope;
        for view in View::ALL {
            let row = view.row();
            let has = |scope| row.keys.contains(&scope);
            assert_eq!(has(KeyScope::Table), view.is_table(), "{view:?}");
            assert_eq!(has(KeyScope::Plot), view.is_plotted(), "{view:?}");
            assert_eq!(has(KeyScope::Flow), view.is_flow(), "{view:?}");
            assert!(row.work == Work::Plain || view.is_table(), "{view:?}");
            let is_events = row.body == Body::Records;
            assert_eq!(row.back == Back::Steps, is_events, "{view:?}");
            assert_eq!(row.detail == Detail::Record, is_events, "{view:?}");
        }
    }
}
