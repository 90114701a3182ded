//! Replicas: files that occur twice, in a run and in its archive or copy. Their records without a time, or with coarse
//! times, are duplicates as well.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_source::text::read_range;
use widetui_store::duplicates::Duplicates;
use widetui_store::{EventRef, Snapshot, Source};

/// Pairs (replica, original) of folders.
type Folders = FxHashSet<(String, String)>;

/// Pairs (duplicate, original) of records without precise times, derived from the duplicates found by time.
pub(crate) fn untimed(
    snapshot: &Snapshot,
    copies: &Duplicates,
    cancel: &Cancel,
) -> Vec<(u32, u32)> {
    if copies.is_empty() {
        return Vec::new();
    }
    let folders = folders(snapshot, copies);
    let mut out = Vec::new();
    let mut by_name: FxHashMap<(&str, &str, u64), Vec<&Source>> = FxHashMap::default();
    for source in snapshot.sources.iter() {
        let name = source.path.rsplit('/').next().unwrap_or_default();
        let records: u64 = source.stats.levels.iter().sum();
        if records > 0 && (source.coarse || source.stats.timeless > 0) {
            let alike = by_name.entry((name, &source.kind, records)).or_default();
            alike.push(source);
        }
    }
    for alike in by_name.values() {
        for (at, source) in alike.iter().enumerate() {
            // The first file is the original.
            let original = alike[..at].iter().find(|of| {
                let roots = differing_folders(&source.path, &of.path);
                roots.is_some_and(|(a, b)| {
                    folders.contains(&(a.clone(), b.clone())) || folders.contains(&(b, a))
                })
            });
            if cancel.is_cancelled() {
                return Vec::new();
            }
            if let Some(of) = original {
                out.extend(pairs(snapshot, copies, source, of));
            }
        }
    }
    out
}

/// Strips the common path suffix of two paths; returns the remaining folders, or `None` without a common suffix.
fn differing_folders(a: &str, b: &str) -> Option<(String, String)> {
    let (mut x, mut y): (Vec<&str>, Vec<&str>) = (a.split('/').collect(), b.split('/').collect());
    let mut same = 0;
    while x.last().is_some() && x.last() == y.last() {
        x.pop();
        y.pop();
        same += 1;
    }
    (same > 0).then(|| (x.join("/"), y.join("/")))
}

/// Pairs of folders with a log in which all timed records are duplicates.
fn folders(snapshot: &Snapshot, copies: &Duplicates) -> Folders {
    let source = |id: u32| snapshot.event(EventId(id)).map(|e| e.source().id);
    let mut counts: FxHashMap<_, u64> = FxHashMap::default();
    for (copy, of) in copies.iter() {
        *counts.entry((source(copy), source(of))).or_default() += 1;
    }
    let whole = |((copy, of), count): ((Option<_>, Option<_>), u64)| {
        let (copy, of) = (snapshot.source(copy?)?, snapshot.source(of?)?);
        let timed = |s: &Source| s.stats.levels.iter().sum::<u64>() - s.stats.timeless;
        let is_whole = count > 0 && timed(copy) == count && timed(of) == count;
        differing_folders(&copy.path, &of.path).filter(|_| is_whole)
    };
    counts.into_iter().filter_map(whole).collect()
}

/// Pairs of all records of two files in order; empty if any pair differs.
fn pairs(snapshot: &Snapshot, known: &Duplicates, copy: &Source, of: &Source) -> Vec<(u32, u32)> {
    let records = |source: &Source| -> Vec<u32> {
        let mut parts = Vec::new();
        for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
            let own = segment.parts.iter().filter(|p| p.source == source.id);
            parts.extend(own.map(|p| (p.seq, base + p.first_row, p.rows)));
        }
        parts.sort_unstable();
        let ids = parts
            .iter()
            .flat_map(|(_, first, rows)| *first..first + rows);
        ids.collect()
    };
    let pairs: Vec<(u32, u32)> = records(copy).into_iter().zip(records(of)).collect();
    let same = |(copy, of): &(u32, u32)| {
        let events = snapshot
            .event(EventId(*copy))
            .zip(snapshot.event(EventId(*of)));
        events.is_some_and(|(a, b)| a.time() == b.time() && bytes(&a) == bytes(&b))
    };
    if !pairs.iter().all(same) {
        return Vec::new();
    }
    let is_new =
        |p: &(u32, u32)| known.original_of(p.0).is_none() && known.original_of(p.1).is_none();
    pairs.into_iter().filter(is_new).collect()
}

fn bytes(event: &EventRef<'_>) -> Option<Vec<u8>> {
    let (from, len) = event.span();
    read_range(&*event.source().text, from, len.min(1 << 20)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_end_alike_name_the_folders_that_hold_the_same() {
        let of = |a, b| differing_folders(a, b).map(|(a, b)| format!("{a}|{b}"));
        assert_eq!(
            of("x/run/000/a.log", "x/run.tar.gz/run/000/a.log").unwrap(),
            "x|x/run.tar.gz"
        );
        assert_eq!(of("one/000/a.log", "two/000/a.log").unwrap(), "one|two");
        assert_eq!(of("one/a.log", "one/b.log"), None);
    }
}
