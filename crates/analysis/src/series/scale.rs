//! Range of a numeric axis.

use crate::series::{Series, SeriesKind, SeriesSpec};

/// What zero means to a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// It counts things: how many there are can be seen only from zero on.
    #[default]
    FromZero,
    /// It measures: where the axis from zero on would make a flat line of it, the axis is the numbers' own range.
    Measured,
}

/// Numbers from this on are no counts of things that somebody compares with none.
const LARGE: f64 = 100_000.0;
/// A line that takes less than this share of the axis from zero on says nothing.
const FLAT: f64 = 0.25;

impl Scale {
    /// What zero means to a series: what has parts of ones, or is large everywhere, is measured; growth is not.
    pub fn of(series: &Series, spec: &SeriesSpec) -> Scale {
        if spec.kind == SeriesKind::Counter {
            return Scale::FromZero;
        }
        let values = || {
            series
                .lines
                .iter()
                .flat_map(|l| l.points.iter().map(|p| p.value))
        };
        let has_parts = values().any(|v| v.fract() != 0.0);
        let is_large = values().next().is_some() && values().all(|v| v.abs() >= LARGE);
        match has_parts || is_large {
            true => Scale::Measured,
            false => Scale::FromZero,
        }
    }

    /// The ends of the axis for numbers between two.
    pub fn ends(self, least: f64, most: f64) -> (f64, f64) {
        let from_zero = (least.min(0.0), most.max(0.0));
        let span = most - least;
        let is_flat = span > 0.0 && span < FLAT * (from_zero.1 - from_zero.0);
        match self {
            Scale::Measured if is_flat => (least, most),
            _ => from_zero,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::{Point, SeriesLine};

    fn of(unit: &str, kind: SeriesKind, values: &[f64]) -> Scale {
        let points = values.iter().map(|value| Point {
            time: 0,
            value: *value,
            event: 0,
        });
        let series = Series {
            lines: vec![SeriesLine {
                points: points.collect(),
                ..SeriesLine::default()
            }],
            ..Series::default()
        };
        let spec = SeriesSpec {
            unit: unit.to_owned(),
            kind,
            ..SeriesSpec::of_key(&[], "key")
        };
        Scale::of(&series, &spec)
    }

    #[test]
    fn counts_are_drawn_from_zero_and_measurements_where_they_are() {
        use SeriesKind::{Counter, Gauge};
        assert_eq!(of("", Gauge, &[100.0, 105.0]), Scale::FromZero);
        assert_eq!(of("", Gauge, &[]), Scale::FromZero);
        assert_eq!(of("", Gauge, &[100.5, 105.0]), Scale::Measured);
        // Some count in units of their own: tasks, blocks.
        assert_eq!(of("blocks", Gauge, &[100.0]), Scale::FromZero);
        assert_eq!(of("", Gauge, &[2e9, 2.1e9]), Scale::Measured);
        assert_eq!(of("B", Counter, &[2e9, 2.1e9]), Scale::FromZero);
        let measured = Scale::Measured;
        assert_eq!(measured.ends(100.0, 105.0), (100.0, 105.0));
        assert_eq!(measured.ends(-105.0, -100.0), (-105.0, -100.0));
        // Zero is part of it where it costs little, and where there is no range.
        assert_eq!(measured.ends(50.0, 105.0), (0.0, 105.0));
        assert_eq!(measured.ends(-1.0, 5.0), (-1.0, 5.0));
        assert_eq!(measured.ends(7.0, 7.0), (0.0, 7.0));
        assert_eq!(Scale::FromZero.ends(100.0, 105.0), (0.0, 105.0));
    }
}
