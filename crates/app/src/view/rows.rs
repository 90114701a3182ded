//! Table of views: the properties of every view in one place.
//!
//! The `match` is exhaustive, so the compiler demands a row for every new view. A row states only
//! the differences from a default such as `USUAL`.

use crate::command::Command;
use crate::keymap::KeyScope;

use super::View;
use super::row::{Axis, Body, Covers, Detail, Opens, Page, RowLook, Split, ViewRow, Work};

/// Default for most views: a table that covers the selection.
const USUAL: ViewRow = ViewRow {
    title: "",
    shown_by: None,
    opens: Opens::ByItself,
    body: Body::Table(RowLook::Cells),
    work: Work::Plain,
    detail: Detail::Nothing,
    covers: Covers::Selection,
    split: Split::Never,
    keys: &[KeyScope::Table],
};

/// Default for tables computed by an analysis of instances.
const ANALYSIS: ViewRow = ViewRow {
    work: Work::Analysis(Axis::Other),
    keys: &[KeyScope::Plot, KeyScope::Table],
    ..USUAL
};

/// Default for tables with a plot over time, computed by an analysis of instances.
const OVER_TIME: ViewRow = ViewRow {
    work: Work::Analysis(Axis::Time),
    ..ANALYSIS
};

/// Properties of `view`.
pub(super) const fn row(view: View) -> ViewRow {
    match view {
        View::Events => ViewRow {
            title: "events",
            shown_by: Some(Command::ViewEvents),
            body: Body::Records,
            detail: Detail::Record,
            keys: &[KeyScope::Events],
            ..USUAL
        },
        View::Keys => ViewRow {
            title: "keys",
            shown_by: Some(Command::ViewKeys),
            ..USUAL
        },
        View::Values => ViewRow {
            title: "values",
            opens: Opens::Chosen,
            ..USUAL
        },
        View::Templates => ViewRow {
            title: "templates",
            shown_by: Some(Command::ViewTemplates),
            ..USUAL
        },
        View::Sources => ViewRow {
            title: "sources",
            shown_by: Some(Command::ViewSources),
            detail: Detail::Source,
            covers: Covers::Run,
            keys: &[KeyScope::Sources, KeyScope::Table],
            ..USUAL
        },
        View::Unfinished => ViewRow {
            title: "hung",
            shown_by: Some(Command::ViewHung),
            body: Body::Page(Page::Unfinished),
            keys: &[KeyScope::Hung],
            ..USUAL
        },
        View::Diagnose => ViewRow {
            title: "diagnose",
            body: Body::Page(Page::Findings),
            keys: &[KeyScope::Diagnose],
            ..USUAL
        },
        View::Entities => ViewRow {
            title: "entities",
            shown_by: Some(Command::ViewEntities),
            ..USUAL
        },
        View::Instances => ViewRow {
            title: "instances",
            opens: Opens::Chosen,
            keys: &[KeyScope::InstanceCache, KeyScope::Table],
            ..USUAL
        },
        View::Trace => ViewRow {
            title: "about",
            opens: Opens::Chosen,
            covers: Covers::Run,
            ..USUAL
        },
        View::Joins => ViewRow {
            title: "joins",
            covers: Covers::Run,
            keys: &[KeyScope::Joins, KeyScope::Table],
            ..USUAL
        },
        View::Conflicts => ViewRow {
            title: "conflicts",
            opens: Opens::Chosen,
            covers: Covers::Run,
            ..USUAL
        },
        View::NewJoin => ViewRow {
            title: "new join",
            opens: Opens::Chosen,
            detail: Detail::Draft,
            covers: Covers::Run,
            keys: &[KeyScope::NewJoin, KeyScope::Table],
            ..USUAL
        },
        View::States => ViewRow {
            title: "states",
            shown_by: Some(Command::ViewStates),
            ..OVER_TIME
        },
        View::Timeline => ViewRow {
            title: "timeline",
            shown_by: Some(Command::ViewTimeline),
            body: Body::Table(RowLook::Bars),
            split: Split::ByKey,
            keys: &[KeyScope::Timeline, KeyScope::Plot, KeyScope::Table],
            ..OVER_TIME
        },
        View::Latency => ViewRow {
            title: "latency",
            split: Split::ByKey,
            ..ANALYSIS
        },
        View::Slowest => ViewRow {
            title: "slowest",
            opens: Opens::Chosen,
            ..ANALYSIS
        },
        View::Account => ViewRow {
            title: "account",
            ..ANALYSIS
        },
        View::Spans => ViewRow {
            title: "durations",
            shown_by: Some(Command::ViewSpans),
            split: Split::ByKey,
            ..ANALYSIS
        },
        View::Throughput => ViewRow {
            title: "throughput",
            shown_by: Some(Command::ViewThroughput),
            split: Split::ByKey,
            ..OVER_TIME
        },
        View::Series => ViewRow {
            title: "numbers",
            split: Split::ByKey,
            ..OVER_TIME
        },
        View::Contrast => ViewRow {
            title: "contrast",
            shown_by: Some(Command::ViewContrast),
            opens: Opens::Chosen,
            ..USUAL
        },
        View::Runs => ViewRow {
            title: "runs",
            shown_by: Some(Command::ViewRuns),
            keys: &[KeyScope::Runs, KeyScope::Table],
            ..USUAL
        },
        View::Compare => ViewRow {
            title: "compare",
            opens: Opens::Chosen,
            ..USUAL
        },
        View::Flow => ViewRow {
            title: "flow",
            body: Body::Table(RowLook::Arrows),
            work: Work::Messages,
            keys: &[KeyScope::Flow, KeyScope::Table],
            ..USUAL
        },
        View::Messages => ViewRow {
            title: "messages",
            opens: Opens::Chosen,
            work: Work::Messages,
            keys: &[KeyScope::Flow, KeyScope::Table],
            ..USUAL
        },
        View::Checks => ViewRow {
            title: "check",
            shown_by: Some(Command::ViewChecks),
            ..USUAL
        },
    }
}
