//! Commands of the page of findings: requests the diagnosis while the page is on the screen, and moves
//! between findings and their evidence.

use std::sync::Arc;

use crate::command::Command;
use crate::event_list::CursorAnchor;
use crate::findings::{FindingCursor, FindingSearch};
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::under_cursor;
use widetui_session::findings::{DiagnosisRequest, Findings};
use widetui_session::jobs::{JobKind, Question};
use widetui_session::record_texts::Place;
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;
use widetui_tables::text::cut_words;

use super::instance_views;
use super::primitives::navigation::{show, show_records};
use super::primitives::notices::say;
use super::primitives::questions::ask;
use super::primitives::{findings_cursor, record_cursor, scrolling, selection};

/// Number of records above which a few new records do not cause a new diagnosis, since a diagnosis reads
/// the text of all records.
const LARGE: usize = 200_000;

/// Inverse of the minimum growth that causes a new diagnosis of such a run: 16 means by 1/16.
const GROWTH: usize = 16;

/// Maximum width of a finding's title in the breadcrumb, in columns.
const LABEL: usize = 32;

/// Requests a diagnosis if the page is on the screen and has no current one for the run and selection;
/// waits until reading, joins and the selection are complete.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    let steps = model.selection.steps();
    let is_unsettled = !model.snapshot.complete
        || model.joins.is_running()
        || model.load_state.newer.is_some() && model.load_state.follow.waiting.is_none()
        || model.counts.len() != steps.len();
    let found = model.findings.found.as_ref();
    let has_aged = found.is_some_and(|found| instance_views::has_aged(model, found.as_of));
    let is_asked = model.findings.asked.as_ref();
    let is_known = is_asked.is_some_and(|(of, known)| {
        known == steps && is_nearly(of, &model.snapshot, model.findings.found.is_some())
    }) && !has_aged;
    let is_busy = model.findings.search != FindingSearch::Idle;
    if model.on_screen(View::DIAGNOSE).is_none() || is_unsettled || is_known || is_busy {
        return None;
    }
    model.findings.asked = Some((model.snapshot.clone(), steps.to_vec()));
    model.findings.search = FindingSearch::Running(None);
    let wish = DiagnosisRequest {
        rows: model.rows.own().clone(),
        meaning: model.meaning.clone(),
        zone: model.zone.clone(),
        now: model.now(),
    };
    Some(ask(model, Question::Findings(Box::new(wish))))
}

/// Whether a diagnosis of one snapshot (`of`) is valid for another: the records are the same, or the
/// diagnosis is complete and a large run has grown by less than 1/[`GROWTH`].
fn is_nearly(of: &Snapshot, now: &Snapshot, is_answered: bool) -> bool {
    let (before, after) = (of.len(), now.len());
    let grew_little = after >= before && (after - before) * GROWTH < before;
    of.is_same(now) || is_answered && of.lineage == now.lineage && before > LARGE && grew_little
}

/// Shows a new diagnosis. The cursor stays on its finding if the diagnosis still has it, else moves to
/// the first one.
pub(super) fn found(model: &mut Model, found: Arc<Findings>) -> Vec<Effect> {
    let state = &mut model.findings;
    let before = state.found.as_ref();
    let before = before.and_then(|f| f.diagnosis.findings.get(state.open).cloned());
    let findings = &found.diagnosis.findings;
    let same = before.and_then(|b| {
        let is_same = |f: &&widetui_diagnosis::Finding| {
            f.kind == b.kind && f.evidence.first() == b.evidence.first()
        };
        findings.iter().position(|f| is_same(&f))
    });
    let open = same.unwrap_or(0);
    state.spot = match (same, state.spot) {
        (Some(_), FindingCursor::Evidence(_, at)) if at < findings[open].evidence.len() => {
            FindingCursor::Evidence(open, at)
        }
        (_, FindingCursor::Words(line)) if !findings.is_empty() => FindingCursor::Words(line),
        _ if findings.is_empty() => FindingCursor::Words(0),
        _ => FindingCursor::Finding(open),
    };
    state.open = open;
    let returning = state.returning.take();
    if let Some((spot, open, list)) = returning.filter(|(_, open, _)| *open < findings.len()) {
        (state.spot, state.open, state.list) = (spot, open, list);
    }
    state.found = Some(found);
    state.search = FindingSearch::Idle;
    scrolling::settle(model);
    Vec::new()
}

/// Cancels the running diagnosis; `None` if none is running.
pub(super) fn give_up(model: &mut Model) -> Option<Vec<Effect>> {
    if !matches!(model.findings.search, FindingSearch::Running(_)) {
        return None;
    }
    model.findings.search = FindingSearch::GivenUp;
    model.findings.asked = None;
    model.generations.next(JobKind::Findings);
    say(model, "given up: shown again, it is looked for again");
    Some(vec![Effect::Cancel(JobKind::Findings)])
}

/// Shows the page of findings; a cancelled diagnosis starts again.
pub(super) fn open_view(model: &mut Model) -> Vec<Effect> {
    if model.findings.search == FindingSearch::GivenUp {
        model.findings.search = FindingSearch::Idle;
    }
    let effects = show(model, View::DIAGNOSE);
    findings_cursor::place(model);
    effects
}

/// Selects the records of the finding under the cursor, or moves to the evidence record under the
/// cursor in the list of records.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let place = under_cursor::finding_record(model).map(|e| Place::from_event(&e));
    let FindingCursor::Finding(at) = model.findings.spot else {
        return place.map_or(Vec::new(), |place| to_record(model, place));
    };
    let found = model.findings.found.clone();
    let finding = found.as_ref().and_then(|f| f.diagnosis.findings.get(at));
    let Some(finding) = finding.filter(|finding| !finding.events.is_empty()) else {
        return Vec::new();
    };
    let label = cut_words(&finding.title, LABEL);
    let step = SelectionStep::of_records(label, &model.snapshot, &finding.events);
    let mut effects = show_records(model);
    let before = model.selection.steps().len();
    model.user_data.going_to = place;
    effects.extend(selection::push(model, step));
    if model.selection.steps().len() == before {
        record_cursor::arrive(model);
    }
    effects
}

/// Moves to a record in the list of records; drops the selection if it excludes the record.
fn to_record(model: &mut Model, place: Place) -> Vec<Effect> {
    let id = model.snapshot.event_at(place.source, place.offset);
    let row = id.and_then(|id| model.rows.row_of(&model.snapshot, id));
    let mut effects = show_records(model);
    match row {
        Some(row) => record_cursor::jump_to(model, row),
        None => {
            model.user_data.going_to = Some(place);
            model.events.anchor = CursorAnchor::Record;
            effects.extend(selection::keep(model, 0));
            let keys = model.keymap.keys_of(&model.scopes(), Command::Undo);
            let keys = keys.unwrap_or_default();
            say(
                model,
                format!("the selection left this record out and was dropped; {keys} takes it back"),
            );
        }
    }
    effects
}
