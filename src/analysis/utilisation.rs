//! How busy things are: how much runs over time, how much could, and each carrier's busy share and cold start.

use std::collections::BTreeMap;

use crate::base::cancel::Cancel;
use crate::base::dict::NONE;
use crate::store::Snapshot;

use super::Instances;
use super::carriers::Carriers;
use super::columns::{By, Labels};
use super::entity::Instance;
use super::scope::AnalysisScope;
use super::spans::{Span, SpanOutcome, spans};
use super::steps::{Steps, changes};

/// Weights are kept in these parts, so that sums of them come back to nothing exactly.
pub const PARTS: i128 = 1_000_000_000_000;

/// What one running instance counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Weight {
    /// One.
    #[default]
    One,
    /// This number.
    Number(f64),
    /// The number that a key of it says.
    Key(By),
    /// A number divided by what a key of it says.
    Per(f64, By),
}

/// What is wrong with a weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightError {
    /// Neither a number, a key, nor NUMBER/KEY.
    #[error("'{0}' is no weight: a number, a key, or 1/key")]
    Syntax(String),
}

impl Weight {
    /// Reads `2`, `mysim.cores` or `1/mysim.packing`.
    ///
    /// # Errors
    /// What is none of these, or a key that no event has.
    pub fn parse(snapshot: &Snapshot, text: &str) -> Result<Weight, WeightError> {
        let bad = || WeightError::Syntax(text.to_owned());
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let key = |name: &str| match By::named(snapshot, name.trim()) {
            Some(by @ By::Key(_)) => Ok(by),
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

/// What runs and what could run, as steps over time, and the share of each carrier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Utilisation {
    /// Sum of the weights of what runs, in `PARTS`.
    pub running: Steps<i128>,
    /// How many carriers there are.
    pub capacity: Steps,
    /// What each did, in the order of `Carriers::instances`.
    pub carriers: Vec<Use>,
    /// Instances whose weight is not known: they count nothing.
    pub unweighted: u64,
}

/// What a carrier did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// Index into `Carriers::instances`.
    pub carrier: usize,
    /// Start of its life, UTC ns.
    pub start: i64,
    /// End of its life, UTC ns.
    pub end: i64,
    /// Part of its life, within the window, in which something ran in it, 0 to 1.
    pub busy: f64,
    /// From its start to the first that ran in it, ns; negative where clocks disagree.
    pub cold: Option<i64>,
    /// How many ran in it.
    pub carried: u64,
}

/// How busy the carriers of an entity's instances are. `None` when cancelled.
pub fn utilisation(
    snapshot: &Snapshot,
    instances: &Instances,
    carriers: Option<&Carriers>,
    scope: &AnalysisScope,
    weight: &Weight,
    cancel: &Cancel,
) -> Option<Utilisation> {
    let spans = spans(snapshot, instances, scope, None, cancel)?;
    let mut out = Utilisation::default();
    let weights = Weights::new(snapshot, weight, cancel)?;
    let mut running: Vec<(i64, i128)> = Vec::new();
    let mut of_carrier: BTreeMap<usize, Vec<(i64, i64)>> = BTreeMap::new();
    for span in &spans.list {
        let instance = &instances.list[span.of as usize];
        let Some(weight) = weights.of(snapshot, instances, instance) else {
            out.unweighted += 1;
            continue;
        };
        let carrier = carriers.and_then(|c| c.of(instances, instance));
        let life = carrier.and_then(|at| *carriers?.lives.get(at)?);
        for stretch in carried_out(instances, instance, span) {
            if stretch.end > stretch.start || stretch.is_open {
                running.push((stretch.start, weight));
                if !stretch.is_open {
                    running.push((stretch.end, -weight));
                }
            }
            // Where it was carried out before it came there is not told.
            let is_elsewhere = life.is_some_and(|l| stretch.end <= l.start && span.end > l.start);
            if let Some(carrier) = carrier.filter(|_| !is_elsewhere) {
                let own = of_carrier.entry(carrier).or_default();
                own.push((stretch.start, stretch.end));
            }
        }
    }
    out.running = Steps::of_changes(running).clipped(scope.window);
    if let Some(carriers) = carriers {
        let lives = carriers.lives.iter().flatten();
        let lives = changes(lives.map(|l| (l.start, Some(l.end))));
        out.capacity = Steps::of_changes(lives).clipped(scope.window);
        out.carriers = uses(carriers, &of_carrier, scope);
    }
    Some(out)
}

/// A time in which something was carried out, UTC ns.
struct Stretch {
    start: i64,
    end: i64,
    is_open: bool,
}

/// When something was carried out: in the states in which it is, where the entity has such; else all of its time.
fn carried_out(instances: &Instances, instance: &Instance, span: &Span) -> Vec<Stretch> {
    let is_open = span.outcome == SpanOutcome::Open;
    let changes = instances.changes(instance);
    let entity = &instances.entity;
    if entity.executing.is_empty() || changes.is_empty() {
        let (start, end) = (span.start, span.end);
        return vec![Stretch {
            start,
            end,
            is_open,
        }];
    }
    let mut out = Vec::new();
    let mut since: Option<i64> = None;
    for change in changes {
        let state = instances.states.get(usize::from(change.state));
        let is_executing = state.is_some_and(|s| entity.executing.contains(s));
        match since {
            None if is_executing => since = Some(change.time),
            Some(start) if !is_executing => {
                let end = change.time;
                out.push(Stretch {
                    start,
                    end,
                    is_open: false,
                });
                since = None;
            }
            _ => {}
        }
    }
    let last = since.map(|start| Stretch {
        start,
        end: span.end.max(start),
        is_open,
    });
    out.extend(last);
    out
}

fn uses(
    carriers: &Carriers,
    of_carrier: &BTreeMap<usize, Vec<(i64, i64)>>,
    scope: &AnalysisScope,
) -> Vec<Use> {
    let mut out = Vec::new();
    for (at, life) in carriers.lives.iter().enumerate() {
        let Some(life) = life.filter(|l| scope.window.touches(l.start, l.end)) else {
            continue;
        };
        let own = of_carrier.get(&at).map_or(&[][..], |o| o);
        let from = scope.window.since.map_or(life.start, |s| s.max(life.start));
        let to = scope.window.until.map_or(life.end, |u| u.min(life.end));
        let busy = Steps::of_changes(changes(own.iter().map(|s| (s.0, Some(s.1)))));
        let some = busy.points.iter().map(|p| (p.0, p.1.min(1)));
        let some = Steps {
            points: some.collect(),
        };
        let time = to.saturating_sub(from).max(1) as f64;
        out.push(Use {
            carrier: at,
            start: life.start,
            end: life.end,
            busy: some.integral(from, to) / time,
            cold: own.iter().map(|s| s.0.saturating_sub(life.start)).min(),
            carried: own.len() as u64,
        });
    }
    out
}

/// The weights of instances.
enum Weights {
    Fixed(i128),
    Of(f64, Labels),
    Times(Labels),
}

impl Weights {
    fn new(snapshot: &Snapshot, weight: &Weight, cancel: &Cancel) -> Option<Weights> {
        Some(match weight {
            Weight::One => Weights::Fixed(PARTS),
            Weight::Number(n) => Weights::Fixed(parts(*n)?),
            Weight::Key(by) => Weights::Times(Labels::of(snapshot, by, cancel)?),
            Weight::Per(n, by) => Weights::Of(*n, Labels::of(snapshot, by, cancel)?),
        })
    }

    fn of(&self, snapshot: &Snapshot, all: &Instances, instance: &Instance) -> Option<i128> {
        let value = |labels: &Labels| match labels.first(all.events(instance)) {
            NONE => None,
            code => labels.text(snapshot, code).parse::<f64>().ok(),
        };
        match self {
            Weights::Fixed(n) => Some(*n),
            Weights::Times(labels) => parts(value(labels)?),
            Weights::Of(n, labels) => parts(n / value(labels)?),
        }
    }
}

fn parts(number: f64) -> Option<i128> {
    let all = number * PARTS as f64;
    all.is_finite().then_some(all.round() as i128)
}

/// Finished instances over time, by group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Throughput {
    /// Values of the key that groups them; one empty name without such a key.
    pub groups: Vec<String>,
    /// By group: how many finished so far, within the window.
    pub finished: Vec<Steps>,
    /// All that finished, by time, UTC ns.
    pub times: Vec<i64>,
}

/// How many of an entity's instances finished over time: by their own end, not those that were lost. `None` when cancelled.
pub fn throughput(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    by: Option<&By>,
    cancel: &Cancel,
) -> Option<Throughput> {
    let spans = spans(snapshot, instances, scope, by, cancel)?;
    let mut ends: Vec<Vec<(i64, i64)>> = vec![Vec::new(); spans.groups.len()];
    let mut times = Vec::new();
    let done = |s: &&Span| s.outcome == SpanOutcome::Ended && scope.window.contains(s.end);
    for span in spans.list.iter().filter(done) {
        ends[span.group as usize].push((span.end, 1));
        times.push(span.end);
    }
    times.sort_unstable();
    Some(Throughput {
        groups: spans.groups,
        finished: ends.into_iter().map(Steps::of_changes).collect(),
        times,
    })
}
