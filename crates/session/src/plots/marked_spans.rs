//! Spans between two kinds of records that the user marked, as start and as end: which key pairs them, how long they take.

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

/// Records that spans start or end at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What they are called.
    pub label: String,
    /// What they fit.
    pub expr: Expr,
}

/// Where spans start, and where they end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanMarks {
    /// Their starts.
    pub start: Mark,
    /// Their ends.
    pub end: Mark,
}

impl SpanMarks {
    /// Both, in a few words.
    pub fn told(&self) -> String {
        format!("“{}” to “{}”", self.start.label, self.end.label)
    }
}

/// Which end belongs to which start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PairBy {
    /// The one with the same value of the key that pairs most of them, and tells most of them apart.
    #[default]
    Best,
    /// The next one, as in a queue.
    Queue,
    /// The one with the same value of this key.
    Key(String),
}

/// Spans between marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    /// The marks.
    pub marks: SpanMarks,
    /// The spans.
    pub spans: Spans,
    /// The key that pairs them; none: they are a queue.
    pub key: Option<String>,
    /// What each is called: the value of that key.
    pub names: Vec<String>,
    /// The key by which they are told apart.
    pub by: Option<String>,
    /// How many there were at once at most, and since when, UTC ns.
    pub at_once: Option<(i64, i64)>,
}

/// Records of each kind in which keys are looked for.
const LOOKED_AT: usize = 200;
/// Keys that are tried.
const TRIED: usize = 12;

/// Spans between marks. `None` when cancelled.
pub(super) fn marked(
    snapshot: &Snapshot,
    runs: &RunEnds,
    scope: &AnalysisScope,
    marks: &SpanMarks,
    (pair, by): (&PairBy, Option<&str>),
    cancel: &Cancel,
) -> Option<Marked> {
    let start = select(snapshot, &marks.start.expr, cancel)?;
    let end = select(snapshot, &marks.end.expr, cancel)?;
    let ends = (&start, &end);
    let scope = &with_both(scope, ends);
    let group = by.and_then(|by| EventProperty::parse(snapshot, by));
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

/// A scope in which some of both kinds are: the way to a record is often a filter that leaves out the other kind.
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

/// The key that pairs starts and ends best: the one of which most values have a span, as a key that all share (the run) makes
/// a queue of them. `None`: they have none in common.
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
    let mut tried: Vec<Tried> = Vec::new();
    for (_, key) in common.into_iter().take(TRIED) {
        let spans = find(Some(&EventProperty::Key(key))).ok_or(Cancelled)?;
        let ended = spans.list.iter();
        let ended = ended.filter(|s| s.outcome == SpanOutcome::Ended);
        let ended: Vec<u32> = ended.map(|s| s.subject).collect();
        let values: FxHashSet<u32> = ended.iter().copied().collect();
        let view = snapshot.catalog.keys.get(key);
        let names_things = view.is_some_and(|k| k.key.identifier);
        tried.push(Tried {
            values: values.len(),
            spans: ended.len(),
            names_things,
            key: Reverse(key),
        });
    }
    let best = tried.into_iter().filter(|tried| tried.values > 0).max();
    Ok(best.map(|tried| EventProperty::Key(tried.key.0)))
}

/// How well a key pairs starts and ends; the best is the greatest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Tried {
    /// Its values that have a span.
    values: usize,
    /// Spans that ended.
    spans: usize,
    /// Whether its values are names of things.
    names_things: bool,
    key: Reverse<KeyId>,
}

/// The keys that most of some events have, of the first of them, with the values that they have there.
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
