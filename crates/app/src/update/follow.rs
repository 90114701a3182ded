//! Follow mode: the cursor stays on the newest record as records arrive, until the user moves it up.

use crate::event_list::CursorAnchor;
use crate::follow_mode::Following;
use crate::loading::Loading;
use crate::model::Model;
use crate::msg::Effect;

use widetui_session::liveness::Liveness;
use widetui_store::Snapshot;

use super::primitives::navigation::show_records;
use super::primitives::notices::say;
use super::primitives::record_cursor;

/// Starts, resumes or stops follow mode.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    if model.load_state.follow.state == Following::On && model.view.is_records() {
        model.load_state.follow.state = Following::Off;
        model.events.anchor = CursorAnchor::Record;
        say(model, "files are not followed any more");
        return vec![Effect::Follow(false)];
    }
    if settle(model) {
        return Vec::new();
    }
    let mut effects = show_records(model);
    if model.load_state.follow.state == Following::Off {
        effects.push(Effect::Follow(true));
    }
    model.load_state.follow.state = Following::On;
    record_cursor::to_row(model, model.last_row());
    effects
}

/// Time since the last change of a file within which the file may still grow, ns.
const RECENT_CHANGE: u64 = 60_000_000_000;

/// Judges whether the run is live when records have arrived. A live run starts at its last record and is followed. A run of which
/// a file was changed lately is only watched, as it may be a copy of an old one: should it grow, it is live.
pub(super) fn judge_arrived(model: &mut Model, snapshot: &Snapshot) -> Vec<Effect> {
    let before = model.newest();
    let has_grown = before.complete && snapshot.len() > before.len();
    let Some(clock) = model.load_state.clock else {
        return Vec::new();
    };
    if has_grown {
        model.load_state.follow.grew = Some(clock);
    }
    judge(model, snapshot);
    if model.load_state.loading == Loading::Done {
        return Vec::new();
    }
    let is_live = model.is_live();
    if is_live && model.events.anchor == CursorAnchor::First {
        model.events.anchor = CursorAnchor::Last;
    }
    let changed = snapshot.sources.iter().map(|s| s.modified).max();
    let is_recent = changed.is_some_and(|time| clock.abs_diff(time) <= RECENT_CHANGE);
    let follow = &mut model.load_state.follow;
    let is_asked = follow.is_started_by_liveness && follow.state == Following::Off;
    if !is_asked || !snapshot.complete || !snapshot.may_grow() || !is_live && !is_recent {
        return Vec::new();
    }
    follow.state = match is_live && model.events.anchor == CursorAnchor::Last {
        true => Following::On,
        false => Following::Paused {
            rows: snapshot.len(),
        },
    };
    vec![Effect::Follow(true)]
}

/// Judges whether the run is live by the last reading of the clock.
fn judge(model: &mut Model, snapshot: &Snapshot) {
    let grew = model.load_state.follow.grew;
    let clock = model.load_state.clock;
    model.load_state.liveness = clock.map(|clock| Liveness::judge(snapshot, clock, grew));
}

/// Handles the passage of time. A run that is not followed stays as it was when it was read.
pub(super) fn tick(model: &mut Model, clock: i64) {
    model.load_state.clock = Some(clock);
    if model.load_state.follow.state != Following::Off {
        let snapshot = model.newest().clone();
        judge(model, &snapshot);
    }
}

/// Stops follow mode and notifies the user if no source can grow; returns whether that is the case.
pub(super) fn settle(model: &mut Model) -> bool {
    let newest = model.newest();
    let is_settled = newest.complete && !newest.may_grow();
    if is_settled {
        model.load_state.follow.state = Following::Off;
        say(
            model,
            "nothing to follow: archives and ended input do not grow",
        );
    }
    is_settled
}
