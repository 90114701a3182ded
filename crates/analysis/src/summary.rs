//! Summary statistics: count, mean, percentiles. Percentiles interpolate linearly between ranks, as
//! pandas does.

/// Summary statistics of numbers, in the unit of the numbers (ns for durations).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of values.
    pub count: u64,
    /// Arithmetic mean of the values.
    pub mean: f64,
    /// Median of the values.
    pub p50: f64,
    /// 95th percentile of the values.
    pub p95: f64,
    /// Maximum of the values.
    pub max: f64,
    /// Sum of the values.
    pub total: f64,
}

impl Summary {
    /// Computes the statistics and reorders the numbers. `None` without numbers.
    pub fn from_values(values: &mut [i64]) -> Option<Summary> {
        let total: i128 = values.iter().map(|v| i128::from(*v)).sum();
        // Each selection leaves smaller numbers in front, which the next one searches.
        let (p95, from) = quantile(values, 0.95)?;
        let max = *values[from..].iter().max()?;
        let last = values.len() - 1;
        let rank = 0.5 * last as f64;
        let count = values.len();
        let front = match rank.ceil() as usize <= from {
            true => &mut values[..=from],
            false => values,
        };
        let (p50, _) = value_at_rank(front, rank)?;
        Some(Summary {
            count: count as u64,
            mean: total as f64 / count as f64,
            p50,
            p95,
            max: max as f64,
            total: total as f64,
        })
    }
}

/// Quantile `q` (0 to 1) of the numbers, and how many numbers not greater stand in front of it;
/// reorders the numbers. `None` without numbers.
fn quantile(values: &mut [i64], q: f64) -> Option<(f64, usize)> {
    let last = values.len().checked_sub(1)?;
    value_at_rank(values, q.clamp(0.0, 1.0) * last as f64)
}

/// Value at a fractional rank, interpolated; also returns the number of values not greater in front
/// of it.
fn value_at_rank(values: &mut [i64], rank: f64) -> Option<(f64, usize)> {
    let below = rank.floor() as usize;
    if below >= values.len() {
        return None;
    }
    let (_, low, above) = values.select_nth_unstable(below);
    let low = *low as f64;
    let part = rank - below as f64;
    let value = match above.iter().min() {
        Some(high) if part > 0.0 => low + part * (*high as f64 - low),
        _ => low,
    };
    Some((value, below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn percentile(values: &mut [i64], q: f64) -> Option<f64> {
        quantile(values, q).map(|r| r.0)
    }

    #[test]
    fn percentiles_equal_those_of_pandas() {
        // pandas.Series([3, 1, 4, 1, 5, 9, 2, 6]).describe(percentiles=[.5, .95])
        let s = Summary::from_values(&mut [3, 1, 4, 1, 5, 9, 2, 6]).unwrap();
        assert_eq!((s.count, s.mean, s.p50, s.max), (8, 3.875, 3.5, 9.0));
        assert!((s.p95 - 7.95).abs() < 1e-9);
        assert_eq!(Summary::from_values(&mut []), None);
        assert_eq!(percentile(&mut [7], 0.95), Some(7.0));
        assert_eq!(percentile(&mut [-4, -2], 0.25), Some(-3.5));
    }

    proptest! {
        #[test]
        fn percentiles_are_those_of_sorted_numbers(mut values in prop::collection::vec(-50i64..50, 1..60)) {
            let s = Summary::from_values(&mut values).unwrap();
            values.sort_unstable();
            let at = |q: f64| {
                let rank = q * (values.len() - 1) as f64;
                let (low, high) = (values[rank.floor() as usize] as f64, values[rank.ceil() as usize] as f64);
                low + rank.fract() * (high - low)
            };
            prop_assert!((s.p50 - at(0.5)).abs() < 1e-9 && (s.p95 - at(0.95)).abs() < 1e-9);
            prop_assert_eq!(s.max, values[values.len() - 1] as f64);
            prop_assert_eq!(s.total, values.iter().sum::<i64>() as f64);
        }
    }
}
