//! Joins that would hold: keys that determine other keys wherever both occur, and would tell something new elsewhere.
//!
//! ```text
//! some events ──pairs of keys──> candidates (no contradiction, enough groups) ──widen──> those that hold in all events
//! ```

use rustc_hash::FxHashMap;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, ENTRY, NONE};
use crate::base::ids::{EventId, KeyId};
use crate::format::encode::DEFER;
use crate::format::keys::WRITER;
use crate::store::{EventRef, Origin, Snapshot};

use super::{Join, Report, widen};

/// Groups that must agree before a join is suggested.
const GROUPS: usize = 5;
/// Events that are looked at for candidates; all are looked at before one is suggested.
const SAMPLE: usize = 100_000;
/// Candidates that are tried on all events.
const CANDIDATES: usize = 24;

/// What is known of a pair of keys.
#[derive(Default)]
struct Pair {
    /// The right value of each left one.
    values: FxHashMap<(Code, Code), Code>,
    /// Whether two events contradict each other.
    is_broken: bool,
    /// Whether all groups have the same right value.
    only: Option<Code>,
    differs: bool,
    /// Whether some right value is another number than its left one: else they say the same.
    is_other: bool,
    /// Events with the left keys and without the right one.
    missing: usize,
}

/// Two left keys, or `NO_OUTER` and one, and the right key.
type Keys = (KeyId, KeyId, KeyId);

/// In the place of the first left key where there is only one.
const NO_OUTER: KeyId = KeyId(u16::MAX);

/// A key that an event has, its value, and whether it is from the path of its source.
type Had = (KeyId, Code, bool);

/// Joins that are not among `known`, hold in all events, and give something that those do not. The snapshot has what
/// `known` gives. `None` when cancelled.
pub fn suggest(
    snapshot: &Snapshot,
    known: &[Join],
    cancel: &Cancel,
) -> Option<Vec<(Join, Report)>> {
    let pairs = pairs(snapshot, cancel)?;
    let joins = candidates(snapshot, pairs, known);
    // Each on its own: one that is wrong must not speak for another.
    let mut out = Vec::new();
    for join in joins {
        let mut all = known.to_vec();
        all.push(join.clone());
        let widened = widen(snapshot, &all, cancel)?;
        let report = widened.reports.iter().find(|r| r.join == join.name);
        if let Some(report) =
            report.filter(|r| r.conflicts == 0 && r.widened > 0 && r.groups >= GROUPS)
        {
            out.push((join, report.clone()));
        }
    }
    Some(out)
}

/// What some events say of all pairs of keys. `None` when cancelled.
fn pairs(snapshot: &Snapshot, cancel: &Cancel) -> Option<FxHashMap<Keys, Pair>> {
    let mut pairs = FxHashMap::default();
    let mut things: Vec<KeyId> = Vec::new();
    let stride = (snapshot.len() / SAMPLE).max(1);
    for at in (0..snapshot.len()).step_by(stride) {
        if at.is_multiple_of(4096) && cancel.is_cancelled() {
            return None;
        }
        let Some(event) = snapshot.event(EventId(at as u32)) else {
            continue;
        };
        let has = things_of(snapshot, &event);
        for (key, ..) in &has {
            if !things.contains(key) {
                things.push(*key);
            }
        }
        note(&has, &things, &mut pairs);
    }
    Some(pairs)
}

/// The keys of an event that tell things apart, and have one value.
fn things_of(snapshot: &Snapshot, event: &EventRef<'_>) -> Vec<Had> {
    let keys = &snapshot.catalog.keys;
    let is_thing = |id: KeyId| {
        keys.get(id).is_some_and(|k| {
            k.key.identifier || !k.key.name.contains('.') && !WRITER.contains(&&*k.key.name)
        })
    };
    let mut has: Vec<Had> = Vec::new();
    event.for_each_code(|key, codes, origin| {
        if let [code] = codes
            && !matches!(*code, NONE | DEFER)
            && is_thing(key)
            && has.iter().all(|(k, ..)| *k != key)
        {
            let code = keys.get(key).map_or(*code, |k| k.dict.canonical(*code));
            has.push((key, code, origin == Origin::Path));
        }
    });
    has
}

/// Adds what one event says. Left keys: one that tells things apart, alone or with one that the path says.
fn note(has: &[Had], things: &[KeyId], pairs: &mut FxHashMap<Keys, Pair>) {
    for (left, value, _) in has.iter().filter(|h| !h.2) {
        let paths = has.iter().filter(|h| h.2).map(|h| (h.0, h.1));
        for (outer, outer_value) in std::iter::once((NO_OUTER, 0)).chain(paths.take(4)) {
            for right in things.iter().filter(|r| *r != left && **r != outer) {
                let pair = pairs.entry((outer, *left, *right)).or_default();
                let right = has.iter().find(|h| h.0 == *right).map(|h| h.1);
                pair.note((outer_value, *value), right);
            }
        }
    }
}

impl Pair {
    /// Adds what one event says: its values of the left keys, and of the right one.
    fn note(&mut self, left: (Code, Code), right: Option<Code>) {
        if self.is_broken {
            return;
        }
        let Some(code) = right else {
            self.missing += 1;
            return;
        };
        let first = *self.values.entry(left).or_insert(code);
        self.is_broken |= first != code;
        // Codes above stand for other texts in each key.
        self.is_other |= code != left.1 || code >= ENTRY;
        self.differs |= self.only.is_some_and(|only| only != code);
        self.only = Some(code);
    }

    /// Whether the right key goes with the left ones, and would be new to some events.
    fn is_promising(&self) -> bool {
        let holds = !self.is_broken && self.differs && self.is_other;
        holds && self.missing > 0 && self.values.len() >= GROUPS
    }
}

/// Joins that may hold, those first that would tell most.
fn candidates(snapshot: &Snapshot, pairs: FxHashMap<Keys, Pair>, known: &[Join]) -> Vec<Join> {
    let keys = &snapshot.catalog.keys;
    let mut found: Vec<(Keys, Pair)> = pairs
        .into_iter()
        .filter(|(_, pair)| pair.is_promising())
        .collect();
    found.sort_by_key(|((outer, left, right), p)| {
        (
            *outer != NO_OUTER,
            std::cmp::Reverse(p.missing),
            left.0,
            right.0,
        )
    });
    // What one key determines alone needs no second one.
    let alone: Vec<(KeyId, KeyId)> = found
        .iter()
        .filter(|((outer, ..), _)| *outer == NO_OUTER)
        .map(|((_, left, right), _)| (*left, *right))
        .collect();
    found.retain(|((outer, left, right), _)| {
        *outer == NO_OUTER || !alone.contains(&(*left, *right))
    });
    let joins = found.iter().map(|((outer, left, right), _)| {
        let outer = (*outer != NO_OUTER).then(|| keys.name(*outer));
        let by: Vec<&str> = outer.into_iter().chain([keys.name(*left)]).collect();
        let right = keys.name(*right);
        Join::keys(&format!("{} ⇒ {right}", by.join(", ")), &by, &[right])
    });
    let is_known = |j: &Join| {
        let mut known = known.iter();
        known.any(|k| k.by() == j.by() && k.gives().contains(&j.gives()[0]))
    };
    joins.filter(|j| !is_known(j)).take(CANDIDATES).collect()
}
