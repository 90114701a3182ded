//! Most frequent values of all keys, offered by the palette.

use widetui_core::cancel::Cancel;
use widetui_query::{self as query, Field};
use widetui_store::Snapshot;

/// Maximum number of distinct values of a key; a key with more holds free text or measurements.
const DISTINCT: u64 = 20_000;
/// Maximum number of values per key.
const OF_ONE: usize = 2_000;
/// Maximum number of values in total.
const OF_ALL: usize = 20_000;

/// Count of a value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueStat {
    /// Name of the key.
    pub key: String,
    /// Short label of the key.
    pub label: String,
    /// Value in its most frequent spelling.
    pub value: String,
    /// Number of records that have it.
    pub events: u64,
}

/// Returns the most frequent values of the keys whose values are names rather than measurements, identifiers first.
pub fn common_values(snapshot: &Snapshot, cancel: &Cancel) -> Option<Vec<ValueStat>> {
    let mut stats = query::key_stats(snapshot, cancel)?;
    stats.retain(|s| s.distinct.is_some_and(|n| (1..=DISTINCT).contains(&n)) && s.kind != "float");
    let keys = &snapshot.catalog.keys;
    let about = |name: &str| {
        let view = keys.find(name).and_then(|id| keys.get(id));
        view.map_or((false, name.to_owned()), |v| {
            (v.key.identifier, v.key.label.to_string())
        })
    };
    stats.sort_by_key(|s| (!about(&s.key).0, s.distinct));
    let mut out: Vec<ValueStat> = Vec::new();
    for stat in stats {
        let (_, label) = about(&stat.key);
        let field = Field::key(&stat.key);
        let values = query::values(snapshot, &field, None, cancel)?;
        out.extend(
            values
                .into_iter()
                .take(OF_ONE)
                .map(|(value, events)| ValueStat {
                    key: stat.key.clone(),
                    label: label.clone(),
                    value,
                    events,
                }),
        );
        if out.len() >= OF_ALL {
            break;
        }
    }
    out.truncate(OF_ALL);
    Some(out)
}
