//! Instances with the longest time for a step.

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::NONE;
use widetui_core::ids::EventId;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::Instances;
use crate::columns::{EventProperty, PropertyColumn};
use crate::entity::Instance;
use crate::latency::{Latency, StepLatency, step_times};
use crate::scope::AnalysisScope;

/// Maximum number of instances listed.
const MAX_LISTED: usize = 10_000;

/// Step: the n-th event of a template in an instance, and the step from which it is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredStep {
    /// Template, and the number of the record in the instance, from 1.
    pub step: (String, u32),
    /// Template and number of the previous step; `None` measures from the first event.
    pub previous: Option<(String, u32)>,
    /// Name of the step in the latency table.
    pub name: String,
}

impl MeasuredStep {
    /// Step of a row of the latency table.
    pub fn from_row(latency: &Latency, row: &StepLatency) -> MeasuredStep {
        let name = |row: &StepLatency| (row.template.clone(), row.occurrence);
        MeasuredStep {
            name: row.name(),
            step: name(row),
            previous: row.previous.and_then(|at| latency.rows.get(at)).map(name),
        }
    }
}

/// Instance with the time that the step took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowInstance {
    /// Instance, as an index into `Instances::list`.
    pub instance: usize,
    /// Duration of the step, ns; negative if clocks disagree.
    pub duration: i64,
    /// Time at which the step was reached, UTC ns.
    pub time: i64,
    /// Event of the step.
    pub(crate) event: EventId,
}

/// Instances with a step, longest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowestInstances {
    /// Step that was measured.
    pub step: MeasuredStep,
    /// Instances with the step, at most `MAX_LISTED`.
    pub list: Vec<SlowInstance>,
    /// Number of instances with the step; the list may be shorter.
    pub(crate) total: u64,
}

/// Finds the instances in scope that reach a step in the time window. The same records count as in
/// the latency table ([`crate::latency`]). `None` when cancelled.
pub fn slowest(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    step: &MeasuredStep,
    cancel: &Cancel,
) -> Option<SlowestInstances> {
    let labels = PropertyColumn::read(snapshot, &EventProperty::Template, cancel)?;
    let times = step_times(snapshot, scope.tables);
    // Texts of the templates, to find those of the step.
    let mut codes: FxHashMap<u32, String> = FxHashMap::default();
    for code in &labels.codes {
        if *code != NONE && !codes.contains_key(code) {
            codes.insert(*code, labels.text(snapshot, *code));
        }
    }
    let of = |text: &str| {
        codes
            .iter()
            .filter(|(_, t)| *t == text)
            .map(|(c, _)| *c)
            .next()
    };
    let to = of(&step.step.0).map(|code| (code, step.step.1));
    let from = match &step.previous {
        Some((text, nth)) => of(text).map(|code| Some((code, *nth))),
        None => Some(None),
    };
    let mut list = Vec::new();
    if let (Some(to), Some(from)) = (to, from) {
        let reached = |instance: &Instance, want: (u32, u32)| {
            let events = instances.events(instance).iter();
            let timed = events.filter(|e| times.get(**e as usize).is_some_and(|t| *t != NO_TIME));
            timed
                .filter(|e| labels.code(EventId(**e)) == want.0)
                .nth(want.1.saturating_sub(1) as usize)
                .map(|e| (EventId(*e), times[*e as usize]))
        };
        let first = |instance: &Instance| {
            let events = instances.events(instance).iter();
            let mut timed = events.filter_map(|e| times.get(*e as usize));
            timed.find(|t| **t != NO_TIME).copied()
        };
        let kept = scope.contains_instances(snapshot, instances);
        for (at, instance) in instances.list.iter().enumerate() {
            if at % 1024 == 0 && cancel.is_cancelled() {
                return None;
            }
            let Some((event, time)) = reached(instance, to).filter(|_| kept[at]) else {
                continue;
            };
            let start = match from {
                Some(from) => reached(instance, from).map(|r| r.1),
                None => first(instance),
            };
            if let Some(start) = start.filter(|_| scope.window.contains(time)) {
                list.push(SlowInstance {
                    instance: at,
                    duration: time.saturating_sub(start),
                    time,
                    event,
                });
            }
        }
    }
    let of = list.len() as u64;
    list.sort_by_key(|s| (std::cmp::Reverse(s.duration), s.instance));
    list.truncate(MAX_LISTED);
    Some(SlowestInstances {
        step: step.clone(),
        list,
        total: of,
    })
}
