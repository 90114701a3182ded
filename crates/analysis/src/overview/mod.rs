//! Overview: the most informative small curves of a run, for the first screen.
//!
//! In this order: changing measurements declared by definitions; messages in transit if no queue
//! length is logged; unfinished work items by state; numbers that look like gauges in logs without
//! a definition.

mod curve;
mod gauges;
mod instance_curves;

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::words::last_part;
use widetui_query::{TimeContext, parse, select};
use widetui_store::Snapshot;

use crate::Instances;
use crate::columns::EventProperty;
use crate::flow::{Flow, FlowSpec, collect_flow};
use crate::runs::RunEnds;
use crate::scope::AnalysisScope;
use crate::series::{Series, SeriesKind, SeriesLine, SeriesSpec, series, sum_gauges};
use crate::spans::{LostEnds, paired_spans};
use crate::step_function::{StepFunction, interval_changes};

pub use curve::{Curve, CurveSpace, CurveSubject};

use curve::OPEN_WORD;
use instance_curves::InstanceLifetimes;

/// Input for choosing curves.
#[derive(Clone, Copy, Debug)]
pub struct OverviewInput<'a> {
    /// Last time of each run, at which its curves end.
    pub ends: &'a RunEnds,
    /// Measurements of the definitions in force.
    pub series: &'a [SeriesSpec],
    /// Instances of work items and of other entities that can end.
    pub instances: &'a [&'a Instances],
    /// Flows of the definitions in force.
    pub flows: &'a [FlowSpec],
    /// Events and instances in scope.
    pub scope: &'a AnalysisScope,
}

/// Chooses the most informative curves, best first. `None` when cancelled.
pub fn overview(
    snapshot: &Snapshot,
    input: &OverviewInput<'_>,
    space: &CurveSpace,
    cancel: &Cancel,
) -> Option<Vec<Curve>> {
    let mut specs: Vec<&SeriesSpec> = input
        .series
        .iter()
        .filter(|s| s.overview_rank.is_some())
        .collect();
    specs.sort_by_key(|s| s.overview_rank);
    let of = (input.scope, input.ends);
    let mut out: Vec<Curve> = Vec::new();
    let logged: Vec<Option<Option<Curve>>> = specs
        .par_iter()
        .map(|spec| key_curve(snapshot, spec, of, space, cancel))
        .collect();
    for curve in logged {
        out.extend(curve?.filter(Curve::is_informative));
    }
    // Half of the space is for logged measurements, the rest for work items.
    out.truncate(space.max_curves.div_ceil(2));
    if out.is_empty() {
        let found = collect_messages(snapshot, input, cancel)?;
        let underway = transit_curves(&found, space).into_iter();
        out.extend(underway.filter(Curve::is_informative).take(1));
    }
    let mut by_role: Vec<&&Instances> = input.instances.iter().collect();
    by_role.sort_by_key(|i| (!i.entity.is_work_item(), std::cmp::Reverse(i.list.len())));
    for instances in by_role.into_iter().filter(|i| i.entity.can_end()) {
        if out.len() >= space.max_curves || cancel.is_cancelled() {
            break;
        }
        let lifetimes =
            InstanceLifetimes::collect(snapshot, instances, input.scope, space, cancel)?;
        out.extend(lifetimes.default_curves());
    }
    if out.len() < space.max_curves {
        let known: Vec<&str> = input.series.iter().map(|s| s.key.as_str()).collect();
        for key in gauges::find_gauges(snapshot, &known, cancel)? {
            let spec = gauges::gauge_spec(snapshot, key);
            let curve = key_curve(snapshot, &spec, of, space, cancel)?;
            out.extend(curve.filter(Curve::is_informative));
            if out.len() >= space.max_curves {
                break;
            }
        }
    }
    out.truncate(space.max_curves);
    (!cancel.is_cancelled()).then_some(out)
}

/// Computes the given curves in their order; a subject without data has no points. `None` when
/// cancelled.
pub fn selected_curves(
    snapshot: &Snapshot,
    subjects: &[CurveSubject],
    input: &OverviewInput<'_>,
    space: &CurveSpace,
    cancel: &Cancel,
) -> Option<Vec<Curve>> {
    let instances = |name: &str| input.instances.iter().find(|i| i.entity.name == name);
    let scope = input.scope;
    let one = |subject: &CurveSubject| -> Option<Curve> {
        let found = match subject {
            CurveSubject::Key(key) => {
                let spec = SeriesSpec::for_key(input.series, &snapshot.catalog.keys, key);
                key_curve(snapshot, &spec, (scope, input.ends), space, cancel)?
            }
            CurveSubject::InTransit(_) => {
                let found = collect_messages(snapshot, input, cancel)?;
                let mut all = transit_curves(&found, space).into_iter();
                all.find(|c| c.subject == *subject)
            }
            CurveSubject::Unfinished(name) => match instances(name) {
                Some(all) => Some(
                    InstanceLifetimes::collect(snapshot, all, scope, space, cancel)?.unfinished(),
                ),
                None => None,
            },
            CurveSubject::Between { start, end, key } => {
                let marks = (start.as_str(), end.as_str(), key.as_deref());
                open_intervals(snapshot, marks, input, cancel)?
                    .map(|points| space.count(subject.clone(), subject.text(), points))
            }
            CurveSubject::State { entity, state } => match instances(entity) {
                Some(all) => Some(
                    InstanceLifetimes::collect(snapshot, all, scope, space, cancel)?
                        .in_state(state)
                        .1,
                ),
                None => None,
            },
        };
        let none = || space.count(subject.clone(), subject.text(), Vec::new());
        Some(found.unwrap_or_else(none))
    };
    subjects.iter().map(one).collect()
}

/// Number of open intervals between two kinds of records over time; `Some(None)` if a condition
/// cannot be parsed. `None` when cancelled.
#[allow(clippy::option_option)]
fn open_intervals(
    snapshot: &Snapshot,
    (start, end, key): (&str, &str, Option<&str>),
    input: &OverviewInput<'_>,
    cancel: &Cancel,
) -> Option<Option<Vec<(i64, f64)>>> {
    let condition = |text: &str| parse(text, None, &TimeContext::default()).ok();
    let Some((start, end)) = condition(start).zip(condition(end)) else {
        return Some(None);
    };
    let ends = (
        &select(snapshot, &start, cancel)?,
        &select(snapshot, &end, cancel)?,
    );
    let key = key.and_then(|key| EventProperty::parse(snapshot, key));
    let (scope, key) = (input.scope, key.as_ref());
    let spans = paired_spans(snapshot, ends, (key, None), input.ends, scope, cancel)?;
    let steps = spans.concurrency(scope, LostEnds::WhenReported);
    let last = snapshot.range().map_or(0, |r| r.1);
    Some(Some(step_points(&steps, last)))
}

/// Messages of all flows in scope; `None` when cancelled.
fn collect_messages(
    snapshot: &Snapshot,
    input: &OverviewInput<'_>,
    cancel: &Cancel,
) -> Option<Flow> {
    let events = input.scope.events.as_ref();
    collect_flow(snapshot, input.flows, events, cancel)
}

/// Curve of a numeric key; `Some(None)` if no event has the key. `None` when cancelled.
pub(crate) fn key_curve(
    snapshot: &Snapshot,
    spec: &SeriesSpec,
    (scope, ends): (&AnalysisScope, &RunEnds),
    space: &CurveSpace,
    cancel: &Cancel,
) -> Option<Option<Curve>> {
    let Some(key) = snapshot.catalog.keys.find(&spec.key) else {
        return Some(None);
    };
    let by = spec.split_properties(snapshot);
    let found = series(snapshot, key, &by, scope.events.as_ref(), cancel)?;
    let found = found.with_run_ends(snapshot, ends);
    let points = merge_lines(&found, spec);
    let names = (spec.title.clone(), spec.unit.clone());
    let subject = CurveSubject::Key(spec.key.clone());
    let curve = Curve::new(subject, names, spec.kind, points, space);
    Some((!curve.points.is_empty()).then_some(curve))
}

/// Merges the lines of a series: their sum, or all points if a sum is meaningless (percentages,
/// durations).
fn merge_lines(found: &Series, spec: &SeriesSpec) -> Vec<(i64, f64)> {
    let lines: Vec<Vec<(i64, f64)>> = found.lines.iter().map(SeriesLine::point_pairs).collect();
    match (&lines[..], spec.unit.as_str()) {
        ([], _) => Vec::new(),
        ([one], _) => one.clone(),
        (_, "%" | "s" | "ms") => {
            let mut all: Vec<(i64, f64)> = lines.concat();
            all.sort_by_key(|p| p.0);
            all
        }
        _ => {
            // A line contributes nothing after the end of its run.
            let run_ends = found.lines.iter().map(|line| line.run_end);
            let mut lines = lines;
            for (line, run_ends) in lines.iter_mut().zip(run_ends) {
                line.extend(
                    run_ends
                        .filter(|_| spec.kind == SeriesKind::Gauge)
                        .map(|t| (t, 0.0)),
                );
            }
            sum_gauges(lines.iter().map(Vec::as_slice))
        }
    }
}

/// Points of a step function up to `end` (UTC ns).
fn step_points(steps: &StepFunction, end: i64) -> Vec<(i64, f64)> {
    let points = steps.points.iter().filter(|p| p.0 <= end);
    points.map(|p| (p.0, p.1 as f64)).collect()
}

/// Curves of messages in transit, one per flow, most messages first.
fn transit_curves(flow: &Flow, space: &CurveSpace) -> Vec<Curve> {
    let mut out: Vec<(usize, Curve)> = Vec::new();
    for (at, name) in flow.kinds.iter().enumerate() {
        let messages = flow.messages.iter().filter(|m| usize::from(m.kind) == at);
        let intervals: Vec<(i64, Option<i64>)> = messages
            .filter(|m| m.received.is_some() || m.status.has_missing_step())
            .filter_map(|m| Some((m.sent?.time, m.received.map(|r| r.time))))
            .collect();
        let steps = StepFunction::from_changes(interval_changes(intervals.iter().copied()));
        let points = step_points(&steps, space.range.1);
        let title = format!("{} underway", last_part(name));
        let subject = CurveSubject::InTransit(name.clone());
        out.push((intervals.len(), space.count(subject, title, points)));
    }
    out.sort_by_key(|o| std::cmp::Reverse(o.0));
    out.into_iter().map(|o| o.1).collect()
}
