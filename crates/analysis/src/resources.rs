//! Resources that instances run on (blocks, managers, workers): their lifetimes, and the instances on them.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_definition::semantics::EntityRole;
use widetui_store::Snapshot;

use crate::Instances;
use crate::entity::{Entity, Instance, InstanceEnd, scan_all};
use crate::runs::RunEnds;

/// Resources that an entity runs on, outermost first: entities whose id ends in one of its place
/// keys.
pub fn resources_of<'e>(entity: &Entity, all: &'e [Arc<Entity>]) -> Vec<&'e Arc<Entity>> {
    let place = |resource: &Entity| {
        let mut names = resource.naming_keys();
        names.find_map(|key| entity.place_keys.iter().position(|k| k == key))
    };
    let resources = all.iter().filter(|e| e.role == EntityRole::Resource);
    let mut found: Vec<(usize, &Arc<Entity>)> = resources
        .filter(|e| e.name != entity.name)
        .filter_map(|e| Some((place(e)?, e)))
        .collect();
    found.sort_by_key(|f| f.0);
    found.into_iter().map(|f| f.1).collect()
}

/// Lifetime of a resource as far as known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Start by the `start` condition, or else the first event that states its id itself, UTC ns.
    pub(crate) start: i64,
    /// End, UTC ns. A resource without an end condition ends with the enclosing resource or its
    /// last event, whichever is later; one that could have ended and did not ends with the data of
    /// its run.
    pub end: i64,
    /// Whether its end is reported.
    pub(crate) has_end: bool,
    /// Last time at which it is known to exist, UTC ns: its reported end, but not the end of the
    /// data.
    pub(crate) last_seen: i64,
}

/// Lifetime of a resource; `None` if unknown. `outer` returns the last time at which the enclosing
/// resource is known to exist.
fn lifetime_of(
    snapshot: &Snapshot,
    instances: &Instances,
    resource: &Instance,
    run_ends: Option<&RunEnds>,
    outer: impl Fn() -> Option<i64>,
) -> Option<Lifetime> {
    // An id that a join derived does not bound the lifetime: the submission of a task carries the
    // id of the worker that will run it.
    let (first, last) = resource.stated_range.unzip();
    let standing = instances.standing(snapshot, resource);
    let start = resource.start.and_then(|e| snapshot.event(e)?.time());
    let start = start.or(first).or(standing.start)?;
    let end = match standing.end {
        InstanceEnd::Ended(t) => t,
        // A later event belongs to a successor with the same name.
        InstanceEnd::Lost(t) => last.map_or(t, |last| last.max(t)),
        InstanceEnd::Unfinished if instances.entity.can_end() => run_ends.map_or(start, |ends| {
            ends.end_for_instance(snapshot, instances, resource)
        }),
        // An idle resource writes nothing but exists as long as the enclosing resource.
        InstanceEnd::Unfinished => last.max(outer()).unwrap_or(start),
    };
    let has_end = standing.end != InstanceEnd::Unfinished;
    let last_seen = match has_end || !instances.entity.can_end() {
        true => end,
        false => last.unwrap_or(start),
    };
    Some(Lifetime {
        start,
        end: end.max(start),
        has_end,
        last_seen: last_seen.max(start),
    })
}

/// Whether resources of `inner` exist as long as the enclosing resource of `outer`. An entity
/// without states and end only groups others and has no lifetime.
fn encloses(outer: &Entity, inner: &Entity) -> bool {
    let mut names = outer.naming_keys();
    let has_end = outer.can_end() || outer.lost.is_some();
    has_end && outer.name != inner.name && names.any(|key| inner.place_keys.contains(key))
}

/// Resources of one kind with their lifetimes.
#[derive(Clone, Debug)]
pub struct Resources {
    /// Instances of the resource's entity.
    pub instances: Instances,
    /// Lifetime of each resource.
    pub lifetimes: Vec<Option<Lifetime>>,
}

impl Resources {
    /// Finds the innermost resources that an entity runs on, if the data has any; `None` when
    /// cancelled.
    pub fn innermost(
        snapshot: &Snapshot,
        entity: &Entity,
        entities: &[Arc<Entity>],
        cancel: &Cancel,
    ) -> Option<Option<Resources>> {
        let wanted = resources_of(entity, entities).into_iter();
        let wanted: Vec<Arc<Entity>> = wanted.cloned().collect();
        let found = scan_all(snapshot, &wanted, &[], cancel)?;
        Some(Resources::from_kinds(snapshot, found).pop())
    }

    /// Computes lifetimes for instances of resources, outermost kind first; kinds without instances
    /// are omitted.
    pub fn from_kinds(
        snapshot: &Snapshot,
        found: impl IntoIterator<Item = Instances>,
    ) -> Vec<Resources> {
        let found: Vec<Instances> = found.into_iter().filter(|f| !f.list.is_empty()).collect();
        let entities = found.iter().map(|f| &f.entity);
        let run_ends = RunEnds::of(snapshot, entities, &Cancel::default());
        let mut out: Vec<Resources> = Vec::new();
        for instances in found {
            let resources_of_kind =
                Resources::with_enclosing(snapshot, instances, (&out, run_ends.as_ref()));
            out.push(resources_of_kind);
        }
        out
    }

    /// Computes lifetimes of one kind; `outer` are the possibly enclosing kinds, outermost first.
    fn with_enclosing(
        snapshot: &Snapshot,
        instances: Instances,
        (outer, run_ends): (&[Resources], Option<&RunEnds>),
    ) -> Resources {
        let outer = outer.iter().rev();
        let outer: Vec<&Resources> = outer
            .filter(|o| encloses(&o.instances.entity, &instances.entity))
            .collect();
        let last_seen = |resource: &Instance| {
            outer.iter().find_map(|outer| {
                let at = instances.find_event(resource, |event| outer.resource_of_event(event))?;
                outer.lifetimes[at].map(|lifetime| lifetime.last_seen)
            })
        };
        let lifetime = |resource: &Instance| {
            lifetime_of(snapshot, &instances, resource, run_ends, || {
                last_seen(resource)
            })
        };
        let lifetimes = instances.list.iter().map(lifetime).collect();
        Resources {
            instances,
            lifetimes,
        }
    }

    /// Resource of an event, as an index.
    pub(crate) fn resource_of_event(&self, event: EventId) -> Option<usize> {
        // If an event names several, the last one counts.
        let mut last = None;
        self.instances
            .for_each_of_event(event, |at| last = last.max(Some(at)));
        last
    }

    /// Resource that ran an instance of another entity: that of its start event, or else of its
    /// last event with one.
    pub(crate) fn resource_of_instance(
        &self,
        instances: &Instances,
        instance: &Instance,
    ) -> Option<usize> {
        let started = instance.start.and_then(|e| self.resource_of_event(e));
        let mut events = instances.events(instance).iter().rev();
        started.or_else(|| events.find_map(|e| self.resource_of_event(EventId(*e))))
    }
}
