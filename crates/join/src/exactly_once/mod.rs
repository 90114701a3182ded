//! Exactly-once constraints: finding the owner of a record that stands in several sources by
//! excluding owners that executed the operation elsewhere.
//!
//! A definition states that each owner (for example a worker process) executes an operation once:
//! before any report of it, after the events that must precede it, with the values and the name
//! that all reports agree on, and on one thread in ascending order of numbers. Often only one of two
//! owners in a process is consistent with a record. Records that fit several owners stay
//! unassigned.

pub(crate) mod executions;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;

use crate::derived_values::GroupDerivations;
use crate::rounds::{Evidence, RoundInput};
use crate::table::{JoinTable, Tuple};
use executions::{
    ExactlyOnce, Execution, ExecutionFacts, ExecutionReader, OwnerOperation, UnassignedGroup,
    match_names,
};

/// Groups of a join that only one candidate can own, as evidence for the join.
pub(crate) fn assign_by_exclusion(
    input: &RoundInput<'_>,
    once: &ExactlyOnce,
    work: &[Vec<GroupDerivations>],
    table: &JoinTable,
) -> Vec<Evidence> {
    let Some(join) = input.joins.get(once.join) else {
        return Vec::new();
    };
    let Some(key) = join.right_keys.first().copied() else {
        return Vec::new();
    };
    let mut found = ExecutionFacts::default();
    for (segment, groups) in work.iter().enumerate() {
        if input.cancel.is_cancelled() {
            return Vec::new();
        }
        let mut reader = ExecutionReader {
            input,
            once,
            join,
            owner_key: key,
            facts: &mut found,
        };
        reader.read_segment(segment, groups);
    }
    if let Some(named) = once.name_keys {
        let names = match_names(input.snapshot, named, &found);
        found.translate_names(&names);
    }
    found.unassigned.retain(|tuple, _| {
        let known = table.group(tuple).map(|g| table.values_of(g, 0));
        known.is_none_or(|set| set.is_empty())
    });
    let chosen = found.assign_all(once);
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
type Assignment = (Tuple, Code, EventId);

impl ExecutionFacts {
    /// Removes from `unassigned` the groups that only one candidate can own, and returns them. If each
    /// group concerns one operation, each assignment excludes further candidates.
    fn assign_all(&mut self, once: &ExactlyOnce) -> Vec<Assignment> {
        let has_one_operation = once.has_one_operation_per_group();
        let mut out = Vec::new();
        loop {
            let chosen = self.assignable(once);
            for (tuple, code, _) in &chosen {
                let Some(undecided) = self.unassigned.remove(tuple) else {
                    continue;
                };
                for execution in undecided.executions {
                    self.add_execution(*code, *tuple, &execution);
                }
            }
            let is_done = chosen.is_empty() || !has_one_operation;
            out.extend(chosen);
            if is_done {
                return out;
            }
        }
    }

    /// Groups that only one candidate can own, by the executions known so far.
    fn assignable(&self, once: &ExactlyOnce) -> Vec<Assignment> {
        let has_one_operation = once.has_one_operation_per_group();
        let mut places: FxHashMap<Tuple, usize> = FxHashMap::default();
        if has_one_operation {
            for execution in self.unassigned.values().flat_map(|group| &group.executions) {
                *places.entry(execution.operation).or_default() += 1;
            }
        }
        let choice = |(tuple, undecided): (&Tuple, &UnassignedGroup)| {
            let left: Vec<Code> = undecided
                .candidates
                .iter()
                .copied()
                .filter(|c| !self.is_excluded(*c, tuple, undecided))
                .filter(|c| !once.requires_preceding || !self.lacks_preceding(*c, undecided))
                .collect();
            let owner = match &left[..] {
                [code] if undecided.candidates.len() > 1 => *code,
                left => self.only_reported(left, undecided, &places)?,
            };
            Some((*tuple, owner, undecided.event?))
        };
        let mut chosen: Vec<Assignment> = self.unassigned.iter().filter_map(choice).collect();
        if has_one_operation {
            // An owner with two executions of an operation contradicts the constraint: then neither
            // is assigned.
            let mut times: FxHashMap<OwnerOperation, usize> = FxHashMap::default();
            let operations = |(tuple, code, _): &Assignment| -> Vec<OwnerOperation> {
                let group = self.unassigned.get(tuple).into_iter();
                let executions = group.flat_map(|group| &group.executions);
                executions
                    .map(|execution| (*code, execution.operation))
                    .collect()
            };
            for operation in chosen.iter().flat_map(operations) {
                *times.entry(operation).or_default() += 1;
            }
            chosen.retain(|choice| {
                operations(choice)
                    .iter()
                    .all(|operation| times.get(operation) == Some(&1))
            });
        }
        chosen
    }

    /// Whether a candidate cannot have executed an operation of a group.
    fn is_excluded(&self, candidate: Code, tuple: &Tuple, undecided: &UnassignedGroup) -> bool {
        undecided.executions.iter().any(|execution| {
            let operation = (candidate, execution.operation);
            let done = self.executed_in.get(&operation);
            if done.is_some_and(|group| group.is_some_and(|g| g != *tuple)) {
                return true;
            }
            let is_reported_otherwise = self.reports.get(&operation).is_some_and(|report| {
                let mut value_pairs = report.shared_values.iter().zip(&execution.shared_values);
                let is_other = |(report, own): (&Vec<Code>, &Code)| {
                    *own != NONE && !report.is_empty() && !report.contains(own)
                };
                report.first_time < execution.time || value_pairs.any(is_other)
            });
            // A name in a report may be of another kind; it counts only if an execution has that
            // name.
            let is_named_otherwise = execution.name != NONE && { self.reports.get(&operation) }
                .is_some_and(|report| {
                    let names = self.operation_names.get(&execution.operation);
                    let is_one = |name: &Code| names.is_some_and(|all| all.contains(name));
                    report.names.iter().any(is_one) && !report.names.contains(&execution.name)
                });
            let is_early =
                { self.preceding.get(&operation) }.is_some_and(|first| *first > execution.time);
            is_reported_otherwise
                || is_named_otherwise
                || is_early
                || self.breaks_sequence(candidate, execution)
        })
    }

    /// Whether a candidate lacks the event that must precede an execution while another candidate
    /// has it. Does not apply if the owner of a preceding event is unknown.
    fn lacks_preceding(&self, candidate: Code, undecided: &UnassignedGroup) -> bool {
        undecided.executions.iter().any(|execution| {
            let is_known = !self.ownerless_preceding.contains(&execution.operation);
            let is_reported = |code: &Code| {
                let first = self.preceding.get(&(*code, execution.operation));
                first.is_some_and(|first| *first <= execution.time)
            };
            is_known && !is_reported(&candidate) && undecided.candidates.iter().any(is_reported)
        })
    }

    /// Whether an execution would break the order of numbers on its thread: the candidate executed
    /// a lower number later or a higher number earlier.
    fn breaks_sequence(&self, candidate: Code, execution: &Execution) -> bool {
        let Some((writer, number)) = execution.position else {
            return false;
        };
        let Some(sequence) = self.sequences.get(&(candidate, writer)) else {
            return false;
        };
        let before = sequence.range(..number).next_back();
        let after = sequence
            .range(number.saturating_add(1)..)
            .find(|(after, _)| **after > number);
        before.is_some_and(|(_, time)| *time > execution.time)
            || after.is_some_and(|(_, time)| *time < execution.time)
    }

    /// The only candidate that is reported to have executed an operation, if no other unassigned
    /// group concerns the operation.
    fn only_reported(
        &self,
        left: &[Code],
        undecided: &UnassignedGroup,
        places: &FxHashMap<Tuple, usize>,
    ) -> Option<Code> {
        let [execution] = &undecided.executions[..] else {
            return None;
        };
        if left.len() < 2 || places.get(&execution.operation) != Some(&1) {
            return None;
        }
        let is_reported = |code: &&Code| {
            let operation = (**code, execution.operation);
            self.reports.contains_key(&operation) && !self.executed_in.contains_key(&operation)
        };
        let mut is_reported = left.iter().filter(is_reported);
        is_reported
            .next()
            .copied()
            .filter(|_| is_reported.next().is_none())
    }
}
