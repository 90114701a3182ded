//! The table of sources: where the problems of the one under the cursor begin is looked up when it is shown.

use crate::model::{Model, View};
use crate::msg::Effect;
use crate::popups::PromptKind;
use widetui_draft::{names, user_drafts};
use widetui_session::jobs::Question;
use widetui_session::problem_lines::ProblemSpot;

use super::{alert, ask, line, moves, say};

/// Asks where the problems of the source under the cursor begin, when that is shown and not known.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    let source = model
        .current_source()
        .filter(|_| model.view == View::Sources)?;
    let id = source.id;
    let places = source.problems.iter().filter_map(|p| p.offset);
    let missing = places.filter(|at| !model.problems.spots.contains_key(&(id, *at)));
    let missing: Vec<u64> = missing.collect();
    let wanted = Some((id, missing)).filter(|(_, m)| !m.is_empty());
    if wanted.is_none() || model.problems.asked == wanted {
        return None;
    }
    model.problems.asked = wanted;
    Some(ask(model, Question::Problems(id)))
}

/// Opens the line for the name of a definition to be drafted.
pub(super) fn open_draft(model: &mut Model) -> Vec<Effect> {
    if let Some(reason) = why_no_draft(model) {
        say(model, reason.to_owned());
        return Vec::new();
    }
    // Nothing is written that nobody asked for: the name is offered in a line.
    let name = names::of_paths(&model.kept.export.1);
    line::open(model, PromptKind::Draft, &name)
}

/// Writes a first definition of this name; without one nothing.
pub(super) fn draft(model: &mut Model, name: String) -> Vec<Effect> {
    if name.is_empty() {
        return Vec::new();
    }
    if let Err(reason) = names::check(&name) {
        alert(model, reason);
        return Vec::new();
    }
    say(model, "a definition is being drafted …".to_owned());
    vec![Effect::SaveDraft(model.snapshot.clone(), name)]
}

/// Why no definition can be drafted.
pub(super) fn why_no_draft(model: &Model) -> Option<&'static str> {
    let mut sources = model.snapshot.sources.iter();
    (!sources.any(|s| user_drafts::is_unknown(s)))
        .then_some("definitions know all of these logs: there is nothing to draft")
}

/// It is known where they begin.
pub(super) fn found(model: &mut Model, spots: Vec<ProblemSpot>) {
    let known = &mut model.problems.spots;
    known.extend(spots.into_iter().map(|s| ((s.source, s.offset), s)));
    model.problems.asked = None;
    moves::settle(model);
}

/// Puts the cursor on the first record of the source under the cursor that could not be read well, where there is one.
pub(super) fn to_problem(model: &mut Model) {
    let place = |source: &widetui_store::Source| {
        let first = source.problems.iter().filter_map(|p| p.offset).min()?;
        let id = model.snapshot.event_at(source.id, first)?;
        model.rows.row_of(&model.snapshot, id)
    };
    if let Some(row) = model.current_source().and_then(place) {
        moves::to_row(model, row);
    }
}
