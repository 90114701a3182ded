//! Numeric keys that look like gauges, for logs without a definition.

use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_core::quantity;
use widetui_definition::key_type::KeyType;
use widetui_query::key_stats;
use widetui_store::Snapshot;

use crate::series::SeriesSpec;

/// Minimum number of events of a gauge.
const MIN_EVENTS: u64 = 8;

/// Finds numeric keys that look like gauges: not declared by a definition, with a word for gauges in
/// their name and with repeated values; most events first. `None` when cancelled.
pub(crate) fn find_gauges(
    snapshot: &Snapshot,
    known: &[&str],
    cancel: &Cancel,
) -> Option<Vec<KeyId>> {
    let keys = &snapshot.catalog.keys;
    let gauges = &snapshot.catalog.words.gauges;
    let candidates: Vec<KeyId> = keys
        .iter()
        .filter(|k| !k.key.identifier && !known.contains(&&*k.key.name))
        .filter(|k| matches!(k.key.kind, KeyType::Auto | KeyType::Int | KeyType::Float))
        .filter(|k| {
            let mut words = k.key.name.split(|c: char| !c.is_ascii_alphanumeric());
            words.any(|w| gauges.contains(&w.to_ascii_lowercase()))
        })
        .map(|k| k.key.id)
        .collect();
    if candidates.is_empty() {
        return Some(Vec::new());
    }
    let stats = key_stats(snapshot, cancel)?;
    let mut fitting: Vec<(u64, KeyId)> = candidates
        .into_iter()
        .filter_map(|id| {
            let view = keys.get(id)?;
            let stat = stats.iter().find(|s| *s.key == *view.key.name)?;
            let is_number = |text: &str| quantity::number(text).is_some();
            let is_numeric = view.dict.iter().take(50).all(|(_, text)| is_number(text));
            let varies = stat.distinct.is_none_or(|d| d > 2);
            (stat.events >= MIN_EVENTS && varies && is_numeric).then_some((stat.events, id))
        })
        .collect();
    fitting.sort_unstable_by_key(|(events, id)| (std::cmp::Reverse(*events), *id));
    Some(fitting.into_iter().map(|f| f.1).collect())
}

/// Description of a key as a measurement.
pub(crate) fn gauge_spec(snapshot: &Snapshot, key: KeyId) -> SeriesSpec {
    let name = snapshot.catalog.keys.name(key).to_owned();
    SeriesSpec {
        title: name.clone(),
        key: name,
        ..SeriesSpec::default()
    }
}
