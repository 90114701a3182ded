//! Entities and instances of a run: searched in the background, shown in tables, pivoted on.

use std::sync::Arc;

use crate::event_list::CursorAnchor;
use crate::follow_mode::Following;
use crate::model::{Model, View, ViewSubject};
use crate::msg::Effect;
use crate::pages::unfinished;
use crate::popups::{PivotRow, Popup};
use crate::view::{Body, Page, RowLook};
use widetui_core::thread::drop_in_background;
use widetui_session::instances::{InstanceHandle, SnapshotInstances, UnfinishedDetails};
use widetui_session::jobs::Question;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_store::{EventRef, Snapshot};
use widetui_tables::answers::instances::pivot_title;
use widetui_tables::table::RowAction;
use widetui_time::time::NS_PER_SECOND;

use super::views::show_about;
use super::{ask, jumps, moves, say, select, show, table};

/// Number of records of an instance, latest first, that are searched for the resources on which it ran.
const LOOKED_AT: usize = 64;

/// Maximum number of pivot rows for resources of the first instance of a record.
const BESIDE: usize = 12;

/// Shortest silence that counts, ns.
const QUIET: i64 = 5 * NS_PER_SECOND;

/// Returns whether two snapshots hold the same records with the same derived values.
fn is_same(a: &Snapshot, b: &Snapshot) -> bool {
    Arc::ptr_eq(&a.segments, &b.segments)
        && Arc::ptr_eq(&a.derived, &b.derived)
        && Arc::ptr_eq(&a.sources, &b.sources)
}

/// Requests the instances of the current snapshot once its joins are known.
pub(super) fn look(model: &mut Model) -> Option<Effect> {
    let snapshot = model.snapshot.clone();
    let is_unsettled = !snapshot.complete
        || model.arriving.newer.is_some()
        || model.joins.is_running()
        || model.joins.is_delayed() && model.things.stuck.is_some();
    let is_asked = |asked: &Arc<Snapshot>| is_same(asked, &snapshot);
    let state = &mut model.things;
    // A search in an older snapshot is completed first; otherwise a growing run would never show results.
    if is_unsettled || state.is_running || state.asked.as_ref().is_some_and(is_asked) {
        return None;
    }
    if model.meaning.instance_cache.entities().is_empty() {
        return None;
    }
    let now = model.now();
    let state = &mut model.things;
    state.asked = Some(snapshot);
    state.asked_at = now;
    state.is_running = true;
    let meaning = model.meaning.clone();
    Some(ask(model, Question::Instances(meaning, now)))
}

/// Handles the passage of time: ages grow without a new search, but silent sources are searched again when the silence has
/// doubled.
pub(super) fn tick(model: &mut Model, clock: i64) -> Vec<Effect> {
    model.arriving.clock = Some(clock);
    let last = model.snapshot.range().map(|r| r.1);
    let Some((now, last)) = model.now().zip(last) else {
        return Vec::new();
    };
    let asked_at = model.things.asked_at.unwrap_or(last);
    if !model.things.is_running && is_old(asked_at, now, last) {
        model.things.asked = None;
    }
    look(model).into_iter().collect()
}

/// Whether a result is outdated: the time since the last record has doubled since it was computed. All UTC ns.
pub(super) fn is_old(computed_at: i64, now: i64, last: i64) -> bool {
    let before = computed_at.saturating_sub(last).max(QUIET);
    now.saturating_sub(last) >= before.saturating_mul(2)
}

/// Returns whether the content of the screen depends on the current time.
pub fn is_ticking(model: &Model) -> bool {
    let is_shown = |view: View| model.on_screen(view).is_some();
    model.arriving.follow.state != Following::Off
        // Without the current time, running work items cannot be distinguished from those that will never end.
        && (model.arriving.clock.is_none()
            || is_shown(View::Unfinished) && model.things.stuck.is_some()
            || is_shown(View::Diagnose) && model.findings.found.is_some())
}

/// Stores the instances of a snapshot.
pub(super) fn seen(
    model: &mut Model,
    snapshot: Arc<Snapshot>,
    seen: Arc<SnapshotInstances>,
) -> Vec<Effect> {
    let old = model.things.seen.replace((snapshot, seen));
    let size = |seen: &SnapshotInstances| seen.found.occurring.iter().map(|i| i.list.len()).sum();
    drop_in_background(old, |old| old.as_ref().map_or(0, |(_, seen)| size(seen)));
    Vec::new()
}

/// Stores the unfinished work items.
pub(super) fn stuck(model: &mut Model, stuck: Arc<UnfinishedDetails>) -> Vec<Effect> {
    let is_first = model.things.stuck.is_none();
    model.things.stuck = Some(stuck);
    model.things.is_running = false;
    if is_first {
        to_first(model);
    }
    moves::settle(model);
    Vec::new()
}

/// Requests the unfinished work items of the selection if they are shown and not known.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    let steps = model.selection.steps();
    let state = &model.things;
    let known = state.stuck.clone()?;
    let is_of_these = |of: &Arc<Snapshot>| is_same(of, &model.snapshot);
    let is_settled = !state.is_running
        && state.asked.as_ref().is_some_and(is_of_these)
        && model.counts.len() == steps.len()
        && !model.events.is_partial;
    let is_asked = state.told.asked.as_ref();
    let is_asked = is_asked.is_some_and(|(s, of)| s == steps && Arc::ptr_eq(of, &known));
    if model.on_screen(View::Unfinished).is_none() || steps.is_empty() || !is_settled || is_asked {
        return None;
    }
    model.things.told.asked = Some((steps.to_vec(), known.clone()));
    let rows = model.rows.own().clone();
    let question = Question::UnfinishedInSelection(rows, model.meaning.clone(), known);
    Some(ask(model, question))
}

/// Stores the unfinished work items of the selection. The cursor stays unless the selection has changed.
pub(super) fn told_among(model: &mut Model, told: Arc<UnfinishedDetails>) -> Vec<Effect> {
    let Some((steps, _)) = model.things.told.asked.clone() else {
        return Vec::new();
    };
    let state = &mut model.things.told;
    let before = state.found.replace((steps, told));
    let is_new = before.is_none_or(|(of, _)| state.found.as_ref().is_none_or(|f| f.0 != of));
    if is_new {
        to_first(model);
    }
    moves::settle(model);
    Vec::new()
}

/// Moves the cursor to the first line that can be opened.
fn to_first(model: &mut Model) {
    let lines = unfinished::lines(model, model.columns_of(View::Unfinished));
    model.things.hung.cursor = lines.iter().position(|l| l.goal.is_some()).unwrap_or(0);
}

/// Pivot rows for the instances of a record.
pub(super) fn rows_of_event(model: &Model, event: &EventRef<'_>) -> Vec<PivotRow> {
    let about = model.things.about(event).into_iter();
    about
        .filter_map(|(seen, at)| {
            let thing =
                InstanceHandle::new(&model.meaning.instance_cache, event.snapshot, &seen, at)?;
            let (all, _) = seen.get(at)?;
            let value = pivot_title(event.snapshot, all, at)?;
            Some(row(thing, all.entity.title.clone(), value))
        })
        .collect()
}

fn row(thing: InstanceHandle, title: String, value: String) -> PivotRow {
    PivotRow {
        letter: None,
        key: title.clone(),
        label: title,
        value,
        expr: thing.expr(),
        instance: Some(thing),
        count: None,
        in_run: None,
    }
}

/// Pivot rows of an instance: itself, and the instances that its latest records name.
pub(super) fn rows_of(model: &Model, thing: &InstanceHandle) -> Vec<PivotRow> {
    let title = thing.name.rsplit_once(' ');
    let title = title.map_or(thing.name.as_str(), |(title, _)| title);
    let number = thing.id.last().map_or("", |p| p.1.as_str());
    let value = match &thing.label {
        Some(label) => format!("{number} {label}"),
        None => number.to_owned(),
    };
    let mut rows = vec![row(thing.clone(), title.to_owned(), value)];
    let Some((snapshot, seen)) = &model.things.seen else {
        return rows;
    };
    let Some((all, one)) = thing.at(snapshot, seen).and_then(|at| seen.get(at)) else {
        return rows;
    };
    // Enclosing instances, from the innermost outward.
    let events = all.events(one).iter().rev();
    let last = events.filter_map(|id| snapshot.event(widetui_core::ids::EventId(*id)));
    for event in last.take(LOOKED_AT) {
        for found in rows_of_event(model, &event) {
            if rows.iter().all(|r| r.instance != found.instance) {
                rows.push(found);
            }
        }
    }
    // For a resource or a run, the last work items on it are arbitrary, so only entities with one instance stay.
    if !all.entity.is_work_item() {
        let kinds: Vec<String> = rows.iter().map(|r| r.key.clone()).collect();
        let is_only = |kind: &String| kinds.iter().filter(|k| *k == kind).count() == 1;
        rows.retain(|r| is_only(&r.key) || r.instance.as_ref() == Some(thing));
    }
    rows
}

/// Pivot rows for resources that a record does not name, but that belong to its first work item: the worker of a failed
/// task is not in the record of its failure.
pub(super) fn rows_beside(model: &Model, own: &[PivotRow]) -> Vec<PivotRow> {
    let Some((first, thing)) = own.first().and_then(|r| Some((r, r.instance.as_ref()?))) else {
        return Vec::new();
    };
    let is_goal = model
        .meaning
        .instance_cache
        .entities()
        .iter()
        .any(|e| e.name == thing.entity && e.is_work_item());
    if !is_goal {
        return Vec::new();
    }
    let number = thing.id.last().map_or("", |p| p.1.as_str());
    let of = format!("{} {number}", first.label);
    let rows = rows_of(model, thing).into_iter();
    let is_carrier = |row: &PivotRow| {
        let entity = row.instance.as_ref().map(|t| &t.entity);
        let mut all = model.meaning.instance_cache.entities().iter();
        all.any(|e| Some(&e.name) == entity && e.is_resource())
    };
    // Resources of all attempts, the last attempt first.
    let known: Vec<&String> = own.iter().map(|r| &r.label).collect();
    let is_new = |row: &PivotRow| !known.contains(&&row.label) && is_carrier(row);
    let named = |row: PivotRow| PivotRow {
        value: format!("{} · of {of}", row.value),
        ..row
    };
    rows.filter(is_new).take(BESIDE).map(named).collect()
}

/// Removes keys that repeat an instance of the list: of "worker 1" and "parsl.worker 1" only the instance stays, as the key
/// alone also matches worker 1 of every other manager.
pub(super) fn leave_out_doubles(model: &Model, rows: &mut Vec<PivotRow>) {
    let entities = model.meaning.instance_cache.entities();
    let mut known: Vec<(String, String)> = Vec::new();
    for thing in rows.iter().filter_map(|row| row.instance.as_ref()) {
        known.extend(thing.id.last().cloned());
        // Alternative identifiers: a run is also identified by its directory.
        let entity = entities.iter().find(|e| e.name == thing.entity);
        let others = entity.iter().flat_map(|e| &e.id).filter(|id| id.len() == 1);
        let label = thing.label.iter();
        known.extend(label.flat_map(|l| others.clone().map(move |id| (id[0].clone(), l.clone()))));
    }
    rows.retain(|row| {
        let is_it = |(key, value): &(String, String)| *key == row.key && *value == row.value;
        row.instance.is_some() || !known.iter().any(is_it)
    });
}

/// Selects only the records of an instance.
pub(super) fn only(model: &mut Model, thing: &InstanceHandle) -> Vec<Effect> {
    select::only(
        model,
        SelectionStep::for_instance(thing, StepEffect::Keep),
        None,
    )
}

/// Returns the instance under the cursor in any view.
pub(super) fn current(model: &Model) -> Option<InstanceHandle> {
    if let Some(Popup::Pivot(pivot)) = &model.popup {
        return pivot.rows.get(pivot.cursor)?.instance.clone();
    }
    match model.view.row().body {
        Body::Records => {
            let event = model.current()?;
            rows_of_event(model, &event).into_iter().next()?.instance
        }
        Body::Page(Page::Findings) => super::findings::thing(model).or_else(|| {
            let event = super::findings::event(model)?;
            rows_of_event(model, &event).into_iter().next()?.instance
        }),
        Body::Page(Page::Unfinished) => match unfinished::goal(model)? {
            RowAction::Instance(thing) => Some(*thing),
            _ => None,
        },
        Body::Table(RowLook::Arrows) => {
            let event = super::flow::event(model)?;
            rows_of_event(model, &event).into_iter().next()?.instance
        }
        Body::Table(RowLook::Cells | RowLook::Bars) => match &model.table()?.current()?.action {
            RowAction::Instance(thing) => Some((**thing).clone()),
            RowAction::Event(place) if model.view != View::Trace => {
                let id = model.snapshot.event_at(place.source, place.offset)?;
                let event = model.snapshot.event(id)?;
                rows_of_event(model, &event).into_iter().next()?.instance
            }
            _ => None,
        },
    }
}

/// Shows the trace of the instance under the cursor.
pub(super) fn trace(model: &mut Model) -> Vec<Effect> {
    let Some(thing) = current(model) else {
        let text = match model.things.seen {
            Some(_) => "no instance of an entity is under the cursor",
            None => "it is not known yet what the run is about",
        };
        say(model, text.to_owned());
        return Vec::new();
    };
    about(model, thing)
}

/// Shows the trace of an instance.
pub(super) fn about(model: &mut Model, thing: InstanceHandle) -> Vec<Effect> {
    show_about(model, ViewSubject::Instance(Box::new(thing)))
}

/// Opens the line under the cursor of the unfinished view: the last log record of an instance shows where it is stuck, even
/// if database rows follow it.
pub(super) fn open_hung(model: &mut Model) -> Vec<Effect> {
    match unfinished::goal(model) {
        Some(RowAction::Instance(thing)) => {
            let last = unfinished::last_record(model);
            let row = last.and_then(|id| model.rows.row_of(&model.snapshot, id));
            let mut effects = show(model, View::Events);
            if let Some(row) = row {
                jumps::to_row(model, row);
            }
            effects.extend(select::push(
                model,
                SelectionStep::for_instance(&thing, StepEffect::Keep),
            ));
            model.events.anchor = match row {
                Some(_) => CursorAnchor::Record,
                None => CursorAnchor::Last,
            };
            effects
        }
        Some(RowAction::Event(place)) => table::to_event(model, place),
        _ => Vec::new(),
    }
}

/// Moves the cursor of the unfinished view: by one to the next line that can be opened, otherwise by lines.
pub(super) fn move_hung(model: &mut Model, rows: i64) {
    let lines = unfinished::lines(model, model.columns_of(View::Unfinished));
    let from = model.things.hung.cursor.min(lines.len().saturating_sub(1));
    let leads = |at: &usize| lines.get(*at).is_some_and(|l| l.goal.is_some());
    let next = match rows {
        1 => (from + 1..lines.len()).find(leads),
        -1 => (0..from).rev().find(leads),
        _ => None,
    };
    model.things.hung.cursor = next.unwrap_or_else(|| moves::moved(from, rows, lines.len()));
    moves::settle(model);
}
