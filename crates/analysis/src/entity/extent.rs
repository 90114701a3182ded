//! First and last events of instances.

use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::column::Cell;
use widetui_store::derived::JoinKind;

use crate::entity::members::RowInstances;
use crate::entity::plan::EntityPlan;
use crate::entity::shared_columns::SegmentColumns;

/// Positions in time order of the first and the last of some events.
pub(super) type PositionRange = Option<(u32, u32)>;

/// Number and extent of the events of an instance. Times are looked up after all segments were
/// scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventExtent {
    /// Number of events of the instance.
    pub(crate) events: u32,
    /// Time-order position of the first event, then the index among the instances of that event.
    pub(crate) first: (u32, u32),
    /// First and last event with a time.
    pub(crate) timed: PositionRange,
}

impl EventExtent {
    /// Extent without events.
    const EMPTY: EventExtent = EventExtent {
        events: 0,
        first: (u32::MAX, 0),
        timed: None,
    };

    /// Adds the events of another extent.
    #[inline]
    fn add(&mut self, other: EventExtent) {
        self.events += other.events;
        self.first = self.first.min(other.first);
        extend(&mut self.timed, other.timed);
    }
}

/// Extends a range by another one.
#[inline]
fn extend(known: &mut PositionRange, new: PositionRange) {
    *known = match (*known, new) {
        (Some(known), Some(new)) => Some((known.0.min(new.0), known.1.max(new.1))),
        (known, new) => known.or(new),
    };
}

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
    rows: &RowInstances,
    instances: usize,
) -> Extents {
    let mut out = Extents::empty(plan, instances);
    let joined = joined_rows(segment_columns, plan);
    rows.for_each(segment_columns.view.segment.len(), |row, list| {
        let position = segment_columns.positions[row];
        let is_timed = segment_columns.is_timed(row);
        let timed = is_timed.then_some((position, position));
        for (instance, among) in list.iter().zip(0..) {
            let instance = *instance as usize;
            out.all[instance].add(EventExtent {
                events: 1,
                first: (position, among),
                timed,
            });
            if let Some(stated) = out.stated.get_mut(instance)
                && !joined.get(row)
            {
                extend(stated, timed);
            }
        }
    });
    out
}

/// Rows of a segment that received a key of `plan.stated_keys` from other records by joins.
fn joined_rows(segment_columns: &SegmentColumns<'_>, plan: &EntityPlan) -> Bits {
    let view = segment_columns.view;
    let derived = &view.snapshot.derived;
    let is_other = |join: Cell<'_>| match join {
        Cell::One(join) => { derived.joins.get(join as usize) }
            .is_some_and(|giver| matches!(giver.kind, JoinKind::Keys | JoinKind::Bracket)),
        _ => false,
    };
    let mut out = Bits::none(view.segment.len());
    for (at, group) in view.segment.groups.iter().enumerate() {
        let columns = derived.columns(view.index, at).iter();
        for column in columns.filter(|c| plan.stated_keys.contains(&c.key)) {
            let rows = group.rows.iter().enumerate();
            let joined = rows.filter(|(place, _)| is_other(column.joins.cell(*place)));
            joined.for_each(|(_, row)| out.set(usize::from(*row)));
        }
    }
    out
}
