//! The most frequent values of all keys: what a palette can offer.

use widetui_core::cancel::Cancel;
use widetui_query::{self as query, Field};
use widetui_store::Snapshot;

/// Keys with more values than this are free text or numbers of no meaning to anybody.
const DISTINCT: u64 = 20_000;
/// Values of one key.
const OF_ONE: usize = 2_000;
/// Values of all keys.
const OF_ALL: usize = 20_000;

/// A value of a key in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueStat {
    /// Name of the key.
    pub key: String,
    /// Word for the key in short lists.
    pub label: String,
    /// The value, in its most frequent spelling.
    pub value: String,
    /// Events that have it.
    pub events: u64,
}

/// The most frequent values of the keys whose values are names rather than measures: keys that identify things first.
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
