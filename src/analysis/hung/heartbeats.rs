//! Heartbeats: records of one template about one carrier that come at regular times.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::analysis::entity::{Instance, Instances};
use crate::base::ids::{EventId, TemplateId};
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

/// The heartbeats of all carriers.
pub(super) fn beats(snapshot: &Snapshot, found: &Found) -> Vec<Beat> {
    let carriers = found.all.iter().filter(|i| i.entity.is_carrier());
    carriers
        .flat_map(|instances| {
            let of = |i: &Instance| of_carrier(snapshot, instances, i);
            let all: Vec<Vec<Beat>> = instances.list.par_iter().map(of).collect();
            all.into_iter().flatten()
        })
        .collect()
}

fn of_carrier(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> Vec<Beat> {
    let events = instances.events(instance);
    if (events.len() as u64) < RECORDS {
        return Vec::new();
    }
    let mut tracks: FxHashMap<(TemplateId, u32), (Track, Vec<i64>)> = FxHashMap::default();
    for id in &events[events.len().saturating_sub(EVENTS)..] {
        let Some(event) = snapshot.event(EventId(*id)) else {
            continue;
        };
        let (Some(time), Some(template)) = (event.time(), event.template()) else {
            continue;
        };
        let key = (template.id, event.source().id.0);
        match tracks.get_mut(&key) {
            Some((track, gaps)) => {
                gaps.push(time.saturating_sub(track.last));
                track.add(time, *id);
            }
            None => {
                tracks.insert(key, (Track::new(time, *id), Vec::new()));
            }
        }
    }
    let is_regular = |gaps: &mut Vec<i64>| {
        gaps.sort_unstable();
        let at = |share: usize| gaps.get((gaps.len() - 1) * share / 100).copied();
        match (at(5), at(50), at(95)) {
            (Some(low), Some(middle), Some(high)) => {
                middle >= 100_000_000 && low * 2 >= middle && high <= 2 * middle
            }
            _ => false,
        }
    };
    let mut out = Vec::new();
    for ((template, _), (track, mut gaps)) in tracks {
        if track.records < RECORDS || !is_regular(&mut gaps) {
            continue;
        }
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
