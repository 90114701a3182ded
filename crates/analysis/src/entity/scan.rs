//! Scan for the instances of entities: one pass over the columns, segment by segment, followed by
//! an assembly per entity.

use std::sync::Arc;

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;
use widetui_store::key_column::{SegmentView, disputed_rows};

use crate::entity::assemble::assemble;
use crate::entity::key_numbers::KeyNumbers;
use crate::entity::plan::{ConditionCache, EntityPlan};
use crate::entity::segment::scan_segment;
use crate::entity::segment_instances::SegmentInstances;
use crate::entity::shared_columns::{EventPositions, SegmentColumns};
use crate::entity::{Entity, Instances};

/// Finds all instances of an entity; `None` when cancelled.
pub fn scan(snapshot: &Snapshot, entity: &Arc<Entity>, cancel: &Cancel) -> Option<Instances> {
    scan_all(snapshot, std::slice::from_ref(entity), &[], cancel)?.pop()
}

/// Finds all instances of several entities in one pass; `None` when cancelled. Memory of `earlier` instances, found in an
/// earlier snapshot of the same run, is shared where nothing has changed.
pub fn scan_all(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    earlier: &[Instances],
    cancel: &Cancel,
) -> Option<Vec<Instances>> {
    let mut conditions = ConditionCache::default();
    let plans: Option<Vec<EntityPlan>> = entities
        .iter()
        .map(|entity| EntityPlan::new(snapshot, entity, &mut conditions, cancel))
        .collect();
    let plans = plans?;
    drop(conditions);
    let all = entities.iter().zip(&plans);
    let occurring: Vec<(&Arc<Entity>, &EntityPlan)> =
        all.filter(|(_, p)| !p.ids.is_empty()).collect();
    let places = EventPositions::new(snapshot);
    let found = scan_segments(snapshot, &occurring, earlier, &places, cancel)?;
    let assembled = occurring.into_par_iter().zip(found);
    let assembled: Vec<Option<Instances>> = assembled
        .map(|((entity, plan), found)| {
            (!cancel.is_cancelled()).then(|| assemble(snapshot, entity, plan, found, &places))
        })
        .collect();
    let mut assembled = assembled
        .into_iter()
        .collect::<Option<Vec<Instances>>>()?
        .into_iter();
    let all = entities.iter().zip(&plans);
    let of = |(entity, plan): (&Arc<Entity>, &EntityPlan)| match plan.ids.is_empty() {
        true => Some(Instances::empty(entity)),
        false => assembled.next(),
    };
    all.map(of).collect()
}

/// Scans all segments; results by entity, then by segment. `None` when cancelled.
fn scan_segments(
    snapshot: &Snapshot,
    plans: &[(&Arc<Entity>, &EntityPlan)],
    earlier: &[Instances],
    places: &EventPositions,
    cancel: &Cancel,
) -> Option<Vec<Vec<SegmentInstances>>> {
    let mut keys: Vec<KeyId> = plans.iter().flat_map(|(_, p)| p.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    let numbers: Vec<KeyNumbers> = plans
        .iter()
        .map(|(_, p)| KeyNumbers::new(p, &keys))
        .collect();
    let earlier: Vec<Option<&Instances>> = plans
        .iter()
        .map(|(entity, _)| {
            earlier
                .iter()
                .find(|known| known.entity.name == entity.name)
        })
        .collect();
    let duplicated_rows = disputed_rows(snapshot);
    let indices = (0..snapshot.segments.len()).into_par_iter();
    let by_segment: Vec<Vec<SegmentInstances>> = indices
        .map(|index| {
            if cancel.is_cancelled() {
                return Vec::new();
            }
            let view = SegmentView::new(snapshot, index, &duplicated_rows[index]);
            let segment_columns = SegmentColumns::new(&view, &keys, places);
            let mut found = Vec::with_capacity(plans.len());
            for (at, ((_, plan), numbers)) in plans.iter().zip(&numbers).enumerate() {
                let mut one = scan_segment(&segment_columns, plan, numbers);
                let known = earlier[at].and_then(|known| known.membership.segment_rows(index));
                if let Some(known) = known.filter(|known| **known == one.rows) {
                    one.rows = known.clone();
                }
                found.push(one);
            }
            found
        })
        .collect();
    let mut out: Vec<Vec<SegmentInstances>> = plans.iter().map(|_| Vec::new()).collect();
    for segment in by_segment {
        for (all, found) in out.iter_mut().zip(segment) {
            all.push(found);
        }
    }
    (!cancel.is_cancelled()).then_some(out)
}
