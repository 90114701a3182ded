//! State of the run in the breadcrumb: follow mode and liveness as text.

use widetui_session::liveness::Liveness;
use widetui_tables::role::Role;
use widetui_tables::text::grouped;
use widetui_time::time::{NS_PER_SECOND, format_datetime, format_span};

use crate::command::Command;
use crate::follow_mode::Following;
use crate::model::Model;
use crate::times::offset;

/// Text and style of follow mode in the breadcrumb.
pub fn follow_words(model: &Model) -> Option<(String, Role)> {
    let follow = &model.load_state.follow;
    match (follow.state, follow.below) {
        (Following::Off, _) => None,
        (Following::On, _) => Some(("following".to_owned(), Role::StepNow)),
        // Nothing arrives that could be missed.
        (Following::Paused { .. }, 0) if !model.is_live() => None,
        (Following::Paused { .. }, 0) => Some(("paused".to_owned(), Role::Muted)),
        (Following::Paused { .. }, n) => {
            let key = model.key_of(Command::Follow);
            let text = format!("paused, {} new · {key} resumes", grouped(n as u64));
            Some((text, Role::Warning))
        }
    }
}

/// Minimum number of columns for the liveness of the run with its time.
const WIDE: u16 = 44;

/// Text and style of the run's liveness in the breadcrumb, for `room` columns.
pub fn liveness_words(model: &Model, room: u16) -> Option<(String, Role)> {
    let is_wide = room >= WIDE;
    let words = match model.load_state.liveness? {
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
    Some(words)
}
