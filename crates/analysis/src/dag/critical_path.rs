//! Critical path: the chain of dependencies that made the work last as long as it did.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use widetui_core::dict::Code;
use widetui_store::Snapshot;

use super::Dag;
use crate::Instances;
use crate::account::{AccountContext, Phase, TimeReason, time_account};

/// Description of the time between the end of a dependency and the first record of the instance that waited for it.
const NOT_CREATED: &str = "before its first record";

/// Instance on the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalStep {
    /// Instance, as an index into `Instances::list`.
    pub instance: usize,
    /// End of the previous step, or the first record of the instance on the first one, UTC ns.
    pub start: i64,
    /// End of the instance, or of the data of its run, UTC ns.
    pub end: i64,
    /// Phases between start and end, without the times in which a result was only kept.
    pub phases: Vec<Phase>,
}

/// Time of the critical path in phases with one description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalTotal {
    /// Reason of the phases.
    pub reason: TimeReason,
    /// Description of the phases.
    pub description: String,
    /// Time, ns.
    pub time: i64,
}

/// Chain of instances in which each waited for the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// Steps in time order.
    pub steps: Vec<CriticalStep>,
}

impl CriticalPath {
    /// Finds the chain among the `kept` instances that ends with the last one executed, in which each instance waited for
    /// the one of its dependencies that ended last. Of several runs it is that of the longest chain in time.
    pub fn find(
        snapshot: &Snapshot,
        (instances, dag): (&Instances, &Dag),
        context: &AccountContext,
        kept: &[bool],
    ) -> CriticalPath {
        let all = (0..instances.list.len()).map(|at| {
            let is_kept = kept.get(at).copied().unwrap_or_default();
            first_time(snapshot, instances, at).filter(|_| is_kept)
        });
        let begins: Vec<Option<i64>> = all.collect();
        let begin = |at: usize| begins.get(at).copied().flatten();
        let dag = &with_creators(dag, &begins);
        let mut order: Vec<usize> = (0..begins.len())
            .filter(|at| begins[*at].is_some())
            .collect();
        order.sort_by_key(|at| dag.depths[*at]);
        // Start of the chain that ends with each instance, and the instance before it.
        let mut starts = begins.clone();
        let mut before: Vec<Option<usize>> = vec![None; begins.len()];
        for at in &order {
            let dependencies = dag.dependencies[*at].iter().copied();
            // A cycle has no way back.
            let waited = dependencies
                .filter(|other| begin(*other).is_some() && dag.depths[*other] < dag.depths[*at]);
            before[*at] = waited.max_by_key(|other| (context.end_of(*other), Reverse(*other)));
            if let Some(other) = before[*at] {
                starts[*at] = starts[other];
            }
        }
        let duration = |at: usize| {
            context
                .end_of(at)
                .saturating_sub(starts[at].unwrap_or_default())
        };
        // An instance that neither waited nor ran, as another's result was kept, made nothing last longer.
        let has_lasted = |at: &usize| {
            let has_run = |one| instances.has_run(one);
            before[*at].is_some() || instances.list.get(*at).is_some_and(has_run)
        };
        if order.iter().any(has_lasted) {
            order.retain(has_lasted);
        }
        // The last instance of each owner, such as a run; of equally late ones that of the longest chain, then of most steps.
        let rank = |at: usize| (duration(at), dag.depths[at], Reverse(at));
        let mut last_of: FxHashMap<&[Code], usize> = FxHashMap::default();
        for at in order {
            let id = &instances.list[at].id;
            let last = last_of
                .entry(&id[..id.len().saturating_sub(1)])
                .or_insert(at);
            if (context.end_of(at), rank(at)) > (context.end_of(*last), rank(*last)) {
                *last = at;
            }
        }
        let last = last_of.into_values().max_by_key(|at| rank(*at));
        let mut chain: Vec<usize> = Vec::new();
        let mut next = last;
        while let Some(at) = next {
            chain.push(at);
            next = before[at];
        }
        chain.reverse();
        let mut steps: Vec<CriticalStep> = Vec::with_capacity(chain.len());
        for at in chain {
            let own = begin(at).unwrap_or_default();
            let start = steps.last().map_or(own, |step| step.end);
            let end = context.end_of(at).max(start);
            let mut phases = Vec::new();
            if own.min(end) > start {
                phases.push(Phase {
                    start,
                    end: own.min(end),
                    reason: TimeReason::State,
                    description: NOT_CREATED.to_owned(),
                    subject: String::new(),
                });
            }
            let of_instance = time_account(snapshot, instances, context, at).into_iter();
            let clipped = of_instance.map(|phase| Phase {
                start: phase.start.max(start),
                end: phase.end.min(end),
                ..phase
            });
            // A result that is kept until the work is done again is no work.
            let is_work = |phase: &Phase| {
                phase.reason != TimeReason::State || !instances.entity.is_final(&phase.description)
            };
            phases.extend(clipped.filter(|p| p.end > p.start && is_work(p)));
            steps.push(CriticalStep {
                instance: at,
                start,
                end,
                phases,
            });
        }
        CriticalPath { steps }
    }

    /// Time from the start of the first step to the end of the last one, ns.
    pub fn duration(&self) -> i64 {
        let ends = self.steps.first().zip(self.steps.last());
        ends.map_or(0, |(first, last)| last.end.saturating_sub(first.start))
    }

    /// Time by phase, the longest first.
    pub fn totals(&self) -> Vec<CriticalTotal> {
        let mut sums: BTreeMap<(TimeReason, &str), i64> = BTreeMap::new();
        for phase in self.steps.iter().flat_map(|step| &step.phases) {
            let sum = sums.entry((phase.reason, &phase.description)).or_default();
            *sum = sum.saturating_add(phase.end.saturating_sub(phase.start));
        }
        let total = |((reason, description), time): ((TimeReason, &str), i64)| CriticalTotal {
            reason,
            description: description.to_owned(),
            time,
        };
        let mut out: Vec<CriticalTotal> = sums.into_iter().map(total).collect();
        out.sort_by_key(|total| Reverse(total.time));
        out
    }
}

/// Dependencies of a graph in which an instance that a waiting one created, and waits for, follows what that one had waited
/// for: the inner tasks of a join app. `begins` are first times, UTC ns.
fn with_creators(dag: &Dag, begins: &[Option<i64>]) -> Dag {
    let mut dependencies = dag.dependencies.clone();
    for (at, waited) in dag.dependencies.iter().enumerate() {
        let is_inner = |other: &usize| begins[*other] > begins[at] && begins[at].is_some();
        let (inner, outer): (Vec<usize>, Vec<usize>) =
            waited.iter().partition(|other| is_inner(other));
        for created in inner {
            dependencies[created].extend(outer.iter().filter(|other| **other != created));
        }
    }
    Dag::from_dependencies(dependencies)
}

/// Time of the first record or the start of an instance, UTC ns.
fn first_time(snapshot: &Snapshot, instances: &Instances, at: usize) -> Option<i64> {
    let instance = instances.list.get(at)?;
    let start = instances.standing(snapshot, instance).start;
    start.or(instance.range.map(|range| range.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_tasks_follow_the_dependencies_of_their_creator() {
        // 1 waits for 0 and, once it runs, for 3 that it created; 2 waits for 1.
        let dag = Dag::from_dependencies(vec![vec![], vec![0, 3], vec![1], vec![]]);
        let found = with_creators(&dag, &[Some(0), Some(1), Some(2), Some(9)]);
        assert_eq!(found.dependencies, [vec![], vec![0, 3], vec![1], vec![0]]);
        assert_eq!(found.depths, [0, 2, 3, 1]);
    }
}
