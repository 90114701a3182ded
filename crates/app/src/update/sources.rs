//! Commands of the sources view: line numbers of a source's problems, and drafts of definitions.

use crate::model::{Model, View};
use crate::msg::Effect;
use crate::popups::PromptKind;
use widetui_draft::names;
use widetui_session::jobs::Question;
use widetui_session::problem_lines::ProblemSpot;

use super::availability;
use super::primitives::notices::{alert, say};
use super::primitives::questions::ask;
use super::primitives::{prompts, record_cursor, scrolling};

/// Requests the locations of the problems of the source under the cursor if they are shown and not known.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    let source = model
        .current_source()
        .filter(|_| model.view == View::SOURCES)?;
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

/// Opens the prompt for the name of a definition to draft.
pub(super) fn open_draft(model: &mut Model) -> Vec<Effect> {
    if let Some(reason) = availability::nothing_to_draft(model) {
        return say(model, reason);
    }
    // A draft writes a file, so the prompt only proposes a name.
    let name = names::of_paths(&model.user_data.export.1);
    prompts::open(model, PromptKind::Draft, &name)
}

/// Writes a draft definition with this name; nothing if the name is empty.
pub(super) fn draft(model: &mut Model, name: String) -> Vec<Effect> {
    if name.is_empty() {
        return Vec::new();
    }
    if let Err(reason) = names::check(&name) {
        return alert(model, reason);
    }
    say(model, "a definition is being drafted …");
    vec![Effect::SaveDraft(model.snapshot.clone(), name)]
}

/// Stores the locations of problems.
pub(super) fn found(model: &mut Model, spots: Vec<ProblemSpot>) {
    let known = &mut model.problems.spots;
    known.extend(spots.into_iter().map(|s| ((s.source, s.offset), s)));
    model.problems.asked = None;
    scrolling::settle(model);
}

/// Moves the cursor of the record list to the first unreadable record of the source under the cursor, if it is selected.
pub(super) fn to_problem(model: &mut Model) {
    let place = |source: &widetui_store::Source| {
        let first = source.problems.iter().filter_map(|p| p.offset).min()?;
        let id = model.snapshot.event_at(source.id, first)?;
        model.rows.row_of(&model.snapshot, id)
    };
    if let Some(row) = model.current_source().and_then(place) {
        record_cursor::to_row(model, row);
    }
}
