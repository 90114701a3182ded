//! How far the events of instances reach in time.

use crate::query::bits::Bits;
use crate::store::Snapshot;
use crate::store::column::{Cell, Column};
use crate::store::derived::GiverKind;

use super::ground::Ground;
use super::ids::NOBODY;
use super::members::{GroupMembers, Members, SEVERAL};
use super::plan::EntityPlan;
use super::reach::{NOWHERE, Spot, event_of, in_run, place, spot, widen};

/// The events of an instance. Of their times nothing is looked up before the last segment was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// How many.
    pub events: u32,
    /// Place of the first, then which of those that begin with it this one is.
    pub first: (u32, u32),
    /// The first and the last that have a time; `NOWHERE` when none has.
    pub timed: [Spot; 2],
    /// The first and the last that have a time and name the instance themselves, where that counts; `NOWHERE` when none does.
    pub own: [Spot; 2],
}

impl Extent {
    /// Of no event.
    pub const NOTHING: Extent = Extent {
        events: 0,
        first: (u32::MAX, 0),
        timed: [NOWHERE; 2],
        own: [NOWHERE; 2],
    };

    /// Takes over so many events of a segment.
    #[inline]
    fn add(&mut self, events: u32, first: (u32, u32), timed: [Spot; 2], own: [Spot; 2]) {
        self.events += events;
        self.first = self.first.min(first);
        join(&mut self.timed, timed);
        join(&mut self.own, own);
    }

    /// Takes over one event with a time that is about this instance alone.
    #[inline]
    fn add_timed(&mut self, spot: Spot) {
        self.events += 1;
        self.first = self.first.min((place(spot), 0));
        widen(&mut self.timed, spot);
    }

    /// Takes over what another segment holds of the same instance.
    pub fn merge(&mut self, other: &Extent) {
        self.add(other.events, other.first, other.timed, other.own);
    }

    /// With spots that the whole run knows.
    pub fn in_run(self, base: u32) -> Extent {
        Extent {
            timed: self.timed.map(|spot| in_run(spot, base)),
            own: self.own.map(|spot| in_run(spot, base)),
            ..self
        }
    }
}

/// Widens two spots by two others, of which there may be none.
#[inline]
fn join(known: &mut [Spot; 2], new: [Spot; 2]) {
    if new[0] != NOWHERE {
        widen(known, new[0]);
        widen(known, new[1]);
    }
}

/// The times of two spots, the earlier one first, UTC ns; `None` when there are none.
pub(super) fn times(snapshot: &Snapshot, spots: [Spot; 2]) -> Option<(i64, i64)> {
    let time = |spot| snapshot.event(event_of(spot)?)?.time();
    let (first, last) = (time(spots[0])?, time(spots[1])?);
    Some((first.min(last), first.max(last)))
}

/// How far so many instances of a segment reach; `lists` are the rows about several of them.
pub(super) fn extents(
    (ground, plan): (&Ground<'_>, &EntityPlan),
    (members, of_group): (&Members<'_>, &[GroupMembers]),
    lists: &[Box<[u32]>],
    instances: usize,
) -> Vec<Extent> {
    let mut out = vec![Extent::NOTHING; instances];
    let is_plain = plan.own.is_empty() && lists.is_empty() && ground.is_all_timed();
    for (group, about) in of_group.iter().enumerate() {
        match *about {
            GroupMembers::None => {}
            GroupMembers::One(one) => of_one((ground, plan), group, &mut out[one as usize]),
            GroupMembers::Each if is_plain => {
                let rows = &ground.view.segment.groups[group].rows;
                for (at, row) in rows.iter().map(|row| usize::from(*row)).enumerate() {
                    if let Some(known) = out.get_mut(members.of_row[row] as usize) {
                        known.add_timed(spot(ground.places[row], row, at));
                    }
                }
            }
            GroupMembers::Each => of_each((ground, plan), (members, lists), group, &mut out),
        }
    }
    out
}

/// Takes over the rows of a group that are all about one instance.
fn of_one((ground, plan): (&Ground<'_>, &EntityPlan), group: usize, known: &mut Extent) {
    let rows = &ground.view.segment.groups[group].rows;
    let reach = ground.reach(group);
    let counts = !plan.own.is_empty();
    let joined = counts.then(|| joined(ground, plan, group)).flatten();
    let own = match (counts, &joined) {
        (false, _) => [NOWHERE; 2],
        (true, None) => reach.timed,
        (true, Some(joined)) => {
            let own = rows.iter().copied().enumerate();
            ground
                .reach_of(own.filter(|(at, _)| !joined.get(*at)))
                .timed
        }
    };
    let first = (place(reach.all[0]), 0);
    known.add(rows.len() as u32, first, reach.timed, own);
}

/// Takes over the rows of a group of which each may be about other instances.
fn of_each(
    (ground, plan): (&Ground<'_>, &EntityPlan),
    (members, lists): (&Members<'_>, &[Box<[u32]>]),
    group: usize,
    out: &mut [Extent],
) {
    let counts = !plan.own.is_empty();
    let joined = counts.then(|| joined(ground, plan, group)).flatten();
    let is_own = |at: usize| counts && !joined.as_ref().is_some_and(|joined| joined.get(at));
    let rows = &ground.view.segment.groups[group].rows;
    for (at, row) in rows.iter().enumerate() {
        let row = usize::from(*row);
        let place = ground.places[row];
        let timed = match ground.is_timed(row) {
            true => [spot(place, row, at); 2],
            false => [NOWHERE; 2],
        };
        let own = match is_own(at) {
            true => timed,
            false => [NOWHERE; 2],
        };
        let mut add = |one: u32, among: usize| {
            out[one as usize].add(1, (place, among as u32), timed, own);
        };
        match members.of_row[row] {
            NOBODY => {}
            one if one < SEVERAL => add(one, 0),
            list => {
                let list = lists[(list & !SEVERAL) as usize].iter().enumerate();
                list.for_each(|(among, one)| add(*one, among));
            }
        }
    }
}

/// The rows of a group to which joins with other records gave a key that should be their own, if there are some.
fn joined(ground: &Ground<'_>, plan: &EntityPlan, group: usize) -> Option<Bits> {
    let view = ground.view;
    let derived = &view.snapshot.derived;
    let is_other = |join: u32| {
        let giver = derived.joins.get(join as usize);
        giver.is_some_and(|g| matches!(g.kind, GiverKind::Join | GiverKind::Bracket))
    };
    let rows = view.segment.groups[group].rows.len();
    let mut out: Option<Bits> = None;
    let columns = derived.columns(view.index, group).iter();
    for column in columns.filter(|c| plan.own.contains(&c.key)) {
        // Mostly one join gave all of them.
        if let Column::Const(join) = column.joins {
            if is_other(join) {
                return Some(Bits::all(rows));
            }
            continue;
        }
        for at in 0..rows {
            if matches!(column.joins.cell(at), Cell::One(join) if is_other(join)) {
                out.get_or_insert_with(|| Bits::none(rows)).set(at);
            }
        }
    }
    out
}
