//! Follow mode: state of following growing files, and its display.

use std::sync::Arc;

use widetui_session::liveness::Liveness;
use widetui_store::Snapshot;

use widetui_tables::role::Role;
use widetui_tables::text::grouped;
use widetui_time::time::{NS_PER_SECOND, format_datetime, format_span};

use crate::model::Model;
use crate::times::offset;

/// Behaviour of the cursor when new records arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Following {
    /// Follow mode is off.
    #[default]
    Off,
    /// The cursor stays at the last row.
    On,
    /// The cursor stays where the user moved it.
    Paused {
        /// Number of rows when the cursor left the last row.
        rows: usize,
    },
}

/// State of the follow mode.
#[derive(Clone, Debug, Default)]
pub struct FollowState {
    /// Behaviour of the cursor.
    pub state: Following,
    /// Whether a live run is followed from the start.
    pub is_started_by_liveness: bool,
    /// Time at which records arrived that were not there when the run was opened, UTC ns.
    pub(crate) grew: Option<i64>,
    /// Whether the selection is being evaluated for a snapshot.
    pub(crate) is_asking: bool,
    /// Latest snapshot, to be evaluated next.
    pub(crate) waiting: Option<Arc<Snapshot>>,
    /// Number of rows that arrived while paused.
    pub(crate) below: usize,
}

/// Text and style for the breadcrumb: whether the cursor follows new records.
pub fn words(model: &Model) -> Option<(String, Role)> {
    let follow = &model.load_state.follow;
    match (follow.state, follow.below) {
        (Following::Off, _) => None,
        (Following::On, _) => Some(("following".to_owned(), Role::StepNow)),
        // Nothing arrives that could be missed.
        (Following::Paused { .. }, 0) if !model.is_live() => None,
        (Following::Paused { .. }, 0) => Some(("paused".to_owned(), Role::Muted)),
        (Following::Paused { .. }, n) => {
            let text = format!("paused, {} new", grouped(n as u64));
            Some((text, Role::Warning))
        }
    }
}

/// Number of columns from which the liveness of the run is shown with its time.
const WIDE: u16 = 44;

/// Text and style for the breadcrumb with room for `room` columns: whether the run is live.
pub fn liveness_words(model: &Model, room: u16) -> Option<(String, Role)> {
    let is_wide = room >= WIDE;
    let told = match model.load_state.liveness? {
        Liveness::Live { .. } if model.load_state.follow.state == Following::Off => {
            ("live when read".to_owned(), Role::Muted)
        }
        Liveness::Live { quiet, .. } if is_wide => {
            let ago = match quiet / NS_PER_SECOND {
                seconds @ 0..60 => format!("{seconds} s"),
                _ => format_span(quiet),
            };
            (format!("live, last record {ago} ago"), Role::StepNow)
        }
        Liveness::Live { .. } => ("live".to_owned(), Role::StepNow),
        Liveness::Ended(last) if is_wide => {
            let minute: String = format_datetime(last, offset(model, last), 0)
                .chars()
                .take("2026-11-21 01:45".len())
                .collect();
            (format!("ended {minute}"), Role::Muted)
        }
        Liveness::Ended(_) => ("ended".to_owned(), Role::Muted),
        Liveness::Ahead(by) if is_wide => {
            let text = format!("last record {} ahead of the clock", format_span(by));
            (text, Role::Warning)
        }
        Liveness::Ahead(_) | Liveness::Undated => return None,
    };
    Some(told)
}
