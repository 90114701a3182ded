//! Spans between two sets of records that the user marked as start and end: the key that pairs them, and their
//! durations.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_analysis::columns::{EventProperty, PropertyColumn};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::spans::{LostEnds, SpanOutcome, Spans, paired_spans};
use widetui_core::cancel::{Cancel, Cancelled};
use widetui_core::ids::{EventId, KeyId};
use widetui_query::{Expr, Selection, select};
use widetui_store::Snapshot;

/// Records at which spans start or end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Label.
    pub label: String,
    /// Expression that the records match.
    pub expr: Expr,
}

/// Starts and ends of spans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanMarks {
    /// Starts.
    pub start: Mark,
    /// Ends.
    pub end: Mark,
}

impl SpanMarks {
    /// Short text that names both.
    pub fn told(&self) -> String {
        format!("“{}” to “{}”", self.start.label, self.end.label)
    }
}

/// How starts and ends are paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PairBy {
    /// By equal values of the key that yields the most pairs.
    #[default]
    Best,
    /// In order, as in a queue.
    Queue,
    /// By equal values of this key.
    Key(String),
}

/// Spans between marked records.
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    /// The marks.
    pub marks: SpanMarks,
    /// The spans.
    pub spans: Spans,
    /// Key that pairs starts and ends; `None` for a queue.
    pub key: Option<String>,
    /// Name of each span: the value of `key`.
    pub names: Vec<String>,
    /// Key by which the spans are grouped.
    pub by: Option<String>,
    /// Maximum number of concurrent spans, and the time when it was first reached, UTC ns.
    pub at_once: Option<(i64, i64)>,
}

/// Number of records of each mark in which common keys are searched for.
const LOOKED_AT: usize = 200;
/// Maximum number of keys tried.
const TRIED: usize = 12;

/// Computes the spans between marks. `None` if cancelled.
pub(super) fn marked(
    snapshot: &Snapshot,
    runs: &RunEnds,
    scope: &AnalysisScope,
    marks: &SpanMarks,
    (pair, group): (&PairBy, Option<EventProperty>),
    cancel: &Cancel,
) -> Option<Marked> {
    let start = select(snapshot, &marks.start.expr, cancel)?;
    let end = select(snapshot, &marks.end.expr, cancel)?;
    let ends = (&start, &end);
    let scope = &with_both(scope, ends);
    let find = |key: Option<&EventProperty>| {
        paired_spans(snapshot, ends, (key, group.as_ref()), runs, scope, cancel)
    };
    let key = match pair {
        PairBy::Queue => None,
        PairBy::Key(name) => EventProperty::parse(snapshot, name),
        PairBy::Best => best(snapshot, ends, &find).ok()?,
    };
    let spans = find(key.as_ref())?;
    let labels = match &key {
        Some(key) => Some(PropertyColumn::read(snapshot, key, cancel)?),
        None => None,
    };
    let name = |of: u32| {
        labels
            .as_ref()
            .map_or_else(String::new, |l| l.text(snapshot, of))
    };
    Some(Marked {
        marks: marks.clone(),
        names: spans.list.iter().map(|span| name(span.subject)).collect(),
        key: key.map(|k| k.name(snapshot).to_owned()),
        by: group.map(|by| by.name(snapshot).to_owned()),
        at_once: spans.concurrency(scope, LostEnds::WhenReported).max(),
        spans,
    })
}

/// Extends a scope that excludes all records of a mark by that mark: the filter by which the user found one mark often
/// excludes the other.
fn with_both(scope: &AnalysisScope, (start, end): (&Selection, &Selection)) -> AnalysisScope {
    let mut scope = scope.clone();
    if let Some(events) = &mut scope.events {
        let selected = events.clone();
        for kind in [start, end] {
            let mut both = kind.clone();
            both.and(&selected);
            if both.is_empty() {
                events.or(kind);
            }
        }
    }
    scope
}

/// Returns the key that pairs starts and ends best: the key with the most values that have a span. (A key with one
/// value for all records, such as the run, would pair them as a queue.) `None` if they have no key in common.
fn best(
    snapshot: &Snapshot,
    (start, end): (&Selection, &Selection),
    find: &impl Fn(Option<&EventProperty>) -> Option<Spans>,
) -> Result<Option<EventProperty>, Cancelled> {
    let (starts, ends) = (keys_of(snapshot, start), keys_of(snapshot, end));
    let mut common: Vec<(usize, KeyId)> = starts
        .iter()
        .filter_map(|(key, values)| Some((values.len().min(ends.get(key)?.len()), *key)))
        .collect();
    common.sort_unstable_by_key(|(values, key)| (Reverse(*values), *key));
    let mut tried: Vec<PairingQuality> = Vec::new();
    for (_, key) in common.into_iter().take(TRIED) {
        let spans = find(Some(&EventProperty::Key(key))).ok_or(Cancelled)?;
        let ended = spans.list.iter();
        let ended = ended.filter(|s| s.outcome == SpanOutcome::Ended);
        let ended: Vec<u32> = ended.map(|s| s.subject).collect();
        let values: FxHashSet<u32> = ended.iter().copied().collect();
        let view = snapshot.catalog.keys.get(key);
        let names_things = view.is_some_and(|k| k.key.identifier);
        tried.push(PairingQuality {
            values: values.len(),
            spans: ended.len(),
            names_things,
            key: Reverse(key),
        });
    }
    let best = tried.into_iter().filter(|tried| tried.values > 0).max();
    Ok(best.map(|tried| EventProperty::Key(tried.key.0)))
}

/// Quality of a key for pairing; the greatest is best.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PairingQuality {
    /// Number of values that have a span.
    values: usize,
    /// Number of spans that ended.
    spans: usize,
    /// Whether the key is an identifier.
    names_things: bool,
    key: Reverse<KeyId>,
}

/// Returns the keys that most of the first records have, with their values in these records.
fn keys_of(snapshot: &Snapshot, events: &Selection) -> FxHashMap<KeyId, FxHashSet<u32>> {
    let mut found: FxHashMap<KeyId, (usize, FxHashSet<u32>)> = FxHashMap::default();
    let mut seen = 0;
    for id in events.ids().take(LOOKED_AT) {
        let Some(event) = snapshot.event(EventId(id.0)) else {
            continue;
        };
        seen += 1;
        let mut own: FxHashSet<KeyId> = FxHashSet::default();
        event.for_each_code(|key, codes, _| {
            if let [code] = codes
                && own.insert(key)
            {
                let of_key = found.entry(key).or_default();
                of_key.0 += 1;
                of_key.1.insert(*code);
            }
        });
    }
    let most = found.into_iter().filter(|(_, (n, _))| n * 2 > seen);
    most.map(|(key, (_, values))| (key, values)).collect()
}
