//! Waits at the end: instances that others wait for, and cycles of waits.

use rustc_hash::{FxHashMap, FxHashSet};

use super::fact::{Fact, Statement};
use super::locks::Wants;
use crate::actors::{InstanceIndex, RecordIndex, Records};
use crate::data::Word;

/// Last dated record of each actor; of an actor without times its last record.
pub(super) fn last_of_actors(records: &Records) -> FxHashMap<InstanceIndex, RecordIndex> {
    let mut last: FxHashMap<InstanceIndex, RecordIndex> = FxHashMap::default();
    for (at, r) in (0..).zip(&records.list) {
        if r.time.is_some() || !last.contains_key(&r.actor) {
            last.insert(r.actor, at);
        }
    }
    last
}

/// Finds waits.
pub(super) fn find(records: &Records, wants: &Wants) -> Vec<Fact> {
    let last = last_of_actors(records);
    let mut edges: FxHashMap<InstanceIndex, InstanceIndex> = wants.clone();
    let mut at: FxHashMap<InstanceIndex, RecordIndex> = FxHashMap::default();
    for (actor, index) in &last {
        let r = records.record(*index);
        if r.time.is_none() && records.list.len() > 50 {
            continue;
        }
        let named = records.named(r).iter().copied();
        let others: Vec<InstanceIndex> = named
            .filter(|i| {
                i != actor
                    && last.contains_key(i)
                    && records.class(*i) != "pid"
                    && !is_alias(records, *actor, *i)
            })
            .collect();
        let same = others
            .iter()
            .find(|i| records.class(**i) == records.class(*actor));
        if let Some(other) = same.or(others.first()) {
            edges.entry(*actor).or_insert(*other);
            at.insert(*actor, *index);
        }
    }
    let mut out = Vec::new();
    let cycles = cycles(&edges);
    let in_cycle: FxHashSet<InstanceIndex> = cycles.iter().flatten().copied().collect();
    for cycle in &cycles {
        out.extend(cycle_fact(records, cycle, &edges, &last));
    }
    let mut awaited: FxHashMap<InstanceIndex, Vec<InstanceIndex>> = FxHashMap::default();
    for (from, to) in &edges {
        let Some(r) = at.get(from).map(|r| records.record(*r)) else {
            continue;
        };
        let is_wait = r.meanings.has(Word::Wait) && !r.meanings.is_good();
        if is_wait && !in_cycle.contains(from) {
            awaited
                .entry(follow(&edges, *to, &in_cycle))
                .or_default()
                .push(*from);
        }
    }
    for (to, mut waiting) in awaited {
        if in_cycle.contains(&to) {
            continue;
        }
        waiting.sort_unstable();
        let own = last
            .get(&to)
            .copied()
            .or_else(|| records.of(to).last().copied());
        let strength = (0.6 + 0.1 * waiting.len() as f64).min(0.9);
        let waits = waiting.iter().filter_map(|w| last.get(w)).copied().take(2);
        let mut fact = Fact::new(Statement::Awaited, strength)
            .about([to])
            .shown_by(own.into_iter().chain(waits))
            .affecting(waiting.iter().copied())
            .bad();
        fact.time = own.and_then(|r| records.record(r).seconds());
        out.push(fact);
    }
    if cycles.is_empty() && out.is_empty() {
        out.extend(ends_waiting(records, &last));
    }
    out
}

/// True if every record of an actor names the other, too: both are one.
fn is_alias(records: &Records, actor: InstanceIndex, other: InstanceIndex) -> bool {
    let own = records
        .of(actor)
        .iter()
        .filter(|r| records.record(**r).actor == actor);
    let mut own = own.take(50);
    own.all(|r| records.named(records.record(*r)).contains(&other))
}

fn follow(
    edges: &FxHashMap<InstanceIndex, InstanceIndex>,
    from: InstanceIndex,
    in_cycle: &FxHashSet<InstanceIndex>,
) -> InstanceIndex {
    let mut at = from;
    for _ in 0..50 {
        match edges.get(&at) {
            Some(next) if *next != at && *next != from && !in_cycle.contains(&at) => at = *next,
            _ => break,
        }
    }
    at
}

fn cycles(edges: &FxHashMap<InstanceIndex, InstanceIndex>) -> Vec<Vec<InstanceIndex>> {
    let mut seen = FxHashSet::default();
    let mut starts: Vec<InstanceIndex> = edges.keys().copied().collect();
    starts.sort_unstable();
    let mut out = Vec::new();
    for start in starts {
        let (mut path, mut at) = (Vec::new(), start);
        while let Some(next) = edges.get(&at) {
            if !seen.insert(at) {
                break;
            }
            path.push(at);
            at = *next;
        }
        if let Some(from) = path.iter().position(|i| *i == at)
            && path.len() - from >= 2
        {
            out.push(path.split_off(from));
        }
    }
    out
}

fn cycle_fact(
    records: &Records,
    cycle: &[InstanceIndex],
    edges: &FxHashMap<InstanceIndex, InstanceIndex>,
    last: &FxHashMap<InstanceIndex, RecordIndex>,
) -> Option<Fact> {
    let at: Vec<RecordIndex> = cycle.iter().filter_map(|i| last.get(i)).copied().collect();
    let n = at.len().max(1) as f64;
    let share = |is: &dyn Fn(RecordIndex) -> bool| at.iter().filter(|r| is(**r)).count() as f64 / n;
    let waits = share(&|r| records.record(r).meanings.has(Word::Wait));
    let ends = share(&|r| records.record(r).meanings.is_good());
    let behind = edges.keys().filter(|i| {
        !cycle.contains(i) && cycle.contains(&follow(edges, **i, &cycle.iter().copied().collect()))
    });
    let mut fact = Fact::new(Statement::Cycle, 0.3 + 0.68 * waits * (1.0 - ends))
        .about(cycle.iter().copied())
        .shown_by(at.iter().copied().take(4))
        .affecting(behind.copied());
    fact.is_bad = waits > 0.5;
    fact.time = at
        .iter()
        .filter_map(|r| records.record(*r).seconds())
        .reduce(f64::min);
    (waits * (1.0 - ends) > 0.1).then_some(fact)
}

/// Logs that end with a wait. For what nobody else ever writes, the wait is for ever.
fn ends_waiting(records: &Records, last: &FxHashMap<InstanceIndex, RecordIndex>) -> Vec<Fact> {
    let ends = records.of_source.iter().filter_map(|all| all.last());
    let threads = last
        .iter()
        .filter(|(i, _)| records.instance(**i).source.is_none())
        .map(|(_, r)| r);
    let mut ends: Vec<RecordIndex> = ends.chain(threads).copied().collect();
    ends.sort_unstable();
    ends.dedup();
    ends.retain(|r| {
        let m = records.record(*r).meanings;
        m.has(Word::Wait) && !m.is_good()
    });
    // The latest waits count; earlier ones of actors that others replaced do not.
    ends.reverse();
    let Some(first) = ends.first().copied() else {
        return Vec::new();
    };
    let r = records.record(first);
    let awaited = records.named(r).iter().copied().find(|i| {
        let of = records.of(*i);
        *i != r.actor
            && of
                .iter()
                .all(|x| records.record(*x).meanings.has(Word::Wait))
            && !records.is_place(*i)
    });
    let strength = if awaited.is_some() { 0.7 } else { 0.5 };
    let named = ends
        .iter()
        .flat_map(|e| records.named(records.record(*e)).iter().take(3).copied());
    let subject = awaited.or(Some(r.actor));
    let first_wait = awaited.and_then(|i| records.of(i).first().copied());
    let mut fact = Fact::new(Statement::EndsWaiting, strength)
        .about(subject.into_iter().chain(named))
        .shown_by(first_wait.into_iter().chain(ends.iter().copied()).take(3))
        .bad();
    fact.count = ends.len() as u32;
    fact.time = r.seconds();
    vec![fact]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::{made, name};

    fn found(text: &str) -> (Records, Vec<Fact>) {
        let records = made(text);
        let facts = find(&records, &Wants::default());
        (records, facts)
    }

    #[test]
    fn two_that_wait_for_each_other_are_a_cycle() {
        let (records, facts) = found(
            "1 rank0.log INFO step 1 done
             1 rank1.log INFO step 1 done
             1 rank2.log INFO step 1 done
             2 rank0.log DEBUG waiting for rank 1
             2 rank1.log DEBUG waiting for rank 0
             2 rank2.log DEBUG waiting for rank 1",
        );
        assert!(facts[0].statement == Statement::Cycle && facts[0].strength > 0.9);
        let mut names: Vec<String> = facts[0]
            .instances
            .iter()
            .map(|i| name(&records, *i))
            .collect();
        names.sort();
        assert_eq!(names, ["rank 0", "rank 1"]);
        assert_eq!(facts[0].affected.len(), 1);
    }

    #[test]
    fn waits_lead_to_the_one_that_does_not_wait() {
        let (records, facts) = found(
            "1 rank0.log INFO up
             1 rank1.log INFO up
             1 rank2.log INFO writing the checkpoint
             2 rank0.log DEBUG waiting for rank 1
             2 rank1.log DEBUG waiting for rank 2",
        );
        assert_eq!(facts.len(), 1);
        assert_eq!(name(&records, facts[0].subject.unwrap()), "rank 2");
    }

    #[test]
    fn runs_that_end_have_no_waits() {
        let (_, facts) = found("1 a.log INFO waiting for input\n2 a.log INFO all done");
        assert!(facts.is_empty());
    }
}
