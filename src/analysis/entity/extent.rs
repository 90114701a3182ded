//! How far the events of instances reach, by the places that they have among all events in time order.

use crate::query::bits::Bits;
use crate::store::Snapshot;
use crate::store::column::Cell;
use crate::store::derived::GiverKind;

use super::found::RowInstances;
use super::ground::Ground;
use super::plan::EntityPlan;

/// Where events lie in time order.
#[derive(Debug)]
pub(super) struct EventPlaces {
    /// By event.
    pub of_event: Vec<u32>,
    /// By segment, whether some of its events have no time.
    pub has_gaps: Vec<bool>,
}

impl EventPlaces {
    /// Of all events of a run.
    pub fn new(snapshot: &Snapshot) -> EventPlaces {
        let mut of_event = vec![u32::MAX; snapshot.len()];
        for (place, event) in snapshot.order.iter().enumerate() {
            if let Some(slot) = of_event.get_mut(*event as usize) {
                *slot = place as u32;
            }
        }
        let has_gaps = snapshot.segments.iter().map(|s| s.times.has_gaps());
        EventPlaces {
            of_event,
            has_gaps: has_gaps.collect(),
        }
    }
}

/// No place, no row, no event.
const NOWHERE: u32 = u32::MAX;

/// The events of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// How many.
    pub events: u32,
    /// Place of the first, then which of those that begin with it this one is.
    pub first: (u32, u32),
    /// Places of the first and the last that have a time; `NOWHERE` when none has.
    timed: [u32; 2],
    /// Place of the first that has a time and names the instance itself, where that counts; `NOWHERE` when none does.
    own: u32,
}

impl Extent {
    /// Of no event.
    pub const NOTHING: Extent = Extent {
        events: 0,
        first: (NOWHERE, 0),
        timed: [NOWHERE; 2],
        own: NOWHERE,
    };

    /// Places of the first and the last that have a time.
    pub fn timed(&self) -> Option<(u32, u32)> {
        let [first, last] = self.timed;
        (first != NOWHERE).then_some((first, last))
    }

    /// Place of the first that has a time and names the instance itself, where that counts.
    pub fn own(&self) -> Option<u32> {
        (self.own != NOWHERE).then_some(self.own)
    }

    /// Takes over what another segment holds of the same instance.
    pub fn merge(&mut self, other: &Extent) {
        self.events += other.events;
        self.first = self.first.min(other.first);
        self.own = self.own.min(other.own);
        if let Some((first, last)) = other.timed() {
            let known = self.timed().unwrap_or((first, last));
            self.timed = [known.0.min(first), known.1.max(last)];
        }
    }
}

/// How far so many instances of a segment reach.
pub(super) fn extents(
    ground: &Ground<'_>,
    plan: &EntityPlan,
    rows: &RowInstances,
    instances: usize,
) -> Vec<Extent> {
    let mut out = vec![Extent::NOTHING; instances];
    let joined = joined(ground, plan);
    let counts = !plan.own.is_empty();
    rows.each(ground.places.len(), |row, list| {
        let place = ground.places[row];
        let timed = [if ground.is_timed(row) { place } else { NOWHERE }; 2];
        let is_own = counts && !joined.as_ref().is_some_and(|joined| joined.get(row));
        let own = if is_own { timed[0] } else { NOWHERE };
        for (among, one) in list.iter().enumerate() {
            let first = (place, among as u32);
            out[*one as usize].merge(&Extent {
                events: 1,
                first,
                timed,
                own,
            });
        }
    });
    out
}

/// The rows to which joins with other records gave a key that should be their own, if there are some.
fn joined(ground: &Ground<'_>, plan: &EntityPlan) -> Option<Bits> {
    let view = ground.view;
    let derived = &view.snapshot.derived;
    let is_other = |join: u32| {
        let giver = derived.joins.get(join as usize);
        giver.is_some_and(|g| matches!(g.kind, GiverKind::Join | GiverKind::Bracket))
    };
    let mut out: Option<Bits> = None;
    for (at, group) in view.segment.groups.iter().enumerate() {
        let columns = derived.columns(view.index, at).iter();
        for column in columns.filter(|c| plan.own.contains(&c.key)) {
            for (place, row) in group.rows.iter().enumerate() {
                if matches!(column.joins.cell(place), Cell::One(join) if is_other(join)) {
                    let bits = out.get_or_insert_with(|| Bits::none(view.segment.len()));
                    bits.set(usize::from(*row));
                }
            }
        }
    }
    out
}
