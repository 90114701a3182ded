//! Work that is unfinished on a carrier, and of which no record says which goal it is for: the carrier is not idle.
//!
//! Some logs number the same work twice, once where it is asked for and once where it is done, and no record has both
//! numbers.

use rustc_hash::FxHashMap;

use crate::analysis::entity::{Instance, Instances};
use crate::base::ids::EventId;
use crate::store::Snapshot;

use super::idle::{Spot, run_of};
use super::{Found, Hung, Id};

/// What was begun last on a carrier.
struct Latest<'f> {
    start: i64,
    attempts: &'f Instances,
    attempt: &'f Instance,
}

/// A piece of nameless work: what it is called, and where it is.
pub type Nameless = (String, Id);

/// By carrier, named by these keys, the unfinished work that nobody knows. A carrier that began something else afterwards
/// has let go of it.
pub(super) fn look(
    snapshot: &Snapshot,
    found: &Found,
    out: &Hung,
    keys: &[String],
) -> FxHashMap<Spot, Nameless> {
    let is_attempt =
        |i: &&Instances| i.entity.start.is_some() && !i.entity.is_goal() && !i.entity.is_carrier();
    let mut latest: FxHashMap<Spot, Latest<'_>> = FxHashMap::default();
    for attempts in found.all.iter().filter(is_attempt) {
        for attempt in &attempts.list {
            let Some(start) = attempts.standing(snapshot, attempt).start else {
                continue;
            };
            let places = attempts.places(snapshot, attempt);
            let place = |key: &String| places.iter().find(|p| p.0 == *key).cloned();
            let Some(placed) = keys.iter().map(place).collect::<Option<Id>>() else {
                continue;
            };
            let spot = (run_of(snapshot, out, attempts, attempt), placed);
            if latest.get(&spot).is_none_or(|l| l.start < start) {
                latest.insert(
                    spot,
                    Latest {
                        start,
                        attempts,
                        attempt,
                    },
                );
            }
        }
    }
    let nameless = latest.into_iter().filter(|(_, last)| {
        let standing = last.attempts.standing(snapshot, last.attempt);
        standing.end.time().is_none() && !is_known(found, last.attempts, last.attempt)
    });
    nameless
        .map(|(spot, last)| {
            let title = &last.attempts.entity.title;
            let number = last.attempts.number(snapshot, last.attempt);
            let place = last.attempts.places(snapshot, last.attempt);
            (spot, (format!("{title} {number}"), place))
        })
        .collect()
}

/// Whether some record of an attempt is about a goal as well.
fn is_known(found: &Found, attempts: &Instances, attempt: &Instance) -> bool {
    let is_of_goal = |id: &u32| {
        found.goals().any(|goals| {
            let mut is = false;
            goals.of_event(EventId(*id), |_| is = true);
            is
        })
    };
    attempts.events(attempt).iter().any(is_of_goal)
}
