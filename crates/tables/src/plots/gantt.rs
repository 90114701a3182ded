//! Bars in rows over time: who did what when.

use widetui_analysis::colour::Tone;
use widetui_analysis::timeline::{Bar, TimelineRow};
use widetui_core::direction::Direction;
use widetui_session::plots::EntityInstances;
use widetui_session::selection::SelectionStep;

use super::PlotCurve;

/// Rows of bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gantt {
    /// In the order of the rows of the table that belongs to it; each has one lane.
    pub lanes: Vec<TimelineRow>,
    /// What colours stand for, and how many things have it.
    pub legend: Vec<(String, u64)>,
    /// What the colours say, as `legend` has them.
    pub tones: Vec<Tone>,
    /// How long the things of each colour took, as `legend` has them.
    pub took: Vec<Took>,
    /// The colour of what nothing is known of.
    pub unknown: Option<u16>,
    /// Columns that the widest name of a row wants.
    pub names: u16,
    /// Whether it is known how busy what carries a row was.
    pub has_busy: bool,
    /// How many of each colour there are at once, as `legend` has them; none where there are so many rows that nobody would
    /// see it.
    pub at_once: Vec<PlotCurve>,
    /// How many there could be at once, where that is known: as many as there are of what carries them.
    pub capacity: Option<PlotCurve>,
    /// Whose bars they are.
    pub of: Option<EntityInstances>,
}

/// How long things of a colour took, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Took {
    /// All of them together.
    pub all: i64,
    /// The longest bar.
    pub longest: i64,
}

impl Gantt {
    /// The bar of a row at a moment; when none is there, the last before it.
    pub fn at(&self, lane: usize, time: i64) -> Option<&Bar> {
        let bars = &self.lanes.get(lane)?.bars;
        let after = bars.partition_point(|b| b.start <= time);
        bars.get(after.saturating_sub(1))
    }

    /// The start of the next bar of a row, or of the one before.
    pub fn beside(&self, lane: usize, time: i64, direction: Direction) -> Option<i64> {
        let bars = &self.lanes.get(lane)?.bars;
        let at = match direction {
            Direction::Forward => bars.partition_point(|b| b.start <= time),
            Direction::Backward => bars.partition_point(|b| b.start < time).checked_sub(1)?,
        };
        bars.get(at).map(|b| b.start)
    }

    /// What a bar is called.
    pub fn title(&self, bar: &Bar) -> Option<String> {
        let of = self.of.as_ref()?;
        Some(of.title(of.list.get(bar.instance as usize)?))
    }

    /// The step that selects the records of what a bar stands for.
    pub fn step(&self, bar: &Bar) -> Option<SelectionStep> {
        self.of.as_ref()?.step(bar.instance as usize)
    }
}
