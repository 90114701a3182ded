//! Reasons why commands have no effect now; hints, help and palette show them.

use crate::command::{Command, first, for_each_command};
use crate::model::screen_split::SplitDirection;
use crate::model::view::{Body, RowLook, Split};
use crate::model::{Model, Pane, View};
use crate::pages::unfinished;
use crate::popups::{Picker, PickerKind, Pivot, PivotPurpose, PivotScope, Prompt};
use crate::{compared_sides, under_cursor};
use widetui_draft::user_drafts;
use widetui_tables::table::{RowAction, TableState};

/// Reason why a command has no effect now; `None` if it has one.
type Unavailable = fn(&Model) -> Option<&'static str>;

macro_rules! define_reasons {
    ($(
        [$command:ident] $name:literal in $topic:ident, $hint:literal, $summary:literal;
        $(counted $counted:literal;)?
        $(aliases $aliases:literal;)?
        $(argument $argument:literal => $run_with:expr;)?
        $(unavailable $unavailable:expr;)?
        $(run $run:expr;)?
    )*) => {
        /// Reasons of all commands, in the order of the list.
        static REASONS: &[Option<Unavailable>] = &[$(first::<Unavailable>(&[$($unavailable)?]),)*];
    };
}
for_each_command!(define_reasons);

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
    let known = model.instances.unfinished_among(model.selection.steps());
    let is_clear = known.is_some_and(|known| known.hung.told().next().is_none());
    let has_focus = model.popup.is_none() && model.pane == Pane::List;
    has_focus && is_clear && unfinished::link_under_cursor(model).is_none()
}

/// Whether the row under the cursor of a table has nothing to open.
fn has_no_goal(model: &Model) -> bool {
    let row = model.table().and_then(|t| t.current());
    model.view.is_table() && row.is_some_and(|r| r.action == RowAction::Nothing)
}

/// Whether there is a time selection in a view with a time axis.
fn is_brushed(model: &Model) -> bool {
    model.view.is_over_time() && model.events.time_selection.is_some()
}

/// Returns `reason`, or `None` if `condition` holds.
pub(super) fn unless(condition: bool, reason: &'static str) -> Option<&'static str> {
    (!condition).then_some(reason)
}

/// Reason why commands on the row under the cursor have no effect: the table is empty.
pub(super) fn no_row(model: &Model) -> Option<&'static str> {
    unless(!has_no_rows(model), "there is no row")
}

/// Reason why commands on the object under the cursor have no effect: the view lists nothing.
pub(super) fn nothing_listed(model: &Model) -> Option<&'static str> {
    (model.view.nothing_listed)(model)
}

/// Reason why commands on the current line of the page of unfinished work have no effect.
pub(super) fn nothing_stuck(model: &Model) -> Option<&'static str> {
    unless(
        !leads_nowhere(model),
        "no unfinished work and no silent source is listed",
    )
}

/// Reason why commands on the record under the cursor have no effect: the list is empty.
pub(super) fn no_record(model: &Model) -> Option<&'static str> {
    unless(
        !model.view.is_records() || !model.is_empty(),
        "there is no record",
    )
}

/// Reason why commands on the instance under the cursor have no effect: there is none, or it is not
/// known yet.
pub(super) fn no_instance(model: &Model) -> Option<&'static str> {
    let reason = match model.instances.seen {
        Some(_) => "no instance of an entity is under the cursor",
        None => "it is not known yet what the run is about",
    };
    unless(under_cursor::instance(model).is_some(), reason)
}

/// Reason why commands on a plot have no effect: there is nothing to draw.
pub(super) fn no_picture(model: &Model) -> Option<&'static str> {
    unless(!has_no_picture(model), "there is nothing to draw")
}

/// Reason why there is no graph of dependencies: no record has a key for them.
pub(super) fn no_dependencies(model: &Model) -> Option<&'static str> {
    let keys = &model.snapshot.catalog.keys;
    let is_named = |key: &String| keys.find(key).is_some();
    let mut entities = model.meaning.entities.iter();
    let has = entities.any(|e| e.is_work_item() && e.all_dependency_keys().any(is_named));
    unless(
        has,
        "no record names what a task or other work item waits for (`waits_for` of an entity)",
    )
}

/// Reason why commands of the timeline have no effect: another view is shown.
pub(super) fn not_timeline(model: &Model) -> Option<&'static str> {
    let is_timeline = matches!(model.view.body, Body::Table(RowLook::Bars));
    unless(is_timeline, "only in the timeline")
}

/// Reason why commands on the other pane have no effect: there is no split. A split counts even if
/// the screen has no room for the other pane.
pub(super) fn not_split(model: &Model) -> Option<&'static str> {
    unless(model.split.is_some(), "there is one view on the screen")
}

/// Reason why commands on two visible panes have no effect: only one is on the screen.
pub(super) fn not_beside(model: &Model) -> Option<&'static str> {
    unless(model.beside().is_some(), "there is one view on the screen")
}

/// Reason why a command on the panes of a split screen has no effect.
pub(super) fn split(model: &Model, command: Command) -> Option<&'static str> {
    match command {
        Command::ViewBeside => no_room_for(model, SplitDirection::Beside),
        Command::ViewBelow => no_room_for(model, SplitDirection::Below),
        Command::OtherView | Command::CloseView | Command::OnlyView => not_split(model),
        _ => not_beside(model),
    }
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
        model.view.page().is_some() || !line.is_empty(),
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
        .or_else(|| nothing_listed(model))
        .or_else(no_goal)
}

/// Reason why no value can be excluded from the selection.
pub(super) fn pivot_out(model: &Model) -> Option<&'static str> {
    if model.popup_of::<Pivot>().is_some() {
        return None;
    }
    match model.view.is_table() && model.popup.is_none() {
        true => unless(
            under_cursor::can_leave_out(model),
            "this row is no value that records have",
        ),
        false => unless(
            model.pane == Pane::Record && model.popup.is_none(),
            "only in tables, the record and the pivot list",
        ),
    }
}

/// Reason why the pivot list cannot switch between the selection and the whole run.
pub(super) fn pivot_in_run(model: &Model) -> Option<&'static str> {
    match model.popup_of::<Pivot>().map(|pivot| pivot.scope) {
        Some(PivotScope::All) => Some("nothing is selected"),
        Some(_) => None,
        None => Some("only in the pivot list"),
    }
}

/// Reason why no mark can be removed.
pub(super) fn forget(model: &Model) -> Option<&'static str> {
    let is_list = model
        .popup_of::<Picker>()
        .is_some_and(|p| p.kind == PickerKind::Marks);
    unless(is_list, "only in the list of marks")
}

/// Reason why commands that edit a line of text have no effect.
pub(super) fn edit(model: &Model) -> Option<&'static str> {
    let writes = model.popup_of::<Prompt>().is_some() || model.popup_of::<Picker>().is_some();
    unless(writes, "only where a line is written")
}

/// Reason why there is nothing under the cursor to pivot on or to copy: the view is still being
/// computed, or the cursor is not on a value.
pub(super) fn nothing_here(model: &Model, purpose: PivotPurpose) -> &'static str {
    let is_awaited = match model.view.body {
        Body::Records => false,
        Body::Page(page) => (page.is_awaited)(model),
        Body::Table(_) => model.table().is_some_and(|t| !t.is_known),
    };
    match purpose {
        _ if is_awaited => "what belongs here is still being looked for",
        PivotPurpose::Keep => "there is nothing to pivot on",
        PivotPurpose::Copy => "there is nothing to copy here",
    }
}

/// Reason why there is nothing to compare: nothing is selected, and the logs have a single run.
pub(super) fn nothing_to_compare(model: &Model) -> Option<&'static str> {
    let is_known = model.subjects.contains_key(&View::COMPARE);
    let can_compare = is_known
        || compared_sides::own(model).is_some()
        || compared_sides::has_outcomes(model)
        || !compared_sides::is_single_run(model);
    (!can_compare).then_some("there is one run here without failed work, and nothing is selected")
}

/// Reason why a command would have no effect now, in a few words; `None` if it would have one.
pub fn why_not(model: &Model, command: Command) -> Option<&'static str> {
    let unavailable = REASONS[command as usize]?;
    unavailable(model)
}

/// Reason why `repeat` has no effect.
pub(super) const NOTHING_TO_REPEAT: &str = "no command to repeat";

/// Reason why `repeat` has no effect now.
fn no_call(model: &Model) -> Option<&'static str> {
    unless(model.repetition.last().is_some(), NOTHING_TO_REPEAT)
}

/// Returns the reason why no view can be opened on a side of the screen; `None` if one can.
pub(super) fn no_room_for(model: &Model, side: SplitDirection) -> Option<&'static str> {
    let is_there = model.split.is_some_and(|p| p.side == side);
    match (crate::frame::has_room(model, side), side) {
        (true, _) if is_there => Some("there are two views already"),
        (true, _) => None,
        (false, SplitDirection::Beside) => Some("needs 110 columns"),
        (false, SplitDirection::Below) => Some("needs 30 rows"),
    }
}

/// Reason why the current view cannot be split by a key; `None` if it can.
pub(super) fn no_split(model: &Model) -> Option<&'static str> {
    matches!(model.view.split, Split::Never).then_some("this view cannot be grouped by a key")
}

/// Reason why no definition can be drafted; `None` if one can.
pub(super) fn nothing_to_draft(model: &Model) -> Option<&'static str> {
    let mut sources = model.snapshot.sources.iter();
    (!sources.any(|s| user_drafts::is_unknown(s)))
        .then_some("definitions know all of these logs: there is nothing to draft")
}
