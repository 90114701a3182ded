//! Carriers without work while something is stuck: they say whether anything else holds the run.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::entity::{Entity, Instances};
use crate::base::dict::Code;
use crate::base::ids::KeyId;
use crate::store::Snapshot;

use super::{Found, Hung, Id, Idle, Pace, Stuck};

/// The carriers nearest to the work of a goal: those whose id stands furthest inside among its places.
fn nearest<'f>(found: &'f Found, goal: &Entity) -> Option<&'f Instances> {
    let depth = |i: &Instances| -> Option<usize> {
        let place = |key: &String| goal.runs_in.iter().position(|p| p == key);
        let of = |id: &Vec<String>| {
            let places: Option<Vec<usize>> = id.iter().map(place).collect();
            places?.into_iter().max()
        };
        i.entity.id.iter().filter_map(of).max()
    };
    let carriers = found.all.iter().filter(|i| i.entity.is_carrier());
    carriers
        .filter_map(|i| depth(i).map(|d| (d, i)))
        .max_by_key(|(d, _)| *d)
        .map(|(_, i)| i)
}

/// When carriers were last seen, by keys and values of their ids.
struct Seen {
    keys: Vec<Vec<KeyId>>,
    last: FxHashMap<(Vec<KeyId>, Vec<Code>), i64>,
}

impl Seen {
    fn new(found: &Found) -> Seen {
        let mut seen = Seen {
            keys: Vec::new(),
            last: FxHashMap::default(),
        };
        for carriers in found.all.iter().filter(|i| i.entity.is_carrier()) {
            for carrier in &carriers.list {
                let keys = carriers.id_keys(carrier);
                if !seen.keys.iter().any(|k| k == keys) {
                    seen.keys.push(keys.to_vec());
                }
                if let Some((_, last)) = carrier.range {
                    let id = (keys.to_vec(), carrier.id.to_vec());
                    let known = seen.last.entry(id).or_insert(last);
                    *known = (*known).max(last);
                }
            }
        }
        seen
    }

    /// The last time of the carriers that a carrier is a part of: a worker's manager.
    fn bearer(&self, keys: &[KeyId], id: &[Code]) -> Option<i64> {
        let of = |part: &Vec<KeyId>| {
            let code = |key| Some(*id.get(keys.iter().position(|k| k == key)?)?);
            let codes: Vec<Code> = part.iter().map(code).collect::<Option<_>>()?;
            self.last.get(&(part.clone(), codes)).copied()
        };
        let parts = self.keys.iter().filter(|p| p.len() < keys.len());
        parts.filter_map(of).max()
    }
}

/// The carriers that something stuck runs on, as far as the keys of a carrier's id tell.
fn busy(stuck: &[&Stuck], keys: &[String]) -> FxHashSet<Id> {
    let on = |s: &&Stuck| -> Option<Id> {
        let pair = |key: &String| s.place.iter().find(|p| p.0 == *key).cloned();
        keys.iter().map(pair).collect()
    };
    stuck.iter().filter_map(on).collect()
}

pub(super) fn look(snapshot: &Snapshot, found: &Found, out: &mut Hung) {
    for goal in found.goals() {
        let of_goal: Vec<&Stuck> = out
            .stuck
            .iter()
            .filter(|s| s.entity == goal.entity.name && s.standing != Pace::LeftBehind)
            .collect();
        let Some(since) = of_goal.iter().filter_map(|s| s.since).min() else {
            continue;
        };
        let Some(carriers) = nearest(found, &goal.entity) else {
            continue;
        };
        let mut idle = Idle {
            entity: carriers.entity.name.clone(),
            title: carriers.entity.title.clone(),
            alive: 0,
            busy: 0,
            idle: Vec::new(),
            since: None,
        };
        let seen = Seen::new(found);
        let mut on: FxHashMap<Vec<String>, FxHashSet<Id>> = FxHashMap::default();
        for carrier in &carriers.list {
            let id = carriers.id(snapshot, carrier);
            let own = carrier.range.map(|r| r.1);
            let standing = carriers.standing(snapshot, carrier);
            let has_ended = standing.is_final || standing.end.time().is_some();
            let is_alive =
                || own.max(seen.bearer(carriers.id_keys(carrier), &carrier.id)) >= Some(since);
            if has_ended || !is_alive() {
                continue;
            }
            idle.alive += 1;
            let keys: Vec<String> = id.iter().map(|p| p.0.clone()).collect();
            let on = on
                .entry(keys)
                .or_insert_with_key(|keys| busy(&of_goal, keys));
            if on.contains(&id) {
                idle.busy += 1;
            } else {
                idle.idle.push((id, own));
            }
        }
        idle.idle.sort_by_key(|(_, last)| *last);
        idle.since = idle.idle.iter().filter_map(|i| i.1).max();
        if idle.alive > 0 {
            out.idle.push(idle);
        }
    }
}
