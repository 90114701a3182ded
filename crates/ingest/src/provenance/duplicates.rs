//! Finds records that stand in several sources, byte for byte.

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
use widetui_store::{EventRef, Snapshot, SourceTrait};

use crate::provenance::replicas;

/// The snapshot with its copies marked. Copies have equal times, so they stand side by side in time order.
pub(crate) fn mark_copies(mut snapshot: Snapshot, cancel: &Cancel) -> Snapshot {
    let ties = &snapshot.ties;
    // In a moment all places are ties from the first record of another source on: a stretch of them is a moment.
    let moments: Vec<&[u32]> = ties.chunk_by(|a, b| a + 1 == *b).collect();
    let pairs: Vec<Vec<(u32, u32)>> = moments
        .par_iter()
        .with_min_len(64)
        .map_init(
            || OrderKeys::new(&snapshot),
            |keys, places| match (places.first(), places.last()) {
                (Some(first), Some(last)) if !cancel.is_cancelled() => {
                    let from = start_of(&snapshot, keys, *first as usize);
                    pairs_of(&snapshot, from..*last as usize + 1)
                }
                _ => Vec::new(),
            },
        )
        .collect();
    let copies = Duplicates::new(pairs.concat());
    let pairs = copies
        .iter()
        .chain(replicas::untimed(&snapshot, &copies, cancel))
        .collect();
    snapshot.duplicates = Arc::new(Duplicates::new(pairs));
    snapshot
}

/// The first place with the time of this one.
fn start_of(snapshot: &Snapshot, keys: &OrderKeys<'_>, place: usize) -> usize {
    let time = |place: usize| snapshot.order.get(place).map(|id| keys.of(*id).0);
    let now = time(place);
    let before = (0..place).rev().take_while(|p| time(*p) == now);
    place - before.count()
}

/// The copies among the records of a moment, each with the first record that it repeats.
fn pairs_of(snapshot: &Snapshot, places: Range<usize>) -> Vec<(u32, u32)> {
    let events = places.filter_map(|place| snapshot.at(place));
    let mut pairs = Vec::new();
    for alike in alike(events, |_| true) {
        // Where it lies beside its run is the one that is repeated.
        let at_home = alike
            .iter()
            .find(|e| !e.source().has_trait(SourceTrait::Replica));
        let Some(first) = at_home.or(alike.first()) else {
            continue;
        };
        let copies = alike.iter().filter(|e| e.source().id != first.source().id);
        pairs.extend(copies.map(|copy| (copy.id.0, first.id.0)));
    }
    pairs
}

/// A snapshot that has grown out of an older one, with its copies marked: those among the events that came, and among those
/// that are longer than they were. What was found before stays: where the repeated record is read after its copy, it becomes
/// the copy.
pub(crate) fn mark_more(mut snapshot: Snapshot, older: &Snapshot, cancel: &Cancel) -> Snapshot {
    let sources = snapshot.sources.iter().filter(|s| s.is_log);
    if sources.take(2).count() < 2 {
        return snapshot;
    }
    let from = older.settled;
    let lengthened = snapshot.lengthened(older);
    // What was the same as a record that is longer by now may be the same as another one.
    let again = lengthened
        .iter()
        .flat_map(|id| snapshot.duplicates.group(*id));
    let asked: FxHashSet<u32> = (from..snapshot.len() as u32).chain(again).collect();
    let moments = moments_of(&snapshot, &asked);
    let known = &snapshot.duplicates;
    let gone = asked.iter().any(|id| known.original_of(*id).is_some());
    let stays = |id: u32| !asked.contains(&id);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for places in moments {
        if cancel.is_cancelled() {
            break;
        }
        let events = places.filter_map(|place| snapshot.at(place));
        for alike in alike(events, |id| asked.contains(&id)) {
            // Best one that is repeated already, then one that is no copy, then one that was there before.
            let preferred = alike.iter().min_by_key(|e| {
                let id = e.id.0;
                let is_repeated = known.duplicates_of(id).next().is_some();
                match (stays(id), is_repeated, known.original_of(id)) {
                    (true, true, _) => 0,
                    (true, false, None) => 1,
                    _ if id < from => 2,
                    _ => 3,
                }
            });
            let Some(first) = preferred else { continue };
            let copies = alike.iter().filter(|e| {
                let id = e.id.0;
                !stays(id) && id != first.id.0 && e.source().id != first.source().id
            });
            pairs.extend(copies.map(|copy| (copy.id.0, first.id.0)));
        }
    }
    if gone || !pairs.is_empty() {
        let kept = known.iter().filter(|(copy, _)| stays(*copy));
        let all = kept.chain(pairs).collect();
        snapshot.duplicates = Arc::new(Duplicates::new(all));
    }
    snapshot
}

/// The places of the moments of some events, as far as these may have copies.
fn moments_of(snapshot: &Snapshot, asked: &FxHashSet<u32>) -> Vec<Range<usize>> {
    let times = asked.iter().filter_map(|id| {
        let event = snapshot.event(EventId(*id))?;
        // Looking for the places of others would be in vain.
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

/// What can be told of a record without reading it; copies have the same.
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
    /// `None` for what has no copies: whole seconds say little, as two workers print the same line in the same second.
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

/// Bytes of a record that are compared.
const COMPARED: usize = 1 << 20;

/// The records of one moment (in time order) that are the same bytes in several sources of one kind, as far as one of them is
/// asked about. Each is read once or twice, however many there are.
fn alike<'s>(
    events: impl Iterator<Item = EventRef<'s>>,
    is_asked: impl Fn(u32) -> bool,
) -> Vec<Vec<EventRef<'s>>> {
    let mut by_outline: FxHashMap<Outline<'s>, Vec<EventRef<'s>>> = FxHashMap::default();
    for event in events {
        if let Some(outline) = Outline::of(&event) {
            by_outline.entry(outline).or_default().push(event);
        }
    }
    let may_be = |alike: &Vec<EventRef<'_>>| {
        let first = alike[0].source().id;
        alike.iter().any(|e| e.source().id != first) && alike.iter().any(|e| is_asked(e.id.0))
    };
    let mut all = Vec::new();
    let mut texts = TextReader::default();
    for events in by_outline.into_values().filter(may_be) {
        let mut by_bytes: FxHashMap<u64, Vec<Class<'s>>> = FxHashMap::default();
        for event in events {
            let Some(bytes) = bytes_of(&event, &mut texts) else {
                continue;
            };
            let mut hasher = DefaultHasher::new();
            hasher.write(&bytes);
            let classes = by_bytes.entry(hasher.finish()).or_default();
            match classes.iter_mut().find(|c| c.has(&bytes, &mut texts)) {
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

/// Bytes of a record that are kept to be compared; longer ones are read again.
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
