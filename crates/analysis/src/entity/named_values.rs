//! Values named by the first or last events of instances: labels and places.

use widetui_core::dict::{Code, NONE};
use widetui_store::lanes::{Lane, UNUSABLE};

use crate::entity::extent::Extent;
use crate::entity::ids::NOBODY;
use crate::entity::members::{GroupMembers, Members, SEVERAL};
use crate::entity::shared_columns::{Ground, KeyNumber, usable};
use crate::entity::time_range::{NOWHERE, Reach, Spot, place, row_of};

/// What an event names that counts so far, and its rank: the greatest counts.
#[derive(Clone, Copy, Debug)]
struct BestNamed {
    rank: Rank,
    code: Code,
}

/// Two with a time, one without; then the place, in the order that counts. Nothing has none.
type Rank = u64;

impl BestNamed {
    /// No event names anything.
    const NOTHING: BestNamed = BestNamed {
        rank: 0,
        code: NONE,
    };

    /// Takes one that counts more.
    #[inline]
    fn take(&mut self, new: BestNamed) {
        if new.rank > self.rank {
            *self = new;
        }
    }
}

/// What one of a segment's instances is named by an event: instance times the number of keys that occur plus which of these it
/// is, and the value.
type InSegment = (u32, BestNamed);

/// What the instances of a segment are named. All segments' wait until the last one was looked at, so it is kept small.
#[derive(Debug, Default)]
pub(super) struct SegmentNamed {
    /// The keys that occur, by which of all they are.
    keys: Box<[usize]>,
    /// By instance and key that occurs: what its first event with a time, or its last, names; `NONE` for nothing.
    at_end: Box<[Code]>,
    /// What the next ones name of which that one says nothing.
    others: Box<[InSegment]>,
}

/// Which of the events that name a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The first; one without a time is later than all others.
    First,
    /// The last; one without a time is earlier than all others.
    Last,
}

impl Which {
    /// The rank of a row: by its place among all events in time order. Greater than that of nothing.
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

    /// The greatest rank of the rows of a group.
    fn greatest(self, reach: &Reach) -> Rank {
        match reach.timed() {
            Some(timed) => self.of_place(place(self.end(timed)), true),
            None => self.of_place(place(self.end(reach.all)), false),
        }
    }

    /// That of the first and the last spot that counts.
    fn end(self, [first, last]: [Spot; 2]) -> Spot {
        match self {
            Which::First => first,
            Which::Last => last,
        }
    }
}

/// What the instances of a segment, which reach so far, are named by some keys (by their numbers).
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
        // Of a list each place names its own.
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

/// What the events at the ends do not name: few instances lack something as a rule.
struct Missing<'a> {
    at_end: &'a [Code],
    /// The keys that occur.
    keys: Vec<KeyNumber>,
    /// Instances that lack something.
    lacking: Vec<u32>,
    /// By instance, its place among them, `NOBODY` for one that lacks nothing.
    places: Vec<u32>,
    /// By place of an instance among them and key: what the best event so far names.
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

    /// What other events name.
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

    /// Whether something is not known of an instance.
    #[inline]
    fn lacks(&self, own: u32) -> bool {
        let place = self.places.get(own as usize);
        place.is_some_and(|place| *place != NOBODY)
    }

    /// Takes what an event names of the key with this number among those that occur, where it is missing.
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

    /// The keys that a group has, by their numbers among those that occur.
    fn present<'l>(&self, lanes: &'l [Lane]) -> Vec<(usize, &'l Lane)> {
        let lanes = self.keys.iter().map(|key| &lanes[*key]).enumerate();
        let is_absent = |lane: &Lane| matches!(lane, Lane::Absent | Lane::Const(NONE | UNUSABLE));
        lanes.filter(|(_, lane)| !is_absent(lane)).collect()
    }

    /// A group whose rows are all about one instance.
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

    /// A group whose rows may each be about others.
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

/// What instances are named in the whole run, and which of the events that name it counts.
pub(super) struct NamedSoFar {
    /// By instance and key.
    ranks: Vec<Rank>,
    codes: Vec<Code>,
    keys: usize,
    which: Which,
}

impl NamedSoFar {
    /// Of so many instances, by so many keys: nothing yet.
    pub fn nothing(instances: usize, keys: usize, which: Which) -> NamedSoFar {
        NamedSoFar {
            ranks: vec![0; instances * keys],
            codes: vec![NONE; instances * keys],
            keys,
            which,
        }
    }

    /// What an instance is named, by key; `NONE` for nothing.
    pub fn of(&self, instance: usize) -> &[Code] {
        let of = instance * self.keys..(instance + 1) * self.keys;
        self.codes.get(of).unwrap_or_default()
    }

    /// What all are named: by instance and key.
    pub fn all(self) -> Vec<Code> {
        self.codes
    }

    /// Takes over what a segment found of instances that reach so far: `to` gives for each of them the number here.
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
