//! Commands of joins, and the schedule of their computation: in the background, and again when the run
//! grows or the user changes the joins.

use std::sync::Arc;
use std::time::Duration;

use crate::command::Command;
use crate::follow_mode::Following;
use crate::keymap::KeyScope;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::view_state::{JoinComputation, RecomputeReason};
use rustc_hash::FxHashSet;
use widetui_join::{Join, Report};
use widetui_session::jobs::Question;
use widetui_session::rows::Rows;
use widetui_session::selection::JoinChoice;
use widetui_store::Snapshot;
use widetui_tables::table::RowAction;

use super::primitives::navigation::show;
use super::primitives::notices::say;
use super::primitives::questions::{ask, ask_about};
use super::primitives::{selected_rows, tables};

/// Joins that are switched on, both defined and the user's own.
pub(super) fn active(model: &Model) -> Arc<[Join]> {
    let chosen = model.selection.joins();
    let all = model.meaning.joins.iter().chain(&chosen.own);
    let on = all.filter(|j| !chosen.off.contains(&j.name));
    on.cloned().collect()
}

/// Inverse of the maximum share of a core spent computing the joins, or the tables, of a growing run: 50 means 2%.
const SHARE: u32 = 50;

/// Core time below which a computation is repeated without delay, however often the run grows.
const LITTLE: Duration = Duration::from_millis(5);

/// Maximum delay between computations for a growing run.
const LONGEST: Duration = Duration::from_secs(60);

/// Computes the joins of the newest snapshot after the user changed them; a computation that is running
/// completes first.
pub(super) fn widen(model: &mut Model) -> Option<Effect> {
    match &mut model.joins.widening {
        JoinComputation::Running(again) => {
            *again = RecomputeReason::Asked;
            None
        }
        JoinComputation::UpToDate | JoinComputation::Delayed(_) => start(model),
    }
}

/// Computes the joins after the run has grown: at once, or after a running computation or delay.
pub(super) fn grown(model: &mut Model) -> Option<Effect> {
    match &mut model.joins.widening {
        JoinComputation::Running(again) | JoinComputation::Delayed(again) => {
            *again = RecomputeReason::Grown.max(*again);
            None
        }
        JoinComputation::UpToDate => start(model),
    }
}

/// Ends the delay between computations, and starts the next one if it is due.
pub(super) fn rested(model: &mut Model) -> Vec<Effect> {
    let JoinComputation::Delayed(again) = model.joins.widening else {
        return Vec::new();
    };
    model.joins.widening = JoinComputation::UpToDate;
    let effect = (again != RecomputeReason::No)
        .then(|| start(model))
        .flatten();
    effect.into_iter().collect()
}

fn start(model: &mut Model) -> Option<Effect> {
    model.joins.widening = JoinComputation::UpToDate;
    take_facts(model);
    let joins = active(model);
    if !model.newest().complete || (joins.is_empty() && model.joins.reports.is_empty()) {
        return None;
    }
    model.joins.widening = JoinComputation::Running(RecomputeReason::No);
    // The newest snapshot may not be shown yet.
    let newest = model.newest().clone();
    Some(ask_about(model, newest, Question::Joins(joins)))
}

/// Schedules the next computation after one that took `core_time`: at once, after a delay (in follow mode),
/// or not at all if nothing has changed.
fn next(model: &mut Model, again: RecomputeReason, core_time: Duration) -> Option<Effect> {
    model.joins.widening = JoinComputation::UpToDate;
    let is_followed = model.load_state.follow.state != Following::Off;
    match again {
        RecomputeReason::Asked => start(model),
        again if is_followed && core_time >= LITTLE => {
            model.joins.widening = JoinComputation::Delayed(again);
            Some(Effect::Rest(rest(core_time)))
        }
        RecomputeReason::Grown => start(model),
        RecomputeReason::No => None,
    }
}

/// Delay after a computation that took `core_time`.
fn rest(core_time: Duration) -> Duration {
    core_time.saturating_mul(SHARE - 1).min(LONGEST)
}

/// Delays the next computation for a growing run after a table that took `core_time`: tables are computed again after the joins.
pub(super) fn rest_after(model: &mut Model, core_time: Duration) -> Option<Effect> {
    let is_followed = model.load_state.follow.state != Following::Off;
    if !is_followed || core_time < LITTLE {
        return None;
    }
    match model.joins.widening {
        JoinComputation::Delayed(_) => Some(Effect::Rest(rest(core_time))),
        JoinComputation::UpToDate | JoinComputation::Running(_) => None,
    }
}

/// Enables the joins of the run's fact tables once all logs are read. Joins that the command line leaves
/// out start switched off.
fn take_facts(model: &mut Model) {
    let newest = model.newest().clone();
    if !newest.complete {
        return;
    }
    let Some(meaning) = model.meaning.with_data_joins(&newest) else {
        return;
    };
    if let Some(only) = &model.joins.only {
        let mut known = FxHashSet::default();
        known.extend(model.meaning.joins.iter().map(|j| &j.name));
        let new = meaning.joins.iter().map(|j| &j.name);
        let off = new.filter(|name| !known.contains(name) && !only.contains(*name));
        let off: Vec<String> = off.cloned().collect();
        model.selection.switch_joins_off(&off);
    }
    model.meaning = Arc::new(meaning);
    model.epoch += 1;
}

/// Shows the values that joins derived for `snapshot`, which may not be the newest any more.
pub(super) fn widened(
    model: &mut Model,
    snapshot: Arc<Snapshot>,
    reports: Arc<[Report]>,
    core_time: Duration,
) -> Vec<Effect> {
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
    // Records may have arrived meanwhile. Without a selection, instances refer to the records that
    // the joins covered; a selection by derived values contains none of the newer records.
    let is_all = model.selection.is_all();
    if is_newest || !is_all {
        model.joins.given = Some(derived.clone());
    }
    let seen = (!is_newest && is_all).then(|| snapshot.clone());
    let shown = Snapshot {
        derived,
        // Joins read some records again, which adds keys and values that the snapshot lacks.
        catalog: match is_newest {
            true => snapshot.catalog.clone(),
            false => newest.tables.freeze(),
        },
        ..(*newest).clone()
    };
    let again = match model.joins.widening {
        JoinComputation::Running(again) if is_newest => again,
        JoinComputation::Running(again) => RecomputeReason::Grown.max(again),
        JoinComputation::UpToDate | JoinComputation::Delayed(_) => RecomputeReason::No,
    };
    let mut effects = selected_rows::show_snapshot(model, Arc::new(shown));
    effects.extend(next(model, again, core_time));
    if let Some(seen) = seen {
        effects.extend(refresh_of(model, &seen));
    }
    effects
}

/// Requests the visible tables for all records of `older`, a snapshot before the one shown.
fn refresh_of(model: &mut Model, older: &Arc<Snapshot>) -> Vec<Effect> {
    let about = |effect| match effect {
        Effect::Ask {
            question: Question::Table(_, of),
            generation,
            ..
        } => Effect::Ask {
            snapshot: older.clone(),
            question: Question::Table(Rows::All, of),
            generation,
        },
        other => other,
    };
    tables::refresh(model).into_iter().map(about).collect()
}

/// Notifies the user that a join was saved to the user's definitions, with the path and the number of
/// own joins that are not saved.
pub(super) fn saved(model: &mut Model, name: String, path: &str) {
    if !model.joins.saved.contains(&name) {
        model.joins.saved.push(name.clone());
    }
    let own = model.selection.joins().own.iter().map(|j| &j.name);
    let others = own.filter(|own| !model.joins.saved.contains(*own)).count();
    let key = model.keymap.keys_of(&[KeyScope::Joins], Command::SaveJoin);
    let more = match (others, key) {
        (0, _) | (_, None) => String::new(),
        (1, Some(key)) => format!("; 1 more of your own is not saved: {key} on its row saves it"),
        (n, Some(key)) => {
            format!("; {n} more of your own are not saved: {key} on the row of each saves it")
        }
    };
    say(
        model,
        format!("the join {name} is saved to {path}, and in force in every run from now on{more}"),
    );
}

/// Switches the join under the cursor on or off.
pub(super) fn switch_current(model: &mut Model) -> Vec<Effect> {
    let row = model.table().and_then(|t| t.current());
    match row.map(|r| (&r.action, r.name.clone())) {
        Some((RowAction::Switch(_) | RowAction::Conflicts(_), name)) => switch(model, &name),
        _ => Vec::new(),
    }
}

/// Notification that a join has no conflicts to show.
pub(super) fn without_conflicts(model: &Model, join: &str) -> String {
    let switch = model.key_of(Command::Switch);
    let is_suggested = model.joins.suggested.iter().any(|s| s.0.name == join);
    let is_on = !is_suggested && !model.selection.joins().off.iter().any(|j| j == join);
    match is_on {
        true => format!("it has no conflicts; {switch} switches it off"),
        false => format!("it is not in force; {switch} switches it on"),
    }
}

/// Switches a join on or off, and computes the joins again. A suggested join becomes one of the user's
/// own.
pub(super) fn switch(model: &mut Model, join: &str) -> Vec<Effect> {
    let suggested = model.joins.suggested.iter().find(|s| s.0.name == join);
    if let Some((join, _)) = suggested.cloned() {
        return add(model, join);
    }
    model.selection.change_joins(|chosen| {
        if !chosen.off.remove(join) {
            chosen.off.insert(join.to_owned());
        }
    });
    changed(model)
}

/// Adds a join to the user's own, and computes the joins again.
pub(super) fn add(model: &mut Model, join: Join) -> Vec<Effect> {
    model.selection.change_joins(|chosen| {
        chosen.off.remove(&join.name);
        chosen.own.push(join);
    });
    changed(model)
}

/// Restores the user's own joins and the switched-off joins of a saved workspace.
pub(super) fn restore(model: &mut Model, own: Vec<Join>, off: Vec<String>) -> Vec<Effect> {
    let meaning = model.meaning.clone();
    let is_changed = model.selection.change_joins(|chosen| {
        // A join that was saved meanwhile is already among the definitions.
        let is_new = |join: &Join| {
            meaning
                .joins
                .iter()
                .all(|known| !known.is_named(&join.name))
                && chosen.own.iter().all(|o| o.name != join.name)
        };
        let own: Vec<Join> = own.into_iter().filter(is_new).collect();
        chosen.own.extend(own);
        // A workspace of an earlier version has the names without the systems.
        let full = |name: String| {
            let named = meaning.joins.iter().filter(|j| j.is_named(&name));
            let names: Vec<String> = named.map(|j| j.name.clone()).collect();
            match names.is_empty() {
                true => vec![name],
                false => names,
            }
        };
        chosen.off.extend(off.into_iter().flat_map(full));
    });
    match is_changed {
        true => changed(model),
        false => Vec::new(),
    }
}

/// Computes the joins after undo or redo of a change, and notifies the user of the differences, which
/// may not be on the screen.
pub(super) fn turned(model: &mut Model, before: &JoinChoice) -> Vec<Effect> {
    let text = differences(before, model.selection.joins()).join(" · ");
    say(model, text);
    changed(model)
}

/// Phrases for the differences between two states of the joins.
fn differences(before: &JoinChoice, now: &JoinChoice) -> Vec<String> {
    let own = |chosen: &JoinChoice, other: &JoinChoice| -> Vec<String> {
        let only = chosen.own.iter().filter(|j| !other.own.contains(j));
        only.map(|j| j.name.clone()).collect()
    };
    let off = |chosen: &JoinChoice, other: &JoinChoice| -> Vec<String> {
        chosen.off.difference(&other.off).cloned().collect()
    };
    let told = |names: Vec<String>, what: &'static str| {
        names
            .into_iter()
            .map(move |n| format!("the join {n} is {what}"))
    };
    let added = told(own(now, before), "in force again");
    let gone = told(own(before, now), "taken away");
    let switched_off = told(off(now, before), "off");
    let switched_on = told(off(before, now), "on");
    let all = added.chain(gone).chain(switched_off).chain(switched_on);
    all.collect()
}

/// Shows the table of joins, and requests suggestions of further joins.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let mut effects = show(model, View::JOINS);
    let is_new = |asked: &Arc<Snapshot>| !Arc::ptr_eq(&asked.segments, &model.snapshot.segments);
    if model.snapshot.complete && model.joins.asked.as_ref().is_none_or(is_new) {
        model.joins.asked = Some(model.snapshot.clone());
        let known = active(model);
        effects.push(ask(model, Question::Suggest(known)));
    }
    effects
}

/// Adds suggested joins to the table of joins.
pub(super) fn suggested(model: &mut Model, found: Arc<[(Join, Report)]>) -> Vec<Effect> {
    model.joins.suggested = found;
    model.epoch += 1;
    tables::refresh(model)
}

fn changed(model: &mut Model) -> Vec<Effect> {
    // The table shows switches immediately, and numbers once they are computed.
    model.epoch += 1;
    let mut effects: Vec<Effect> = widen(model).into_iter().collect();
    effects.extend(tables::refresh(model));
    effects
}
