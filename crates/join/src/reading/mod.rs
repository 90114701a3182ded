//! A second reading: keys that records get from their own message, from the value of another key, from the values of several
//! put together, or as constants.
//!
//! What it finds is a function of the record alone, so a group of such a join is told what it has before the first round:
//! the groups are the values of the key that is read or, of a message, the different things that messages say.

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

/// What a second reading would give, before anybody takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Events that would get something.
    pub events: usize,
    /// Events that take part.
    pub of: usize,
    /// Each key, how many different values it would have, and some of them.
    pub keys: Vec<(String, usize, Vec<String>)>,
}

/// Values of a key that a trial tells.
const EXAMPLES: usize = 8;

/// Tries a second reading; nothing is kept. `None` when cancelled. As when it is in force, it sees what records say, and not
/// what joins gave.
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

/// How the events of a second reading find their group.
#[derive(Debug)]
pub(crate) enum Groups {
    /// By the value of this key.
    Of(KeyId),
    /// By a number of their own, for each row of a segment.
    Rows(Vec<Option<Box<[Code]>>>),
}

/// What was read: groups, and what each has.
#[derive(Debug)]
struct Read {
    groups_by: Groups,
    groups: Vec<(Code, Vec<Option<String>>)>,
    only: Option<Selection>,
    events: usize,
    of: usize,
}

/// What a second reading knows of its groups.
#[derive(Debug)]
pub(crate) struct SecondReading<'j> {
    /// Whose it is.
    pub join: &'j Join,
    /// How events find their group.
    pub groups_by: Groups,
    /// The keys that it gives.
    pub gives: Vec<KeyId>,
    /// Groups, and the codes of what each has, one for each of `gives`; `NONE` where it says nothing.
    pub groups: Vec<(Code, Vec<Code>)>,
    /// The events that take part; all when there is none.
    pub only: Option<Selection>,
}

/// All second readings among some joins. Keys and values that no record names are put into the run's tables: those who
/// look at what was read here need a newer copy of the catalog. `None` when cancelled.
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
        // The run has no room for more keys.
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
