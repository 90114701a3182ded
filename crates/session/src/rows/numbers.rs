//! Which keys hold numbers, and which numbers.

use widetui_core::cancel::Cancel;
use widetui_definition::key_type::KeyType;
use widetui_query::{self as query, NumberSummary};
use widetui_store::Snapshot;

/// A key whose values are numbers, and no names of something.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberKey {
    /// Its name.
    pub key: String,
    /// Records that have it.
    pub events: u64,
    /// The numbers; `None` where they are only in the text.
    pub numbers: Option<NumberSummary>,
}

/// The keys of a run that hold numbers, by name. `None` when cancelled.
pub fn number_keys(snapshot: &Snapshot, cancel: &Cancel) -> Option<Vec<NumberKey>> {
    let keys = &snapshot.catalog.keys;
    let is_said = |name: &str| {
        let key = keys.find(name).and_then(|id| keys.get(id));
        key.is_some_and(|k| matches!(k.key.kind, KeyType::Int | KeyType::Float))
    };
    let rows = query::key_table(snapshot, None, cancel)?.rows.into_iter();
    // What no column has is a number where the definition says so.
    let is_number = |row: &query::KeyRow| {
        let is_unread = row.top.is_empty() && is_said(&row.key);
        !row.identifier && (row.numbers.is_some() || is_unread)
    };
    let known = rows.filter(is_number).map(|row| NumberKey {
        key: row.key,
        events: row.events,
        numbers: row.numbers,
    });
    Some(known.collect())
}
