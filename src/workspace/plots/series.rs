//! A number over time, told apart by a key.

use rustc_hash::FxHashMap;

use crate::analysis::columns::{By, Labels, times};
use crate::analysis::scope::Scope;
use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::EventId;
use crate::base::time::NO_TIME;
use crate::format::keys::KeyType;
use crate::query::Field;
use crate::store::Snapshot;

/// Groups that are kept; there may be one for each thing.
const MOST: usize = 1000;

/// The numbers of one value of the key.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesGroup {
    /// The value; empty without a key, and for events that do not have it.
    pub name: String,
    /// Time (UTC ns) and number, by time.
    pub points: Vec<(i64, f64)>,
}

/// See the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesData {
    /// The key.
    pub key: String,
    /// The key that tells groups apart.
    pub by: Option<String>,
    /// The group with the greatest number first.
    pub groups: Vec<SeriesGroup>,
    /// Events with the key whose value is no number.
    pub no_numbers: u64,
    /// Groups that are not kept.
    pub left_out: usize,
}

/// Keys whose values are numbers and no names of things: what can be drawn.
pub fn measures(snapshot: &Snapshot) -> Vec<String> {
    let keys = snapshot.catalog.keys.iter();
    let is_number = |kind: KeyType| matches!(kind, KeyType::Int | KeyType::Float);
    keys.filter(|k| is_number(k.key.kind) && !k.key.identifier)
        .map(|k| k.key.name.to_string())
        .collect()
}

/// The numbers of a key in the events of a scope. `None` when cancelled.
pub(super) fn series(
    snapshot: &Snapshot,
    scope: &Scope,
    key: &str,
    by: Option<&str>,
    cancel: &Cancel,
) -> Option<SeriesData> {
    let mut out = SeriesData {
        key: key.to_owned(),
        by: by.map(str::to_owned),
        groups: Vec::new(),
        no_numbers: 0,
        left_out: 0,
    };
    let named = |name: &str| match Field::key(name) {
        Field::Key(name) => By::named(snapshot, &name),
        _ => None,
    };
    let Some(of) = named(key) else {
        return Some(out);
    };
    let values = Labels::of(snapshot, &of, cancel)?;
    let groups = match by.and_then(|b| By::named(snapshot, b)) {
        Some(by) => Some(Labels::of(snapshot, &by, cancel)?),
        None => None,
    };
    let times = times(snapshot);
    let mut numbers: FxHashMap<Code, Option<f64>> = FxHashMap::default();
    let mut found: FxHashMap<Code, Vec<(i64, f64)>> = FxHashMap::default();
    for (at, event) in snapshot.order.iter().enumerate() {
        if at % 65_536 == 0 && cancel.is_cancelled() {
            return None;
        }
        let id = EventId(*event);
        let code = values.code(id);
        if code == NONE || scope.events.as_ref().is_some_and(|e| !e.contains(id)) {
            continue;
        }
        let time = times[*event as usize];
        if time == NO_TIME || !scope.window.contains(time) {
            continue;
        }
        let number = numbers
            .entry(code)
            .or_insert_with(|| values.text(snapshot, code).trim().parse().ok());
        let Some(number) = number.filter(|n: &f64| n.is_finite()) else {
            out.no_numbers += 1;
            continue;
        };
        let group = groups.as_ref().map_or(NONE, |g| g.code(id));
        found.entry(group).or_default().push((time, number));
    }
    let name = |code| groups.as_ref().map(|g| g.text(snapshot, code));
    out.groups = found
        .into_iter()
        .map(|(code, points)| SeriesGroup {
            name: name(code).unwrap_or_default(),
            points,
        })
        .collect();
    let most = |g: &SeriesGroup| g.points.iter().map(|p| p.1).fold(f64::MIN, f64::max);
    out.groups
        .sort_by(|a, b| most(b).total_cmp(&most(a)).then(a.name.cmp(&b.name)));
    out.left_out = out.groups.len().saturating_sub(MOST);
    out.groups.truncate(MOST);
    Some(out)
}
