//! Follow mode: the cursor stays on the newest record as records arrive, until the user moves it up.

use std::sync::Arc;

use crate::event_list::CursorAnchor;
use crate::event_list::SameValueSteps;
use crate::follow_mode::Following;
use crate::model::{Model, View};
use crate::msg::Effect;
use widetui_core::level::Level;
use widetui_session::incremental::{CarriedAnswers, KnownAnswers};
use widetui_session::jobs::{JobKind, Question};
use widetui_session::record_search::SevereRows;
use widetui_session::record_texts::Place;
use widetui_store::Snapshot;

use super::{ask, data, find, moves, same, say, show, table};

/// Starts, resumes or stops follow mode.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    if model.arriving.follow.state == Following::On && model.view == View::Events {
        model.arriving.follow.state = Following::Off;
        model.events.anchor = CursorAnchor::Record;
        say(model, "files are not followed any more".to_owned());
        return vec![Effect::Follow(false)];
    }
    if settle(model) {
        return Vec::new();
    }
    let mut effects = show(model, View::Events);
    if model.arriving.follow.state == Following::Off {
        effects.push(Effect::Follow(true));
    }
    model.arriving.follow.state = Following::On;
    moves::to_row(model, model.last_row());
    effects
}

/// Stops follow mode and notifies the user if no source can grow; returns whether that is the case.
pub(super) fn settle(model: &mut Model) -> bool {
    let newest = model.newest();
    let is_settled = newest.complete && !newest.may_grow();
    if is_settled {
        model.arriving.follow.state = Following::Off;
        say(
            model,
            "nothing to follow: archives and ended input do not grow".to_owned(),
        );
    }
    is_settled
}

/// Updates follow mode after the cursor moved. It pauses when the cursor leaves the newest record; a
/// jump to a record that happens to be the newest does not resume it (see [`resume`]).
pub(super) fn moved(model: &mut Model) {
    let is_last = is_at_end(model);
    match model.arriving.follow.state {
        Following::Off => return,
        Following::On if is_last => model.events.anchor = CursorAnchor::Last,
        Following::On => model.arriving.follow.state = Following::Paused { rows: model.len() },
        Following::Paused { .. } => {}
    }
    count(model);
}

/// Resumes paused follow mode if the user has moved the cursor down to the newest record.
pub(super) fn resume(model: &mut Model) {
    if matches!(model.arriving.follow.state, Following::Paused { .. }) && is_at_end(model) {
        model.arriving.follow.state = Following::On;
        model.events.anchor = CursorAnchor::Last;
        count(model);
        moves::settle(model);
    }
}

/// Whether the cursor is on the newest record, or there are no records.
fn is_at_end(model: &Model) -> bool {
    model.events.list.cursor == model.last_row() || model.is_empty()
}

/// End of the visible rows in follow mode: the row after the newest record, since records without a
/// time follow it and do not grow. `None` unless the cursor follows.
pub(super) fn end(model: &Model) -> Option<usize> {
    let follows = model.arriving.follow.state == Following::On && is_at_end(model);
    (follows && !model.is_empty()).then(|| model.last_row() + 1)
}

/// Updates follow mode after the rows of the list changed.
pub(super) fn switched(model: &mut Model) {
    if model.events.anchor == CursorAnchor::Last {
        return;
    }
    if let Following::Paused { rows } = &mut model.arriving.follow.state {
        *rows = model.rows.len(&model.snapshot);
    }
    moved(model);
    resume(model);
}

/// Updates the number of rows that arrived while follow mode is paused.
fn count(model: &mut Model) {
    model.arriving.follow.below = match model.arriving.follow.state {
        Following::Paused { rows } => model.len().saturating_sub(rows),
        _ => 0,
    };
}

/// Requests the rows of the selection in the latest snapshot, based on the known rows if it extends the
/// current snapshot. Returns `None` if a request is already running or no snapshot waits.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    if model.arriving.follow.is_asking {
        return None;
    }
    let newer = model.arriving.follow.waiting.take()?;
    if !newer.extends(&model.snapshot) {
        model.arriving.newer = Some(newer);
        return Some(data::select(model));
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
        strip: model.strip.clone().filter(|_| is_plain),
    };
    model.arriving.follow.is_asking = true;
    model.arriving.newer = Some(newer.clone());
    let effect = ask(model, Question::CarryOver(Arc::new(known)));
    Some(match effect {
        Effect::Ask {
            question,
            generation,
            ..
        } => Effect::Ask {
            snapshot: newer,
            question,
            generation,
        },
        other => other,
    })
}

/// Shows an extended snapshot with the rows and answers carried over to it.
pub(super) fn kept(model: &mut Model, kept: CarriedAnswers) -> Vec<Effect> {
    model.arriving.follow.is_asking = false;
    let Some(snapshot) = model.arriving.newer.take() else {
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
    let has_strip = kept.strip.is_some();
    let older = std::mem::replace(&mut model.snapshot, snapshot);
    model.rows = kept.rows;
    model.counts = kept.counts;
    model.texts.forget(&kept.stale);
    if kept.strip.is_some() {
        model.strip = kept.strip;
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
    find::place_marks(model);
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
        true => data::note_sources(model),
        // New records may have times of a finer resolution.
        false => data::note_digits(model),
    }
    if model.popup.is_none() {
        model.key_stats = None;
        model.number_keys = None;
    }
    count(model);
    moves::settle(model);
    if !is_searched {
        effects.extend(data::search_again(model));
    }
    if !has_strip {
        effects.push(data::strip(model));
    }
    effects.extend(same::again(model));
    // A pending table is not requested again: in a run that grows fast it would never complete.
    let is_computed = model.tables.values().any(|t| t.is_pending);
    if !is_computed && !table::waits(model) {
        effects.extend(table::refresh(model));
    }
    effects.extend(keep_up(model));
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
