//! Phases of one instance, with the reason of each.

use std::fmt;

use crate::Instances;
use widetui_store::Snapshot;

use crate::account::TimeReason;
use crate::account::context::{AccountContext, PartSpan, timed_states};
use crate::step_function::StepFunction;

/// Description of a phase, formatted only on display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PhaseDescription<'a> {
    /// A part with this title runs.
    PartRuns(&'a str),
    /// An instance with this title, waited for, has not ended.
    WaitsFor(&'a str),
    /// An instance with this title, waited for, has failed.
    WaitsForFailed(&'a str),
    /// A resource with this title has not started; second field: its state.
    ResourceNotStarted(&'a str, Option<&'a str>),
    /// A resource with this title runs other instances.
    ResourceBusy(&'a str),
    /// State of the instance, and the title of its last part if all parts have ended.
    State(Option<&'a str>, Option<&'a str>),
}

impl fmt::Display for PhaseDescription<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PhaseDescription::PartRuns(part) => write!(f, "{part} runs"),
            PhaseDescription::WaitsFor(title) => write!(f, "waits for a {title}"),
            PhaseDescription::WaitsForFailed(title) => {
                write!(f, "waits for a {title} that failed")
            }
            PhaseDescription::ResourceNotStarted(resource, None) => {
                write!(f, "{resource} not started")
            }
            PhaseDescription::ResourceNotStarted(resource, Some(state)) => {
                write!(f, "{resource} not started ({state})")
            }
            PhaseDescription::ResourceBusy(resource) => write!(f, "{resource} busy"),
            PhaseDescription::State(state, part) => {
                f.write_str(state.unwrap_or("before its first state"))?;
                part.map_or(Ok(()), |part| write!(f, ", after its last {part}"))
            }
        }
    }
}

/// Reference to an instance: the instances of its entity, and an index into their list.
#[derive(Clone, Copy, Debug)]
pub(super) struct InstanceRef<'a>(pub &'a Instances, pub usize);

impl PartialEq for InstanceRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0) && self.1 == other.1
    }
}

impl InstanceRef<'_> {
    /// Title of the entity and number of the instance.
    pub(crate) fn name(self, snapshot: &Snapshot) -> String {
        let InstanceRef(found, at) = self;
        let Some(instance) = found.list.get(at) else {
            return String::new();
        };
        let number = found.short_name(snapshot, instance);
        format!("{} {number}", found.entity.title)
    }
}

/// Phase of an instance with a description that is not formatted yet; times in UTC ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeSlice<'a> {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) reason: TimeReason,
    pub(crate) description: PhaseDescription<'a>,
    /// Part, dependency or resource of the phase.
    pub(crate) subject: Option<InstanceRef<'a>>,
}

/// Instance with its parts, dependencies and resources.
pub(super) struct InstanceContext<'a> {
    instances: &'a Instances,
    context: &'a AccountContext,
    parts: &'a [PartSpan],
    /// Start of an instance that has neither parts nor states, UTC ns: from then on it runs itself.
    own_start: Option<i64>,
    /// Index into `Instances::list`.
    at: usize,
    states: Vec<(i64, u16)>,
    /// Dependencies (indices into `Instances::list`) and their ends, UTC ns.
    dependencies: Vec<(usize, i64)>,
    /// Kind of resource, index of the resource, and its start, UTC ns.
    resources: Vec<(usize, usize, i64)>,
}

impl<'a> InstanceContext<'a> {
    pub(crate) fn new(
        instances: &'a Instances,
        context: &'a AccountContext,
        (at, start): (usize, Option<i64>),
    ) -> InstanceContext<'a> {
        let instance = &instances.list[at];
        let dependencies = instances.dependencies(&context.index, instance).into_iter();
        let parts = context.part_spans.get(at).map_or(&[][..], |p| p);
        let mut one = InstanceContext {
            instances,
            context,
            parts,
            own_start: None,
            at,
            states: timed_states(instances, instance),
            dependencies: dependencies.map(|w| (w, context.end_of(w))).collect(),
            resources: Vec::new(),
        };
        if one.instances.entity.start.is_some() && parts.is_empty() && one.states.is_empty() {
            one.own_start = start;
        }
        // Resource of the first part, or else the one named by the instance's own events.
        let first = parts.first();
        for (kind, resources) in context.resources.iter().enumerate() {
            let of = match first {
                Some(part) => {
                    let found = &context.parts[part.kind];
                    resources.resource_of_instance(found, &found.list[part.index])
                }
                None => resources.resource_of_instance(instances, instance),
            };
            if let Some(resource) = of
                && let Some(lifetime) = resources.lifetimes[resource]
            {
                one.resources.push((kind, resource, lifetime.start));
            }
        }
        one
    }

    /// Times at which the reason may change, UTC ns, unordered.
    pub(crate) fn change_times(&self) -> Vec<i64> {
        let mut out: Vec<i64> = self.states.iter().map(|s| s.0).collect();
        out.extend(self.parts.iter().flat_map(|p| [p.start, p.end]));
        out.extend(self.dependencies.iter().map(|w| w.1));
        out.extend(self.resources.iter().map(|c| c.2));
        for (kind, resource, _) in &self.resources {
            out.extend(self.resource_states(*kind, *resource).iter().map(|s| s.0));
        }
        out
    }

    /// Busy times of the innermost resource.
    fn innermost_busy_times(&self) -> Option<&'a StepFunction> {
        let inner = self.context.resources.len().checked_sub(1)?;
        let (_, resource, _) = self.resources.iter().find(|c| c.0 == inner)?;
        self.context.busy_times.get(resource)
    }

    /// States of a resource: (time in UTC ns, index of the state).
    fn resource_states(&self, kind: usize, resource: usize) -> &'a [(i64, u16)] {
        let states = self
            .context
            .resource_states
            .get(kind)
            .and_then(|s| s.get(resource));
        states.map_or(&[], |s| s)
    }

    /// Phase of a time range without changes.
    pub(crate) fn phase(&self, start: i64, end: i64) -> TimeSlice<'a> {
        let slice =
            |why: TimeReason, what: PhaseDescription<'a>, of: Option<InstanceRef<'a>>| TimeSlice {
                start,
                end,
                reason: why,
                description: what,
                subject: of,
            };
        let parts = self.parts.iter().rev();
        if let Some(part) = { parts }.find(|p| p.start <= start && end <= p.end) {
            let found = &self.context.parts[part.kind];
            let what = PhaseDescription::PartRuns(&found.entity.title);
            return slice(
                TimeReason::PartRuns,
                what,
                Some(InstanceRef(found, part.index)),
            );
        }
        if self.own_start.is_some_and(|own| own <= start) {
            let what = PhaseDescription::PartRuns(&self.instances.entity.title);
            let own = InstanceRef(self.instances, self.at);
            return slice(TimeReason::PartRuns, what, Some(own));
        }
        let before_parts = self.parts.first().is_none_or(|p| end <= p.start);
        let last = self
            .dependencies
            .iter()
            .filter(|w| w.1 > start)
            .max_by_key(|w| w.1);
        if let Some((other, _)) = last.filter(|_| before_parts) {
            let what = PhaseDescription::WaitsFor(&self.instances.entity.title);
            return slice(
                TimeReason::Dependency,
                what,
                Some(InstanceRef(self.instances, *other)),
            );
        }
        let missing = self.resources.iter().find(|c| c.2 > start);
        if let Some((kind, resource, _)) = missing.filter(|_| before_parts) {
            let found = &self.context.resources[*kind].instances;
            let states = self.resource_states(*kind, *resource);
            let what = PhaseDescription::ResourceNotStarted(
                &found.entity.title,
                state_at(found, states, start),
            );
            return slice(
                TimeReason::ResourceNotStarted,
                what,
                Some(InstanceRef(found, *resource)),
            );
        }
        let next = self.parts.iter().any(|p| p.start >= end);
        // The resource counts as busy if it runs others for most of the phase: splitting the phase
        // at each of them would add no information.
        let is_busy = |busy: &StepFunction| {
            busy.integral(start, end) * 2.0 > end.saturating_sub(start) as f64
        };
        let is_busy = self.innermost_busy_times().is_some_and(is_busy);
        if next
            && is_busy
            && let Some((kind, resource, _)) = self.resources.last()
        {
            let found = &self.context.resources[*kind].instances;
            let what = PhaseDescription::ResourceBusy(&found.entity.title);
            return slice(
                TimeReason::ResourceBusy,
                what,
                Some(InstanceRef(found, *resource)),
            );
        }
        let last = self.parts.last().filter(|_| !next);
        let part = last.map(|last| &*self.context.parts[last.kind].entity.title);
        let state = state_at(self.instances, &self.states, start);
        let entity = &self.instances.entity;
        let reason = match state {
            Some(state) if entity.executing_states.iter().any(|other| other == state) => {
                TimeReason::PartRuns
            }
            _ => TimeReason::State,
        };
        // What waits for a failure goes on waiting.
        let failed = self
            .dependencies
            .iter()
            .find(|w| self.context.has_failed(w.0));
        let is_over = state.is_some_and(|state| entity.is_final(state));
        let waits = reason == TimeReason::State && state.is_some() && !is_over;
        if let Some((other, _)) = failed.filter(|_| waits && self.parts.is_empty()) {
            let what = PhaseDescription::WaitsForFailed(&entity.title);
            let other = InstanceRef(self.instances, *other);
            return slice(TimeReason::Dependency, what, Some(other));
        }
        let has_states = !self.instances.states.is_empty();
        let what =
            PhaseDescription::State(state.or((!has_states).then_some("start unknown")), part);
        slice(reason, what, None)
    }
}

/// Name of the state at `time`, given states in time order.
fn state_at<'i>(found: &'i Instances, states: &[(i64, u16)], time: i64) -> Option<&'i str> {
    let state = states.iter().rev().find(|s| s.0 <= time)?;
    found.states.get(usize::from(state.1)).map(String::as_str)
}
