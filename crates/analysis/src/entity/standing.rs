//! Standing of an instance: its state, start and end.

use rayon::prelude::*;

use widetui_core::ids::EventId;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::entity::{Instance, Instances, StateChange};

/// Way in which an instance ended, with the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceEnd {
    /// It has not ended in the data.
    Unfinished,
    /// It ended by itself, at this time (UTC ns).
    Ended(i64),
    /// It was lost, at this time (UTC ns).
    Lost(i64),
}

impl InstanceEnd {
    /// Time of the end, UTC ns.
    pub fn time(self) -> Option<i64> {
        match self {
            InstanceEnd::Unfinished => None,
            InstanceEnd::Ended(t) | InstanceEnd::Lost(t) => Some(t),
        }
    }
}

/// State, start and end of an instance at the end of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Last state, as an index into `Instances::states`.
    pub state: Option<u16>,
    /// Whether the last state is final.
    pub is_final: bool,
    /// Time of the last state change, UTC ns.
    pub state_since: Option<i64>,
    /// Time of the start, UTC ns.
    pub start: Option<i64>,
    /// End of the instance.
    pub end: InstanceEnd,
    /// Measured duration, ns, if the record of the end states it: more exact than the times of
    /// records.
    pub(crate) measured: Option<i64>,
}

impl Standing {
    /// Duration from start to end, ns; `None` if either is unknown.
    pub fn duration(&self) -> Option<i64> {
        let between = self.end.time()?.saturating_sub(self.start?);
        Some(self.measured.unwrap_or(between))
    }
}

/// Properties of a state by its definition.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StateProperties {
    is_final: bool,
    /// Whether other states may follow a final state.
    is_resumable: bool,
    /// Whether a final state is only that of one attempt.
    is_inconclusive: bool,
    /// Whether the executor reports the state: after execution, and during it.
    is_executed: bool,
    is_executing: bool,
    /// True of states in which an instance is at no resource yet.
    is_unplaced: bool,
}

impl Instances {
    /// Properties of a state, cached so that names are compared once and not for each state change.
    fn state_properties(&self, state: u16) -> StateProperties {
        let entity = &self.entity;
        let properties = |name: &String| StateProperties {
            is_final: entity.is_final(name),
            is_resumable: entity.resumable_states.contains(name),
            is_inconclusive: entity.inconclusive_states.contains(name),
            is_executed: entity.executed_states.contains(name),
            is_executing: entity.executing_states.contains(name),
            is_unplaced: entity.unplaced_states.contains(name),
        };
        let all = self
            .cached_state_properties
            .get_or_init(|| self.states.iter().map(properties).collect());
        all.get(usize::from(state)).copied().unwrap_or_default()
    }

    /// Reporter whose states count for an instance: the most trusted of the definition, or else the
    /// one with most state changes.
    fn main_reporter(&self, changes: &[StateChange]) -> Option<u16> {
        let trusted = changes.iter().map(|c| c.reporter).min()?;
        if usize::from(trusted) < self.entity.reporters.len() {
            return Some(trusted);
        }
        let count = |reporter: u16| changes.iter().filter(|c| c.reporter == reporter).count();
        let reporters = changes.iter().map(|c| c.reporter);
        reporters.max_by_key(|r| (count(*r), std::cmp::Reverse(*r)))
    }

    /// State changes of an instance in time order, without repetitions of a state: those of its main
    /// reporter, with the executions and the outcome that only others of the definition report.
    pub fn history(&self, instance: &Instance) -> Vec<StateChange> {
        let all = self.changes(instance);
        let Some(main) = self.main_reporter(all) else {
            return Vec::new();
        };
        let mut history = self.changes_by(instance, main);
        let is_known = |reporter: u16| usize::from(reporter) < self.entity.reporters.len();
        if !is_known(main) || all.iter().all(|c| c.reporter == main) {
            return history;
        }
        let properties = |change: &StateChange| self.state_properties(change.state);
        if !history.iter().any(|c| properties(c).is_executing) {
            for execution in self.executions(instance) {
                let before = history.partition_point(|c| c.time <= execution.start.time);
                let is_open = before
                    .checked_sub(1)
                    .and_then(|last| history.get(last))
                    .is_none_or(|last| !properties(last).is_final);
                if is_open {
                    history.insert(before, execution.start);
                }
            }
        }
        // An end of an attempt is no outcome.
        let is_outcome =
            |c: &&StateChange| properties(c).is_final && !properties(c).is_inconclusive;
        if let Some(last) = history
            .last()
            .copied()
            .filter(|last| !properties(last).is_final)
        {
            let others = all.iter().map(|c| c.reporter);
            let last_of = |reporter| all.iter().rfind(|c| c.reporter == reporter);
            let last_time = last_of(main).map_or(last.time, |c| c.time);
            let outcome = |reporter| {
                let change = last_of(reporter).filter(is_outcome);
                change.filter(|c| c.time >= last_time)
            };
            history.extend({ others }.find_map(outcome));
        }
        history
    }

    /// State changes by one reporter in time order, without repetitions of a state.
    pub fn changes_by(&self, instance: &Instance, reporter: u16) -> Vec<StateChange> {
        let all = self.changes(instance);
        let mut out: Vec<StateChange> = Vec::with_capacity(all.len());
        for change in all.iter().filter(|c| c.reporter == reporter) {
            if out.last().is_none_or(|last| last.state != change.state) {
                out.push(*change);
            }
        }
        out
    }

    /// State change that determines the standing: the last one, except for late reports of the
    /// executor after the end.
    pub fn decisive_change<'c>(&self, changes: &'c [StateChange]) -> Option<&'c StateChange> {
        let is_executor_report = |c: &&StateChange| self.state_properties(c.state).is_executed;
        let executor_reports = changes.iter().rev().take_while(is_executor_report).count();
        let before = changes[..changes.len() - executor_reports].last();
        let ends = |c: &&StateChange| self.state_properties(c.state).is_final;
        let is_no_news = |c: &&StateChange| self.is_executor_report(c.state);
        let executor_reports = changes.iter().rev().take_while(is_no_news).count();
        let terminal = changes[..changes.len() - executor_reports].last();
        let terminal = terminal.filter(|c| self.is_terminal(c.state));
        before.filter(ends).or(terminal).or(changes.last())
    }

    /// Whether a state is final and cannot be followed by another.
    fn is_terminal(&self, state: u16) -> bool {
        let properties = self.state_properties(state);
        properties.is_final && !properties.is_resumable
    }

    /// Whether only the executor reports a state while the owner reports the outcome: after the
    /// outcome such a state is ignored.
    fn is_executor_report(&self, state: u16) -> bool {
        let properties = self.state_properties(state);
        !self.entity.executed_states.is_empty()
            && (properties.is_executed || properties.is_executing)
    }

    /// Whether a state after another one is ignored: an executor may go on with work that its owner
    /// gave up.
    pub(crate) fn is_ignored_after(&self, before: u16, state: u16) -> bool {
        self.is_terminal(before) && self.is_executor_report(state)
    }

    /// Lifetime of an instance, UTC ns: from its start or first event to its end or last event,
    /// whichever is later. An unfinished instance lasts until `run_end`, the end of its run (UTC ns).
    /// `None` without a time.
    pub fn lifetime(
        &self,
        snapshot: &Snapshot,
        instance: &Instance,
        run_end: impl Fn() -> i64,
    ) -> Option<(i64, i64)> {
        let standing = self.standing(snapshot, instance);
        let first = instance.range.map(|r| r.0);
        let start = standing.start.into_iter().chain(first).min()?;
        let data = self.is_unfinished(&standing).then(run_end);
        let ends = standing.end.time().into_iter().chain(data);
        let end = ends.chain(instance.range.map(|r| r.1)).max();
        Some((start, end.map_or(start, |e| e.max(start))))
    }

    /// Standing of an instance at the end of the data.
    pub fn standing(&self, snapshot: &Snapshot, instance: &Instance) -> Standing {
        let changes = self.history(instance);
        let is_final = |c: &StateChange| self.state_properties(c.state).is_final;
        let last = self.decisive_change(&changes);
        let timed = |time: i64| (time != NO_TIME).then_some(time);
        let time = |event: EventId| snapshot.event(event).and_then(|e| e.time());
        let start = instance.start.and_then(time).or(match self.entity.start {
            // There is a `start` condition and no event fits: it has not started.
            Some(_) => None,
            // A record may state a start in the past, so state changes count, too.
            None => {
                instance
                    .stated_range
                    .or(instance.range)
                    .map(|r| r.0)
                    .into_iter()
            }
            .chain(changes.first().map(|c| c.time).filter(|t| *t != NO_TIME))
            .min(),
        });
        // What was executed again ended after the last execution.
        let is_executing = |c: &StateChange| self.state_properties(c.state).is_executing;
        let executed = changes.iter().rposition(is_executing).unwrap_or(0);
        let final_change = changes.iter().skip(executed).find(|c| is_final(c));
        let final_change = final_change.or_else(|| changes.iter().find(|c| is_final(c)));
        // An instance that is executed again has not ended.
        let finished = final_change.filter(|_| !last.is_some_and(is_executing));
        let finished = finished.and_then(|c| timed(c.time));
        let measured_duration = self.entity.duration_key.as_ref().zip(final_change);
        let measured_duration = measured_duration
            .and_then(|(key, change)| key.find(snapshot)?.duration(snapshot, change.event));
        let end = match (
            instance.end.and_then(time),
            finished,
            instance.lost.and_then(time),
        ) {
            (Some(t), ..) => InstanceEnd::Ended(t),
            (None, Some(t), _) if self.entity.end.is_none() => InstanceEnd::Ended(t),
            (_, _, Some(t)) => InstanceEnd::Lost(t),
            // An obsolete instance that was not completed counts as lost.
            _ => instance
                .obsolete
                .and_then(time)
                .map_or(InstanceEnd::Unfinished, InstanceEnd::Lost),
        };
        Standing {
            state: last.map(|c| c.state),
            is_final: last.is_some_and(is_final)
                || (last.is_none() && end != InstanceEnd::Unfinished),
            state_since: last.and_then(|c| timed(c.time)),
            start,
            end,
            measured: measured_duration.filter(|_| matches!(end, InstanceEnd::Ended(_))),
        }
    }

    /// Executions of an instance: the times in executing states, by the reporter with most
    /// executions, as others may report later starts.
    pub(crate) fn executions(&self, instance: &Instance) -> Vec<Execution> {
        let mut reporters: Vec<u16> = self.changes(instance).iter().map(|c| c.reporter).collect();
        reporters.sort_unstable();
        reporters.dedup();
        let executions = reporters
            .into_iter()
            .map(|r| self.times_in(&self.changes_by(instance, r), |state| state.is_executing));
        // Among reporters with equal numbers the most trusted counts.
        executions
            .reduce(|best, next| match next.len() > best.len() {
                true => next,
                false => best,
            })
            .unwrap_or_default()
    }

    /// Executions of an instance as reported by all together, as each may know others: of other workers.
    pub(crate) fn all_executions(&self, instance: &Instance) -> Vec<Execution> {
        self.times_in(self.changes(instance), |state| state.is_executing)
    }

    /// True if an instance was in an executing state, or in another one between its first and its last.
    pub(crate) fn has_run(&self, instance: &Instance) -> bool {
        let all = self.changes(instance).iter().map(|c| c.state);
        let mut before: Vec<u16> = all
            .filter(|s| !self.state_properties(*s).is_final)
            .collect();
        before.sort_unstable();
        before.dedup();
        before.len() > 1
            || before
                .iter()
                .any(|s| self.state_properties(*s).is_executing)
    }

    /// Times of an instance at a resource by its states, if its definition has states before them.
    pub(crate) fn placements(&self, instance: &Instance) -> Vec<Execution> {
        let is_stated = !self.entity.unplaced_states.is_empty();
        let is_placed = |state: StateProperties| is_stated && !state.is_final && !state.is_unplaced;
        self.times_in(self.changes(instance), is_placed)
    }

    /// Times in some states by changes of state, in time order.
    fn times_in(
        &self,
        changes: &[StateChange],
        is_meant: impl Fn(StateProperties) -> bool,
    ) -> Vec<Execution> {
        let mut out: Vec<Execution> = Vec::new();
        for change in changes {
            let is_executing = is_meant(self.state_properties(change.state));
            if change.time == NO_TIME {
                continue;
            }
            match out.last_mut().filter(|last| last.end.is_none()) {
                Some(last) if !is_executing => last.end = Some(change.time),
                None if is_executing => out.push(Execution {
                    start: *change,
                    end: None,
                }),
                _ => {}
            }
        }
        out
    }
}

/// Execution of an instance; times in UTC ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Execution {
    /// Change to the executing state.
    pub(crate) start: StateChange,
    /// End; `None` if none is reported.
    pub(crate) end: Option<i64>,
}

/// Standings of all instances of a work item.
pub fn standings(snapshot: &Snapshot, instances: &Instances) -> Vec<Standing> {
    let of = |i: &Instance| instances.standing(snapshot, i);
    instances.list.par_iter().map(of).collect()
}

/// Whether an instance has started or was assigned to an executor, and is not only mentioned by
/// others.
pub fn has_begun(instances: &Instances, instance: &Instance) -> bool {
    match &instances.entity.start {
        Some(_) => instance.start.is_some() || instances.assigned_event(instance).is_some(),
        None if instances.entity.state_key.is_some() => !instances.changes(instance).is_empty(),
        None => instance.range.is_some(),
    }
}

/// Whether an instance has ended.
pub fn has_ended(standing: &Standing) -> bool {
    standing.is_final || standing.end != InstanceEnd::Unfinished
}
