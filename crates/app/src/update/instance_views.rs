//! Entities and instances of a run: searched in the background, shown in tables, pivoted on.

use std::sync::Arc;

use crate::follow_mode::Following;
use crate::model::{Model, View, ViewSubject};
use crate::msg::Effect;
use crate::pages::unfinished;
use crate::under_cursor;
use widetui_core::thread::drop_in_background;
use widetui_session::instances::{InstanceHandle, SnapshotInstances};
use widetui_session::jobs::Question;
use widetui_session::unfinished_details::UnfinishedDetails;
use widetui_store::Snapshot;
use widetui_time::time::NS_PER_SECOND;

use super::availability;
use super::primitives::navigation::show_about;
use super::primitives::notices::say;
use super::primitives::questions::ask;
use super::primitives::scrolling;

/// Shortest silence that counts, ns.
const QUIET: i64 = 5 * NS_PER_SECOND;

/// Requests the instances of the current snapshot once its joins are known.
pub(super) fn look(model: &mut Model) -> Option<Effect> {
    let snapshot = model.snapshot.clone();
    let is_unsettled =
        model.is_unsettled() || model.joins.is_delayed() && model.instances.stuck.is_some();
    let is_asked = |asked: &Arc<Snapshot>| asked.is_same(&snapshot);
    let state = &model.instances;
    // A search in an older snapshot is completed first; otherwise a growing run would never show results.
    let is_current = state.asked.as_ref().is_some_and(is_asked);
    if is_unsettled || state.is_running || is_current && !has_aged(model, state.asked_at) {
        return None;
    }
    if model.meaning.instance_cache.entities().is_empty() {
        return None;
    }
    let now = model.now();
    let state = &mut model.instances;
    state.asked = Some(snapshot);
    state.asked_at = now;
    state.is_running = true;
    let meaning = model.meaning.clone();
    Some(ask(model, Question::Instances(meaning, now)))
}

/// True if a result computed for a time of the logs (UTC ns; `None` for a run that was not live) is outdated: the run
/// became live or ended, or its silence has doubled. Ages grow without a new computation.
pub(super) fn has_aged(model: &Model, computed_at: Option<i64>) -> bool {
    let last = model.snapshot.range().map_or(0, |r| r.1);
    match (computed_at, model.now()) {
        (Some(before), Some(now)) => {
            let before = before.saturating_sub(last).max(QUIET);
            now.saturating_sub(last) >= before.saturating_mul(2)
        }
        (before, now) => before.is_some() != now.is_some(),
    }
}

/// Returns whether the content of the screen depends on the current time.
pub fn is_ticking(model: &Model) -> bool {
    // The first line shows the time since the last record.
    model.load_state.follow.state != Following::Off && model.is_live()
}

/// Stores the instances of a snapshot.
pub(super) fn seen(
    model: &mut Model,
    snapshot: Arc<Snapshot>,
    seen: Arc<SnapshotInstances>,
) -> Vec<Effect> {
    let old = model.instances.seen.replace((snapshot, seen));
    let size = |seen: &SnapshotInstances| seen.found.occurring.iter().map(|i| i.list.len()).sum();
    drop_in_background(old, |old| old.as_ref().map_or(0, |(_, seen)| size(seen)));
    Vec::new()
}

/// Stores the unfinished work items.
pub(super) fn stuck(model: &mut Model, stuck: Arc<UnfinishedDetails>) -> Vec<Effect> {
    let is_first = model.instances.stuck.is_none();
    model.instances.stuck = Some(stuck);
    model.instances.is_running = false;
    if is_first {
        to_first(model);
    }
    scrolling::settle(model);
    Vec::new()
}

/// Requests the unfinished work items of the selection if they are shown and not known.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    let steps = model.selection.steps();
    let state = &model.instances;
    let known = state.stuck.clone()?;
    let is_of_these = |of: &Arc<Snapshot>| of.is_same(&model.snapshot);
    let is_settled = !state.is_running
        && state.asked.as_ref().is_some_and(is_of_these)
        && model.counts.len() == steps.len()
        && !model.events.is_partial;
    let is_asked = state.selected_unfinished.asked.as_ref();
    let is_asked = is_asked.is_some_and(|(s, of)| s == steps && Arc::ptr_eq(of, &known));
    if model.on_screen(View::UNFINISHED).is_none() || steps.is_empty() || !is_settled || is_asked {
        return None;
    }
    model.instances.selected_unfinished.asked = Some((steps.to_vec(), known.clone()));
    let rows = model.rows.own().clone();
    let question = Question::UnfinishedInSelection(rows, model.meaning.clone(), known);
    Some(ask(model, question))
}

/// Stores the unfinished work items of the selection. The cursor stays unless the selection has changed.
pub(super) fn unfinished_among(model: &mut Model, details: Arc<UnfinishedDetails>) -> Vec<Effect> {
    let Some((steps, _)) = model.instances.selected_unfinished.asked.clone() else {
        return Vec::new();
    };
    let state = &mut model.instances.selected_unfinished;
    let before = state.found.replace((steps, details));
    let is_new = before.is_none_or(|(of, _)| state.found.as_ref().is_none_or(|f| f.0 != of));
    match model.instances.returning.take().filter(|_| is_new) {
        Some(list) => model.instances.hung = list,
        None if is_new => to_first(model),
        None => {}
    }
    scrolling::settle(model);
    Vec::new()
}

/// Moves the cursor to the first line that can be opened.
fn to_first(model: &mut Model) {
    let lines = unfinished::shown_lines(model);
    model.instances.hung.cursor = lines.iter().position(|l| l.link.is_some()).unwrap_or(0);
}

/// Shows the trace of the instance under the cursor.
pub(super) fn trace(model: &mut Model) -> Vec<Effect> {
    let Some(instance) = under_cursor::instance(model) else {
        let reason = availability::no_instance(model).unwrap_or_default();
        return say(model, reason);
    };
    about(model, instance)
}

/// Shows the trace of an instance.
pub(super) fn about(model: &mut Model, instance: InstanceHandle) -> Vec<Effect> {
    show_about(
        model,
        View::TRACE,
        ViewSubject::Instance(Box::new(instance)),
    )
}
