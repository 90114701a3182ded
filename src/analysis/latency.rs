//! When things happen in the life of an instance: for each step (the n-th record of a template) how long after the
//! instance's first event it comes, and how long after the step before it, over all instances.
//!
//! ```text
//! events of each instance ──> row of each event, offset ──> rows by mean offset ──> step from the row before
//! ```

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::time::NO_TIME;
use crate::store::{Nature, Snapshot};

use super::Instances;
use super::columns::{By, Labels, times_of};
use super::scope::{AnalysisScope, Tables};
use super::summary::Summary;

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

/// What of an event counts: where it stands, its row, and its offset.
#[derive(Clone, Copy)]
struct Cell {
    instance: u32,
    row: u32,
    offset: i64,
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
    let mut rows = Rows::default();
    let mut out = Latency::default();
    let mut cells: Vec<Cell> = Vec::new();
    // Of each kind: the instance that was here last, and how often it was.
    let mut seen: Vec<(u32, u32)> = vec![(u32::MAX, 0); kinds.len()];
    for (at, instance) in instances.list.iter().enumerate() {
        if at % 1024 == 0 && cancel.is_cancelled() {
            return None;
        }
        if !kept[at] {
            continue;
        }
        let mut first: Option<i64> = None;
        let mut counts = false;
        for event in instances.events(instance) {
            let time = times.get(*event as usize).copied().unwrap_or(NO_TIME);
            if time == NO_TIME {
                continue;
            }
            let first = *first.get_or_insert(time);
            let kind = kinds.of[*event as usize];
            let known = &mut seen[kind as usize];
            if known.0 != at as u32 {
                *known = (at as u32, 0);
            }
            known.1 += 1;
            if !scope.window.contains(time) {
                continue;
            }
            counts = true;
            if known.1 > MOST {
                out.left_out += 1;
                continue;
            }
            cells.push(Cell {
                instance: at as u32,
                row: rows.number(kind, known.1),
                offset: time.saturating_sub(first),
            });
        }
        out.instances += u64::from(counts);
    }
    rows.finish(snapshot, &kinds, &cells, cancel, &mut out)?;
    Some(out)
}

/// Template and split values of every event as one number.
struct Kinds {
    of: Vec<u32>,
    labels: Vec<Labels>,
    values: Vec<Box<[Code]>>,
}

impl Kinds {
    fn new(snapshot: &Snapshot, split: &[By], cancel: &Cancel) -> Option<Kinds> {
        let all = std::iter::once(&By::Template).chain(split);
        let mut labels: Vec<Labels> = all
            .map(|by| Labels::of(snapshot, by, cancel))
            .collect::<Option<_>>()?;
        // Templates alone are numbered already; none is without one.
        if let [templates] = &mut labels[..]
            && !templates.codes.contains(&NONE)
        {
            let of = std::mem::take(&mut templates.codes);
            let most = of.iter().max().map_or(0, |most| most + 1);
            let values = (0..most).map(|code| [code].into()).collect();
            return Some(Kinds { of, labels, values });
        }
        let mut known: FxHashMap<Box<[Code]>, u32> = FxHashMap::default();
        let mut values: Vec<Box<[Code]>> = Vec::new();
        let mut of = vec![0; snapshot.len()];
        let mut here: Vec<Code> = Vec::new();
        let mut last = 0u32;
        for (event, number) in of.iter_mut().enumerate() {
            here.clear();
            here.extend(labels.iter().map(|l| l.codes[event]));
            if values.get(last as usize).is_none_or(|v| **v != *here) {
                last = match known.get(&here[..]) {
                    Some(number) => *number,
                    None => {
                        values.push(here.clone().into());
                        known.insert(here.clone().into(), values.len() as u32 - 1);
                        values.len() as u32 - 1
                    }
                };
            }
            *number = last;
        }
        labels.iter_mut().for_each(|l| l.codes = Vec::new());
        Some(Kinds { of, labels, values })
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn names(&self, snapshot: &Snapshot, kind: u32) -> (String, Vec<String>) {
        let codes = self.values.get(kind as usize);
        let code = |at: usize| codes.and_then(|c| c.get(at)).copied().unwrap_or(NONE);
        let labels = self.labels.iter().enumerate();
        let mut texts: Vec<String> = labels.map(|(at, l)| l.text(snapshot, code(at))).collect();
        let template = texts.drain(..1).next().unwrap_or_default();
        (template, texts)
    }
}

/// Rows as they are met.
#[derive(Default)]
struct Rows {
    of: Vec<Vec<u32>>,
    keys: Vec<(u32, u32)>,
}

impl Rows {
    /// The row of the n-th (from 1) event of a kind. Those before it were asked for first, or lie before the window.
    fn number(&mut self, kind: u32, n: u32) -> u32 {
        let kind_at = kind as usize;
        if self.of.len() <= kind_at {
            self.of.resize(kind_at + 1, Vec::new());
        }
        let known = &mut self.of[kind_at];
        let at = n as usize - 1;
        if known.len() <= at {
            known.resize(at + 1, u32::MAX);
        }
        if known[at] == u32::MAX {
            known[at] = self.keys.len() as u32;
            self.keys.push((kind, n));
        }
        known[at]
    }

    fn finish(
        &self,
        snapshot: &Snapshot,
        kinds: &Kinds,
        cells: &[Cell],
        cancel: &Cancel,
        out: &mut Latency,
    ) -> Option<()> {
        let all = cells.iter().map(|c| (c.row, c.offset));
        let mut offsets = Buckets::new(self.keys.len(), cells, all);
        let offset = offsets.summaries();
        if cancel.is_cancelled() {
            return None;
        }
        // In the order of mean offsets; those of one moment in the order in which they were met.
        let mean = |row: &u32| offset[*row as usize].map_or(f64::MAX, |s| s.mean);
        let mut order: Vec<u32> = (0..self.keys.len() as u32).collect();
        order.sort_by(|a, b| mean(a).total_cmp(&mean(b)).then(a.cmp(b)));
        let count = |row: u32| offset[row as usize].map_or(0, |s| s.count);
        let before = previous(&order, count);
        let (steps, slowest) = self.steps(cells, &before);
        let mut place = vec![0usize; self.keys.len()];
        for (at, row) in order.iter().enumerate() {
            place[*row as usize] = at;
        }
        for row in &order {
            let at = *row as usize;
            let (Some(offset), (kind, occurrence)) = (offset[at], self.keys[at]) else {
                continue;
            };
            let (template, split) = kinds.names(snapshot, kind);
            out.rows.push(StepLatency {
                template,
                split,
                occurrence,
                instances: offset.count,
                share: offset.count as f64 / out.instances.max(1) as f64,
                offset,
                step: steps[at],
                previous: before[at].map(|b| place[b as usize]),
                slowest: slowest[at].1 as usize,
            });
        }
        Some(())
    }

    /// Of each row its steps, and the instance with the longest.
    fn steps(
        &self,
        cells: &[Cell],
        before: &[Option<u32>],
    ) -> (Vec<Option<Summary>>, Vec<(i64, u32)>) {
        let mut slowest: Vec<(i64, u32)> = vec![(i64::MIN, 0); self.keys.len()];
        let mut here: Vec<(u32, i64)> = vec![(u32::MAX, 0); self.keys.len()];
        let mut found: Vec<(u32, i64)> = Vec::with_capacity(cells.len());
        for of_instance in cells.chunk_by(|a, b| a.instance == b.instance) {
            for cell in of_instance {
                here[cell.row as usize] = (cell.instance, cell.offset);
            }
            for cell in of_instance {
                let previous = before[cell.row as usize];
                let previous = previous.map(|row| here[row as usize]);
                let value = match previous {
                    None => cell.offset,
                    Some((of, offset)) if of == cell.instance => {
                        let step = cell.offset.saturating_sub(offset);
                        found.push((cell.row, step));
                        step
                    }
                    Some(_) => continue,
                };
                let known = &mut slowest[cell.row as usize];
                if value > known.0 {
                    *known = (value, cell.instance);
                }
            }
        }
        let mut buckets = Buckets::new(self.keys.len(), &found, found.iter().copied());
        (buckets.summaries(), slowest)
    }
}

/// For each row the last one before it whose count is not smaller.
fn previous(order: &[u32], count: impl Fn(u32) -> u64) -> Vec<Option<u32>> {
    let mut out = vec![None; order.len()];
    // Counts descend: a row that is rarer than a later one is never asked for again.
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

/// Values by row, in one piece of memory.
struct Buckets {
    ends: Vec<usize>,
    values: Vec<i64>,
}

impl Buckets {
    /// `all` gives row and value of each of the `items`, in any order.
    fn new<T>(rows: usize, items: &[T], all: impl Iterator<Item = (u32, i64)> + Clone) -> Buckets {
        let mut next = vec![0usize; rows];
        for (row, _) in all.clone() {
            next[row as usize] += 1;
        }
        let mut sum = 0;
        for n in &mut next {
            (sum, *n) = (sum + *n, sum);
        }
        let mut values = vec![0i64; items.len()];
        for (row, value) in all {
            let at = &mut next[row as usize];
            values[*at] = value;
            *at += 1;
        }
        Buckets { ends: next, values }
    }

    fn summaries(&mut self) -> Vec<Option<Summary>> {
        let mut rest = &mut self.values[..];
        let mut slices = Vec::with_capacity(self.ends.len());
        let mut from = 0;
        for end in &self.ends {
            let (slice, after) = rest.split_at_mut(end - from);
            slices.push(slice);
            (rest, from) = (after, *end);
        }
        slices.into_par_iter().map(Summary::of).collect()
    }
}
