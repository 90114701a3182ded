//! Selection of the joins that apply to a run: definitions name many keys that a given run does not
//! have.

use rustc_hash::FxHashSet;

use widetui_core::ids::{KeyId, SourceId};
use widetui_store::derived::JoinKind;
use widetui_store::{Snapshot, SourceTrait};

use crate::spec::{ExtractionRule, Join, JoinRule, Receivers};

/// True if a join restricted to some kinds of sources applies to a source.
pub(crate) fn applies_to(
    snapshot: &Snapshot,
    source: SourceId,
    join: &Join,
    kinds: &[String],
) -> bool {
    snapshot.source(source).is_some_and(|s| {
        let system = join.source_system();
        let of_system = system.is_none_or(|name| s.system.as_deref() == Some(name));
        let receives = join.receivers == Receivers::All || !s.has_trait(SourceTrait::Exported);
        of_system && receives && (kinds.is_empty() || kinds.contains(&s.kind))
    })
}

/// Returns the joins that can derive values in this run. All left keys must occur in records or be
/// derived by another such join; a right key must occur, too, unless the join extracts it from
/// text. `extracted` are keys that readings give in this run. Also returns the keys that have values then.
pub(crate) fn applicable_joins<'j>(
    snapshot: &Snapshot,
    joins: Vec<&'j Join>,
    extracted: &FxHashSet<KeyId>,
) -> (Vec<&'j Join>, FxHashSet<KeyId>) {
    let keys = &snapshot.catalog.keys;
    let mut known = occurring_keys(snapshot);
    let is_stated = |name: &&String| {
        let key = keys.find(name);
        key.is_some_and(|key| known.contains(&key) || extracted.contains(&key))
    };
    // A join of records that state something else.
    let is_joined = |space: &String| {
        joins.iter().any(|join| match &join.rule {
            JoinRule::Keys(rule) if !rule.is_scope && rule.processes.is_none() => {
                let (left, right) = (&rule.left_keys, &rule.right_keys);
                let is_given = right.contains(space) && left.iter().all(|key| is_stated(&key));
                is_given
                    || left[..] == [space.clone()]
                        && !rule.is_space
                        && right.iter().any(|key| is_stated(&key))
            }
            _ => false,
        })
    };
    let is_of_use = |join: &&&Join| match &join.rule {
        JoinRule::Extraction(ExtractionRule {
            space: Some(space), ..
        }) => {
            let stated = { space.issuer_keys.iter().chain(&space.member_keys) }.chain([&space.key]);
            stated.filter(is_stated).nth(1).is_some()
                || space.issuer_keys.iter().any(|key| is_stated(&key)) && is_joined(&space.key)
        }
        _ => true,
    };
    let left = joins.iter().filter(is_of_use).copied().collect();
    let (mut out, mut left): (Vec<&Join>, Vec<&Join>) = (Vec::new(), left);
    loop {
        let is_known = |name: &String| keys.find(name).is_some_and(|key| known.contains(&key));
        let is_ready = |join: &&Join| {
            let has_left = join.left_keys().iter().all(is_known);
            has_left
                && (join.kind() == JoinKind::Extraction
                    || join.right_keys().is_empty()
                    || join.right_keys().iter().any(is_known))
        };
        let (ready, rest): (Vec<&Join>, Vec<&Join>) = left.into_iter().partition(is_ready);
        if ready.is_empty() {
            break;
        }
        let given = ready.iter().flat_map(|join| join.right_keys());
        known.extend(given.filter_map(|name| keys.find(name)));
        out.extend(ready);
        left = rest;
    }
    // Joins of keys only move values that records state or that are extracted.
    let mut with_values = occurring_keys(snapshot);
    let makes_values = |join: &&&Join| join.kind() != JoinKind::Keys;
    let made = out
        .iter()
        .filter(makes_values)
        .flat_map(|join| join.right_keys());
    with_values.extend(made.filter_map(|name| keys.find(name)));
    (out, with_values)
}

/// Keys that occur in records, constants of record shapes, or paths.
fn occurring_keys(snapshot: &Snapshot) -> FxHashSet<KeyId> {
    let catalog = &snapshot.catalog;
    let mut out: FxHashSet<KeyId> = catalog.context_keys.iter().copied().collect();
    for group in snapshot.segments.iter().flat_map(|s| &s.groups) {
        out.extend(group.columns.iter().map(|(key, _)| *key));
    }
    for shape in catalog.shapes.iter() {
        out.extend(shape.consts.iter().map(|(key, _)| *key));
    }
    for source in snapshot.sources.iter() {
        out.extend(source.consts.iter().map(|(key, _)| *key));
    }
    out
}
