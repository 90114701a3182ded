//! Which values the first, or the last, events of instances name: what a thing is called, where it was seen last.

use crate::base::dict::{Code, NONE};
use crate::store::lanes::{Lane, UNUSABLE};

use super::found::Members;
use super::ground::Ground;
use super::ids::NOBODY;
use super::segment::Wanted;

/// The event that names something: its time, its number, the value.
pub(super) type Named = Option<(i64, u32, Code)>;

/// What a row of a segment names. All segments' wait until the last one was looked at, so it is small: the time is looked
/// up again.
#[derive(Clone, Copy, Debug)]
pub(super) struct InSegment {
    /// Instance of the segment, times the number of keys, plus the number of the key.
    slot: u32,
    code: Code,
    row: u16,
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
    /// Whether one that another segment found counts instead of the known one.
    pub fn is_better(self, new: &Named, known: &Named) -> bool {
        let Some((time, event, _)) = *new else {
            return false;
        };
        let late = |time: i64| match time {
            crate::base::time::NO_TIME => i64::MAX,
            time => time,
        };
        match (self, known) {
            (_, None) => true,
            (Which::First, Some(k)) => (late(time), event) < (late(k.0), k.1),
            (Which::Last, Some(k)) => (time, event) > (k.0, k.1),
        }
    }
}

/// For each instance of a segment and each of some keys (by their numbers) the event that counts. The rows are walked in
/// time order from that end, so that each instance is looked at until all is known of it, and no longer.
pub(super) fn named(
    ground: &Ground<'_>,
    members: &Members<'_>,
    keys: &[Wanted],
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
            let bit = |(at, key): (usize, &Wanted)| u64::from(!lanes[*key].is_absent()) << at;
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
    let mut take = |row: u16| -> bool {
        let row = usize::from(row);
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
                    });
                    missing[local as usize] &= !(1 << at);
                }
            }
            left -= usize::from(missing[local as usize] == 0);
        });
        left == 0
    };
    let (timed, timeless) = (order.timed.iter(), order.timeless.iter());
    match which {
        Which::First => timed.chain(timeless).any(|row| take(*row)),
        Which::Last => timed.rev().chain(timeless.rev()).any(|row| take(*row)),
    };
    out.into()
}

/// Takes over what a segment found: `places` gives for each of its instances the number here, `event` for each row its
/// time and number.
pub(super) fn merge(
    known: &mut [Named],
    new: &[InSegment],
    keys: usize,
    which: Which,
    places: &[u32],
    event: impl Fn(u16) -> (i64, u32),
) {
    for InSegment { slot, code, row } in new {
        let (local, key) = (*slot as usize / keys, *slot as usize % keys);
        if places[local] == NOBODY {
            continue;
        }
        let known = &mut known[places[local] as usize * keys + key];
        let (time, event) = event(*row);
        let new = Some((time, event, *code));
        if which.is_better(&new, known) {
            *known = new;
        }
    }
}
