//! Subject of a record: the identifying value shown after the message in a list.

use crate::rect::Rect;

use widetui_store::{EventRef, ValueOrigin};
use widetui_tables::key_rank::{self, Rank, RankedKey};
use widetui_tables::text::width;

/// Width of a list from which on rows show the subject, in columns.
pub const WITH_SUBJECT: u16 = 100;
/// Maximum width of a subject, in columns.
pub const SUBJECT: usize = 28;

/// Width of the subject after a message, including a gap; 0 if it is not shown.
pub(crate) fn behind(event: &EventRef<'_>, area: Rect) -> usize {
    match subject(event).filter(|_| area.width >= WITH_SUBJECT) {
        Some(subject) => width(&subject).min(SUBJECT) + 2,
        None => 0,
    }
}

/// Subject of a record: label and value of the first identifying key in the record itself.
pub fn subject(event: &EventRef<'_>) -> Option<String> {
    let keys = key_rank::ranked_keys(event);
    let about = |k: &&RankedKey| k.rank == Rank::Identity && k.origin == ValueOrigin::Record;
    let key = keys.iter().find(about)?;
    Some(format!("{} {}", key.label, key.value))
}
