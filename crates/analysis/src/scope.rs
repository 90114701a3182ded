//! Scope of an analysis: instances and time window. Results are computed on all data and then
//! clipped, so an instance that began before the window is running at its start.

use widetui_query::Selection;
use widetui_store::Snapshot;

use crate::Instances;

/// Time window, UTC ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeWindow {
    /// Start, inclusive; `None` for the start of the data.
    pub since: Option<i64>,
    /// End, exclusive; `None` for the end of the data.
    pub until: Option<i64>,
}

impl TimeWindow {
    /// Whether a time is inside the window.
    pub(crate) fn contains(&self, time: i64) -> bool {
        self.since.is_none_or(|s| time >= s) && self.until.is_none_or(|u| time < u)
    }

    /// Whether a time range overlaps the window.
    pub fn overlaps(&self, start: i64, end: i64) -> bool {
        self.since.is_none_or(|s| end >= s) && self.until.is_none_or(|u| start < u)
    }
}

/// Whether rows of databases and facts count as records of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableRecords {
    /// Only records of logs count.
    #[default]
    Exclude,
    /// Records of databases and facts count, too.
    Include,
}

/// Outcome by which instances are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkOutcome {
    /// Failed instances.
    Failed,
    /// Instances that ended well.
    Succeeded,
}

/// Instances and time window of an analysis.
#[derive(Clone, Debug, Default)]
pub struct AnalysisScope {
    /// Keep instances with an event among these; `None` keeps all.
    pub events: Option<Selection>,
    /// Exclude instances with an event among these, for the rest of a selection.
    pub excluded: Option<Selection>,
    /// Keep instances with this outcome; `None` keeps all.
    pub outcome: Option<WorkOutcome>,
    /// Time window of the results.
    pub window: TimeWindow,
    /// Records that count as steps.
    pub tables: TableRecords,
}

impl AnalysisScope {
    /// Scope of the instances with an event among `events`; `None` for all.
    pub fn selected(events: Option<Selection>) -> AnalysisScope {
        AnalysisScope {
            events,
            ..AnalysisScope::default()
        }
    }

    /// Scope of all instances except those with an event among `events`.
    pub fn excluding(events: Selection) -> AnalysisScope {
        AnalysisScope {
            excluded: Some(events),
            ..AnalysisScope::default()
        }
    }

    /// Scope of the instances with an outcome.
    pub fn with_outcome(outcome: WorkOutcome) -> AnalysisScope {
        AnalysisScope {
            outcome: Some(outcome),
            ..AnalysisScope::default()
        }
    }

    /// Whether each instance is in scope.
    pub fn contains_instances(&self, snapshot: &Snapshot, instances: &Instances) -> Vec<bool> {
        let with = |of: &Selection| instances.having_event(|event| of.contains(event));
        let mut kept = match &self.events {
            Some(events) => with(events),
            None => vec![true; instances.list.len()],
        };
        if let Some(besides) = &self.excluded {
            let named = with(besides);
            kept.iter_mut().zip(named).for_each(|(k, n)| *k &= !n);
        }
        if let Some(outcome) = self.outcome {
            for (kept, instance) in kept.iter_mut().zip(&instances.list) {
                let standing = instances.standing(snapshot, instance);
                *kept &= match outcome {
                    WorkOutcome::Failed => instances.has_failed(instance, &standing),
                    WorkOutcome::Succeeded => instances.has_succeeded(&standing),
                };
            }
        }
        kept
    }
}
