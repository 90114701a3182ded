//! Runs of the data: instances of entities that own work items, and the sources that belong to each.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entity::{AllInstances, Id, Instance, Instances};
use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_definition::semantics::EntityRole;
use widetui_query as query;
use widetui_store::{Snapshot, Source};
use widetui_time::time::NO_TIME;

mod partial_replicas;
mod run_ends;
mod strays;

pub use partial_replicas::partial_replicas;
pub use run_ends::RunEnds;
pub use strays::{SourceEnds, StrayRecords};

/// Run: an instance of an entity that owns work items (its id is part of theirs).
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Dotted name of the entity.
    pub entity: String,
    /// Title of the entity, singular: `run`.
    pub title: String,
    /// Keys and values of the id.
    pub id: Id,
    /// Label of the run, if it has one.
    pub label: Option<String>,
    /// Times of its first and last event, UTC ns.
    pub range: Option<(i64, i64)>,
    /// Event of a clean shutdown.
    pub end_event: Option<EventId>,
    /// Whether an event of a clean shutdown exists whose run is unknown and may be this one.
    pub may_have_ended: bool,
    /// Event of a shutdown that was not clean.
    pub abnormal_end: Option<EventId>,
    /// Whether its definition has an `end` condition.
    pub has_end: bool,
    /// Main source of the run, written by its own process, and the last event of that source.
    pub main_source: Option<(SourceId, EventId)>,
    /// Number of its work items, and of those unfinished.
    pub work_items: (usize, usize),
    /// Time at which its last work item ended, UTC ns.
    pub last_end: Option<i64>,
    /// Number of unfinished work items that were executed after the end of their owner's log.
    pub executed_after_log: usize,
    /// Longest gap between two records of its main source, ns; only for runs that did not end.
    pub longest_gap: Option<i64>,
}

/// Runs by the values of their ids, for ids with the same keys.
type ById = FxHashMap<Vec<Code>, usize>;

/// Runs, with indices to find the run of an instance, event or source.
#[derive(Debug)]
pub struct Runs {
    /// Runs in time order.
    pub list: Vec<Run>,
    /// Index into `list` by source.
    pub of_source: Vec<Option<usize>>,
    /// Ends of the sources.
    pub ends: SourceEnds,
    by_id: Vec<(Vec<KeyId>, ById)>,
    /// Runs by label; `None` if several have the same.
    by_label_value: FxHashMap<(KeyId, Code), Option<usize>>,
}

impl Run {
    /// Title and name of the run: `run 000`.
    pub fn name(&self) -> String {
        format!("{} {}", self.title, self.short_name())
    }

    /// Label of the run, or the last value of its id: `000`.
    pub fn short_name(&self) -> String {
        let name = self.label.clone();
        name.or(self.id.last().map(|p| p.1.clone()))
            .unwrap_or_default()
    }
}

impl Runs {
    /// Adds the instances of an owner of work items.
    fn add_owner(&mut self, snapshot: &Snapshot, owner: &Instances) {
        for instance in &owner.list {
            let keys = owner.id_keys(instance);
            let known = self.by_id.iter().position(|(k, _)| k == keys);
            let at = known.unwrap_or_else(|| {
                self.by_id.push((keys.to_vec(), FxHashMap::default()));
                self.by_id.len() - 1
            });
            self.by_id[at]
                .1
                .insert(instance.id.to_vec(), self.list.len());
            if let Some((key, code)) = instance
                .label
                .filter(|_| owner.entity.role == EntityRole::Run)
            {
                let dict = snapshot.catalog.keys.get(key).map(|k| &k.dict);
                let name = (key, dict.map_or(code, |dict| dict.canonical(code)));
                let several = self.by_label_value.contains_key(&name);
                let run = Some(self.list.len()).filter(|_| !several);
                self.by_label_value.insert(name, run);
            }
            self.list.push(Run {
                entity: owner.entity.name.clone(),
                title: owner.entity.title.clone(),
                id: owner.id(snapshot, instance),
                label: owner.label(snapshot, instance),
                range: instance.range,
                end_event: instance.end,
                may_have_ended: false,
                abnormal_end: instance.lost,
                has_end: owner.entity.end.is_some(),
                main_source: None,
                work_items: (0, 0),
                last_end: None,
                executed_after_log: 0,
                longest_gap: None,
            });
        }
    }

    /// Run of an instance of another entity, by id.
    pub fn run_of_instance(&self, instances: &Instances, instance: &Instance) -> Option<usize> {
        let keys = instances.id_keys(instance);
        let code = |key: &KeyId| {
            let at = keys.iter().position(|k| k == key)?;
            instance.id.get(at).copied()
        };
        self.by_id.iter().find_map(|(own, runs)| {
            let codes: Vec<Code> = own.iter().map(code).collect::<Option<_>>()?;
            runs.get(&codes).copied()
        })
    }

    /// Run that an event states.
    pub(crate) fn run_of_event(&self, snapshot: &Snapshot, event: EventId) -> Option<usize> {
        let event = snapshot.event(event)?;
        let mut values: FxHashMap<KeyId, Code> = FxHashMap::default();
        event.for_each_code(|key, codes, _| {
            if let [one] = codes {
                let view = snapshot.catalog.keys.get(key);
                let code = view.map_or(*one, |k| k.dict.canonical(*one));
                values.entry(key).or_insert(code);
            }
        });
        self.by_id.iter().find_map(|(keys, runs)| {
            let codes: Option<Vec<Code>> = keys.iter().map(|k| values.get(k).copied()).collect();
            runs.get(&codes?).copied()
        })
    }

    /// The only run whose label equals a value in an instance's id, as for runs named by their
    /// folder.
    pub(crate) fn by_label(
        &self,
        snapshot: &Snapshot,
        instances: &Instances,
        instance: &Instance,
    ) -> Option<usize> {
        let mut parts = instances.id_keys(instance).iter().zip(instance.id.iter());
        parts.find_map(|(key, code)| {
            let dict = &snapshot.catalog.keys.get(*key)?.dict;
            *self.by_label_value.get(&(*key, dict.canonical(*code)))?
        })
    }
}

/// Whether an entity owns work items: its id is part of theirs.
fn owns(owner: &Instances, work_item: &Instances) -> bool {
    owner.entity.id.iter().any(|own| {
        let is_part = |of: &Vec<String>| own.len() < of.len() && own.iter().all(|k| of.contains(k));
        work_item.entity.id.iter().any(is_part)
    })
}

/// Creates the runs of some owners of work items, and assigns sources to them.
pub(crate) fn runs_of_owners<'o>(
    snapshot: &Snapshot,
    owners: impl Iterator<Item = &'o Instances>,
) -> Runs {
    let last = last_events(snapshot);
    let of_source = vec![None; snapshot.sources.len()];
    let mut out = Runs {
        list: Vec::new(),
        ends: SourceEnds::new(snapshot, &of_source, &last),
        of_source,
        by_id: Vec::new(),
        by_label_value: FxHashMap::default(),
    };
    owners.for_each(|owner| out.add_owner(snapshot, owner));
    if out.list.is_empty() {
        return out;
    }
    for (at, samples) in sample_events(snapshot).into_iter().enumerate() {
        let mut samples = samples.into_iter();
        let by_path = snapshot
            .sources
            .get(at)
            .and_then(|s| run_of_path(snapshot, &out, s));
        let by_records = || samples.find_map(|event| out.run_of_event(snapshot, event));
        out.of_source[at] = by_path.or_else(by_records);
    }
    out.ends = SourceEnds::new(snapshot, &out.of_source, &last);
    // Stray records do not extend a run.
    for (source, limit) in out.of_source.iter().zip(&out.ends.limits) {
        let run = source.and_then(|run| out.list.get_mut(run));
        if let Some(range) = run.and_then(|run| run.range.as_mut()) {
            range.1 = range.1.min((*limit).max(range.0));
        }
    }
    out
}

/// Finds the runs that own work items, and their main sources.
pub fn find_runs(snapshot: &Snapshot, found: &AllInstances) -> Runs {
    let mut owners: Vec<&Instances> = Vec::new();
    let mut taken: FxHashSet<&str> = FxHashSet::default();
    let mut reporters: FxHashSet<&str> = FxHashSet::default();
    for work_item in found.work_items() {
        reporters.extend(work_item.entity.reporters.iter().map(String::as_str));
        // If a run is part of its id, resources that are another part are not runs.
        let is_run = |owner: &Instances| owner.entity.role == EntityRole::Run;
        let in_runs = found
            .occurring
            .iter()
            .any(|o| is_run(o) && owns(o, work_item));
        let all = found.occurring.iter().filter(|o| owns(o, work_item));
        for owner in all.filter(|o| is_run(o) || !in_runs) {
            if !owner.entity.is_work_item() && taken.insert(&owner.entity.name) {
                owners.push(owner);
            }
        }
    }
    // Without any work item: entities with the role of a run, and their reporters.
    if found.work_items().next().is_none() {
        let is_run = |o: &&Instances| o.entity.role == EntityRole::Run && o.entity.end.is_some();
        for owner in found.occurring.iter().filter(is_run) {
            reporters.extend(owner.entity.reporters.iter().map(String::as_str));
            owners.push(owner);
        }
    }
    let mut out = runs_of_owners(snapshot, owners.into_iter());
    if out.list.is_empty() {
        return out;
    }
    let parts = partial_replicas(snapshot, &out.of_source, &out.ends);
    for (at, source) in snapshot.sources.iter().enumerate() {
        let Some(run) = out.of_source[at] else {
            continue;
        };
        let Some((last, _)) = out.ends.last.get(at).copied().flatten() else {
            continue;
        };
        let run = &mut out.list[run];
        // Prefer the source nearest to the top of the run's folder, then by name, independent of
        // the order of discovery.
        let place = |path: &'_ str| path.split('/').count();
        let is_first = |known: SourceId| {
            let known = snapshot.source(known).map(|s| s.path.as_str());
            let (own, path) = (place(&source.path), source.path.as_str());
            known.is_none_or(|known| (own, path) < (place(known), known))
        };
        if reporters.contains(source.kind.as_str())
            && !parts[at]
            && run.main_source.is_none_or(|(known, _)| is_first(known))
        {
            run.main_source = Some((source.id, last));
        }
    }
    mark_uncertain_ends(snapshot, found, &mut out);
    for run in out.list.iter_mut().filter(|r| r.end_event.is_none()) {
        let own = run.main_source.map(|(own, _)| own);
        run.longest_gap = own.and_then(|own| longest_gap(snapshot, own));
    }
    out
}

/// Marks runs that may have ended by a record whose run is unknown: those with such a record in
/// their logs.
fn mark_uncertain_ends(snapshot: &Snapshot, found: &AllInstances, runs: &mut Runs) {
    if snapshot.duplicates.is_empty() {
        return;
    }
    let owners = found.occurring.iter().map(|owner| &owner.entity);
    let owners = owners.filter(|entity| entity.role == EntityRole::Run);
    for end in owners.filter_map(|entity| entity.end.as_ref()) {
        let Some(ends) = query::select(snapshot, end, &Cancel::default()) else {
            continue;
        };
        let is_unassigned = |id: &EventId| runs.run_of_event(snapshot, *id).is_none();
        let unsure: Vec<EventId> = ends.ids().filter(is_unassigned).collect();
        for id in unsure.iter().flat_map(|id| snapshot.duplicates.group(id.0)) {
            let source = snapshot.event(EventId(id)).map(|e| e.source().id.index());
            let run = source.and_then(|at| runs.of_source[at]);
            if let Some(run) = run.and_then(|run| runs.list.get_mut(run)) {
                run.may_have_ended = true;
            }
        }
    }
}

/// Run in whose folder a source lies; only with duplicate records, since then records of a source
/// may belong to other runs.
fn run_of_path(snapshot: &Snapshot, runs: &Runs, source: &Source) -> Option<usize> {
    if snapshot.duplicates.is_empty() {
        return None;
    }
    source.consts.iter().find_map(|(key, code)| {
        let dict = &snapshot.catalog.keys.get(*key)?.dict;
        *runs.by_label_value.get(&(*key, dict.canonical(*code)))?
    })
}

/// Longest gap between two records of a source, ns; `None` with fewer than two.
fn longest_gap(snapshot: &Snapshot, own: SourceId) -> Option<i64> {
    let source = snapshot.source(own)?;
    let mut parts = Vec::new();
    for segment in snapshot.segments.iter() {
        let of = segment.parts.iter().filter(|p| p.source == own);
        parts.extend(of.map(|part| (part.seq, segment, part)));
    }
    parts.sort_by_key(|(seq, ..)| *seq);
    let mut last: Option<i64> = None;
    let mut longest: Option<i64> = None;
    for (_, segment, part) in parts {
        for row in part.first_row..part.first_row + part.rows {
            let time = segment.utc(source, row as usize);
            if time == NO_TIME {
                continue;
            }
            let gap = last.map(|last| time.saturating_sub(last));
            longest = longest.max(gap);
            last = last.max(Some(time));
        }
    }
    longest
}

/// Number of records from which a source has additional samples.
const MANY_RECORDS: u32 = 20_000;

/// Samples of each source: events at its begin, middle and end, independent of how it was split
/// when it was read.
fn sample_events(snapshot: &Snapshot) -> Vec<Vec<EventId>> {
    let mut parts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); snapshot.sources.len()];
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in segment.parts.iter().filter(|p| p.rows > 0) {
            if let Some(parts) = parts.get_mut(part.source.index()) {
                parts.push((base + part.first_row, part.rows));
            }
        }
    }
    parts.iter().map(|parts| sample_source(parts)).collect()
}

/// Samples of one source, given the first event and the number of events of each of its parts.
fn sample_source(parts: &[(u32, u32)]) -> Vec<EventId> {
    let count: u32 = parts.iter().map(|p| p.1).sum();
    let Some(last) = count.checked_sub(1) else {
        return Vec::new();
    };
    let mut places = vec![0, last.min(1), last / 2, last];
    if count > MANY_RECORDS {
        places.extend((1..8).map(|eighth| last / 8 * eighth));
    }
    let event = |mut place: u32| {
        for (first, rows) in parts {
            if place < *rows {
                return Some(EventId(first + place));
            }
            place -= rows;
        }
        None
    };
    places.into_iter().filter_map(event).collect()
}

/// Last record of each source in file order.
pub fn last_events(snapshot: &Snapshot) -> Vec<Option<EventId>> {
    let mut out: Vec<Option<(u32, EventId)>> = vec![None; snapshot.sources.len()];
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in segment.parts.iter().filter(|p| p.rows > 0) {
            let event = EventId(base + part.first_row + part.rows - 1);
            if let Some(slot) = out.get_mut(part.source.index())
                && slot.is_none_or(|(seq, _)| seq <= part.seq)
            {
                *slot = Some((part.seq, event));
            }
        }
    }
    out.into_iter().map(|e| e.map(|e| e.1)).collect()
}
