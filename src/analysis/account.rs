//! The account of the wait: the time of an instance cut into phases, each named by what it ran in or waited for.
//!
//! ```text
//! runs         one of its parts runs: a try of the task
//! depends      something that it waits for has not ended
//! no carrier   the block, the manager or the worker that will run it has not started
//! busy         its worker runs others
//! state        none of these: the state it is in
//! ```
//! In this order: the first that fits names the phase.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::base::cancel::Cancel;
use crate::base::ids::KeyId;
use crate::base::time::NO_TIME;
use crate::store::Snapshot;

use super::Instances;
use super::carriers::{Carriers, carriers_of};
use super::columns::times;
use super::entity::{End, Entity, IdIndex, Instance, scan_all};
use super::scope::Scope;
use super::states::Recorder;
use super::steps::{Steps, changes};
use super::summary::Summary;

/// Why time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// One of its parts runs.
    Runs,
    /// Something that it waits for has not ended.
    Depends,
    /// What will run it has not started.
    NoCarrier,
    /// What will run it runs others.
    Busy,
    /// Nothing but its state is known.
    State,
}

impl Why {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Why::Runs => "runs",
            Why::Depends => "depends",
            Why::NoCarrier => "no_carrier",
            Why::Busy => "busy",
            Why::State => "state",
        }
    }
}

/// A stretch of an instance's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Start, UTC ns.
    pub start: i64,
    /// End, UTC ns.
    pub end: i64,
    /// Why it passes.
    pub why: Why,
    /// In words, the same for all instances: `try runs`, `waits for a task`, `block not started (PENDING)`, `launched`.
    pub what: String,
    /// The thing that it runs in or waits for: entity and id; empty without one.
    pub of: String,
}

/// A phase summed over instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// Why the time passes.
    pub why: Why,
    /// In words.
    pub what: String,
    /// Instances that have it.
    pub instances: u64,
    /// Over these, ns.
    pub each: Summary,
    /// Its part of the time of all instances, 0 to 1.
    pub share: f64,
}

/// What an account needs to know beside the instances themselves.
#[derive(Debug)]
pub struct Surroundings {
    /// By instance the spans of its parts, by start: start, end, index into `parts`, and which.
    of: Vec<Vec<Part>>,
    parts: Vec<Instances>,
    /// From the outside in.
    carriers: Vec<Carriers>,
    /// By kind and carrier, its states.
    states: Vec<Vec<Vec<(i64, u16)>>>,
    /// Of the innermost carriers: when something runs in them.
    busy: FxHashMap<usize, Busy>,
    index: IdIndex,
    ends: Vec<Option<i64>>,
    data_end: i64,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    start: i64,
    end: i64,
    kind: usize,
    at: usize,
}

impl Surroundings {
    /// For the instances of an entity. `None` when cancelled.
    pub fn new(
        snapshot: &Snapshot,
        instances: &Instances,
        entities: &[Arc<Entity>],
        cancel: &Cancel,
    ) -> Option<Surroundings> {
        // Carriers and parts are looked for in one pass.
        let mut wanted: Vec<Arc<Entity>> = carriers_of(&instances.entity, entities)
            .into_iter()
            .cloned()
            .collect();
        let first_part = wanted.len();
        let parts = entities.iter().filter(|e| is_part(e, &instances.entity));
        wanted.extend(parts.cloned());
        let mut found = scan_all(snapshot, &wanted, cancel)?;
        let parts = found.split_off(first_part);
        let all_times = times(snapshot);
        let mut carriers = Vec::new();
        for found in found.into_iter().filter(|f| !f.list.is_empty()) {
            let found = Carriers::of_instances(snapshot, found, &all_times, cancel)?;
            carriers.push(found);
        }
        let mut out = Surroundings {
            of: vec![Vec::new(); instances.list.len()],
            parts: Vec::new(),
            carriers,
            states: Vec::new(),
            busy: FxHashMap::default(),
            index: instances.index(),
            ends: Vec::new(),
            data_end: snapshot.range().map_or(0, |r| r.1),
        };
        for carriers in &out.carriers {
            let found = &carriers.instances;
            let states = found.list.iter().map(|i| timed_states(found, i));
            out.states.push(states.collect());
        }
        let end = |i: &Instance| instances.standing(snapshot, i).end.time();
        out.ends = instances.list.iter().map(end).collect();
        let mut keys: FxHashMap<u8, Vec<KeyId>> = FxHashMap::default();
        for instance in &instances.list {
            let known = keys.entry(instance.alternative);
            known.or_insert_with(|| instances.id_keys(instance).to_vec());
        }
        for found in parts {
            out.add_parts(snapshot, found, &keys);
        }
        out.of
            .iter_mut()
            .for_each(|p| p.sort_by_key(|p| (p.start, p.end)));
        Some(out)
    }

    fn add_parts(
        &mut self,
        snapshot: &Snapshot,
        found: Instances,
        keys: &FxHashMap<u8, Vec<KeyId>>,
    ) {
        let kind = self.parts.len();
        let mut running: FxHashMap<usize, Vec<(i64, Option<i64>)>> = FxHashMap::default();
        for (at, instance) in found.list.iter().enumerate() {
            let standing = found.standing(snapshot, instance);
            let Some(start) = standing.start else {
                continue;
            };
            let end = standing.end.time().unwrap_or(self.data_end);
            if let Some(inner) = self.carriers.last()
                && let Some(carrier) = inner.of(&found, instance)
            {
                running.entry(carrier).or_default().push((start, Some(end)));
            }
            let own = found.id_keys(instance);
            let owner = keys.iter().find_map(|(alternative, keys)| {
                let place = |key| own.iter().position(|k| *k == key);
                let id: Option<Vec<u32>> = keys
                    .iter()
                    .map(|key| instance.id.get(place(*key)?).copied())
                    .collect();
                self.index.get(*alternative, &id?)
            });
            if let Some(parts) = owner.and_then(|owner| self.of.get_mut(owner)) {
                parts.push(Part {
                    start,
                    end,
                    kind,
                    at,
                });
            }
        }
        for (carrier, intervals) in running {
            let steps = Steps::of_changes(changes(intervals));
            self.busy
                .entry(carrier)
                .or_insert_with(|| Busy::new(&steps));
        }
        self.parts.push(found);
    }
}

fn timed_states(found: &Instances, instance: &Instance) -> Vec<(i64, u16)> {
    let changes = Recorder::Usual.changes(found, instance);
    let timed = changes.iter().filter(|c| c.time != NO_TIME);
    timed.map(|c| (c.time, c.state)).collect()
}

/// When something runs, for asking how much of a stretch.
#[derive(Debug)]
struct Busy {
    /// Time, whether something runs from there on, and for how long something ran before, ns.
    points: Vec<(i64, bool, i64)>,
}

impl Busy {
    fn new(steps: &Steps) -> Busy {
        let mut points: Vec<(i64, bool, i64)> = Vec::new();
        for (time, number) in &steps.points {
            let ran = points.last().map_or(0, |p| ran(p, *time));
            points.push((*time, *number > 0, ran));
        }
        Busy { points }
    }

    /// For how long something ran before a moment, ns.
    fn until(&self, time: i64) -> i64 {
        let after = self.points.partition_point(|p| p.0 <= time);
        let point = after.checked_sub(1).and_then(|at| self.points.get(at));
        point.map_or(0, |p| ran(p, time))
    }
}

fn ran((from, runs, before): &(i64, bool, i64), time: i64) -> i64 {
    match runs {
        true => before.saturating_add(time.saturating_sub(*from)),
        false => *before,
    }
}

/// Whether an entity's instances are parts of another's: their ids say more, and they start by a condition.
fn is_part(part: &Entity, whole: &Entity) -> bool {
    let says_more = |id: &Vec<String>| {
        let longer = |w: &Vec<String>| id.len() > w.len() && w.iter().all(|k| id.contains(k));
        whole.id.iter().any(longer)
    };
    part.start.is_some() && part.id.iter().any(says_more)
}

/// The phases of an instance, in time order, without gaps, from its first event to its end, or to the end of the data.
pub fn account(
    snapshot: &Snapshot,
    instances: &Instances,
    around: &Surroundings,
    at: usize,
) -> Vec<Phase> {
    let Some(instance) = instances.list.get(at) else {
        return Vec::new();
    };
    let standing = instances.standing(snapshot, instance);
    let Some(start) = standing.start.or(instance.range.map(|r| r.0)) else {
        return Vec::new();
    };
    let end = match standing.end {
        End::Open => around.data_end,
        End::Ended(t) | End::Lost(t) => t,
    };
    let one = One::new(snapshot, instances, around, at);
    let mut cuts = one.cuts();
    cuts.retain(|t| *t > start && *t < end);
    cuts.extend([start, end]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut out: Vec<Phase> = Vec::new();
    for pair in cuts.windows(2) {
        let phase = one.phase(pair[0], pair[1]);
        match out.last_mut() {
            Some(last) if last.what == phase.what && last.of == phase.of => last.end = phase.end,
            _ => out.push(phase),
        }
    }
    out
}

/// One instance and what is around it.
struct One<'a> {
    snapshot: &'a Snapshot,
    instances: &'a Instances,
    around: &'a Surroundings,
    parts: &'a [Part],
    states: Vec<(i64, u16)>,
    /// Instances that it waits for, and when they end.
    waits: Vec<(usize, i64)>,
    /// Carrier kind, carrier, its start.
    carriers: Vec<(usize, usize, i64)>,
}

impl<'a> One<'a> {
    fn new(
        snapshot: &'a Snapshot,
        instances: &'a Instances,
        around: &'a Surroundings,
        at: usize,
    ) -> One<'a> {
        let instance = &instances.list[at];
        let waits = instances.waits_for(&around.index, instance).into_iter();
        let end = |at: usize| around.ends.get(at).copied().flatten();
        let parts = around.of.get(at).map_or(&[][..], |p| p);
        let mut one = One {
            snapshot,
            instances,
            around,
            parts,
            states: timed_states(instances, instance),
            waits: waits
                .map(|w| (w, end(w).unwrap_or(around.data_end)))
                .collect(),
            carriers: Vec::new(),
        };
        // What the first of its parts ran in; else what its own events say.
        let first = parts.first();
        for (kind, carriers) in around.carriers.iter().enumerate() {
            let of = match first {
                Some(part) => {
                    let found = &around.parts[part.kind];
                    carriers.of(found, &found.list[part.at])
                }
                None => carriers.of(instances, instance),
            };
            if let Some(carrier) = of
                && let Some(life) = carriers.lives[carrier]
            {
                one.carriers.push((kind, carrier, life.start));
            }
        }
        one
    }

    /// Moments at which something may change.
    fn cuts(&self) -> Vec<i64> {
        let mut out: Vec<i64> = self.states.iter().map(|s| s.0).collect();
        out.extend(self.parts.iter().flat_map(|p| [p.start, p.end]));
        out.extend(self.waits.iter().map(|w| w.1));
        out.extend(self.carriers.iter().map(|c| c.2));
        for (kind, carrier, _) in &self.carriers {
            out.extend(self.carrier_states(*kind, *carrier).iter().map(|s| s.0));
        }
        out
    }

    /// When the innermost carrier runs something.
    fn worker(&self) -> Option<&Busy> {
        let inner = self.around.carriers.len().checked_sub(1)?;
        let (_, carrier, _) = self.carriers.iter().find(|c| c.0 == inner)?;
        self.around.busy.get(carrier)
    }

    fn carrier_states(&self, kind: usize, carrier: usize) -> &[(i64, u16)] {
        let states = self.around.states.get(kind).and_then(|s| s.get(carrier));
        states.map_or(&[], |s| s)
    }

    fn phase(&self, start: i64, end: i64) -> Phase {
        let phase = |why: Why, what: String, of: String| Phase {
            start,
            end,
            why,
            what,
            of,
        };
        let title = &self.instances.entity.title;
        if let Some(part) = self
            .parts
            .iter()
            .rev()
            .find(|p| p.start <= start && end <= p.end)
        {
            let found = &self.around.parts[part.kind];
            let what = format!("{} runs", found.entity.title);
            return phase(Why::Runs, what, self.name(found, part.at));
        }
        let before_parts = self.parts.first().is_none_or(|p| end <= p.start);
        let last = self
            .waits
            .iter()
            .filter(|w| w.1 > start)
            .max_by_key(|w| w.1);
        if let Some((other, _)) = last.filter(|_| before_parts) {
            let what = format!("waits for a {title}");
            return phase(Why::Depends, what, self.name(self.instances, *other));
        }
        let missing = self.carriers.iter().find(|c| c.2 > start);
        if let Some((kind, carrier, _)) = missing.filter(|_| before_parts) {
            let found = &self.around.carriers[*kind].instances;
            let states = self.carrier_states(*kind, *carrier);
            let state = states.iter().rev().find(|s| s.0 <= start);
            let state = state.and_then(|s| found.states.get(usize::from(s.1)));
            let state = state.map(|s| format!(" ({s})")).unwrap_or_default();
            let what = format!("{} not started{state}", found.entity.title);
            return phase(Why::NoCarrier, what, self.name(found, *carrier));
        }
        let next = self.parts.iter().any(|p| p.start >= end);
        // Whether it runs others for most of the stretch: to cut it at each of them would tell no more.
        let is_busy = |busy: &Busy| (busy.until(end) - busy.until(start)) * 2 > end - start;
        let is_busy = self.worker().is_some_and(is_busy);
        if next
            && is_busy
            && let Some((kind, carrier, _)) = self.carriers.last()
        {
            let found = &self.around.carriers[*kind].instances;
            let what = format!("{} busy", found.entity.title);
            return phase(Why::Busy, what, self.name(found, *carrier));
        }
        let state = self.states.iter().rev().find(|s| s.0 <= start);
        let state = state.and_then(|s| self.instances.states.get(usize::from(s.1)));
        let state = state.map_or("before its first state", |s| s);
        let what = match (self.parts.last(), next) {
            (Some(last), false) => {
                let part = &self.around.parts[last.kind].entity.title;
                format!("{state}, after its last {part}")
            }
            _ => state.to_owned(),
        };
        phase(Why::State, what, String::new())
    }

    fn name(&self, found: &Instances, at: usize) -> String {
        let Some(instance) = found.list.get(at) else {
            return String::new();
        };
        let number = found.number(self.snapshot, instance);
        format!("{} {number}", found.entity.title)
    }
}

/// The phases of all instances in scope, summed; what takes longest first. `None` when cancelled.
pub fn sum(
    snapshot: &Snapshot,
    instances: &Instances,
    around: &Surroundings,
    scope: &Scope,
    cancel: &Cancel,
) -> Option<Vec<Sum>> {
    let mut of: FxHashMap<(Why, String), Vec<i64>> = FxHashMap::default();
    let kept = scope.instances(instances);
    let mut total = 0.0;
    for at in (0..instances.list.len()).filter(|at| kept[*at]) {
        if cancel.is_cancelled() {
            return None;
        }
        let mut own: FxHashMap<(Why, String), i64> = FxHashMap::default();
        for phase in account(snapshot, instances, around, at) {
            let start = scope
                .window
                .since
                .map_or(phase.start, |s| s.max(phase.start));
            let end = scope.window.until.map_or(phase.end, |u| u.min(phase.end));
            if end > start {
                *own.entry((phase.why, phase.what)).or_default() += end - start;
            }
        }
        for (key, time) in own {
            total += time as f64;
            of.entry(key).or_default().push(time);
        }
    }
    let sums = of.into_iter().filter_map(|((why, what), mut times)| {
        let each = Summary::of(&mut times)?;
        Some(Sum {
            why,
            what,
            instances: each.count,
            each,
            share: each.total / total,
        })
    });
    let mut out: Vec<Sum> = sums.collect();
    out.sort_by(|a, b| {
        b.share
            .total_cmp(&a.share)
            .then_with(|| a.what.cmp(&b.what))
    });
    Some(out)
}
