//! Questions of the views that plot over time, and their answers as plain data.
//!
//! ```text
//! PlotQuestion (entity, steps, plot) + rows ──answer──> PlotData ──(table layout)──> a table and its figure
//!                                                              └──(columns)──> CSV
//! ```
//!
//! Nothing is computed here: instances come from [`InstanceCache`](super::instances::Things), numbers from the `analysis`
//! crate.

mod capacity;
mod curves;
mod default_entity;
mod marked_spans;
mod messages;
mod open_steps;
mod other_places;
mod scope;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use widetui_analysis::account::{AccountContext, PhaseTotal, TimeReason, phase_totals};
use widetui_analysis::columns::EventProperty;
use widetui_analysis::dag::{Dag, Folding, depth_labels};
use widetui_analysis::entity::{Id, standings};
use widetui_analysis::instance_groups::group_order;
use widetui_analysis::latency::{Latency, latency};
use widetui_analysis::overview::{Curve, CurveSubject};
use widetui_analysis::run_table::{RunLabels, run_labels};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::{AnalysisScope, TimeWindow};
use widetui_analysis::series::{Series, SeriesKind, SeriesLine, SeriesSpec, series};
use widetui_analysis::slowest::{MeasuredStep, SlowestInstances, slowest};
use widetui_analysis::spans::{LostEnds, Spans, spans};
use widetui_analysis::state_members::{StateMembers, group_by_last_state};
use widetui_analysis::states::{ReporterChoice, StateGroup, states, states_by};
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::timeline::{Colour, Ending, Grouping, Timeline, timeline};
use widetui_analysis::utilisation::{Throughput, throughput};
use widetui_analysis::{Entity, Instances};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_definition::key_type::KeyType;
use widetui_definition::semantics::EntityRole;
use widetui_query::resolve_key;
use widetui_report::figure::TimeOrigin;
use widetui_store::Snapshot;

use super::dependencies::{DependencyGraph, DependentInstances};
use super::instances::SnapshotInstances;
use super::meaning::Meaning;
use super::rows::Rows;
use super::selection::{SelectionStep, StepEffect};

pub use default_entity::{EntityInstances, InstanceSet, ids_step};
pub use marked_spans::{Mark, Marked, PairBy, SpanMarks};
pub use messages::Messages;
pub use open_steps::{OpenStep, open_steps};
use other_places::remove_other_places;
pub use scope::{apart, scope_of, window_of};

use default_entity::Aspect;

/// Plot to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// Number of instances in each state over time, optionally grouped by a key, as these reporters say.
    States(Option<String>, ReporterChoice),
    /// Timeline of instances, in rows by the resource that they ran on.
    Timeline(RowsBy, ColourBy),
    /// Durations of steps, grouped by keys.
    Latency(Vec<String>),
    /// Instances with the longest durations of a step.
    Slowest(MeasuredStep),
    /// Breakdown of the instances' time by reason.
    Account,
    /// Instances with the most time of one reason, described in words.
    Spent(TimeReason, String),
    /// Durations of the instances, optionally grouped by a key.
    Spans(Option<String>),
    /// Durations between marked records.
    Marked {
        /// The marks.
        marks: SpanMarks,
        /// How starts and ends are paired.
        pair: PairBy,
        /// Key by which the spans are grouped.
        by: Option<String>,
    },
    /// Number of instances that finish over time, optionally grouped by a key.
    Throughput(Option<String>),
    /// Number of instances that run at once over time, optionally grouped by a key.
    Concurrency(Option<String>, LostEnds),
    /// A measured number over time, the grouping of its lines, and its course between points if it is not that of its definition.
    Series(String, LinesBy, Option<SeriesKind>),
    /// Small curves of these subjects, or of the most informative ones, at most so many.
    Curves(Option<Vec<CurveSubject>>, usize),
    /// Messages between actors.
    Flow(FlowBy),
    /// Dependencies between instances, in a large graph folded by a key (by the label if `None`).
    Dag(Option<String>, DagFocus),
}

/// Instances whose dependencies are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DagFocus {
    /// All instances in scope.
    All,
    /// These instances, each a node of its own.
    Members(Vec<Id>),
    /// All instances in scope, each a node of its own.
    Each,
    /// Instances, and those that they wait for or that wait for them.
    Around(Vec<Id>),
    /// Instances of the critical path, each a node of its own.
    Critical,
}

impl PlotKind {
    /// Whether the plot has a picture beside its numbers.
    pub(crate) fn has_picture(&self) -> bool {
        !matches!(
            self,
            PlotKind::Slowest(_) | PlotKind::Spent(..) | PlotKind::Flow(FlowBy::Kind)
        )
    }
}

/// Grouping of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowBy {
    /// One row per message.
    Each,
    /// One row per kind of message, with counts and durations.
    Kind,
}

/// Grouping of instances into rows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum RowsBy {
    /// By the innermost resource with known instances.
    #[default]
    Innermost,
    /// By a resource entity (dotted name), or by a key.
    Carrier(String),
    /// One row per instance.
    Each,
}

/// Meaning of the colours of bars.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum ColourBy {
    /// Labels of instances; their states where labels say nothing.
    #[default]
    Default,
    /// States.
    State,
    /// Values of a key (or source, level, template).
    Key(String),
}

/// Grouping of the lines of a measured number.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum LinesBy {
    /// As in its definition.
    #[default]
    Default,
    /// None: a single line.
    Nothing,
    /// Values of keys (or source, level, template).
    Keys(Vec<String>),
}

/// A question about the instances of an entity.
#[derive(Clone, Debug)]
pub struct PlotQuestion {
    /// Compiled definitions.
    pub meaning: Arc<Meaning>,
    /// Entity (dotted name); `None` for the most suitable one.
    pub entity: Option<String>,
    /// Steps of the selection.
    pub steps: Vec<SelectionStep>,
    /// Plot to compute.
    pub of: PlotKind,
    /// Origin of its times. From the starts of runs, states, throughput, concurrency and series have a group for each run.
    pub origin: TimeOrigin,
}

impl PartialEq for PlotQuestion {
    fn eq(&self, other: &PlotQuestion) -> bool {
        Arc::ptr_eq(&self.meaning, &other.meaning)
            && (&self.entity, &self.steps, &self.of) == (&other.entity, &other.steps, &other.of)
            && self.origin == other.origin
    }
}

impl Eq for PlotQuestion {}

/// Data of a plot.
#[derive(Clone, Debug)]
pub enum PlotData {
    /// The run has no data for the plot.
    Empty,
    /// States of instances.
    States(Box<StateData>),
    /// Timeline.
    Timeline(Box<TimelineData>),
    /// Durations of steps.
    Latency(Box<LatencyData>),
    /// Slowest instances.
    Slowest(EntityInstances, SlowestInstances),
    /// Breakdown of time.
    Account {
        /// Instances.
        of: EntityInstances,
        /// Total time by reason.
        sums: Vec<PhaseTotal>,
        /// Number of instances in the totals.
        instance_count: usize,
    },
    /// One reason with its instances; `None` if it no longer occurs.
    Spent(EntityInstances, Option<PhaseTotal>),
    /// Durations of instances.
    Spans {
        /// Instances.
        of: EntityInstances,
        /// Durations.
        spans: Spans,
        /// Key by which the instances are grouped.
        by: Option<String>,
    },
    /// Throughput.
    Throughput(Box<ThroughputData>),
    /// Numbers of instances over time.
    Counts(Box<CountData>),
    /// Small curves.
    Curves(Vec<Curve>),
    /// Durations between marked records.
    Marked(Box<Marked>),
    /// A measured number over time.
    Series(Box<SeriesData>),
    /// Messages.
    Flow(Messages, FlowBy),
    /// Dependencies between instances.
    Dag(EntityInstances, Box<DependencyGraph>),
}

/// States of instances.
#[derive(Clone, Debug)]
pub struct StateData {
    /// Instances.
    pub of: EntityInstances,
    /// States by group; one group without a name if there is no key.
    pub groups: Vec<StateGroup>,
    /// Instances by group and last state.
    pub members: Vec<StateMembers>,
    /// Key by which the instances are grouped.
    pub by: Option<String>,
    /// Origin of the times.
    pub origin: TimeOrigin,
}

/// Timeline.
#[derive(Clone, Debug)]
pub struct TimelineData {
    /// Instances.
    pub of: EntityInstances,
    /// Rows of bars.
    pub timeline: Timeline,
    /// Entity of the resource in each row.
    pub resource: Option<Arc<Entity>>,
    /// Number of resources over time.
    pub capacity: Option<StepFunction>,
}

/// Durations of steps.
#[derive(Clone, Debug)]
pub struct LatencyData {
    /// Instances.
    pub of: EntityInstances,
    /// Durations.
    pub latency: Latency,
    /// Instances that are stuck after a step.
    pub stuck: Vec<OpenStep>,
    /// Time of the instances by reason; empty if the steps are grouped.
    pub account: Vec<PhaseTotal>,
    /// Keys by which the steps are grouped.
    pub by: Vec<String>,
}

/// Throughput.
#[derive(Clone, Debug)]
pub struct ThroughputData {
    /// Instances.
    pub of: EntityInstances,
    /// Rates over time.
    pub rates: Throughput,
    /// Number of unfinished instances in the scope.
    pub open: usize,
    /// Key by which the instances are grouped.
    pub by: Option<String>,
}

/// Numbers of instances over time.
#[derive(Clone, Debug)]
pub struct CountData {
    /// Words for the instances: `tasks`.
    pub plural: String,
    /// Words for the counted quantity: `at once`.
    pub what: &'static str,
    /// Numbers of each group, the largest first.
    pub groups: Vec<GroupCounts>,
    /// Key by which the instances are grouped.
    pub by: Option<String>,
    /// Origin of the times.
    pub origin: TimeOrigin,
}

/// Number of instances of a group over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupCounts {
    /// Name; may be empty.
    pub name: String,
    /// Start of the run, UTC ns, if times count from there.
    pub start: Option<i64>,
    /// Numbers.
    pub steps: StepFunction,
}

/// A measured number over time.
#[derive(Clone, Debug)]
pub struct SeriesData {
    /// Definition of the number.
    pub spec: SeriesSpec,
    /// Names of the grouping keys.
    pub by: Vec<String>,
    /// Lines, within the window.
    pub series: Series,
    /// End of the window or of the data, UTC ns.
    pub until: i64,
    /// Origin of the times.
    pub origin: TimeOrigin,
}

/// Answers a question. `None` if cancelled.
pub(crate) fn answer(
    snapshot: &Snapshot,
    rows: &Rows,
    asked: &PlotQuestion,
    cancel: &Cancel,
) -> Option<PlotData> {
    let scope = scope_of(snapshot, rows, &asked.steps, cancel)?;
    answer_in(snapshot, &scope, asked, cancel)
}

/// Answers a question about the instances and records in a scope. `None` if cancelled.
pub fn answer_in(
    snapshot: &Snapshot,
    scope: &AnalysisScope,
    asked: &PlotQuestion,
    cancel: &Cancel,
) -> Option<PlotData> {
    if let PlotKind::Series(key, by, kind) = &asked.of {
        return numbers(snapshot, asked, scope, (key, by, *kind), cancel)
            .map(|data| PlotData::Series(Box::new(data)));
    }
    if let PlotKind::Curves(of, most) = &asked.of {
        let of = (of.as_deref(), *most);
        let found = curves::curves(snapshot, &asked.meaning, scope, of, cancel)?;
        return Some(PlotData::Curves(found));
    }
    if let PlotKind::Flow(by) = asked.of {
        let messages = Messages::find(snapshot, &asked.meaning, scope, cancel)?;
        return Some(PlotData::Flow(messages, by));
    }
    if let PlotKind::Marked { marks, pair, by } = &asked.of {
        let ends = RunEnds::of(snapshot, &asked.meaning.entities, cancel)?;
        let by = (pair, grouping(snapshot, asked, by.as_deref(), cancel)?);
        let found = marked_spans::marked(snapshot, &ends, scope, marks, by, cancel)?;
        return Some(PlotData::Marked(Box::new(found)));
    }
    let wanted = match asked.of {
        PlotKind::Timeline(..) | PlotKind::Spans(_) | PlotKind::Concurrency(..) => Aspect::Lengths,
        PlotKind::States(..) => Aspect::States,
        PlotKind::Dag(..) => Aspect::Dependencies,
        _ => Aspect::Steps,
    };
    let instance_cache = &asked.meaning.instance_cache;
    // Capacities are those of other entities.
    let named = { asked.entity.as_deref() }.filter(|_| !matches!(asked.of, PlotKind::Timeline(..)));
    let seen = instance_cache.instances_of(snapshot, named, cancel)?;
    let Some(found) = EntityInstances::find(
        snapshot,
        (instance_cache, &seen),
        asked.entity.as_deref(),
        wanted,
    ) else {
        return Some(PlotData::Empty);
    };
    let runs = run_starts(snapshot, asked, cancel)?;
    Some(match &asked.of {
        PlotKind::States(by, reporters) => {
            let key = grouping(snapshot, asked, by.as_deref(), cancel)?;
            let mut groups = match &key {
                Some(key) => states_by(snapshot, &found, scope, (reporters, key), cancel)?,
                None => vec![StateGroup {
                    states: states(snapshot, &found, scope, reporters, cancel)?,
                    ..StateGroup::default()
                }],
            };
            let shift = |group: &mut StateGroup, start| {
                group.start = Some(start);
                let all = group.states.series.iter_mut();
                all.for_each(|steps| steps.count_from(start));
            };
            let origin = from_starts(&mut groups, runs.as_ref(), |group| &group.name, shift);
            let by_group = (reporters, key.as_ref());
            PlotData::States(Box::new(StateData {
                members: group_by_last_state(snapshot, &found, scope, by_group, cancel)?,
                of: found,
                groups,
                by: group_name(asked, by).filter(|_| key.is_some()),
                origin,
            }))
        }
        PlotKind::Timeline(by, colour) => {
            bars(snapshot, found, asked, scope, (by, colour), cancel)?
        }
        PlotKind::Latency(by) => {
            let split = groupings(snapshot, asked, by, cancel)?;
            let latency = latency(snapshot, &found, scope, &split, cancel)?;
            let by: Vec<String> = split
                .iter()
                .map(|by| by.name(snapshot).to_owned())
                .collect();
            // Steps grouped by a key are those of some records only, so stuck instances are not attributed to them.
            let (stuck, account) = match by.is_empty() {
                false => (Vec::new(), Vec::new()),
                true => (
                    open_steps(snapshot, &asked.meaning, &found, scope, cancel)?,
                    account(snapshot, &asked.meaning, &found, scope, cancel)?,
                ),
            };
            PlotData::Latency(Box::new(LatencyData {
                of: found,
                latency,
                stuck,
                account,
                by,
            }))
        }
        PlotKind::Slowest(step) => {
            let slowest = slowest(snapshot, &found, scope, step, cancel)?;
            PlotData::Slowest(found, slowest)
        }
        PlotKind::Account | PlotKind::Spent(..) => {
            let sums = account(snapshot, &asked.meaning, &found, scope, cancel)?;
            match &asked.of {
                PlotKind::Spent(why, what) => {
                    let is_meant =
                        |sum: &PhaseTotal| sum.reason == *why && sum.description == *what;
                    PlotData::Spent(found, sums.into_iter().find(is_meant))
                }
                _ => {
                    let told = scope
                        .contains_instances(snapshot, &found)
                        .into_iter()
                        .filter(|is_in| *is_in);
                    let instance_count = told.count();
                    PlotData::Account {
                        of: found,
                        sums,
                        instance_count,
                    }
                }
            }
        }
        PlotKind::Spans(by) => {
            let key = grouping(snapshot, asked, by.as_deref(), cancel)?;
            let spans = spans(snapshot, &found, scope, key.as_ref(), cancel)?;
            PlotData::Spans {
                of: found,
                spans,
                by: by.clone().filter(|_| key.is_some()),
            }
        }
        PlotKind::Throughput(by) => {
            let key = grouping(snapshot, asked, by.as_deref(), cancel)?;
            let rates = throughput(snapshot, &found, scope, key.as_ref(), cancel)?;
            if runs.is_some() {
                let groups = rates.groups.into_iter().zip(rates.finished);
                let what = (found.entity.plural(), "finished", by);
                return Some(counts(asked, what, groups, runs.as_ref()));
            }
            let told = scope
                .contains_instances(snapshot, &found)
                .into_iter()
                .filter(|is_in| *is_in);
            PlotData::Throughput(Box::new(ThroughputData {
                open: told.count().saturating_sub(rates.times.len()),
                of: found,
                rates,
                by: by.clone().filter(|_| key.is_some()),
            }))
        }
        PlotKind::Concurrency(by, lost) => {
            let key = grouping(snapshot, asked, by.as_deref(), cancel)?;
            let spans = spans(snapshot, &found, scope, key.as_ref(), cancel)?.executions(&found);
            let plural = found.entity.plural();
            return concurrency(
                snapshot,
                asked,
                (plural, by),
                &spans,
                (scope, *lost),
                cancel,
            );
        }
        PlotKind::Dag(by, focus) => {
            let dag = Dag::new(&found);
            let mut in_scope = scope.contains_instances(snapshot, &found);
            if dag.is_empty() {
                in_scope.fill(false);
            }
            let mut kept = in_scope.clone();
            let near = match focus {
                DagFocus::All | DagFocus::Each | DagFocus::Critical => vec![true; kept.len()],
                DagFocus::Around(ids) => dag.around(&positions(&found, ids)),
                DagFocus::Members(ids) => {
                    let mut own = vec![false; kept.len()];
                    { positions(&found, ids) }
                        .into_iter()
                        .for_each(|at| own[at] = true);
                    own
                }
            };
            kept.iter_mut()
                .zip(near)
                .for_each(|(kept, is_near)| *kept &= is_near);
            let instances = DependentInstances {
                found: &found,
                dag: &dag,
                // Around an instance, the path that leads through its neighbours.
                scope: match focus {
                    DagFocus::Around(_) => &kept,
                    _ => &in_scope,
                },
                kept: (*focus != DagFocus::Critical).then_some(&kept[..]),
            };
            let folding = match focus {
                DagFocus::Members(_) | DagFocus::Critical | DagFocus::Each => Folding::Never,
                DagFocus::All | DagFocus::Around(_) => Folding::Large,
            };
            let key = grouping(snapshot, asked, by.as_deref(), cancel)?;
            let entities = &asked.meaning.entities;
            let grouped = (key.as_ref(), folding);
            let graph = DependencyGraph::arrange(snapshot, entities, instances, grouped, cancel)?;
            PlotData::Dag(found, Box::new(graph))
        }
        PlotKind::Series(..)
        | PlotKind::Curves(..)
        | PlotKind::Flow(_)
        | PlotKind::Marked { .. } => return None,
    })
}

/// Numbers of instances of groups, the largest first.
fn counts(
    asked: &PlotQuestion,
    (plural, what, by): (String, &'static str, &Option<String>),
    groups: impl Iterator<Item = (String, StepFunction)>,
    runs: Option<&RunLabels>,
) -> PlotData {
    let groups = groups.map(|(name, steps)| GroupCounts {
        name,
        steps,
        start: None,
    });
    let shift = |group: &mut GroupCounts, start| {
        group.start = Some(start);
        group.steps.count_from(start);
    };
    let mut groups: Vec<GroupCounts> = groups.collect();
    let origin = from_starts(&mut groups, runs, |group| &group.name, shift);
    let size = |of: &GroupCounts| of.steps.max().map_or(0, |m| m.1.unsigned_abs() as usize);
    let order = group_order(groups.iter().map(|of| (&*of.name, size(of))));
    let groups = order.into_iter().map(|at| std::mem::take(&mut groups[at]));
    PlotData::Counts(Box::new(CountData {
        groups: groups.collect(),
        what,
        by: group_name(asked, by),
        plural,
        origin,
    }))
}

/// Number of spans at once over time, by group; `plural` are words for them. `None` if cancelled.
pub fn concurrency(
    snapshot: &Snapshot,
    asked: &PlotQuestion,
    (plural, by): (String, &Option<String>),
    spans: &Spans,
    (scope, lost): (&AnalysisScope, LostEnds),
    cancel: &Cancel,
) -> Option<PlotData> {
    let runs = run_starts(snapshot, asked, cancel)?;
    let steps = spans.concurrency_by_group(scope, lost);
    let groups = spans.groups.iter().cloned().zip(steps);
    let what = (plural, "at once", by);
    Some(counts(asked, what, groups, runs.as_ref()))
}

/// Runs by their starts, if times count from there. The outer `None` if cancelled.
fn run_starts(
    snapshot: &Snapshot,
    asked: &PlotQuestion,
    cancel: &Cancel,
) -> Option<Option<RunLabels>> {
    match asked.origin {
        TimeOrigin::Clock => Some(None),
        TimeOrigin::RunStart { .. } => {
            run_labels(snapshot, &asked.meaning.entities, cancel).map(Some)
        }
    }
}

/// Counts the times of groups from the starts of their runs, if times count from there; groups of no run are left out.
fn from_starts<G>(
    groups: &mut Vec<G>,
    runs: Option<&RunLabels>,
    name: impl Fn(&G) -> &str,
    shift: impl Fn(&mut G, i64),
) -> TimeOrigin {
    let Some(runs) = runs else {
        return TimeOrigin::Clock;
    };
    let all = groups.len();
    groups.retain_mut(|group| {
        let start = runs.start_of(name(group));
        start.map(|start| shift(group, start)).is_some()
    });
    TimeOrigin::RunStart {
        left_out: all - groups.len(),
    }
}

/// Name of the key by which a plot is grouped.
fn group_name(asked: &PlotQuestion, by: &Option<String>) -> Option<String> {
    match asked.origin {
        TimeOrigin::Clock => by.clone(),
        TimeOrigin::RunStart { .. } => Some("run".to_owned()),
    }
}

/// Time of instances by reason.
fn account(
    snapshot: &Snapshot,
    meaning: &Meaning,
    found: &Instances,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Vec<PhaseTotal>> {
    let around = AccountContext::new(snapshot, found, &meaning.entities, cancel)?;
    phase_totals(snapshot, found, &around, scope, cancel)
}

/// Property by which a plot is grouped: a key of records, `source` (its kind), `level`, `template`, `run`, or `depth` (length of
/// the chain of dependencies before a task). The inner `None` if no record has it, the outer one if cancelled.
pub fn property_named(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    name: &str,
    cancel: &Cancel,
) -> Option<Option<EventProperty>> {
    Some(match name {
        // As in logs without a definition.
        _ if resolve_key(&snapshot.catalog.keys, name).is_some() => {
            EventProperty::parse(snapshot, name)
        }
        "run" => {
            let runs = run_labels(snapshot, entities, cancel)?;
            Some(EventProperty::Assigned(runs.labels))
        }
        "depth" => {
            let depths = depth_labels(snapshot, entities, cancel)?;
            Some(EventProperty::Assigned(Arc::new(depths)))
        }
        _ => EventProperty::parse(snapshot, name),
    })
}

/// As [`property_named`], for a plot that may have no groups.
fn grouping(
    snapshot: &Snapshot,
    asked: &PlotQuestion,
    name: Option<&str>,
    cancel: &Cancel,
) -> Option<Option<EventProperty>> {
    let name = match asked.origin {
        TimeOrigin::Clock => name,
        TimeOrigin::RunStart { .. } => Some("run"),
    };
    match name {
        Some(name) => property_named(snapshot, &asked.meaning.entities, name, cancel),
        None => Some(None),
    }
}

/// As [`grouping`], for several keys; those that no record has are left out.
fn groupings(
    snapshot: &Snapshot,
    asked: &PlotQuestion,
    names: &[String],
    cancel: &Cancel,
) -> Option<Vec<EventProperty>> {
    let names = names.iter();
    let found: Option<Vec<Option<EventProperty>>> =
        { names.map(|name| grouping(snapshot, asked, Some(name), cancel)) }.collect();
    Some(found?.into_iter().flatten().collect())
}

/// Positions of instances (indices into `Instances::list`) by their ids; those that the run lacks are left out.
fn positions<'i>(found: &EntityInstances, ids: impl IntoIterator<Item = &'i Id>) -> Vec<usize> {
    let wanted: FxHashSet<&Id> = ids.into_iter().collect();
    let is_wanted = |at: &usize| wanted.contains(&found.id(found.snapshot(), &found.list[*at]));
    (0..found.list.len()).filter(is_wanted).collect()
}

fn numbers(
    snapshot: &Snapshot,
    asked: &PlotQuestion,
    scope: &AnalysisScope,
    (key, by, kind): (&str, &LinesBy, Option<SeriesKind>),
    cancel: &Cancel,
) -> Option<SeriesData> {
    let meaning = &asked.meaning;
    let runs = run_starts(snapshot, asked, cancel)?;
    let id = resolve_key(&snapshot.catalog.keys, key);
    let name = id.map_or(key, |id| snapshot.catalog.keys.name(id));
    let mut spec = SeriesSpec::for_key(meaning.series(), &snapshot.catalog.keys, name);
    spec.kind = kind.unwrap_or(spec.kind);
    let by = match by {
        _ if runs.is_some() => groupings(snapshot, asked, &[String::new()], cancel)?,
        LinesBy::Default => spec.split_properties(snapshot),
        LinesBy::Nothing => Vec::new(),
        LinesBy::Keys(names) => groupings(snapshot, asked, names, cancel)?,
    };
    let found = match id {
        Some(id) => series(snapshot, id, &by, scope.events.as_ref(), cancel)?,
        None => Series::default(),
    };
    let ends = RunEnds::of(snapshot, &meaning.entities, cancel)?;
    let found = found.with_run_ends(snapshot, &ends);
    let TimeWindow { since, until } = scope.window;
    let mut found = found.clipped(since, until, spec.kind);
    fn first_group(line: &SeriesLine) -> &str {
        line.group.first().map_or("", String::as_str)
    }
    let shift = |line: &mut SeriesLine, start| *line = std::mem::take(line).from_start(start);
    let origin = from_starts(&mut found.lines, runs.as_ref(), first_group, shift);
    Some(SeriesData {
        series: found,
        origin,
        by: by.iter().map(|b| b.name(snapshot).to_owned()).collect(),
        until: until.unwrap_or(ends.last()),
        spec,
    })
}

fn bars(
    snapshot: &Snapshot,
    found: EntityInstances,
    asked: &PlotQuestion,
    scope: &AnalysisScope,
    (by, colour): (&RowsBy, &ColourBy),
    cancel: &Cancel,
) -> Option<PlotData> {
    let entities = &asked.meaning.entities;
    let is_labelled = has_shared_labels(&found);
    let colour = match colour {
        ColourBy::Default if is_labelled => Colour::Label,
        ColourBy::Default | ColourBy::State => Colour::State,
        ColourBy::Key(name) => {
            property_named(snapshot, entities, name, cancel)?.map_or(Colour::Label, Colour::By)
        }
    };
    let rows = |by: &Grouping| timeline(snapshot, &found, scope, by, &colour, cancel);
    let (resource, mut timeline) = match by {
        RowsBy::Each => (None, rows(&Grouping::default())?),
        RowsBy::Carrier(name) => {
            let resource = entities.iter().find(|e| e.name == *name);
            let by = resource.and_then(|c| Some((c, Grouping::by_entity(snapshot, c)?)));
            match by {
                Some((resource, by)) => (Some(resource), rows(&by)?),
                None => {
                    let key = resolve_key(&snapshot.catalog.keys, name);
                    let keys = key.into_iter().collect();
                    (None, rows(&Grouping { keys })?)
                }
            }
        }
        RowsBy::Innermost => {
            timeline_by_resource(snapshot, &found, entities, scope, &colour, cancel)?
        }
    };
    let seen = asked.meaning.instance_cache.instances(snapshot, cancel)?;
    if found.entity.role == EntityRole::StandIn {
        mark_failures(snapshot, &mut timeline, &found, &seen);
    }
    Some(match resource {
        Some(resource) => {
            let kept =
                |step: &&SelectionStep| !matches!(step.instance, Some((_, StepEffect::Exclude)));
            let steps = asked.steps.iter().filter(kept);
            remove_other_places(&mut timeline, steps.map(|step| &step.expr));
            let resources = capacity::resources(snapshot, resource, entities, &seen);
            if let Some(resources) = &resources {
                timeline.set_lifetimes(snapshot, resources, scope);
            }
            let capacity = resources.and_then(|resources| {
                let of = (&resources, &entities[..]);
                capacity::capacity(snapshot, &found, of, &seen, scope, cancel)
            });
            PlotData::Timeline(Box::new(TimelineData {
                capacity,
                of: found,
                timeline,
                resource: Some(resource.clone()),
            }))
        }
        None => PlotData::Timeline(Box::new(TimelineData {
            of: found,
            timeline,
            resource: None,
            capacity: None,
        })),
    })
}

/// Marks the bars of instances that stand for work items which failed: the result is known of these alone.
fn mark_failures(
    snapshot: &Snapshot,
    timeline: &mut Timeline,
    found: &Instances,
    seen: &SnapshotInstances,
) {
    let work: Vec<(&Instances, Vec<bool>)> = { seen.found.work_items() }
        .map(|all| {
            let failed = standings(snapshot, all).into_iter().zip(&all.list);
            let failed = failed.map(|(standing, one)| all.has_failed(one, &standing));
            (all, failed.collect())
        })
        .collect();
    let has_failed = |instance: u32| {
        let events = { found.list.get(instance as usize) }.map_or(&[][..], |one| found.events(one));
        work.iter().any(|(all, failed)| {
            let mut is_failed = false;
            for event in events {
                all.for_each_of_event(EventId(*event), |other| is_failed |= failed[other]);
            }
            is_failed
        })
    };
    let bars = timeline.rows.iter_mut().flat_map(|row| &mut row.bars);
    let ended = timeline.colours.iter().position(|name| name == "ended");
    let failed = timeline.colours.len() as u16;
    let mut is_marked = false;
    for bar in bars.filter(|bar| bar.ending == Ending::Ended && has_failed(bar.instance)) {
        bar.ending = Ending::Failed;
        if ended == Some(usize::from(bar.colour)) {
            bar.colour = failed;
            is_marked = true;
        }
    }
    timeline
        .colours
        .extend(is_marked.then(|| "failed".to_owned()));
}

/// Builds the timeline of an entity with a row for each innermost resource, and returns that resource, too. If the
/// resource is unknown for most instances, rows by resource show little: each instance has a row then. `None` if
/// cancelled.
pub fn timeline_by_resource<'e>(
    snapshot: &Snapshot,
    found: &Instances,
    entities: &'e [Arc<Entity>],
    scope: &AnalysisScope,
    colour: &Colour,
    cancel: &Cancel,
) -> Option<(Option<&'e Arc<Entity>>, Timeline)> {
    let rows = |by: &Grouping| timeline(snapshot, found, scope, by, colour, cancel);
    if let Some((resource, by)) = Grouping::innermost(snapshot, &found.entity, entities) {
        let timeline = rows(&by)?;
        if is_mostly_known(&timeline) {
            return Some((Some(resource), timeline));
        }
    }
    Some((None, rows(&Grouping::default())?))
}

/// Maximum number of instances for which labels that are all distinct are useful as colours.
const FEW: usize = 8;

/// Whether instances share labels, so that colours by label are useful.
fn has_shared_labels(found: &EntityInstances) -> bool {
    let labels = || found.list.iter().filter_map(|i| i.label);
    let mut different: Vec<_> = labels().collect();
    let all = different.len();
    different.sort_unstable();
    different.dedup();
    all > 0 && (all <= FEW || different.len() * 2 <= all)
}

/// Whether the place is known for at least half of the bars.
fn is_mostly_known(timeline: &Timeline) -> bool {
    let all: usize = timeline.rows.iter().map(|r| r.bars.len()).sum();
    let unknown = timeline.rows.iter().filter(|r| r.name.is_empty());
    let unknown: usize = unknown.map(|r| r.bars.len()).sum();
    unknown * 2 <= all
}

/// Returns the keys with numeric values that are no identifiers, which can be plotted.
pub fn plottable_keys(snapshot: &Snapshot) -> Vec<String> {
    let keys = snapshot.catalog.keys.iter();
    let is_number = |kind: KeyType| matches!(kind, KeyType::Int | KeyType::Float);
    keys.filter(|k| is_number(k.key.kind) && !k.key.identifier)
        .map(|k| k.key.name.to_string())
        .collect()
}
