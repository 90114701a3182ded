//! What instances run in: blocks, managers, workers. When such a carrier lived, and which instance it carried.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::base::cancel::Cancel;
use crate::base::dict::Code;
use crate::base::ids::KeyId;
use crate::base::time::NO_TIME;
use crate::format::meaning::EntityRole;
use crate::store::Snapshot;

use super::columns::{By, Labels, times};
use super::entity::{End, Entity, Instance};
use super::{Instances, entity};

/// No carrier.
const NOBODY: u32 = u32::MAX;

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
}

/// The carriers of one kind.
#[derive(Clone, Debug)]
pub struct Carriers {
    /// They.
    pub instances: Instances,
    /// By carrier.
    pub lives: Vec<Option<Life>>,
    of_event: Vec<u32>,
}

impl Carriers {
    /// All of an entity; `None` when cancelled.
    pub fn find(snapshot: &Snapshot, entity: &Arc<Entity>, cancel: &Cancel) -> Option<Carriers> {
        let instances = entity::scan(snapshot, entity, cancel)?;
        Carriers::of_instances(snapshot, instances, &times(snapshot), cancel)
    }

    /// Of instances that were found; `times` are those of all events. `None` when cancelled.
    pub fn of_instances(
        snapshot: &Snapshot,
        instances: Instances,
        times: &[i64],
        cancel: &Cancel,
    ) -> Option<Carriers> {
        let entity = instances.entity.clone();
        let data_end = snapshot.range().map_or(0, |r| r.1);
        // A carrier's name that a join gave to a record says nothing about when the carrier lived: the submission of a task
        // is about the worker that will run it.
        let mut own: FxHashMap<KeyId, Labels> = FxHashMap::default();
        for instance in &instances.list {
            if let Some(key) = instances.id_keys(instance).last()
                && !own.contains_key(key)
            {
                own.insert(*key, Labels::named_by_records(snapshot, *key, cancel)?);
            }
        }
        let named: Vec<Option<(&Labels, Code)>> = instances
            .list
            .iter()
            .map(|i| Some((own.get(instances.id_keys(i).last()?)?, *i.id.last()?)))
            .collect();
        let mut of_event = vec![NOBODY; snapshot.len()];
        // By carrier the times of the first and the last event that name it themselves.
        let mut direct: Vec<Option<(i64, i64)>> = vec![None; instances.list.len()];
        instances.each_event(|event, at| {
            let known = &mut of_event[event.index()];
            // Of several that an event is about it is in the last one.
            *known = match *known {
                NOBODY => at as u32,
                known => known.max(at as u32),
            };
            let time = times[event.index()];
            let names = |(labels, code): &(&Labels, Code)| labels.code(event) == *code;
            if time != NO_TIME && named[at].as_ref().is_some_and(names) {
                let (first, last) = direct[at].unwrap_or((time, time));
                direct[at] = Some((first.min(time), last.max(time)));
            }
        });
        let life = |(at, instance): (usize, &Instance)| -> Option<Life> {
            let key = instances.id_keys(instance).last()?;
            own.get(key)?;
            let (first, last) = direct[at].unzip();
            let standing = instances.standing(snapshot, instance);
            let start = instance.start.and_then(|e| snapshot.event(e)?.time());
            let start = start.or(first).or(standing.start)?;
            let end = match standing.end {
                End::Ended(t) | End::Lost(t) => t,
                End::Open if entity.can_end() => data_end,
                End::Open => last.unwrap_or(start),
            };
            Some(Life {
                start,
                end: end.max(start),
            })
        };
        let lives = instances.list.iter().enumerate().map(life).collect();
        (!cancel.is_cancelled()).then_some(Carriers {
            instances,
            lives,
            of_event,
        })
    }

    /// The carrier that an instance of something else ran in: that of the event at which it started, else of its last event that has one.
    pub fn of(&self, instances: &Instances, instance: &Instance) -> Option<usize> {
        let of = |event: u32| {
            let at = self.of_event.get(event as usize).copied()?;
            (at != NOBODY).then_some(at as usize)
        };
        let started = instance.start.and_then(|e| of(e.0));
        let mut events = instances.events(instance).iter().rev();
        started.or_else(|| events.find_map(|e| of(*e)))
    }
}

impl Labels {
    /// The values of a key that the records themselves or their paths name, not joins. `None` when cancelled.
    fn named_by_records(snapshot: &Snapshot, key: KeyId, cancel: &Cancel) -> Option<Labels> {
        let plain = Snapshot {
            derived: Arc::default(),
            ..snapshot.clone()
        };
        Labels::of(&plain, &By::Key(key), cancel)
    }
}
