//! Commands of the page of findings: requests the diagnosis while the page is on the screen, and moves
//! between findings and their evidence.

use std::sync::Arc;

use crate::command::Command;
use crate::event_list::CursorAnchor;
use crate::findings::{FindingCursor, FindingSearch};
use crate::layout::Areas;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::pages::findings as page;
use widetui_core::ids::EventId;
use widetui_session::findings::{DiagnosisRequest, Findings};
use widetui_session::instances::InstanceHandle;
use widetui_session::jobs::{JobKind, Question};
use widetui_session::record_texts::Place;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_store::{EventRef, Snapshot};

use super::{ask, jumps, moves, say, select, show};

/// Number of records above which a few new records do not cause a new diagnosis, since a diagnosis reads
/// the text of all records.
const LARGE: usize = 200_000;
/// Inverse of the minimum growth that causes a new diagnosis of such a run: 16 means by 1/16.
const GROWTH: usize = 16;
/// Maximum length of a finding's title in the breadcrumb, in characters.
const LABEL: usize = 32;

/// Requests a diagnosis if the page is on the screen and has no current one for the run and selection;
/// waits until reading, joins and the selection are complete.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    let steps = model.selection.steps();
    let is_unsettled = !model.snapshot.complete
        || model.joins.is_running()
        || model.arriving.newer.is_some() && model.arriving.follow.waiting.is_none()
        || model.counts.len() != steps.len();
    let is_asked = model.findings.asked.as_ref();
    let is_known = is_asked.is_some_and(|(of, known)| {
        known == steps && is_nearly(of, &model.snapshot, model.findings.found.is_some())
    }) && !has_aged(model);
    let is_busy = model.findings.search != FindingSearch::Idle;
    if model.on_screen(View::Diagnose).is_none() || is_unsettled || is_known || is_busy {
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

/// Whether the ages of unfinished work in the findings are outdated: the time since the last record has
/// doubled since the diagnosis, as on the page of unfinished work ([`super::instance_views::tick`]).
fn has_aged(model: &Model) -> bool {
    let told = model.findings.found.as_ref().and_then(|found| found.as_of);
    let last = model.snapshot.range().map(|r| r.1);
    match (told, model.now(), last) {
        (Some(told), Some(now), Some(last)) => super::instance_views::is_old(told, now, last),
        _ => false,
    }
}

/// Whether a diagnosis of one snapshot (`of`) is valid for another: the records are the same, or the
/// diagnosis is complete and a large run has grown by less than 1/[`GROWTH`].
fn is_nearly(of: &Snapshot, now: &Snapshot, is_answered: bool) -> bool {
    let is_same = Arc::ptr_eq(&of.segments, &now.segments)
        && Arc::ptr_eq(&of.derived, &now.derived)
        && Arc::ptr_eq(&of.sources, &now.sources);
    let (before, after) = (of.len(), now.len());
    let grew_little = after >= before && (after - before) * GROWTH < before;
    is_same || is_answered && of.lineage == now.lineage && before > LARGE && grew_little
}

/// Shows a new diagnosis. The cursor stays on its finding if the diagnosis still has it, else moves to
/// the first one.
pub(super) fn found(model: &mut Model, found: Arc<Findings>) -> Vec<Effect> {
    let state = &mut model.findings;
    let before = state.found.as_ref();
    let before = before.and_then(|f| f.diagnosis.findings.get(state.open).cloned());
    let findings = &found.diagnosis.findings;
    let same = before.and_then(|b| {
        let is_same = |f: &&widetui_diagnosis::findings::Finding| {
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
    state.found = Some(found);
    state.search = FindingSearch::Idle;
    moves::settle(model);
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
    say(
        model,
        "given up: shown again, it is looked for again".to_owned(),
    );
    Some(vec![Effect::Cancel(JobKind::Findings)])
}

/// Shows the page of findings; a cancelled diagnosis starts again.
pub(super) fn open_view(model: &mut Model) -> Vec<Effect> {
    if model.findings.search == FindingSearch::GivenUp {
        model.findings.search = FindingSearch::Idle;
    }
    let effects = super::views::show_by_key(model, View::Diagnose);
    place(model);
    effects
}

/// Scrolls to the cursor, and further to show the whole expanded finding if it fits.
pub(super) fn place(model: &mut Model) {
    if model.view != View::Diagnose {
        return;
    }
    let lines = page::lines(model, model.columns_of(View::Diagnose));
    let height = usize::from(Areas::of(model).list.height);
    let state = &mut model.findings;
    let line_of = |spot: FindingCursor| lines.iter().position(|l| l.goal == Some(spot));
    let at = line_of(state.spot).or_else(|| line_of(FindingCursor::Finding(state.open)));
    state.list.cursor = at.unwrap_or(0);
    state.list.reveal(height, lines.len());
    if let Some(open) = state.spot.finding()
        && let Some(start) = line_of(FindingCursor::Finding(open))
    {
        let of_it = lines[start + 1..].iter();
        let ends = |l: &&page::FindingLine| match l.goal {
            Some(spot) => spot.finding() != Some(open) || matches!(spot, FindingCursor::Finding(_)),
            None => l.is_title,
        };
        let length = 1 + of_it.take_while(|l| !ends(l)).count();
        if start + length > state.list.top + height {
            let top = (start + length).saturating_sub(height).min(start);
            state.list.top = top.min(state.list.cursor).max(state.list.top);
        }
        state.list.top = state
            .list
            .top
            .min(start.max(state.list.cursor.saturating_sub(height.saturating_sub(1))));
    }
    // On the first finding, the top of the page is visible too.
    if state.spot == FindingCursor::Finding(0) {
        state.list.top = 0;
    }
}

/// Moves the cursor. The finding it leaves collapses, and the finding it reaches expands without moving
/// on the screen.
fn go(model: &mut Model, spot: FindingCursor) {
    let row = |model: &Model, spot: FindingCursor| {
        let lines = page::lines(model, model.columns_of(View::Diagnose));
        lines.iter().position(|l| l.goal == Some(spot))
    };
    let before = row(model, spot);
    if let Some(finding) = spot.finding() {
        model.findings.open = finding;
    }
    model.findings.spot = spot;
    if let (Some(before), Some(after)) = (before, row(model, spot)) {
        let top = model.findings.list.top;
        model.findings.list.top = (top + after).saturating_sub(before);
    }
    place(model);
}

/// Moves to a finding or a line of the conclusion, by index in [`page::searched_texts`].
pub(super) fn to_place(model: &mut Model, place: usize) {
    let texts = page::searched_texts(model);
    if let Some((spot, _)) = texts.get(place) {
        go(model, *spot);
    }
}

/// Moves the cursor to the next or previous line with a link (`rows` is 1 or -1), or by a page of
/// `rows` lines.
pub(super) fn step(model: &mut Model, rows: i64) {
    let lines = page::lines(model, model.columns_of(View::Diagnose));
    let spots: Vec<(usize, FindingCursor)> = lines
        .iter()
        .enumerate()
        .filter_map(|(line, l)| Some((line, l.goal?)))
        .collect();
    let Some(at) = spots.iter().position(|s| s.1 == model.findings.spot) else {
        place(model);
        return;
    };
    let next = match rows {
        1 | -1 => moves::moved(at, rows, spots.len()),
        _ => {
            // A page: the nearest line with a link, at least one link further.
            let wanted = moves::moved(spots[at].0, rows, lines.len());
            let near = spots.iter().rposition(|s| s.0 <= wanted).unwrap_or(0);
            match rows > 0 {
                true => near.max((at + 1).min(spots.len() - 1)),
                false => near.min(at.saturating_sub(1)),
            }
        }
    };
    go(model, spots[next].1);
}

/// Handles a click on a line: moves the cursor there, or opens the line if it is the current one.
pub(super) fn click(model: &mut Model, line: usize) -> Vec<Effect> {
    let lines = page::lines(model, model.columns_of(View::Diagnose));
    let Some(spot) = lines.get(line).and_then(|l| l.goal) else {
        return Vec::new();
    };
    if spot == model.findings.spot {
        return super::open(model);
    }
    go(model, spot);
    Vec::new()
}

/// Moves to the next finding; from the last to the first.
pub(super) fn next(model: &mut Model) -> Vec<Effect> {
    in_list(model, Command::NextPane)
}

/// Moves to the previous finding; from the first to the last.
pub(super) fn previous(model: &mut Model) -> Vec<Effect> {
    let count = model
        .findings
        .found
        .as_ref()
        .map_or(0, |f| f.diagnosis.findings.len());
    let at = model.findings.spot.finding().unwrap_or(0);
    if let Some(last) = count.checked_sub(1) {
        go(
            model,
            FindingCursor::Finding(at.checked_sub(1).unwrap_or(last)),
        );
    }
    Vec::new()
}

/// Runs a command within the page: right expands a finding, left collapses it, and the next pane is the
/// next finding.
pub(super) fn in_list(model: &mut Model, command: Command) -> Vec<Effect> {
    let Some(at) = model.findings.spot.finding() else {
        if command == Command::NextPane {
            go(model, FindingCursor::Finding(0));
        }
        return Vec::new();
    };
    match command {
        Command::NextPane => {
            let found = model.findings.found.as_ref();
            let count = found.map_or(0, |f| f.diagnosis.findings.len());
            go(model, FindingCursor::Finding((at + 1) % count.max(1)));
        }
        Command::Unfold => {
            model.findings.is_folded = !model.findings.is_folded;
            go(model, FindingCursor::Finding(at));
        }
        Command::Right => {
            let is_folded = std::mem::replace(&mut model.findings.is_folded, false);
            match is_folded {
                true => go(model, FindingCursor::Finding(at)),
                false => step(model, 1),
            }
        }
        _ => {
            model.findings.is_folded |= model.findings.spot == FindingCursor::Finding(at);
            go(model, FindingCursor::Finding(at));
        }
    }
    Vec::new()
}

/// Record under the cursor; on the title of a finding, its first evidence record.
pub(super) fn event(model: &Model) -> Option<EventRef<'_>> {
    let findings = &model.findings.found.as_ref()?.diagnosis.findings;
    let (finding, number) = match model.findings.spot {
        FindingCursor::Finding(at) => (findings.get(at)?, 0),
        FindingCursor::Evidence(at, number) => (findings.get(at)?, number),
        FindingCursor::Words(_) => return None,
    };
    model.snapshot.event(*finding.evidence.get(number)?)
}

/// Instance that the finding under the cursor is about, if it is about a single one.
pub(super) fn thing(model: &Model) -> Option<InstanceHandle> {
    let findings = &model.findings.found.as_ref()?.diagnosis.findings;
    let FindingCursor::Finding(at) = model.findings.spot else {
        return None;
    };
    let (entity, id) = findings.get(at)?.thing.clone()?;
    let entities = model.meaning.instance_cache.entities();
    let title = entities.iter().find(|e| e.name == entity);
    let title = title.map_or(entity.as_str(), |e| e.title.as_str());
    let number = id.last().map_or("", |p| p.1.as_str());
    Some(InstanceHandle {
        name: format!("{title} {number}"),
        instance_cache: model.meaning.instance_cache.clone(),
        label: None,
        entity,
        id,
    })
}

/// Selects the records of the finding under the cursor, or moves to the evidence record under the
/// cursor in the list of records.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    if let Some(thing) = thing(model) {
        let place = last_of(model).map(|e| Place::from_event(&e));
        return narrow(
            model,
            SelectionStep::for_instance(&thing, StepEffect::Keep),
            place,
        );
    }
    let (Some(place), FindingCursor::Finding(at)) = (
        event(model).map(|e| Place::from_event(&e)),
        model.findings.spot,
    ) else {
        let place = event(model).map(|e| Place::from_event(&e));
        return place.map_or(Vec::new(), |place| to_record(model, place));
    };
    let found = model.findings.found.clone();
    let Some(finding) = found.as_ref().and_then(|f| f.diagnosis.findings.get(at)) else {
        return Vec::new();
    };
    let label: String = finding.title.chars().take(LABEL).collect();
    let label = match finding.title.len() > label.len() {
        true => format!("{}…", label.trim_end()),
        false => label,
    };
    let step = SelectionStep::of_records(label, &model.snapshot, &finding.events);
    narrow(model, step, Some(place))
}

/// Narrows the selection by a step, and moves the cursor to a record once the rows are known.
fn narrow(model: &mut Model, step: SelectionStep, place: Option<Place>) -> Vec<Effect> {
    let mut effects = show(model, View::Events);
    let before = model.selection.steps().len();
    model.kept.going_to = place;
    effects.extend(select::push(model, step));
    if model.selection.steps().len() == before {
        super::user_files::arrive(model);
    }
    effects
}

/// Last record of the finding under the cursor, which is the most relevant one of an instance that made
/// no progress.
fn last_of(model: &Model) -> Option<EventRef<'_>> {
    let findings = &model.findings.found.as_ref()?.diagnosis.findings;
    let finding = findings.get(model.findings.spot.finding()?)?;
    let last: Option<&EventId> = finding.events.last();
    model.snapshot.event(*last?)
}

/// Moves to a record in the list of records; drops the selection if it excludes the record.
fn to_record(model: &mut Model, place: Place) -> Vec<Effect> {
    let id = model.snapshot.event_at(place.source, place.offset);
    let row = id.and_then(|id| model.rows.row_of(&model.snapshot, id));
    let mut effects = show(model, View::Events);
    match row {
        Some(row) => jumps::to_row(model, row),
        None => {
            model.kept.going_to = Some(place);
            model.events.anchor = CursorAnchor::Record;
            effects.extend(select::keep(model, 0));
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
