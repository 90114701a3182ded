//! Resources that instances run on (blocks, managers, workers): their lifetimes, and the instances on them.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_definition::meaning::EntityRole;
use widetui_store::Snapshot;

use crate::Instances;
use crate::entity::{Detail, End, Entity, Instance, scan_all};
use crate::runs::RunEnds;

/// The carriers that an entity runs in, from the outside in: those whose id ends in a key that says where it runs.
pub fn carriers_of<'e>(entity: &Entity, all: &'e [Arc<Entity>]) -> Vec<&'e Arc<Entity>> {
    let place = |carrier: &Entity| {
        let mut ends = carrier.id.iter().filter_map(|id| id.last());
        ends.find_map(|key| entity.runs_in.iter().position(|k| k == key))
    };
    let carriers = all.iter().filter(|e| e.role == EntityRole::Carrier);
    let mut found: Vec<(usize, &Arc<Entity>)> = carriers
        .filter(|e| e.name != entity.name)
        .filter_map(|e| Some((place(e)?, e)))
        .collect();
    found.sort_by_key(|f| f.0);
    found.into_iter().map(|f| f.1).collect()
}

/// When a carrier lived, as far as the data says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// Its start: by its condition, else the first event that names it itself; UTC ns.
    pub start: i64,
    /// Its end. One that nothing ends, by its definition, ends with what it runs in, or with the last event that names it,
    /// where that is later; one that could have ended, and did not, with the data of its run.
    pub end: i64,
    /// Whether something tells of its end.
    pub is_over: bool,
    /// Until when something tells that it was there, UTC ns: its end, where that is told, and never the end of the data alone.
    pub seen: i64,
}

/// When a carrier lived; `None` where nothing says when it was there. `outer` knows until when what it runs in was there.
fn life_of(
    snapshot: &Snapshot,
    instances: &Instances,
    carrier: &Instance,
    reach: Option<&RunEnds>,
    outer: impl Fn() -> Option<i64>,
) -> Option<Life> {
    // A carrier's name that a join gave to a record says nothing about when the carrier lived: the submission of a
    // task is about the worker that will run it.
    let (first, last) = carrier.own.unzip();
    let standing = instances.standing(snapshot, carrier);
    let start = carrier.start.and_then(|e| snapshot.event(e)?.time());
    let start = start.or(first).or(standing.start)?;
    let end = match standing.end {
        End::Ended(t) => t,
        // Another took its place under its name, where it tells more after that.
        End::Lost(t) => last.map_or(t, |last| last.max(t)),
        End::Open if instances.entity.can_end() => {
            reach.map_or(start, |ends| ends.of_instance(snapshot, instances, carrier))
        }
        // Who has no work writes nothing, and is there all the same as long as what it runs in.
        End::Open => last.max(outer()).unwrap_or(start),
    };
    let is_over = standing.end != End::Open;
    let seen = match is_over || !instances.entity.can_end() {
        true => end,
        false => last.unwrap_or(start),
    };
    Some(Life {
        start,
        end: end.max(start),
        is_over,
        seen: seen.max(start),
    })
}

/// Whether a carrier of one kind is there as long as one of the other, in which it runs. What has neither states nor an end
/// only groups others, and says nothing of when they were there.
fn bears(outer: &Entity, inner: &Entity) -> bool {
    let mut ends = outer.id.iter().filter_map(|id| id.last());
    let has_end = outer.can_end() || outer.lost.is_some();
    has_end && outer.name != inner.name && ends.any(|key| inner.runs_in.contains(key))
}

/// The carriers of one kind.
#[derive(Clone, Debug)]
pub struct Resources {
    /// They.
    pub instances: Instances,
    /// By carrier.
    pub lives: Vec<Option<Life>>,
}

impl Resources {
    /// The innermost that an entity runs in, as far as the data knows of some; `None` when cancelled.
    pub fn innermost(
        snapshot: &Snapshot,
        entity: &Entity,
        entities: &[Arc<Entity>],
        cancel: &Cancel,
    ) -> Option<Option<Resources>> {
        let wanted = carriers_of(entity, entities).into_iter();
        let wanted: Vec<_> = wanted.map(|e| (e.clone(), Detail::Whole)).collect();
        let found = scan_all(snapshot, &wanted, cancel)?;
        Some(Resources::of_all(snapshot, found).pop())
    }

    /// Of instances that were found, by kind, from the outside in: kinds of which there are none are left out.
    pub fn of_all(
        snapshot: &Snapshot,
        found: impl IntoIterator<Item = Instances>,
    ) -> Vec<Resources> {
        let found: Vec<Instances> = found.into_iter().filter(|f| !f.list.is_empty()).collect();
        let entities = found.iter().map(|f| &f.entity);
        let reach = RunEnds::of_each(snapshot, entities, &Cancel::default());
        let mut out: Vec<Resources> = Vec::new();
        for instances in found {
            let own = Resources::of_instances(snapshot, instances, (&out, reach.as_ref()));
            out.push(own);
        }
        out
    }

    /// Of instances of one kind; `outer` are others, from the outside in, of which they may run in some.
    fn of_instances(
        snapshot: &Snapshot,
        instances: Instances,
        (outer, reach): (&[Resources], Option<&RunEnds>),
    ) -> Resources {
        let outer = outer.iter().rev();
        let outer: Vec<&Resources> = outer
            .filter(|o| bears(&o.instances.entity, &instances.entity))
            .collect();
        let seen = |carrier: &Instance| {
            outer.iter().find_map(|outer| {
                let at = instances.find_event(carrier, |event| outer.of_event(event))?;
                outer.lives[at].map(|life| life.seen)
            })
        };
        let life =
            |carrier: &Instance| life_of(snapshot, &instances, carrier, reach, || seen(carrier));
        let lives = instances.list.iter().map(life).collect();
        Resources { instances, lives }
    }

    /// The carrier that an event is about.
    pub fn of_event(&self, event: EventId) -> Option<usize> {
        // Of several that an event is about it is in the last one.
        let mut last = None;
        self.instances
            .of_event(event, |at| last = last.max(Some(at)));
        last
    }

    /// The carrier that an instance of something else ran in: that of the event at which it started, else of its last event that has one.
    pub fn of(&self, instances: &Instances, instance: &Instance) -> Option<usize> {
        let started = instance.start.and_then(|e| self.of_event(e));
        let mut events = instances.events(instance).iter().rev();
        started.or_else(|| events.find_map(|e| self.of_event(EventId(*e))))
    }
}
