//! Stretches of time from a start to an end: of an entity's instances, or between any two marks that a key pairs.
//! How long they are, and how many there are at once.

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
use crate::columns::{By, Labels};
use crate::entity::End;
use crate::runs::RunEnds;
use crate::scope::AnalysisScope;
use crate::step_function::{Steps, changes};
use crate::summary::Summary;
use widetui_store::event_columns::times;

/// How a span ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanOutcome {
    /// By its own end.
    Ended,
    /// Its owner saw that it was lost.
    Lost,
    /// It did not: `end` is the end of the data of its run.
    Open,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Whose: index into `Instances::list`; for marks the code of the key's value (`NONE` without a key).
    pub of: u32,
    /// Start, UTC ns.
    pub start: i64,
    /// End, UTC ns.
    pub end: i64,
    /// How it ended.
    pub outcome: SpanOutcome,
    /// Where its run ends, UTC ns, if others go on behind that: there it is open no longer.
    pub over: Option<i64>,
    /// Index into `Spans::groups`.
    pub group: u32,
    /// How long it took, ns, where that was measured better than the times of start and end.
    pub took: Option<i64>,
}

impl Span {
    /// From start to end, ns.
    pub fn duration(&self) -> i64 {
        let between = self.end.saturating_sub(self.start);
        self.took.unwrap_or(between)
    }
}

/// Spans by start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// The spans that touch the window, whole.
    pub list: Vec<Span>,
    /// Values of the key that groups them; one empty name without such a key.
    pub groups: Vec<String>,
    /// Instances that never started; of marks: ends without a start.
    pub unstarted: u64,
}

/// How long what was lost goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LostEnds {
    /// Until its owner saw it.
    #[default]
    WhenSeen,
    /// For ever, or as long as its run: only its own end counts.
    Never,
}

/// The spans of a group in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanDurations {
    /// Index into `Spans::groups`.
    pub group: usize,
    /// All of them.
    pub count: u64,
    /// Those without an end.
    pub open: u64,
    /// Those that were lost.
    pub lost: u64,
    /// Durations of those with an end of any kind, ns.
    pub durations: Option<Summary>,
}

/// The spans of an entity's instances in scope, grouped by what `by` says of their first event that has it. `None` when cancelled.
pub fn spans(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    by: Option<&By>,
    cancel: &Cancel,
) -> Option<Spans> {
    let labels = match by {
        Some(by) => Some(Labels::of(snapshot, by, cancel)?),
        None => None,
    };
    let kept = scope.instances(instances);
    let ends = RunEnds::of(snapshot, &instances.entity, cancel)?;
    let found: Vec<Vec<(Span, Code)>> = instances
        .list
        .par_iter()
        .enumerate()
        .filter(|(at, _)| kept[*at] && !cancel.is_cancelled())
        .map(|(at, instance)| {
            let label = |labels: &Labels| labels.first(instances.events(instance));
            let label = labels.as_ref().map_or(NONE, label);
            let own = spans_of(snapshot, instances, at, &ends);
            own.into_iter().map(|span| (span, label)).collect()
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let unstarted = found.iter().filter(|f| f.is_empty()).count() as u64;
    Some(finish(
        snapshot,
        found.into_iter().flatten(),
        labels,
        scope,
        unstarted,
    ))
}

/// The spans of the instance with this number: one, or one for each time that it was carried out. None if it never started.
fn spans_of(snapshot: &Snapshot, instances: &Instances, at: usize, ends: &RunEnds) -> Vec<Span> {
    let instance = &instances.list[at];
    let reach = || ends.of_instance(snapshot, instances, instance);
    let span = |start: i64, (end, outcome): (i64, SpanOutcome), took: Option<i64>| Span {
        of: at as u32,
        start,
        end: match outcome {
            SpanOutcome::Open => end.max(start),
            SpanOutcome::Ended | SpanOutcome::Lost => end,
        },
        outcome,
        over: match outcome {
            SpanOutcome::Ended => None,
            SpanOutcome::Lost | SpanOutcome::Open => ends.before_all(reach()),
        },
        group: 0,
        took,
    };
    let ended = |end: Option<i64>| match end {
        Some(t) => (t, SpanOutcome::Ended),
        None => (reach(), SpanOutcome::Open),
    };
    if instances.entity.repeats {
        let turns = instances.turns(instance);
        if turns.len() > 1 {
            let all = turns.into_iter();
            return all.map(|(from, to)| span(from, ended(to), None)).collect();
        }
    }
    let standing = instances.standing(snapshot, instance);
    let end = match standing.end {
        End::Lost(t) => (t, SpanOutcome::Lost),
        other => ended(other.time()),
    };
    let one = standing.start.map(|start| span(start, end, standing.took));
    one.into_iter().collect()
}

/// The spans from an event of `start` to the next event of `end` with the same value of the key; of several that are open
/// the one that began first ends first, as in a queue. Without a key all are one queue. `None` when cancelled.
pub fn between(
    snapshot: &Snapshot,
    (start, end): (&Selection, &Selection),
    (key, by): (Option<&By>, Option<&By>),
    ends: &RunEnds,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Spans> {
    let of = |by: Option<&By>| match by {
        Some(by) => Labels::of(snapshot, by, cancel).map(Some),
        None => Some(None),
    };
    let (keys, labels) = (of(key)?, of(by)?);
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
        of,
        start,
        end,
        outcome,
        over: match outcome {
            SpanOutcome::Ended | SpanOutcome::Lost => None,
            SpanOutcome::Open => ends.before_all(end),
        },
        group: 0,
        took: None,
    };
    for (at, event) in marks.ordered(snapshot).into_iter().enumerate() {
        if at % 4096 == 0 && cancel.is_cancelled() {
            return None;
        }
        let id = EventId(event);
        let time = times.get(event as usize).copied().unwrap_or(NO_TIME);
        let value = keys.as_ref().map_or(NONE, |k| k.code(id));
        if time == NO_TIME || snapshot.copies.of(event).is_some() {
            continue;
        }
        if key.is_some() && value == NONE {
            continue;
        }
        // An end comes before a start: what is both closes one and opens the next.
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
            let end = ends.of_event(snapshot, event).max(from);
            (span(value, from, end, SpanOutcome::Open), group)
        }));
    }
    Some(finish(
        snapshot,
        found.into_iter(),
        labels,
        scope,
        unstarted,
    ))
}

/// Names the groups, leaves out what does not touch the window, sorts by start.
fn finish(
    snapshot: &Snapshot,
    found: impl Iterator<Item = (Span, Code)>,
    labels: Option<Labels>,
    scope: &AnalysisScope,
    unstarted: u64,
) -> Spans {
    let mut groups: FxHashMap<Code, u32> = FxHashMap::default();
    let mut codes: Vec<Code> = Vec::new();
    let mut list: Vec<Span> = Vec::new();
    for (mut span, code) in found {
        if !scope.window.touches(span.start, span.end) {
            continue;
        }
        span.group = *groups.entry(code).or_insert_with(|| {
            codes.push(code);
            codes.len() as u32 - 1
        });
        list.push(span);
    }
    list.sort_by_key(|s| (s.start, s.end, s.of));
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

impl Spans {
    /// How many there are at each moment of the window.
    pub fn concurrency(&self, scope: &AnalysisScope, lost: LostEnds) -> Steps {
        let ends = |s: &Span| match (s.outcome, lost) {
            (SpanOutcome::Ended, _) | (SpanOutcome::Lost, LostEnds::WhenSeen) => Some(s.end),
            // No longer than its run.
            (SpanOutcome::Open, _) | (SpanOutcome::Lost, LostEnds::Never) => s.over,
        };
        let intervals = self.list.iter().map(|s| (s.start, ends(s)));
        Steps::of_changes(changes(intervals)).clipped(scope.window)
    }

    /// Durations of each group; the group with the longest total first.
    pub fn summary(&self) -> Vec<SpanDurations> {
        let mut of: Vec<Vec<i64>> = vec![Vec::new(); self.groups.len()];
        let mut counts: Vec<(u64, u64, u64)> = vec![(0, 0, 0); self.groups.len()];
        for span in &self.list {
            let count = &mut counts[span.group as usize];
            count.0 += 1;
            count.1 += u64::from(span.outcome == SpanOutcome::Open);
            count.2 += u64::from(span.outcome == SpanOutcome::Lost);
            if span.outcome != SpanOutcome::Open {
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
                open: count.1,
                lost: count.2,
                durations: Summary::of(values),
            })
            .collect();
        let total = |d: &SpanDurations| d.durations.map_or(0.0, |s| s.total);
        out.sort_by(|a, b| total(b).total_cmp(&total(a)).then(a.group.cmp(&b.group)));
        out
    }

    /// Durations of those with an end, ns.
    pub fn durations(&self) -> Vec<i64> {
        let ended = self.list.iter().filter(|s| s.outcome != SpanOutcome::Open);
        ended.map(Span::duration).collect()
    }
}
