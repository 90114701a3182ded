//! Follow mode: the cursor stays on the newest record as records arrive, until the user moves it up.

use crate::event_list::CursorAnchor;
use crate::follow_mode::Following;
use crate::loading::Loading;
use crate::model::{Model, View};
use crate::msg::Effect;

use super::primitives::navigation::show;
use super::primitives::notices::say;
use super::primitives::record_cursor;

/// Starts, resumes or stops follow mode.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    if model.load_state.follow.state == Following::On && model.view == View::Events {
        model.load_state.follow.state = Following::Off;
        model.events.anchor = CursorAnchor::Record;
        say(model, "files are not followed any more".to_owned());
        return vec![Effect::Follow(false)];
    }
    if settle(model) {
        return Vec::new();
    }
    let mut effects = show(model, View::Events);
    if model.load_state.follow.state == Following::Off {
        effects.push(Effect::Follow(true));
    }
    model.load_state.follow.state = Following::On;
    record_cursor::to_row(model, model.last_row());
    effects
}

/// Starts a live run at its last record, and follows it: one of whose files was written lately. `last_write` is the time
/// of the last change of a file that may grow, UTC ns.
pub(super) fn discovered(model: &mut Model, last_write: Option<i64>) -> Vec<Effect> {
    let follow = &mut model.load_state.follow;
    let is_live = last_write
        .zip(follow.live_since)
        .is_some_and(|(last, since)| last >= since);
    if !is_live || model.load_state.loading == Loading::Done {
        return Vec::new();
    }
    model.events.anchor = CursorAnchor::Last;
    if !follow.is_started_by_liveness || follow.state != Following::Off {
        return Vec::new();
    }
    follow.state = Following::On;
    vec![Effect::Follow(true)]
}

/// Stops follow mode and notifies the user if no source can grow; returns whether that is the case.
pub(super) fn settle(model: &mut Model) -> bool {
    let newest = model.newest();
    let is_settled = newest.complete && !newest.may_grow();
    if is_settled {
        model.load_state.follow.state = Following::Off;
        say(
            model,
            "nothing to follow: archives and ended input do not grow".to_owned(),
        );
    }
    is_settled
}
