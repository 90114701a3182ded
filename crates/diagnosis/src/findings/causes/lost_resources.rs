//! Work items that failed because the resource that executed them was lost: reported with the loss.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::findings::context::Context;
use crate::findings::exceptions;
use crate::findings::finding::{Finding, FindingKind};
use crate::unfinished::model::UnfinishedItem;
use widetui_analysis::entity::Id;
use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::causes::Family;

/// Delay until a busy resource may be reported as failed after its work was, ns: it gives up its work first.
const LATER: i64 = NS_PER_SECOND;

/// Failure of a resource: its id, time (UTC ns) and record.
type Break = (Id, i64, EventId);

/// Failures of resources, by the last part of their ids.
#[derive(Default)]
pub(crate) struct Broken(FxHashMap<(String, String), Vec<Break>>);

impl Broken {
    /// Collects the failures of all resources.
    pub fn of(look: &Context<'_>) -> Broken {
        let mut out = Broken::default();
        for carriers in look.found.resources() {
            for carrier in &carriers.list {
                for change in carriers.failures(carrier) {
                    let id = carriers.id(look.snapshot, carrier);
                    let Some(last) = id.last().cloned() else {
                        continue;
                    };
                    let known = out.0.entry(last).or_default();
                    known.push((id, change.time, change.event));
                }
            }
        }
        out
    }

    /// Records of failures at some places until `until`, UTC ns.
    fn at(&self, places: &[(String, String)], until: i64) -> Vec<EventId> {
        let all = places.iter().filter_map(|place| self.0.get(place));
        let fits =
            |(id, time, _): &&Break| *time <= until && id.iter().all(|part| places.contains(part));
        all.flatten().filter(fits).map(|known| known.2).collect()
    }
}

impl Family<'_, '_> {
    /// Whether another finding reports the failure of the resource of each work item that failed without a reason of
    /// its own, or that never ended.
    pub(crate) fn broke_with_place(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        if that.kind != FindingKind::Hint || that.severity <= Severity::Warning {
            return false;
        }
        let told: FxHashSet<EventId> = that.events.iter().copied().collect();
        let is_told = |events: Vec<EventId>| events.iter().any(|event| told.contains(event));
        match own.kind {
            FindingKind::Failures => {
                let failed: Vec<EventId> = self.failed(own).collect();
                !failed.is_empty() && failed.iter().all(|event| is_told(self.broke_at(*event)))
            }
            FindingKind::Hung => {
                let stuck = self.stuck(own);
                let broke =
                    |s: &UnfinishedItem| match s.failed_first.first().filter(|f| f.is_failure) {
                        Some(_) => is_told(self.broken.at(&s.place, s.since.unwrap_or(i64::MAX))),
                        None => false,
                    };
                !stuck.is_empty() && stuck.into_iter().all(broke)
            }
            _ => false,
        }
    }

    /// Whether another finding reports that the resource of each failed work item fell silent while executing it.
    pub(crate) fn at_silent(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let mut failed = own.events.iter().peekable();
        own.kind == FindingKind::Failures
            && that.kind == FindingKind::Silence
            && failed.peek().is_some()
            && failed.all(|event| that.events.contains(event))
    }

    /// Whether another finding reports unfinished work on a resource that fell silent.
    pub(crate) fn silent_at(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let mut work = own.evidence.iter();
        own.kind == FindingKind::Silence
            && that.kind == FindingKind::Hung
            && own.events.is_empty()
            && work.any(|event| that.evidence.contains(event))
    }

    /// Failures of a finding that are not caused by failed dependencies.
    fn failed(&self, own: &Finding) -> impl Iterator<Item = EventId> {
        let all = own.events.iter().copied();
        all.filter(|event| self.look.why_at.contains_key(event))
    }

    /// Unfinished work items of a finding.
    pub(crate) fn stuck(&self, own: &Finding) -> Vec<&UnfinishedItem> {
        let stuck = self.look.hung.stuck.iter();
        let is_told = |s: &&UnfinishedItem| s.last_event.is_some_and(|e| own.events.contains(&e));
        stuck.filter(is_told).collect()
    }

    /// Failure records of the resource of a work item that failed without an exception of its own.
    fn broke_at(&self, event: EventId) -> Vec<EventId> {
        let look = self.look;
        let reason = look.reasons.get(&event);
        let goal = look.goal_of.get(&event.0);
        let goal = goal.and_then(|number| look.goal(*number));
        let Some(((goals, goal), time)) = goal.zip(look.time(event)) else {
            return Vec::new();
        };
        match reason.is_some_and(|line| exceptions::is_exception(line)) {
            true => Vec::new(),
            false => {
                let places = goals.places(look.snapshot, goal);
                self.broken.at(&places, time.saturating_add(LATER))
            }
        }
    }
}
