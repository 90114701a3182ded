//! A log that stands a second time outside of its run, as somebody sent it along: its path does not say whose it is, but the
//! other one's does. It is the same log, whole or a part of it, and says nothing else than that.

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::ids::{EventId, KeyId, SourceId};
use crate::store::{Snapshot, Source};

use super::detector::Detector;

/// All records of a log stand in another one where no more than one in so many does not: the last one may be cut, and of those
/// that a log has twice at one time, one has no copy.
const MOST: u64 = 10;

/// The snapshot in which such logs are of the runs of those that they repeat.
pub(super) fn adopted(snapshot: Snapshot, detector: &Detector) -> Snapshot {
    let owners = owners(&snapshot, &detector.run_keys());
    if owners.is_empty() {
        return snapshot;
    }
    let source = |own: &Arc<Source>| match owners.get(&own.id).and_then(|o| snapshot.source(*o)) {
        Some(owner) => Arc::new(Source {
            kind: owner.kind.clone(),
            consts: owner.consts.clone(),
            ..(**own).clone()
        }),
        None => own.clone(),
    };
    let sources = snapshot.sources.iter().map(source).collect();
    Snapshot {
        sources,
        ..snapshot
    }
}

/// Whether the path of a source says all that another one's does, and of which run it is, too.
fn says_more(owner: &Source, own: &Source, run_keys: &[KeyId]) -> bool {
    let names_run = |source: &Source| source.consts.iter().any(|c| run_keys.contains(&c.0));
    owner.system == own.system
        && names_run(owner)
        && !names_run(own)
        && own.consts.iter().all(|said| owner.consts.contains(said))
}

/// By log whose records stand in another one whose path says more: that one.
fn owners(snapshot: &Snapshot, run_keys: &[KeyId]) -> FxHashMap<SourceId, SourceId> {
    let copies = &snapshot.copies;
    if copies.is_empty() {
        return FxHashMap::default();
    }
    let sources = || snapshot.sources.iter().filter(|s| s.is_log && s.system.is_some());
    let is_less = |own: &&Arc<Source>| sources().any(|owner| says_more(owner, own, run_keys));
    let asked: FxHashSet<SourceId> = sources().filter(is_less).map(|s| s.id).collect();
    let source = |id: u32| snapshot.event(EventId(id)).map(|e| e.source().id);
    let mut shared: FxHashMap<(SourceId, SourceId), FxHashSet<u32>> = FxHashMap::default();
    for (copy, original) in copies.iter().filter(|_| !asked.is_empty()) {
        for id in [copy, original] {
            let Some(own) = source(id).filter(|own| asked.contains(own)) else {
                continue;
            };
            for other in copies.group(id).filter_map(source).filter(|o| *o != own) {
                shared.entry((own, other)).or_default().insert(id);
            }
        }
    }
    // Where two kernels of one process write both logs, most records are in each: the one that has most is the one.
    let mut best: FxHashMap<SourceId, (u64, Reverse<SourceId>)> = FxHashMap::default();
    for ((own, other), records) in shared {
        let Some((source, owner)) = snapshot.source(own).zip(snapshot.source(other)) else {
            continue;
        };
        let timed = source.stats.records().saturating_sub(source.stats.timeless);
        let records = records.len() as u64;
        let is_all = records > 0 && records * MOST >= timed * (MOST - 1);
        if is_all && says_more(owner, source, run_keys) {
            let known = best.entry(own).or_insert((0, Reverse(other)));
            *known = (*known).max((records, Reverse(other)));
        }
    }
    best.into_iter().map(|(own, (_, other))| (own, other.0)).collect()
}
