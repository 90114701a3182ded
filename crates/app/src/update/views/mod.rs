//! Components of the views, one file each, and the list of all views.
//!
//! To add a view, add a file with its [`ViewComponent`] and a line in the list below, with the command that opens it in
//! `command.rs`. All else derives from the component: title, keys, hints, query, command line, export, cursor.

use crate::command::Command;
use crate::focus::{Focus, commands};
use crate::keymap::KeyScope;
use crate::model::Model;
use crate::model::view::{
    Axis, Body, Covers, Detail, Note, Opens, Page, RowLook, Split, View, ViewComponent,
    ViewSubject, Work,
};
use crate::msg::Effect;
use crate::under_cursor;
use widetui_session::jobs::TableRequest;
use widetui_session::plots::PlotKind;
use widetui_tables::plots::settings::PlotChoice;

use super::command_line::{about, chosen, option, scope, subcommand, typed, unique};
use super::primitives::plotting;
use super::{table, time};

/// Defines the modules and handles of the views, and the list of all of them.
macro_rules! views {
    ($($(#[$about:meta])* $view:ident $file:ident,)+) => {
        $(mod $file;)+

        impl View {
            $($(#[$about])* pub const $view: View = View(&$file::VIEW);)+

            /// All views.
            pub const ALL: &[View] = &[$(View::$view,)+];
        }
    };
}

views! {
    /// List of the selected records.
    EVENTS events,
    /// Keys of the records.
    KEYS keys,
    /// Number of records for each value of one key.
    VALUES values,
    /// Message templates.
    TEMPLATES templates,
    /// Sources that were read.
    SOURCES sources,
    /// Unfinished work: work items that began and have not ended.
    UNFINISHED unfinished,
    /// Findings of the diagnosis.
    DIAGNOSE findings,
    /// Entities of the run (such as `parsl.task`), one row each.
    ENTITIES entities,
    /// Instances of one entity.
    INSTANCES instances,
    /// State transitions and records of one instance.
    TRACE trace,
    /// Joins and their effects.
    JOINS joins,
    /// Conflicts of one join: groups of events with several values for one key.
    CONFLICTS conflicts,
    /// Draft of a new join.
    NEW_JOIN new_join,
    /// Dependencies between instances.
    DAG dag,
    /// Number of instances in each state, over time.
    STATES states,
    /// Timeline with one row per instance or resource.
    TIMELINE timeline,
    /// Duration of each step between states, as percentiles.
    LATENCY latency,
    /// Instances with the longest duration of one step.
    SLOWEST slowest,
    /// Share of each state in the total time of instances.
    ACCOUNT account,
    /// Distribution of the durations of instances.
    SPANS spans,
    /// Number of instances that finish per unit of time.
    THROUGHPUT throughput,
    /// Value of a numeric key over time.
    SERIES series,
    /// Keys and values that are more or less frequent among the selected records than among others.
    CONTRAST contrast,
    /// Runs, one row each.
    RUNS runs,
    /// Two runs or selections side by side.
    COMPARE compare,
    /// Sequence diagram of messages between actors.
    FLOW flow,
    /// Number and latency of messages, by type.
    MESSAGES messages,
    /// Records that violate the rules of their system definition.
    CHECKS checks,
}

impl View {
    /// View with this title; `None` if there is none, or if the view needs a choice made in another view.
    pub fn titled(title: &str) -> Option<View> {
        let mut all = View::ALL.iter().copied();
        all.find(|v| v.title == title && v.opens == Opens::ByItself)
    }

    /// View that `command` opens; `None` if the command opens none or does more than that.
    pub(crate) fn shown_by(command: Command) -> Option<View> {
        let mut all = View::ALL.iter().copied();
        all.find(|v| v.shown_by == Some(command))
    }
}

/// Default for most views: a table that covers the selection.
const TABLE: ViewComponent = ViewComponent {
    title: "",
    shown_by: None,
    opens: Opens::ByItself,
    body: Body::Table(RowLook::Cells),
    work: Work::Plain,
    detail: Detail::Nothing,
    has_story: |_| false,
    covers: Covers::Selection,
    split: Split::Never,
    focus: Focus {
        keys: &[KeyScope::Table],
        hints: commands! {
            Open PivotOut Pivot Search SortNext SortTurn Filter ViewEvents Palette Help
        },
        labels: &[(Command::Open, "into it")],
    },
    pivot_title: "same as this row",
    other_form: None,
    question: |_| None,
    command_line: |_| Err("it is a step of another view"),
    export_subject: |_| None,
    copied: under_cursor::row_text,
    record: under_cursor::record_of_row,
    instance: under_cursor::instance_of_row_or_record,
    followed: under_cursor::record_of_row,
    source: |_| None,
    template: |_| None,
    extraction: |_| None,
    nothing_listed: |_| None,
    title_suffix: |_| String::new(),
    note: |_| Note::Usual,
    is_marked: |_, _| false,
    open_label: |_| None,
    open: table::open,
    run: |_, _| None,
    undo: |_| None,
};

/// Default for tables computed by an analysis of instances.
const ANALYSIS: ViewComponent = ViewComponent {
    work: Work::Analysis(Axis::Other),
    focus: Focus {
        keys: &[KeyScope::Plot, KeyScope::Table],
        hints: commands! { Open PlotBy PlotEntity Export Pivot SortNext Palette Help },
        labels: &[],
    },
    export_subject: |m| m.plots.choices.entity.as_deref(),
    ..TABLE
};

/// Default for tables with a plot over time, computed by an analysis of instances.
const OVER_TIME: ViewComponent = ViewComponent {
    work: Work::Analysis(Axis::Time),
    focus: Focus {
        keys: &[KeyScope::Plot, KeyScope::Table],
        hints: commands! {
            Open PlotBy PlotEntity Right ZoomIn ZoomAll BrushStart BrushEnd Export Pivot SortNext
            Palette Help
        },
        labels: &[(Command::Right, "later")],
    },
    copied: crate::view_plots::plot_as_text,
    open: open_over_time,
    undo: |m| m.events.time_selection.take().map(|_| Vec::new()),
    ..ANALYSIS
};

/// Default for views of messages between actors.
const MESSAGES: ViewComponent = ViewComponent {
    work: Work::Messages,
    focus: Focus {
        keys: &[KeyScope::Flow, KeyScope::Table],
        hints: commands! {
            Open ViewFlow Pivot Trace Search SortNext Export ViewEvents Palette Help
        },
        labels: &[
            (Command::Open, "its records"),
            (Command::ViewFlow, "kinds, messages"),
        ],
    },
    command_line: |m| subcommand(&["flow"], scope(m)),
    run: |m, command| match command {
        Command::NextPane | Command::PrevPane => Some(super::flow::turn(m)),
        _ => None,
    },
    ..TABLE
};

/// Selects the time selection, or opens the row under the cursor.
fn open_over_time(model: &mut Model) -> Vec<Effect> {
    match model.events.time_selection {
        Some(_) => time::take(model),
        None => table::open(model),
    }
}

/// Query of a plot of the selection.
fn plot(model: &Model, of: PlotKind) -> Option<TableRequest> {
    Some(TableRequest::Plot(plotting::plot_asked(model, of)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_view_has_a_name_of_its_own() {
        let titles: HashSet<&str> = View::ALL.iter().map(|v| v.title).collect();
        assert_eq!(titles.len(), View::ALL.len());
        assert!(!titles.contains(""), "a view without a title");
    }

    #[test]
    fn an_action_shows_one_view() {
        let shown: Vec<Command> = View::ALL.iter().filter_map(|v| v.shown_by).collect();
        let all: HashSet<Command> = shown.iter().copied().collect();
        assert_eq!(all.len(), shown.len());
        for view in View::ALL {
            let by = view.shown_by.and_then(View::shown_by);
            assert!(by.is_none_or(|v| v == *view));
        }
    }

    #[test]
    fn keys_and_panes_are_those_of_what_a_view_is_made_of() {
        for view in View::ALL {
            let has = |scope| view.focus.keys.contains(&scope);
            assert_eq!(has(KeyScope::Table), view.is_table(), "{view:?}");
            assert_eq!(has(KeyScope::Plot), view.is_plotted(), "{view:?}");
            assert_eq!(has(KeyScope::Flow), view.is_flow(), "{view:?}");
            assert!(view.work == Work::Plain || view.is_table(), "{view:?}");
            assert_eq!(view.detail == Detail::Record, view.is_records(), "{view:?}");
        }
    }
}
