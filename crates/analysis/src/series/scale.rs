//! Range of a numeric axis.

use crate::series::{Series, SeriesKind, SeriesSpec};

/// Role of zero for an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// Counts: the axis starts at zero, so that sizes can be compared.
    #[default]
    FromZero,
    /// Measurements: if an axis from zero would flatten the line, the axis is the range of the
    /// values.
    Measured,
}

/// Magnitude from which values are taken as measurements rather than counts.
const LARGE_VALUE: f64 = 100_000.0;
/// Share of an axis from zero below which a line is flat.
const FLAT_SHARE: f64 = 0.25;

impl AxisScale {
    /// Scale of a series: fractional or large values are measurements; growth of counters is not.
    pub fn for_series(series: &Series, spec: &SeriesSpec) -> AxisScale {
        if spec.kind == SeriesKind::Counter {
            return AxisScale::FromZero;
        }
        let values = || {
            series
                .lines
                .iter()
                .flat_map(|l| l.points.iter().map(|p| p.value))
        };
        let has_parts = values().any(|v| v.fract() != 0.0);
        let is_large = values().next().is_some() && values().all(|v| v.abs() >= LARGE_VALUE);
        match has_parts || is_large {
            true => AxisScale::Measured,
            false => AxisScale::FromZero,
        }
    }

    /// Ends of the axis for values between `least` and `most`.
    pub fn axis_range(self, least: f64, most: f64) -> (f64, f64) {
        let from_zero = (least.min(0.0), most.max(0.0));
        let span = most - least;
        let is_flat = span > 0.0 && span < FLAT_SHARE * (from_zero.1 - from_zero.0);
        match self {
            AxisScale::Measured if is_flat => (least, most),
            _ => from_zero,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::{SeriesLine, SeriesPoint};
    use widetui_format::catalog::keys::KeysView;

    fn of(unit: &str, kind: SeriesKind, values: &[f64]) -> AxisScale {
        let points = values.iter().map(|value| SeriesPoint {
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
            ..SeriesSpec::for_key(&[], &KeysView::default(), "key")
        };
        AxisScale::for_series(&series, &spec)
    }

    #[test]
    fn counts_start_at_zero_and_measurements_at_their_range() {
        use SeriesKind::{Counter, Gauge};
        assert_eq!(of("", Gauge, &[100.0, 105.0]), AxisScale::FromZero);
        assert_eq!(of("", Gauge, &[]), AxisScale::FromZero);
        assert_eq!(of("", Gauge, &[100.5, 105.0]), AxisScale::Measured);
        // A unit does not make a measurement: tasks, blocks.
        assert_eq!(of("blocks", Gauge, &[100.0]), AxisScale::FromZero);
        assert_eq!(of("", Gauge, &[2e9, 2.1e9]), AxisScale::Measured);
        assert_eq!(of("B", Counter, &[2e9, 2.1e9]), AxisScale::FromZero);
        let measured = AxisScale::Measured;
        assert_eq!(measured.axis_range(100.0, 105.0), (100.0, 105.0));
        assert_eq!(measured.axis_range(-105.0, -100.0), (-105.0, -100.0));
        // Zero is included if it costs little space, or without a range of values.
        assert_eq!(measured.axis_range(50.0, 105.0), (0.0, 105.0));
        assert_eq!(measured.axis_range(-1.0, 5.0), (-1.0, 5.0));
        assert_eq!(measured.axis_range(7.0, 7.0), (0.0, 7.0));
        assert_eq!(AxisScale::FromZero.axis_range(100.0, 105.0), (0.0, 105.0));
    }
}
