//! Time ranges of the events of instances.

use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::column::{Cell, Column};
use widetui_store::derived::GiverKind;

use crate::entity::ids::NOBODY;
use crate::entity::members::{GroupMembers, Members, RowLists, SEVERAL};
use crate::entity::plan::EntityPlan;
use crate::entity::shared_columns::Ground;
use crate::entity::time_range::{NOWHERE, Spot, event_of, in_run, place, spot, widen};

/// The events of an instance. Of their times nothing is looked up before the last segment was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// How many.
    pub events: u32,
    /// Place of the first, then which of those that begin with it this one is.
    pub first: (u32, u32),
    /// The first and the last that have a time; `NOWHERE` when none has.
    pub timed: [Spot; 2],
}

impl Extent {
    /// Of no event.
    pub const NOTHING: Extent = Extent {
        events: 0,
        first: (u32::MAX, 0),
        timed: [NOWHERE; 2],
    };

    /// Takes over so many events of a segment.
    #[inline]
    fn add(&mut self, events: u32, first: (u32, u32), timed: [Spot; 2]) {
        self.events += events;
        self.first = self.first.min(first);
        join(&mut self.timed, timed);
    }
}

/// The rows of a segment that have a time and are about one instance alone: nearly all are such.
#[derive(Clone, Copy)]
pub(super) struct Alone {
    events: u32,
    first: Spot,
    /// Greater by one than the last; 0 for none.
    end: Spot,
}

impl Alone {
    pub const NOTHING: Alone = Alone {
        events: 0,
        first: NOWHERE,
        end: 0,
    };

    /// Takes over a row.
    #[inline]
    pub fn add(&mut self, spot: Spot) {
        self.events += 1;
        self.first = self.first.min(spot);
        self.end = self.end.max(spot + 1);
    }
}

/// How far instances reach.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// By instance.
    pub all: Vec<Extent>,
    /// By instance, the first and the last event that has a time and names it itself; `NOWHERE` when none does. Empty where
    /// that does not count.
    pub own: Vec<[Spot; 2]>,
}

impl Extents {
    /// Of so many instances of a plan: no events yet.
    pub fn nothing(plan: &EntityPlan, instances: usize) -> Extents {
        Extents {
            all: vec![Extent::NOTHING; instances],
            own: match plan.own.is_empty() {
                true => Vec::new(),
                false => vec![[NOWHERE; 2]; instances],
            },
        }
    }

    /// The first and the last event that name an instance themselves.
    pub fn own(&self, instance: usize) -> [Spot; 2] {
        self.own.get(instance).copied().unwrap_or([NOWHERE; 2])
    }

    /// Takes over what a segment that begins with this event holds: `to` gives for each of its instances the number here.
    pub fn merge(&mut self, segment: &Extents, base: u32, to: &[u32]) {
        let of_run = |spots: [Spot; 2]| spots.map(|spot| in_run(spot, base));
        for (new, to) in segment.all.iter().zip(to) {
            if let Some(known) = self.all.get_mut(*to as usize) {
                known.add(new.events, new.first, of_run(new.timed));
            }
        }
        for (new, to) in segment.own.iter().zip(to) {
            if let Some(known) = self.own.get_mut(*to as usize) {
                join(known, of_run(*new));
            }
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

/// How far so many instances of a segment reach; `lists` are the rows about several of them, `alone` what is known already of
/// those about one (see `Scan::place`).
pub(super) fn extents(
    (ground, plan): (&Ground<'_>, &EntityPlan),
    (members, of_group): (&Members<'_>, &[GroupMembers]),
    (lists, alone): (&RowLists<u32>, &mut Vec<Alone>),
    instances: usize,
) -> Extents {
    let mut out = Extents::nothing(plan, instances);
    alone.resize(instances, Alone::NOTHING);
    let about = of_group.iter().enumerate();
    for (group, about) in about.filter(|(_, about)| **about != GroupMembers::None) {
        let own = Own::of((ground, plan), group);
        match *about {
            GroupMembers::None => {}
            GroupMembers::One(one) => of_one(ground, group, one as usize, &own, &mut out),
            GroupMembers::Each | GroupMembers::Lists => {
                if *about == GroupMembers::Lists || !ground.is_all_timed() {
                    of_each(ground, group, (members, lists), (alone, &mut out.all));
                }
                own_of_each(ground, group, (members, lists), (&own, &mut out.own));
            }
        }
    }
    for (alone, known) in alone.iter().zip(&mut out.all) {
        if alone.events > 0 {
            let first = (place(alone.first), 0);
            known.add(alone.events, first, [alone.first, alone.end - 1]);
        }
    }
    out
}

/// Which rows of a group name an instance themselves.
enum Own {
    /// None, or it does not count.
    None,
    All,
    /// All but those that other records told it.
    But(Bits),
}

impl Own {
    fn of((ground, plan): (&Ground<'_>, &EntityPlan), group: usize) -> Own {
        if plan.own.is_empty() {
            return Own::None;
        }
        let rows = ground.view.segment.groups[group].rows.len();
        match joined(ground, plan, group) {
            None => Own::All,
            Some(joined) if joined.count() == rows => Own::None,
            Some(joined) => Own::But(joined),
        }
    }

    #[inline]
    fn has(&self, at: usize) -> bool {
        match self {
            Own::None => false,
            Own::All => true,
            Own::But(joined) => !joined.get(at),
        }
    }
}

/// Takes over the rows of a group that are all about one instance.
fn of_one(ground: &Ground<'_>, group: usize, one: usize, own: &Own, out: &mut Extents) {
    let rows = &ground.view.segment.groups[group].rows;
    let reach = ground.reach(group);
    let first = (place(reach.all[0]), 0);
    out.all[one].add(rows.len() as u32, first, reach.timed);
    let own = match own {
        Own::None => return,
        Own::All => reach.timed,
        Own::But(_) => {
            let all = rows.iter().copied().enumerate();
            ground.reach_of(all.filter(|(at, _)| own.has(*at))).timed
        }
    };
    if let Some(known) = out.own.get_mut(one) {
        join(known, own);
    }
}

/// Takes over the rows of a group of which each may be about other instances.
fn of_each(
    ground: &Ground<'_>,
    group: usize,
    (members, lists): (&Members<'_>, &RowLists<u32>),
    (alone, out): (&mut [Alone], &mut [Extent]),
) {
    let is_all_timed = ground.is_all_timed();
    let rows = ground.view.segment.groups[group].rows.iter();
    for (at, row) in rows.map(|row| usize::from(*row)).enumerate() {
        let spot = spot(ground.places[row], row, at);
        let about = members.of(row);
        if is_all_timed && let Some(known) = alone.get_mut(about as usize) {
            known.add(spot);
            continue;
        }
        let timed = match ground.is_timed(row) {
            true => [spot; 2],
            false => [NOWHERE; 2],
        };
        let mut among = 0;
        each_of(about, lists, |one| {
            out[one].add(1, (place(spot), among), timed);
            among += 1;
        });
    }
}

/// Takes over the rows of such a group that name their instances themselves.
fn own_of_each(
    ground: &Ground<'_>,
    group: usize,
    (members, lists): (&Members<'_>, &RowLists<u32>),
    (own, out): (&Own, &mut [[Spot; 2]]),
) {
    if matches!(own, Own::None) {
        return;
    }
    let rows = ground.view.segment.groups[group].rows.iter();
    for (at, row) in rows.map(|row| usize::from(*row)).enumerate() {
        if own.has(at) && ground.is_timed(row) {
            let spot = spot(ground.places[row], row, at);
            each_of(members.of(row), lists, |one| widen(&mut out[one], spot));
        }
    }
}

/// Calls `f` with each instance that a row is about.
#[inline]
fn each_of(about: u32, lists: &RowLists<u32>, mut f: impl FnMut(usize)) {
    match about {
        NOBODY => {}
        one if one < SEVERAL => f(one as usize),
        list => {
            let list = lists.get(list & !SEVERAL).iter();
            list.for_each(|one| f(*one as usize));
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
