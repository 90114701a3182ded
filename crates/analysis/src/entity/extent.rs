//! First and last events of instances.

use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::column::{Cell, Column};
use widetui_store::derived::JoinKind;

use crate::entity::ids::NO_INSTANCE;
use crate::entity::members::{GroupMembers, LIST_FLAG, RowLists, RowMembers};
use crate::entity::plan::EntityPlan;
use crate::entity::shared_columns::SegmentColumns;
use crate::entity::time_range::{NO_SPOT, Spot, event_of, extend, position, run_spot, spot};

/// Number and extent of the events of an instance. Times are looked up after all segments were
/// scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventExtent {
    /// Number of events of the instance.
    pub(crate) events: u32,
    /// Time-order position of the first event, then the index among the instances of that event.
    pub(crate) first: (u32, u32),
    /// First and last event with a time; `NO_SPOT` if there is none.
    pub(crate) timed: [Spot; 2],
}

impl EventExtent {
    /// Extent without events.
    pub(crate) const EMPTY: EventExtent = EventExtent {
        events: 0,
        first: (u32::MAX, 0),
        timed: [NO_SPOT; 2],
    };

    /// Adds the events of a segment.
    #[inline]
    fn add(&mut self, events: u32, first: (u32, u32), timed: [Spot; 2]) {
        self.events += events;
        self.first = self.first.min(first);
        extend_range(&mut self.timed, timed);
    }
}

/// Extent of the timed rows of a segment that belong to one instance only, as nearly all rows do.
#[derive(Clone, Copy)]
pub(super) struct SingleExtent {
    events: u32,
    first: Spot,
    /// Last spot plus one; 0 without rows.
    end: Spot,
}

impl SingleExtent {
    pub(crate) const EMPTY: SingleExtent = SingleExtent {
        events: 0,
        first: NO_SPOT,
        end: 0,
    };

    /// Extends the extent by a row of a segment.
    #[inline]
    pub(crate) fn add(&mut self, spot: Spot) {
        self.events += 1;
        self.first = self.first.min(spot);
        self.end = self.end.max(spot + 1);
    }
}

/// Extents of the events of all instances.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// Extents by instance.
    pub(crate) all: Vec<EventExtent>,
    /// First and last timed event of each instance that state its id themselves (not through a
    /// join); `NO_SPOT` if none does. Empty if the entity does not require this.
    pub(crate) stated: Vec<[Spot; 2]>,
}

impl Extents {
    /// Extents of `instances` instances without events.
    pub(crate) fn empty(plan: &EntityPlan, instances: usize) -> Extents {
        Extents {
            all: vec![EventExtent::EMPTY; instances],
            stated: match plan.stated_keys.is_empty() {
                true => Vec::new(),
                false => vec![[NO_SPOT; 2]; instances],
            },
        }
    }

    /// First and last event that state the id of an instance themselves.
    pub(crate) fn stated(&self, instance: usize) -> [Spot; 2] {
        self.stated.get(instance).copied().unwrap_or([NO_SPOT; 2])
    }

    /// Merges the extents of a segment whose first event is `base`; `to` maps its instances to
    /// numbers of the whole run.
    pub(crate) fn merge(&mut self, segment: &Extents, base: u32, to: &[u32]) {
        let of_run = |spots: [Spot; 2]| spots.map(|spot| run_spot(spot, base));
        for (new, to) in segment.all.iter().zip(to) {
            if let Some(known) = self.all.get_mut(*to as usize) {
                known.add(new.events, new.first, of_run(new.timed));
            }
        }
        for (new, to) in segment.stated.iter().zip(to) {
            if let Some(known) = self.stated.get_mut(*to as usize) {
                extend_range(known, of_run(*new));
            }
        }
    }
}

/// Extends a range of spots by another range, which may be empty.
#[inline]
fn extend_range(known: &mut [Spot; 2], new: [Spot; 2]) {
    if new[0] != NO_SPOT {
        extend(known, new[0]);
        extend(known, new[1]);
    }
}

/// Times of two spots, the earlier one first, UTC ns; `None` without spots.
pub(super) fn spot_times(snapshot: &Snapshot, spots: [Spot; 2]) -> Option<(i64, i64)> {
    let time = |spot| snapshot.event(event_of(spot)?)?.time();
    let (first, last) = (time(spots[0])?, time(spots[1])?);
    Some((first.min(last), first.max(last)))
}

/// Computes the extents of the instances of a segment. `lists` are the rows with several instances,
/// `single_extents` the known extents of rows with one (see `Scan::assign_rows`).
pub(super) fn extents(
    (segment_columns, plan): (&SegmentColumns<'_>, &EntityPlan),
    (members, of_group): (&RowMembers<'_>, &[GroupMembers]),
    (lists, single_extents): (&RowLists<u32>, &mut Vec<SingleExtent>),
    instances: usize,
) -> Extents {
    let mut out = Extents::empty(plan, instances);
    single_extents.resize(instances, SingleExtent::EMPTY);
    let row_instances = of_group.iter().enumerate();
    for (group, row_instances) in
        row_instances.filter(|(_, row_instances)| **row_instances != GroupMembers::None)
    {
        let own = StatedRows::find((segment_columns, plan), group);
        match *row_instances {
            GroupMembers::None => {}
            GroupMembers::Single(instance) => {
                add_constant_group(segment_columns, group, instance as usize, &own, &mut out)
            }
            GroupMembers::PerRow | GroupMembers::Lists => {
                if *row_instances == GroupMembers::Lists || !segment_columns.is_all_timed() {
                    add_group(
                        segment_columns,
                        group,
                        (members, lists),
                        (single_extents, &mut out.all),
                    );
                }
                add_stated_rows(
                    segment_columns,
                    group,
                    (members, lists),
                    (&own, &mut out.stated),
                );
            }
        }
    }
    for (single_extents, known) in single_extents.iter().zip(&mut out.all) {
        if single_extents.events > 0 {
            let first = (position(single_extents.first), 0);
            known.add(
                single_extents.events,
                first,
                [single_extents.first, single_extents.end - 1],
            );
        }
    }
    out
}

/// Rows of a group that state the id of an instance themselves.
enum StatedRows {
    /// No row, or the entity does not require it.
    None,
    All,
    /// All rows except those that received the id from other records by joins.
    Except(Bits),
}

impl StatedRows {
    fn find(
        (segment_columns, plan): (&SegmentColumns<'_>, &EntityPlan),
        group: usize,
    ) -> StatedRows {
        if plan.stated_keys.is_empty() {
            return StatedRows::None;
        }
        let rows = segment_columns.view.segment.groups[group].rows.len();
        match joined_rows(segment_columns, plan, group) {
            None => StatedRows::All,
            Some(joined) if joined.count() == rows => StatedRows::None,
            Some(joined) => StatedRows::Except(joined),
        }
    }

    /// Whether the row at this index of the group states its id itself.
    #[inline]
    fn has(&self, at: usize) -> bool {
        match self {
            StatedRows::None => false,
            StatedRows::All => true,
            StatedRows::Except(joined) => !joined.get(at),
        }
    }
}

/// Adds a group whose rows all belong to one instance.
fn add_constant_group(
    segment_columns: &SegmentColumns<'_>,
    group: usize,
    instance: usize,
    own: &StatedRows,
    out: &mut Extents,
) {
    let rows = &segment_columns.view.segment.groups[group].rows;
    let range = segment_columns.group_range(group);
    let first = (position(range.all[0]), 0);
    out.all[instance].add(rows.len() as u32, first, range.timed);
    let own = match own {
        StatedRows::None => return,
        StatedRows::All => range.timed,
        StatedRows::Except(_) => {
            let all = rows.iter().copied().enumerate();
            segment_columns
                .range_of(all.filter(|(at, _)| own.has(*at)))
                .timed
        }
    };
    if let Some(known) = out.stated.get_mut(instance) {
        extend_range(known, own);
    }
}

/// Adds a group whose rows may belong to different instances.
fn add_group(
    segment_columns: &SegmentColumns<'_>,
    group: usize,
    (members, lists): (&RowMembers<'_>, &RowLists<u32>),
    (single_extents, out): (&mut [SingleExtent], &mut [EventExtent]),
) {
    let is_all_timed = segment_columns.is_all_timed();
    let rows = segment_columns.view.segment.groups[group].rows.iter();
    for (at, row) in rows.map(|row| usize::from(*row)).enumerate() {
        let spot = spot(segment_columns.positions[row], row, at);
        let row_instances = members.get(row);
        if is_all_timed && let Some(known) = single_extents.get_mut(row_instances as usize) {
            known.add(spot);
            continue;
        }
        let timed = match segment_columns.is_timed(row) {
            true => [spot; 2],
            false => [NO_SPOT; 2],
        };
        let mut among = 0;
        for_each_instance(row_instances, lists, |instance| {
            out[instance].add(1, (position(spot), among), timed);
            among += 1;
        });
    }
}

/// Adds the rows of such a group that state their ids themselves.
fn add_stated_rows(
    segment_columns: &SegmentColumns<'_>,
    group: usize,
    (members, lists): (&RowMembers<'_>, &RowLists<u32>),
    (own, out): (&StatedRows, &mut [[Spot; 2]]),
) {
    if matches!(own, StatedRows::None) {
        return;
    }
    let rows = segment_columns.view.segment.groups[group].rows.iter();
    for (at, row) in rows.map(|row| usize::from(*row)).enumerate() {
        if own.has(at) && segment_columns.is_timed(row) {
            let spot = spot(segment_columns.positions[row], row, at);
            for_each_instance(members.get(row), lists, |instance| {
                extend(&mut out[instance], spot)
            });
        }
    }
}

/// Calls `f` with each instance of a row.
#[inline]
fn for_each_instance(row_instances: u32, lists: &RowLists<u32>, mut f: impl FnMut(usize)) {
    match row_instances {
        NO_INSTANCE => {}
        instance if instance < LIST_FLAG => f(instance as usize),
        list => {
            let list = lists.get(list & !LIST_FLAG).iter();
            list.for_each(|instance| f(*instance as usize));
        }
    }
}

/// Rows of a group that received a key of `plan.own` from other records by joins; `None` if there
/// are none.
fn joined_rows(
    segment_columns: &SegmentColumns<'_>,
    plan: &EntityPlan,
    group: usize,
) -> Option<Bits> {
    let view = segment_columns.view;
    let derived = &view.snapshot.derived;
    let is_other = |join: u32| {
        let giver = derived.joins.get(join as usize);
        giver.is_some_and(|g| matches!(g.kind, JoinKind::Keys | JoinKind::Bracket))
    };
    let rows = view.segment.groups[group].rows.len();
    let mut out: Option<Bits> = None;
    let columns = derived.columns(view.index, group).iter();
    for column in columns.filter(|c| plan.stated_keys.contains(&c.key)) {
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
