//! Heartbeats: records of one template about one resource at regular intervals.

use std::cell::OnceCell;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::ids::{EventId, SourceId, TemplateId};
use widetui_store::Snapshot;
use widetui_store::event_columns::times;
use widetui_time::time::NO_TIME;

use crate::unfinished::gaps::{GAP, RECORDS, Track};
use widetui_analysis::entity::AllInstances;

/// A heartbeat of a resource.
pub(crate) struct Beat {
    /// Name of the resource: `manager 0d1175223706`.
    pub(crate) of: String,
    /// The text of the template.
    pub(crate) template: String,
    /// Its records.
    pub(crate) track: Track,
}

/// Maximum number of events of a resource that are examined, the last ones.
const EVENTS: usize = 200_000;

/// Kind of each event: records of one template in one source.
struct Kinds {
    /// By event.
    of: Vec<u32>,
    /// By kind.
    all: Vec<Kind>,
}

/// Records of one template in one source.
struct Kind {
    template: TemplateId,
    source: SourceId,
    records: u64,
}

impl Kinds {
    fn new(snapshot: &Snapshot) -> Kinds {
        let mut kinds = Kinds {
            of: vec![0; snapshot.len()],
            all: Vec::new(),
        };
        let mut known: FxHashMap<(TemplateId, u32), u32> = FxHashMap::default();
        for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
            let of = &mut kinds.of[*base as usize..*base as usize + segment.len()];
            for group in &segment.groups {
                let Some(shape) = snapshot.catalog.shapes.get(group.shape.index()) else {
                    continue;
                };
                // Rows ascend, and so do parts.
                let (mut end, mut kind) = (0, 0);
                for row in group.rows.iter().map(|row| usize::from(*row)) {
                    if row >= end {
                        let part = segment.part(row);
                        end = (part.first_row + part.rows) as usize;
                        let next = kinds.all.len() as u32;
                        kind = *known.entry((shape.template, part.source.0)).or_insert(next);
                        if kind == next {
                            kinds.all.push(Kind {
                                template: shape.template,
                                source: part.source,
                                records: 0,
                            });
                        }
                    }
                    of[row] = kind;
                    kinds.all[kind as usize].records += 1;
                }
            }
        }
        kinds
    }
}

/// Heartbeats of all resources that may have stopped: the last one is at least `GAP` before the end of its source, as
/// given by `ends`; sources without an end have none.
pub(crate) fn beats(
    snapshot: &Snapshot,
    found: &AllInstances,
    ends: impl Fn(SourceId) -> Option<i64> + Sync,
) -> Vec<Beat> {
    let kinds = OnceCell::new();
    let event_times = OnceCell::new();
    let mut all = Vec::new();
    for carriers in found.resources() {
        let is_frequent = |one: &&Instance| carriers.event_count(one) as u64 >= RECORDS;
        let frequent: Vec<&Instance> = carriers.list.iter().filter(is_frequent).collect();
        if frequent.is_empty() {
            continue;
        }
        let kinds: &Kinds = kinds.get_or_init(|| Kinds::new(snapshot));
        let events = carriers.temporary_events();
        let latest = |one: &Instance| {
            let events = events.of(one);
            &events[events.len().saturating_sub(EVENTS)..]
        };
        let missed: Vec<FxHashSet<u32>> = frequent
            .par_iter()
            .map(|one| missed(snapshot, kinds, latest(one), &ends))
            .collect();
        if missed.iter().all(FxHashSet::is_empty) {
            continue;
        }
        let times: &[i64] = event_times.get_or_init(|| times(snapshot));
        let beats: Vec<Vec<Beat>> = frequent
            .par_iter()
            .zip(&missed)
            .filter(|(_, missed)| !missed.is_empty())
            .map(|(one, missed)| {
                let resource = (carriers, *one, latest(one));
                of_carrier(snapshot, (times, kinds), resource, missed)
            })
            .collect();
        all.extend(beats.into_iter().flatten());
    }
    all
}

/// Kinds among some events that are frequent enough and end long before their source.
fn missed(
    snapshot: &Snapshot,
    kinds: &Kinds,
    events: &[u32],
    ends: impl Fn(SourceId) -> Option<i64>,
) -> FxHashSet<u32> {
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    // Kind, number of records, last record.
    let mut counts: Vec<(u32, u64, u32)> = Vec::new();
    let mut last = (u32::MAX, 0);
    for id in events {
        let kind = kinds.of[*id as usize];
        if last.0 != kind {
            let next = counts.len();
            last = (kind, *places.entry(kind).or_insert(next));
            if last.1 == next {
                counts.push((kind, 0, *id));
            }
        }
        let known = &mut counts[last.1];
        (known.1, known.2) = (known.1 + 1, *id);
    }
    let is_missed = |(kind, count, id): &(u32, u64, u32)| {
        let end = || ends(kinds.all[*kind as usize].source);
        let time = || snapshot.event(EventId(*id))?.time();
        // If the last record has no time, an earlier one may have.
        let is_old = |end: i64| time().is_none_or(|time| end.saturating_sub(time) > GAP);
        *count >= RECORDS && end().is_some_and(is_old)
    };
    let missed = counts.iter().filter(|c| is_missed(c));
    missed.map(|c| c.0).collect()
}

/// Minimum interval of heartbeats, ns.
const SHORTEST: i64 = 100_000_000;

/// Whether most gaps are close to the median gap.
fn is_regular(track: &Track, gaps: &mut [i64]) -> bool {
    // A mean gap below half of the minimum excludes a median above it.
    let span = track.last.saturating_sub(track.first);
    if span / SHORTEST < gaps.len() as i64 / 2 || gaps.is_empty() {
        return false;
    }
    let last = gaps.len() - 1;
    let mut at = |share: usize| *gaps.select_nth_unstable(last * share / 100).1;
    let (low, middle, high) = (at(5), at(50), at(95));
    middle >= SHORTEST && low * 2 >= middle && high <= 2 * middle
}

fn of_carrier(
    snapshot: &Snapshot,
    (times, kinds): (&[i64], &Kinds),
    (instances, instance, latest): (&Instances, &Instance, &[u32]),
    missed: &FxHashSet<u32>,
) -> Vec<Beat> {
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    let mut tracks: Vec<(u32, Track, Vec<i64>)> = Vec::new();
    let mut last = (u32::MAX, 0);
    for id in latest {
        let kind = kinds.of[*id as usize];
        if last.0 != kind && !missed.contains(&kind) {
            continue;
        }
        let time = times[*id as usize];
        if time == NO_TIME {
            continue;
        }
        if last.0 != kind {
            let next = tracks.len();
            last = (kind, *places.entry(kind).or_insert(next));
        }
        match tracks.get_mut(last.1) {
            Some((_, track, gaps)) => {
                gaps.push(time.saturating_sub(track.last));
                track.add(time, *id);
            }
            None => tracks.push((kind, Track::new(time, *id), Vec::new())),
        }
    }
    let mut out = Vec::new();
    for (kind, track, mut gaps) in tracks {
        if track.records < RECORDS || !is_regular(&track, &mut gaps) {
            continue;
        }
        let template = kinds.all[kind as usize].template;
        let template = snapshot.catalog.templates.get(template.index());
        out.push(Beat {
            of: format!(
                "{} {}",
                instances.entity.title,
                instances.short_name(snapshot, instance)
            ),
            template: template.map(|t| t.text.to_string()).unwrap_or_default(),
            track,
        });
    }
    out.sort_by(|a, b| a.template.cmp(&b.template));
    out
}
