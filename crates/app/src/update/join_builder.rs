//! Join builder: assigns keys to the sides of a new join, previews its result, then applies or saves it.

use std::sync::Arc;

use crate::model::{Model, View};
use crate::msg::Effect;
use widetui_join::{Join, Report};
use widetui_session::jobs::Question;
use widetui_session::user_joins::OPTIONS;
use widetui_tables::answers::join_builder;
use widetui_tables::join_draft::{JoinDraft, JoinSide};

use super::joins;
use super::primitives::navigation::show;
use super::primitives::notices::say;
use super::primitives::questions::ask;

/// Opens the join builder with an empty draft.
pub(super) fn begin(model: &mut Model) -> Vec<Effect> {
    model.joins.draft = JoinDraft::default();
    model.tables.remove(&View::NEW_JOIN);
    show(model, View::NEW_JOIN)
}

/// Moves the key under the cursor to its next side: matched keys, transferred keys, unused.
pub(super) fn turn(model: &mut Model) -> Vec<Effect> {
    let row = model.table().and_then(|t| t.current());
    let Some(key) = row.map(|r| r.name.clone()) else {
        return Vec::new();
    };
    let draft = &mut model.joins.draft;
    let side = draft.side(&key);
    draft.by.retain(|k| *k != key);
    draft.gives.retain(|k| *k != key);
    match side {
        None => draft.by.push(key),
        Some(JoinSide::Left) => draft.gives.push(key),
        Some(JoinSide::Right) => {}
    }
    draft.preview = None;
    mark(model);
    preview(model).into_iter().collect()
}

/// Updates the side of each key in the table of the join builder.
pub(super) fn mark(model: &mut Model) {
    let draft = model.joins.draft.clone();
    if let Some(state) = model.tables.get_mut(&View::NEW_JOIN) {
        join_builder::mark(Arc::make_mut(&mut state.table), &draft);
    }
}

fn preview(model: &mut Model) -> Option<Effect> {
    let join = model.joins.draft.join()?;
    let known = joins::active(model);
    Some(ask(model, Question::Preview(known, join)))
}

/// Stores the preview of the typed or drafted join.
pub(super) fn previewed(model: &mut Model, report: Option<Report>) -> Vec<Effect> {
    match &mut model.joins.reading {
        Some(typed) => typed.widened = Some(report),
        None => model.joins.draft.preview = Some(report),
    }
    Vec::new()
}

/// Returns the join to apply: the drafted one, or the suggestion or user's join under the cursor.
fn current(model: &Model) -> Option<Join> {
    if model.view == View::NEW_JOIN {
        return model.joins.draft.join();
    }
    let name = &model.table()?.current()?.name;
    let suggested = model.joins.suggested.iter().map(|(join, _)| join);
    // Those of the command line are in force for this start alone.
    let typed = { model.meaning.joins.iter() }.filter(|j| j.system.as_deref() == Some(OPTIONS));
    let own = model.selection.joins().own.iter();
    let mut all = own.chain(suggested).chain(typed);
    all.find(|j| j.name == *name).cloned()
}

/// Applies the current join and returns it with its effects; notifies the user if there is none.
fn apply_current(model: &mut Model) -> Option<(Join, Vec<Effect>)> {
    let Some(join) = current(model) else {
        let text = match model.view == View::NEW_JOIN {
            true => "choose what events have the same, and what they get from each other",
            false => "this join is in force already, or there is none here",
        };
        say(model, text);
        return None;
    };
    let own = model.selection.joins().own.iter();
    let is_known = own.chain(&model.meaning.joins).any(|j| j.name == join.name);
    let mut effects = Vec::new();
    if !is_known {
        effects.extend(joins::add(model, join.clone()));
    }
    if model.view == View::NEW_JOIN {
        effects.extend(show(model, View::JOINS));
    }
    Some((join, effects))
}

/// Applies the current join.
pub(super) fn apply(model: &mut Model) -> Vec<Effect> {
    match apply_current(model) {
        Some((join, effects)) => {
            say(model, format!("{} is in force", join.name));
            effects
        }
        None => Vec::new(),
    }
}

/// Applies the current join and saves it to the user's definitions.
pub(super) fn save(model: &mut Model) -> Vec<Effect> {
    let Some((join, mut effects)) = apply_current(model) else {
        return Vec::new();
    };
    effects.push(Effect::SaveJoin(Box::new(join)));
    effects
}
