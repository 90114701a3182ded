//! Suggested joins: keys that determine other keys in every event that has both, and would derive
//! new values for further events.
//!
//! ```text
//! sample of events ──pairs of keys──> candidates without contradiction ──apply_joins──> joins without conflict in all events
//! ```

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;

use crate::apply_joins;
use crate::report::Report;
use crate::spec::Join;

use pairs::{AgreeingPair, find_pairs};
use sample::Sample;

mod pairs;
mod sample;

/// Minimum number of consistent groups of a suggested join.
const MIN_GROUPS: usize = 5;
/// Maximum number of candidate joins that are verified on all events.
const MAX_CANDIDATES: usize = 24;

/// Finds joins that are not among `known`, have no conflict in any event, and derive values that
/// `known` does not. The snapshot must contain the values that `known` derives. `None` when
/// cancelled.
///
/// The search for candidates has a fixed budget: with very many keys some pairs are not tried.
pub fn suggest(
    snapshot: &Snapshot,
    known: &[Join],
    cancel: &Cancel,
) -> Option<Vec<(Join, Report)>> {
    let joins = candidates(snapshot, known, cancel)?;
    // Each candidate is verified alone, so that values of a wrong one cannot support another.
    let mut out = Vec::new();
    for join in joins {
        let mut all = known.to_vec();
        all.push(join.clone());
        let widened = apply_joins(snapshot, &all, cancel)?;
        let report = widened.reports.iter().find(|r| r.join == join.name);
        if let Some(report) =
            report.filter(|r| r.conflicts == 0 && r.receiving_events > 0 && r.groups >= MIN_GROUPS)
        {
            out.push((join, report.clone()));
        }
    }
    Some(out)
}

/// Candidate joins, ordered by the number of events that would receive a value, descending.
fn candidates(snapshot: &Snapshot, known: &[Join], cancel: &Cancel) -> Option<Vec<Join>> {
    let sample = Sample::take(snapshot, cancel)?;
    let mut budget = pairs::COMPARISON_BUDGET;
    let is_unknown = |join: &Join| {
        let mut known = known.iter();
        !known.any(|k| {
            k.left_keys() == join.left_keys() && k.right_keys().contains(&join.right_keys()[0])
        })
    };
    let joins = |found: &[AgreeingPair]| -> Vec<Join> {
        let all = found.iter().map(|f| join(snapshot, f));
        all.filter(is_unknown).take(MAX_CANDIDATES).collect()
    };
    let single_key_pairs = find_pairs(&sample, None, &FxHashSet::default(), &mut budget, cancel)?;
    let mut out = joins(&single_key_pairs);
    if out.len() < MAX_CANDIDATES {
        // A key that one left key determines alone needs no second left key.
        let pair = |f: &AgreeingPair| (f.left, f.right);
        let single_key_pairs: FxHashSet<(KeyId, KeyId)> =
            single_key_pairs.iter().map(pair).collect();
        let mut found = Vec::new();
        for outer in sample.outer_keys() {
            found.extend(find_pairs(
                &sample,
                Some(outer),
                &single_key_pairs,
                &mut budget,
                cancel,
            )?);
        }
        found.sort_by_key(AgreeingPair::rank);
        out.extend(joins(&found));
        out.truncate(MAX_CANDIDATES);
    }
    Some(out)
}

/// Join in which the left keys of a pair determine its right key.
fn join(snapshot: &Snapshot, found: &AgreeingPair) -> Join {
    let keys = &snapshot.catalog.keys;
    let outer = found.outer.map(|key| keys.name(key));
    let by: Vec<&str> = outer.into_iter().chain([keys.name(found.left)]).collect();
    let right = keys.name(found.right);
    Join::keys(&format!("{} ⇒ {right}", by.join(", ")), &by, &[right])
}
