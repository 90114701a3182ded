//! Which values the first, or the last, events of instances name: what a thing is called, where it was seen last.

use crate::base::dict::{Code, NONE};
use crate::store::lanes::{Lane, UNUSABLE};

use super::ground::{Ground, KeyNumber};
use super::ids::NOBODY;
use super::members::{GroupMembers, Members, SEVERAL};
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

/// Keys that are looked for at a time: a bit each.
const KEYS: usize = u64::BITS as usize;

/// For each of so many instances of a segment and each of some keys (by their numbers) the event that counts.
pub(super) fn named(
    ground: &Ground<'_>,
    about: (&Members<'_>, &[GroupMembers], usize),
    keys: &[KeyNumber],
    which: Which,
) -> Box<[InSegment]> {
    let is_named = |(_, key): &(u32, KeyNumber)| {
        let mut lanes = ground.lanes.iter().map(|lanes| &lanes[*key]);
        lanes.any(|lane| !lane.is_absent())
    };
    let all = (0..).zip(keys.iter().copied());
    let all: Vec<(u32, KeyNumber)> = all.filter(is_named).collect();
    let mut out: Vec<InSegment> = Vec::new();
    for some in all.chunks(KEYS) {
        let looked = Looked {
            ground,
            keys: some,
            which,
        };
        let best = looked.best(about);
        for (own, best) in best.chunks_exact(some.len()).enumerate() {
            let known = some.iter().zip(best).filter(|(_, b)| b.code != NONE);
            let slot = |at: u32| (own * keys.len()) as u32 + at;
            out.extend(known.map(|((at, _), best)| (slot(*at), *best)));
        }
    }
    out.into()
}

/// Some keys that are looked for in a segment.
struct Looked<'l> {
    ground: &'l Ground<'l>,
    /// Place among all keys, number.
    keys: &'l [(u32, KeyNumber)],
    which: Which,
}

impl Looked<'_> {
    /// By instance, by key. Groups that are about one instance and name one value say it at once. The rows of the others are
    /// walked through once for all keys, the one that counts most first, until nothing is missing: most instances have all
    /// their values from a row or two.
    fn best(
        &self,
        (members, of_group, instances): (&Members<'_>, &[GroupMembers], usize),
    ) -> Vec<BestNamed> {
        let mut best = vec![BestNamed::NOTHING; instances * self.keys.len()];
        // By group, which of the keys its rows may name, each its own.
        let mut rows_name = vec![0u64; of_group.len()];
        for (group, about) in of_group.iter().enumerate() {
            for (bit, (_, key)) in self.keys.iter().enumerate() {
                match (*about, &self.ground.lanes[group][*key]) {
                    (GroupMembers::None, _) | (_, Lane::Absent | Lane::Const(NONE | UNUSABLE)) => {}
                    (GroupMembers::One(own), Lane::Const(code)) => {
                        let rank = self.which.greatest(self.ground.reach(group));
                        let place = own as usize * self.keys.len() + bit;
                        best[place].take(BestNamed { rank, code: *code });
                    }
                    _ => rows_name[group] |= 1 << bit,
                }
            }
        }
        let wanted = rows_name.iter().fold(0, |all, names| all | names);
        if wanted != 0 {
            self.walk(members, &rows_name, vec![wanted; instances], &mut best);
        }
        best
    }

    /// Takes of the rows that name something what counts most, where it is still missing.
    fn walk(
        &self,
        members: &Members<'_>,
        rows_name: &[u64],
        mut missing: Vec<u64>,
        best: &mut [BestNamed],
    ) {
        let segment = self.ground.view.segment;
        let places = self.ground.places_in_groups();
        // How many instances miss something.
        let mut left = missing.len();
        self.ground
            .in_time()
            .walk(self.which == Which::Last, |row| {
                let own = members.of_row[row];
                if own == NOBODY || (own < SEVERAL && missing[own as usize] == 0) {
                    return left > 0;
                }
                let group = segment.group_number(row);
                let named = rows_name[group];
                if named == 0 {
                    return left > 0;
                }
                let place = usize::from(places[row]);
                members.each(row, |own, slot| {
                    let missing = &mut missing[own as usize];
                    let mut asked = *missing & named;
                    while asked != 0 {
                        let bit = asked.trailing_zeros() as usize;
                        asked &= asked - 1;
                        let code = self.code(group, bit, (place, slot));
                        if code == NONE || code == UNUSABLE {
                            continue;
                        }
                        *missing &= !(1 << bit);
                        left -= usize::from(*missing == 0);
                        let rank = self.which.rank(self.ground, row);
                        best[own as usize * self.keys.len() + bit].take(BestNamed { rank, code });
                    }
                });
                left > 0
            });
    }

    /// What a row of a group, or one place of its list, names by a key.
    fn code(&self, group: usize, bit: usize, (place, slot): (usize, Option<usize>)) -> Code {
        match (&self.ground.lanes[group][self.keys[bit].1], slot) {
            (Lane::Slots(codes), Some(slot)) => codes.get(slot).copied().unwrap_or(NONE),
            (lane, _) => lane.row(place, self.ground.ends[group]),
        }
    }
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
