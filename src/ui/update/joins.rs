//! Joins are computed in the background, and again when the run grows or the user changes them.

use std::sync::Arc;

use crate::join::{Join, Report};
use crate::store::Snapshot;
use crate::ui::model::Model;
use crate::ui::msg::Effect;
use crate::workspace::jobs::Question;

use super::{ask, data};

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
