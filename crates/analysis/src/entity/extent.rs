//! First and last events of instances.

use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::derived::JoinKind;

use crate::entity::event_extent::{EventExtent, PositionRange, extend};
use crate::entity::members::{GroupMembers, RowMembers};
use crate::entity::plan::EntityPlan;
use crate::entity::shared_columns::SegmentColumns;

/// Extents of the events of all instances.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// Extents by instance.
    pub(crate) all: Vec<EventExtent>,
    /// First and last timed event of each instance that state its id themselves (not through a
    /// join). Empty if the entity does not require this.
    pub(crate) stated: Vec<PositionRange>,
}

impl Extents {
    /// Extents of `instances` instances without events.
    pub(crate) fn empty(plan: &EntityPlan, instances: usize) -> Extents {
        Extents {
            all: vec![EventExtent::EMPTY; instances],
            stated: match plan.stated_keys.is_empty() {
                true => Vec::new(),
                false => vec![None; instances],
            },
        }
    }

    /// First and last event that state the id of an instance themselves.
    pub(crate) fn stated(&self, instance: usize) -> PositionRange {
        self.stated.get(instance).copied().flatten()
    }

    /// Merges the extents of a segment; `to` maps its instances to numbers of the whole run.
    pub(crate) fn merge(&mut self, segment: &Extents, to: &[u32]) {
        for (new, to) in segment.all.iter().zip(to) {
            if let Some(known) = self.all.get_mut(*to as usize) {
                known.add(*new);
            }
        }
        for (new, to) in segment.stated.iter().zip(to) {
            if let Some(known) = self.stated.get_mut(*to as usize) {
                extend(known, *new);
            }
        }
    }
}

/// Times of the events of a range, UTC ns, the earlier one first.
pub(super) fn times_of(snapshot: &Snapshot, range: PositionRange) -> Option<(i64, i64)> {
    let time = |position: u32| snapshot.at(position as usize)?.time();
    let (first, last) = (time(range?.0)?, time(range?.1)?);
    Some((first.min(last), first.max(last)))
}

/// Computes the extents of the instances of a segment.
pub(super) fn extents(
    (segment_columns, plan): (&SegmentColumns<'_>, &EntityPlan),
    members: &RowMembers,
    instances: usize,
) -> Extents {
    let mut out = Extents::empty(plan, instances);
    let joined = joined_rows(segment_columns, plan);
    let groups = segment_columns.view.segment.groups.iter();
    let groups = groups.zip(&segment_columns.extents).zip(&members.groups);
    for ((group, extent), of_group) in groups {
        let rows = group.rows.iter().map(|row| usize::from(*row));
        match *of_group {
            GroupMembers::None => {}
            GroupMembers::One(instance) => {
                let instance = instance as usize;
                out.all[instance].add(*extent);
                if let Some(stated) = out.stated.get_mut(instance) {
                    let stating = rows.filter(|row| !joined.get(*row));
                    stating.for_each(|row| extend(stated, segment_columns.extent(row).timed));
                }
            }
            GroupMembers::Mixed => rows.for_each(|row| {
                let mut extent = segment_columns.extent(row);
                members.for_each_once(row, |instance| {
                    out.all[instance as usize].add(extent);
                    extent.first.1 += 1;
                    if let Some(stated) = out.stated.get_mut(instance as usize)
                        && !joined.get(row)
                    {
                        extend(stated, extent.timed);
                    }
                });
            }),
        }
    }
    out
}

/// Rows of a segment that received a key of `plan.stated_keys` from other records by joins.
fn joined_rows(segment_columns: &SegmentColumns<'_>, plan: &EntityPlan) -> Bits {
    let view = segment_columns.view;
    let derived = &view.snapshot.derived;
    let is_other = |join: u32| {
        let giver = derived.joins.get(join as usize);
        giver.is_some_and(|giver| matches!(giver.kind, JoinKind::Keys | JoinKind::Bracket))
    };
    let mut out = Bits::none(view.segment.len());
    for (at, group) in view.segment.groups.iter().enumerate() {
        let columns = derived.columns(view.index, at).iter();
        for column in columns.filter(|c| plan.stated_keys.contains(&c.key)) {
            column.joins.for_each(group.rows.len(), |place, join| {
                if is_other(join) {
                    out.set(usize::from(group.rows[place]));
                }
            });
        }
    }
    out
}
