//! Extraction (`[[reading]]`): keys that records receive from their own message, from the value of
//! another key, from several keys by a template, or as constants.
//!
//! Extracted values are a function of the record alone, so the values of the groups of such a join
//! are known before the first round: a group is a value of the parsed key or a distinct combination
//! of extracted values.

mod composed;
mod keys;
mod messages;

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_query::{self as query, Selection};
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
    let mut extraction_joins = Vec::new();
    for join in joins {
        let JoinRule::Extraction(rule) = &join.rule else {
            continue;
        };
        let extracted = extract(snapshot, rule, cancel)?;
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

/// Evaluates one extraction rule; `None` when cancelled.
fn extract(snapshot: &Snapshot, rule: &ExtractionRule, cancel: &Cancel) -> Option<Extracted> {
    let participants = match &rule.condition {
        Some(condition) => Some(query::select(snapshot, condition, cancel)?),
        None => None,
    };
    if let Some((_, composition)) = &rule.composition {
        return composed::extract(snapshot, rule, composition, participants, cancel);
    }
    match (&rule.source_key, participants) {
        (Some(source_key), participants) => {
            keys::extract(snapshot, rule, source_key, participants, cancel)
        }
        (None, Some(participants)) => messages::extract(snapshot, rule, participants, cancel),
        (None, None) => None,
    }
}

fn to_owned_values(values: &[Option<&str>]) -> Vec<Option<String>> {
    values.iter().map(|v| v.map(str::to_owned)).collect()
}
