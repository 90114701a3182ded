//! Handlers of data from the background (snapshots, record texts, answers to questions) and of terminal
//! resizes.

use std::sync::Arc;

use crate::findings::FindingSearch;
use crate::follow_mode::Following;
use crate::loading::Loading;
use crate::model::Model;
use crate::msg::Effect;
use crate::popups::Pivot;
use widetui_ingest::options::LoadMsg;
use widetui_session::jobs::Answer;
use widetui_session::record_texts::Fetched;
use widetui_store::Snapshot;
use widetui_store::read_failures::ReadFailure;

use super::primitives::notices::alert;
use super::primitives::{
    carried_rows, completion, followed_value, overview, plotting, scrolling, selected_rows,
};
use super::{
    choices, clipboard, export, find, findings, follow, instance_views, join_builder, joins,
    name_lookup, popups, reading, shift, sources,
};

/// Adapts the layout to a terminal of `columns` × `rows`.
pub(super) fn resize(model: &mut Model, columns: u16, rows: u16) -> Vec<Effect> {
    model.screen.size = (columns, rows);
    scrolling::settle(model);
    vec![overview::request(model)]
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
            if model.load_state.loading != Loading::Done {
                model.load_state.loading = Loading::Running {
                    done: done_bytes,
                    total: total_bytes,
                    files,
                    phase,
                };
            }
            Vec::new()
        }
        LoadMsg::Failed(reason) => {
            model.load_state.loading = Loading::Failed(reason.clone());
            alert(model, reason)
        }
        LoadMsg::Snapshot(snapshot) => {
            let mut effects: Vec<Effect> = shift::read(model, &snapshot).into_iter().collect();
            effects.extend(arrived(model, snapshot));
            effects
        }
    }
}

fn arrived(model: &mut Model, snapshot: Arc<Snapshot>) -> Vec<Effect> {
    let mut known = follow::judge_arrived(model, &snapshot);
    if snapshot.complete {
        if model.load_state.loading != Loading::Done {
            known.push(Effect::FindWorkspace(snapshot.clone()));
        }
        model.load_state.loading = Loading::Done;
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
    let mut effects = selected_rows::show_snapshot(model, snapshot);
    if model.load_state.follow.state != Following::Off {
        follow::settle(model);
    }
    effects.extend(joins::grown(model));
    effects.extend(known);
    effects
}

/// Handles an answer from the background.
pub(super) fn answer(model: &mut Model, answer: Answer) -> Vec<Effect> {
    match answer {
        // Answers that may lead to further effects.
        Answer::Partial(rows, counts) => return selected_rows::early(model, rows, counts),
        Answer::Selected(rows, counts) => return selected_rows::selected(model, rows, counts),
        Answer::CarriedOver(kept) => return carried_rows::carried(model, *kept),
        Answer::Findings(found) => return findings::found(model, found),
        Answer::Shifted(snapshot) => return arrived(model, snapshot),
        Answer::Instances(snapshot, seen) => return instance_views::seen(model, snapshot, seen),
        Answer::Preview(report) => return join_builder::previewed(model, report),
        Answer::Suggested(found) => return joins::suggested(model, found),
        Answer::Unfinished(stuck) => return instance_views::stuck(model, stuck),
        Answer::UnfinishedInSelection(details) => {
            return instance_views::unfinished_among(model, details);
        }
        Answer::Line(line) => return clipboard::line(model, line),
        Answer::Exported(written) => return export::written(model, written),
        Answer::Marked(fits, count) => return followed_value::highlighted(model, fits, count),
        Answer::KeyStats(stats) => return completion::stats_counted(model, stats),
        Answer::Values(values) => return popups::counted(model, values),
        Answer::Joined {
            snapshot,
            reports,
            core_time,
        } => return joins::widened(model, snapshot, reports, core_time),
        // Answers that only update the model.
        Answer::Overview(found) => model.overview = Some(found),
        Answer::Found(row) => find::found(model, row),
        Answer::Hits { rows, whole } => find::hits(model, rows, whole),
        Answer::Severe(severe) => model.events.severe = Some(severe),
        Answer::Recurrence(steps) => followed_value::steps_known(model, steps),
        Answer::Finding(stage) => model.findings.search = FindingSearch::Running(Some(stage)),
        Answer::Curves(curves) => plotting::drawn(model, curves),
        Answer::Trial(trial) => reading::tried(model, trial),
        // `Msg::answered` turns tables into messages of their own.
        Answer::Table(..) => {}
        Answer::Unread(lost) => alert_unread(model, &lost),
        Answer::Problems(spots) => sources::found(model, spots),
        Answer::InstanceNames(text, found) => name_lookup::found(model, &text, &found),
        Answer::Numbers(keys) => choices::numbers_known(model, keys),
        Answer::Completions(items) => completion::offered(model, items),
        Answer::Count { among, index, rows } => counted(model, among, index, rows),
    }
    Vec::new()
}

/// Stores the number of records with the value of a row of the pivot list: in the selection (`among`
/// is 0), or in the whole run.
fn counted(model: &mut Model, among: usize, index: usize, rows: usize) {
    if let Some(pivot) = model.popup_of_mut::<Pivot>()
        && let Some(row) = pivot.rows.get_mut(index)
    {
        match among {
            0 => row.count = Some(rows),
            _ => row.in_run = Some(rows),
        }
    }
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
