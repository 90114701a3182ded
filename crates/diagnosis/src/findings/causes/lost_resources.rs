//! Work items that failed or never ended because the resource or the process that executed them was lost: reported with
//! the loss.

use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::findings::context::Context;
use crate::findings::exceptions;
use crate::findings::finding::{Finding, FindingKind};
use crate::unfinished::model::UnfinishedItem;
use widetui_analysis::entity::{Id, Instances};
use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::causes::Family;

/// Delay until a busy resource may be reported as failed after its work was, ns: it gives up its work first.
const LATER: i64 = NS_PER_SECOND;

/// Maximum number of records that are searched for processes.
const READ: usize = 64;
/// Key of the process that wrote a record, and end of the names of keys of processes that a record is about.
const PID: &str = "pid";
/// Ends of the names of keys of hosts.
const HOSTS: [&str; 3] = ["host", "node", "hostname"];

/// A process, as a record names it.
struct Process {
    pid: String,
    /// Hosts that the record names.
    hosts: Vec<String>,
    time: Option<i64>,
}

impl Process {
    /// Process that a record is about, other than its writer.
    fn named_by(look: &Context<'_>, event: EventId) -> Option<Process> {
        Process::of(look, event, |key| key != PID && last_part(key) == PID)
    }

    /// Process that wrote a record.
    fn writer_of(look: &Context<'_>, event: EventId) -> Option<Process> {
        Process::of(look, event, |key| key == PID)
    }

    fn of(look: &Context<'_>, id: EventId, is_pid: impl Fn(&str) -> bool) -> Option<Process> {
        let event = look.snapshot.event(id)?;
        let (mut pid, mut hosts) = (None, Vec::new());
        event.for_each_code(|key, codes, _| {
            let Some(view) = look.snapshot.catalog.keys.get(key) else {
                return;
            };
            let value = || view.spelling(*codes.first()?);
            if is_pid(&view.key.name) {
                pid = pid.take().or_else(value);
            } else if HOSTS.contains(&last_part(&view.key.name)) {
                hosts.extend(value());
            }
        });
        Some(Process {
            pid: pid?,
            hosts,
            time: event.time(),
        })
    }

    /// Whether the end of this process is that of the writer of a record: no host contradicts it, and the record is earlier.
    fn ended(&self, writer: &Process) -> bool {
        let is_here = self.hosts.is_empty()
            || writer.hosts.is_empty()
            || self.hosts.iter().any(|host| writer.hosts.contains(host));
        let is_before = writer
            .time
            .zip(self.time)
            .is_none_or(|(own, end)| own <= end);
        self.pid == writer.pid && is_here && is_before
    }
}

/// Part of a key's name after its system.
fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Failure of a resource: its id, time (UTC ns) and record.
type Break = (Id, i64, EventId);

/// Failures of resources, and of work items that other work runs in (a batch job), by the last part of their ids.
#[derive(Default)]
pub(crate) struct Broken(FxHashMap<(String, String), Vec<Break>>);

impl Broken {
    /// Collects these failures.
    pub fn of(look: &Context<'_>) -> Broken {
        let mut out = Broken::default();
        let places: FxHashSet<&String> = { look.found.occurring.iter() }
            .flat_map(|all| &all.entity.place_keys)
            .collect();
        let is_place = |all: &&Instances| {
            let mut names = all.entity.naming_keys();
            all.entity.is_resource() || names.any(|key| places.contains(key))
        };
        for carriers in look.found.occurring.iter().filter(is_place) {
            for carrier in &carriers.list {
                for change in carriers.failures(carrier) {
                    let id = carriers.id(look.snapshot, carrier);
                    let Some(last) = id.last().cloned() else {
                        continue;
                    };
                    if let Some(space_key) = &carriers.entity.space_key {
                        let keys = &look.snapshot.catalog.keys;
                        let kind = keys
                            .find(space_key)
                            .and_then(|key| Some(keys.get(key)?.key.kind));
                        let name = kind.and_then(|kind| kind.canonical(&last.1));
                        let alias = (space_key.clone(), name.unwrap_or_else(|| last.1.clone()));
                        let known = out.0.entry(alias.clone()).or_default();
                        known.push((vec![alias], change.time, change.event));
                    }
                    let known = out.0.entry(last).or_default();
                    known.push((id, change.time, change.event));
                }
            }
        }
        out
    }

    /// Records of failures at some places during a time, UTC ns.
    fn at(&self, places: &[(String, String)], time: RangeInclusive<i64>) -> Vec<EventId> {
        let all = places.iter().filter_map(|place| self.0.get(place));
        let fits =
            |(id, at, _): &&Break| time.contains(at) && id.iter().all(|part| places.contains(part));
        all.flatten().filter(fits).map(|known| known.2).collect()
    }
}

impl Family<'_, '_> {
    /// Whether another finding reports the failure of the resource of each work item that failed without a reason of
    /// its own, or that never ended.
    pub(crate) fn broke_with_place(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let may_report = matches!(that.kind, FindingKind::Hint | FindingKind::Failures);
        if !may_report || that.severity <= Severity::Warning {
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
                let broke = |s: &UnfinishedItem| match s.failed_first.first() {
                    Some(first) if first.is_failure => is_told(
                        self.broken
                            .at(&s.place, i64::MIN..=s.since.unwrap_or(i64::MAX)),
                    ),
                    _ => {
                        s.is_executing
                            && s.since.is_some_and(|since| {
                                is_told(self.broken.at(&s.place, since..=i64::MAX))
                            })
                    }
                };
                !stuck.is_empty() && stuck.into_iter().all(broke)
            }
            _ => false,
        }
    }

    /// Whether another finding reports that the processes were ended in which all the unfinished work, or a lost resource,
    /// ran.
    pub(crate) fn process_killed(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let may_be = matches!(own.kind, FindingKind::Hung | FindingKind::Lost);
        if !may_be || that.kind != FindingKind::Hint || that.severity <= Severity::Warning {
            return false;
        }
        let look = self.look;
        let killed: Vec<Process> = { that.events.iter().take(READ) }
            .filter_map(|event| Process::named_by(look, *event))
            .collect();
        let is_killed = |event: EventId| {
            let process = Process::writer_of(look, event);
            process.is_some_and(|process| killed.iter().any(|k| k.ended(&process)))
        };
        let ran_there = |s: &&UnfinishedItem| {
            let begun = s.begun_there.as_ref().map(|begun| begun.2);
            begun.into_iter().chain(s.last_event).any(is_killed)
        };
        match own.kind {
            _ if killed.is_empty() => false,
            FindingKind::Hung => {
                let stuck = self.stuck(own);
                !stuck.is_empty() && stuck.iter().all(ran_there)
            }
            FindingKind::Lost => self.carriers.get(&at).is_some_and(|records| {
                let mut last: Vec<u32> = records.iter().copied().collect();
                last.sort_unstable();
                let last = last.into_iter().rev().take(READ);
                last.map(EventId).any(is_killed)
            }),
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
                self.broken
                    .at(&places, i64::MIN..=time.saturating_add(LATER))
            }
        }
    }
}
