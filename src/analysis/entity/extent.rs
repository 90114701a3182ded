//! How far the events of instances reach in time.

use crate::base::time::NO_TIME;
use crate::query::bits::Bits;
use crate::store::column::Cell;
use crate::store::derived::GiverKind;

use super::ground::Ground;
use super::ids::NOBODY;
use super::members::{GroupMembers, Members, SEVERAL};
use super::plan::{Detail, EntityPlan};
use super::reach::{NOWHERE, Spot, place, spot, widen};

/// The events of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// How many.
    pub events: u32,
    /// Place of the first, then which of those that begin with it this one is.
    pub first: (u32, u32),
    /// The first and the last that have a time; `NOWHERE` when none has.
    timed: [Spot; 2],
    /// Their times, UTC ns, when they were asked for.
    times: [i64; 2],
    /// The first and the last that have a time and name the instance themselves, where that counts; `NOWHERE` when none does.
    own: [Spot; 2],
    /// Their times, UTC ns, when they were asked for.
    own_times: [i64; 2],
}

impl Extent {
    /// Of no event.
    pub const NOTHING: Extent = Extent {
        events: 0,
        first: (u32::MAX, 0),
        timed: [NOWHERE; 2],
        times: [NO_TIME; 2],
        own: [NOWHERE; 2],
        own_times: [NO_TIME; 2],
    };

    /// Times of the first and the last that have one, UTC ns.
    pub fn timed(&self) -> Option<(i64, i64)> {
        range(self.times)
    }

    /// Times of the first and the last that have one and name the instance themselves, where that counts, UTC ns.
    pub fn own(&self) -> Option<(i64, i64)> {
        range(self.own_times)
    }

    /// Takes over so many events of a segment.
    #[inline]
    fn add(&mut self, events: u32, first: (u32, u32), timed: [Spot; 2], own: [Spot; 2]) {
        self.events += events;
        self.first = self.first.min(first);
        join(&mut self.timed, timed);
        join(&mut self.own, own);
    }

    /// Takes over what another segment holds of the same instance.
    pub fn merge(&mut self, other: &Extent) {
        self.events += other.events;
        self.first = self.first.min(other.first);
        later(
            (&mut self.timed, &mut self.times),
            (other.timed, other.times),
        );
        later(
            (&mut self.own, &mut self.own_times),
            (other.own, other.own_times),
        );
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

/// Widens two spots by those of another segment, whose times come with them.
fn later(known: (&mut [Spot; 2], &mut [i64; 2]), (spots, times): ([Spot; 2], [i64; 2])) {
    let before = *known.0;
    join(known.0, spots);
    for end in 0..2 {
        if known.0[end] != before[end] {
            known.1[end] = times[end];
        }
    }
}

/// Two times, the earlier one first; `None` when there are none.
fn range([first, last]: [i64; 2]) -> Option<(i64, i64)> {
    (first != NO_TIME && last != NO_TIME).then(|| (first.min(last), first.max(last)))
}

/// How far so many instances of a segment reach; `lists` are the rows about several of them.
pub(super) fn extents(
    (ground, plan): (&Ground<'_>, &EntityPlan),
    (members, of_group): (&Members<'_>, &[GroupMembers]),
    lists: &[Box<[u32]>],
    instances: usize,
) -> Vec<Extent> {
    let mut out = vec![Extent::NOTHING; instances];
    for (group, about) in of_group.iter().enumerate() {
        let rows = &ground.view.segment.groups[group].rows;
        let counts = !plan.own.is_empty() && !matches!(about, GroupMembers::None);
        let joined = counts.then(|| joined(ground, plan, group)).flatten();
        let is_own = |at: usize| counts && !joined.as_ref().is_some_and(|joined| joined.get(at));
        match *about {
            GroupMembers::None => {}
            GroupMembers::One(one) => {
                let reach = ground.reach(group);
                let own = match (counts, &joined) {
                    (false, _) => [NOWHERE; 2],
                    (true, None) => reach.timed,
                    (true, Some(_)) => {
                        let own = rows.iter().enumerate().filter(|(at, _)| is_own(*at));
                        ground.reach_of(own.map(|(_, row)| *row)).timed
                    }
                };
                let first = (place(reach.all[0]), 0);
                out[one as usize].add(rows.len() as u32, first, reach.timed, own);
            }
            GroupMembers::Each => {
                for (at, row) in rows.iter().enumerate() {
                    let row = usize::from(*row);
                    let place = ground.places[row];
                    let timed = match ground.is_timed(row) {
                        true => [spot(place, row); 2],
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
        }
    }
    if plan.detail > Detail::Events {
        let time = |spot: Spot| match spot {
            NOWHERE => NO_TIME,
            spot => ground.time(spot as u32 as usize),
        };
        for one in &mut out {
            one.times = one.timed.map(time);
            one.own_times = match one.own == one.timed {
                true => one.times,
                false => one.own.map(time),
            };
        }
    }
    out
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
        for at in 0..rows {
            if matches!(column.joins.cell(at), Cell::One(join) if is_other(join)) {
                out.get_or_insert_with(|| Bits::none(rows)).set(at);
            }
        }
    }
    out
}
