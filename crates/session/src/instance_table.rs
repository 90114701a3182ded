//! Tables of entities, of the instances of an entity, and of the records of an instance.

use std::sync::Arc;

use rayon::prelude::*;

use widetui_analysis::Instances;
use widetui_analysis::entity::{Entity, Instance, Standing};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::summary::Summary;
use widetui_analysis::trace::{TraceStep, trace as steps};
use widetui_core::cancel::Cancel;
use widetui_definition::semantics::EntityRole;
use widetui_join::{Join, Report};
use widetui_query::{self as query, Expr, Field, Op, Selection};
use widetui_report::event::full_event;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use super::instances::{InstanceCache, InstanceHandle, InstancePosition, SnapshotInstances};

/// Table of entities.
#[derive(Clone, Debug)]
pub struct EntityTable {
    /// Entities that occur, work items first, then in the order of the definitions.
    pub rows: Vec<EntityRow>,
    /// Whether only selected records were examined.
    pub is_part: bool,
}

/// One entity.
#[derive(Clone, Debug)]
pub struct EntityRow {
    /// The entity.
    pub entity: Arc<Entity>,
    /// Keys that identify an instance here.
    pub id: Vec<String>,
    /// Number of instances.
    pub instances: usize,
    /// Number of unfinished instances; `None` if no end is defined, or work items have the results.
    pub open: Option<usize>,
    /// Number of failed instances; `None` if work items have the results.
    pub failed: Option<usize>,
    /// Number of instances in each state at the end.
    pub states: Vec<(String, usize)>,
    /// Names of the first failed instances.
    pub first_failed: Vec<String>,
    /// Names of the first unfinished instances.
    pub first_open: Vec<String>,
    /// Names and durations (ns) of the slowest instances.
    pub slowest: Vec<(String, i64)>,
    /// Titles of the entities that it is part of or runs on, the outermost first.
    pub within: Vec<String>,
    /// Median duration of those that ended, ns.
    pub median: Option<f64>,
    /// Number of records about the instances; a record about several counts for each.
    pub events: u64,
    /// Time range of these records, UTC ns.
    pub range: Option<(i64, i64)>,
    /// Number of records that name an instance which cannot be assigned to an owner.
    pub undecided: u64,
}

/// Table of the instances of an entity.
#[derive(Clone, Debug)]
pub struct InstanceTable {
    /// Registry in which the instances are looked up.
    pub instance_cache: InstanceCache,
    /// All instances of the snapshot.
    pub seen: Arc<SnapshotInstances>,
    /// Index of the entity in `SnapshotInstances::found`; `None` if it has no instances.
    pub entity: Option<usize>,
    /// Rows: failed instances first, then unfinished ones, then in the order of their first records.
    pub rows: Vec<InstanceRow>,
    /// Whether only selected records were examined.
    pub is_part: bool,
}

/// One instance.
#[derive(Clone, Copy, Debug)]
pub struct InstanceRow {
    /// Position of the instance.
    pub at: InstancePosition,
    /// Outcome and state.
    pub standing: Standing,
    /// Whether it began and has not ended, for an entity that can end.
    pub is_open: bool,
    /// True if it failed.
    pub has_failed: bool,
    /// End of its run, UTC ns, if it is unfinished.
    pub over: Option<i64>,
    /// Number of examined records about it.
    pub events: u64,
    /// Number of errors among these.
    pub errors: u64,
}

/// Table of the records of an instance.
#[derive(Clone, Debug)]
pub struct TraceTable {
    /// The instance.
    pub instance: InstanceHandle,
    /// All instances of the snapshot.
    pub seen: Arc<SnapshotInstances>,
    /// Position of the instance; `None` if the snapshot lacks it.
    pub at: Option<InstancePosition>,
    /// Outcome and state.
    pub standing: Option<Standing>,
    /// End of its run, UTC ns.
    pub over: Option<i64>,
    /// Records, each with the first line of its message.
    pub steps: Vec<(TraceStep, String)>,
}

/// Table of joins, whose data needs no computation.
#[derive(Clone, Debug, Default)]
pub struct JoinsTable {
    /// All joins with their switches.
    pub joins: Arc<[(Join, JoinSwitch)]>,
    /// Report of each join.
    pub reports: Arc<[Report]>,
    /// Name of the join whose conflicts are shown.
    pub conflicts_of: Option<String>,
}

impl PartialEq for JoinsTable {
    fn eq(&self, other: &JoinsTable) -> bool {
        Arc::ptr_eq(&self.joins, &other.joins) && Arc::ptr_eq(&self.reports, &other.reports)
    }
}

impl Eq for JoinsTable {}

/// Status and origin of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinSwitch {
    /// Whether it is switched on.
    pub is_on: bool,
    /// Origin.
    pub from: JoinFrom,
}

/// Origin of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinFrom {
    /// A definition.
    System,
    /// The user.
    Own,
    /// A suggestion from the data.
    Suggested,
}

/// Maximum number of records of an instance whose messages are read for a table.
const MESSAGES: usize = 5000;

/// Summary of an instance's selected records.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    /// Number of records.
    count: u64,
    /// Time range of the records, UTC ns.
    range: Option<(i64, i64)>,
}

/// Summarises the selected records of each instance.
fn own(snapshot: &Snapshot, instances: &Instances, chosen: Option<&Selection>) -> Vec<Own> {
    let Some(chosen) = chosen else {
        let all = |one: &Instance| Own {
            count: instances.event_count(one) as u64,
            range: one.range,
        };
        return instances.list.iter().map(all).collect();
    };
    let mut out = vec![Own::default(); instances.list.len()];
    instances.for_each_event(|event, at| {
        if !chosen.contains(event) {
            return;
        }
        let own = &mut out[at];
        own.count += 1;
        if let Some(time) = snapshot.event(event).and_then(|e| e.time()) {
            let (first, last) = own.range.unwrap_or((time, time));
            own.range = Some((first.min(time), last.max(time)));
        }
    });
    out
}

/// Mask of the instances of an entity, in the order of their list.
pub type InstanceMask<'a> = &'a dyn Fn(&Instances) -> Vec<bool>;

/// Returns the entities with instances in scope, work items first, then in the order of the definitions. `in_scope` gives
/// a mask of the instances of an entity; without it those with a selected record are in scope. `None` if cancelled.
pub fn entities(
    snapshot: &Snapshot,
    instance_cache: &InstanceCache,
    chosen: Option<&Selection>,
    in_scope: Option<InstanceMask<'_>>,
    cancel: &Cancel,
) -> Option<EntityTable> {
    let seen = instance_cache.instances(snapshot, cancel)?;
    let mut rows = Vec::new();
    for instances in &seen.found.occurring {
        if cancel.is_cancelled() {
            return None;
        }
        let entity = &instances.entity;
        let occurs = |key: &str| snapshot.catalog.keys.find(key).is_some();
        // The result of an execution is known of the work item that it stands for.
        let has_result = entity.role != EntityRole::StandIn;
        // Work is unfinished, not the run that it belongs to: its log may end without a record of its end.
        let can_be_open = entity.can_end() && has_result && entity.role != EntityRole::Run;
        let mut row = EntityRow {
            entity: entity.clone(),
            id: entity.identifying_keys(occurs).to_vec(),
            instances: 0,
            open: can_be_open.then_some(0),
            failed: has_result.then_some(0),
            states: Vec::new(),
            first_failed: Vec::new(),
            first_open: Vec::new(),
            slowest: Vec::new(),
            within: Vec::new(),
            median: None,
            events: 0,
            range: None,
            undecided: instances.undecided_events,
        };
        let mut durations = Vec::new();
        let own = own(snapshot, instances, chosen);
        let in_scope = match in_scope {
            Some(in_scope) => in_scope(instances),
            None => own.iter().map(|own| own.count > 0).collect(),
        };
        // A record of several instances counts once.
        let mut counted = None;
        instances.for_each_event(|event, at| {
            let is_counted = in_scope[at] && chosen.is_none_or(|chosen| chosen.contains(event));
            if is_counted && counted.replace(event) != Some(event) {
                row.events += 1;
            }
        });
        let names = instances.distinguishing_parts();
        let name = |instance: &Instance| {
            let label = instances.label(snapshot, instance);
            let title = names.title(instances, snapshot, instance);
            // Names of tasks often begin with their label.
            let label = label.filter(|label| !title.starts_with(label));
            label.map_or_else(|| title.clone(), |label| format!("{title} {label}"))
        };
        let note = |list: &mut Vec<String>, instance: &Instance| {
            if list.len() < NAMED {
                list.push(name(instance));
            }
        };
        let mut states = vec![0; instances.states.len()];
        let mut slowest: Vec<(i64, &Instance)> = Vec::new();
        let listed = instances.list.iter().zip(&own).zip(in_scope);
        for ((instance, own), _) in listed.filter(|(_, is_in)| *is_in) {
            row.instances += 1;
            row.range = match (row.range, own.range) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            };
            let standing = instances.standing(snapshot, instance);
            let is_open = can_be_open && instances.is_open(instance, &standing);
            row.open = row.open.map(|n| n + usize::from(is_open));
            let has_failed = instances.has_failed(instance, &standing);
            row.failed = row.failed.map(|n| n + usize::from(has_failed));
            if has_failed {
                note(&mut row.first_failed, instance);
            } else if is_open {
                note(&mut row.first_open, instance);
            }
            if let Some(count) = standing.state.and_then(|s| states.get_mut(usize::from(s))) {
                *count += 1;
            }
            durations.extend(standing.duration());
            slowest.extend(standing.duration().map(|took| (took, instance)));
            if slowest.len() > 2 * NAMED {
                keep_slowest(&mut slowest);
            }
        }
        keep_slowest(&mut slowest);
        let named = slowest.into_iter().map(|(took, one)| (name(one), took));
        row.slowest = named.collect();
        let states = instances.states.iter().cloned().zip(states);
        row.states = states.filter(|(_, count)| *count > 0).collect();
        row.median = Summary::from_values(&mut durations).map(|summary| summary.p50);
        if row.instances > 0 {
            rows.push(row);
        }
    }
    rows.sort_by_key(|row: &EntityRow| !row.entity.is_work_item());
    Some(EntityTable {
        rows: nested(rows),
        is_part: chosen.is_some(),
    })
}

/// Maximum number of instances of an entity that are named in each list.
const NAMED: usize = 5;

/// Keeps the instances with the longest times, ns.
fn keep_slowest(all: &mut Vec<(i64, &Instance)>) {
    all.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
    all.truncate(NAMED);
}

/// Rows with each entity below the one that it is part of or runs on.
fn nested(rows: Vec<EntityRow>) -> Vec<EntityRow> {
    let entities: Vec<Arc<Entity>> = rows.iter().map(|row| row.entity.clone()).collect();
    let outer: Vec<Option<usize>> = entities.iter().map(|of| of.outer(&entities)).collect();
    // From each entity outwards; entities around one another would have no outermost one.
    let path = |at: usize| {
        let chain = std::iter::successors(Some(at), |at| outer[*at]);
        let mut path: Vec<usize> = chain.take(entities.len()).collect();
        path.reverse();
        path
    };
    let mut rows: Vec<(Vec<usize>, EntityRow)> = { rows.into_iter().enumerate() }
        .map(|(at, row)| {
            let path = path(at);
            let outer = path.iter().filter(|of| **of != at);
            let within = outer.map(|of| entities[*of].title.clone()).collect();
            (path, EntityRow { within, ..row })
        })
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns the instances of an entity in scope: of the mask `in_scope`, or with a selected record. `None` if cancelled.
pub fn instances(
    snapshot: &Snapshot,
    instance_cache: &InstanceCache,
    entity: &str,
    chosen: Option<&Selection>,
    in_scope: Option<InstanceMask<'_>>,
    cancel: &Cancel,
) -> Option<InstanceTable> {
    let seen = instance_cache.instances(snapshot, cancel)?;
    let mut table = InstanceTable {
        instance_cache: instance_cache.clone(),
        seen: seen.clone(),
        entity: None,
        rows: Vec::new(),
        is_part: chosen.is_some(),
    };
    let Some((at, all)) = seen.of_entity(entity) else {
        return Some(table);
    };
    table.entity = Some(at);
    let ends = RunEnds::of(snapshot, [&all.entity], cancel)?;
    let own = own(snapshot, all, chosen);
    let severe = Expr::compare(Field::Level, Op::Ge, "error");
    let severe = query::select(snapshot, &severe, cancel)?;
    let mut errors = vec![0; all.list.len()];
    let is_chosen = |event| chosen.is_none_or(|c| c.contains(event));
    all.for_each_event(|event, at| {
        errors[at] += u64::from(severe.contains(event) && is_chosen(event));
    });
    let in_scope = in_scope.map(|in_scope| in_scope(all));
    let is_in = |instance: usize| match &in_scope {
        Some(in_scope) => in_scope[instance],
        None => own[instance].count > 0,
    };
    let row = |(instance, one): (usize, &Instance)| {
        if cancel.is_cancelled() || !is_in(instance) {
            return None;
        }
        let standing = all.standing(snapshot, one);
        let is_open = all.is_open(one, &standing);
        Some(InstanceRow {
            at: InstancePosition {
                entity: at,
                instance,
            },
            standing,
            is_open,
            has_failed: all.has_failed(one, &standing),
            over: is_open.then(|| ends.end_for_instance(snapshot, all, one)),
            events: own[instance].count,
            errors: errors[instance],
        })
    };
    table.rows = all
        .list
        .par_iter()
        .enumerate()
        .filter_map(row)
        .collect::<Vec<_>>();
    if cancel.is_cancelled() {
        return None;
    }
    table.rows.sort_by_key(|r| (!r.has_failed, !r.is_open));
    Some(table)
}

/// Returns all records of an instance. `None` if cancelled.
pub(crate) fn trace(
    snapshot: &Snapshot,
    handle: &InstanceHandle,
    cancel: &Cancel,
) -> Option<TraceTable> {
    let seen = handle.instance_cache.instances(snapshot, cancel)?;
    let at = handle.at(snapshot, &seen);
    let mut table = TraceTable {
        instance: handle.clone(),
        seen: seen.clone(),
        at,
        standing: None,
        over: None,
        steps: Vec::new(),
    };
    let Some((all, one)) = at.and_then(|at| seen.get(at)) else {
        return Some(table);
    };
    let ends = RunEnds::of(snapshot, [&all.entity], cancel)?;
    table.standing = Some(all.standing(snapshot, one));
    table.over = Some(ends.end_for_instance(snapshot, all, one));
    let mut texts = TextReader::default();
    for (n, step) in steps(snapshot, all, one).into_iter().enumerate() {
        if cancel.is_cancelled() {
            return None;
        }
        let Some(event) = snapshot.event(step.event) else {
            continue;
        };
        let message = match (n < MESSAGES, event.template()) {
            (false, Some(template)) => template.text.to_string(),
            _ => {
                let full = full_event(&event, &mut texts);
                full.message.lines().next().unwrap_or_default().to_owned()
            }
        };
        table.steps.push((step, message));
    }
    Some(table)
}
