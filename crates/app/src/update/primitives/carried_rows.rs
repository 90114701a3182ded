//! Rows of the selection in a snapshot that extends the one on the screen.

use std::sync::Arc;

use crate::event_list::{CursorAnchor, SameValueSteps};
use crate::model::Model;
use crate::msg::Effect;
use widetui_core::level::Level;
use widetui_session::incremental::CarriedAnswers;
use widetui_session::jobs::{JobKind, Question};
use widetui_session::record_search::SevereRows;
use widetui_session::record_texts::Place;
use widetui_store::Snapshot;

use super::questions::ask;
use super::{
    followed_value, marked_rows, overview, record_cursor, scrolling, selected_rows, tables,
};

/// Shows an extended snapshot with the rows and answers carried over to it.
pub(in crate::update) fn carried(model: &mut Model, kept: CarriedAnswers) -> Vec<Effect> {
    model.load_state.follow.is_asking = false;
    let Some(snapshot) = model.load_state.newer.take() else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    let current = model.current().map(|e| Place::from_event(&e));
    let distance = model
        .events
        .list
        .cursor
        .saturating_sub(model.events.list.top);
    let is_searched = model.search.hits.is_some();
    let has_overview = kept.overview.is_some();
    let older = std::mem::replace(&mut model.snapshot, snapshot);
    model.rows = kept.rows;
    model.counts = kept.counts;
    model.texts.forget(&kept.stale);
    if kept.overview.is_some() {
        model.overview = kept.overview;
        model.generations.next(JobKind::Overview);
    }
    if is_searched {
        model.search.hits = kept.hits;
    }
    model.epoch += 1;
    effects.extend(severe(model, kept.changed));
    model.events.steps = SameValueSteps::default();
    if let Some(highlight) = &mut model.events.highlight {
        highlight.fits = None;
    }
    marked_rows::place_marks(model);
    let len = model.len();
    let cursor = match model.events.anchor {
        CursorAnchor::Last => model.last_row(),
        _ if model.events.list.cursor < kept.changed => model.events.list.cursor,
        _ => row_of(model, current, kept.changed).unwrap_or(model.events.list.cursor),
    };
    if cursor != model.events.list.cursor {
        if model.events.anchor == CursorAnchor::Last {
            model.record.top = 0;
        }
        model.events.list.cursor = cursor.min(len.saturating_sub(1));
        model.events.list.top = model.events.list.cursor.saturating_sub(distance);
    }
    match has_other_sources(&older, &model.snapshot) {
        true => selected_rows::note_sources(model),
        // New records may have times of a finer resolution.
        false => selected_rows::note_digits(model),
    }
    if model.popup.is_none() {
        model.key_stats = None;
        model.number_keys = None;
    }
    record_cursor::count_below(model);
    scrolling::settle(model);
    if !is_searched {
        effects.extend(selected_rows::search_again(model));
    }
    if !has_overview {
        effects.push(overview::request(model));
    }
    effects.extend(followed_value::request_highlighted(model));
    // A pending table is not requested again: in a run that grows fast it would never complete.
    let is_computed = model.tables.values().any(|t| t.is_pending);
    if !is_computed && !tables::waits(model) {
        effects.extend(tables::refresh(model));
    }
    effects.extend(selected_rows::keep_up(model));
    effects
}

/// Maximum number of new rows whose levels are examined in the foreground.
const FEW: usize = 1 << 12;

/// Updates the rows of warnings and errors, where rows before `changed` are unchanged. Returns a question
/// for the background if there are more than [`FEW`] other rows.
fn severe(model: &mut Model, changed: usize) -> Option<Effect> {
    let len = model.len();
    let Some(known) = model
        .events
        .severe
        .take()
        .filter(|_| len - changed.min(len) <= FEW)
    else {
        return Some(ask(model, Question::Severe(model.rows.clone())));
    };
    let anew = |rows: &[u32], least: Level| -> Arc<[u32]> {
        let before = rows.partition_point(|row| (*row as usize) < changed);
        let is_severe = |row: &usize| model.event(*row).is_some_and(|e| e.level() >= least);
        let behind = (changed..len).filter(is_severe).map(|row| row as u32);
        rows[..before].iter().copied().chain(behind).collect()
    };
    model.events.severe = Some(SevereRows {
        warnings: anew(&known.warnings, Level::Warning),
        errors: anew(&known.errors, Level::Error),
    });
    None
}

/// Row of a record, searched from row `from` on.
fn row_of(model: &Model, place: Option<Place>, from: usize) -> Option<usize> {
    let place = place?;
    let is_it = |row: &usize| {
        model
            .event(*row)
            .is_some_and(|e| Place::from_event(&e) == place)
    };
    (from..model.len()).find(is_it)
}

/// Whether sources were added, or changed in name, kind or path.
fn has_other_sources(older: &Snapshot, newer: &Snapshot) -> bool {
    let mut pairs = older.sources.iter().zip(newer.sources.iter());
    older.sources.len() != newer.sources.len()
        || pairs.any(|(a, b)| {
            !Arc::ptr_eq(a, b)
                && (a.is_log, &a.tag, &a.kind, &a.path) != (b.is_log, &b.tag, &b.kind, &b.path)
        })
}
