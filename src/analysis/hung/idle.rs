//! Carriers without work while something is stuck: they say whether anything else holds the run.

use crate::analysis::entity::{Entity, Instances};
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

/// The last time of the carrier that a carrier is a part of: a worker's manager.
fn bearer_seen(found: &Found, snapshot: &Snapshot, id: &Id) -> Option<i64> {
    let is_part = |other: &Id| other.len() < id.len() && other.iter().all(|p| id.contains(p));
    let carriers = found.all.iter().filter(|i| i.entity.is_carrier());
    carriers
        .flat_map(|i| i.list.iter().map(move |c| (i, c)))
        .filter(|(i, c)| c.id.len() < id.len() && is_part(&i.id(snapshot, c)))
        .filter_map(|(_, c)| c.range.map(|r| r.1))
        .max()
}

/// Whether something runs on a carrier: all parts of the carrier's id are among its places.
fn is_on(stuck: &Stuck, carrier: &Id) -> bool {
    carrier.iter().all(|p| stuck.place.contains(p))
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
        for carrier in &carriers.list {
            let id = carriers.id(snapshot, carrier);
            let own = carrier.range.map(|r| r.1);
            let standing = carriers.standing(snapshot, carrier);
            let has_ended = standing.is_final || standing.end.time().is_some();
            let is_alive = || own.max(bearer_seen(found, snapshot, &id)) >= Some(since);
            if has_ended || !is_alive() {
                continue;
            }
            idle.alive += 1;
            if of_goal.iter().any(|s| is_on(s, &id)) {
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
