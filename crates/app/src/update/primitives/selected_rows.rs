//! Rows of the selection: requested for the newest snapshot, and shown with the cursor on its record.

use std::sync::Arc;

use crate::event_list::{CursorAnchor, SameValueSteps};
use crate::model::Model;
use crate::msg::Effect;
use widetui_ingest::clocks;
use widetui_session::incremental::KnownAnswers;
use widetui_session::jobs::Question;
use widetui_session::record_texts::Place;
use widetui_session::rows::Rows;
use widetui_store::{Snapshot, display_names as source_names};
use widetui_tables::text;
use widetui_time::time::NS_PER_SECOND;

use super::super::names;
use super::notices::say;
use super::questions::{ask, ask_about};
use super::{followed_value, marked_rows, overview, record_cursor, scrolling, tables};

/// Maximum width of a source's name in the list of records, in columns.
const MAX_TAG: usize = 24;

/// Shows a snapshot once the rows of the selection in it are known.
pub(in crate::update) fn show_snapshot(model: &mut Model, snapshot: Arc<Snapshot>) -> Vec<Effect> {
    if snapshot.extends(model.newest()) {
        model.load_state.follow.waiting = Some(snapshot);
        return keep_up(model).into_iter().collect();
    }
    model.load_state.follow.waiting = None;
    if model.selection.is_all() && snapshot.duplicates.is_empty() {
        model.load_state.follow.is_asking = false;
        model.load_state.newer = None;
        let mut effects = switch(model, snapshot, Rows::All, Vec::new());
        effects.extend(search_again(model));
        return effects;
    }
    // The old rows stay on the screen until the selection in the new snapshot is known: row numbers
    // are not valid across snapshots.
    model.load_state.newer = Some(snapshot);
    vec![request(model)]
}

/// Requests the rows of the current selection in the newest snapshot.
pub(in crate::update) fn request(model: &mut Model) -> Effect {
    model.load_state.follow.is_asking = true;
    let steps = model.selection.steps().to_vec();
    if model.selection.is_all() {
        model.events.context = None;
    }
    let near = model
        .current()
        .map(|e| (Place::from_event(&e), e.order_time()));
    let near = near.or(model.events.last).and_then(|(place, _)| {
        let newest = model.newest();
        newest.event_at(place.source, place.offset)
    });
    let question = Question::Select {
        steps,
        near,
        context: model.events.context,
    };
    let of = model.load_state.newer.as_ref().unwrap_or(&model.snapshot);
    let of = of.clone();
    ask_about(model, of, question)
}

/// Repeats the search after the rows changed; `None` if there is no search.
pub(in crate::update) fn search_again(model: &mut Model) -> Option<Effect> {
    if model.search.line.is_empty() {
        return None;
    }
    model.search.hits = None;
    let near = model.current().map(|e| e.id);
    let question = Question::Search(model.rows.clone(), model.search.expr.clone(), near);
    Some(ask(model, question))
}

/// Shows other rows, possibly of another snapshot. The cursor stays on its record; if the rows do not
/// include the record, it moves to the record's time.
fn switch(
    model: &mut Model,
    snapshot: Arc<Snapshot>,
    rows: Rows,
    counts: Vec<usize>,
) -> Vec<Effect> {
    let before = model
        .current()
        .map(|e| (Place::from_event(&e), e.order_time()))
        .or(model.events.last)
        .filter(|_| model.events.anchor == CursorAnchor::Record);
    let distance = model
        .events
        .list
        .cursor
        .saturating_sub(model.events.list.top);
    let stood = model.current().map(|e| Place::from_event(&e));
    let is_new = !Arc::ptr_eq(&snapshot, &model.snapshot);
    model.snapshot = snapshot;
    model.rows = rows;
    model.counts = counts;
    model.epoch += 1;
    let len = model.len();
    model.events.list.cursor = match (model.events.anchor, before) {
        (CursorAnchor::Last, _) => model.last_row(),
        (_, Some((place, time))) => model
            .snapshot
            .event_at(place.source, place.offset)
            .and_then(|id| model.rows.row_of(&model.snapshot, id))
            .unwrap_or_else(|| {
                model.record.top = 0;
                model.events.key = 0;
                model.rows.row_at_time(&model.snapshot, time)
            }),
        _ => 0,
    }
    .min(len.saturating_sub(1));
    model.events.list.top = model.events.list.cursor.saturating_sub(distance);
    model.events.severe = None;
    model.events.steps = SameValueSteps::default();
    if is_new {
        model.key_stats = None;
        model.number_keys = None;
        model.user_data.values = None;
        if let Some(highlight) = &mut model.events.highlight {
            // Event ids are not valid across snapshots.
            highlight.fits = None;
        }
        note_sources(model);
    }
    marked_rows::place_marks(model);
    record_cursor::rows_switched(model);
    scrolling::settle(model);
    record_cursor::arrive(model);
    let stands = model.current().map(|e| Place::from_event(&e));
    let steps = model.selection.steps();
    model.events.cursor_memory.arrive(steps, stood, stands);
    let mut effects = vec![overview::request(model)];
    effects.push(ask(model, Question::Severe(model.rows.clone())));
    effects.extend(followed_value::request_highlighted(model));
    effects.extend(tables::refresh(model));
    effects
}

/// Updates names, kinds, clock offsets and time precision after the sources changed.
pub(in crate::update) fn note_sources(model: &mut Model) {
    let snapshot = model.snapshot.clone();
    model.source_names.note_kinds(&snapshot);
    model.clocks = clocks::find_offsets(snapshot.sources.iter().map(|s| &**s));
    model.source_names.names = source_names::display_names(&snapshot.sources);
    // One more column for the sign of duplicate records.
    let sign = usize::from(!snapshot.duplicates.is_empty());
    let widest = names::columns(&snapshot.sources, &model.source_names.names) + sign;
    model.source_names.tag_width = widest.clamp(4, MAX_TAG) as u16;
    note_digits(model);
}

/// Sets the number of fractional digits of displayed times by the finest resolution in the snapshot, so
/// that no significant digit is hidden (resolutions may differ within a segment).
pub(in crate::update) fn note_digits(model: &mut Model) {
    model.source_names.digits = match model.snapshot.time_unit() {
        None | Some(NS_PER_SECOND..) => 0,
        Some(1_000_000..) => 3,
        Some(_) => 6,
    };
}

/// Shows the first records of a selection while the search for all others continues.
pub(in crate::update) fn early(model: &mut Model, rows: Rows, counts: Vec<usize>) -> Vec<Effect> {
    model.events.is_partial = true;
    let snapshot = newest(model);
    switch(model, snapshot, rows, counts)
}

/// Snapshot that an answer refers to: the one to be shown next, else the one on the screen.
fn newest(model: &mut Model) -> Arc<Snapshot> {
    let newer = model.load_state.newer.take();
    newer.unwrap_or_else(|| model.snapshot.clone())
}

/// Shows all rows of a selection; notifies the user if there are none.
pub(in crate::update) fn selected(
    model: &mut Model,
    rows: Rows,
    counts: Vec<usize>,
) -> Vec<Effect> {
    model.events.is_partial = false;
    let snapshot = newest(model);
    if rows.len(&snapshot) == 0 && !model.selection.is_all() {
        say_emptied(model, &counts, snapshot.len() - snapshot.duplicates.len());
    }
    model.load_state.follow.is_asking = false;
    let mut effects = switch(model, snapshot, rows, counts);
    effects.extend(search_again(model));
    effects.extend(keep_up(model));
    effects
}

/// Notifies the user which step of the selection matches no record.
fn say_emptied(model: &mut Model, counts: &[usize], all: usize) {
    let Some(at) = counts.iter().position(|n| *n == 0) else {
        return;
    };
    let before = at.checked_sub(1).map_or(all, |i| counts[i]);
    let label = model
        .selection
        .steps()
        .get(at)
        .map_or(String::new(), |s| s.label.clone());
    say(
        model,
        format!(
            "none of the {} records before it fits “{label}”",
            text::grouped(before as u64)
        ),
    );
}

/// Requests the rows of the selection in the latest snapshot, based on the known rows if it extends the
/// current snapshot. Returns `None` if a request is already running or no snapshot waits.
pub(in crate::update) fn keep_up(model: &mut Model) -> Option<Effect> {
    if model.load_state.follow.is_asking {
        return None;
    }
    let newer = model.load_state.follow.waiting.take()?;
    if !newer.extends(&model.snapshot) {
        model.load_state.newer = Some(newer);
        return Some(request(model));
    }
    let search = &model.search;
    // An overview with a zoom range or highlight is not extended but counted anew.
    let is_plain = model.events.zoom.is_none() && model.events.highlight.is_none();
    let known = KnownAnswers {
        context: model.events.context,
        snapshot: model.snapshot.clone(),
        steps: model.selection.steps().to_vec(),
        rows: model.rows.clone(),
        counts: model.counts.clone(),
        search: search.hits.clone().map(|hits| (search.expr.clone(), hits)),
        overview: model.overview.clone().filter(|_| is_plain),
    };
    model.load_state.follow.is_asking = true;
    model.load_state.newer = Some(newer.clone());
    let question = Question::CarryOver(Arc::new(known));
    Some(ask_about(model, newer, question))
}
