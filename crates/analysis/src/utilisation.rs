//! Utilisation of resources: load and capacity over time, and the busy share and cold start of each
//! resource.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;
use widetui_store::Snapshot;
use widetui_time::time::NS_PER_SECOND;

use crate::Instances;
use crate::columns::{EventProperty, PropertyColumn};
use crate::entity::{Instance, InstanceEnd};
use crate::resources::{Lifetime, Resources};
use crate::scope::AnalysisScope;
use crate::spans::{Span, SpanOutcome, spans};
use crate::step_function::{StepFunction, interval_changes};

/// Fixed-point denominator of weights, so that sums return exactly to 0.
pub const WEIGHT_UNIT: i128 = 1_000_000_000_000;

/// Weight of a running instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Weight {
    /// Each instance counts 1.
    #[default]
    One,
    /// Each instance counts this number.
    Number(f64),
    /// Each instance counts the value of a key.
    Key(EventProperty),
    /// Each instance counts a number divided by the value of a key.
    Per(f64, EventProperty),
}

/// Error in the text of a weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightError {
    /// Not a number, a key, or NUMBER/KEY.
    #[error("'{0}' is not a weight: expected a number, a key, or NUMBER/KEY")]
    Syntax(String),
}

impl Weight {
    /// Parses `2`, `mysim.cores` or `1/mysim.packing`.
    ///
    /// # Errors
    /// If the text is not a weight, or no event has the key.
    pub fn parse(snapshot: &Snapshot, text: &str) -> Result<Weight, WeightError> {
        let bad = || WeightError::Syntax(text.to_owned());
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let key = |name: &str| match EventProperty::parse(snapshot, name.trim()) {
            Some(property @ EventProperty::Key(_)) => Ok(property),
            _ => Err(bad()),
        };
        if let Some(n) = number(text) {
            return Ok(Weight::Number(n));
        }
        match text.split_once('/') {
            Some((n, name)) => Ok(Weight::Per(number(n).ok_or_else(bad)?, key(name)?)),
            None => key(text).map(Weight::Key),
        }
    }
}

/// Load and capacity over time, and the use of each resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Utilisation {
    /// Sum of the weights of running instances, in units of 1/`WEIGHT_UNIT`.
    pub running: StepFunction<i128>,
    /// Number of resources that exist.
    pub capacity: StepFunction,
    /// Use of each resource, in the order of `Resources::instances`.
    pub resources: Vec<ResourceUse>,
    /// Number of instances with an unknown weight, which count 0.
    pub unweighted: u64,
}

/// Use of one resource: lifetime, busy share, cold start, executions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceUse {
    /// Resource, as an index into `Resources::instances`.
    pub resource: usize,
    /// Start of its lifetime, UTC ns.
    pub start: i64,
    /// End of its lifetime, UTC ns.
    pub end: i64,
    /// Share of its lifetime within the window in which an instance ran, 0 to 1.
    pub busy: f64,
    /// Cold start: time from its start to the first instance that ran on it, ns; `None` if that
    /// instance began earlier, because its execution is not separate from its waiting or clocks
    /// disagree.
    pub cold_start: Option<i64>,
    /// Number of executions on it.
    pub executions: u64,
}

/// Computes the utilisation of the resources of an entity's instances. `None` when cancelled.
pub fn utilisation(
    snapshot: &Snapshot,
    instances: &Instances,
    resources: Option<&Resources>,
    scope: &AnalysisScope,
    weight: &Weight,
    cancel: &Cancel,
) -> Option<Utilisation> {
    let spans = spans(snapshot, instances, scope, None, cancel)?;
    let mut out = Utilisation::default();
    let weights = Weights::new(snapshot, weight, cancel)?;
    let mut running: Vec<(i64, i128)> = Vec::new();
    let mut by_resource: BTreeMap<usize, Vec<(i64, i64)>> = BTreeMap::new();
    let mut lifetimes: Vec<Option<Lifetime>> =
        resources.map_or_else(Vec::new, |c| c.lifetimes.clone());
    let weight_of =
        |span: &Span| weights.of(snapshot, instances, &instances.list[span.subject as usize]);
    out.unweighted = { spans.list.iter() }
        .filter(|span| weight_of(span).is_none())
        .count() as u64;
    for span in &spans.executions(instances).list {
        let instance = &instances.list[span.subject as usize];
        let Some(weight) = weight_of(span) else {
            continue;
        };
        let is_unfinished = span.outcome == SpanOutcome::Unfinished;
        if span.end > span.start || is_unfinished {
            running.push((span.start, weight));
            let end = match is_unfinished {
                true => span.run_end.map(|run_end| run_end.max(span.start)),
                false => Some(span.end),
            };
            running.extend(end.map(|end| (end, -weight)));
        }
        let start_resource =
            { span.start_event }.and_then(|event| resources?.resource_of_event(event));
        let of_instance = || resources.and_then(|c| c.resource_of_instance(instances, instance));
        let Some(resource) = start_resource.or_else(of_instance) else {
            continue;
        };
        let Some(lifetime) = lifetimes.get_mut(resource).and_then(Option::as_mut) else {
            continue;
        };
        // An execution that precedes the resource ran elsewhere.
        if span.start_event.is_some() && span.end <= lifetime.start {
            continue;
        }
        // A resource with an unfinished instance exists as long as its run is logged, even
        // without records.
        if is_unfinished && !lifetime.has_end && instances.entity.can_end() {
            let watched = last_logged(snapshot, instances, instance);
            lifetime.end = lifetime.end.max(span.end.min(watched));
        }
        let own = by_resource.entry(resource).or_default();
        own.push((span.start, span.end));
    }
    out.running = StepFunction::from_changes(running).clipped(scope.window);
    if resources.is_some() {
        let existing = lifetimes.iter().flatten();
        let existing = interval_changes(existing.map(|l| (l.start, Some(l.end))));
        out.capacity = StepFunction::from_changes(existing).clipped(scope.window);
        out.resources = resource_uses(&lifetimes, &by_resource, scope);
    }
    Some(out)
}

/// Last record of the sources with events of an instance, UTC ns: later records of other runs do
/// not show that it continued.
fn last_logged(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> i64 {
    let mut last = i64::MIN;
    let mut existing = None;
    for event in instances.events(instance) {
        let Some(event) = snapshot.event(EventId(*event)) else {
            continue;
        };
        let source = event.source();
        if existing.replace(source.id) != Some(source.id) {
            last = last.max(source.last().unwrap_or(i64::MIN));
        }
    }
    last
}

/// Use of each resource, from its lifetime and the executions on it.
fn resource_uses(
    lifetimes: &[Option<Lifetime>],
    by_resource: &BTreeMap<usize, Vec<(i64, i64)>>,
    scope: &AnalysisScope,
) -> Vec<ResourceUse> {
    let mut out = Vec::new();
    for (at, lifetime) in lifetimes.iter().enumerate() {
        let Some(lifetime) = lifetime.filter(|l| scope.window.overlaps(l.start, l.end)) else {
            continue;
        };
        let own = by_resource.get(&at).map_or(&[][..], |o| o);
        let from = scope
            .window
            .since
            .map_or(lifetime.start, |s| s.max(lifetime.start));
        let to = scope
            .window
            .until
            .map_or(lifetime.end, |u| u.min(lifetime.end));
        let intervals = own.iter().map(|s| (s.0, Some(s.1)));
        let busy = StepFunction::from_changes(interval_changes(intervals)).at_most(1);
        let time = to.saturating_sub(from).max(1) as f64;
        out.push(ResourceUse {
            resource: at,
            start: lifetime.start,
            end: lifetime.end,
            busy: busy.integral(from, to) / time,
            cold_start: { own.iter() }
                .map(|s| s.0.saturating_sub(lifetime.start))
                .min()
                .filter(|cold| *cold >= 0),
            executions: own.len() as u64,
        });
    }
    out
}

/// Source of the weight of each instance.
enum Weights {
    Fixed(i128),
    Ratio(f64, PropertyColumn),
    Value(PropertyColumn),
}

impl Weights {
    fn new(snapshot: &Snapshot, weight: &Weight, cancel: &Cancel) -> Option<Weights> {
        Some(match weight {
            Weight::One => Weights::Fixed(WEIGHT_UNIT),
            Weight::Number(n) => Weights::Fixed(weight_units(*n)?),
            Weight::Key(property) => {
                Weights::Value(PropertyColumn::read(snapshot, property, cancel)?)
            }
            Weight::Per(n, property) => {
                Weights::Ratio(*n, PropertyColumn::read(snapshot, property, cancel)?)
            }
        })
    }

    /// Weight of an instance in units of 1/`WEIGHT_UNIT`; `None` if unknown.
    fn of(&self, snapshot: &Snapshot, all: &Instances, instance: &Instance) -> Option<i128> {
        let value = |labels: &PropertyColumn| match labels.first_code(all.events(instance)) {
            NONE => None,
            code => labels.text(snapshot, code).parse::<f64>().ok(),
        };
        match self {
            Weights::Fixed(n) => Some(*n),
            Weights::Value(labels) => weight_units(value(labels)?),
            Weights::Ratio(n, labels) => weight_units(n / value(labels)?),
        }
    }
}

/// Converts a weight to units of 1/`WEIGHT_UNIT`; `None` if it is not finite.
fn weight_units(number: f64) -> Option<i128> {
    let all = number * WEIGHT_UNIT as f64;
    all.is_finite().then_some(all.round() as i128)
}

/// Number of finished instances over time, by group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Throughput {
    /// Values of the grouping key; one empty name without a key.
    pub groups: Vec<String>,
    /// Cumulative number of finished instances within the window, by group.
    pub finished: Vec<StepFunction>,
    /// End times of all finished instances, ascending, UTC ns.
    pub times: Vec<i64>,
}

impl Throughput {
    /// Names of the groups and their finished instances, the largest group first.
    pub fn largest_groups(&self) -> Vec<(&str, &StepFunction)> {
        let groups = self.groups.iter().map(String::as_str);
        let mut groups: Vec<_> = groups.zip(&self.finished).collect();
        let count = |steps: &StepFunction| steps.points.last().map(|p| p.1);
        groups.sort_by(|a, b| count(b.1).cmp(&count(a.1)).then(a.0.cmp(b.0)));
        groups
    }
}

/// Unit of time for rates, chosen so that the numbers have few digits.
#[derive(Clone, Copy, Debug)]
pub struct RateUnit {
    /// Name of the unit: `minute`.
    pub name: &'static str,
    /// Length of the unit, s.
    pub seconds: f64,
}

/// Units of time for rates, shortest first.
const RATE_UNITS: [RateUnit; 3] = [
    RateUnit {
        name: "second",
        seconds: 1.0,
    },
    RateUnit {
        name: "minute",
        seconds: 60.0,
    },
    RateUnit {
        name: "hour",
        seconds: 3600.0,
    },
];

impl RateUnit {
    /// Shortest unit in which at least one instance finishes on average, for `count` instances in
    /// `ns`.
    pub fn for_rate(count: usize, ns: i64) -> RateUnit {
        let seconds = ns.max(1) as f64 / NS_PER_SECOND as f64;
        let is_enough = |p: &&RateUnit| count as f64 / seconds * p.seconds >= 1.0;
        *RATE_UNITS.iter().find(is_enough).unwrap_or(&RATE_UNITS[2])
    }

    /// Number per unit; `None` if `ns` is not positive.
    pub fn rate(self, count: usize, ns: i64) -> Option<f64> {
        (ns > 0).then(|| count as f64 / (ns as f64 / NS_PER_SECOND as f64) * self.seconds)
    }
}

/// Computes the throughput of an entity: instances that ended by themselves over time; lost ones do
/// not count. `None` when cancelled.
pub fn throughput(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    group_by: Option<&EventProperty>,
    cancel: &Cancel,
) -> Option<Throughput> {
    let labels = match group_by {
        Some(group_by) => Some(PropertyColumn::read(snapshot, group_by, cancel)?),
        None => None,
    };
    let kept = scope.contains_instances(snapshot, instances);
    let mut ends: Vec<(i64, Code)> = Vec::new();
    for (at, instance) in instances.list.iter().enumerate().filter(|i| kept[i.0]) {
        if at % 1024 == 0 && cancel.is_cancelled() {
            return None;
        }
        // The start may be unknown.
        if let InstanceEnd::Ended(end) = instances.standing(snapshot, instance).end
            && scope.window.contains(end)
        {
            let group = labels
                .as_ref()
                .map(|l| l.first_code(instances.events(instance)));
            ends.push((end, group.unwrap_or(NONE)));
        }
    }
    ends.sort_by_key(|(end, _)| *end);
    let mut existing: FxHashMap<Code, usize> = FxHashMap::default();
    let mut codes: Vec<Code> = Vec::new();
    let mut finished: Vec<Vec<(i64, i64)>> = Vec::new();
    for (end, code) in &ends {
        let group = *existing.entry(*code).or_insert_with(|| {
            codes.push(*code);
            finished.push(Vec::new());
            codes.len() - 1
        });
        finished[group].push((*end, 1));
    }
    let name =
        |code: &Code| { labels.as_ref() }.map_or_else(String::new, |l| l.text(snapshot, *code));
    Some(Throughput {
        groups: codes.iter().map(name).collect(),
        finished: finished
            .into_iter()
            .map(StepFunction::from_changes)
            .collect(),
        times: ends.into_iter().map(|(end, _)| end).collect(),
    })
}
