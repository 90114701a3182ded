//! What each bearer does once, among records that stand in several sources: who did it elsewhere did not do it here.
//!
//! A definition says what a bearer does once for each thing: before anything else is told of it, after what comes before it, as all
//! who tell of it tell and call it, on one thread in the order of numbers, and of these none is left out. So of two bearers in one process
//! often only one can have written a record. What both can have written is left open.

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

/// Groups of a join whose bearer is the only candidate that is not excluded, as evidence for the join.
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

/// A group, its bearer, and an event that shows it.
type Choice = (Tuple, Code, EventId);

/// A group of which nobody knows whose it is.
type Open<'a> = (&'a Tuple, &'a Undecided);

/// Whose some groups may be.
fn candidates(groups: &[Open<'_>]) -> Vec<Code> {
    let codes = groups.iter().flat_map(|(_, group)| &group.candidates);
    let mut codes: Vec<Code> = codes.copied().collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

impl Exclusion {
    /// The groups that can be of one candidate only. Where a group is about one deed, what was chosen excludes more.
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

    /// The groups that can be of one candidate only by what is known so far.
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
            // Nobody did it twice: then something is wrong with what is known.
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

    /// Whether a candidate cannot have done what a group is about.
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
            // What it is called elsewhere may be no name of this kind at all: it is one if another of them has it.
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

    /// Whether a candidate did not do what comes before something that a group is about, and another one did: of all that is told
    /// of it is known who did it.
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

    /// Whether a candidate did what comes before on that thread later, or what comes after earlier.
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

    /// Of candidates that may have done what only this group can be about, the one that is told to have done it.
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

    /// The groups that can be of one candidate only because each of them leaves no number out. Only where one thread did it all
    /// is the order of the records that of the numbers.
    fn counted(&self, first: i64) -> Vec<Choice> {
        let mut threads: BTreeMap<u32, Vec<Open<'_>>> = BTreeMap::new();
        for open in &self.open {
            // Of what is not about one deed nothing is counted, and nothing beside it.
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

    /// What some candidates did, and what one of them did, in the order of time; `None` where other threads did some of it.
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
