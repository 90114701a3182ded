//! Spans from a start to an end: of an entity's instances, or between two kinds of records paired
//! by a key. Includes their durations and concurrency.

use std::collections::VecDeque;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::Instances;
use crate::columns::{EventProperty, PropertyColumn};
use crate::entity::{Execution, Instance, InstanceEnd};
use crate::runs::RunEnds;
use crate::scope::AnalysisScope;
use crate::step_function::{StepFunction, interval_changes};
use crate::summary::Summary;
use widetui_store::event_columns::times;

/// Outcome of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanOutcome {
    /// The span ended by itself.
    Ended,
    /// The instance was reported lost by its owner.
    Lost,
    /// The span has not ended: `Span::end` is the end of the data of its run.
    Unfinished,
}

/// Span from a start to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Instance, as an index into `Instances::list`; for paired records the code of the key's value
    /// (`NONE` without a key).
    pub subject: u32,
    /// Start of the span, UTC ns.
    pub start: i64,
    /// End of the span, UTC ns.
    pub end: i64,
    /// Outcome of the span.
    pub outcome: SpanOutcome,
    /// End of its run, UTC ns, if other runs last longer: an open span ends there.
    pub(crate) run_end: Option<i64>,
    /// Group of the span, as an index into `Spans::groups`.
    pub group: u32,
    /// Measured duration, ns, if more exact than the times of start and end.
    pub(crate) measured: Option<i64>,
    /// Event of its start, if it is one execution of an instance.
    pub(crate) start_event: Option<EventId>,
}

impl Span {
    /// Duration, ns: measured, or from start to end.
    pub fn duration(&self) -> i64 {
        let between = self.end.saturating_sub(self.start);
        self.measured.unwrap_or(between)
    }
}

/// Spans ordered by start, with their groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Spans that overlap the window, not clipped.
    pub list: Vec<Span>,
    /// Values of the grouping key; one empty name without a key.
    pub groups: Vec<String>,
    /// Number of instances that never started, or of end records without a start.
    pub unstarted: u64,
}

/// End of lost spans in concurrency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LostEnds {
    /// A lost span ends when its owner reports the loss.
    #[default]
    WhenReported,
    /// A lost span lasts as long as its run.
    WithRun,
}

/// Statistics of the spans of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanDurations {
    /// Group of the spans, as an index into `Spans::groups`.
    pub group: usize,
    /// Number of spans in the group.
    pub count: u64,
    /// Number of spans without an end.
    pub unfinished: u64,
    /// Number of spans of lost instances.
    pub lost: u64,
    /// Durations of spans with any kind of end, ns.
    pub durations: Option<Summary>,
}

/// Spans of an entity's instances in scope, grouped by the first value of `group_by` in their events.
/// `None` when cancelled.
pub fn spans(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    group_by: Option<&EventProperty>,
    cancel: &Cancel,
) -> Option<Spans> {
    let labels = match group_by {
        Some(group_by) => Some(PropertyColumn::read(snapshot, group_by, cancel)?),
        None => None,
    };
    let kept = scope.contains_instances(snapshot, instances);
    let ends = RunEnds::of(snapshot, [&instances.entity], cancel)?;
    let found: Vec<Vec<(Span, Code)>> = instances
        .list
        .par_iter()
        .enumerate()
        .filter(|(at, _)| kept[*at] && !cancel.is_cancelled())
        .map(|(at, instance)| {
            let label = |labels: &PropertyColumn| labels.first_code(instances.events(instance));
            let label = labels.as_ref().map_or(NONE, label);
            let own = instance_spans(snapshot, instances, at, &ends);
            own.into_iter().map(|span| (span, label)).collect()
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let unstarted = found.iter().filter(|f| f.is_empty()).count() as u64;
    Some(group_spans(
        snapshot,
        found.into_iter().flatten(),
        labels,
        scope,
        unstarted,
    ))
}

/// Spans of an instance: one, or one per execution for entities that repeat; empty if it never
/// started.
fn instance_spans(
    snapshot: &Snapshot,
    instances: &Instances,
    at: usize,
    ends: &RunEnds,
) -> Vec<Span> {
    let instance = &instances.list[at];
    let run_end_of = || ends.end_for_instance(snapshot, instances, instance);
    let span = |start: i64, (end, outcome): (i64, SpanOutcome), measured: Option<i64>| Span {
        subject: at as u32,
        start,
        end: match outcome {
            SpanOutcome::Unfinished => end.max(start),
            SpanOutcome::Ended | SpanOutcome::Lost => end,
        },
        outcome,
        run_end: match outcome {
            SpanOutcome::Ended => None,
            SpanOutcome::Lost | SpanOutcome::Unfinished => ends.if_before_last(run_end_of()),
        },
        group: 0,
        measured,
        start_event: None,
    };
    let ended = |end: Option<i64>| match end {
        Some(t) => (t, SpanOutcome::Ended),
        None => (run_end_of(), SpanOutcome::Unfinished),
    };
    if instances.entity.is_repeated {
        let executions = instances.executions(instance);
        if executions.len() > 1 {
            let all = executions.into_iter();
            return all
                .map(|e| span(e.start.time, ended(e.end), None))
                .collect();
        }
    }
    let standing = instances.standing(snapshot, instance);
    let end = match standing.end {
        InstanceEnd::Lost(t) => (t, SpanOutcome::Lost),
        _ => ended(instances.end_time(&standing)),
    };
    let measured = standing.measured.filter(|_| end.1 == SpanOutcome::Ended);
    let one = standing.start.map(|start| span(start, end, measured));
    one.into_iter().collect()
}

/// Spans from an event of `start` to the next event of `end` with the same value of the key. Of
/// several open spans the oldest ends first, as in a queue; without a key all share one queue.
/// `None` when cancelled.
pub fn paired_spans(
    snapshot: &Snapshot,
    (start, end): (&Selection, &Selection),
    (key, group_by): (Option<&EventProperty>, Option<&EventProperty>),
    ends: &RunEnds,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Spans> {
    let of = |group_by: Option<&EventProperty>| match group_by {
        Some(group_by) => PropertyColumn::read(snapshot, group_by, cancel).map(Some),
        None => Some(None),
    };
    let (keys, labels) = (of(key)?, of(group_by)?);
    let times = times(snapshot);
    let mut marks = start.clone();
    marks.or(end);
    if let Some(events) = &scope.events {
        marks.and(events);
    }
    let mut open: FxHashMap<Code, VecDeque<(EventId, i64, Code)>> = FxHashMap::default();
    let mut found: Vec<(Span, Code)> = Vec::new();
    let mut unstarted = 0;
    let span = |of: Code, start: i64, end: i64, outcome: SpanOutcome| Span {
        subject: of,
        start,
        end,
        outcome,
        run_end: match outcome {
            SpanOutcome::Ended | SpanOutcome::Lost => None,
            SpanOutcome::Unfinished => ends.if_before_last(end),
        },
        group: 0,
        measured: None,
        start_event: None,
    };
    for (at, event) in marks.ordered(snapshot).into_iter().enumerate() {
        if at % 4096 == 0 && cancel.is_cancelled() {
            return None;
        }
        let id = EventId(event);
        let time = times.get(event as usize).copied().unwrap_or(NO_TIME);
        let value = keys.as_ref().map_or(NONE, |k| k.code(id));
        if time == NO_TIME || snapshot.duplicates.original_of(event).is_some() {
            continue;
        }
        if key.is_some() && value == NONE {
            continue;
        }
        // The end is handled first: an event that is both closes one span and opens the next.
        if end.contains(id) {
            match open.get_mut(&value).and_then(|queue| queue.pop_front()) {
                Some((_, from, group)) => {
                    found.push((span(value, from, time, SpanOutcome::Ended), group));
                }
                None => unstarted += 1,
            }
        }
        if start.contains(id) {
            let group = labels.as_ref().map_or(NONE, |l| l.code(id));
            open.entry(value).or_default().push_back((id, time, group));
        }
    }
    for (value, queue) in open {
        let rest = queue.into_iter();
        found.extend(rest.map(|(event, from, group)| {
            let end = ends.end_for_event(snapshot, event).max(from);
            (span(value, from, end, SpanOutcome::Unfinished), group)
        }));
    }
    Some(group_spans(
        snapshot,
        found.into_iter(),
        labels,
        scope,
        unstarted,
    ))
}

/// Names the groups, removes spans outside of the window, and sorts by start.
fn group_spans(
    snapshot: &Snapshot,
    found: impl Iterator<Item = (Span, Code)>,
    labels: Option<PropertyColumn>,
    scope: &AnalysisScope,
    unstarted: u64,
) -> Spans {
    let mut groups: FxHashMap<Code, u32> = FxHashMap::default();
    let mut codes: Vec<Code> = Vec::new();
    let mut list: Vec<Span> = Vec::new();
    for (mut span, code) in found {
        if !scope.window.overlaps(span.start, span.end) {
            continue;
        }
        span.group = *groups.entry(code).or_insert_with(|| {
            codes.push(code);
            codes.len() as u32 - 1
        });
        list.push(span);
    }
    list.sort_by_key(|s| (s.start, s.end, s.subject));
    let name = |code: &Code| {
        labels
            .as_ref()
            .map_or_else(String::new, |l| l.text(snapshot, *code))
    };
    Spans {
        list,
        groups: codes.iter().map(name).collect(),
        unstarted,
    }
}

/// Number of concurrent spans over the window.
fn concurrency<'s>(
    spans: impl Iterator<Item = &'s Span>,
    scope: &AnalysisScope,
    lost: LostEnds,
) -> StepFunction {
    let ends = |s: &Span| match (s.outcome, lost) {
        (SpanOutcome::Ended, _) | (SpanOutcome::Lost, LostEnds::WhenReported) => Some(s.end),
        // Spans end with their run.
        (SpanOutcome::Unfinished, _) | (SpanOutcome::Lost, LostEnds::WithRun) => s.run_end,
    };
    let intervals = spans.map(|s| (s.start, ends(s)));
    StepFunction::from_changes(interval_changes(intervals)).clipped(scope.window)
}

impl Spans {
    /// Times in which the instances were executed, as far as their states say so; else those at a resource. A span whose
    /// instance has no states stays; so do all if some ended and none was ever at a resource.
    #[must_use]
    pub fn executions(mut self, instances: &Instances) -> Spans {
        let entity = &instances.entity;
        if entity.is_repeated || entity.executing_states.is_empty() {
            return self;
        }
        let has_ended = |span: &Span| span.outcome != SpanOutcome::Unfinished;
        let times = |of: fn(&Instances, &Instance) -> Vec<Execution>, span: &Span| -> Vec<Span> {
            let instance = &instances.list[span.subject as usize];
            if instances.changes(instance).is_empty() {
                return vec![*span];
            }
            let of_span = of(instances, instance).into_iter().map(|one| Span {
                start: one.start.time,
                end: one.end.unwrap_or(span.end.max(one.start.time)),
                outcome: one.end.map_or(span.outcome, |_| SpanOutcome::Ended),
                measured: None,
                start_event: Some(one.start.event),
                ..*span
            });
            of_span.collect()
        };
        for of in [Instances::all_executions, Instances::placements] {
            let list: Vec<Span> = self.list.iter().flat_map(|span| times(of, span)).collect();
            if !list.is_empty() || !self.list.iter().any(has_ended) {
                self.list = list;
                break;
            }
        }
        self
    }

    /// Number of concurrent spans over the window.
    pub fn concurrency(&self, scope: &AnalysisScope, lost: LostEnds) -> StepFunction {
        concurrency(self.list.iter(), scope, lost)
    }

    /// Number of concurrent spans of each group over the window, in the order of `groups`.
    pub fn concurrency_by_group(&self, scope: &AnalysisScope, lost: LostEnds) -> Vec<StepFunction> {
        let mut lists: Vec<Vec<&Span>> = vec![Vec::new(); self.groups.len()];
        for span in &self.list {
            lists[span.group as usize].push(span);
        }
        let lists = lists.into_iter();
        lists
            .map(|list| concurrency(list.into_iter(), scope, lost))
            .collect()
    }

    /// Statistics of each group, longest total duration first.
    pub fn summary(&self) -> Vec<SpanDurations> {
        let mut of: Vec<Vec<i64>> = vec![Vec::new(); self.groups.len()];
        let mut counts: Vec<(u64, u64, u64)> = vec![(0, 0, 0); self.groups.len()];
        for span in &self.list {
            let count = &mut counts[span.group as usize];
            count.0 += 1;
            count.1 += u64::from(span.outcome == SpanOutcome::Unfinished);
            count.2 += u64::from(span.outcome == SpanOutcome::Lost);
            if span.outcome != SpanOutcome::Unfinished {
                of[span.group as usize].push(span.duration());
            }
        }
        let mut out: Vec<SpanDurations> = counts
            .iter()
            .zip(&mut of)
            .enumerate()
            .map(|(group, (count, values))| SpanDurations {
                group,
                count: count.0,
                unfinished: count.1,
                lost: count.2,
                durations: Summary::from_values(values),
            })
            .collect();
        let total = |d: &SpanDurations| d.durations.map_or(0.0, |s| s.total);
        out.sort_by(|a, b| total(b).total_cmp(&total(a)).then(a.group.cmp(&b.group)));
        out
    }

    /// Durations of spans with an end, ns.
    pub fn durations(&self) -> Vec<i64> {
        let ended = self
            .list
            .iter()
            .filter(|s| s.outcome != SpanOutcome::Unfinished);
        ended.map(Span::duration).collect()
    }
}
