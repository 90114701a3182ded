//! First and last events of instances.

use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::column::{Cell, Column};
use widetui_store::derived::GiverKind;

use crate::entity::ids::NOBODY;
use crate::entity::members::{GroupMembers, Members, RowLists, SEVERAL};
use crate::entity::plan::EntityPlan;
use crate::entity::shared_columns::Ground;
use crate::entity::time_range::{NOWHERE, Spot, event_of, in_run, place, spot, widen};

/// Number and extent of the events of an instance. Times are looked up after all segments were
/// scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Number of events.
    pub events: u32,
    /// Time-order position of the first event, then the index among the instances of that event.
    pub first: (u32, u32),
    /// First and last event with a time; `NOWHERE` if there is none.
    pub timed: [Spot; 2],
}

impl Extent {
    /// Extent without events.
    pub const NOTHING: Extent = Extent {
        events: 0,
        first: (u32::MAX, 0),
        timed: [NOWHERE; 2],
    };

    /// Adds the events of a segment.
    #[inline]
    fn add(&mut self, events: u32, first: (u32, u32), timed: [Spot; 2]) {
        self.events += events;
        self.first = self.first.min(first);
        join(&mut self.timed, timed);
    }
}

/// Extent of the timed rows of a segment that belong to one instance only, as nearly all rows do.
#[derive(Clone, Copy)]
pub(super) struct Alone {
    events: u32,
    first: Spot,
    /// Last spot plus one; 0 without rows.
    end: Spot,
}

impl Alone {
    pub const NOTHING: Alone = Alone {
        events: 0,
        first: NOWHERE,
        end: 0,
    };

    /// Adds a row.
    #[inline]
    pub fn add(&mut self, spot: Spot) {
        self.events += 1;
        self.first = self.first.min(spot);
        self.end = self.end.max(spot + 1);
    }
}

/// Extents of the events of all instances.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// Extents by instance.
    pub all: Vec<Extent>,
    /// First and last timed event of each instance that state its id themselves (not through a
    /// join); `NOWHERE` if none does. Empty if the entity does not require this.
    pub own: Vec<[Spot; 2]>,
}

impl Extents {
    /// Extents of `instances` instances without events.
    pub fn nothing(plan: &EntityPlan, instances: usize) -> Extents {
        Extents {
            all: vec![Extent::NOTHING; instances],
            own: match plan.own.is_empty() {
                true => Vec::new(),
                false => vec![[NOWHERE; 2]; instances],
            },
        }
    }

    /// First and last event that state the id of an instance themselves.
    pub fn own(&self, instance: usize) -> [Spot; 2] {
        self.own.get(instance).copied().unwrap_or([NOWHERE; 2])
    }

    /// Merges the extents of a segment whose first event is `base`; `to` maps its instances to
    /// numbers of the whole run.
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

/// Extends a range of spots by another range, which may be empty.
#[inline]
fn join(known: &mut [Spot; 2], new: [Spot; 2]) {
    if new[0] != NOWHERE {
        widen(known, new[0]);
        widen(known, new[1]);
    }
}

/// Times of two spots, the earlier one first, UTC ns; `None` without spots.
pub(super) fn times(snapshot: &Snapshot, spots: [Spot; 2]) -> Option<(i64, i64)> {
    let time = |spot| snapshot.event(event_of(spot)?)?.time();
    let (first, last) = (time(spots[0])?, time(spots[1])?);
    Some((first.min(last), first.max(last)))
}

/// Computes the extents of the instances of a segment. `lists` are the rows with several instances,
/// `alone` the known extents of rows with one (see `Scan::place`).
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

/// Rows of a group that state the id of an instance themselves.
enum Own {
    /// No row, or the entity does not require it.
    None,
    All,
    /// All rows except those that received the id from other records by joins.
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

/// Adds a group whose rows all belong to one instance.
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

/// Adds a group whose rows may belong to different instances.
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

/// Adds the rows of such a group that state their ids themselves.
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

/// Calls `f` with each instance of a row.
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

/// Rows of a group that received a key of `plan.own` from other records by joins; `None` if there
/// are none.
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
        // Usually one join derived all values.
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
