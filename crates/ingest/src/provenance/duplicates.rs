//! Detection of duplicate records: the same bytes in several sources.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::ids::{ContextId, EventId, TemplateId};
use widetui_store::duplicates::Duplicates;
use widetui_store::order_keys::OrderKeys;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, Source, SourceTrait};
use widetui_time::time::NO_TIME;

use crate::provenance::replicas;

/// Marks all duplicates of a snapshot. Duplicates have equal times, so they are adjacent in time order.
pub(crate) fn mark_duplicates(mut snapshot: Snapshot, cancel: &Cancel) -> Snapshot {
    let ties = &snapshot.ties;
    // Ties are positions with the time of the previous record but another source: consecutive ties share one time.
    let moments: Vec<&[u32]> = ties.chunk_by(|a, b| a + 1 == *b).collect();
    let pairs: Vec<Vec<(u32, u32)>> = moments
        .par_iter()
        .with_min_len(64)
        .map_init(
            || (OrderKeys::new(&snapshot), TextReader::default()),
            |(keys, texts), places| match (places.first(), places.last()) {
                (Some(first), Some(last)) if !cancel.is_cancelled() => {
                    let places = moment(&snapshot, keys, *first as usize..*last as usize + 1);
                    pairs_of(&snapshot, places, texts)
                }
                _ => Vec::new(),
            },
        )
        .collect();
    let mut pairs = pairs.concat();
    pairs.extend(displaced_pairs(&snapshot, &pairs));
    let copies = Duplicates::new(pairs);
    let pairs = copies
        .iter()
        .chain(replicas::untimed(&snapshot, &copies, cancel))
        .collect();
    snapshot.duplicates = Arc::new(Duplicates::new(pairs));
    snapshot
}

/// Pairs (duplicate, original) of records that are not in order of their times in one of two logs: a log with records
/// without a time keeps its order over small steps back. Only logs with other duplicates are searched.
fn displaced_pairs(snapshot: &Snapshot, known: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let keys = OrderKeys::new(snapshot);
    let source = |id: u32| Some(snapshot.event(EventId(id))?.source().id);
    let sharing: FxHashSet<_> = known
        .iter()
        .flat_map(|(a, b)| [source(*a), source(*b)])
        .collect();
    let mut displaced: FxHashSet<u32> = FxHashSet::default();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in &segment.parts {
            let source = snapshot.source(part.source);
            let is_searched = |s: &&Source| s.has_trait(SourceTrait::UntimedLines) && !s.coarse;
            let source = source
                .filter(is_searched)
                .filter(|s| sharing.contains(&Some(s.id)));
            let Some(source) = source else { continue };
            for row in part.first_row..part.first_row + part.rows {
                let time = segment.utc(source, row as usize);
                if time != NO_TIME && keys.of(base + row).0 != time {
                    displaced.insert(base + row);
                }
            }
        }
    }
    let mut by_time: FxHashMap<i64, Vec<u32>> = FxHashMap::default();
    for id in &displaced {
        let time = snapshot.event(EventId(*id)).and_then(|event| event.time());
        time.into_iter()
            .for_each(|time| by_time.entry(time).or_default().push(*id));
    }
    let found: FxHashMap<u32, u32> = known.iter().copied().collect();
    let mut out = Vec::new();
    let mut texts = TextReader::default();
    for (time, mut ids) in by_time {
        let order = &snapshot.order;
        let from = order.partition_point(|id| keys.of(*id).0 < time);
        let same = (from..order.len()).map_while(|place| order.get(place).copied());
        ids.extend(same.take_while(|id| keys.of(*id).0 == time));
        ids.sort_unstable();
        let events = ids.iter().filter_map(|id| snapshot.event(EventId(*id)));
        for alike in alike(events, |id| displaced.contains(&id), &mut texts) {
            let Some(first) = alike.iter().find_map(|e| found.get(&e.id.0).copied()) else {
                out.extend(pairs_among(&alike));
                continue;
            };
            let new = alike
                .iter()
                .filter(|e| e.id.0 != first && !found.contains_key(&e.id.0));
            out.extend(new.map(|e| (e.id.0, first)));
        }
    }
    out
}

/// Positions in time order with the same time as `ties`: the first record is no tie, nor are further ones of the last source.
fn moment(snapshot: &Snapshot, keys: &OrderKeys<'_>, ties: Range<usize>) -> Range<usize> {
    let time = |place: usize| snapshot.order.get(place).map(|id| keys.of(*id).0);
    let now = time(ties.start);
    let before = (0..ties.start).rev().take_while(|p| time(*p) == now);
    let after = (ties.end..snapshot.order.len()).take_while(|p| time(*p) == now);
    ties.start - before.count()..ties.end + after.count()
}

/// Pairs (duplicate, original) among the records of one time.
fn pairs_of(snapshot: &Snapshot, places: Range<usize>, texts: &mut TextReader) -> Vec<(u32, u32)> {
    let events = places.filter_map(|place| snapshot.at(place));
    alike(events, |_| true, texts)
        .iter()
        .flat_map(|alike| pairs_among(alike))
        .collect()
}

/// Pairs (duplicate, original) of equal records. The record within its run is the original, not the one in an attached
/// log.
fn pairs_among(alike: &[EventRef<'_>]) -> Vec<(u32, u32)> {
    let at_home = alike
        .iter()
        .find(|e| !e.source().has_trait(SourceTrait::Replica));
    let Some(first) = at_home.or(alike.first()) else {
        return Vec::new();
    };
    let copies = alike.iter().filter(|e| e.source().id != first.source().id);
    copies.map(|copy| (copy.id.0, first.id.0)).collect()
}

/// Marks the duplicates of a grown snapshot: among new events and among those that became longer. Pairs found earlier
/// stay; an original that is read after its duplicate becomes the duplicate.
pub(crate) fn mark_new_duplicates(
    mut snapshot: Snapshot,
    older: &Snapshot,
    cancel: &Cancel,
) -> Snapshot {
    let sources = snapshot.sources.iter().filter(|s| s.is_log);
    if sources.take(2).count() < 2 {
        return snapshot;
    }
    let from = older.settled;
    let lengthened = snapshot.lengthened(older);
    // A duplicate of a record that became longer may be a duplicate of another one now.
    let former_groups = lengthened
        .iter()
        .flat_map(|id| snapshot.duplicates.group(*id));
    let candidates: FxHashSet<u32> = (from..snapshot.len() as u32).chain(former_groups).collect();
    let moments = moments_of(&snapshot, &candidates);
    let known = &snapshot.duplicates;
    let gone = candidates.iter().any(|id| known.original_of(*id).is_some());
    let is_kept = |id: u32| !candidates.contains(&id);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut texts = TextReader::default();
    for places in moments {
        if cancel.is_cancelled() {
            break;
        }
        let events = places.filter_map(|place| snapshot.at(place));
        for alike in alike(events, |id| candidates.contains(&id), &mut texts) {
            // Prefers an event that is an original already, then one without duplicates, then an older one.
            let preferred = alike.iter().min_by_key(|e| {
                let id = e.id.0;
                let is_repeated = known.duplicates_of(id).next().is_some();
                match (is_kept(id), is_repeated, known.original_of(id)) {
                    (true, true, _) => 0,
                    (true, false, None) => 1,
                    _ if id < from => 2,
                    _ => 3,
                }
            });
            let Some(first) = preferred else { continue };
            let copies = alike.iter().filter(|e| {
                let id = e.id.0;
                !is_kept(id) && id != first.id.0 && e.source().id != first.source().id
            });
            pairs.extend(copies.map(|copy| (copy.id.0, first.id.0)));
        }
    }
    if gone || !pairs.is_empty() {
        let kept = known.iter().filter(|(copy, _)| is_kept(*copy));
        let all = kept.chain(pairs).collect();
        snapshot.duplicates = Arc::new(Duplicates::new(all));
    }
    snapshot
}

/// Positions of the events with the same time as some events, as far as those may have duplicates.
fn moments_of(snapshot: &Snapshot, candidates: &FxHashSet<u32>) -> Vec<Range<usize>> {
    let times = candidates.iter().filter_map(|id| {
        let event = snapshot.event(EventId(*id))?;
        // Events without time or with coarse times have no duplicates.
        event.time().filter(|_| !event.source().coarse)
    });
    let mut times: Vec<i64> = times.collect();
    times.sort_unstable();
    times.dedup();
    let keys = OrderKeys::new(snapshot);
    let places = times.into_iter().map(|time| {
        let order = &snapshot.order;
        let from = order.partition_point(|id| keys.of(*id).0 < time);
        from..order.partition_point(|id| keys.of(*id).0 <= time)
    });
    places.filter(|places| places.len() > 1).collect()
}

/// Properties of a record known without reading its text; equal for duplicates.
#[derive(PartialEq, Eq, Hash)]
struct Outline<'s> {
    time: i64,
    kind: &'s str,
    layout: &'s str,
    template: Option<TemplateId>,
    context: Option<ContextId>,
    len: usize,
}

impl<'s> Outline<'s> {
    /// Returns `None` for records that cannot be duplicates: with coarse times two workers may print the same line in
    /// the same second.
    fn of(event: &EventRef<'s>) -> Option<Outline<'s>> {
        let source = event.source();
        let time = event.time().filter(|_| !source.coarse)?;
        Some(Outline {
            time,
            kind: &source.kind,
            layout: &source.layout,
            template: event.template().map(|t| t.id),
            context: event.segment.context(event.row),
            len: event.span().1,
        })
    }
}

/// Maximum number of bytes of a record that are compared.
const COMPARED: usize = 1 << 20;

/// Groups records of one time with the same bytes in several sources of one kind, if one of them matches `is_asked`.
/// Reads each record once or twice, however many there are, in the order of the events: each source is read forward.
fn alike<'s>(
    events: impl Iterator<Item = EventRef<'s>>,
    is_candidate: impl Fn(u32) -> bool,
    texts: &mut TextReader,
) -> Vec<Vec<EventRef<'s>>> {
    let mut places: FxHashMap<Outline<'s>, usize> = FxHashMap::default();
    let mut by_outline: Vec<Vec<EventRef<'s>>> = Vec::new();
    for event in events {
        if let Some(outline) = Outline::of(&event) {
            let place = *places.entry(outline).or_insert(by_outline.len());
            match by_outline.get_mut(place) {
                Some(alike) => alike.push(event),
                None => by_outline.push(vec![event]),
            }
        }
    }
    let may_be = |alike: &Vec<EventRef<'_>>| {
        let first = alike[0].source().id;
        alike.iter().any(|e| e.source().id != first) && alike.iter().any(|e| is_candidate(e.id.0))
    };
    let mut all = Vec::new();
    for events in by_outline.into_iter().filter(may_be) {
        let mut by_bytes: FxHashMap<u64, Vec<Class<'s>>> = FxHashMap::default();
        for event in events {
            let Some(bytes) = bytes_of(&event, texts) else {
                continue;
            };
            let mut hasher = DefaultHasher::new();
            hasher.write(&bytes);
            let classes = by_bytes.entry(hasher.finish()).or_default();
            match classes.iter_mut().find(|c| c.has(&bytes, texts)) {
                Some(class) => class.events.push(event),
                None => classes.push(Class {
                    bytes: (bytes.len() <= KEPT).then_some(bytes),
                    events: vec![event],
                }),
            }
        }
        let classes = by_bytes.into_values().flatten().map(|class| class.events);
        all.extend(classes.filter(may_be));
    }
    all
}

/// Maximum length of a record of which the bytes are kept for comparison; longer records are read again.
const KEPT: usize = 16 << 10;

/// Records with the same bytes.
struct Class<'s> {
    bytes: Option<Vec<u8>>,
    events: Vec<EventRef<'s>>,
}

impl Class<'_> {
    fn has(&self, bytes: &[u8], texts: &mut TextReader) -> bool {
        match &self.bytes {
            Some(own) => own == bytes,
            None => bytes_of(&self.events[0], texts).as_deref() == Some(bytes),
        }
    }
}

fn bytes_of(event: &EventRef<'_>, texts: &mut TextReader) -> Option<Vec<u8>> {
    let bytes = texts.record(event).ok()?;
    Some(bytes[..bytes.len().min(COMPARED)].to_vec())
}
