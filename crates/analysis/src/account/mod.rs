//! Time account of an instance: its time divided into phases, each with the reason: the part that
//! ran, or the dependency or resource waited for.
//!
//! ```text
//! PartRuns             the instance runs, or a part of it: a try of the task
//! Dependency           a dependency has not ended
//! ResourceNotStarted   the block, manager or worker that will run the instance has not started
//! ResourceBusy         its worker runs other instances
//! State                otherwise: the state of the instance
//! ```
//! The first condition of this list that holds names the phase.

mod context;
mod phases;

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

use crate::Instances;
use crate::scope::AnalysisScope;
use crate::summary::Summary;

pub use context::AccountContext;
use phases::{InstanceContext, PhaseDescription, TimeSlice};

/// Reason for the passing of time in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeReason {
    /// The instance runs, or a part of it, such as a try of a task.
    PartRuns,
    /// A dependency of the instance has not ended.
    Dependency,
    /// The resource that will run the instance has not started.
    ResourceNotStarted,
    /// The resource that will run the instance runs other instances.
    ResourceBusy,
    /// Only the state of the instance is known.
    State,
}

impl TimeReason {
    /// Name of the reason in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            TimeReason::PartRuns => "runs",
            TimeReason::Dependency => "depends",
            TimeReason::ResourceNotStarted => "no_carrier",
            TimeReason::ResourceBusy => "busy",
            TimeReason::State => "state",
        }
    }
}

/// Phase of an instance: a time range with one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Start of the phase, UTC ns.
    pub start: i64,
    /// End of the phase, UTC ns.
    pub end: i64,
    /// Reason of the phase.
    pub reason: TimeReason,
    /// Description, equal for all instances with the same phase: `try runs`, `waits for a task`,
    /// `block not started (PENDING)`, `launched`.
    pub description: String,
    /// Title and id of the part, dependency or resource; empty if the reason is a state.
    pub subject: String,
}

/// Time of a phase summed over instances.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseTotal {
    /// Reason of the phase.
    pub reason: TimeReason,
    /// Description of the phase.
    pub description: String,
    /// Number of instances with the phase.
    pub instances: u64,
    /// Time per instance with the phase, ns.
    pub per_instance: Summary,
    /// Share of the phase in the time of all instances, 0 to 1.
    pub share: f64,
    /// Instances with the phase and their time in it (ns), longest first: indices into
    /// `Instances::list`, at most [`MAX_LISTED`].
    pub longest: Vec<(usize, i64)>,
}

/// Maximum number of instances listed per phase.
pub const MAX_LISTED: usize = 10_000;

/// Phases of an instance in time order and without gaps, from its first event to its end, or to the
/// end of the data of its run.
pub fn time_account(
    snapshot: &Snapshot,
    instances: &Instances,
    context: &AccountContext,
    at: usize,
) -> Vec<Phase> {
    let cuts = time_slices(snapshot, instances, context, at).into_iter();
    cuts.map(|slice| Phase {
        start: slice.start,
        end: slice.end,
        reason: slice.reason,
        description: slice.description.to_string(),
        subject: slice
            .subject
            .map_or_else(String::new, |subject| subject.name(snapshot)),
    })
    .collect()
}

/// Phases of an instance with descriptions that are not formatted yet.
fn time_slices<'a>(
    snapshot: &Snapshot,
    instances: &'a Instances,
    context: &'a AccountContext,
    at: usize,
) -> Vec<TimeSlice<'a>> {
    let Some(instance) = instances.list.get(at) else {
        return Vec::new();
    };
    let standing = instances.standing(snapshot, instance);
    let Some(start) = standing.start.or(instance.range.map(|r| r.0)) else {
        return Vec::new();
    };
    let end = instances.end_time(&standing);
    let end = end.unwrap_or_else(|| context.end_of(at).max(start));
    let one = InstanceContext::new(instances, context, (at, standing.start));
    let mut cuts = one.change_times();
    cuts.retain(|t| *t > start && *t < end);
    cuts.extend([start, end]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut out: Vec<TimeSlice<'a>> = Vec::new();
    for bounds in cuts.windows(2) {
        let slice = one.phase(bounds[0], bounds[1]);
        match out.last_mut() {
            Some(last)
                if last.description == slice.description && last.subject == slice.subject =>
            {
                last.end = slice.end
            }
            _ => out.push(slice),
        }
    }
    out
}

/// Phases of all instances in scope, summed, the longest total first. `None` when cancelled.
pub fn phase_totals(
    snapshot: &Snapshot,
    instances: &Instances,
    context: &AccountContext,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Vec<PhaseTotal>> {
    let mut times_by_phase: FxHashMap<(TimeReason, PhaseDescription<'_>), Vec<(usize, i64)>> =
        FxHashMap::default();
    let kept = scope.contains_instances(snapshot, instances);
    let mut total = 0.0;
    for at in (0..instances.list.len()).filter(|at| kept[*at]) {
        if cancel.is_cancelled() {
            return None;
        }
        let mut instance_times: FxHashMap<(TimeReason, PhaseDescription<'_>), i64> =
            FxHashMap::default();
        for phase in time_slices(snapshot, instances, context, at) {
            let start = scope
                .window
                .since
                .map_or(phase.start, |s| s.max(phase.start));
            let end = scope.window.until.map_or(phase.end, |u| u.min(phase.end));
            // A result that is kept until the work is done again costs the work no time.
            let is_done = matches!(
                phase.description,
                PhaseDescription::State(Some(state), _) if instances.entity.is_final(state)
            );
            if end > start && !is_done {
                let sum = instance_times
                    .entry((phase.reason, phase.description))
                    .or_default();
                *sum = sum.saturating_add(end.saturating_sub(start));
            }
        }
        for (key, time) in instance_times {
            total += time as f64;
            times_by_phase.entry(key).or_default().push((at, time));
        }
    }
    let sums = times_by_phase
        .into_iter()
        .filter_map(|((why, what), mut longest)| {
            let mut times: Vec<i64> = longest.iter().map(|l| l.1).collect();
            let each = Summary::from_values(&mut times)?;
            // Ties keep the order of instances.
            longest.sort_by_key(|l| (std::cmp::Reverse(l.1), l.0));
            longest.truncate(MAX_LISTED);
            Some(PhaseTotal {
                reason: why,
                description: what.to_string(),
                instances: each.count,
                per_instance: each,
                share: each.total / total,
                longest,
            })
        });
    let mut out: Vec<PhaseTotal> = sums.collect();
    out.sort_by(|a, b| {
        b.share
            .total_cmp(&a.share)
            .then_with(|| a.description.cmp(&b.description))
    });
    Some(out)
}
