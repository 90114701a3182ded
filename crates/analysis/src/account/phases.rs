//! Phases of one instance, with the reason of each.

use std::fmt;

use crate::Instances;
use widetui_store::Snapshot;

use crate::account::TimeReason;
use crate::account::surroundings::{Busy, PartSpan, Surroundings, timed_states};

/// Description of a phase, formatted only on display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TimeUse<'a> {
    /// A part with this title runs.
    Runs(&'a str),
    /// An instance with this title, waited for, has not ended.
    Waits(&'a str),
    /// A resource with this title has not started; second field: its state.
    NotStarted(&'a str, Option<&'a str>),
    /// A resource with this title runs other instances.
    Busy(&'a str),
    /// State of the instance, and the title of its last part if all parts have ended.
    State(Option<&'a str>, Option<&'a str>),
}

impl fmt::Display for TimeUse<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeUse::Runs(part) => write!(f, "{part} runs"),
            TimeUse::Waits(title) => write!(f, "waits for a {title}"),
            TimeUse::NotStarted(carrier, None) => write!(f, "{carrier} not started"),
            TimeUse::NotStarted(carrier, Some(state)) => {
                write!(f, "{carrier} not started ({state})")
            }
            TimeUse::Busy(carrier) => write!(f, "{carrier} busy"),
            TimeUse::State(state, part) => {
                f.write_str(state.unwrap_or("before its first state"))?;
                part.map_or(Ok(()), |part| write!(f, ", after its last {part}"))
            }
        }
    }
}

/// Reference to an instance: the instances of its entity, and an index into their list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThingRef<'a>(pub &'a Instances, pub usize);

impl PartialEq for ThingRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0) && self.1 == other.1
    }
}

impl ThingRef<'_> {
    /// Title of the entity and number of the instance.
    pub fn name(self, snapshot: &Snapshot) -> String {
        let ThingRef(found, at) = self;
        let Some(instance) = found.list.get(at) else {
            return String::new();
        };
        let number = found.number(snapshot, instance);
        format!("{} {number}", found.entity.title)
    }
}

/// Phase of an instance with a description that is not formatted yet; times in UTC ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeSlice<'a> {
    pub start: i64,
    pub end: i64,
    pub why: TimeReason,
    pub what: TimeUse<'a>,
    /// Part, dependency or resource of the phase.
    pub of: Option<ThingRef<'a>>,
}

/// Instance with its parts, dependencies and resources.
pub(super) struct One<'a> {
    instances: &'a Instances,
    around: &'a Surroundings,
    parts: &'a [PartSpan],
    states: Vec<(i64, u16)>,
    /// Dependencies (indices into `Instances::list`) and their ends, UTC ns.
    waits: Vec<(usize, i64)>,
    /// Kind of resource, index of the resource, and its start, UTC ns.
    carriers: Vec<(usize, usize, i64)>,
}

impl<'a> One<'a> {
    pub fn new(instances: &'a Instances, around: &'a Surroundings, at: usize) -> One<'a> {
        let instance = &instances.list[at];
        let waits = instances.waits_for(&around.index, instance).into_iter();
        let parts = around.of.get(at).map_or(&[][..], |p| p);
        let mut one = One {
            instances,
            around,
            parts,
            states: timed_states(instances, instance),
            waits: waits.map(|w| (w, around.reach(w))).collect(),
            carriers: Vec::new(),
        };
        // Resource of the first part, or else the one named by the instance's own events.
        let first = parts.first();
        for (kind, carriers) in around.carriers.iter().enumerate() {
            let of = match first {
                Some(part) => {
                    let found = &around.parts[part.kind];
                    carriers.of(found, &found.list[part.at])
                }
                None => carriers.of(instances, instance),
            };
            if let Some(carrier) = of
                && let Some(life) = carriers.lives[carrier]
            {
                one.carriers.push((kind, carrier, life.start));
            }
        }
        one
    }

    /// Times at which the reason may change, UTC ns, unordered.
    pub fn cuts(&self) -> Vec<i64> {
        let mut out: Vec<i64> = self.states.iter().map(|s| s.0).collect();
        out.extend(self.parts.iter().flat_map(|p| [p.start, p.end]));
        out.extend(self.waits.iter().map(|w| w.1));
        out.extend(self.carriers.iter().map(|c| c.2));
        for (kind, carrier, _) in &self.carriers {
            out.extend(self.carrier_states(*kind, *carrier).iter().map(|s| s.0));
        }
        out
    }

    /// Busy times of the innermost resource.
    fn worker(&self) -> Option<&'a Busy> {
        let inner = self.around.carriers.len().checked_sub(1)?;
        let (_, carrier, _) = self.carriers.iter().find(|c| c.0 == inner)?;
        self.around.busy.get(carrier)
    }

    fn carrier_states(&self, kind: usize, carrier: usize) -> &'a [(i64, u16)] {
        let states = self.around.states.get(kind).and_then(|s| s.get(carrier));
        states.map_or(&[], |s| s)
    }

    /// Phase of a time range without changes.
    pub fn phase(&self, start: i64, end: i64) -> TimeSlice<'a> {
        let cut = |why: TimeReason, what: TimeUse<'a>, of: Option<ThingRef<'a>>| TimeSlice {
            start,
            end,
            why,
            what,
            of,
        };
        let parts = self.parts.iter().rev();
        if let Some(part) = { parts }.find(|p| p.start <= start && end <= p.end) {
            let found = &self.around.parts[part.kind];
            let what = TimeUse::Runs(&found.entity.title);
            return cut(TimeReason::Runs, what, Some(ThingRef(found, part.at)));
        }
        let before_parts = self.parts.first().is_none_or(|p| end <= p.start);
        let last = self
            .waits
            .iter()
            .filter(|w| w.1 > start)
            .max_by_key(|w| w.1);
        if let Some((other, _)) = last.filter(|_| before_parts) {
            let what = TimeUse::Waits(&self.instances.entity.title);
            return cut(
                TimeReason::Depends,
                what,
                Some(ThingRef(self.instances, *other)),
            );
        }
        let missing = self.carriers.iter().find(|c| c.2 > start);
        if let Some((kind, carrier, _)) = missing.filter(|_| before_parts) {
            let found = &self.around.carriers[*kind].instances;
            let states = self.carrier_states(*kind, *carrier);
            let what = TimeUse::NotStarted(&found.entity.title, state_at(found, states, start));
            return cut(TimeReason::NoCarrier, what, Some(ThingRef(found, *carrier)));
        }
        let next = self.parts.iter().any(|p| p.start >= end);
        // The resource counts as busy if it runs others for most of the phase: splitting the phase
        // at each of them would add no information.
        let is_busy = |busy: &Busy| {
            let others = busy.until(end).saturating_sub(busy.until(start));
            others.saturating_mul(2) > end.saturating_sub(start)
        };
        let is_busy = self.worker().is_some_and(is_busy);
        if next
            && is_busy
            && let Some((kind, carrier, _)) = self.carriers.last()
        {
            let found = &self.around.carriers[*kind].instances;
            let what = TimeUse::Busy(&found.entity.title);
            return cut(TimeReason::Busy, what, Some(ThingRef(found, *carrier)));
        }
        let last = self.parts.last().filter(|_| !next);
        let part = last.map(|last| &*self.around.parts[last.kind].entity.title);
        let what = TimeUse::State(state_at(self.instances, &self.states, start), part);
        cut(TimeReason::State, what, None)
    }
}

/// Name of the state at `time`, given states in time order.
fn state_at<'i>(found: &'i Instances, states: &[(i64, u16)], time: i64) -> Option<&'i str> {
    let state = states.iter().rev().find(|s| s.0 <= time)?;
    found.states.get(usize::from(state.1)).map(String::as_str)
}
