//! What instances run in: blocks, managers, workers. When such a carrier lived, and which instance it carried.

use std::sync::Arc;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId};
use crate::base::time::NO_TIME;
use crate::format::meaning::EntityRole;
use crate::store::Snapshot;
use crate::store::lanes::{SegmentView, copied_rows};

use super::columns::{codes_of_rows, times};
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
        let plain = Snapshot {
            derived: Arc::default(),
            ..snapshot.clone()
        };
        let copied = copied_rows(&plain);
        let mut keys: Vec<KeyId> = Vec::new();
        // By carrier the number of its last key, and its value.
        let named: Vec<Option<(usize, Code)>> = instances
            .list
            .iter()
            .map(|instance| {
                let key = instances.id_keys(instance).last()?;
                let number = keys.iter().position(|k| k == key).unwrap_or_else(|| {
                    keys.push(*key);
                    keys.len() - 1
                });
                Some((number, *instance.id.last()?))
            })
            .collect();
        let written = keys.iter().map(|key| Written::new(&plain, &copied, *key));
        let mut written: Vec<Written<'_>> = written.collect();
        // By carrier the times of the first and the last event that name it themselves.
        let mut direct: Vec<Option<(i64, i64)>> = vec![None; instances.list.len()];
        instances.each_event(|event, at| {
            let time = times[event.index()];
            let mut names = |(key, code): (usize, Code)| written[key].code(event) == code;
            if time != NO_TIME && named[at].is_some_and(&mut names) {
                let (first, last) = direct[at].unwrap_or((time, time));
                direct[at] = Some((first.min(time), last.max(time)));
            }
        });
        let life = |(at, instance): (usize, &Instance)| -> Option<Life> {
            named[at]?;
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
        (!cancel.is_cancelled()).then_some(Carriers { instances, lives })
    }

    /// The carrier that an instance of something else ran in: that of the event at which it started, else of its last event that has one.
    pub fn of(&self, instances: &Instances, instance: &Instance) -> Option<usize> {
        // Of several that an event is about it is in the last one.
        let of = |event: u32| {
            let mut last = None;
            let instances = &self.instances;
            instances.of_event(EventId(event), |at| last = last.max(Some(at)));
            last
        };
        let started = instance.start.and_then(|e| of(e.0));
        let mut events = instances.events(instance).iter().rev();
        started.or_else(|| events.find_map(|e| of(*e)))
    }
}

/// The values of a key that records themselves or their paths name, asked for in the order of events: only those of the
/// segment at hand are held.
struct Written<'s> {
    snapshot: &'s Snapshot,
    copied: &'s [Vec<u32>],
    key: KeyId,
    /// The segment behind the one at hand, and the first event of that one.
    next: usize,
    base: u32,
    codes: Vec<Code>,
}

impl<'s> Written<'s> {
    fn new(snapshot: &'s Snapshot, copied: &'s [Vec<u32>], key: KeyId) -> Written<'s> {
        Written {
            snapshot,
            copied,
            key,
            next: 0,
            base: 0,
            codes: Vec::new(),
        }
    }

    /// The value of an event behind, or in the segment of, the one that was asked for last.
    fn code(&mut self, event: EventId) -> Code {
        while event.0 >= self.base + self.codes.len() as u32 {
            if self.next >= self.snapshot.segments.len() {
                return NONE;
            }
            self.read();
        }
        let row = event.0.checked_sub(self.base);
        let code = row.and_then(|row| self.codes.get(row as usize));
        code.copied().unwrap_or(NONE)
    }

    fn read(&mut self) {
        let index = self.next;
        self.next += 1;
        self.base = self.snapshot.bases[index];
        let view = SegmentView::new(self.snapshot, index, &self.copied[index]);
        self.codes.clear();
        self.codes.resize(view.segment.len(), NONE);
        codes_of_rows(&view, self.key, &mut self.codes);
    }
}
