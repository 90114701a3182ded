//! Instances of all entities, found once for all analyses.

use std::sync::Arc;

use crate::entity::standing::has_begun;
use crate::entity::{Entity, Instances, scan_all};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_definition::semantics::EntityRole;
use widetui_query::select;
use widetui_store::Snapshot;

/// Instances of all entities, found by one scan.
#[derive(Clone, Debug)]
pub struct AllInstances {
    /// Instances by entity in the order of the definitions; only entities that occur.
    pub occurring: Vec<Instances>,
    /// Entities without instances.
    pub absent_entities: Vec<Arc<Entity>>,
}

/// Instances that were found before in the same run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Earlier<'a> {
    /// The instances, by entity.
    pub found: &'a [Instances],
    /// True if they are of the same snapshot, so that they are not searched for again.
    pub is_same: bool,
}

impl AllInstances {
    /// Finds the instances of all entities; `None` when cancelled.
    pub fn scan(
        snapshot: &Snapshot,
        entities: &[Arc<Entity>],
        cancel: &Cancel,
    ) -> Option<AllInstances> {
        AllInstances::scan_after(Earlier::default(), snapshot, entities, cancel)
    }

    /// Finds the instances of all entities and shares memory with those of an earlier snapshot of the same run where nothing
    /// has changed; `None` when cancelled.
    pub fn scan_after(
        earlier: Earlier<'_>,
        snapshot: &Snapshot,
        entities: &[Arc<Entity>],
        cancel: &Cancel,
    ) -> Option<AllInstances> {
        let known = |entity: &Entity| {
            let mut found = earlier.found.iter().filter(|_| earlier.is_same);
            found.find(|of| of.entity.name == entity.name).cloned()
        };
        let all: Vec<Option<Instances>> = entities.iter().map(|entity| known(entity)).collect();
        let rest = entities
            .iter()
            .zip(&all)
            .filter(|(_, known)| known.is_none());
        let rest: Vec<_> = rest.map(|(entity, _)| entity.clone()).collect();
        let mut rest = scan_all(snapshot, &rest, earlier.found, cancel)?.into_iter();
        let all = all
            .into_iter()
            .filter_map(|known| known.or_else(|| rest.next()));
        let mut all: Vec<Instances> = all.collect();
        // Work items whose run is unknown have no instances, but the entity occurs.
        let occurs_in_data =
            |i: &Instances| !i.list.is_empty() || i.entity.is_work_item() && i.undecided_events > 0;
        all.retain(occurs_in_data);
        let occurs = |entity: &Entity| all.iter().any(|i| i.entity.name == entity.name);
        let absent = entities.iter().filter(|e| !occurs(e)).cloned().collect();
        let mut found = AllInstances {
            occurring: all,
            absent_entities: absent,
        };
        found.promote_stand_ins(snapshot, cancel)?;
        Some(found)
    }

    /// Turns stand-in entities into work items if no work item is known to have begun. Work that
    /// was assigned must end, whether or not a record of its start exists. `None` when cancelled.
    fn promote_stand_ins(&mut self, snapshot: &Snapshot, cancel: &Cancel) -> Option<()> {
        let has_begun = |of: &Instances| of.list.iter().any(|instance| has_begun(of, instance));
        if self
            .work_items()
            .any(|i| i.undecided_events > 0 || has_begun(i))
        {
            return Some(());
        }
        for found in &mut self.occurring {
            if found.entity.role == EntityRole::StandIn {
                let mut entity = (*found.entity).clone();
                entity.role = EntityRole::WorkItem;
                if let Some(given) = &entity.assigned {
                    let events = select(snapshot, given, cancel)?.ordered(snapshot);
                    found.set_assigned(events.into_iter().map(EventId));
                }
                found.entity = Arc::new(entity);
            }
        }
        Some(())
    }

    /// Entities whose instances were searched for.
    pub fn entities(&self) -> impl Iterator<Item = &Arc<Entity>> {
        let occurring = self.occurring.iter().map(|of| &of.entity);
        occurring.chain(&self.absent_entities)
    }

    /// Instances of resources.
    pub fn resources(&self) -> impl Iterator<Item = &Instances> {
        self.occurring.iter().filter(|i| i.entity.is_resource())
    }

    /// Instances of work items that can end.
    pub fn work_items(&self) -> impl Iterator<Item = &Instances> {
        let is_work_item = |i: &&Instances| i.entity.is_work_item() && i.entity.can_end();
        self.occurring.iter().filter(is_work_item)
    }
}
