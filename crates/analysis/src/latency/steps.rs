//! Table of steps: rows in order of mean offset, and the time since the previous step.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::summary::Summary;
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

use crate::latency::instance_batch::{InstanceBatch, RowNumbers, StepEvent};
use crate::latency::step_keys::StepKeys;
use crate::latency::{Latency, StepLatency};

/// Steps of all instances: rows, and cells by batch.
pub(super) struct StepTable {
    rows: RowNumbers,
    batches: Vec<Vec<StepEvent>>,
}

impl StepTable {
    /// Merges batches; rows are numbered as in a single pass.
    pub(crate) fn merge(batches: Vec<InstanceBatch>) -> StepTable {
        let mut rows = RowNumbers::default();
        let mut numbered = Vec::with_capacity(batches.len());
        for InstanceBatch {
            rows: own, cells, ..
        } in batches
        {
            let numbers = own.keys.iter().map(|(kind, n)| rows.number(*kind, *n));
            numbered.push((numbers.collect::<Vec<u32>>(), cells));
        }
        let batches = numbered.into_par_iter().map(|(numbers, mut cells)| {
            cells
                .iter_mut()
                .for_each(|c| c.row = numbers[c.row as usize]);
            cells
        });
        StepTable {
            batches: batches.collect(),
            rows,
        }
    }

    /// Computes the rows of the latency table; `None` when cancelled.
    pub(crate) fn finish(
        &self,
        snapshot: &Snapshot,
        kinds: &StepKeys,
        cancel: &Cancel,
        out: &mut Latency,
    ) -> Option<()> {
        let keys = &self.rows.keys;
        let offsets = self.batches.par_iter().map(|cells| {
            let all = cells.iter().map(|c| (c.row, c.offset));
            by_row(keys.len(), all)
        });
        let offset = summaries(keys.len(), &offsets.collect::<Vec<Values>>());
        if cancel.is_cancelled() {
            return None;
        }
        // By mean offset; ties in order of occurrence.
        let mean = |row: &u32| offset[*row as usize].map_or(f64::MAX, |s| s.mean);
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by(|a, b| mean(a).total_cmp(&mean(b)).then(a.cmp(b)));
        let count = |row: u32| offset[row as usize].map_or(0, |s| s.count);
        let previous = previous_rows(&order, count);
        let (steps_of, last) = self.folded();
        let (steps, slowest) = self.steps(&previous, &steps_of);
        order.retain(|row| steps_of[*row as usize] == *row);
        let mut place = vec![0usize; keys.len()];
        for (at, row) in order.iter().enumerate() {
            place[*row as usize] = at;
        }
        for row in &order {
            let at = *row as usize;
            let (Some(offset), (kind, occurrence)) = (offset[at], keys[at]) else {
                continue;
            };
            let (template, split) = kinds.names(snapshot, kind);
            out.rows.push(StepLatency {
                template,
                split,
                occurrence,
                last_occurrence: last[at],
                instances: offset.count,
                share: offset.count as f64 / out.instances.max(1) as f64,
                offset,
                step: steps[at],
                previous: previous[at].map(|b| place[steps_of[b as usize] as usize]),
                slowest: slowest[at].1 as usize,
            });
        }
        Some(())
    }

    /// Row in which the steps of each row are counted, and the number of its last record: of a template with many records in an
    /// instance that of the second one.
    fn folded(&self) -> (Vec<u32>, Vec<u32>) {
        let keys = &self.rows.keys;
        let mut last: FxHashMap<u32, u32> = FxHashMap::default();
        for (kind, occurrence) in keys {
            let known = last.entry(*kind).or_default();
            *known = (*known).max(*occurrence);
        }
        let many = |kind: &u32| last.get(kind).copied().filter(|n| *n > MAX_APART);
        let second: FxHashMap<u32, u32> = { (0..).zip(keys) }
            .filter(|(_, (kind, occurrence))| *occurrence == 2 && many(kind).is_some())
            .map(|(row, (kind, _))| (*kind, row))
            .collect();
        let fold = |(row, (kind, occurrence)): (u32, &(u32, u32))| {
            let second = second.get(kind).filter(|_| *occurrence >= 2);
            match second.copied().zip(many(kind)) {
                Some(folded) => folded,
                None => (row, *occurrence),
            }
        };
        (0..).zip(keys).map(fold).unzip()
    }

    /// Step times of each row, and the instance with the longest one; `steps_of` are the rows in which they are counted.
    fn steps(
        &self,
        previous: &[Option<u32>],
        steps_of: &[u32],
    ) -> (Vec<Option<Summary>>, Vec<(i64, u32)>) {
        let rows = previous.len();
        let batches = self
            .batches
            .par_iter()
            .map(|cells| batch_steps(cells, previous, steps_of));
        let (steps, longest): (Vec<Values>, Vec<Vec<(i64, u32)>>) = batches.unzip();
        let mut slowest: Vec<(i64, u32)> = vec![NO_INSTANCE_YET; rows];
        for of in longest {
            for (known, one) in slowest.iter_mut().zip(of) {
                if one.0 > known.0 {
                    *known = one;
                }
            }
        }
        (summaries(rows, &steps), slowest)
    }
}

/// Number of records of a template in an instance up to which each is a step of its own.
const MAX_APART: u32 = 4;

/// Initial value of the slowest instance.
const NO_INSTANCE_YET: (i64, u32) = (i64::MIN, 0);

/// Step times of each row in one batch, and the instance with the longest one.
fn batch_steps(
    cells: &[StepEvent],
    previous: &[Option<u32>],
    steps_of: &[u32],
) -> (Values, Vec<(i64, u32)>) {
    let rows = previous.len();
    let mut slowest: Vec<(i64, u32)> = vec![NO_INSTANCE_YET; rows];
    let mut here: Vec<(u32, i64)> = vec![(u32::MAX, 0); rows];
    let mut steps: Values = vec![Vec::new(); rows];
    for of_instance in cells.chunk_by(|a, b| a.instance == b.instance) {
        for cell in of_instance {
            here[cell.row as usize] = (cell.instance, cell.offset);
        }
        for cell in of_instance {
            let (previous, row) = (previous[cell.row as usize], steps_of[cell.row as usize]);
            let previous = previous.map(|row| here[row as usize]);
            let value = match previous {
                None => cell.offset,
                Some((of, offset)) if of == cell.instance => {
                    let step = cell.offset.saturating_sub(offset);
                    steps[row as usize].push(step);
                    step
                }
                Some(_) => continue,
            };
            let known = &mut slowest[row as usize];
            if value > known.0 {
                *known = (value, cell.instance);
            }
        }
    }
    (steps, slowest)
}

/// Previous step of each row: the last row before it with at least the same count.
fn previous_rows(order: &[u32], count: impl Fn(u32) -> u64) -> Vec<Option<u32>> {
    let mut out = vec![None; order.len()];
    // Counts on the stack descend: a row is dropped by a later row with a greater count.
    let mut open: Vec<u32> = Vec::new();
    for row in order {
        while open.last().is_some_and(|last| count(*last) < count(*row)) {
            open.pop();
        }
        out[*row as usize] = open.last().copied();
        open.push(*row);
    }
    out
}

/// Values by row of the latency table, ns.
type Values = Vec<Vec<i64>>;

/// Groups pairs of row and value.
fn by_row(rows: usize, all: impl Iterator<Item = (u32, i64)>) -> Values {
    let mut out = vec![Vec::new(); rows];
    all.for_each(|(row, value)| out[row as usize].push(value));
    out
}

/// Summary of the values of each row.
fn summaries(rows: usize, batches: &[Values]) -> Vec<Option<Summary>> {
    let rows = (0..rows).into_par_iter();
    let summary = rows.map(|row| {
        let values = batches.iter().map(|batch| batch[row].as_slice());
        Summary::from_values(&mut values.collect::<Vec<_>>().concat())
    });
    summary.collect()
}
