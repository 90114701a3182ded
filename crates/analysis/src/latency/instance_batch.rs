//! Batches of instances for parallel computation of step latencies.

use rustc_hash::FxHashMap;

use crate::Instances;
use crate::entity::Instance;
use crate::scope::AnalysisScope;
use widetui_time::time::NO_TIME;

use crate::latency::MAX_OCCURRENCES;
use crate::latency::step_keys::StepKeys;

/// Event of an instance: instance, row of the latency table, and offset from the first event (ns).
#[derive(Clone, Copy)]
pub(super) struct StepEvent {
    /// Index into `Instances::list`.
    pub(crate) instance: u32,
    /// Row of the latency table.
    pub(crate) row: u32,
    /// Time since the instance's first event, ns.
    pub(crate) offset: i64,
}

/// Number of instances per batch.
pub(super) const BATCH_SIZE: usize = 2048;

/// Cells and counts of a batch of instances.
#[derive(Default)]
pub(super) struct InstanceBatch {
    /// Rows of the latency table that occur in the batch.
    pub(crate) rows: RowNumbers,
    /// Events of the batch by instance.
    pub(crate) cells: Vec<StepEvent>,
    /// Number of instances with an event in the window.
    pub(crate) instances: u64,
    /// Number of events beyond `MAX_OCCURRENCES` of their template.
    pub(crate) omitted_events: u64,
}

impl InstanceBatch {
    /// Adds the events of the instances `some`, the first of which has index `first`.
    pub(crate) fn add_instances(
        &mut self,
        (all, batch, first): (&Instances, &[Instance], usize),
        kept: &[bool],
        (times, kinds): (&[i64], &StepKeys),
        scope: &AnalysisScope,
    ) {
        // By kind of event: the last instance with such an event, and their number in it.
        let mut seen: Vec<(u32, u32)> = vec![(u32::MAX, 0); kinds.len()];
        for (at, instance) in batch.iter().enumerate().filter(|(at, _)| kept[*at]) {
            let number = (first + at) as u32;
            let mut first: Option<i64> = None;
            let mut counts = false;
            for event in all.events(instance) {
                let time = times.get(*event as usize).copied().unwrap_or(NO_TIME);
                if time == NO_TIME {
                    continue;
                }
                let first = *first.get_or_insert(time);
                let kind = kinds.by_event[*event as usize];
                let known = &mut seen[kind as usize];
                if known.0 != number {
                    *known = (number, 0);
                }
                known.1 += 1;
                if !scope.window.contains(time) {
                    continue;
                }
                counts = true;
                if known.1 > MAX_OCCURRENCES {
                    self.omitted_events += 1;
                    continue;
                }
                self.cells.push(StepEvent {
                    instance: number,
                    row: self.rows.number(kind, known.1),
                    offset: time.saturating_sub(first),
                });
            }
            self.instances += u64::from(counts);
        }
    }
}

/// Rows of the latency table, numbered in order of occurrence.
#[derive(Default)]
pub(super) struct RowNumbers {
    numbers: FxHashMap<(u32, u32), u32>,
    /// Kind of event and number of the record, by row.
    pub(crate) keys: Vec<(u32, u32)>,
}

impl RowNumbers {
    /// Row of the n-th (from 1) event of a kind in an instance.
    pub(crate) fn number(&mut self, kind: u32, n: u32) -> u32 {
        let keys = &mut self.keys;
        *self.numbers.entry((kind, n)).or_insert_with(|| {
            keys.push((kind, n));
            keys.len() as u32 - 1
        })
    }
}
