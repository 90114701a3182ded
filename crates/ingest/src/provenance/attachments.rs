//! Attached logs: a copy of a log outside its run (sent along with a report, say) has no run in its path. If its
//! records are in a log with a run, whole or in part, the copy gets that run.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_store::order_keys::OrderKeys;
use widetui_store::{EventRef, Snapshot, Source, SourceTrait};

use crate::detector::Detector;

/// Number of records to look up, spread evenly over the log.
const LOOKED_FOR: usize = 64;
/// Inverse of the tolerated share of records without a match: the last record may be truncated.
const MISSING: usize = 10;
/// Minimum number of records for a match.
const FEW: usize = 4;

/// Assigns attached logs to the runs of the logs that they repeat; returns whether logs without a run are left that may repeat
/// one when it grows.
pub(crate) fn assign_runs(snapshot: Snapshot, detector: &Detector) -> (Snapshot, bool) {
    let run_keys = detector.run_keys();
    let is_log = |s: &&Source| s.is_log && !s.coarse && s.system.is_some();
    let logs = snapshot.sources.iter().map(|s| &**s).filter(is_log);
    let unassigned = candidates(&logs.collect::<Vec<_>>(), &run_keys);
    if unassigned.is_empty() {
        return (snapshot, false);
    }
    let owners = owners(&snapshot, &run_keys, unassigned);
    let source = |own: &Arc<Source>| match owners.get(&own.id).and_then(|o| snapshot.source(*o)) {
        Some(owner) => {
            let mut own = Source {
                kind: owner.kind.clone(),
                consts: owner.consts.clone(),
                ..(**own).clone()
            };
            own.traits.set(SourceTrait::Replica, true);
            Arc::new(own)
        }
        None => own.clone(),
    };
    let sources = snapshot.sources.iter().map(source).collect();
    let assigned = Snapshot {
        sources,
        ..snapshot
    };
    (assigned, true)
}

fn names_run(source: &Source, run_keys: &[KeyId]) -> bool {
    source.consts.iter().any(|c| run_keys.contains(&c.0))
}

/// Whether the path of `owner` yields all keys of `own`, in the same system and layout.
fn has_all_keys(owner: &Source, own: &Source) -> bool {
    owner.system == own.system
        && owner.layout == own.layout
        && own.consts.iter().all(|key| owner.consts.contains(key))
}

/// Index key: system, layout, and one key of the path; `None` for all logs of the system and layout.
type IndexKey<'a> = (Option<&'a str>, &'a str, Option<(KeyId, Code)>);

fn index_key(source: &Source, key: Option<(KeyId, Code)>) -> IndexKey<'_> {
    (source.system.as_deref(), source.layout.as_str(), key)
}

/// Finds logs without a run for which a log with a run has all their keys. Indexed, since there may be very many of
/// both.
fn candidates<'a>(logs: &[&'a Source], run_keys: &[KeyId]) -> Vec<&'a Source> {
    let (named, unnamed): (Vec<&Source>, Vec<&Source>) =
        logs.iter().partition(|s| names_run(s, run_keys));
    let mut index: FxHashMap<IndexKey<'_>, Vec<&Source>> = FxHashMap::default();
    for owner in named.iter().filter(|_| !unnamed.is_empty()) {
        let keys_of_log = owner.consts.iter().copied().map(Some);
        for key in keys_of_log.chain([None]) {
            index.entry(index_key(owner, key)).or_default().push(owner);
        }
    }
    let is_less = |own: &&Source| {
        let keys_of_log = own.consts.iter().copied().map(Some);
        let those = |key| {
            index
                .get(&index_key(own, key))
                .map_or(&[][..], Vec::as_slice)
        };
        // The rarest key has the fewest candidates.
        let fewest = keys_of_log
            .chain([None])
            .map(those)
            .min_by_key(|all| all.len());
        fewest.is_some_and(|all| all.iter().any(|owner| has_all_keys(owner, own)))
    };
    unnamed.into_iter().filter(is_less).collect()
}

/// Maps each log without a run to the log that contains its records.
fn owners(
    snapshot: &Snapshot,
    run_keys: &[KeyId],
    unassigned: Vec<&Source>,
) -> FxHashMap<SourceId, SourceId> {
    let mut out = FxHashMap::default();
    let (keys, ranges) = (OrderKeys::new(snapshot), ranges(snapshot, &unassigned));
    for own in unassigned {
        let records = sample_of(snapshot, ranges.get(&own.id).map_or(&[], Vec::as_slice));
        let mut found: FxHashMap<SourceId, usize> = FxHashMap::default();
        for event in &records {
            for other in sources_with_same(snapshot, &keys, event) {
                *found.entry(other).or_default() += 1;
            }
        }
        let is_owner = |(other, times): &(SourceId, usize)| {
            let owner = snapshot.source(*other);
            let is_all = times * MISSING >= records.len() * (MISSING - 1);
            let is_more = |owner: &Source| names_run(owner, run_keys) && has_all_keys(owner, own);
            is_all && owner.is_some_and(is_more)
        };
        // If two runs of one process write both logs, most records are in each: the log with most matches wins.
        let owners = found.into_iter().filter(is_owner);
        let owner = owners.max_by_key(|(other, times)| (*times, Reverse(*other)));
        if let Some((owner, _)) = owner.filter(|_| records.len() >= FEW) {
            out.insert(own.id, owner);
        }
    }
    out
}

/// Ranges of the event ids of the given sources.
fn ranges(snapshot: &Snapshot, of: &[&Source]) -> FxHashMap<SourceId, Vec<Range<u32>>> {
    let mut out: FxHashMap<SourceId, Vec<Range<u32>>> =
        of.iter().map(|s| (s.id, Vec::new())).collect();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in segment.parts.iter() {
            if let Some(own) = out.get_mut(&part.source) {
                let first = base + part.first_row;
                own.push(first..first + part.rows);
            }
        }
    }
    out
}

/// Sample of the records of a source with a time, spread evenly.
fn sample_of<'a>(snapshot: &'a Snapshot, ranges: &[Range<u32>]) -> Vec<EventRef<'a>> {
    let ids: Vec<u32> = ranges.iter().cloned().flatten().collect();
    let step = ids.len().div_ceil(LOOKED_FOR).max(1);
    let some = ids.into_iter().step_by(step);
    let events = some.filter_map(|id| snapshot.event(EventId(id)));
    events.filter(|event| event.time().is_some()).collect()
}

/// Other sources with a record of the same time, template and length.
fn sources_with_same(
    snapshot: &Snapshot,
    keys: &OrderKeys<'_>,
    event: &EventRef<'_>,
) -> FxHashSet<SourceId> {
    let Some(time) = event.time() else {
        return FxHashSet::default();
    };
    let order = &snapshot.order;
    let from = order.partition_point(|id| keys.of(*id).0 < time);
    let to = order.partition_point(|id| keys.of(*id).0 <= time);
    let outline = |e: &EventRef<'_>| (e.time(), e.template().map(|t| t.id), e.span().1);
    let own = outline(event);
    let events = (from..to).filter_map(|place| snapshot.at(place));
    let same = events.filter(|e| outline(e) == own && e.source().id != event.source().id);
    same.map(|e| e.source().id).collect()
}
