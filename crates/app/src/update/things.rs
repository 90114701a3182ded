//! The things that a run is about: looked for in the background, shown in tables, pivoted on as a whole.

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

/// Records of a thing that are looked at for where it ran, the last first.
const LOOKED_AT: usize = 64;

/// Things at most that have to do with one that a record is about.
const BESIDE: usize = 12;

/// A silence that is shorter says nothing, ns.
const QUIET: i64 = 5 * NS_PER_SECOND;

/// Whether two snapshots hold the same records with the same derived values.
fn is_same(a: &Snapshot, b: &Snapshot) -> bool {
    Arc::ptr_eq(&a.segments, &b.segments)
        && Arc::ptr_eq(&a.derived, &b.derived)
        && Arc::ptr_eq(&a.sources, &b.sources)
}

/// Looks for the things of the snapshot that is shown, once its joins are known.
pub(super) fn look(model: &mut Model) -> Option<Effect> {
    let snapshot = model.snapshot.clone();
    let is_unsettled = !snapshot.complete
        || model.arriving.newer.is_some()
        || model.joins.is_running()
        || model.joins.is_delayed() && model.things.stuck.is_some();
    let is_asked = |asked: &Arc<Snapshot>| is_same(asked, &snapshot);
    let state = &mut model.things;
    // What is being looked for in an older snapshot is let finish: else a run that grows would never show anything.
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

/// It is later: ages grow by themselves, but what fell silent is looked for again when as much time went by as before.
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

/// Whether what was told at a time is so no more: twice as much time has gone by since the last record. All UTC ns.
pub(super) fn is_old(told: i64, now: i64, last: i64) -> bool {
    let before = told.saturating_sub(last).max(QUIET);
    now.saturating_sub(last) >= before.saturating_mul(2)
}

/// Whether something on the screen changes with the time alone.
pub fn is_ticking(model: &Model) -> bool {
    let is_shown = |view: View| model.on_screen(view).is_some();
    model.arriving.follow.state != Following::Off
        // Without the clock nothing that has not ended could be told from what never will.
        && (model.arriving.clock.is_none()
            || is_shown(View::Unfinished) && model.things.stuck.is_some()
            || is_shown(View::Diagnose) && model.findings.found.is_some())
}

/// The things of a snapshot are known.
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

/// What of them is stuck is known.
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

/// Looks which of what is stuck is selected, when that is shown and not known.
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

/// It is known which is. The cursor stays, while the selection does.
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

/// Puts the cursor on the first line that leads somewhere.
fn to_first(model: &mut Model) {
    let lines = unfinished::lines(model, model.columns_of(View::Unfinished));
    model.things.hung.cursor = lines.iter().position(|l| l.goal.is_some()).unwrap_or(0);
}

/// The things that an event is about, for the pivot list.
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

/// What a thing and its events have in common: itself, and where it runs.
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
    // What holds it, as things where they are, from the inside out.
    let events = all.events(one).iter().rev();
    let last = events.filter_map(|id| snapshot.event(widetui_core::ids::EventId(*id)));
    for event in last.take(LOOKED_AT) {
        for found in rows_of_event(model, &event) {
            if rows.iter().all(|r| r.instance != found.instance) {
                rows.push(found);
            }
        }
    }
    // Of what a run or a worker carries out the last few are as good as any others: they say nothing about it.
    if !all.entity.is_work_item() {
        let kinds: Vec<String> = rows.iter().map(|r| r.key.clone()).collect();
        let is_only = |kind: &String| kinds.iter().filter(|k| *k == kind).count() == 1;
        rows.retain(|r| is_only(&r.key) || r.instance.as_ref() == Some(thing));
    }
    rows
}

/// Kinds of things that a record does not name, but the first thing that it is about has to do with: the worker of a task
/// that failed, which the record of its failure does not know.
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
    // Of several tries those of all of them, the last one's first.
    let known: Vec<&String> = own.iter().map(|r| &r.label).collect();
    let is_new = |row: &PivotRow| !known.contains(&&row.label) && is_carrier(row);
    let named = |row: PivotRow| PivotRow {
        value: format!("{} · of {of}", row.value),
        ..row
    };
    rows.filter(is_new).take(BESIDE).map(named).collect()
}

/// Leaves out keys that say once more what a thing in the list is: "worker 1" and "parsl.worker 1" are one line. The thing is
/// what is meant; the key alone also fits the worker 1 of every other manager.
pub(super) fn leave_out_doubles(model: &Model, rows: &mut Vec<PivotRow>) {
    let entities = model.meaning.instance_cache.entities();
    let mut known: Vec<(String, String)> = Vec::new();
    for thing in rows.iter().filter_map(|row| row.instance.as_ref()) {
        known.extend(thing.id.last().cloned());
        // What else it goes by alone: a kernel by its directory.
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

/// Shows the events of a thing alone.
pub(super) fn only(model: &mut Model, thing: &InstanceHandle) -> Vec<Effect> {
    select::only(
        model,
        SelectionStep::for_instance(thing, StepEffect::Keep),
        None,
    )
}

/// The thing under the cursor, whatever is shown.
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

/// Shows all about the thing under the cursor.
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

/// Shows all about a thing.
pub(super) fn about(model: &mut Model, thing: InstanceHandle) -> Vec<Effect> {
    show_about(model, ViewSubject::Instance(Box::new(thing)))
}

/// Looks closer at what is under the cursor of the hung view. The last words of a thing are where it is stuck; rows of
/// databases may stand behind them.
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

/// Moves in the hung view: by one to the next line that leads somewhere, else by lines.
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
