//! Joins are computed in the background, and again when the run grows or the user changes them.

use std::sync::Arc;

use crate::join::{Join, Report};
use crate::store::Snapshot;
use crate::ui::model::{Model, View};
use crate::ui::msg::Effect;
use crate::ui::table::Goal;
use crate::workspace::jobs::Question;

use super::{ask, data, show};

/// The joins that are switched on.
pub(super) fn active(model: &Model) -> Arc<[Join]> {
    let all = model.meaning.joins.iter().chain(&model.joins.own);
    let on = all.filter(|j| !model.joins.off.contains(&j.name));
    on.cloned().collect()
}

/// Computes the joins of the newest snapshot; later, when it is being done for an older one.
pub(super) fn widen(model: &mut Model) -> Option<Effect> {
    if model.joins.is_running {
        model.joins.is_stale = true;
        return None;
    }
    let joins = active(model);
    if !model.newest().complete || (joins.is_empty() && model.joins.reports.is_empty()) {
        return None;
    }
    model.joins.is_running = true;
    model.joins.is_stale = false;
    let effect = ask(model, Question::Widen(joins));
    Some(about_newest(model, effect))
}

/// A question about the newest snapshot, which may not be shown yet.
fn about_newest(model: &Model, effect: Effect) -> Effect {
    match effect {
        Effect::Ask {
            question,
            generation,
            ..
        } => Effect::Ask {
            snapshot: model.newest().clone(),
            question,
            generation,
        },
        other => other,
    }
}

/// What joins gave was found, perhaps for a snapshot that is not the newest any more.
pub(super) fn widened(
    model: &mut Model,
    snapshot: Arc<Snapshot>,
    reports: Arc<[Report]>,
) -> Vec<Effect> {
    model.joins.is_running = false;
    model.joins.reports = reports;
    let newest = model.newest().clone();
    let is_newest = Arc::ptr_eq(&newest.segments, &snapshot.segments);
    let derived = match is_newest {
        true => snapshot.derived.clone(),
        false => Arc::new(
            snapshot
                .derived
                .carried(&snapshot.segments, &newest.segments),
        ),
    };
    let shown = Snapshot {
        derived,
        ..(*newest).clone()
    };
    let mut effects = data::show(model, Arc::new(shown));
    if model.joins.is_stale || !is_newest {
        effects.extend(widen(model));
    }
    effects
}

/// Shows the conflicts of a join.
pub(super) fn conflicts(model: &mut Model, join: String) -> Vec<Effect> {
    if model.things.conflicts_of.as_ref() != Some(&join) {
        model.tables.remove(&View::Conflicts);
    }
    model.things.conflicts_of = Some(join);
    show(model, View::Conflicts)
}

/// Switches the join under the cursor.
pub(super) fn switch_current(model: &mut Model) -> Vec<Effect> {
    let row = model.table().and_then(|t| t.current());
    match row.map(|r| (&r.goal, r.name.clone())) {
        Some((Goal::Switch(_) | Goal::Conflicts(_), name)) => switch(model, &name),
        _ => Vec::new(),
    }
}

/// Switches a join on or off, and computes what follows from it. One that was suggested becomes one of the user's own.
pub(super) fn switch(model: &mut Model, join: &str) -> Vec<Effect> {
    let suggested = model.joins.suggested.iter().find(|s| s.0.name == join);
    if let Some((join, _)) = suggested.cloned() {
        return add(model, join);
    }
    remember(model);
    let off = &mut model.joins.off;
    if !off.remove(join) {
        off.insert(join.to_owned());
    }
    changed(model)
}

/// Adds a join of the user's own.
pub(super) fn add(model: &mut Model, join: Join) -> Vec<Effect> {
    remember(model);
    model.joins.off.remove(&join.name);
    model.joins.own.push(join);
    changed(model)
}

fn remember(model: &mut Model) {
    let state = &mut model.joins;
    state.past.push((state.own.clone(), state.off.clone()));
}

/// Takes back the last switching or adding; `None` when there was none.
pub(super) fn undo(model: &mut Model) -> Option<Vec<Effect>> {
    (model.joins.own, model.joins.off) = model.joins.past.pop()?;
    Some(changed(model))
}

/// Shows the joins, and looks for more that would hold.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let mut effects = show(model, View::Joins);
    let is_new = |asked: &Arc<Snapshot>| !Arc::ptr_eq(&asked.segments, &model.snapshot.segments);
    if model.snapshot.complete && model.joins.asked.as_ref().is_none_or(is_new) {
        model.joins.asked = Some(model.snapshot.clone());
        let known = active(model);
        effects.push(ask(model, Question::Suggest(known)));
    }
    effects
}

/// Joins that would hold are known.
pub(super) fn suggested(model: &mut Model, found: Arc<[(Join, Report)]>) -> Vec<Effect> {
    model.joins.suggested = found;
    model.epoch += 1;
    super::table::refresh(model)
}

fn changed(model: &mut Model) -> Vec<Effect> {
    // The table shows the switches at once, and the numbers when they are known.
    model.epoch += 1;
    let mut effects: Vec<Effect> = widen(model).into_iter().collect();
    effects.extend(super::table::refresh(model));
    effects
}
