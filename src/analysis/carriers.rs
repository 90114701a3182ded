//! What instances run in: blocks, managers, workers. When such a carrier lived, and which instance it carried.

use std::sync::Arc;

use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::format::meaning::EntityRole;
use crate::store::Snapshot;

use super::entity::{End, Entity, Instance};
use super::{Instances, entity};

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
    /// Its end. One that nothing ends, by its definition, ends with the last event that names it; one that could have
    /// ended, and did not, with the data.
    pub end: i64,
    /// Whether something tells of its end.
    pub is_over: bool,
}

/// When a carrier lived; `None` where nothing says when it was there.
pub fn life_of(snapshot: &Snapshot, instances: &Instances, carrier: &Instance) -> Option<Life> {
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
        End::Open if instances.entity.can_end() => snapshot.range().map_or(0, |r| r.1),
        End::Open => last.unwrap_or(start),
    };
    Some(Life {
        start,
        end: end.max(start),
        is_over: standing.end != End::Open,
    })
}

/// The carriers of one kind.
#[derive(Clone, Debug)]
pub struct Carriers {
    /// They.
    pub instances: Instances,
    /// By carrier.
    pub lives: Vec<Option<Life>>,
}

impl Carriers {
    /// All of an entity; `None` when cancelled.
    pub fn find(snapshot: &Snapshot, entity: &Arc<Entity>, cancel: &Cancel) -> Option<Carriers> {
        let instances = entity::scan(snapshot, entity, cancel)?;
        Some(Carriers::of_instances(snapshot, instances))
    }

    /// Of instances that were found.
    pub fn of_instances(snapshot: &Snapshot, instances: Instances) -> Carriers {
        let life = |carrier: &Instance| life_of(snapshot, &instances, carrier);
        let lives = instances.list.iter().map(life).collect();
        Carriers { instances, lives }
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
