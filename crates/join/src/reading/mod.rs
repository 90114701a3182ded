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

use crate::spec::{Join, JoinRule, ReadingRule};

/// Preview of an extraction rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Number of events that would receive a value.
    pub events: usize,
    /// Number of events that take part.
    pub of: usize,
    /// Extracted keys, each with the number of distinct values and some examples.
    pub keys: Vec<(String, usize, Vec<String>)>,
}

/// Maximum number of example values per key in a trial.
const EXAMPLES: usize = 8;

/// Evaluates an extraction rule without storing its values. Like a real extraction it sees only
/// stored values, not those derived by joins. `None` when cancelled.
pub fn trial(snapshot: &Snapshot, rule: &ReadingRule, cancel: &Cancel) -> Option<Trial> {
    let read = read(&snapshot.bare(), rule, cancel)?;
    let keys = rule.gives.iter().enumerate().map(|(at, name)| {
        let values = read.groups.iter().filter_map(|(_, v)| v[at].as_deref());
        let mut seen = FxHashSet::default();
        let values: Vec<&str> = values.filter(|v| seen.insert(*v)).collect();
        let examples = values.iter().take(EXAMPLES).map(|v| (*v).to_owned());
        (name.clone(), values.len(), examples.collect())
    });
    Some(Trial {
        events: read.events,
        of: read.of,
        keys: keys.collect(),
    })
}

/// Assignment of events to the groups of an extraction.
#[derive(Debug)]
pub(crate) enum Groups {
    /// The value of this key is the group.
    Of(KeyId),
    /// Group numbers of the rows, by segment; `None` for a segment without groups.
    Rows(Vec<Option<Box<[Code]>>>),
}

/// Result of an extraction before its values have codes.
#[derive(Debug)]
struct Read {
    groups_by: Groups,
    groups: Vec<(Code, Vec<Option<String>>)>,
    only: Option<Selection>,
    events: usize,
    of: usize,
}

/// Groups of an extraction join with the codes of their values.
#[derive(Debug)]
pub(crate) struct SecondReading<'j> {
    /// Join that contains the extraction rule.
    pub join: &'j Join,
    /// Assignment of events to groups.
    pub groups_by: Groups,
    /// Extracted keys.
    pub gives: Vec<KeyId>,
    /// Groups, each with one code for each of `gives`; `NONE` without a value.
    pub groups: Vec<(Code, Vec<Code>)>,
    /// Events that take part; `None` for all.
    pub only: Option<Selection>,
}

/// Evaluates the extraction rules among `joins`. New keys and values are added to the tables of the
/// run, so the caller needs a new copy of the catalog. `None` when cancelled.
pub(crate) fn tell<'j>(
    snapshot: &Snapshot,
    joins: &'j [Join],
    cancel: &Cancel,
) -> Option<Vec<SecondReading<'j>>> {
    let mut told = Vec::new();
    for join in joins {
        let JoinRule::Reading(rule) = &join.rule else {
            continue;
        };
        let read = read(snapshot, rule, cancel)?;
        if read.groups.is_empty() {
            continue;
        }
        let keys: Option<Vec<_>> = rule
            .gives
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
        told.push(SecondReading {
            join,
            gives: keys.iter().map(|key| key.id).collect(),
            groups: read.groups.iter().map(|(g, v)| (*g, codes(v))).collect(),
            groups_by: read.groups_by,
            only: read.only,
        });
    }
    Some(told)
}

fn read(snapshot: &Snapshot, rule: &ReadingRule, cancel: &Cancel) -> Option<Read> {
    let only = match &rule.only {
        Some(only) => Some(query::select(snapshot, only, cancel)?),
        None => None,
    };
    if let Some((_, made)) = &rule.made {
        return composed::read(snapshot, rule, made, only, cancel);
    }
    match (&rule.of, only) {
        (Some(of), only) => keys::read(snapshot, rule, of, only, cancel),
        (None, Some(only)) => messages::read(snapshot, rule, only, cancel),
        (None, None) => None,
    }
}

fn owned(values: &[Option<&str>]) -> Vec<Option<String>> {
    values.iter().map(|v| v.map(str::to_owned)).collect()
}
