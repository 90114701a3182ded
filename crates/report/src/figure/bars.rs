//! Horizontal bars: histograms, parts of a whole, and distributions of durations.

/// Distribution of durations: statistics as shares (0 to 1) of the full length of the bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Maximum.
    pub max: f64,
}

/// Mark of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BarMark {
    /// Bar of this length; the longest fills the room.
    Length(f64),
    /// Bar to the median, the 95th percentile and the maximum, with a mark at the mean.
    Spread(Spread),
}

/// Bar with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct BarRow {
    /// Name before the bar.
    pub name: String,
    /// Bar.
    pub mark: BarMark,
    /// Text after the bar.
    pub text: String,
}

/// Folding of bars without room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarFold {
    /// Neighbouring bins of a histogram are added.
    Add,
    /// The last bars are left out.
    #[default]
    Cut,
}

/// Group of bars on one scale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Title of the group; may be empty.
    pub title: String,
    /// Bars from top to bottom.
    pub rows: Vec<BarRow>,
    /// Folding without room for all.
    pub fold: BarFold,
    /// Duration of the full length, ns; `None` if lengths are no durations.
    pub longest: Option<i64>,
    /// True if the table of the plot has the same rows with the same bars, which a screen with the table does not repeat.
    pub is_listed: bool,
}

impl Bars {
    /// Rows that have room.
    pub fn folded(&self, room: usize) -> Vec<BarRow> {
        match self.fold {
            BarFold::Cut => self.rows.iter().take(room).cloned().collect(),
            BarFold::Add => {
                let together = self.rows.len().div_ceil(room.max(1)).max(1);
                self.rows.chunks(together).map(added).collect()
            }
        }
    }
}

/// Neighbouring bins as one.
fn added(bins: &[BarRow]) -> BarRow {
    let length = |bin: &BarRow| match bin.mark {
        BarMark::Length(length) => length,
        BarMark::Spread(spread) => spread.max,
    };
    let sum: f64 = bins.iter().map(length).sum();
    BarRow {
        name: bins
            .first()
            .map_or_else(String::new, |bin| bin.name.clone()),
        mark: BarMark::Length(sum),
        text: match sum > 0.0 {
            true => widetui_core::words::grouped(sum as u64),
            false => String::new(),
        },
    }
}
