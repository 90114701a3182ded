//! Reasons why commands have no effect now; hints, help and palette show them.

use crate::findings::FindingSearch;
use crate::model::{Model, Pane, View};
use crate::pages::unfinished;
use crate::popups::{PickerKind, PivotPurpose, PivotScope, Popup};
use crate::view::{Body, Page};
use widetui_tables::table::{RowAction, TableState};

/// Whether the focus is on a table that is loaded and has no rows.
fn has_no_rows(model: &Model) -> bool {
    let is_there = |t: &TableState| t.is_known && t.is_empty();
    let has_focus = model.popup.is_none() && model.pane == Pane::List;
    has_focus && model.view.is_table() && model.table().is_some_and(is_there)
}

/// Whether the focus is on a plot that is loaded and has nothing to draw.
fn has_no_picture(model: &Model) -> bool {
    has_no_rows(model) && model.view.is_over_time()
}

/// Whether the focus is on the page of unfinished work, which lists no items, and the line under the
/// cursor has no link.
fn leads_nowhere(model: &Model) -> bool {
    let known = model.things.unfinished_among(model.selection.steps());
    let is_clear = known.is_some_and(|known| known.hung.told().next().is_none());
    let has_focus = model.popup.is_none() && model.pane == Pane::List;
    has_focus && model.view == View::Unfinished && is_clear && unfinished::goal(model).is_none()
}

/// Whether the row under the cursor of a table has nothing to open.
fn has_no_goal(model: &Model) -> bool {
    let row = model.table().and_then(|t| t.current());
    model.view.is_table() && row.is_some_and(|r| r.action == RowAction::Nothing)
}

/// Whether there is a time selection in a view with a time axis.
fn is_brushed(model: &Model) -> bool {
    model.view.is_over_time() && model.events.brush.is_some()
}

/// Returns `reason`, or `None` if `condition` holds.
pub(super) fn unless(condition: bool, reason: &'static str) -> Option<&'static str> {
    (!condition).then_some(reason)
}

/// Reason why commands on the row under the cursor have no effect: the table is empty.
pub(super) fn no_row(model: &Model) -> Option<&'static str> {
    unless(!has_no_rows(model), "there is no row")
}

/// Reason why commands on the current line of the page of unfinished work have no effect.
pub(super) fn nothing_stuck(model: &Model) -> Option<&'static str> {
    unless(
        !leads_nowhere(model),
        "nothing is stuck, and no source is silent",
    )
}

/// Reason why commands on the record under the cursor have no effect: the list is empty.
pub(super) fn no_record(model: &Model) -> Option<&'static str> {
    unless(
        model.view != View::Events || !model.is_empty(),
        "there is no record",
    )
}

/// Reason why commands on a plot have no effect: there is nothing to draw.
pub(super) fn no_picture(model: &Model) -> Option<&'static str> {
    unless(!has_no_picture(model), "there is nothing to draw")
}

/// Reason why commands of the timeline have no effect: another view is shown.
pub(super) fn not_timeline(model: &Model) -> Option<&'static str> {
    unless(model.view == View::Timeline, "only in the timeline")
}

/// Reason why commands on the other pane have no effect: there is no split. A split counts even if
/// the screen has no room for the other pane.
pub(super) fn not_split(model: &Model) -> Option<&'static str> {
    unless(model.pair.is_some(), "there is one view on the screen")
}

/// Reason why commands on two visible panes have no effect: only one is on the screen.
pub(super) fn not_beside(model: &Model) -> Option<&'static str> {
    unless(model.beside().is_some(), "there is one view on the screen")
}

/// Reason why commands on context lines have no effect: all records are selected.
pub(super) fn no_context(model: &Model) -> Option<&'static str> {
    unless(
        !model.selection.is_all(),
        "nothing is filtered: all context lines are there",
    )
}

/// Reason why commands that move between search hits have no effect: there is no search.
pub(super) fn not_searched(model: &Model) -> Option<&'static str> {
    let rows = model.row_search().map(|s| &s.line);
    let line = rows.unwrap_or(&model.search.line);
    unless(
        model.view.is_page() || !line.is_empty(),
        "nothing was searched",
    )
}

/// Reason why `open` has no effect: there is no row, or nothing to open.
pub(super) fn open(model: &Model) -> Option<&'static str> {
    // A time selection takes precedence over the row under the cursor.
    if model.popup.is_none() && is_brushed(model) {
        return None;
    }
    let no_goal = model.popup.is_none() && has_no_goal(model);
    let no_goal = || unless(!no_goal, "nothing to open");
    no_row(model)
        .or_else(|| nothing_stuck(model))
        .or_else(no_goal)
}

/// Reason why no value can be excluded from the selection.
pub(super) fn pivot_out(model: &Model) -> Option<&'static str> {
    match &model.popup {
        Some(Popup::Pivot(_)) => None,
        None if model.view.is_table() => unless(
            super::table::can_leave_out(model),
            "this row is no value that records have",
        ),
        None if model.pane == Pane::Record => None,
        _ => Some("only in tables, the record and the pivot list"),
    }
}

/// Reason why the pivot list cannot switch between the selection and the whole run.
pub(super) fn pivot_in_run(model: &Model) -> Option<&'static str> {
    match &model.popup {
        Some(Popup::Pivot(pivot)) if pivot.scope == PivotScope::All => Some("nothing is selected"),
        Some(Popup::Pivot(_)) => None,
        _ => Some("only in the pivot list"),
    }
}

/// Reason why no mark can be removed.
pub(super) fn forget(model: &Model) -> Option<&'static str> {
    let is_list = matches!(&model.popup, Some(Popup::Picker(p)) if p.kind == PickerKind::Marks);
    unless(is_list, "only in the list of marks")
}

/// Reason why commands that edit a line of text have no effect.
pub(super) fn edit(model: &Model) -> Option<&'static str> {
    let writes = matches!(model.popup, Some(Popup::Prompt(_) | Popup::Picker(_)));
    unless(writes, "only where a line is written")
}

/// Reason why there is nothing under the cursor to pivot on or to copy: the view is still being
/// computed, or the cursor is not on a value.
pub(super) fn nothing_here(model: &Model, purpose: PivotPurpose) -> &'static str {
    let awaits_joins = match model.view.row().body {
        Body::Records => false,
        Body::Page(Page::Findings) => model.findings.found.is_none(),
        Body::Page(Page::Unfinished) => model
            .things
            .unfinished_among(model.selection.steps())
            .is_none(),
        Body::Table(_) => model.table().is_some_and(|t| !t.is_known),
    };
    let given_up = model.view == View::Diagnose && model.findings.search == FindingSearch::GivenUp;
    match purpose {
        _ if awaits_joins && !given_up => "what belongs here is still being looked for",
        PivotPurpose::Keep => "there is nothing to pivot on",
        PivotPurpose::Copy => "there is nothing to copy here",
    }
}
