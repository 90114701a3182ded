//! Curves of the instances of an entity: number unfinished, and number in each state.

use rayon::prelude::*;

use crate::Instances;
use crate::entity::Entity;
use crate::runs::RunEnds;
use crate::scope::AnalysisScope;
use crate::step_function::{StepFunction, interval_changes};
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::overview::{Curve, CurveSpace, CurveSubject, OPEN_WORD, step_points};

/// Maximum number of state curves per entity.
const MAX_STATES: usize = 3;

/// Lifetime of an instance and intervals of its states, UTC ns; `None` for an open end.
#[derive(Default)]
struct InstanceLifetime {
    whole: Option<(i64, Option<i64>)>,
    states: Vec<(u16, i64, Option<i64>)>,
}

/// Lifetimes of an entity's instances in scope.
pub(super) struct InstanceLifetimes<'a> {
    instances: &'a Instances,
    lifetimes: Vec<InstanceLifetime>,
    space: &'a CurveSpace,
}

impl<'a> InstanceLifetimes<'a> {
    /// Collects the lifetimes of instances in scope; `None` when cancelled.
    pub(crate) fn collect(
        snapshot: &Snapshot,
        instances: &'a Instances,
        scope: &AnalysisScope,
        room: &'a CurveSpace,
        cancel: &Cancel,
    ) -> Option<InstanceLifetimes<'a>> {
        let kept = scope.contains_instances(snapshot, instances);
        let ends = RunEnds::of(snapshot, [&instances.entity], cancel)?;
        let list = instances.list.par_iter().enumerate();
        let lifetimes = list
            .filter(|(at, _)| kept[*at] && !cancel.is_cancelled())
            .map(|(_, instance)| {
                let standing = instances.standing(snapshot, instance);
                // An unfinished instance ends with its run.
                let run_end =
                    || ends.if_before_last(ends.end_for_instance(snapshot, instances, instance));
                let end = instances.end_time(&standing).or_else(run_end);
                let mut changes = instances.history(instance);
                changes.retain(|c| c.time != NO_TIME);
                let states = changes.iter().enumerate().map(|(at, change)| {
                    let next = changes.get(at + 1).map(|n| n.time);
                    (change.state, change.time, next.or(end))
                });
                InstanceLifetime {
                    whole: standing.start.map(|s| (s, end)),
                    states: states.collect(),
                }
            })
            .collect();
        let lifetimes = InstanceLifetimes {
            instances,
            lifetimes,
            space: room,
        };
        (!cancel.is_cancelled()).then_some(lifetimes)
    }

    /// Curve of a step function.
    fn curve(&self, subject: CurveSubject, title: String, steps: &StepFunction) -> Curve {
        let points = step_points(steps, self.space.range.1);
        self.space.count(subject, title, points)
    }

    /// Curve of the number of unfinished instances.
    pub(crate) fn unfinished(&self) -> Curve {
        let entity: &Entity = &self.instances.entity;
        // What goes on after an end is open as long as its states say so.
        let goes_on = !entity.resumable_states.is_empty();
        let names = self.instances.states.iter();
        let is_open: Vec<bool> = names.map(|state| !entity.is_final(state)).collect();
        let open = |l: &InstanceLifetime| -> Vec<(i64, Option<i64>)> {
            let states = l.states.iter();
            let states = states.filter(|s| is_open.get(usize::from(s.0)) == Some(&true));
            match goes_on && !l.states.is_empty() {
                true => states.map(|(_, start, end)| (*start, *end)).collect(),
                false => l.whole.into_iter().collect(),
            }
        };
        let all = self.lifetimes.iter().flat_map(open);
        let whole = StepFunction::from_changes(interval_changes(all));
        let title = format!("{OPEN_WORD} {}", entity.plural());
        self.curve(CurveSubject::Unfinished(entity.name.clone()), title, &whole)
    }

    /// Number of instances in `state` over time (empty if none ever was), and its integral
    /// (instances times ns).
    pub(crate) fn in_state(&self, state: &str) -> (f64, Curve) {
        let entity: &Entity = &self.instances.entity;
        let at = self.instances.states.iter().position(|s| s == state);
        let all = self.lifetimes.iter().flat_map(|l| &l.states);
        let of_state = all.filter(|s| Some(usize::from(s.0)) == at);
        // A final state has no end.
        let is_final = entity.is_final(state);
        let ends = of_state.map(|s| (s.1, s.2.filter(|end| !is_final || *end > s.1)));
        let steps = StepFunction::from_changes(interval_changes(ends));
        let (from, to) = self.space.range;
        let subject = CurveSubject::State {
            entity: entity.name.clone(),
            state: state.to_owned(),
        };
        let title = format!("{state} {}", entity.plural());
        (steps.integral(from, to), self.curve(subject, title, &steps))
    }

    /// Curves of unfinished instances and of the states that are not final, those with most time
    /// first.
    pub(crate) fn default_curves(&self) -> Vec<Curve> {
        let entity: &Entity = &self.instances.entity;
        let names = self.instances.states.iter();
        let passing = names.filter(|s| !entity.is_final(s));
        let mut states: Vec<(f64, Curve)> = passing.map(|s| self.in_state(s)).collect();
        states.retain(|s| s.0 > 0.0);
        states.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut out = vec![self.unfinished()];
        // A single state would repeat the curve of unfinished instances.
        if states.len() > 1 {
            out.extend(states.into_iter().take(MAX_STATES).map(|s| s.1));
        }
        out.retain(Curve::is_informative);
        out
    }
}
