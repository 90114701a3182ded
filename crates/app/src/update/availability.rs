//! Reasons why commands have no effect now; hints, help and palette show them.

use crate::findings::FindingSearch;
use crate::model::{Model, Pane, View};
use crate::pages::unfinished;
use crate::popups::{PickerKind, PivotPurpose, PivotScope, Popup};
use crate::view::{Body, Page};
use widetui_tables::table::{RowAction, TableState};

/// Whether the keys are those of a table, and that is empty.
fn has_no_rows(model: &Model) -> bool {
    let is_there = |t: &TableState| t.is_known && t.is_empty();
    let has_focus = model.popup.is_none() && model.pane == Pane::List;
    has_focus && model.view.is_table() && model.table().is_some_and(is_there)
}

/// Whether the view is a picture of which it is known that there is nothing to draw.
fn has_no_picture(model: &Model) -> bool {
    has_no_rows(model) && model.view.is_over_time()
}

/// Whether the line under the cursor of what hangs is about nothing.
fn leads_nowhere(model: &Model) -> bool {
    let known = model.things.unfinished_among(model.selection.steps());
    let is_clear = known.is_some_and(|known| known.hung.told().next().is_none());
    let has_focus = model.popup.is_none() && model.pane == Pane::List;
    has_focus && model.view == View::Unfinished && is_clear && unfinished::goal(model).is_none()
}

/// Whether the row under the cursor leads nowhere: what it says is all there is.
fn has_no_goal(model: &Model) -> bool {
    let row = model.table().and_then(|t| t.current());
    model.view.is_table() && row.is_some_and(|r| r.action == RowAction::Nothing)
}

/// Whether time is brushed where it can be taken.
fn is_brushed(model: &Model) -> bool {
    model.view.is_over_time() && model.events.brush.is_some()
}

/// `reason`, unless the condition holds.
pub(super) fn unless(condition: bool, reason: &'static str) -> Option<&'static str> {
    (!condition).then_some(reason)
}

/// Reason of commands about the row under the cursor of a table.
pub(super) fn no_row(model: &Model) -> Option<&'static str> {
    unless(!has_no_rows(model), "there is no row")
}

/// Reason of commands about the line under the cursor of the unfinished work.
pub(super) fn nothing_stuck(model: &Model) -> Option<&'static str> {
    unless(
        !leads_nowhere(model),
        "nothing is stuck, and no source is silent",
    )
}

/// Reason of commands about the record under the cursor.
pub(super) fn no_record(model: &Model) -> Option<&'static str> {
    unless(
        model.view != View::Events || !model.is_empty(),
        "there is no record",
    )
}

/// Reason of commands about a plot.
pub(super) fn no_picture(model: &Model) -> Option<&'static str> {
    unless(!has_no_picture(model), "there is nothing to draw")
}

/// Reason of commands about the timeline.
pub(super) fn not_timeline(model: &Model) -> Option<&'static str> {
    unless(model.view == View::Timeline, "only in the timeline")
}

/// Reason of commands about the other view. One without room on the screen counts.
pub(super) fn not_split(model: &Model) -> Option<&'static str> {
    unless(model.pair.is_some(), "there is one view on the screen")
}

/// Reason of commands about two views on the screen.
pub(super) fn not_beside(model: &Model) -> Option<&'static str> {
    unless(model.beside().is_some(), "there is one view on the screen")
}

/// Reason of commands that show more records around the selected ones.
pub(super) fn no_context(model: &Model) -> Option<&'static str> {
    unless(
        !model.selection.is_all(),
        "nothing is filtered: all context lines are there",
    )
}

/// Reason of commands that go to a hit of the search.
pub(super) fn not_searched(model: &Model) -> Option<&'static str> {
    let rows = model.row_search().map(|s| &s.line);
    let line = rows.unwrap_or(&model.search.line);
    unless(
        model.view.is_page() || !line.is_empty(),
        "nothing was searched",
    )
}

/// Reason why nothing can be opened.
pub(super) fn open(model: &Model) -> Option<&'static str> {
    // A time selection is taken, whatever row is under the cursor.
    if model.popup.is_none() && is_brushed(model) {
        return None;
    }
    let no_goal = model.popup.is_none() && has_no_goal(model);
    let no_goal = || unless(!no_goal, "nothing to open");
    no_row(model)
        .or_else(|| nothing_stuck(model))
        .or_else(no_goal)
}

/// Reason why no value can be left out.
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

/// Reason why the pivot list cannot change between the selection and the whole run.
pub(super) fn pivot_in_run(model: &Model) -> Option<&'static str> {
    match &model.popup {
        Some(Popup::Pivot(pivot)) if pivot.scope == PivotScope::All => Some("nothing is selected"),
        Some(Popup::Pivot(_)) => None,
        _ => Some("only in the pivot list"),
    }
}

/// Reason why no mark can be taken away.
pub(super) fn forget(model: &Model) -> Option<&'static str> {
    let is_list = matches!(&model.popup, Some(Popup::Picker(p)) if p.kind == PickerKind::Marks);
    unless(is_list, "only in the list of marks")
}

/// Reason of commands that edit a line.
pub(super) fn edit(model: &Model) -> Option<&'static str> {
    let writes = matches!(model.popup, Some(Popup::Prompt(_) | Popup::Picker(_)));
    unless(writes, "only where a line is written")
}

/// Why there is nothing under the cursor to pivot on or to copy: where an answer is waited for that is said, as it may come.
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
