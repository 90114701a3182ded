//! Timeline: bars in rows over time.

use widetui_analysis::colour::Tone;
use widetui_analysis::plot_curve::PlotCurve;
use widetui_analysis::timeline::{Bar, TimelineRow, lane_pieces};
use widetui_core::direction::Direction;

/// Rows of bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gantt {
    /// Lanes of bars, one per row of the table, in the same order; a lane that continues the one above it has no name.
    pub lanes: Vec<TimelineRow>,
    /// Name of each colour, and the number of its instances.
    pub legend: Vec<(String, u64)>,
    /// Meaning of each colour, aligned with `legend`.
    pub tones: Vec<Tone>,
    /// Durations of the instances of each colour, aligned with `legend`.
    pub durations: Vec<ColourDurations>,
    /// Index of the colour for instances without a value.
    pub unknown: Option<u16>,
    /// Number of concurrent bars of each colour over time, aligned with `legend`; empty if there are too many rows to
    /// show it.
    pub concurrency: Vec<PlotCurve>,
    /// Number of existing resources over time, if known: the upper bound of concurrency.
    pub capacity: Option<PlotCurve>,
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

    /// Name of a colour; `None` for instances without a value.
    pub fn colour_name(&self, colour: u16) -> Option<&str> {
        let named = self.legend.get(usize::from(colour));
        let named = named.filter(|_| self.unknown != Some(colour));
        named.map(|(name, _)| name.as_str())
    }

    /// Colours in legend order: those visible in the given rows over a time range in so many columns come first.
    pub fn legend_order(&self, lanes: &[usize], range: (i64, i64), columns: u32) -> Vec<usize> {
        let mut is_seen = vec![false; self.legend.len()];
        let rows = lanes.iter().filter_map(|at| self.lanes.get(*at));
        for piece in rows.flat_map(|row| lane_pieces(row, range, columns)) {
            if let Some(seen) = is_seen.get_mut(usize::from(piece.bar.colour)) {
                *seen = true;
            }
        }
        let mut order: Vec<usize> = (0..is_seen.len()).collect();
        order.sort_by_key(|at| is_seen.get(*at) != Some(&true));
        order
    }
}
