//! Which values the first, or the last, events of instances name: what a thing is called, where it was seen last.

use crate::base::dict::{Code, NONE};
use crate::store::lanes::{Lane, UNUSABLE};

use super::found::Members;
use super::ground::Ground;
use super::ids::NOBODY;
use super::segment::KeyNumber;

/// What an event names that counts so far, and its rank: by time, as far as it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestNamed {
    rank: u64,
    code: Code,
}

impl BestNamed {
    /// No event names anything.
    pub const NOTHING: BestNamed = BestNamed {
        rank: 0,
        code: NONE,
    };

    /// The value.
    pub fn code(self) -> Option<Code> {
        (self.code != NONE).then_some(self.code)
    }
}

/// What a row of a segment names. All segments' wait until the last one was looked at, so it is small.
#[derive(Clone, Copy, Debug)]
pub(super) struct InSegment {
    /// Instance of the segment, times the number of keys, plus the number of the key.
    slot: u32,
    code: Code,
    row: u16,
    /// Whether the row has a time.
    timed: bool,
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
    /// Whether an event of this rank counts instead of the known one.
    fn is_better(self, rank: u64, known: BestNamed) -> bool {
        match self {
            _ if known.code == NONE => true,
            Which::First => rank < known.rank,
            Which::Last => rank > known.rank,
        }
    }

    /// The rank of an event at a place of all events in time order.
    fn rank(self, place: u32, timed: bool) -> u64 {
        let behind = match self {
            Which::First => !timed,
            Which::Last => timed,
        };
        u64::from(behind) << 32 | u64::from(place)
    }
}

/// For each instance of a segment and each of some keys (by their numbers) the event that counts. The rows are walked in
/// time order from that end, so that each instance is looked at until all is known of it, and no longer.
pub(super) fn named(
    ground: &Ground<'_>,
    members: &Members<'_>,
    keys: &[KeyNumber],
    which: Which,
    instances: usize,
) -> Box<[InSegment]> {
    let mut out: Vec<InSegment> = Vec::new();
    let width = keys.len() as u32;
    let keys = &keys[..keys.len().min(64)];
    let present: Vec<u64> = ground
        .lanes
        .iter()
        .map(|lanes| {
            let bit = |(at, key): (usize, &KeyNumber)| u64::from(!lanes[*key].is_absent()) << at;
            keys.iter()
                .enumerate()
                .map(bit)
                .fold(0, |all, one| all | one)
        })
        .collect();
    let possible = present.iter().fold(0, |all, one| all | one);
    if possible == 0 || instances == 0 {
        return Box::default();
    }
    let order = ground.order();
    let mut missing = vec![possible; instances];
    let mut left = instances;
    let segment = ground.view.segment;
    // Whether all is known of all instances.
    let take = |(row, timed): (&u16, bool)| -> bool {
        let row = usize::from(*row);
        let group = segment.group_number(row);
        members.each(row, |local, slot| {
            let wanted = missing[local as usize] & present[group];
            if wanted == 0 {
                return;
            }
            let place = usize::from(order.place[row]);
            let mut bits = wanted;
            while bits != 0 {
                let at = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let code = match (&ground.lanes[group][keys[at]], slot) {
                    (Lane::Slots(codes), Some(slot)) => codes.get(slot).copied().unwrap_or(NONE),
                    (lane, _) => lane.row(place, ground.ends[group]),
                };
                if code != NONE && code != UNUSABLE {
                    out.push(InSegment {
                        slot: local * width + at as u32,
                        code,
                        row: row as u16,
                        timed,
                    });
                    missing[local as usize] &= !(1 << at);
                }
            }
            left -= usize::from(missing[local as usize] == 0);
        });
        left == 0
    };
    let timed = order.timed.iter().map(|row| (row, true));
    let timeless = order.timeless.iter().map(|row| (row, false));
    match which {
        Which::First => timed.chain(timeless).any(take),
        Which::Last => timed.rev().chain(timeless.rev()).any(take),
    };
    out.into()
}

/// Takes over what a segment found: `to` gives for each of its instances the number here, `places` for each of its rows
/// the place among all events in time order.
pub(super) fn merge(
    known: &mut [BestNamed],
    new: &[InSegment],
    keys: usize,
    which: Which,
    to: &[u32],
    places: &[u32],
) {
    for new in new {
        let (local, key) = (new.slot as usize / keys, new.slot as usize % keys);
        if to[local] == NOBODY {
            continue;
        }
        let known = &mut known[to[local] as usize * keys + key];
        let rank = which.rank(places[usize::from(new.row)], new.timed);
        if which.is_better(rank, *known) {
            let code = new.code;
            *known = BestNamed { rank, code };
        }
    }
}
