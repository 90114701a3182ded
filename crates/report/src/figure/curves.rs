//! Curves over time: lines, and areas on one another.

use std::borrow::Cow;

use widetui_analysis::colour::Tone;
use widetui_analysis::plot_curve::PlotCurve;
use widetui_analysis::series::{AxisScale, BinAggregate, SeriesKind};
use widetui_time::timescale::{CURVE_PARTS, round_length, round_parts};

/// Curves in panels below each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Panels from top to bottom.
    pub panels: Vec<Panel>,
    /// Drawing of the curves in each panel.
    pub style: CurveStyle,
}

/// Drawing of the curves of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveStyle {
    /// Areas on one another, the first at the bottom; all panels have one scale.
    Areas,
    /// Lines; each panel has its own scale, with this meaning of zero.
    Lines(AxisScale),
}

/// Curves with one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Name; may be empty.
    pub name: String,
    /// Unit of the values; may be empty.
    pub unit: String,
    /// Curves.
    pub curves: Vec<PlotCurve>,
}

impl Curves {
    /// Curves in one panel.
    pub fn one(style: CurveStyle, unit: impl Into<String>, curves: Vec<PlotCurve>) -> Curves {
        let panel = Panel {
            name: String::new(),
            unit: unit.into(),
            curves,
        };
        Curves {
            panels: vec![panel],
            style,
        }
    }

    /// All curves with the names of their panels.
    pub fn all(&self) -> impl Iterator<Item = (&str, &PlotCurve)> + Clone {
        let panels = self.panels.iter();
        panels.flat_map(|panel| panel.curves.iter().map(|curve| (&*panel.name, curve)))
    }

    /// Time from the first point to the end of the data (UTC ns), or to the last point; `None` without points.
    pub(super) fn range(&self, end: Option<i64>) -> Option<(i64, i64)> {
        let curves = self.all().map(|(_, curve)| &curve.points);
        let first = curves.clone().filter_map(|points| points.first());
        let last = curves.filter_map(|points| points.last());
        let (first, last) = (first.map(|p| p.0).min()?, last.map(|p| p.0).max()?);
        Some((first, end.unwrap_or(last).max(last)))
    }

    /// The curves with counters as their growth in round parts of a time range.
    pub fn grown(&self, range: (i64, i64)) -> Cow<'_, Curves> {
        let (range, parts) = round_parts(range, round_length(range, CURVE_PARTS));
        let is_counter = |curve: &PlotCurve| curve.kind == SeriesKind::Counter;
        if !self.all().any(|(_, curve)| is_counter(curve)) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(self.map(|curve| match is_counter(curve) {
            true => curve.binned(range, parts, BinAggregate::Max),
            false => curve.clone(),
        }))
    }

    /// Aggregates of the curves in equal parts of a time range. Areas stay as they are: aggregates of several moments have no
    /// sum.
    #[must_use]
    pub fn binned(&self, range: (i64, i64), parts: usize, aggregate: BinAggregate) -> Curves {
        match self.style {
            CurveStyle::Areas => self.clone(),
            CurveStyle::Lines(_) => self.map(|curve| curve.binned(range, parts, aggregate)),
        }
    }

    /// The same panels with other curves.
    fn map(&self, change: impl Fn(&PlotCurve) -> PlotCurve) -> Curves {
        let panels = self.panels.iter().map(|panel| Panel {
            name: panel.name.clone(),
            unit: panel.unit.clone(),
            curves: panel.curves.iter().map(&change).collect(),
        });
        Curves {
            panels: panels.collect(),
            style: self.style,
        }
    }

    /// Each of several lines in its own panel, all on one scale from zero: where there are no colours, panels separate them.
    #[must_use]
    pub fn apart(self) -> Curves {
        let (CurveStyle::Lines(_), [panel]) = (self.style, self.panels.as_slice()) else {
            return self;
        };
        if panel.curves.len() < 2 {
            return self;
        }
        let own = panel.curves.iter().map(|curve| Panel {
            name: curve.name.clone(),
            unit: panel.unit.clone(),
            curves: vec![curve.clone()],
        });
        Curves {
            panels: own.collect(),
            style: CurveStyle::Areas,
        }
    }

    /// Curves of a legend: those of the only panel, or sums of the curves with equal names in all panels, in the order of
    /// their first occurrence.
    pub fn by_name(&self) -> Cow<'_, [PlotCurve]> {
        if let [one] = self.panels.as_slice() {
            return Cow::Borrowed(&one.curves);
        }
        let mut sums: Vec<(&PlotCurve, Vec<&PlotCurve>)> = Vec::new();
        for (_, curve) in self.all() {
            match sums.iter_mut().find(|(first, _)| first.name == curve.name) {
                Some((_, all)) => all.push(curve),
                None => sums.push((curve, vec![curve])),
            }
        }
        let sum = |(first, all): (&PlotCurve, Vec<&PlotCurve>)| {
            let mut times: Vec<i64> = all.iter().flat_map(|c| &c.points).map(|p| p.0).collect();
            times.sort_unstable();
            times.dedup();
            let value = |time| all.iter().filter_map(|c| c.at(time)).sum::<f64>();
            PlotCurve {
                name: first.name.clone(),
                points: times.into_iter().map(|time| (time, value(time))).collect(),
                tone: first.tone,
                ..PlotCurve::default()
            }
        };
        sums.into_iter().map(sum).collect()
    }
}

/// Meanings of the colours of curves.
pub fn tones(curves: &[PlotCurve]) -> Vec<Tone> {
    curves.iter().map(|c| c.tone).collect()
}
