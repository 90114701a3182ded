//! Extraction (`[[reading]]`): keys that records receive from their own message, from the value of
//! another key, from several keys by a template, or as constants.
//!
//! Extracted values are a function of the record alone, so the values of the groups of such a join
//! are known before the first round: a group is a value of the parsed key or a distinct combination
//! of extracted values.

mod composed;
mod keys;
mod messages;

pub(crate) use keys::stated as stated_values;

use std::hash::Hash;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_format::pattern::Spans;
use widetui_query::{self as query, Expr, Selection};
use widetui_store::Snapshot;

use crate::spec::{ExtractionRule, Join, JoinRule};

/// Preview of an extraction rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractionPreview {
    /// Number of events that would receive a value.
    pub events: usize,
    /// Number of events that take part.
    pub candidates: usize,
    /// Extracted keys, each with the number of distinct values and some examples.
    pub keys: Vec<(String, usize, Vec<String>)>,
}

/// Maximum number of example values per key in a trial.
const MAX_EXAMPLES: usize = 8;

/// Evaluates an extraction rule without storing its values. Like a real extraction it sees only
/// stored values, not those derived by joins. `None` when cancelled.
pub fn preview_extraction(
    snapshot: &Snapshot,
    rule: &ExtractionRule,
    cancel: &Cancel,
) -> Option<ExtractionPreview> {
    let extracted = extract(&snapshot.without_derived(), rule, cancel)?;
    let keys = rule.extracted_keys.iter().enumerate().map(|(at, name)| {
        let values = extracted
            .groups
            .iter()
            .filter_map(|(_, v)| v[at].as_deref());
        let mut seen = FxHashSet::default();
        let values: Vec<&str> = values.filter(|v| seen.insert(*v)).collect();
        let examples = values.iter().take(MAX_EXAMPLES).map(|v| (*v).to_owned());
        (name.clone(), values.len(), examples.collect())
    });
    Some(ExtractionPreview {
        events: extracted.events,
        candidates: extracted.candidates,
        keys: keys.collect(),
    })
}

/// Assignment of events to the groups of an extraction.
#[derive(Debug)]
pub(crate) enum ExtractionGroups {
    /// The value of this key is the group.
    ByValue(KeyId),
    /// Group numbers of the rows, by segment; `None` for a segment without groups.
    ByRow(Vec<Option<Box<[Code]>>>),
}

/// Result of an extraction before its values have codes.
#[derive(Debug)]
struct Extracted {
    groups_by: ExtractionGroups,
    groups: Vec<(Code, Vec<Option<String>>)>,
    participants: Option<Selection>,
    events: usize,
    candidates: usize,
}

impl Extracted {
    /// Result without a value for `candidates` events.
    fn none(candidates: usize) -> Extracted {
        Extracted {
            groups_by: ExtractionGroups::ByRow(Vec::new()),
            groups: Vec::new(),
            participants: None,
            events: 0,
            candidates,
        }
    }
}

/// Values of the rows of a segment, each distinct one once.
struct RowValues<V> {
    /// Rows, each with the number of its value.
    rows: Vec<(usize, usize)>,
    numbers: FxHashMap<V, usize>,
    values: Vec<V>,
}

impl<V: Clone + Eq + Hash> RowValues<V> {
    /// Adds the value of a row.
    fn add(&mut self, row: usize, value: V) {
        let values = &mut self.values;
        let number = *self.numbers.entry(value).or_insert_with_key(|value| {
            values.push(value.clone());
            values.len() - 1
        });
        self.rows.push((row, number));
    }
}

/// Extracts the values that `read` adds for the rows of each segment, spelled by `spell`. `None` when cancelled.
fn extract_rows<V: Clone + Eq + Hash + Send>(
    snapshot: &Snapshot,
    candidates: usize,
    read: impl Fn(usize, &mut RowValues<V>) + Sync,
    spell: impl Fn(&V) -> Vec<Option<String>>,
    cancel: &Cancel,
) -> Option<Extracted> {
    let segments = (0..snapshot.segments.len()).into_par_iter().map(|index| {
        let (rows, numbers, values) = (Vec::new(), FxHashMap::default(), Vec::new());
        let mut found = RowValues {
            rows,
            numbers,
            values,
        };
        if !cancel.is_cancelled() {
            read(index, &mut found);
        }
        (found.rows, found.values)
    });
    let found: Vec<_> = segments.collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut numbers: FxHashMap<V, Code> = FxHashMap::default();
    let (mut groups, mut by_row, mut events) = (Vec::new(), Vec::new(), 0);
    for (segment, (rows, values)) in snapshot.segments.iter().zip(found) {
        let global = values.into_iter().map(|value| {
            let next = numbers.len() as Code;
            *numbers.entry(value).or_insert_with_key(|value| {
                groups.push((next, spell(value)));
                next
            })
        });
        let global: Vec<Code> = global.collect();
        events += rows.len();
        by_row.push((!rows.is_empty()).then(|| {
            let mut codes = vec![NONE; segment.len()];
            for (row, number) in rows {
                codes[row] = global[number];
            }
            codes.into_boxed_slice()
        }));
    }
    Some(Extracted {
        groups_by: ExtractionGroups::ByRow(by_row),
        groups,
        events,
        ..Extracted::none(candidates)
    })
}

/// Groups of an extraction join with the codes of their values.
#[derive(Debug)]
pub(crate) struct ExtractionJoin<'j> {
    /// Join that contains the extraction rule.
    pub join: &'j Join,
    /// Assignment of events to groups.
    pub(crate) groups_by: ExtractionGroups,
    /// Extracted keys.
    pub extracted_keys: Vec<KeyId>,
    /// Groups, each with one code for each of `extracted_keys`; `NONE` without a value.
    pub groups: Vec<(Code, Vec<Code>)>,
    /// Events that take part; `None` for all.
    pub(crate) participants: Option<Selection>,
}

/// Evaluates the extraction rules among `joins`. New keys and values are added to the tables of the
/// run, so the caller needs a new copy of the catalog. `None` when cancelled.
pub(crate) fn extract_all<'j>(
    snapshot: &Snapshot,
    joins: &'j [Join],
    cancel: &Cancel,
) -> Option<Vec<ExtractionJoin<'j>>> {
    let mut found = Vec::new();
    for join in joins {
        if let JoinRule::Extraction(rule) = &join.rule {
            found.push((join, rule, extract(snapshot, rule, cancel)?));
        }
    }
    chain(snapshot, &mut found);
    retain_known(snapshot, &mut found);
    let mut extraction_joins = Vec::new();
    for (join, rule, extracted) in found {
        if extracted.groups.is_empty() {
            continue;
        }
        let keys: Option<Vec<_>> = rule
            .extracted_keys
            .iter()
            .map(|name| snapshot.tables.keys.get(name))
            .collect();
        // The run has reached the maximum number of keys.
        let Some(keys) = keys else {
            continue;
        };
        let codes = |values: &Vec<Option<String>>| -> Vec<Code> {
            let pairs = keys.iter().zip(values);
            pairs
                .map(|(key, value)| value.as_ref().map_or(NONE, |v| key.code(v)))
                .collect()
        };
        extraction_joins.push(ExtractionJoin {
            join,
            extracted_keys: keys.iter().map(|key| key.id).collect(),
            groups: extracted
                .groups
                .iter()
                .map(|(g, v)| (*g, codes(v)))
                .collect(),
            groups_by: extracted.groups_by,
            participants: extracted.participants,
        });
    }
    Some(extraction_joins)
}

/// Rule of a join and its result.
type Found<'j> = (&'j Join, &'j ExtractionRule, Extracted);

/// Values that a rule gives a key.
fn values_of<'f>(
    key: &str,
    (_, rule, extracted): &'f Found<'_>,
) -> impl Iterator<Item = &'f String> {
    let at = rule.extracted_keys.iter().position(|name| name == key);
    let groups = at
        .into_iter()
        .flat_map(|at| extracted.groups.iter().map(move |(_, values)| &values[at]));
    groups.flatten()
}

/// Canonical spelling of a value of a key.
fn canonical(snapshot: &Snapshot, key: &str, text: &str) -> String {
    let kind = snapshot.tables.keys.get(key).map(|key| key.kind);
    let form = kind.and_then(|kind| kind.canonical(text));
    form.unwrap_or_else(|| text.to_owned())
}

/// Adds to the rules of spaces the values that other rules give their keys.
fn chain(snapshot: &Snapshot, found: &mut [Found<'_>]) {
    let mut added = Vec::new();
    for (at, (_, rule, _)) in found.iter().enumerate() {
        let Some(name) = rule.source_key.as_ref().filter(|_| rule.space.is_some()) else {
            continue;
        };
        let texts: FxHashSet<&String> = found
            .iter()
            .flat_map(|other| values_of(name, other))
            .collect();
        if let Some(key) = snapshot.tables.keys.get(name).filter(|_| !texts.is_empty()) {
            let dict = key.freeze();
            let groups = texts.into_iter().filter_map(|text| {
                let values = rule.extract(text, &mut Spans::new())?;
                Some((dict.canonical(key.code(text)), to_owned_values(&values)))
            });
            added.push((at, key.id, groups.collect::<Vec<_>>()));
        }
    }
    for (at, key, groups) in added {
        let extracted = &mut found[at].2;
        let known: FxHashSet<Code> = extracted.groups.iter().map(|(code, _)| *code).collect();
        extracted.groups_by = ExtractionGroups::ByValue(key);
        let new = groups.into_iter().filter(|(code, _)| !known.contains(code));
        extracted.groups.extend(new);
        extracted.groups.sort_unstable();
    }
}

/// Removes values of rules that hold only for values known to their space: those that records and paths state under the key
/// of the space, or that another rule gives.
fn retain_known(snapshot: &Snapshot, found: &mut [Found<'_>]) {
    let mut known = Vec::new();
    for (at, (_, rule, _)) in found
        .iter()
        .enumerate()
        .filter(|(_, (_, rule, extracted))| rule.is_if_known && !extracted.groups.is_empty())
    {
        let Some(key) = rule.extracted_keys.first() else {
            continue;
        };
        // A value that is itself used only if known makes none known.
        let others = { found.iter().enumerate() }
            .filter(|(other, (_, rule, _))| *other != at && !rule.is_if_known);
        let given = others.flat_map(|(_, other)| values_of(key, other)).cloned();
        let id = snapshot.catalog.keys.find(key);
        let stated = id.into_iter().flat_map(|id| keys::stated(snapshot, id));
        let all: FxHashSet<String> = stated
            .chain(given)
            .map(|text| canonical(snapshot, key, &text))
            .collect();
        known.push((at, all));
    }
    for (at, known) in known {
        let (_, rule, extracted) = &mut found[at];
        let key = rule.extracted_keys.first().map_or("", String::as_str);
        let is_known = |value: &Option<String>| {
            value
                .as_ref()
                .is_some_and(|text| known.contains(&canonical(snapshot, key, text)))
        };
        extracted
            .groups
            .retain(|(_, values)| values.first().is_some_and(is_known));
    }
}

/// Evaluates one extraction rule; `None` when cancelled.
fn extract(snapshot: &Snapshot, rule: &ExtractionRule, cancel: &Cancel) -> Option<Extracted> {
    let participants = match &rule.condition {
        Some(condition) => Some(query::select(snapshot, condition, cancel)?),
        None => None,
    };
    if let Some((_, composition)) = &rule.composition {
        return composed::extract(snapshot, rule, composition, participants, cancel);
    }
    let key = { rule.source_key.as_ref() }.and_then(|name| snapshot.tables.keys.get(name));
    let is_deferred = key.is_some_and(|key| key.is_deferred());
    match (&rule.source_key, participants) {
        (Some(_), Some(participants)) if is_deferred => {
            messages::extract(snapshot, rule, &participants, cancel)
        }
        (Some(source_key), participants) => {
            keys::extract(snapshot, rule, source_key, participants, cancel)
        }
        (None, Some(participants)) => messages::extract(snapshot, rule, &participants, cancel),
        // Constants of all records.
        (None, None) => {
            let all = query::select(snapshot, &Expr::All, cancel)?;
            messages::extract(snapshot, rule, &all, cancel)
        }
    }
}

fn to_owned_values(values: &[Option<&str>]) -> Vec<Option<String>> {
    values.iter().map(|v| v.map(str::to_owned)).collect()
}
