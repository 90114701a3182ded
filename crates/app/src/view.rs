//! What is shown: the view, the pane that has the keys, how times are written.

mod row;
mod rows;

use widetui_query::Field;
use widetui_session::comparison::Side;
use widetui_session::instances::Thing;
use widetui_session::record_texts::Place;
use widetui_session::rows::Rows;
use widetui_session::selection::SelectionStep;

use super::action::Action;
use widetui_tables::plots::state::SlowIn;

pub use row::{Axis, Body, Covers, Detail, Opens, Page, RowLook, Split, ViewRow, Work};

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

/// What a view is about where that was chosen in another view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The key whose values are counted.
    Key(Field),
    /// The entity (dotted name) whose instances are listed.
    Entity(String),
    /// The instance of which everything is told.
    Instance(Box<Thing>),
    /// Both sides of a comparison.
    Sides(Box<[Side; 2]>),
    /// The step or phase whose slowest instances are listed.
    Slow(SlowIn),
    /// The join whose conflicts are listed.
    Join(String),
}

impl Chosen {
    /// The view that is about it.
    pub fn view(&self) -> View {
        match self {
            Chosen::Key(_) => View::Values,
            Chosen::Entity(_) => View::Instances,
            Chosen::Instance(_) => View::Trace,
            Chosen::Sides(_) => View::Compare,
            Chosen::Slow(_) => View::Slowest,
            Chosen::Join(_) => View::Conflicts,
        }
    }
}

/// A place that the user left by a step deeper into the run (Enter, a pivot, another view), to return to it.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The view.
    pub view: View,
    /// What the view was about.
    pub chosen: Option<Chosen>,
    /// Steps of the selection.
    pub steps: Vec<SelectionStep>,
    /// Rows of the selection, in the view of findings: a pivot on a record of a finding applies to them.
    pub rows: Option<Rows>,
    /// The record under the cursor.
    pub record: Option<Place>,
    /// Name of the table row under the cursor.
    pub row: Option<String>,
    /// Whether the user left it by the key of another view: the selection is nothing that a return takes back.
    pub is_aside: bool,
    /// Steps of the selection on arrival at the next place; `None` while the user is on the way.
    pub arrived: Option<Vec<SelectionStep>>,
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
    fn every_view_has_a_name_of_its_own() {
        let titles: HashSet<&str> = View::ALL.iter().map(|v| v.title()).collect();
        assert_eq!(titles.len(), View::ALL.len());
        assert!(!titles.contains(""), "a row without a title");
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
            assert_eq!(row.detail == Detail::Record, is_events, "{view:?}");
        }
    }
}
