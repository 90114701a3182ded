//! Differences between two sides that explain most of the time or of the failures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

use crate::Instances;
use crate::account::{AccountContext, TimeReason, time_account};
use crate::entity::Entity;
use crate::scope::AnalysisScope;

/// Time and number of some instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Number of instances.
    pub count: u64,
    /// Number of failed instances.
    pub failed: u64,
    /// Time, ns.
    pub time: i64,
}

impl Share {
    /// Mean time, ns; 0 without instances.
    pub fn mean(&self) -> f64 {
        self.time as f64 / self.count.max(1) as f64
    }
}

/// Label of an instance, and key and value of a place where it ran.
pub type PlaceOfLabel = (String, String, String);

/// Time and failures of the instances of one entity on a side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideProfile {
    /// Plural of the entity's title.
    pub plural: String,
    /// First record of an instance and last end, UTC ns.
    pub range: Option<(i64, i64)>,
    /// All instances, with the time from their first record to their end.
    pub all: Share,
    /// Instances by label, with the time in which they ran.
    pub labels: BTreeMap<String, Share>,
    /// Instances by label and by a place where they ran (key and value), with the time in which they ran.
    pub places: BTreeMap<PlaceOfLabel, Share>,
    /// Time in which instances did not run, by the description of the phase.
    pub waits: BTreeMap<String, i64>,
}

impl SideProfile {
    /// Reads the time and the failures of the instances in scope. `None` when cancelled.
    pub fn new(
        snapshot: &Snapshot,
        instances: &Instances,
        entities: &[Arc<Entity>],
        scope: &AnalysisScope,
        cancel: &Cancel,
    ) -> Option<SideProfile> {
        let context = AccountContext::new(snapshot, instances, entities, cancel)?;
        let kept = scope.contains_instances(instances);
        let mut out = SideProfile {
            plural: instances.entity.plural(),
            ..SideProfile::default()
        };
        for (at, instance) in instances.list.iter().enumerate().filter(|i| kept[i.0]) {
            if cancel.is_cancelled() {
                return None;
            }
            let phases = time_account(snapshot, instances, &context, at);
            let state = instances.standing(snapshot, instance).state;
            let failed = u64::from(state.is_some_and(|state| instances.is_failure(state)));
            let has_parts = phases.iter().any(|p| p.reason == TimeReason::PartRuns);
            let (mut ran, mut lasted) = (0i64, 0i64);
            for phase in &phases {
                let time = phase.end.saturating_sub(phase.start);
                lasted = lasted.saturating_add(time);
                match phase.reason {
                    TimeReason::PartRuns => ran = ran.saturating_add(time),
                    // Without known parts the state alone says what an instance does.
                    _ => {
                        let wait = out.waits.entry(phase.description.clone()).or_default();
                        *wait = wait.saturating_add(time);
                    }
                }
            }
            if let (Some(first), Some(last)) = (phases.first(), phases.last()) {
                let range = out.range.get_or_insert((first.start, last.end));
                *range = (range.0.min(first.start), range.1.max(last.end));
            }
            out.all.add(failed, lasted);
            let label = instances.label(snapshot, instance).unwrap_or_default();
            if has_parts {
                for (key, value) in instances.places(snapshot, instance) {
                    let place = (label.clone(), key, value);
                    out.places.entry(place).or_default().add(failed, ran);
                }
            }
            out.labels.entry(label).or_default().add(failed, ran);
        }
        Some(out)
    }

    /// Place at which instances of a label ran at least twice as long on average as elsewhere, with those elsewhere.
    fn slow_place(&self, label: &str) -> Option<SlowPlace> {
        let all = self.labels.get(label)?;
        let own = self.places.iter().filter(|(place, _)| place.0 == label);
        let slow = own.filter_map(|((_, key, value), here)| {
            let elsewhere = Share {
                count: all.count.saturating_sub(here.count),
                failed: all.failed.saturating_sub(here.failed),
                time: all.time.saturating_sub(here.time),
            };
            let is_slow =
                elsewhere.count > 1 && here.count > 1 && here.mean() >= 2.0 * elsewhere.mean();
            is_slow.then(|| SlowPlace {
                key: key.clone(),
                value: value.clone(),
                here: here.clone(),
                elsewhere,
            })
        });
        slow.max_by_key(|place| place.here.time)
    }
}

impl Share {
    fn add(&mut self, failed: u64, time: i64) {
        self.count += 1;
        self.failed += failed;
        self.time = self.time.saturating_add(time);
    }
}

/// Place at which instances took longer than elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowPlace {
    /// Key of the place.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Instances there.
    pub here: Share,
    /// Instances of the same label elsewhere.
    pub elsewhere: Share,
}

/// Difference between two sides, with the values on both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Failed instances of a label.
    Failures {
        /// Label; empty if instances have none.
        label: String,
        /// Instances on both sides.
        sides: [Share; 2],
    },
    /// Running time of the instances of a label.
    Runs {
        /// Label; empty if instances have none.
        label: String,
        /// Instances on both sides.
        sides: [Share; 2],
        /// Place on the slower side where they took longer.
        place: Option<SlowPlace>,
    },
    /// Time in a phase in which instances did not run.
    Waits {
        /// Description of the phase.
        phase: String,
        /// All instances with their time in the phase, on both sides.
        sides: [Share; 2],
    },
}

/// Time that sides of one run are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Sums: the sides are runs.
    Sum,
    /// Means: the sides are selections, whose sizes are chosen.
    Mean,
}

/// The differences that explain most of the failures and of the time, at most `most`: the greatest of the failures first.
pub fn differences(sides: [&SideProfile; 2], basis: Basis, most: usize) -> Vec<Difference> {
    let labels: BTreeSet<&String> = sides.iter().flat_map(|s| s.labels.keys()).collect();
    let both = |label: &String| sides.map(|s| s.labels.get(label).cloned().unwrap_or_default());
    let failures = labels.iter().map(|label| (*label, both(label)));
    let failed = |share: &Share| match basis {
        Basis::Sum => share.failed as f64,
        Basis::Mean => share.failed as f64 / share.count.max(1) as f64,
    };
    let gap = |[a, b]: &[Share; 2]| (failed(b) - failed(a)).abs();
    let worst = failures.max_by(|x, y| gap(&x.1).total_cmp(&gap(&y.1)));
    let worst = worst.filter(|(_, sides)| gap(sides) > 0.0 && basis == Basis::Sum);
    let mut out: Vec<Difference> = Vec::new();
    out.extend(worst.map(|(label, sides)| Difference::Failures {
        label: label.clone(),
        sides,
    }));
    let mut times: Vec<(f64, Difference)> = Vec::new();
    let weight = |[a, b]: &[Share; 2]| match basis {
        Basis::Sum => b.time as f64 - a.time as f64,
        Basis::Mean => (b.mean() - a.mean()) * a.count.min(b.count) as f64,
    };
    for label in labels {
        let shares = both(label);
        let delta = weight(&shares);
        let slower = sides[usize::from(delta > 0.0)];
        let place = slower.slow_place(label);
        let label = label.clone();
        times.push((
            delta,
            Difference::Runs {
                label,
                sides: shares,
                place,
            },
        ));
    }
    let phases: BTreeSet<&String> = sides.iter().flat_map(|s| s.waits.keys()).collect();
    for phase in phases {
        let shares = sides.map(|side| Share {
            time: side.waits.get(phase).copied().unwrap_or_default(),
            ..side.all.clone()
        });
        let delta = weight(&shares);
        let phase = phase.clone();
        times.push((
            delta,
            Difference::Waits {
                phase,
                sides: shares,
            },
        ));
    }
    let all: f64 = sides.iter().map(|s| s.all.time as f64).fold(0.0, f64::max);
    // Less than a hundredth of the time explains nothing.
    times.retain(|(delta, _)| delta.abs() * 100.0 >= all && *delta != 0.0);
    times.sort_by(|x, y| y.0.abs().total_cmp(&x.0.abs()));
    out.extend(times.into_iter().map(|(_, difference)| difference));
    out.truncate(most);
    out
}
