//! Step latencies: for each step (the n-th record of a template in an instance), the time since the
//! instance's first event and since the previous step, over all instances.
//!
//! ```text
//! events of each instance ──> row of each event, offset ──> rows by mean offset ──> time since the previous row
//! ```

mod instance_batch;
mod step_keys;
mod steps;

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_store::{Snapshot, SourceTrait};

use crate::Instances;
use crate::columns::EventProperty;
use crate::scope::{AnalysisScope, TableRecords};
use crate::summary::Summary;
use widetui_store::event_columns::times_of;

use instance_batch::{BATCH_SIZE, InstanceBatch};
use step_keys::StepKeys;
use steps::StepTable;

/// Maximum number of records of a template per instance that are separate steps; later ones are
/// counted in `Latency::omitted_events`.
pub const MAX_OCCURRENCES: u32 = 100;

/// Explanation of negative durations of steps.
pub const NEGATIVE_STEPS: &str =
    "A negative duration means that the order of steps varies, or that clocks differ";

/// Kind of sources that contain facts.
const FACT_SOURCE_KIND: &str = "facts";

/// Table of the steps of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// Steps by mean offset.
    pub rows: Vec<StepLatency>,
    /// Number of instances with at least one timed event in the window.
    pub instances: u64,
    /// Number of events beyond `MAX_OCCURRENCES` of their template in an instance.
    pub omitted_events: u64,
}

/// Latency statistics of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLatency {
    /// Template of the step's records.
    pub template: String,
    /// Values of the keys that split rows, in the requested order.
    pub split: Vec<String>,
    /// Number of the record among those of its template in the instance, from 1.
    pub occurrence: u32,
    /// Number of the last record that counts as this step: of a template with many in an instance, all but the first are one step.
    pub last_occurrence: u32,
    /// Number of instances with the step.
    pub instances: u64,
    /// Share of instances with the step, 0 to 1.
    pub share: f64,
    /// Time since the instance's first event, ns.
    pub offset: Summary,
    /// Time since the previous step, ns, over the instances with both. The previous step is the
    /// nearest row above with at least the same share.
    pub step: Option<Summary>,
    /// Row of the previous step.
    pub previous: Option<usize>,
    /// Instance with the longest step (without a previous step: the greatest offset), as an index
    /// into `Instances::list`.
    pub slowest: usize,
}

/// Name of a step: the template after the number of its records, unless it is the first, so that a name cut at its end is known.
pub fn step_name(template: &str, (first, last): (u32, u32)) -> String {
    match (first, last) {
        (1, _) => template.to_owned(),
        (first, last) if first == last => format!("({first}) {template}"),
        (first, last) => format!("({first}…{last}) {template}"),
    }
}

impl StepLatency {
    /// Name of the step.
    pub fn name(&self) -> String {
        step_name(&self.template, (self.occurrence, self.last_occurrence))
    }

    /// Mean time of the step over all instances, including those without it, ns: mean step times
    /// share, and times the number in an instance of a step with several records.
    pub fn mean_over_all(&self) -> f64 {
        let times = |s: Summary| (s.count as f64 / self.instances.max(1) as f64).max(1.0);
        let time = self.step.map_or(0.0, |s| s.mean.max(0.0) * times(s));
        time * self.share
    }
}

impl Latency {
    /// Whether a step usually precedes the row that it is measured from: instances pass the steps
    /// in different orders, while rows are ordered by mean offset.
    pub fn has_negative_steps(&self) -> bool {
        let mut steps = self.rows.iter().filter_map(|row| row.step);
        steps.any(|s| s.mean < 0.0 || s.p50 < 0.0)
    }

    /// Row of the step with the greatest mean time; `None` if no step takes time.
    pub fn longest_step(&self) -> Option<usize> {
        let rows = self.rows.iter().enumerate();
        let parts = rows.map(|(at, row)| (at, row.mean_over_all()));
        let longest = parts.filter(|p| p.1 > 0.0);
        longest.max_by(|a, b| a.1.total_cmp(&b.1)).map(|p| p.0)
    }
}

/// Share of the total time below which a step is small.
pub const SMALL_SHARE: f64 = 0.001;

/// Times of the records that count as steps, UTC ns; `NO_TIME` for all others.
pub fn step_times(snapshot: &Snapshot, tables: TableRecords) -> Vec<i64> {
    match tables {
        TableRecords::Include => times_of(snapshot, |_| true),
        TableRecords::Exclude => times_of(snapshot, |s| {
            !s.has_trait(SourceTrait::Table) && s.kind != FACT_SOURCE_KIND
        }),
    }
}

/// Computes the steps of all instances in scope. `split` divides rows by further properties than
/// the template. `None` when cancelled.
pub fn latency(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    split: &[EventProperty],
    cancel: &Cancel,
) -> Option<Latency> {
    let times = step_times(snapshot, scope.tables);
    let kinds = StepKeys::new(snapshot, instances, split, cancel)?;
    let kept = scope.contains_instances(snapshot, instances);
    let batches = instances.list.par_chunks(BATCH_SIZE).enumerate();
    let batches = batches.map(|(at, some)| {
        let first = at * BATCH_SIZE;
        let kept = &kept[first..first + some.len()];
        let mut batch = InstanceBatch::default();
        if !cancel.is_cancelled() {
            batch.add_instances((instances, some, first), kept, (&times, &kinds), scope);
        }
        batch
    });
    let batches: Vec<InstanceBatch> = batches.collect();
    if cancel.is_cancelled() {
        return None;
    }
    let mut out = Latency {
        instances: batches.iter().map(|p| p.instances).sum(),
        omitted_events: batches.iter().map(|p| p.omitted_events).sum(),
        ..Latency::default()
    };
    let steps = StepTable::merge(batches);
    steps.finish(snapshot, &kinds, cancel, &mut out)?;
    Some(out)
}
