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
use crate::store::{Origin, Snapshot};

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

/// Joins that are not among `known`, hold in all events, and give something that those do not. The snapshot has what
/// `known` gives. `None` when cancelled.
pub fn suggest(
    snapshot: &Snapshot,
    known: &[Join],
    cancel: &Cancel,
) -> Option<Vec<(Join, Report)>> {
    let keys = &snapshot.catalog.keys;
    let is_thing = |id: KeyId| {
        keys.get(id).is_some_and(|k| {
            k.key.identifier || !k.key.name.contains('.') && !WRITER.contains(&&*k.key.name)
        })
    };
    // Left keys: one that tells things apart, alone or with one that the path says.
    let mut pairs: FxHashMap<(KeyId, KeyId, KeyId), Pair> = FxHashMap::default();
    let none = KeyId(u16::MAX);
    let stride = (snapshot.len() / SAMPLE).max(1);
    let mut things: Vec<KeyId> = Vec::new();
    for at in (0..snapshot.len()).step_by(stride) {
        if at.is_multiple_of(4096) && cancel.is_cancelled() {
            return None;
        }
        let Some(event) = snapshot.event(EventId(at as u32)) else {
            continue;
        };
        let mut has: Vec<(KeyId, Code, bool)> = Vec::new();
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
        for (key, ..) in &has {
            if !things.contains(key) {
                things.push(*key);
            }
        }
        for (left, value, is_path) in has.iter().filter(|h| !h.2) {
            debug_assert!(!is_path);
            let paths = has.iter().filter(|h| h.2).map(|h| (h.0, h.1));
            for (outer, outer_value) in std::iter::once((none, 0)).chain(paths.take(4)) {
                for right in &things {
                    if right == left || *right == outer {
                        continue;
                    }
                    let pair = pairs.entry((outer, *left, *right)).or_default();
                    match has.iter().find(|h| h.0 == *right) {
                        _ if pair.is_broken => {}
                        None => pair.missing += 1,
                        Some((_, code, _)) => {
                            let group = pair.values.entry((outer_value, *value));
                            let first = *group.or_insert(*code);
                            pair.is_broken |= first != *code;
                            // Codes above stand for other texts in each key.
                            pair.is_other |= code != value || *code >= ENTRY;
                            pair.differs |= pair.only.is_some_and(|only| only != *code);
                            pair.only = Some(*code);
                        }
                    }
                }
            }
        }
    }
    let mut found: Vec<((KeyId, KeyId, KeyId), Pair)> = pairs
        .into_iter()
        .filter(|(_, p)| {
            !p.is_broken && p.differs && p.is_other && p.missing > 0 && p.values.len() >= GROUPS
        })
        .collect();
    found.sort_by_key(|((outer, left, right), p)| {
        (
            *outer != none,
            std::cmp::Reverse(p.missing),
            left.0,
            right.0,
        )
    });
    // What one key determines alone needs no second one.
    let alone: Vec<(KeyId, KeyId)> = found
        .iter()
        .filter(|((outer, ..), _)| *outer == none)
        .map(|((_, left, right), _)| (*left, *right))
        .collect();
    found.retain(|((outer, left, right), _)| *outer == none || !alone.contains(&(*left, *right)));
    let joins: Vec<Join> = found
        .iter()
        .map(|((outer, left, right), _)| {
            let outer = (*outer != none).then(|| keys.name(*outer));
            let by: Vec<&str> = outer.into_iter().chain([keys.name(*left)]).collect();
            let right = keys.name(*right);
            Join::keys(&format!("{} ⇒ {right}", by.join(", ")), &by, &[right])
        })
        .filter(|j| {
            known
                .iter()
                .all(|k| k.by() != j.by() || !k.gives().contains(&j.gives()[0]))
        })
        .take(CANDIDATES)
        .collect();
    if joins.is_empty() {
        return Some(Vec::new());
    }
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
