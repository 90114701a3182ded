//! Scope of an analysis: instances and time. Results are computed on all data, then clipped, so an instance that began before
//! the window is running at its start.

use widetui_query::Selection;

use crate::Instances;

/// A stretch of time, UTC ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeWindow {
    /// From here on, itself included; `None`: from the start.
    pub since: Option<i64>,
    /// Until here, itself excluded; `None`: to the end.
    pub until: Option<i64>,
}

impl TimeWindow {
    /// Whether a moment lies in it.
    pub fn contains(&self, time: i64) -> bool {
        self.since.is_none_or(|s| time >= s) && self.until.is_none_or(|u| time < u)
    }

    /// Whether some of a stretch lies in it.
    pub fn touches(&self, start: i64, end: i64) -> bool {
        self.since.is_none_or(|s| end >= s) && self.until.is_none_or(|u| start < u)
    }
}

/// Whether rows of databases and facts count where records of logs are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// Only records of logs do.
    #[default]
    LeaveOut,
    /// They do.
    Count,
}

/// Which instances, and when.
#[derive(Clone, Debug, Default)]
pub struct AnalysisScope {
    /// Instances with an event among these; `None`: all.
    pub events: Option<Selection>,
    /// And no instance with an event among these: the rest of a selection.
    pub besides: Option<Selection>,
    /// When.
    pub window: TimeWindow,
    /// Which records, for analyses that count steps.
    pub tables: Tables,
}

impl AnalysisScope {
    /// Instances with an event among these; `None`: all.
    pub fn with(events: Option<Selection>) -> AnalysisScope {
        AnalysisScope {
            events,
            ..AnalysisScope::default()
        }
    }

    /// All instances but those with an event among these.
    pub fn without(events: Selection) -> AnalysisScope {
        AnalysisScope {
            besides: Some(events),
            ..AnalysisScope::default()
        }
    }

    /// For each instance whether it belongs to it.
    pub fn instances(&self, instances: &Instances) -> Vec<bool> {
        let with = |of: &Selection| instances.with_events(|event| of.contains(event));
        let mut kept = match &self.events {
            Some(events) => with(events),
            None => vec![true; instances.list.len()],
        };
        if let Some(besides) = &self.besides {
            let named = with(besides);
            kept.iter_mut().zip(named).for_each(|(k, n)| *k &= !n);
        }
        kept
    }
}
