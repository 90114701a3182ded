//! Which values the first, or the last, events of instances name: what a thing is called, where it was seen last.

use crate::base::dict::{Code, NONE};
use crate::store::lanes::{Lane, UNUSABLE};

use super::ground::{Ground, KeyNumber};
use super::members::{GroupMembers, Members};
use super::reach::{Reach, place};

/// What an event names that counts so far, and its rank: the greatest counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestNamed {
    rank: Rank,
    code: Code,
}

/// Two with a time, one without; then the place, in the order that counts.
type Rank = (u32, u32);

impl BestNamed {
    /// No event names anything.
    pub const NOTHING: BestNamed = BestNamed {
        rank: (0, 0),
        code: NONE,
    };

    /// Takes one that counts more.
    #[inline]
    fn take(&mut self, new: BestNamed) {
        if new.rank > self.rank {
            *self = new;
        }
    }

    /// The value.
    pub fn code(self) -> Option<Code> {
        (self.code != NONE).then_some(self.code)
    }
}

/// What the instances of a segment are named: instance times the number of keys plus the number of the key, and the value.
/// All segments' wait until the last one was looked at, so there are only those that have one.
pub(super) type InSegment = (u32, BestNamed);

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
        let place = match self {
            Which::First => u32::MAX - ground.places[row],
            Which::Last => ground.places[row],
        };
        (1 + u32::from(ground.is_timed(row)), place)
    }

    /// The greatest rank of the rows of a group.
    fn greatest(self, reach: &Reach) -> Rank {
        let ([first, last], timed) = match reach.timed() {
            Some(timed) => (timed, 2),
            None => (reach.all, 1),
        };
        match self {
            Which::First => (timed, u32::MAX - place(first)),
            Which::Last => (timed, place(last)),
        }
    }
}

/// For each of so many instances of a segment and each of some keys (by their numbers) the event that counts.
pub(super) fn named(
    ground: &Ground<'_>,
    (members, of_group, instances): (&Members<'_>, &[GroupMembers], usize),
    keys: &[KeyNumber],
    which: Which,
) -> Box<[InSegment]> {
    let width = keys.len() as u32;
    let mut out: Vec<InSegment> = Vec::new();
    let mut best: Vec<BestNamed> = Vec::new();
    for (key, at) in keys.iter().zip(0..) {
        if ground.lanes.iter().all(|lanes| lanes[*key].is_absent()) {
            continue;
        }
        best.clear();
        best.resize(instances, BestNamed::NOTHING);
        for (group, lanes) in ground.lanes.iter().enumerate() {
            let rows = &ground.view.segment.groups[group].rows;
            let rank = |row: &u16| which.rank(ground, usize::from(*row));
            let mut take = |own: u32, rank: Rank, code: Code| {
                if code != NONE && code != UNUSABLE {
                    best[own as usize].take(BestNamed { rank, code });
                }
            };
            match (of_group[group], &lanes[*key]) {
                (GroupMembers::None, _) | (_, Lane::Absent) => {}
                (GroupMembers::One(own), Lane::Const(code)) => {
                    take(own, which.greatest(ground.reach(group)), *code);
                }
                (GroupMembers::One(own), Lane::Rows(codes)) => {
                    for (row, code) in rows.iter().zip(codes) {
                        take(own, rank(row), *code);
                    }
                }
                (_, lane) => {
                    let ends = ground.ends[group];
                    for (place, row) in rows.iter().enumerate() {
                        members.each(usize::from(*row), |own, slot| {
                            let code = match (lane, slot) {
                                (Lane::Slots(codes), Some(slot)) => {
                                    codes.get(slot).copied().unwrap_or(NONE)
                                }
                                (lane, _) => lane.row(place, ends),
                            };
                            take(own, rank(row), code);
                        });
                    }
                }
            }
        }
        let known = best
            .iter()
            .zip(0u32..)
            .filter(|(best, _)| best.code != NONE);
        out.extend(known.map(|(best, own)| (own * width + at, *best)));
    }
    out.into()
}

/// Takes over what a segment found: `to` gives for each of its instances the number here.
pub(super) fn merge(known: &mut [BestNamed], new: &[InSegment], keys: usize, to: &[u32]) {
    for (slot, new) in new {
        let (local, key) = (*slot as usize / keys, *slot as usize % keys);
        if let Some(known) = known.get_mut(to[local] as usize * keys + key) {
            known.take(*new);
        }
    }
}
