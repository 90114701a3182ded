//! When things happen in the life of an instance: for each step (the n-th record of a template) how long after the
//! instance's first event it comes, and how long after the step before it, over all instances.
//!
//! ```text
//! events of each instance ──> row of each event, offset ──> rows by mean offset ──> step from the row before
//! ```

mod instance_batch;
mod step_keys;
mod steps;

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_store::{Nature, Snapshot};

use crate::Instances;
use crate::columns::By;
use crate::scope::{AnalysisScope, Tables};
use crate::summary::Summary;
use widetui_store::event_columns::times_of;

use instance_batch::{PORTION, Portion};
use step_keys::Kinds;
use steps::Steps;

/// How often a template is told apart in one instance; what comes later is counted in `Latency::left_out`.
pub const MOST: u32 = 100;

/// The kind of sources that hold facts.
const FACTS: &str = "facts";

/// The steps of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// By mean offset.
    pub rows: Vec<StepLatency>,
    /// Instances with at least one event with a time, in the window.
    pub instances: u64,
    /// Events that repeat their template more than `MOST` times in their instance.
    pub left_out: u64,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLatency {
    /// The template.
    pub template: String,
    /// The values of the keys that tell rows apart, in the order asked for.
    pub split: Vec<String>,
    /// The how-manieth in the instance, from 1.
    pub occurrence: u32,
    /// Instances that have it.
    pub instances: u64,
    /// Their share of all instances, 0 to 1.
    pub share: f64,
    /// From the instance's first event, ns.
    pub offset: Summary,
    /// From the row before whose share is not smaller, over the instances that have both, ns.
    pub step: Option<Summary>,
    /// That row.
    pub previous: Option<usize>,
    /// The instance whose step is longest (without a row before: whose offset is); index into `Instances::list`.
    pub slowest: usize,
}

impl StepLatency {
    /// The time that the step takes of the life of an instance, of those that do not have it, too: its mean, by how many
    /// have it, ns.
    pub fn part(&self) -> f64 {
        self.step.map_or(0.0, |s| s.mean.max(0.0)) * self.share
    }
}

impl Latency {
    /// The rows that `keeps` says, one word for each.
    #[must_use]
    pub fn only(&self, keeps: &[bool]) -> Latency {
        let rows = self.rows.iter().zip(keeps);
        Latency {
            rows: rows
                .filter(|(_, keeps)| **keeps)
                .map(|(row, _)| row.clone())
                .collect(),
            ..*self
        }
    }

    /// Whether a step comes before the row that it is measured from as a rule: instances do not go through the steps in one
    /// order, and rows stand in that of the mean offsets.
    pub fn goes_back(&self) -> bool {
        let mut steps = self.rows.iter().filter_map(|row| row.step);
        steps.any(|s| s.mean < 0.0 || s.p50 < 0.0)
    }

    /// The row of the step that takes the most time of all; `None` where no step takes any.
    pub fn longest(&self) -> Option<usize> {
        let rows = self.rows.iter().enumerate();
        let parts = rows.map(|(at, row)| (at, row.part()));
        let longest = parts.filter(|p| p.1 > 0.0);
        longest.max_by(|a, b| a.1.total_cmp(&b.1)).map(|p| p.0)
    }
}

/// A step that takes less than this share of all time is small.
pub const SMALL: f64 = 0.001;

impl Latency {
    /// For each row whether it tells where the time goes: the first step of all, and those that are not small. All do where
    /// no step takes any time.
    pub fn telling(&self) -> Vec<bool> {
        let total: f64 = self.rows.iter().map(StepLatency::part).sum();
        let tells = |(at, row): (usize, &StepLatency)| at == 0 || row.part() >= SMALL * total;
        self.rows.iter().enumerate().map(tells).collect()
    }
}

/// The times of the records that count as steps, UTC ns; `NO_TIME` for all others.
pub fn times_counted(snapshot: &Snapshot, tables: Tables) -> Vec<i64> {
    match tables {
        Tables::Count => times_of(snapshot, |_| true),
        Tables::LeaveOut => times_of(snapshot, |s| !s.is(Nature::Table) && s.kind != FACTS),
    }
}

/// The steps of all instances in scope. `split` tells rows apart by more than their templates. `None` when cancelled.
pub fn latency(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    split: &[By],
    cancel: &Cancel,
) -> Option<Latency> {
    let times = times_counted(snapshot, scope.tables);
    let kinds = Kinds::new(snapshot, split, cancel)?;
    let kept = scope.instances(instances);
    let portions = instances.list.par_chunks(PORTION).enumerate();
    let portions = portions.map(|(at, some)| {
        let first = at * PORTION;
        let kept = &kept[first..first + some.len()];
        let mut portion = Portion::default();
        if !cancel.is_cancelled() {
            portion.count((instances, some, first), kept, (&times, &kinds), scope);
        }
        portion
    });
    let portions: Vec<Portion> = portions.collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut out = Latency {
        instances: portions.iter().map(|p| p.instances).sum(),
        left_out: portions.iter().map(|p| p.left_out).sum(),
        ..Latency::default()
    };
    let steps = Steps::of(portions);
    steps.finish(snapshot, &kinds, cancel, &mut out)?;
    Some(out)
}
