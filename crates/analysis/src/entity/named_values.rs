//! Values stated by the first or last events of instances: labels and places.

use widetui_core::dict::{Code, NONE};
use widetui_store::lanes::{Lane, UNUSABLE};

use crate::entity::extent::Extent;
use crate::entity::ids::NOBODY;
use crate::entity::members::{GroupMembers, Members, SEVERAL};
use crate::entity::shared_columns::{Ground, KeyNumber, usable};
use crate::entity::time_range::{NOWHERE, Reach, Spot, place, row_of};

/// Best value so far with the rank of its event; the greatest rank counts.
#[derive(Clone, Copy, Debug)]
struct BestNamed {
    rank: Rank,
    code: Code,
}

/// Rank of an event: 2 with a time, 1 without, in the upper half; then the position in time order,
/// reversed if the first counts. 0 without an event.
type Rank = u64;

impl BestNamed {
    /// No value.
    const NOTHING: BestNamed = BestNamed {
        rank: 0,
        code: NONE,
    };

    /// Replaces the value by one with a greater rank.
    #[inline]
    fn take(&mut self, new: BestNamed) {
        if new.rank > self.rank {
            *self = new;
        }
    }
}

/// Value of an instance of a segment: slot (instance times number of occurring keys plus key), and
/// the value.
type InSegment = (u32, BestNamed);

/// Values of the instances of a segment. Kept compact, since the results of all segments wait for
/// the last one.
#[derive(Debug, Default)]
pub(super) struct SegmentNamed {
    /// Occurring keys, as indices into all keys.
    keys: Box<[usize]>,
    /// By instance and occurring key: value in the first (or last) timed event; `NONE` without a
    /// value.
    at_end: Box<[Code]>,
    /// Values from other events where that event has none.
    others: Box<[InSegment]>,
}

/// Choice among the events that state a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// First event; events without a time come after all others.
    First,
    /// Last event; events without a time come before all others.
    Last,
}

impl Which {
    /// Rank of a row by its position in time order; always greater than 0.
    #[inline]
    fn rank(self, ground: &Ground<'_>, row: usize) -> Rank {
        self.of_place(ground.places[row], ground.is_timed(row))
    }

    fn of_place(self, place: u32, is_timed: bool) -> Rank {
        let place = match self {
            Which::First => u32::MAX - place,
            Which::Last => place,
        };
        (1 + u64::from(is_timed)) << 32 | u64::from(place)
    }

    /// Greatest rank among the rows of a group.
    fn greatest(self, reach: &Reach) -> Rank {
        match reach.timed() {
            Some(timed) => self.of_place(place(self.end(timed)), true),
            None => self.of_place(place(self.end(reach.all)), false),
        }
    }

    /// The spot of a range that counts.
    fn end(self, [first, last]: [Spot; 2]) -> Spot {
        match self {
            Which::First => first,
            Which::Last => last,
        }
    }
}

/// Collects the values of some keys for the instances of a segment.
pub(super) fn named(
    ground: &Ground<'_>,
    about: (&Members<'_>, &[GroupMembers]),
    extents: &[Extent],
    keys: &[KeyNumber],
    which: Which,
) -> SegmentNamed {
    let occurs = |key: &KeyNumber| ground.lanes.iter().any(|lanes| !lanes[*key].is_absent());
    let occurring: Vec<usize> = (0..keys.len()).filter(|at| occurs(&keys[*at])).collect();
    if occurring.is_empty() || extents.is_empty() {
        return SegmentNamed::default();
    }
    let keys: Vec<KeyNumber> = occurring.iter().map(|at| keys[*at]).collect();
    let mut at_end = vec![NONE; extents.len() * keys.len()];
    for (extent, codes) in extents.iter().zip(at_end.chunks_exact_mut(keys.len())) {
        let spot = which.end(extent.timed);
        let (row, in_group) = row_of(spot);
        // In a row with several instances each list element has its own value.
        if spot == NOWHERE || about.0.of(row) >= SEVERAL {
            continue;
        }
        let group = ground.view.segment.group_number(row);
        let (lanes, ends) = (&ground.lanes[group], ground.ends[group]);
        for (code, key) in codes.iter_mut().zip(&keys) {
            *code = usable(lanes[*key].row(in_group, ends));
        }
    }
    let others = Missing::of(&at_end, keys).of_others(ground, about, which);
    SegmentNamed {
        keys: occurring.into(),
        at_end: at_end.into(),
        others: others.into(),
    }
}

/// Values that the first (or last) events lack: few instances as a rule.
struct Missing<'a> {
    at_end: &'a [Code],
    /// Occurring keys.
    keys: Vec<KeyNumber>,
    /// Instances that lack a value.
    lacking: Vec<u32>,
    /// Index into `lacking` by instance; `NOBODY` if nothing is missing.
    places: Vec<u32>,
    /// Best value so far, by index into `lacking` and key.
    best: Vec<BestNamed>,
}

impl<'a> Missing<'a> {
    fn of(at_end: &'a [Code], keys: Vec<KeyNumber>) -> Missing<'a> {
        let mut lacking = Vec::new();
        let all = at_end.chunks_exact(keys.len()).zip(0..);
        let places = all.map(|(codes, own)| match codes.contains(&NONE) {
            false => NOBODY,
            true => {
                lacking.push(own);
                lacking.len() as u32 - 1
            }
        });
        let places = places.collect();
        Missing {
            at_end,
            best: vec![BestNamed::NOTHING; lacking.len() * keys.len()],
            keys,
            lacking,
            places,
        }
    }

    /// Finds missing values in the other events.
    fn of_others(
        mut self,
        ground: &Ground<'_>,
        (members, of_group): (&Members<'_>, &[GroupMembers]),
        which: Which,
    ) -> Vec<InSegment> {
        for (group, about) in of_group.iter().enumerate() {
            match *about {
                GroupMembers::One(own) if self.lacks(own) => {
                    self.of_one(ground, group, own, which);
                }
                GroupMembers::Each | GroupMembers::Lists if !self.lacking.is_empty() => {
                    self.of_each(ground, group, members, which);
                }
                _ => {}
            }
        }
        let width = self.keys.len() as u32;
        let all = self.lacking.iter().zip(self.best.chunks(self.keys.len()));
        let slots = all.flat_map(|(own, best)| (own * width..).zip(best));
        let known = slots.filter(|(_, best)| best.code != NONE);
        known.map(|(slot, best)| (slot, *best)).collect()
    }

    /// Whether an instance lacks a value.
    #[inline]
    fn lacks(&self, own: u32) -> bool {
        let place = self.places.get(own as usize);
        place.is_some_and(|place| *place != NOBODY)
    }

    /// Takes the value of an event for an occurring key if it is missing.
    #[inline]
    fn take(&mut self, own: u32, key: usize, code: Code, rank: impl FnOnce() -> Rank) {
        let (code, width) = (usable(code), self.keys.len());
        if code == NONE || self.at_end[own as usize * width + key] != NONE {
            return;
        }
        let place = self.places[own as usize] as usize;
        let rank = rank();
        self.best[place * width + key].take(BestNamed { rank, code });
    }

    /// Occurring keys that a group has, with their columns.
    fn present<'l>(&self, lanes: &'l [Lane]) -> Vec<(usize, &'l Lane)> {
        let lanes = self.keys.iter().map(|key| &lanes[*key]).enumerate();
        let is_absent = |lane: &Lane| matches!(lane, Lane::Absent | Lane::Const(NONE | UNUSABLE));
        lanes.filter(|(_, lane)| !is_absent(lane)).collect()
    }

    /// Searches a group whose rows all belong to one instance.
    fn of_one(&mut self, ground: &Ground<'_>, group: usize, own: u32, which: Which) {
        let rows = &ground.view.segment.groups[group].rows;
        for (key, lane) in self.present(&ground.lanes[group]) {
            if let Lane::Const(code) = lane {
                self.take(own, key, *code, || which.greatest(ground.reach(group)));
                continue;
            }
            for (place, row) in rows.iter().enumerate() {
                let code = lane.row(place, ground.ends[group]);
                self.take(own, key, code, || which.rank(ground, usize::from(*row)));
            }
        }
    }

    /// Searches a group whose rows may belong to different instances.
    fn of_each(&mut self, ground: &Ground<'_>, group: usize, members: &Members<'_>, which: Which) {
        let present = self.present(&ground.lanes[group]);
        if present.is_empty() {
            return;
        }
        let ends = ground.ends[group];
        let rows = ground.view.segment.groups[group].rows.iter();
        for (place, row) in rows.map(|row| usize::from(*row)).enumerate() {
            members.each(row, |own, slot| {
                if !self.lacks(own) {
                    return;
                }
                for (key, lane) in &present {
                    let code = match (lane, slot) {
                        (Lane::Slots(codes), Some(slot)) => {
                            codes.get(slot).copied().unwrap_or(NONE)
                        }
                        (lane, _) => lane.row(place, ends),
                    };
                    self.take(own, *key, code, || which.rank(ground, row));
                }
            });
        }
    }
}

/// Values of the instances of the whole run, with the ranks of their events.
pub(super) struct NamedSoFar {
    /// Rank by instance and key.
    ranks: Vec<Rank>,
    codes: Vec<Code>,
    keys: usize,
    which: Which,
}

impl NamedSoFar {
    /// No values yet, for `instances` instances and `keys` keys.
    pub fn nothing(instances: usize, keys: usize, which: Which) -> NamedSoFar {
        NamedSoFar {
            ranks: vec![0; instances * keys],
            codes: vec![NONE; instances * keys],
            keys,
            which,
        }
    }

    /// Values of an instance by key; `NONE` without a value.
    pub fn of(&self, instance: usize) -> &[Code] {
        let of = instance * self.keys..(instance + 1) * self.keys;
        self.codes.get(of).unwrap_or_default()
    }

    /// Values of all instances, by instance and key.
    pub fn all(self) -> Vec<Code> {
        self.codes
    }

    /// Merges the values of a segment; `to` maps its instances to numbers of the whole run.
    pub fn merge(&mut self, new: &SegmentNamed, extents: &[Extent], to: &[u32]) {
        let width = new.keys.len();
        if width == 0 {
            return;
        }
        let ended = new.at_end.chunks_exact(width).zip(extents).zip(to);
        for ((codes, extent), to) in ended.filter(|(_, to)| **to != NOBODY) {
            let end = self.which.end(extent.timed);
            let rank = self.which.of_place(place(end), true);
            let of = *to as usize * self.keys..(*to as usize + 1) * self.keys;
            let (ranks, known) = (&mut self.ranks[of.clone()], &mut self.codes[of]);
            for (at, code) in new.keys.iter().zip(codes) {
                if *code != NONE && rank > ranks[*at] {
                    (ranks[*at], known[*at]) = (rank, *code);
                }
            }
        }
        for (slot, new_one) in &new.others {
            let (local, key) = (*slot as usize / width, *slot as usize % width);
            let at = to[local] as usize * self.keys + new.keys[key];
            if let (Some(rank), Some(code)) = (self.ranks.get_mut(at), self.codes.get_mut(at))
                && new_one.rank > *rank
            {
                (*rank, *code) = (new_one.rank, new_one.code);
            }
        }
    }
}
