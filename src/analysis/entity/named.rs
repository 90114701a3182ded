//! Which values the first, or the last, events of instances name: what a thing is called, where it was seen last.

use crate::base::dict::{Code, NONE};
use crate::store::lanes::{Lane, UNUSABLE};

use super::extent::Extent;
use super::ground::{Ground, KeyNumber, usable};
use super::ids::NOBODY;
use super::members::{GroupMembers, Members, SEVERAL};
use super::reach::{NOWHERE, Reach, Spot, place, row_of};

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

/// What one of a segment's instances is named by an event: instance times the number of keys plus the number of the key, and
/// the value.
type InSegment = (u32, BestNamed);

/// What the instances of a segment are named. All segments' wait until the last one was looked at, so it is kept small.
#[derive(Debug, Default)]
pub(super) struct SegmentNamed {
    /// By instance and key: what its first event with a time, or its last, names; `NONE` for nothing. Empty when there is
    /// nothing at all.
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
    let occurring = || (0..keys.len()).filter(|at| occurs(&keys[*at]));
    if occurring().next().is_none() {
        return SegmentNamed::default();
    }
    let mut at_end = vec![NONE; extents.len() * keys.len()];
    let occurring: Vec<usize> = occurring().collect();
    for (extent, codes) in extents.iter().zip(at_end.chunks_exact_mut(keys.len())) {
        let spot = which.end(extent.timed);
        let (row, in_group) = row_of(spot);
        // Of a list each place names its own.
        if spot == NOWHERE || about.0.of(row) >= SEVERAL {
            continue;
        }
        let group = ground.view.segment.group_number(row);
        let (lanes, ends) = (&ground.lanes[group], ground.ends[group]);
        for at in &occurring {
            codes[*at] = usable(lanes[keys[*at]].row(in_group, ends));
        }
    }
    let mut others: Vec<InSegment> = Vec::new();
    for at in occurring {
        let missing = |own: u32| at_end[own as usize * keys.len() + at] == NONE;
        if (0..extents.len() as u32).any(missing) {
            let best = of_others(ground, about, extents.len(), keys[at], which, missing);
            let known = best.iter().zip(0u32..).filter(|b| b.0.code != NONE);
            let width = keys.len() as u32;
            others.extend(known.map(|(best, own)| (own * width + at as u32, *best)));
        }
    }
    SegmentNamed {
        at_end: at_end.into(),
        others: others.into(),
    }
}

/// What so many instances of a segment are named by one key, as far as it is missing.
fn of_others(
    ground: &Ground<'_>,
    (members, of_group): (&Members<'_>, &[GroupMembers]),
    instances: usize,
    key: KeyNumber,
    which: Which,
    missing: impl Fn(u32) -> bool,
) -> Vec<BestNamed> {
    let mut best = vec![BestNamed::NOTHING; instances];
    for (group, lanes) in ground.lanes.iter().enumerate() {
        let rows = &ground.view.segment.groups[group].rows;
        let mut take = |own: u32, code: Code, rank: &dyn Fn() -> Rank| {
            let code = usable(code);
            if code != NONE {
                best[own as usize].take(BestNamed { rank: rank(), code });
            }
        };
        match (of_group[group], &lanes[key]) {
            (GroupMembers::None, _) | (_, Lane::Absent | Lane::Const(NONE | UNUSABLE)) => {}
            (GroupMembers::One(own), _) if !missing(own) => {}
            (GroupMembers::One(own), Lane::Const(code)) => {
                take(own, *code, &|| which.greatest(ground.reach(group)));
            }
            (GroupMembers::One(own), Lane::Rows(codes)) => {
                for (row, code) in rows.iter().zip(codes) {
                    take(own, *code, &|| which.rank(ground, usize::from(*row)));
                }
            }
            (_, lane) => {
                let ends = ground.ends[group];
                for (place, row) in rows.iter().map(|row| usize::from(*row)).enumerate() {
                    members.each(row, |own, slot| {
                        if !missing(own) {
                            return;
                        }
                        let code = match (lane, slot) {
                            (Lane::Slots(codes), Some(slot)) => {
                                codes.get(slot).copied().unwrap_or(NONE)
                            }
                            (lane, _) => lane.row(place, ends),
                        };
                        take(own, code, &|| which.rank(ground, row));
                    });
                }
            }
        }
    }
    best
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
        if self.keys == 0 {
            return;
        }
        let ended = new.at_end.chunks_exact(self.keys).zip(extents).zip(to);
        for ((codes, extent), to) in ended.filter(|(_, to)| **to != NOBODY) {
            let rank = self
                .which
                .of_place(place(self.which.end(extent.timed)), true);
            let from = *to as usize * self.keys;
            let known = self.ranks[from..].iter_mut().zip(&mut self.codes[from..]);
            for (known, code) in known.zip(codes) {
                if *code != NONE && rank > *known.0 {
                    (*known.0, *known.1) = (rank, *code);
                }
            }
        }
        for (slot, new) in &new.others {
            let (local, key) = (*slot as usize / self.keys, *slot as usize % self.keys);
            let at = to[local] as usize * self.keys + key;
            if let (Some(rank), Some(code)) = (self.ranks.get_mut(at), self.codes.get_mut(at))
                && new.rank > *rank
            {
                (*rank, *code) = (new.rank, new.code);
            }
        }
    }
}
