//! Timeline plot: bars in rows over time.

use widetui_analysis::colour::Tone;
use widetui_analysis::entity::Id;
use widetui_analysis::timeline::{Bar, TimelineRow};
use widetui_core::direction::Direction;
use widetui_session::instances::InstanceHandle;
use widetui_session::plots::EntityInstances;
use widetui_session::selection::SelectionStep;

use super::PlotCurve;

/// Rows of bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gantt {
    /// Lanes of bars, one per row of the table, in the same order.
    pub lanes: Vec<TimelineRow>,
    /// Name of each colour, and the number of its instances.
    pub legend: Vec<(String, u64)>,
    /// Meaning of each colour, aligned with `legend`.
    pub tones: Vec<Tone>,
    /// Durations of the instances of each colour, aligned with `legend`.
    pub durations: Vec<ColourDurations>,
    /// Index of the colour for instances without a value.
    pub unknown: Option<u16>,
    /// Width of the longest row name, terminal columns.
    pub name_width: u16,
    /// Whether the busy share of rows is known.
    pub has_busy: bool,
    /// Number of concurrent bars of each colour over time, aligned with `legend`; empty if there are too many rows to
    /// show it.
    pub concurrency: Vec<PlotCurve>,
    /// Number of existing resources over time, if known: the upper bound of concurrency.
    pub capacity: Option<PlotCurve>,
    /// Entity and instances of the bars.
    pub instances: Option<EntityInstances>,
}

/// Durations of the instances of one colour, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColourDurations {
    /// Sum of all bars.
    pub total: i64,
    /// Longest bar.
    pub longest: i64,
}

impl Gantt {
    /// Bar of a row at a time (UTC ns); if there is none, the last bar before it.
    pub fn at(&self, lane: usize, time: i64) -> Option<&Bar> {
        let bars = &self.lanes.get(lane)?.bars;
        let after = bars.partition_point(|b| b.start <= time);
        bars.get(after.saturating_sub(1))
    }

    /// Start of the next or previous bar of a row, UTC ns.
    pub fn adjacent_start(&self, lane: usize, time: i64, direction: Direction) -> Option<i64> {
        let bars = &self.lanes.get(lane)?.bars;
        let at = match direction {
            Direction::Forward => bars.partition_point(|b| b.start <= time),
            Direction::Backward => bars.partition_point(|b| b.start < time).checked_sub(1)?,
        };
        bars.get(at).map(|b| b.start)
    }

    /// Title of the instance of a bar.
    pub fn title(&self, bar: &Bar) -> Option<String> {
        let of = self.instances.as_ref()?;
        Some(of.title(of.list.get(bar.instance as usize)?))
    }

    /// True if the instance of a bar is one of `ids`, or a part of one, as a try of a task.
    pub fn belongs_to(&self, bar: &Bar, ids: &[&Id]) -> bool {
        let handle = |of: &EntityInstances| of.handle(bar.instance as usize);
        let handle = self.instances.as_ref().and_then(handle);
        let has = |handle: &InstanceHandle| {
            let mut ids = ids.iter();
            ids.any(|id| id.iter().all(|pair| handle.id.contains(pair)))
        };
        handle.as_ref().is_some_and(has)
    }

    /// Selection of the records of a bar's instance.
    pub fn step(&self, bar: &Bar) -> Option<SelectionStep> {
        self.instances.as_ref()?.step(bar.instance as usize)
    }
}
