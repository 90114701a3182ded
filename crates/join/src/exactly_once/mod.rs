//! Exactly-once constraints: finding the owner of a record that stands in several sources by
//! excluding owners that executed the operation elsewhere.
//!
//! A definition states that each owner (for example a worker process) executes an operation once:
//! before any report of it, after the events that must precede it, with the values and the name
//! that all reports agree on, and on one thread in ascending order of numbers, possibly without
//! gaps. Often only one of two owners in a process is consistent with a record. Records that fit
//! several owners stay unassigned.

pub(crate) mod counters;
pub(crate) mod executions;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;

use crate::rounds::{Evidence, RoundInput};
use crate::table::{JoinTable, Tuple};
use crate::work::GroupWork;
use counters::{Count, Counted, Step};
use executions::{Deed, Exclusion, Execution, Once, Reading, Undecided, spelled_alike};

/// Groups of a join that only one candidate can own, as evidence for the join.
pub fn exclude(
    ground: &RoundInput<'_>,
    once: &Once,
    work: &[Vec<GroupWork>],
    table: &JoinTable,
) -> Vec<Evidence> {
    let Some(join) = ground.joins.get(once.join) else {
        return Vec::new();
    };
    let Some(key) = join.gives.first().copied() else {
        return Vec::new();
    };
    let mut found = Exclusion::default();
    for (segment, groups) in work.iter().enumerate() {
        if ground.cancel.is_cancelled() {
            return Vec::new();
        }
        let mut reader = Reading {
            ground,
            once,
            join,
            key,
            found: &mut found,
        };
        reader.segment(segment, groups);
    }
    if let Some(named) = once.named {
        let names = spelled_alike(ground.snapshot, named, &found);
        found.translate(&names);
    }
    found.open.retain(|tuple, _| {
        let known = table.group(tuple).map(|g| table.set(g, 0));
        known.is_none_or(|set| set.is_empty())
    });
    let chosen = found.choose(once);
    let evidence = |(tuple, code, event)| Evidence {
        join: join.index,
        right: 0,
        tuple,
        code,
        event,
    };
    let mut out: Vec<Evidence> = chosen.into_iter().map(evidence).collect();
    out.sort_unstable_by_key(|e| (e.tuple, e.code));
    out
}

/// Group, its owner, and an event of the group.
type Choice = (Tuple, Code, EventId);

/// Unassigned group.
type Open<'a> = (&'a Tuple, &'a Undecided);

/// Candidate owners of some groups, ascending.
fn candidates(groups: &[Open<'_>]) -> Vec<Code> {
    let codes = groups.iter().flat_map(|(_, group)| &group.candidates);
    let mut codes: Vec<Code> = codes.copied().collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

impl Exclusion {
    /// Removes from `open` the groups that only one candidate can own, and returns them. If each
    /// group concerns one operation, each assignment excludes further candidates.
    fn choose(&mut self, once: &Once) -> Vec<Choice> {
        let is_of_one_deed = once.is_of_one_deed();
        let mut out = Vec::new();
        loop {
            let mut chosen = self.chosen(once);
            if let Some(first) = once.counted.filter(|_| chosen.is_empty()) {
                chosen = self.counted(first);
            }
            for (tuple, code, _) in &chosen {
                let Some(undecided) = self.open.remove(tuple) else {
                    continue;
                };
                for doing in undecided.doings {
                    self.does(*code, *tuple, &doing);
                }
            }
            let is_over = chosen.is_empty() || !is_of_one_deed;
            out.extend(chosen);
            if is_over {
                return out;
            }
        }
    }

    /// Groups that only one candidate can own, by the executions known so far.
    fn chosen(&self, once: &Once) -> Vec<Choice> {
        let is_of_one_deed = once.is_of_one_deed();
        let mut places: FxHashMap<Tuple, usize> = FxHashMap::default();
        if is_of_one_deed {
            for doing in self.open.values().flat_map(|group| &group.doings) {
                *places.entry(doing.deed).or_default() += 1;
            }
        }
        let choice = |(tuple, undecided): (&Tuple, &Undecided)| {
            let left: Vec<Code> = undecided
                .candidates
                .iter()
                .copied()
                .filter(|c| !self.is_excluded(*c, tuple, undecided))
                .filter(|c| !once.needed || !self.lacks_before(*c, undecided))
                .collect();
            let bearer = match &left[..] {
                [code] if undecided.candidates.len() > 1 => *code,
                left => self.only_known(left, undecided, &places)?,
            };
            Some((*tuple, bearer, undecided.event?))
        };
        let mut chosen: Vec<Choice> = self.open.iter().filter_map(choice).collect();
        if is_of_one_deed {
            // An owner with two executions of an operation contradicts the constraint: then neither
            // is assigned.
            let mut times: FxHashMap<Deed, usize> = FxHashMap::default();
            let deeds = |(tuple, code, _): &Choice| -> Vec<Deed> {
                let group = self.open.get(tuple).into_iter();
                let doings = group.flat_map(|group| &group.doings);
                doings.map(|doing| (*code, doing.deed)).collect()
            };
            for deed in chosen.iter().flat_map(deeds) {
                *times.entry(deed).or_default() += 1;
            }
            chosen.retain(|choice| deeds(choice).iter().all(|deed| times.get(deed) == Some(&1)));
        }
        chosen
    }

    /// Whether a candidate cannot have executed an operation of a group.
    fn is_excluded(&self, candidate: Code, tuple: &Tuple, undecided: &Undecided) -> bool {
        undecided.doings.iter().any(|doing| {
            let deed = (candidate, doing.deed);
            let done = self.done.get(&deed);
            if done.is_some_and(|group| group.is_some_and(|g| g != *tuple)) {
                return true;
            }
            let told_otherwise = self.told.get(&deed).is_some_and(|told| {
                let mut alike = told.alike.iter().zip(&doing.alike);
                let is_other = |(told, own): (&Vec<Code>, &Code)| {
                    *own != NONE && !told.is_empty() && !told.contains(own)
                };
                told.since < doing.time || alike.any(is_other)
            });
            // A name in a report may be of another kind; it counts only if an execution has that
            // name.
            let is_named_otherwise =
                doing.name != NONE && { self.told.get(&deed) }.is_some_and(|told| {
                    let names = self.names.get(&doing.deed);
                    let is_one = |name: &Code| names.is_some_and(|all| all.contains(name));
                    told.names.iter().any(is_one) && !told.names.contains(&doing.name)
                });
            let is_early = { self.before.get(&deed) }.is_some_and(|first| *first > doing.time);
            told_otherwise
                || is_named_otherwise
                || is_early
                || self.is_out_of_turn(candidate, doing)
        })
    }

    /// Whether a candidate lacks the event that must precede an execution while another candidate
    /// has it. Does not apply if the owner of a preceding event is unknown.
    fn lacks_before(&self, candidate: Code, undecided: &Undecided) -> bool {
        undecided.doings.iter().any(|doing| {
            let is_known = !self.unowned.contains(&doing.deed);
            let did = |code: &Code| {
                let first = self.before.get(&(*code, doing.deed));
                first.is_some_and(|first| *first <= doing.time)
            };
            is_known && !did(&candidate) && undecided.candidates.iter().any(did)
        })
    }

    /// Whether an execution would break the order of numbers on its thread: the candidate executed
    /// a lower number later or a higher number earlier.
    fn is_out_of_turn(&self, candidate: Code, doing: &Execution) -> bool {
        let Some((writer, number)) = doing.turn else {
            return false;
        };
        let Some(turns) = self.turns.get(&(candidate, writer)) else {
            return false;
        };
        let before = turns.range(..number).next_back();
        let after = turns
            .range(number.saturating_add(1)..)
            .find(|(after, _)| **after > number);
        before.is_some_and(|(_, time)| *time > doing.time)
            || after.is_some_and(|(_, time)| *time < doing.time)
    }

    /// The only candidate that is reported to have executed an operation, if no other unassigned
    /// group concerns the operation.
    fn only_known(
        &self,
        left: &[Code],
        undecided: &Undecided,
        places: &FxHashMap<Tuple, usize>,
    ) -> Option<Code> {
        let [doing] = &undecided.doings[..] else {
            return None;
        };
        if left.len() < 2 || places.get(&doing.deed) != Some(&1) {
            return None;
        }
        let did = |code: &&Code| {
            let deed = (**code, doing.deed);
            self.told.contains_key(&deed) && !self.done.contains_key(&deed)
        };
        let mut did = left.iter().filter(did);
        did.next().copied().filter(|_| did.next().is_none())
    }

    /// Groups that only one candidate can own because its numbers have no gaps. Requires that one
    /// thread executed all operations: only then is the order of the records that of the numbers.
    fn counted(&self, first: i64) -> Vec<Choice> {
        let mut threads: BTreeMap<u32, Vec<Open<'_>>> = BTreeMap::new();
        for open in &self.open {
            // A group without a single numbered operation makes the numbering incomplete.
            let [doing] = &open.1.doings[..] else {
                return Vec::new();
            };
            let Some((writer, _)) = doing.turn else {
                return Vec::new();
            };
            threads.entry(writer).or_default().push(open);
        }
        let mut out = Vec::new();
        for (writer, groups) in &threads {
            let set = candidates(groups);
            let mut others = threads.iter().filter(|(other, _)| *other != writer);
            if others.any(|(_, groups)| candidates(groups).iter().any(|code| set.contains(code))) {
                continue;
            }
            let Some(counted) = self.steps(*writer, set, groups, first) else {
                continue;
            };
            for (at, bearer) in counted.decided() {
                let (tuple, undecided) = groups[at];
                out.extend(undecided.event.map(|event| (*tuple, bearer, event)));
            }
        }
        out
    }

    /// Executions in time order, known and unassigned, of the owners `set` on a thread; `None` if
    /// other threads executed some of them.
    fn steps(
        &self,
        thread: u32,
        set: Vec<Code>,
        groups: &[Open<'_>],
        first: i64,
    ) -> Option<Counted> {
        let mut steps = Vec::new();
        for (at, (tuple, undecided)) in groups.iter().enumerate() {
            let doing = undecided.doings.first()?;
            let is_left = |code: &Code| {
                undecided.candidates.contains(code) && !self.is_excluded(*code, tuple, undecided)
            };
            let may = set.iter().enumerate().filter(|(_, code)| is_left(code));
            steps.push(Step {
                time: doing.time,
                number: doing.turn?.1,
                open: Some(at),
                may: may.map(|(bearer, _)| bearer).collect(),
            });
        }
        let begin = steps.iter().map(|step| step.time).min()?;
        let mut count: Vec<i64> = vec![first; set.len()];
        for ((code, writer), turns) in &self.turns {
            let Some(bearer) = set.iter().position(|own| own == code) else {
                continue;
            };
            for (number, time) in turns {
                if *time < begin {
                    count[bearer] = count[bearer].max(number.saturating_add(1));
                } else if *writer != thread {
                    return None;
                } else {
                    steps.push(Step {
                        time: *time,
                        number: *number,
                        open: None,
                        may: vec![bearer],
                    });
                }
            }
        }
        steps.sort_by_key(|step| (step.time, step.number, step.open));
        Some(Counted {
            begin: Count(count),
            steps,
            bearers: set,
        })
    }
}
