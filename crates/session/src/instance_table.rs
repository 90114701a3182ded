//! Tables of things: what kinds there are, the things of one kind, the events of one thing.

use std::sync::Arc;

use rayon::prelude::*;

use widetui_analysis::Instances;
use widetui_analysis::entity::{Entity, Instance, Standing};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::trace::{TraceStep, trace as steps};
use widetui_core::cancel::Cancel;
use widetui_join::{Join, Report};
use widetui_query::{self as query, Expr, Field, Op, Selection};
use widetui_report::event::full_event;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use super::instances::{InstanceAt, Seen, Thing, Things};

/// The kinds of things.
#[derive(Clone, Debug)]
pub struct EntityTable {
    /// Those that occur, in the order of the definitions.
    pub rows: Vec<EntityRow>,
    /// Whether only some records are asked about.
    pub is_part: bool,
}

/// A kind of thing.
#[derive(Clone, Debug)]
pub struct EntityRow {
    /// It.
    pub entity: Arc<Entity>,
    /// The keys that identify one here.
    pub id: Vec<String>,
    /// How many there are.
    pub instances: usize,
    /// How many of them did not end; `None` when nothing says what its end is.
    pub open: Option<usize>,
    /// How many ended without success.
    pub failed: usize,
    /// Records that are about them, those about several counted for each.
    pub events: u64,
    /// First and last of their times, UTC ns.
    pub range: Option<(i64, i64)>,
    /// Records that name one of them, but not whose it is.
    pub undecided: u64,
}

/// The things of one kind.
#[derive(Clone, Debug)]
pub struct InstanceTable {
    /// Where they are looked up.
    pub things: Things,
    /// All things of the snapshot.
    pub seen: Arc<Seen>,
    /// Which kind: index into `Seen::found`; `None` when there are none.
    pub entity: Option<usize>,
    /// Which of its instances, and how they stand: unfinished ones first, then in order of their first event.
    pub rows: Vec<InstanceRow>,
    /// Whether only some records are asked about.
    pub is_part: bool,
}

/// A thing.
#[derive(Clone, Copy, Debug)]
pub struct InstanceRow {
    /// Which one.
    pub at: InstanceAt,
    /// How it stands.
    pub standing: Standing,
    /// Whether it was begun and did not end, as far as its kind can end.
    pub is_open: bool,
    /// When its run ends, UTC ns; only where it is open.
    pub over: Option<i64>,
    /// How many of the records asked about are about it.
    pub events: u64,
    /// Errors among these.
    pub errors: u64,
}

/// The events of one thing.
#[derive(Clone, Debug)]
pub struct TraceTable {
    /// It.
    pub thing: Thing,
    /// All things of the snapshot.
    pub seen: Arc<Seen>,
    /// Where it is among them; `None` when it is not there.
    pub at: Option<InstanceAt>,
    /// How it stands.
    pub standing: Option<Standing>,
    /// When its run ends, UTC ns.
    pub over: Option<i64>,
    /// Its events, each with the first line of its message.
    pub steps: Vec<(TraceStep, String)>,
}

/// Joins as they are now: nothing has to be computed for a table of them.
#[derive(Clone, Debug, Default)]
pub struct JoinsTable {
    /// All, with whether they are switched on and whether the user made them.
    pub joins: Arc<[(Join, JoinSwitch)]>,
    /// What each did.
    pub reports: Arc<[Report]>,
    /// Show the conflicts of this one.
    pub conflicts_of: Option<String>,
}

impl PartialEq for JoinsTable {
    fn eq(&self, other: &JoinsTable) -> bool {
        Arc::ptr_eq(&self.joins, &other.joins) && Arc::ptr_eq(&self.reports, &other.reports)
    }
}

impl Eq for JoinsTable {}

/// Whether a join works, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinSwitch {
    /// Whether it is switched on.
    pub is_on: bool,
    /// Who says so.
    pub from: JoinFrom,
}

/// Where a join comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinFrom {
    /// From a definition.
    System,
    /// From the user.
    Own,
    /// From the data: it would hold.
    Suggested,
}

/// Records of a thing whose messages are read for a table.
const MESSAGES: usize = 5000;

/// Whether a thing was begun and has not ended.
fn is_open(all: &Instances, instance: &Instance, standing: &Standing, has_states: bool) -> bool {
    let entity = &all.entity;
    let has_begun = match (&entity.start, has_states) {
        (Some(_), _) => instance.start.is_some() || all.assigned_event(instance).is_some(),
        (None, true) => standing.state.is_some(),
        (None, false) => instance.range.is_some(),
    };
    entity.can_end() && has_begun && !standing.is_final && standing.end.time().is_none()
}

/// What the chosen records say of an instance.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    /// How many are about it.
    count: u64,
    /// First and last of their times, UTC ns.
    range: Option<(i64, i64)>,
}

/// For each instance what the chosen records say of it.
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

/// What kinds of things the chosen records are about. `None` when cancelled.
pub(crate) fn entities(
    snapshot: &Snapshot,
    things: &Things,
    chosen: Option<&Selection>,
    cancel: &Cancel,
) -> Option<EntityTable> {
    let seen = things.seen(snapshot, cancel)?;
    let mut rows = Vec::new();
    for instances in &seen.found.occurring {
        if cancel.is_cancelled() {
            return None;
        }
        let entity = &instances.entity;
        let occurs = |key: &str| snapshot.catalog.keys.find(key).is_some();
        let has_states = entity.state_key.is_some();
        let mut row = EntityRow {
            entity: entity.clone(),
            id: entity.identifying_keys(occurs).to_vec(),
            instances: 0,
            open: entity.can_end().then_some(0),
            failed: 0,
            events: 0,
            range: None,
            undecided: instances.undecided_events,
        };
        let own = own(snapshot, instances, chosen);
        for (instance, own) in instances
            .list
            .iter()
            .zip(&own)
            .filter(|(_, own)| own.count > 0)
        {
            row.instances += 1;
            row.events += own.count;
            row.range = match (row.range, own.range) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            };
            let standing = instances.standing(snapshot, instance);
            if is_open(instances, instance, &standing, has_states) {
                row.open = row.open.map(|n| n + 1);
            }
            row.failed += usize::from(instances.has_failed(instance, &standing));
        }
        if row.instances > 0 {
            rows.push(row);
        }
    }
    Some(EntityTable {
        rows,
        is_part: chosen.is_some(),
    })
}

/// The things of a kind that the chosen records are about. `None` when cancelled.
pub fn instances(
    snapshot: &Snapshot,
    things: &Things,
    entity: &str,
    chosen: Option<&Selection>,
    cancel: &Cancel,
) -> Option<InstanceTable> {
    let seen = things.seen(snapshot, cancel)?;
    let mut table = InstanceTable {
        things: things.clone(),
        seen: seen.clone(),
        entity: None,
        rows: Vec::new(),
        is_part: chosen.is_some(),
    };
    let Some((at, all)) = seen.of(entity) else {
        return Some(table);
    };
    table.entity = Some(at);
    let ends = RunEnds::for_entity(snapshot, &all.entity, cancel)?;
    let has_states = all.entity.state_key.is_some();
    let own = own(snapshot, all, chosen);
    let severe = Expr::compare(Field::Level, Op::Ge, "error");
    let severe = query::select(snapshot, &severe, cancel)?;
    let mut errors = vec![0; all.list.len()];
    let is_chosen = |event| chosen.is_none_or(|c| c.contains(event));
    all.for_each_event(|event, at| {
        errors[at] += u64::from(severe.contains(event) && is_chosen(event));
    });
    let row = |(instance, one): (usize, &Instance)| {
        if cancel.is_cancelled() || own[instance].count == 0 {
            return None;
        }
        let standing = all.standing(snapshot, one);
        let is_open = is_open(all, one, &standing, has_states);
        Some(InstanceRow {
            at: InstanceAt {
                entity: at,
                instance,
            },
            standing,
            is_open,
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
    table.rows.sort_by_key(|r| !r.is_open);
    Some(table)
}

/// All events of a thing. `None` when cancelled.
pub(crate) fn trace(snapshot: &Snapshot, thing: &Thing, cancel: &Cancel) -> Option<TraceTable> {
    let seen = thing.things.seen(snapshot, cancel)?;
    let at = thing.at(snapshot, &seen);
    let mut table = TraceTable {
        thing: thing.clone(),
        seen: seen.clone(),
        at,
        standing: None,
        over: None,
        steps: Vec::new(),
    };
    let Some((all, one)) = at.and_then(|at| seen.get(at)) else {
        return Some(table);
    };
    let ends = RunEnds::for_entity(snapshot, &all.entity, cancel)?;
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
