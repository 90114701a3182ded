//! Two processes that write one log at the same time.

use rustc_hash::{FxHashMap, FxHashSet};

use super::fact::{Fact, Statement};
use crate::actors::{InstanceIndex, Record, RecordIndex, Records};
use crate::data::Word;

/// Least number of letters of a record that opens a log.
const LETTERS: usize = 5;

/// Finds logs that were opened again while their first writer still wrote.
pub(super) fn find(records: &Records) -> Vec<Fact> {
    let mut out = Vec::new();
    for (source, all) in records.of_source.iter().enumerate() {
        let dated: Vec<RecordIndex> = all
            .iter()
            .copied()
            .filter(|r| records.record(*r).time.is_some())
            .collect();
        if dated.len() >= 4 {
            out.extend(second(records, source as u32, &dated));
        }
    }
    out
}

fn second(records: &Records, source: u32, all: &[RecordIndex]) -> Option<Fact> {
    let first = records.record(all[0]);
    let letters = records
        .text(first.template)
        .chars()
        .filter(|c| c.is_alphabetic())
        .count();
    if records.count(first.template) > 4 || letters < LETTERS {
        return None;
    }
    let again = all.iter().skip(1).copied().find(|r| {
        let r = records.record(*r);
        r.template == first.template && (r.pid.is_none() || r.pid != first.pid)
    })?;
    let r = records.record(again);
    let place = all.iter().position(|x| *x == again)?;
    let (before, after) = all.split_at(place);
    let strength = match (process(records, first), process(records, r)) {
        (Some(a), Some(b)) if a != b => {
            let old = after.iter().any(|x| writes(records, records.record(*x), a));
            let (x, y) = (work(records, all, a), work(records, all, b));
            let shared = x.intersection(&y).count();
            // Children of one program share its output, not their work.
            let least = (x.len().min(y.len()) * 3 / 10).max(2);
            (old && shared >= least).then_some(0.95)?
        }
        _ => {
            let last = records.record(*before.last()?);
            let ended = last.meanings.has(Word::End);
            // Members of a pool begin alike, each under its name.
            let are_members = first.actor != r.actor;
            let is_mixed = goes_back(records, before) == 0 && goes_back(records, after) >= 3;
            let is_twice = records.count(first.template) == 2;
            // A start has more than one record.
            let mut steps = before.iter().map(|r| records.record(*r).template);
            let next = steps.find(|t| *t != first.template);
            let is_start = next.is_some_and(|t| {
                { after.iter().take(5) }.any(|r| records.record(*r).template == t)
            });
            (!ended && !are_members && is_mixed && is_twice && is_start).then_some(0.6)?
        }
    };
    let own = records
        .named(r)
        .iter()
        .copied()
        .filter(|i| !records.is_place(*i))
        .take(2);
    let other = records
        .named(first)
        .iter()
        .copied()
        .filter(|i| !records.is_place(*i))
        .take(2);
    let log: Vec<InstanceIndex> = records
        .named(r)
        .iter()
        .copied()
        .filter(|i| records.instance(*i).source == Some(source))
        .collect();
    let mut fact = Fact::new(Statement::SecondWriter, strength)
        .about(own.chain(other).chain(log))
        .shown_by([again, all[0]]);
    fact.time = r.seconds();
    Some(fact)
}

/// Number of the process of a record, or that it names.
fn process(records: &Records, r: &Record) -> Option<u32> {
    let named = || {
        records
            .named(r)
            .iter()
            .copied()
            .find(|i| records.class(*i) == "pid")
    };
    r.pid.or_else(|| Some(records.instance(named()?).value))
}

/// True if a process wrote a record.
fn writes(records: &Records, r: &Record, process: u32) -> bool {
    r.pid == Some(process) || records.instance(r.actor).value == process
}

/// Templates and instances that a process writes about.
fn work(records: &Records, all: &[RecordIndex], pid: u32) -> FxHashSet<(u32, InstanceIndex)> {
    let opening = all.first().map(|r| records.record(*r).template);
    let own = all
        .iter()
        .map(|r| records.record(*r))
        .filter(|r| writes(records, r, pid) && Some(r.template) != opening);
    // Only a template that names several instances tells of work; children of a program begin alike.
    let mut varies: FxHashMap<u32, FxHashSet<InstanceIndex>> = FxHashMap::default();
    let pairs: FxHashSet<(u32, InstanceIndex)> = own
        .flat_map(|r| {
            let named = records
                .named(r)
                .iter()
                .filter(|i| !records.is_place(**i) && records.instance(**i).value != pid);
            named.map(|i| (r.template, *i))
        })
        .collect();
    for (template, i) in &pairs {
        varies.entry(*template).or_default().insert(*i);
    }
    let is_work = |pair: &(u32, InstanceIndex)| varies.get(&pair.0).is_some_and(|v| v.len() >= 2);
    pairs.into_iter().filter(is_work).collect()
}

/// Last value of a series of numbers, its direction, and how often that changed.
#[derive(Clone, Copy, Default)]
struct Course {
    last: f64,
    direction: f64,
    turns: usize,
}

/// Number of times that numbers of one template turn back, at most over all of them.
fn goes_back(records: &Records, all: &[RecordIndex]) -> usize {
    let mut series: FxHashMap<(u32, u16), Course> = FxHashMap::default();
    for r in all {
        let r = records.record(*r);
        let measured = records
            .measures(r)
            .iter()
            .take(2)
            .map(|m| (m.slot, m.value));
        let is_process = |i: u32| {
            ["pid", "thread"]
                .iter()
                .any(|w| records.class(i).contains(w))
        };
        let first = records.named(r).first().filter(|i| !is_process(**i));
        let number = first.and_then(|i| records.value(*i).parse().ok());
        for (slot, value) in measured.chain(number.map(|n| (u16::MAX, n))) {
            let first = Course {
                last: value,
                ..Course::default()
            };
            let known = series.entry((r.template, slot)).or_insert(first);
            let direction = (value - known.last).signum();
            if value != known.last {
                known.turns += usize::from(known.direction != 0.0 && direction != known.direction);
                known.direction = direction;
            }
            known.last = value;
        }
    }
    series.values().map(|s| s.turns).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::made;

    fn run(text: &str) -> Vec<Fact> {
        find(&made(text))
    }

    #[test]
    fn a_second_start_while_the_first_goes_on_is_a_second_writer() {
        let facts = run("1 d.log INFO [19868] dunning run started
             2 d.log INFO [19868] invoice 1 reminded
             3 d.log INFO [20128] dunning run started
             4 d.log INFO [20128] invoice 1 reminded
             5 d.log INFO [19868] invoice 2 reminded
             6 d.log INFO [20128] invoice 2 reminded");
        assert!(facts.len() == 1 && facts[0].strength > 0.9);
    }

    #[test]
    fn a_restart_is_no_second_writer() {
        let facts = run("1 d.log INFO [19868] dunning run started
             2 d.log INFO [19868] invoice 1 reminded
             3 d.log INFO [19868] dunning run ended
             4 d.log INFO [20128] dunning run started
             5 d.log INFO [20128] invoice 2 reminded");
        assert!(facts.is_empty());
    }
}
