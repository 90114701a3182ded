//! What cannot be done now, and why: hints, help and palette say so before it is tried.

use crate::action::Action;
use crate::findings::FindingSearch;
use crate::model::{Model, Pane, View};
use crate::pages::unfinished;
use crate::popups::{PickerKind, PivotPurpose, PivotScope, Popup};
use crate::screen_split::SplitDirection;
use crate::view::{Body, Page};
use widetui_tables::table::{RowGoal, TableState};

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
    model.view.is_table() && row.is_some_and(|r| r.goal == RowGoal::Nothing)
}

/// Whether time is brushed where it can be taken.
fn is_brushed(model: &Model) -> bool {
    model.view.is_over_time() && model.events.brush.is_some()
}

/// Whether there is something to compare, as far as is known.
fn can_compare(model: &Model) -> bool {
    let is_known = model.things.compared.is_some();
    is_known || super::compare::has_side(model) || !super::runs::is_single(model)
}

/// Why an action would do nothing now, in a few words; `None` when it would do something.
pub fn why_not(model: &Model, action: Action) -> Option<&'static str> {
    use Action as A;
    let unless = |is_fine: bool, reason| (!is_fine).then_some(reason);
    match action {
        A::Undo => unless(model.selection.can_undo(), "there is nothing to undo"),
        A::Redo => unless(model.selection.can_redo(), "nothing was undone"),
        A::Clear => unless(!model.selection.is_all(), "nothing is selected"),
        A::NextHit | A::PrevHit if model.view.is_page() => None,
        A::NextHit | A::PrevHit => {
            let rows = model.row_search().map(|s| &s.line);
            let line = rows.unwrap_or(&model.search.line);
            unless(!line.is_empty(), "nothing was searched")
        }
        A::FilterRows => unless(model.view.is_table(), "only in tables"),
        A::NextMark | A::PrevMark => unless(!model.marks.is_empty(), "nothing is marked"),
        A::Marks => unless(
            !model.marks.is_empty() || !model.kept.notes.is_empty(),
            "nothing is marked",
        ),
        A::RestoreWorkspace => unless(
            model.kept.offer.is_some(),
            "no workspace of this run was saved",
        ),
        A::Context | A::ContextMore => unless(
            !model.selection.is_all(),
            "nothing is filtered: all neighbours are there",
        ),
        // It takes what is brushed, whatever row is under the cursor.
        A::Open if model.popup.is_none() && is_brushed(model) => None,
        A::Open
        | A::Pivot
        | A::PivotOut
        | A::Trace
        | A::HideSource
        | A::SortNext
        | A::SortTurn
        | A::NextBar
        | A::PrevBar
            if has_no_rows(model) =>
        {
            Some("there is no row")
        }
        A::Open | A::Pivot | A::Trace if leads_nowhere(model) => {
            Some("nothing is stuck, and no one fell silent")
        }
        A::Open if model.popup.is_none() && has_no_goal(model) => {
            Some("there is nothing behind this row")
        }
        A::ViewBeside => super::panes::why_not_open(model, SplitDirection::Beside),
        A::ViewBelow => super::panes::why_not_open(model, SplitDirection::Below),
        // One that has no room here is there all the same, behind the other.
        A::OtherView | A::CloseView | A::OnlyView => {
            unless(model.pair.is_some(), "there is one view on the screen")
        }
        A::SwapViews | A::ViewLarger | A::ViewSmaller => {
            unless(model.beside().is_some(), "there is one view on the screen")
        }
        A::ViewCompare => unless(
            can_compare(model),
            "there is one run here, and nothing is selected",
        ),
        A::PivotOut => match &model.popup {
            Some(Popup::Pivot(_)) => None,
            None if model.view.is_table() => unless(
                super::table::can_leave_out(model),
                "this row is no value that records have",
            ),
            None if model.pane == Pane::Record => None,
            _ => Some("only in tables, the record and the pivot list"),
        },
        A::PlotBy
        | A::PlotColour
        | A::PlotEntity
        | A::Left
        | A::Right
        | A::ZoomIn
        | A::ZoomOut
        | A::ZoomAll
        | A::BrushStart
        | A::BrushEnd
        | A::BrushEarlier
        | A::BrushLater
            if has_no_picture(model) =>
        {
            Some("there is nothing to draw")
        }
        A::PlotBy => unless(
            super::plots::can_be_told_apart(model.view),
            "here is nothing to tell apart by a key",
        ),
        A::PlotColour | A::NextBar | A::PrevBar => {
            unless(model.view == View::Timeline, "only in the timeline")
        }
        A::Forget => {
            let is_list =
                matches!(&model.popup, Some(Popup::Picker(p)) if p.kind == PickerKind::Marks);
            unless(is_list, "only in the list of marks")
        }
        A::DeleteBack | A::DeleteWord | A::DeleteToStart | A::DeleteToEnd => {
            let writes = matches!(model.popup, Some(Popup::Prompt(_) | Popup::Picker(_)));
            unless(writes, "only where a line is written")
        }
        A::PivotWhole => match &model.popup {
            Some(Popup::Pivot(pivot)) if pivot.scope == PivotScope::All => {
                Some("nothing is selected")
            }
            Some(Popup::Pivot(_)) => None,
            _ => Some("only in the pivot list"),
        },
        A::Draft => super::sources::why_no_draft(model),
        A::CopyCommand => model.kept.opened.why_not,
        A::Pivot
        | A::Mark
        | A::Note
        | A::CopyJson
        | A::SearchSubject
        | A::SearchSubjectBack
        | A::GotoTime => unless(
            model.view != View::Events || !model.is_empty(),
            "there is no record",
        ),
        _ => None,
    }
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
