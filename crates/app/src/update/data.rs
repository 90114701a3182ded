//! Handlers of data from the background (snapshots, record texts, answers to questions) and of terminal
//! resizes.

use std::sync::Arc;

use crate::event_list::CursorAnchor;
use crate::event_list::SameValueSteps;
use crate::findings::FindingSearch;
use crate::follow_mode::Following;
use crate::layout;
use crate::loading::Loading;
use crate::model::Model;
use crate::msg::Effect;
use crate::popups::Popup;
use widetui_ingest::clocks;
use widetui_ingest::options::LoadMsg;
use widetui_session::jobs::{Answer, Question};
use widetui_session::overview::OverviewRequest;
use widetui_session::record_texts::{Fetched, Place};
use widetui_session::rows::Rows;
use widetui_store::Snapshot;
use widetui_store::display_names as source_names;
use widetui_store::read_failures::ReadFailure;
use widetui_tables::text;
use widetui_time::time::NS_PER_SECOND;

use super::{
    alert, ask, clipboard, complete, export, find, findings, follow, instance_views, join_builder,
    joins, lists, moves, name_lookup, names, numbers, plots, reading, same, say, shift, sources,
    table, user_files,
};

/// Maximum width of a source's name in the list of records, in columns.
const MAX_TAG: usize = 24;

/// Adapts the layout to a terminal of `columns` × `rows`.
pub(super) fn resize(model: &mut Model, columns: u16, rows: u16) -> Vec<Effect> {
    model.screen.size = (columns, rows);
    moves::settle(model);
    vec![strip(model)]
}

/// Stores record texts that were read again; alerts if a source could not be read.
pub(super) fn texts(model: &mut Model, fetched: Fetched) -> Vec<Effect> {
    let lost = fetched.iter().find_map(|(place, record)| {
        let source = model.snapshot.source(place.source)?;
        let problem = record.problem.as_ref()?;
        Some(format!("{} cannot be read again: {problem}", source.path))
    });
    model.texts.add(fetched);
    if let Some(text) = lost {
        alert(model, text);
    }
    Vec::new()
}

/// Handles progress, failure or a snapshot of the reading of logs.
pub(super) fn load(model: &mut Model, msg: LoadMsg) -> Vec<Effect> {
    match msg {
        LoadMsg::Progress {
            done_bytes,
            total_bytes,
            files,
            phase,
        } => {
            if model.arriving.loading != Loading::Done {
                model.arriving.loading = Loading::Running {
                    done: done_bytes,
                    total: total_bytes,
                    files,
                    phase,
                };
            }
            Vec::new()
        }
        LoadMsg::Failed(reason) => {
            model.arriving.loading = Loading::Failed(reason.clone());
            alert(model, reason);
            Vec::new()
        }
        LoadMsg::Snapshot(snapshot) => {
            let mut effects: Vec<Effect> = shift::read(model, &snapshot).into_iter().collect();
            effects.extend(arrived(model, snapshot));
            effects
        }
    }
}

fn arrived(model: &mut Model, snapshot: Arc<Snapshot>) -> Vec<Effect> {
    let mut known = Vec::new();
    if snapshot.complete {
        if model.arriving.loading != Loading::Done {
            known.push(Effect::FindWorkspace(snapshot.clone()));
        }
        model.arriving.loading = Loading::Done;
    }
    if let Some(effect) = shift::pending(model, &snapshot) {
        known.push(effect);
        return known;
    }
    // Derived values of unchanged segments stay valid until the joins are computed again.
    let before = model.newest().clone();
    let snapshot = match before.derived.segments.is_empty() || !snapshot.derived.segments.is_empty()
    {
        true => snapshot,
        false => Arc::new(Snapshot {
            derived: Arc::new(before.derived.carried(&before.segments, &snapshot.segments)),
            ..(*snapshot).clone()
        }),
    };
    let mut effects = show(model, snapshot);
    if model.arriving.follow.state != Following::Off {
        follow::settle(model);
    }
    effects.extend(joins::grown(model));
    effects.extend(known);
    effects
}

/// Shows a snapshot once the rows of the selection in it are known.
pub(super) fn show(model: &mut Model, snapshot: Arc<Snapshot>) -> Vec<Effect> {
    if snapshot.extends(model.newest()) {
        model.arriving.follow.waiting = Some(snapshot);
        return follow::keep_up(model).into_iter().collect();
    }
    model.arriving.follow.waiting = None;
    if model.selection.is_all() && snapshot.duplicates.is_empty() {
        model.arriving.follow.is_asking = false;
        model.arriving.newer = None;
        let mut effects = switch(model, snapshot, Rows::All, Vec::new());
        effects.extend(search_again(model));
        return effects;
    }
    // The old rows stay on the screen until the selection in the new snapshot is known: row numbers
    // are not valid across snapshots.
    model.arriving.newer = Some(snapshot);
    vec![select(model)]
}

/// Requests the rows of the current selection in the newest snapshot.
pub(super) fn select(model: &mut Model) -> Effect {
    model.arriving.follow.is_asking = true;
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
    let effect = ask(model, question);
    match (effect, &model.arriving.newer) {
        (
            Effect::Ask {
                question,
                generation,
                ..
            },
            Some(newer),
        ) => Effect::Ask {
            snapshot: newer.clone(),
            question,
            generation,
        },
        (effect, _) => effect,
    }
}

/// Requests the distribution of the rows over time, for the overview.
pub(super) fn strip(model: &mut Model) -> Effect {
    let fits = model.events.highlight.as_ref().and_then(|h| h.fits.clone());
    let bins = layout::bins(model);
    model.events.bins = Some(bins);
    let wish = OverviewRequest {
        rows: model.rows.clone(),
        bins,
        range: model.events.zoom,
        marked: fits.map(|(fits, _)| fits),
    };
    ask(model, Question::Overview(wish))
}

/// Repeats the search after the rows changed; `None` if there is no search.
pub(super) fn search_again(model: &mut Model) -> Option<Effect> {
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
        model.kept.values = None;
        if let Some(highlight) = &mut model.events.highlight {
            // Event ids are not valid across snapshots.
            highlight.fits = None;
        }
        note_sources(model);
    }
    find::place_marks(model);
    follow::switched(model);
    moves::settle(model);
    user_files::arrive(model);
    let stands = model.current().map(|e| Place::from_event(&e));
    let steps = model.selection.steps();
    model.events.spots.arrive(steps, stood, stands);
    let mut effects = vec![strip(model)];
    effects.push(ask(model, Question::Severe(model.rows.clone())));
    effects.extend(same::again(model));
    effects.extend(table::refresh(model));
    effects
}

/// Updates names, kinds, clock offsets and time precision after the sources changed.
pub(super) fn note_sources(model: &mut Model) {
    let snapshot = model.snapshot.clone();
    model.naming.note_kinds(&snapshot);
    model.clocks = clocks::find_offsets(snapshot.sources.iter().map(|s| &**s));
    model.naming.names = source_names::display_names(&snapshot.sources);
    // One more column for the sign of duplicate records.
    let sign = usize::from(!snapshot.duplicates.is_empty());
    let widest = names::columns(&snapshot.sources, &model.naming.names) + sign;
    model.naming.tag_width = widest.clamp(4, MAX_TAG) as u16;
    note_digits(model);
}

/// Sets the number of fractional digits of displayed times by the finest resolution in the snapshot, so
/// that no significant digit is hidden (resolutions may differ within a segment).
pub(super) fn note_digits(model: &mut Model) {
    model.naming.digits = match model.snapshot.time_unit() {
        None | Some(NS_PER_SECOND..) => 0,
        Some(1_000_000..) => 3,
        Some(_) => 6,
    };
}

/// Handles an answer from the background.
pub(super) fn answer(model: &mut Model, answer: Answer) -> Vec<Effect> {
    match answer {
        // Answers that may lead to further effects.
        Answer::Partial(rows, counts) => return early(model, rows, counts),
        Answer::Selected(rows, counts) => return selected(model, rows, counts),
        Answer::CarriedOver(kept) => return follow::kept(model, *kept),
        Answer::Findings(found) => return findings::found(model, found),
        Answer::Shifted(snapshot) => return arrived(model, snapshot),
        Answer::Instances(snapshot, seen) => return instance_views::seen(model, snapshot, seen),
        Answer::Preview(report) => return join_builder::previewed(model, report),
        Answer::Suggested(found) => return joins::suggested(model, found),
        Answer::Unfinished(stuck) => return instance_views::stuck(model, stuck),
        Answer::UnfinishedInSelection(told) => return instance_views::told_among(model, told),
        Answer::Line(line) => return clipboard::line(model, line),
        Answer::Marked(fits, count) => return same::marked(model, fits, count),
        Answer::KeyStats(stats) => return complete::counted(model, stats),
        Answer::Values(values) => return lists::counted(model, values),
        Answer::Joined {
            snapshot,
            reports,
            took,
        } => return joins::widened(model, snapshot, reports, took),
        // Answers that only update the model.
        Answer::Overview(strip) => model.strip = Some(strip),
        Answer::Found(row) => find::found(model, row),
        Answer::Hits { rows, whole } => find::hits(model, rows, whole),
        Answer::Severe(severe) => model.events.severe = Some(severe),
        Answer::Recurrence(steps) => same::known(model, steps),
        Answer::Finding(stage) => model.findings.search = FindingSearch::Running(Some(stage)),
        Answer::Curves(curves) => plots::drawn(model, curves),
        Answer::Trial(trial) => reading::tried(model, trial),
        // `Msg::answered` turns tables into messages of their own.
        Answer::Table(_) => {}
        Answer::Unread(lost) => alert_unread(model, &lost),
        Answer::Problems(spots) => sources::found(model, spots),
        Answer::Exported(written) => export::written(model, written),
        Answer::InstanceNames(text, found) => name_lookup::found(model, &text, &found),
        Answer::Numbers(keys) => numbers::known(model, keys),
        Answer::Completions(items) => complete::offered(model, items),
        Answer::Count { among, index, rows } => counted(model, among, index, rows),
    }
    Vec::new()
}

/// Shows the first records of a selection while the search for all others continues.
fn early(model: &mut Model, rows: Rows, counts: Vec<usize>) -> Vec<Effect> {
    model.events.is_partial = true;
    let snapshot = newest(model);
    switch(model, snapshot, rows, counts)
}

/// Stores the number of records with the value of a row of the pivot list: in the selection (`among`
/// is 0), or in the whole run.
fn counted(model: &mut Model, among: usize, index: usize, rows: usize) {
    if let Some(Popup::Pivot(pivot)) = &mut model.popup
        && let Some(row) = pivot.rows.get_mut(index)
    {
        match among {
            0 => row.count = Some(rows),
            _ => row.in_run = Some(rows),
        }
    }
}

/// Snapshot that an answer refers to: the one to be shown next, else the one on the screen.
fn newest(model: &mut Model) -> Arc<Snapshot> {
    let newer = model.arriving.newer.take();
    newer.unwrap_or_else(|| model.snapshot.clone())
}

/// Shows all rows of a selection; notifies the user if there are none.
fn selected(model: &mut Model, rows: Rows, counts: Vec<usize>) -> Vec<Effect> {
    model.events.is_partial = false;
    let snapshot = newest(model);
    if rows.len(&snapshot) == 0 && !model.selection.is_all() {
        say_emptied(model, &counts, snapshot.len() - snapshot.duplicates.len());
    }
    model.arriving.follow.is_asking = false;
    let mut effects = switch(model, snapshot, rows, counts);
    effects.extend(search_again(model));
    effects.extend(follow::keep_up(model));
    effects
}

/// Alerts that sources could not be read again.
fn alert_unread(model: &mut Model, lost: &[ReadFailure]) {
    if let Some(first) = lost.first() {
        let more = match lost.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more sources)"),
        };
        alert(model, format!("{first}{more}; its records count as empty"));
    }
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
