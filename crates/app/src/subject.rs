//! What a record is about, as it stands behind its message in a list.

use crate::rect::Rect;

use widetui_store::{EventRef, ValueOrigin};
use widetui_tables::key_rank::{self, Rank, Telling};
use widetui_tables::text::width;

/// From this width on a row ends with what it is about.
pub const WITH_SUBJECT: u16 = 100;
/// Most columns of what a row is about.
pub const SUBJECT: usize = 28;

/// Columns at most that what a record is about takes behind its message, with a gap.
pub fn behind(event: &EventRef<'_>, area: Rect) -> usize {
    match subject(event).filter(|_| area.width >= WITH_SUBJECT) {
        Some(subject) => width(&subject).min(SUBJECT) + 2,
        None => 0,
    }
}

/// What a record is about: the first value of its own that identifies something.
pub fn subject(event: &EventRef<'_>) -> Option<String> {
    let keys = key_rank::keys(event);
    let about = |k: &&Telling| k.rank == Rank::Identity && k.origin == ValueOrigin::Record;
    let key = keys.iter().find(about)?;
    Some(format!("{} {}", key.label, key.value))
}
