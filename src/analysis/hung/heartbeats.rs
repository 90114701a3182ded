//! Heartbeats: records of one template about one carrier that come at regular times.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::analysis::columns::times;
use crate::analysis::entity::{Instance, Instances};
use crate::base::ids::TemplateId;
use crate::base::time::NO_TIME;
use crate::store::Snapshot;

use super::Found;
use super::gaps::{RECORDS, Track};

/// A regular record about a carrier.
pub(super) struct Beat {
    /// The carrier in words: `manager 0d1175223706`.
    pub of: String,
    /// The text of the template.
    pub template: String,
    /// Its records.
    pub track: Track,
}

/// Events of one carrier that are looked at: its last ones.
const EVENTS: usize = 200_000;

/// Which kind each event is of: records of one template in one source.
struct Kinds {
    /// By event.
    of: Vec<u32>,
    /// By kind: its template, and how many records it has.
    all: Vec<(TemplateId, u64)>,
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
                // Rows ascend, so parts do.
                let (mut end, mut kind) = (0, 0);
                for row in group.rows.iter().map(|row| usize::from(*row)) {
                    if row >= end {
                        let part = segment.part(row);
                        end = (part.first_row + part.rows) as usize;
                        let next = kinds.all.len() as u32;
                        kind = *known.entry((shape.template, part.source.0)).or_insert(next);
                        if kind == next {
                            kinds.all.push((shape.template, 0));
                        }
                    }
                    of[row] = kind;
                    kinds.all[kind as usize].1 += 1;
                }
            }
        }
        kinds
    }
}

/// The heartbeats of all carriers.
pub(super) fn beats(snapshot: &Snapshot, found: &Found) -> Vec<Beat> {
    let carriers = found.all.iter().filter(|i| i.entity.is_carrier());
    let carriers: Vec<&Instances> = carriers.filter(|i| !i.list.is_empty()).collect();
    if carriers.is_empty() {
        return Vec::new();
    }
    let (times, kinds) = (times(snapshot), Kinds::new(snapshot));
    carriers
        .into_iter()
        .flat_map(|instances| {
            let of = |i: &Instance| of_carrier(snapshot, (&times, &kinds), instances, i);
            let all: Vec<Vec<Beat>> = instances.list.par_iter().map(of).collect();
            all.into_iter().flatten()
        })
        .collect()
}

/// No heartbeat is more frequent, ns.
const SHORTEST: i64 = 100_000_000;

/// Whether most gaps are about as long as the middle one.
fn is_regular(track: &Track, gaps: &mut [i64]) -> bool {
    // What is shorter in the mean than half of that has no middle that is longer.
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
    instances: &Instances,
    instance: &Instance,
) -> Vec<Beat> {
    let events = instances.events(instance);
    if (events.len() as u64) < RECORDS {
        return Vec::new();
    }
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    let mut tracks: Vec<(u32, Track, Vec<i64>)> = Vec::new();
    let mut last = (u32::MAX, 0);
    for id in &events[events.len().saturating_sub(EVENTS)..] {
        let (time, kind) = (times[*id as usize], kinds.of[*id as usize]);
        if time == NO_TIME || kinds.all[kind as usize].1 < RECORDS {
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
        let template = kinds.all[kind as usize].0;
        let template = snapshot.catalog.templates.get(template.index());
        out.push(Beat {
            of: format!(
                "{} {}",
                instances.entity.title,
                instances.number(snapshot, instance)
            ),
            template: template.map(|t| t.text.to_string()).unwrap_or_default(),
            track,
        });
    }
    out.sort_by(|a, b| a.template.cmp(&b.template));
    out
}
