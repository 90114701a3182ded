//! Proof of a clock offset by records about the same instances in two groups of logs.
//!
//! If the clock of one log is corrected by the right amount, its records about a job fall into the
//! same second as those of the other log; with a few seconds more or less they do not. Instances
//! with records in many seconds (a node, a worker) coincide under any correction, so they do not
//! count.

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_store::event_columns::{codes_of_key, times};
use widetui_store::key_column::UNUSABLE;
use widetui_time::time::NO_TIME;

const SECOND: i64 = 1_000_000_000;
/// Maximum number of seconds with records about an instance; more frequent instances prove nothing.
const FEW: usize = 8;
/// Maximum number of instances per key.
const MAX_INSTANCES: usize = 4_096;
/// Minimum number of instances that must coincide.
const ENOUGH: usize = 3;
/// Deviations from the correction that serve as controls, s.
const CONTROLS: [i64; 8] = [-97, -53, -29, -13, 13, 29, 53, 97];

/// Side of a source in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZoneSide {
    /// Source without a zone.
    Without,
    /// Source with a zone.
    With,
}

/// Seconds with records about an instance, by side: each once, ascending, at most `FEW + 1`.
#[derive(Clone, Debug, Default)]
struct RecordSeconds {
    without: Vec<i64>,
    with: Vec<i64>,
}

impl RecordSeconds {
    fn add(&mut self, side: ZoneSide, second: i64) {
        let seconds = match side {
            ZoneSide::Without => &mut self.without,
            ZoneSide::With => &mut self.with,
        };
        if seconds.len() <= FEW
            && let Err(at) = seconds.binary_search(&second)
        {
            seconds.insert(at, second);
        }
    }

    fn counts(&self) -> bool {
        let few = |seconds: &[i64]| !seconds.is_empty() && seconds.len() <= FEW;
        few(&self.without) && few(&self.with)
    }

    /// Whether both sides have a record in the same second after the first is shifted by `seconds`.
    fn coincides(&self, seconds: i64) -> bool {
        self.without
            .iter()
            .any(|s| self.with.binary_search(&s.saturating_add(seconds)).is_ok())
    }
}

/// Whether records of both sides about the same instances coincide when the times without a zone
/// are shifted by `correction` (ns), and do not under other shifts. `sides` is indexed by source; sources
/// with `None` are skipped.
pub(super) fn agree(
    snapshot: &Snapshot,
    sides: &[Option<ZoneSide>],
    correction: i64,
    cancel: &Cancel,
) -> bool {
    let side_of: Vec<Option<ZoneSide>> = sides_of_events(snapshot, sides);
    let times = times(snapshot);
    let keys = snapshot.catalog.keys.iter().filter(|k| k.key.identifier);
    let mut instances = Vec::new();
    for key in keys.map(|k| k.key.id) {
        let Some(found) = record_seconds(snapshot, key, &side_of, &times, cancel) else {
            return false;
        };
        instances.extend(found.into_values().filter(RecordSeconds::counts));
    }
    judged(&instances, correction / SECOND)
}

fn judged(instances: &[RecordSeconds], correction: i64) -> bool {
    let meeting = |by: i64| instances.iter().filter(|t| t.coincides(by)).count();
    let right = meeting(correction);
    let wrong = CONTROLS
        .iter()
        .map(|c| meeting(correction.saturating_add(*c)));
    right >= ENOUGH && right * 4 >= instances.len() * 3 && wrong.max().unwrap_or(0) * 2 <= right
}

/// Side of the source of each event.
fn sides_of_events(snapshot: &Snapshot, sides: &[Option<ZoneSide>]) -> Vec<Option<ZoneSide>> {
    let mut out = Vec::with_capacity(snapshot.len());
    for segment in snapshot.segments.iter() {
        let start = out.len();
        out.resize(start + segment.len(), None);
        for part in &segment.parts {
            let side = sides.get(part.source.index()).copied().flatten();
            let first = start + part.first_row as usize;
            out.iter_mut()
                .skip(first)
                .take(part.rows as usize)
                .for_each(|s| *s = side);
        }
    }
    out
}

/// Seconds with records about the first instances that a key identifies, by value.
fn record_seconds(
    snapshot: &Snapshot,
    key: KeyId,
    sides: &[Option<ZoneSide>],
    times: &[i64],
    cancel: &Cancel,
) -> Option<FxHashMap<Code, RecordSeconds>> {
    let codes = codes_of_key(snapshot, key, cancel)?;
    let mut instances: FxHashMap<Code, RecordSeconds> = FxHashMap::default();
    let events = codes.iter().zip(sides).zip(times);
    for ((code, side), time) in events {
        let Some(side) = side else { continue };
        let is_usable = *code != NONE && *code != UNUSABLE && *time != NO_TIME;
        if is_usable && (instances.len() < MAX_INSTANCES || instances.contains_key(code)) {
            let instance = instances.entry(*code).or_default();
            instance.add(*side, time.div_euclid(SECOND));
        }
    }
    Some(instances)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(without: &[i64], with: &[i64]) -> RecordSeconds {
        let mut seconds = RecordSeconds::default();
        without
            .iter()
            .for_each(|s| seconds.add(ZoneSide::Without, *s));
        with.iter().for_each(|s| seconds.add(ZoneSide::With, *s));
        seconds
    }

    #[test]
    fn things_that_end_in_the_same_second_prove_it() {
        let jobs: Vec<RecordSeconds> = (0..5)
            .map(|i| instance(&[i * 7, i * 7 + 40], &[28_800 + i * 7 + 40]))
            .collect();
        assert!(judged(&jobs, 28_800));
        assert!(!judged(&jobs, 25_200));
        assert!(!judged(&jobs[..2], 28_800), "two may be chance");
    }

    #[test]
    fn things_that_are_told_of_at_other_moments_prove_nothing() {
        let jobs: Vec<RecordSeconds> = (0..5)
            .map(|i| instance(&[i * 7], &[28_800 + i * 9 + 3]))
            .collect();
        assert!(!judged(&jobs, 28_800));
    }

    #[test]
    fn what_falls_together_anyhow_proves_nothing() {
        // A beat every 13 s coincides with itself under any shift by 13 s.
        let beats: Vec<i64> = (0..FEW as i64).map(|i| i * 13).collect();
        let later: Vec<i64> = beats.iter().map(|s| s + 28_800).collect();
        let nodes = vec![instance(&beats, &later); 6];
        assert!(!judged(&nodes, 28_800));
        let always: Vec<i64> = (0..200).collect();
        assert!(!instance(&always, &later).counts());
    }
}
