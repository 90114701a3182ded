//! Number of instances of an entity in each state over time.
//!
//! Each instance and reporter has its own state machine: a repeated report is no change. Facts
//! state a state without a time: it counts at the end, and in no series.

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::Instances;
use crate::columns::EventProperty;
use crate::entity::{Instance, StateChange};
use crate::instance_groups::group_instances;
use crate::runs::RunEnds;
use crate::scope::AnalysisScope;
use crate::step_function::StepFunction;

/// Choice of the reporters whose state changes count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReporterChoice {
    /// Most trusted reporter of each instance, completed by others (see `Instances::history`).
    #[default]
    MostTrusted,
    /// These reporters (indices into `Instances::reporters`). A state reported by several counts
    /// once, at its earliest time.
    Among(Vec<u16>),
    /// The reporters `among`; of the states `first`, an earlier one is not replaced by a later one,
    /// since a reporter may be late.
    Ranked {
        /// Reporters, as indices into `Instances::reporters`.
        among: Vec<u16>,
        /// States (indices into `Instances::states`), the one that overrides the others first.
        first: Vec<u16>,
    },
}

/// Number of an entity's instances in each state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct States {
    /// Names of the states: those of the definition in its order, then others as met.
    pub names: Vec<String>,
    /// Number of instances over the window, by state.
    pub series: Vec<StepFunction>,
    /// Number of instances at the end of the window, by state.
    pub final_counts: Vec<u64>,
    /// Number of instances that exist before the end of the window without a reported state.
    pub stateless: u64,
    /// Impossible state changes (out of a final state), in order of instances.
    pub impossible: Vec<ImpossibleChange>,
}

/// State change out of a final state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImpossibleChange {
    /// Instance, as an index into `Instances::list`.
    pub instance: usize,
    /// Event of the change.
    pub event: EventId,
    /// Time of the change, UTC ns; `None` for a fact.
    pub time: Option<i64>,
    /// Previous state, as an index into `States::names`.
    pub from: u16,
    /// New state, as an index into `States::names`.
    pub to: u16,
}

impl ReporterChoice {
    /// Parses the name of a reporter: a kind of source, or the name of a file of that kind. `None`
    /// if there is none.
    pub fn parse(snapshot: &Snapshot, instances: &Instances, name: &str) -> Option<ReporterChoice> {
        let is_file = |path: &str| path == name || path.ends_with(&format!("/{name}"));
        let sources = snapshot.sources.iter();
        let kinds: Vec<&str> = sources
            .filter(|s| is_file(&s.path))
            .map(|s| match s.kind.as_str() {
                "" => s.tag.as_str(),
                kind => kind,
            })
            .collect();
        let recorders = instances.reporters.iter().enumerate();
        let named = recorders.filter(|(_, r)| **r == name || kinds.contains(&r.as_str()));
        let found: Vec<u16> = named.map(|(at, _)| at as u16).collect();
        (!found.is_empty()).then_some(ReporterChoice::Among(found))
    }

    /// Makes earlier states of `first` (names) override later ones, for the chosen reporters, or
    /// all if none was chosen. Returns the name of an unknown state as the error.
    pub fn ranked(self, instances: &Instances, first: &[String]) -> Result<ReporterChoice, String> {
        let place = |name: &String| instances.states.iter().position(|s| s == name);
        let found = { first.iter() }.map(|name| place(name).ok_or_else(|| name.clone()));
        let found: Result<Vec<usize>, String> = found.collect();
        let first = found?.into_iter().map(|at| at as u16).collect();
        let among = match self {
            ReporterChoice::MostTrusted => {
                (0..instances.reporters.len()).map(|at| at as u16).collect()
            }
            ReporterChoice::Among(among) | ReporterChoice::Ranked { among, .. } => among,
        };
        Ok(ReporterChoice::Ranked { among, first })
    }

    /// State changes of an instance in time order.
    pub(crate) fn state_changes(
        &self,
        instances: &Instances,
        instance: &Instance,
    ) -> Vec<StateChange> {
        let among = match self {
            ReporterChoice::MostTrusted => {
                return instances.history(instance);
            }
            ReporterChoice::Among(among) => among,
            ReporterChoice::Ranked { among, first } => {
                let reported =
                    ReporterChoice::Among(among.clone()).state_changes(instances, instance);
                return without_overridden(reported, first);
            }
        };
        if let [one] = among[..] {
            return instances.changes_by(instance, one);
        }
        // Count how often each reporter has reported a state: a report that others made as often
        // before is the same change.
        let mut out: Vec<StateChange> = Vec::new();
        let mut reported: Vec<(u16, u16, u32)> = Vec::new();
        let mut current: Vec<(u16, u16)> = Vec::new();
        for change in instances.changes(instance) {
            if !among.contains(&change.reporter) {
                continue;
            }
            let before = current.iter_mut().find(|h| h.0 == change.reporter);
            match before {
                Some(state) if state.1 == change.state => continue,
                Some(state) => state.1 = change.state,
                None => current.push((change.reporter, change.state)),
            }
            let key = (change.reporter, change.state);
            let known = reported.iter().position(|t| (t.0, t.1) == key);
            let at = known.unwrap_or_else(|| {
                reported.push((key.0, key.1, 0));
                reported.len() - 1
            });
            reported[at].2 += 1;
            let times = reported[at].2;
            let others = reported
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at);
            let is_known = |(_, t): (usize, &(u16, u16, u32))| t.1 == change.state && t.2 >= times;
            if !others.into_iter().any(is_known) {
                out.push(*change);
            }
        }
        out
    }
}

/// Removes changes from a state to one that it overrides.
fn without_overridden(reported: Vec<StateChange>, first: &[u16]) -> Vec<StateChange> {
    let rank = |state: u16| first.iter().position(|s| *s == state);
    let mut now: Option<usize> = None;
    let kept = reported.into_iter().filter(|change| {
        let next = rank(change.state);
        let is_overridden = now.zip(next).is_some_and(|(now, next)| next > now);
        if !is_overridden {
            now = next;
        }
        !is_overridden
    });
    kept.collect()
}

/// States of a group of instances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateGroup {
    /// Value of the grouping property; empty for instances without one.
    pub name: String,
    /// Start of the run, UTC ns, if times count from there.
    pub start: Option<i64>,
    /// States of the instances of the group.
    pub states: States,
}

/// Counts the instances in scope by state. `None` when cancelled.
pub fn states(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    reporter_choice: &ReporterChoice,
    cancel: &Cancel,
) -> Option<States> {
    let kept = scope.contains_instances(snapshot, instances);
    let kept: Vec<usize> = (0..kept.len()).filter(|at| kept[*at]).collect();
    let ends = RunEnds::of(snapshot, [&instances.entity], cancel)?;
    let counted = CountedInstances {
        snapshot,
        instances,
        scope,
        ends: &ends,
    };
    counted.states(&kept, reporter_choice, cancel)
}

/// Counts the instances in scope by state, separately for each value of a property. `None` when cancelled.
pub fn states_by(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    (reporter_choice, group_by): (&ReporterChoice, &EventProperty),
    cancel: &Cancel,
) -> Option<Vec<StateGroup>> {
    let kept = scope.contains_instances(snapshot, instances);
    let groups = group_instances(snapshot, instances, &kept, group_by, cancel)?;
    let ends = RunEnds::of(snapshot, [&instances.entity], cancel)?;
    let counted = CountedInstances {
        snapshot,
        instances,
        scope,
        ends: &ends,
    };
    let groups = groups.into_iter().map(|group| {
        Some(StateGroup {
            states: counted.states(&group.members, reporter_choice, cancel)?,
            name: group.name,
            start: None,
        })
    });
    groups.collect()
}

/// Instances whose states are counted, and the ends of their runs.
struct CountedInstances<'a> {
    snapshot: &'a Snapshot,
    instances: &'a Instances,
    scope: &'a AnalysisScope,
    ends: &'a RunEnds,
}

impl CountedInstances<'_> {
    /// Counts instances (indices into `Instances::list`) by state. `None` when cancelled.
    fn states(
        &self,
        members: &[usize],
        reporter_choice: &ReporterChoice,
        cancel: &Cancel,
    ) -> Option<States> {
        let CountedInstances {
            snapshot,
            instances,
            scope,
            ends,
        } = *self;
        let names = instances.states.clone();
        let mut changes: Vec<Vec<(i64, i64)>> = vec![Vec::new(); names.len()];
        let mut out = States {
            final_counts: vec![0; names.len()],
            ..States::default()
        };
        let entity = &instances.entity;
        let is_terminal =
            |name: &String| entity.is_final(name) && !entity.resumable_states.contains(name);
        let is_final: Vec<bool> = names.iter().map(is_terminal).collect();
        let is_last: Vec<bool> = names.iter().map(|name| entity.is_final(name)).collect();
        let before_end = |t: i64| t == NO_TIME || scope.window.until.is_none_or(|until| t < until);
        for at in members.iter().copied() {
            if at % 1024 == 0 && cancel.is_cancelled() {
                return None;
            }
            let Some(instance) = instances.list.get(at) else {
                continue;
            };
            let mut now: Option<u16> = None;
            // State in the series, which ignores facts without a time.
            let mut counted: Option<u16> = None;
            let mut last_time = NO_TIME;
            let reported = reporter_choice.state_changes(instances, instance);
            let start = reported.first().map(|c| c.time).filter(|t| *t != NO_TIME);
            let start = start.or(instance
                .stated_range
                .or(instance.range)
                .map(|range| range.0));
            let is_timed = reported.iter().any(|c| c.time != NO_TIME);
            let reported = reported.iter().filter(|c| before_end(c.time));
            for change in reported.filter(|c| c.time != NO_TIME || !is_timed) {
                if now.is_some_and(|now| instances.is_ignored_after(now, change.state)) {
                    continue;
                }
                if let Some(from) = now.filter(|from| is_final[usize::from(*from)]) {
                    out.impossible.push(ImpossibleChange {
                        instance: at,
                        event: change.event,
                        time: (change.time != NO_TIME).then_some(change.time),
                        from,
                        to: change.state,
                    });
                }
                now = Some(change.state);
                if change.time == NO_TIME {
                    continue;
                }
                if let Some(before) = counted {
                    changes[usize::from(before)].push((change.time, -1));
                }
                changes[usize::from(change.state)].push((change.time, 1));
                counted = now;
                last_time = change.time;
            }
            // An instance without a final state leaves its state at the end of its run.
            let stays = counted.map(usize::from).filter(|state| !is_last[*state]);
            if let Some(state) = stays
                && let Some(run_end) =
                    ends.if_before_last(ends.end_for_instance(snapshot, instances, instance))
            {
                changes[state].push((run_end.max(last_time), -1));
            }
            match now {
                Some(state) => out.final_counts[usize::from(state)] += 1,
                // An instance that begins after the window has no state and is not counted.
                None if start.is_some_and(|t| !before_end(t)) => {}
                None => out.stateless += 1,
            }
        }
        out.series = changes
            .into_iter()
            .map(|changes| StepFunction::from_changes(changes).clipped(scope.window))
            .collect();
        out.names = names;
        Some(out)
    }
}
