//! Keys with numeric values, and their statistics.

use widetui_core::cancel::Cancel;
use widetui_definition::key_type::KeyType;
use widetui_query::{self as query, NumberSummary};
use widetui_store::Snapshot;

/// A key whose values are numbers but no identifiers.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberKey {
    /// Name of the key.
    pub key: String,
    /// Number of records that have it.
    pub events: u64,
    /// Statistics of the values; `None` if they are in the text only.
    pub numbers: Option<NumberSummary>,
}

/// Returns the numeric keys of a run, sorted by name. `None` if cancelled.
pub fn number_keys(snapshot: &Snapshot, cancel: &Cancel) -> Option<Vec<NumberKey>> {
    let keys = &snapshot.catalog.keys;
    let is_said = |name: &str| {
        let key = keys.find(name).and_then(|id| keys.get(id));
        key.is_some_and(|k| matches!(k.key.kind, KeyType::Int | KeyType::Float))
    };
    let rows = query::key_table(snapshot, None, cancel)?.rows.into_iter();
    // For values that are not in columns, the declared type of the key decides.
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
