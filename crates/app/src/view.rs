//! Views, panes and time formats: what the user can choose to see.

mod row;
mod rows;

use widetui_query::Field;
use widetui_session::comparison::ComparedSide;
use widetui_session::instances::InstanceHandle;

use super::command::Command;
use widetui_tables::plots::settings::SlowestSubject;

pub use row::{Axis, Body, Covers, Detail, Opens, Page, RowLook, Split, ViewRow, Work};

/// Defines the enum `View` together with `View::ALL`, so that the list cannot miss a variant.
macro_rules! views {
    ($($(#[$about:meta])* $view:ident,)+) => {
        /// View of the explorer. The properties of each view are in the table in `view/rows.rs`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum View {
            $($(#[$about])* $view,)+
        }

        impl View {
            /// All views, in the order of declaration.
            pub const ALL: &[View] = &[$(View::$view,)+];
        }
    };
}

views! {
    #[default]
    Events,
    Keys,
    /// Number of records for each value of one key.
    Values,
    Templates,
    Sources,
    /// Unfinished work: work items that began and have not ended.
    Unfinished,
    /// Findings of the diagnosis.
    Diagnose,
    /// Entities of the run (such as `parsl.task`), one row each.
    Entities,
    /// Instances of one entity.
    Instances,
    /// State transitions and records of one instance.
    Trace,
    Joins,
    /// Conflicts of one join: groups of events with several values for one key.
    Conflicts,
    /// Draft of a new join.
    NewJoin,
    /// Number of instances in each state, over time.
    States,
    /// Timeline with one row per instance or resource.
    Timeline,
    /// Duration of each step between states, as percentiles.
    Latency,
    /// Instances with the longest duration of one step.
    Slowest,
    /// Share of each state in the total time of instances.
    Account,
    /// Distribution of the durations of instances.
    Spans,
    /// Number of instances that finish per unit of time.
    Throughput,
    /// Value of a numeric key over time.
    Series,
    /// Keys and values that are more or less frequent among the selected records than among others.
    Contrast,
    /// Runs, one row each.
    Runs,
    /// Two runs or selections side by side.
    Compare,
    /// Sequence diagram of messages between actors.
    Flow,
    /// Number and latency of messages, by type.
    Messages,
    /// Records that violate the rules of their system definition.
    Checks,
}

impl View {
    /// Row of the view in the table of views.
    pub const fn row(self) -> ViewRow {
        rows::row(self)
    }

    /// Title of the view, as shown in the line above the view.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// View with this title; `None` if there is none, or if the view needs a choice made in another
    /// view.
    pub fn titled(title: &str) -> Option<View> {
        let mut all = View::ALL.iter().copied();
        all.find(|v| v.title() == title && v.row().opens == Opens::ByItself)
    }

    /// View that `command` opens; `None` if the command opens none or does more than that.
    pub(crate) fn shown_by(command: Command) -> Option<View> {
        let mut all = View::ALL.iter().copied();
        all.find(|v| v.row().shown_by == Some(command))
    }

    /// Whether the view is a table.
    pub fn is_table(self) -> bool {
        match self.row().body {
            Body::Records | Body::Page(_) => false,
            Body::Table(_) => true,
        }
    }

    /// Whether the view is a page of lines with its own cursor.
    pub(crate) fn is_page(self) -> bool {
        matches!(self.row().body, Body::Page(_))
    }

    /// Whether the horizontal axis of the view, or of the plot above its table, is time.
    pub fn is_over_time(self) -> bool {
        self.row().work == Work::Analysis(Axis::Time)
    }

    /// Whether the view is computed by an analysis of instances.
    pub fn is_plotted(self) -> bool {
        matches!(self.row().work, Work::Analysis(_))
    }

    /// Whether the view shows messages between actors.
    pub fn is_flow(self) -> bool {
        self.row().work == Work::Messages
    }

    /// Whether the view has a pane with details of the current row that can take the keyboard
    /// focus.
    pub fn has_detail(self) -> bool {
        match self.row().detail {
            Detail::Record | Detail::Source => true,
            Detail::Draft | Detail::Nothing => false,
        }
    }
}

/// Subject of a view that the user chose in another view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewSubject {
    /// Key whose values are counted.
    Key(Field),
    /// Dotted name of the entity whose instances are listed.
    Entity(String),
    /// Instance whose trace is shown.
    Instance(Box<InstanceHandle>),
    /// Both sides of a comparison.
    Sides(Box<[ComparedSide; 2]>),
    /// Step or phase whose slowest instances are listed.
    Slow(SlowestSubject),
    /// Name of the join whose conflicts are listed.
    Join(String),
}

impl ViewSubject {
    /// View that shows this subject.
    pub(crate) fn view(&self) -> View {
        match self {
            ViewSubject::Key(_) => View::Values,
            ViewSubject::Entity(_) => View::Instances,
            ViewSubject::Instance(_) => View::Trace,
            ViewSubject::Sides(_) => View::Compare,
            ViewSubject::Slow(_) => View::Slowest,
            ViewSubject::Join(_) => View::Conflicts,
        }
    }
}

/// Pane of the events view that has the keyboard focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pane {
    /// List of records.
    #[default]
    List,
    /// Record under the cursor of the list.
    Record,
    /// Breadcrumb in the first line: the steps of the selection.
    Breadcrumb,
}

/// Format of the time column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TimeDisplay {
    /// Clock time, and the time since the previous row.
    #[default]
    Clock,
    /// Time since the start of the run, and the time since the previous row.
    FromStart,
    /// Only the time since the previous row.
    StepOnly,
    /// Clock time, and the time since the previous record with the same value of the followed key.
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
        let shown: Vec<Command> = shown.collect();
        let all: HashSet<Command> = shown.iter().copied().collect();
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
